//! The described registry's words for stages.
//!
//! Those of an ingest are ours. All other work has one stage of its own name here, and two there:
//! `Requested`, and `Resolve` when it is done.

use storage::registry::ItemRow;

use crate::http::asked::{Pairs, bad};
use crate::http::refusal::Refusal;

const INGEST: [&str; 9] = [
    "Receive",
    "Validate",
    "Reingest Check",
    "Copy To Staging",
    "Format Identification",
    "Store",
    "Storage Validation",
    "Record",
    "Cleanup",
];

/// Words that nothing bears any more; asked for, they find nothing.
const OLD: [&str; 5] = ["Available in S3", "Fetch", "Package", "Restoring", "Unpack"];

/// The stages of all other work, by the names they have here.
const OTHER: [&str; 12] = [
    "Restore Object",
    "Restore File",
    "Glacier Restore",
    "Delete",
    "Fixity Check",
    "Rehearsal",
    "Snapshot",
    "Prove",
    "Assess",
    "Load",
    "Search",
    "Read Feed",
];

const REQUESTED: &str = "Requested";
const RESOLVE: &str = "Resolve";

/// Where an item is.
pub(super) fn word(item: &ItemRow) -> &str {
    match (OTHER.contains(&item.stage.as_str()), item.status.as_str()) {
        (true, "Success") => RESOLVE,
        (true, _) => REQUESTED,
        (false, _) => &item.stage,
    }
}

/// Fields of a question of which all have to hold, and choices of which one has to.
type Question = (Pairs, Vec<Pairs>);

/// The question about items in our words.
///
/// # Errors
///
/// A word that is none.
pub(super) fn in_our_words(pairs: &Pairs) -> Result<Question, Refusal> {
    let is_stage = |name: &str| ["stage", "stage__eq", "stage__in"].contains(&name);
    let (asked, rest): (Pairs, Pairs) = pairs.iter().cloned().partition(|(name, _)| is_stage(name));
    let Some((name, _)) = asked.first() else { return Ok((rest, Vec::new())) };
    let known = |word: &str| {
        INGEST.contains(&word) || OLD.contains(&word) || [REQUESTED, RESOLVE].contains(&word)
    };
    if let Some((_, word)) = asked.iter().find(|(_, word)| !known(word)) {
        let words = [&INGEST[..], &[REQUESTED, RESOLVE], &OLD].concat().join(", ");
        return Err(bad(name, format!("is {word:?}; it is one of {words}")));
    }
    if asked.iter().any(|(name, _)| name != "stage__in") && asked.len() > 1 {
        return Err(bad(name, "is asked for more than once; stage__in takes several"));
    }
    let choices = choices(asked.iter().map(|(_, word)| word.as_str()).collect());
    // One choice is none: an index leads to it together with the rest.
    match <[Pairs; 1]>::try_from(choices) {
        Ok([only]) => Ok(([rest, only].concat(), Vec::new())),
        Err(choices) => Ok((rest, choices)),
    }
}

/// What these words mean here: stages of an ingest, and of all other work by whether it is done.
fn choices(mut words: Vec<&str>) -> Vec<Pairs> {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let (requested, resolve) = (words.contains(&REQUESTED), words.contains(&RESOLVE));
    words.retain(|word| ![REQUESTED, RESOLVE].contains(word));
    let mut choices = Vec::new();
    if !words.is_empty() {
        choices.push(words.iter().map(|word| pair("stage__in", word)).collect());
    }
    if requested || resolve {
        let mut other: Pairs = OTHER.iter().map(|stage| pair("stage__in", stage)).collect();
        match (requested, resolve) {
            (true, false) => other.push(pair("status__ne", "Success")),
            (false, true) => other.push(pair("status", "Success")),
            (true, true) | (false, false) => {}
        }
        choices.push(other);
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::FLOWS;

    fn asked(pairs: &[(&str, &str)]) -> Option<(usize, Vec<usize>)> {
        let pairs = pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let (ours, choices) = in_our_words(&pairs).ok()?;
        Some((ours.len(), choices.iter().map(Vec::len).collect()))
    }

    #[test]
    fn every_stage_of_every_flow_has_a_word() {
        for flow in FLOWS {
            let known: &[&str] = if flow.name == "ingest" { &INGEST } else { &OTHER };
            for stage in flow.stages {
                let label = stage.about().label;
                assert!(known.contains(&label), "{label} of {}", flow.name);
            }
        }
    }

    #[test]
    fn stages_of_an_ingest_and_all_others_are_two_choices() {
        assert_eq!(asked(&[("name", "x")]), Some((1, vec![])));
        assert_eq!(asked(&[("stage", "Store")]), Some((1, vec![])));
        assert_eq!(asked(&[("stage", "Resolve"), ("name", "x")]), Some((14, vec![])));
        let both = [("stage__in", "Resolve"), ("stage__in", "Requested")];
        assert_eq!(asked(&both), Some((12, vec![])));
        let mixed = [("stage__in", "Requested"), ("stage__in", "Cleanup"), ("name", "x")];
        assert_eq!(asked(&mixed), Some((1, vec![1, 13])));
        for bad in [&[("stage", "Store"), ("stage", "Record")][..], &[("stage", "Storing")]] {
            assert_eq!(asked(bad), None, "{bad:?}");
        }
    }
}
