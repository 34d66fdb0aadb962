//! Findings as they come in: all counted, a bounded number kept.

use std::collections::BTreeMap;

use serde::Serialize;

use super::code::Code;
use super::finding::{Finding, Severity};

/// How many findings there were, also those that were not kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Findings that make the bag invalid.
    pub errors: u64,
    /// Findings that do not.
    pub warnings: u64,
    /// Both, by rule.
    pub by_code: BTreeMap<Code, u64>,
}

/// The findings of one bag.
#[derive(Debug)]
pub(crate) struct Findings {
    kept: Vec<Finding>,
    kept_warnings: usize,
    counts: Counts,
    limit: usize,
}

impl Findings {
    pub(crate) fn new(limit: usize) -> Findings {
        Findings { kept: Vec::new(), kept_warnings: 0, counts: Counts::default(), limit }
    }

    /// Takes one finding. Its sentence is only made if there is room for it.
    pub(crate) fn add(
        &mut self,
        code: Code,
        place: impl Into<String>,
        sentence: impl FnOnce() -> String,
    ) {
        if self.count(code) {
            self.kept.push(Finding::new(code, place, sentence()));
        }
    }

    /// Takes findings that others made.
    pub(crate) fn extend(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            if self.count(finding.code) {
                self.kept.push(finding);
            }
        }
    }

    /// Whether there is anything, so far, that makes the bag invalid.
    pub(crate) fn has_errors(&self) -> bool {
        self.counts.errors > 0
    }

    /// Whether a rule was broken whose breach leaves the bag incomplete.
    pub(crate) fn incomplete(&self) -> bool {
        self.counts.by_code.keys().any(|code| leaves_incomplete(*code))
    }

    /// Everything kept, worst first, in an order that does not depend on the order of reading.
    pub(crate) fn finish(mut self) -> (Vec<Finding>, Counts) {
        self.kept.sort_by(|a, b| {
            (a.severity, a.code, &a.place, &a.sentence).cmp(&(
                b.severity,
                b.code,
                &b.place,
                &b.sentence,
            ))
        });
        let all = self.counts.errors + self.counts.warnings;
        let omitted = all - self.kept.len() as u64;
        if omitted > 0 {
            let sentence = format!(
                "There are {all} findings; {omitted} of them are not listed. Mend what is listed \
                 and look again."
            );
            self.kept.push(Finding::new(Code::FindingsOmitted, "the bag", sentence));
        }
        (self.kept, self.counts)
    }

    /// Counts a finding and says whether it is kept. Warnings leave room for errors.
    fn count(&mut self, code: Code) -> bool {
        *self.counts.by_code.entry(code).or_default() += 1;
        match code.severity() {
            Severity::Error => {
                self.counts.errors += 1;
                self.kept.len() < self.limit
            }
            Severity::Warning => {
                self.counts.warnings += 1;
                let room = self.kept_warnings < self.limit / 4 && self.kept.len() < self.limit;
                self.kept_warnings += usize::from(room);
                room
            }
        }
    }
}

/// RFC 8493 section 3: a bag is complete if all that is required or listed is there and in form;
/// what files hold only decides whether it is valid.
fn leaves_incomplete(code: Code) -> bool {
    let about_content = [Code::DigestMismatch, Code::FileChanged, Code::FileUnreadable];
    code.severity() == Severity::Error && !about_content.contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_beyond_the_limit_are_counted_and_errors_come_first() {
        let mut findings = Findings::new(8);
        for line in 0..10 {
            findings.add(Code::ManifestStar, format!("m:{line}"), String::new);
        }
        for line in 0..10 {
            findings.add(Code::FileMissing, format!("f:{line}"), String::new);
        }
        let (kept, counts) = findings.finish();
        assert_eq!(kept.len(), 9);
        assert_eq!(kept[0].code, Code::FileMissing);
        assert_eq!(kept[8].code, Code::FindingsOmitted);
        assert!(kept[8].sentence.contains("20 findings; 12 of them"));
        assert_eq!((counts.errors, counts.warnings), (10, 10));
        assert_eq!(counts.by_code[&Code::ManifestStar], 10);
    }
}
