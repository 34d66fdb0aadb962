//! Rules for tags against the tags of a bag.

use super::judge::{ALIKE_MAX, rest};
use super::rules::{EmptyRule, Profile, TagRule};
use crate::code::Code;
use crate::facts::BagFacts;
use crate::finding::{Finding, Severity};

/// Values are quoted up to here: a tag can be longer than anyone reads.
const QUOTE_CHARS_MAX: usize = 80;

pub(super) fn judge(profile: &Profile, facts: &BagFacts) -> Vec<Finding> {
    profile.tags.iter().flat_map(|rule| judge_tag(rule, profile, facts)).collect()
}

fn judge_tag(rule: &TagRule, profile: &Profile, facts: &BagFacts) -> Vec<Finding> {
    let place = format!("{} {}", rule.file, rule.name);
    let values = values(rule, facts);
    if values.is_empty() {
        return absent(rule, place, facts).into_iter().collect();
    }
    let mut findings = Vec::new();
    let is_bare = values.iter().all(|value| value.trim().is_empty());
    if rule.required && is_bare && rule.empty != EmptyRule::Allowed {
        let sentence = format!("{} has no value. {}", rule.name, how_to_fill(rule));
        // Where there is a list of values, an empty one is not among them.
        let doubtful = rule.empty == EmptyRule::Doubtful && rule.accepts("");
        let severity = if doubtful { Severity::Warning } else { Severity::Error };
        findings.push(Finding::new(Code::TagEmpty, place.clone(), sentence).graded(severity));
    } else if !reported_elsewhere(rule, profile) {
        let mut illegal = values.iter().filter(|value| !rule.accepts(value.trim()));
        findings.extend(illegal.by_ref().take(ALIKE_MAX).map(|value| {
            let sentence = format!("{} says {}. {}", rule.name, quote(value), how_to_fill(rule));
            Finding::new(Code::TagValueNotAllowed, place.clone(), sentence)
        }));
        findings.extend(rest(Code::TagValueNotAllowed, illegal.count() as u64));
    }
    if !rule.repeatable && values.len() > 1 {
        let (name, count) = (&rule.name, values.len());
        let sentence = format!("{name} stands {count} times. Keep one and remove the others.");
        findings.push(Finding::new(Code::TagRepeated, place, sentence));
    }
    findings
}

/// What the bag says. The two tags of bagit.txt are facts of their own.
fn values<'a>(rule: &'a TagRule, facts: &'a BagFacts) -> Vec<&'a str> {
    let declared = if !rule.file.eq_ignore_ascii_case("bagit.txt") {
        None
    } else if rule.name.eq_ignore_ascii_case("BagIt-Version") {
        facts.version.as_deref()
    } else if rule.name.eq_ignore_ascii_case("Tag-File-Character-Encoding") {
        facts.encoding.as_deref()
    } else {
        None
    };
    match declared {
        Some(value) => vec![value],
        None => facts.values(&rule.file, &rule.name).collect(),
    }
}

/// A version that is not accepted is told once, as that.
fn reported_elsewhere(rule: &TagRule, profile: &Profile) -> bool {
    rule.file.eq_ignore_ascii_case("bagit.txt")
        && rule.name.eq_ignore_ascii_case("BagIt-Version")
        && !profile.accept_versions.is_empty()
}

fn absent(rule: &TagRule, place: String, facts: &BagFacts) -> Option<Finding> {
    let (file, name) = (&rule.file, &rule.name);
    let code = match rule {
        TagRule { default: Some(_), .. } => return None,
        TagRule { required: true, .. } => Code::TagRequired,
        TagRule { recommended: true, .. } => Code::TagRecommended,
        TagRule { .. } => return None,
    };
    let there = facts.tag_files.iter().any(|path| path.eq_ignore_ascii_case(file))
        || facts.tags.iter().any(|tag| tag.file.eq_ignore_ascii_case(file));
    let sentence = match (code, there) {
        (Code::TagRecommended, _) => {
            format!("The profile recommends {name} in {file}. {}", how_to_fill(rule))
        }
        (_, true) => format!("{file} has no {name}. {}", how_to_fill(rule)),
        (_, false) => {
            format!("There is no {file}, which must say {name}. {}", how_to_fill(rule))
        }
    };
    Some(Finding::new(code, place, sentence))
}

fn how_to_fill(rule: &TagRule) -> String {
    let values = match rule.values.as_slice() {
        [] => format!("Add a line \"{}: ...\".", rule.name),
        [only] => format!("Write \"{}: {only}\".", rule.name),
        several => format!("Write one of: {}.", several.join(", ")),
    };
    if rule.description.is_empty() { values } else { format!("{values} {}", rule.description) }
}

/// A value in quotes, shortened to what fits in a sentence.
pub(super) fn quote(value: &str) -> String {
    let mut short: String = value.chars().take(QUOTE_CHARS_MAX).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    format!("{short:?}")
}
