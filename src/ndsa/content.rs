//! Content: what the files are.

use super::facts::Facts;
use super::integrity::deposits;
use super::metadata::up_to;
use super::requirement::{Cost, Requirement, Seen, declared, live};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    live("content-formats", 1, "Formats are documented, with how and when they were told", told),
    declared(
        "content-verified",
        2,
        "Formats and essential characteristics are verified",
        "Say who looked at the files whose format is unknown or doubtful, and what they are.",
    )
    .either(verified),
    declared(
        "content-creators",
        2,
        "Creators are encouraged to use sustainable formats",
        "Say what depositors are told about formats, and by whom.",
    ),
    declared(
        "content-watched",
        3,
        "It is watched which formats grow obsolete",
        "Say who watches the formats that are held, how, and when last.",
    )
    .shown(held)
    .every_year(),
    declared(
        "content-migrated",
        4,
        "Content is migrated, normalised or emulated as needed",
        "Say what was migrated, or why nothing had to be, and who decided it.",
    ),
];

fn told(facts: &Facts) -> Seen {
    let looked = deposits(facts, facts.gaps.unidentified_count, "were not looked at for formats");
    if facts.holds_nothing() {
        return looked;
    }
    let unknown = facts.unidentified_file_count;
    let sentence = format!("Files whose format is documented as unknown: {unknown}.");
    looked.told(sentence, Some("/reports/formats"))
}

/// Every file is known by a signature, and none contradicts its name.
fn verified(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let (unknown, doubtful) = (facts.unidentified_file_count, facts.warned.file_count);
    let next = "Look at the files whose format is unknown or doubtful, then declare what they are.";
    Seen::new(unknown == 0 && doubtful == 0, Cost::Work, next)
        .told(format!("Files of unknown format: {unknown}."), Some("/reports/formats"))
        .told(
            format!("Files whose name and format do not agree: {}.", up_to(doubtful)),
            Some("/reports/formats"),
        )
}

fn held(facts: &Facts) -> Seen {
    let sentence = format!("Formats that are held: {}.", facts.format_count);
    Seen::unseen().told(sentence, Some("/reports/formats"))
}
