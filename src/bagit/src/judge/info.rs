//! The tags of `bag-info.txt` that BagIt gives a form or a meaning.

use super::case::Case;
use crate::code::Code;
use crate::findings::Findings;

/// Judges `bag-info.txt`, or what old versions had in its place.
pub(crate) fn judge(case: &mut Case<'_>) {
    let old = case.version.reads_package_info();
    let file = if old && case.ledger.find(b"bag-info.txt").is_none() {
        "package-info.txt"
    } else {
        "bag-info.txt"
    };
    oxum(case, file);
    let findings = &mut case.findings;
    for name in ["Bagging-Date", "Bag-Size", "Bag-Group-Identifier", "Bag-Count"] {
        let count = case.facts.values(file, name).count();
        if count > 1 {
            findings.add(Code::TagOnceOnly, format!("{file} {name}"), || {
                format!("{name} stands {count} times in {file}; it should stand once.")
            });
        }
    }
    for date in case.facts.values(file, "Bagging-Date").filter(|date| !is_date(date)) {
        findings.add(Code::BaggingDateForm, format!("{file} Bagging-Date"), || {
            format!("Bagging-Date is `{date}`; it should be a date such as 2026-01-31.")
        });
    }
    for count in case.facts.values(file, "Bag-Count").filter(|count| !is_count(count)) {
        findings.add(Code::BagCountForm, format!("{file} Bag-Count"), || {
            format!("Bag-Count is `{count}`; it should be such as `1 of 3` or `1 of ?`.")
        });
    }
}

fn oxum(case: &mut Case<'_>, file: &str) {
    let values: Vec<&str> = case.facts.values(file, "Payload-Oxum").collect();
    let place = || format!("{file} Payload-Oxum");
    let findings: &mut Findings = &mut case.findings;
    if values.len() > 1 {
        findings.add(Code::OxumTwice, place(), || {
            format!("Payload-Oxum stands {} times in {file}; it may stand once.", values.len())
        });
    }
    let found = (case.facts.payload_bytes, case.facts.payload_count);
    for value in values {
        match parse(value) {
            None => findings.add(Code::OxumForm, place(), || {
                format!(
                    "Payload-Oxum is `{value}`; it must be bytes, a dot and files: `{}.{}`.",
                    found.0, found.1
                )
            }),
            Some(said) if said != found => findings.add(Code::OxumWrong, place(), || {
                format!(
                    "Payload-Oxum says {} bytes in {} files; there are {} bytes in {} files. \
                     Something is missing or was added: compare with the original and make the \
                     bag again.",
                    said.0, said.1, found.0, found.1
                )
            }),
            Some(_) => {}
        }
    }
}

/// Bytes and files.
fn parse(value: &str) -> Option<(u64, u64)> {
    let (octets, streams) = value.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (digits(octets) && digits(streams)).then_some(())?;
    Some((octets.parse().ok()?, streams.parse().ok()?))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else { return false };
    let number = |text: &str, len: usize| {
        (text.len() == len && text.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| text.parse::<u16>().ok())
            .flatten()
    };
    let within = number(month, 2).zip(number(day, 2));
    number(year, 4).is_some()
        && within.is_some_and(|(month, day)| (1..=12).contains(&month) && (1..=31).contains(&day))
}

fn is_count(text: &str) -> bool {
    let number = |text: &str| text.trim().parse::<u64>().is_ok();
    text.split_once(" of ")
        .is_some_and(|(n, total)| number(n) && (number(total) || total.trim() == "?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_told_apart() {
        assert_eq!(parse("12.3"), Some((12, 3)));
        for wrong in ["12", "12.", ".3", "1.2.3", "+1.2", "1,5.2", "99999999999999999999999.1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
        assert!(is_date("2024-02-29") && !is_date("29.2.2024") && !is_date("2024-13-01"));
        assert!(is_count("1 of 3") && is_count("1 of ?") && !is_count("one"));
    }
}
