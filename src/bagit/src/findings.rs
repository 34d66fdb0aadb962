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
    counted: BTreeMap<(Code, Severity), u64>,
    limit: usize,
}

impl Findings {
    pub(crate) fn new(limit: usize) -> Findings {
        Findings { kept: Vec::new(), kept_warnings: 0, counted: BTreeMap::new(), limit }
    }

    /// Takes one finding. Its sentence is only made if there is room for it.
    pub(crate) fn add(
        &mut self,
        code: Code,
        place: impl Into<String>,
        sentence: impl FnOnce() -> String,
    ) {
        self.add_graded(code, code.severity(), place, sentence);
    }

    /// Takes one finding whose severity is not the usual one of its rule.
    pub(crate) fn add_graded(
        &mut self,
        code: Code,
        severity: Severity,
        place: impl Into<String>,
        sentence: impl FnOnce() -> String,
    ) {
        if self.count(code, severity) {
            self.kept.push(Finding::new(code, place, sentence()).graded(severity));
        }
    }

    /// Takes findings that others made.
    pub(crate) fn extend(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            if self.count(finding.code, finding.severity) {
                self.kept.push(finding);
            }
        }
    }

    /// Whether there is anything, so far, that makes the bag invalid.
    pub(crate) fn has_errors(&self) -> bool {
        self.total(Severity::Error) > 0
    }

    /// Makes errors of the warnings of some rules.
    pub(crate) fn raise(&mut self, raised: impl Fn(Code) -> bool) {
        let warned = self.counted.keys().filter(|(_, severity)| *severity == Severity::Warning);
        let codes: Vec<Code> = warned.map(|(code, _)| *code).filter(|code| raised(*code)).collect();
        for code in codes {
            let count = self.counted.remove(&(code, Severity::Warning)).unwrap_or_default();
            *self.counted.entry((code, Severity::Error)).or_default() += count;
            for finding in self.kept.iter_mut().filter(|finding| finding.code == code) {
                finding.severity = Severity::Error;
            }
        }
    }

    /// Whether a rule was broken whose breach leaves the bag incomplete.
    pub(crate) fn incomplete(&self) -> bool {
        self.counted.keys().any(|(code, severity)| leaves_incomplete(*code, *severity))
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
        let counts = self.counts();
        let all = counts.errors + counts.warnings;
        let omitted = all - self.kept.len() as u64;
        if omitted > 0 {
            let sentence = format!(
                "There are {all} findings; {omitted} of them are not listed. Mend what is listed \
                 and look again."
            );
            self.kept.push(Finding::new(Code::FindingsOmitted, "the bag", sentence));
        }
        (self.kept, counts)
    }

    fn counts(&self) -> Counts {
        let mut by_code: BTreeMap<Code, u64> = BTreeMap::new();
        for ((code, _), count) in &self.counted {
            *by_code.entry(*code).or_default() += count;
        }
        let (errors, warnings) = (self.total(Severity::Error), self.total(Severity::Warning));
        Counts { errors, warnings, by_code }
    }

    fn total(&self, severity: Severity) -> u64 {
        let counted = self.counted.iter().filter(|((_, counted), _)| *counted == severity);
        counted.map(|(_, count)| count).sum()
    }

    /// Counts a finding and says whether it is kept. Warnings leave room for errors.
    fn count(&mut self, code: Code, severity: Severity) -> bool {
        *self.counted.entry((code, severity)).or_default() += 1;
        match severity {
            Severity::Error => self.kept.len() < self.limit,
            Severity::Warning => {
                let room = self.kept_warnings < self.limit / 4 && self.kept.len() < self.limit;
                self.kept_warnings += usize::from(room);
                room
            }
        }
    }
}

/// RFC 8493 section 3: a bag is complete if all that is required or listed is there and in form;
/// what files hold only decides whether it is valid.
fn leaves_incomplete(code: Code, severity: Severity) -> bool {
    let about_content = [Code::DigestMismatch, Code::FileChanged, Code::FileUnreadable];
    severity == Severity::Error && !about_content.contains(&code)
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

    #[test]
    fn a_raised_warning_is_an_error_wherever_it_is_counted() {
        let mut findings = Findings::new(100);
        for line in 0..40 {
            findings.add(Code::NameControl, format!("data/{line}"), String::new);
        }
        findings.add(Code::ManifestStar, "m:1", String::new);
        assert!(!findings.has_errors());
        findings.raise(|code| code == Code::NameControl);
        assert!(findings.has_errors());
        let (kept, counts) = findings.finish();
        assert_eq!((counts.errors, counts.warnings), (40, 1));
        assert_eq!(counts.by_code[&Code::NameControl], 40);
        assert_eq!(kept[0].severity, Severity::Error);
    }
}
