//! Integrity: whether bytes are as they were.

use std::time::Duration;

use super::facts::Facts;
use super::requirement::{Cost, Requirement, Seen, declared, live};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    live("integrity-supplied", 1, "Digests that come with content are verified", validated),
    live("integrity-created", 1, "Digests are made where none come with content", digests),
    declared(
        "integrity-viruses",
        1,
        "All content is checked for viruses, and isolated where needed",
        "Say which scanner looks at deposits, where, and what becomes of what it finds.",
    )
    .shown(|_| Seen::unseen().told("Strongroom has no virus scanner.", None)),
    live("integrity-copying", 2, "Digests are verified when content is moved or copied", verified),
    declared(
        "integrity-write-blockers",
        2,
        "Write-blockers are used with original media",
        "Say which write-blocker is used, or that no original media come in.",
    ),
    live("integrity-apart", 2, "Digests are kept in a separate place, too", kept_apart),
    live("integrity-intervals", 3, "Digests are verified at fixed intervals", in_time),
    live("integrity-documented", 3, "Verifications and their outcomes are documented", documented),
    live("integrity-on-demand", 3, "Integrity can be audited on demand", on_demand),
    live("integrity-events", 4, "Digests are verified on particular events", on_events),
    live("integrity-repair", 4, "Corrupt content is replaced or repaired", repaired),
];

fn validated(facts: &Facts) -> Seen {
    deposits(facts, facts.gaps.unvalidated_count, "were not validated")
}

fn verified(facts: &Facts) -> Seen {
    deposits(facts, facts.gaps.unverified_count, "have copies that were not read back")
}

/// Whether a step was made with every deposit.
pub(super) fn deposits(facts: &Facts, without: u64, lack: &str) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let next = "Deposit these bags again.";
    Seen::new(without == 0, Cost::Work, next)
        .told(format!("Deposits that {lack}: {without}."), Some("/events?event_type=validation"))
}

fn digests(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    // The registry takes no file without them.
    Seen::new(true, Cost::Work, "").told(
        format!("Files that have md5, sha1, sha256 and sha512: all {}.", facts.file_count),
        Some("/events?event_type=message+digest+calculation"),
    )
}

/// Every replica has the digests of what it holds, so they are apart when the replicas are.
fn kept_apart(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let few = facts.in_fewer_places(2);
    let next = "Configure a replica in another place: digests are kept with every copy.";
    Seen::new(few == 0, Cost::Money, next).told(
        format!("Objects whose digests are in one place only: {few}."),
        Some("/reports/storage"),
    )
}

fn in_time(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let late = facts.readings.iter().any(|reading| reading.is_overdue);
    let next = if facts.cold_only_count > 0 {
        (Cost::Money, "Keep a copy of every object in a replica that can be read at once.")
    } else {
        (Cost::Minutes, "See why checks are late: the page Fixity says it.")
    };
    let mut seen = Seen::new(!late && facts.cold_only_count == 0, next.0, next.1);
    for reading in &facts.readings {
        let stalest = reading.stalest.map_or("none".to_owned(), |at| at.to_minute());
        let late = if reading.is_overdue { ", which is overdue" } else { "" };
        let sentence = format!(
            "Replica {}: every {} days; the stalest copy was read {stalest}{late}.",
            reading.replica, reading.every_days
        );
        seen = seen.told(sentence, Some("/fixity"));
    }
    if facts.cold_only_count > 0 {
        let sentence = format!("Objects in cold storage only: {}.", facts.cold_only_count);
        seen = seen.told(sentence, Some("/reports/storage"));
    }
    seen
}

fn documented(facts: &Facts) -> Seen {
    let next = "Run a check: strongroom fixity check --all.";
    let Some(at) = facts.last_check.filter(|_| !facts.holds_nothing()) else {
        return Seen::new(false, Cost::Minutes, next).told("No check is recorded.", None);
    };
    Seen::new(true, Cost::Minutes, next).told(
        format!("Every check is an event; the last is of {}.", at.to_minute()),
        Some("/events?event_type=fixity+check"),
    )
}

fn on_demand(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    Seen::new(true, Cost::Minutes, "").told(
        "One button and one command read everything: strongroom fixity check --all.",
        Some("/fixity"),
    )
}

/// A rehearsal shows that what is restored is verified.
fn on_events(facts: &Facts) -> Seen {
    const RECENT: Duration = Duration::from_secs(90 * 86_400);
    let next = "Let a rehearsal of a restoration end well: see its item.";
    let Some(at) = facts.last_rehearsal else {
        return Seen::new(false, Cost::Minutes, next).told(
            "The last rehearsal did not end well, or there was none.",
            Some("/restorations"),
        );
    };
    Seen::new(facts.now.since(at) <= RECENT, Cost::Minutes, next).told(
        format!("What is restored is verified; a rehearsal ended well on {}.", at.to_minute()),
        Some("/restorations"),
    )
}

/// Nothing is damaged now, and what would be can be repaired from another copy.
fn repaired(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let few = facts.in_fewer_replicas(2);
    let next = "Mend what is damaged, or configure a second replica.";
    let seen = Seen::new(few == 0, Cost::Work, next).told(
        format!("Objects that could not be repaired from a second sound copy: {few}."),
        Some("/fixity"),
    );
    facts.missing.iter().fold(seen, |seen, it| seen.told(it.sentence(), Some("/fixity")))
}
