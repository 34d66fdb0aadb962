//! Control: who may do what.

use super::facts::Facts;
use super::requirement::{Cost, Requirement, Seen, declared, live};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    live("control-decided", 1, "It is decided who may read, write, move and delete", decided),
    live("control-applied", 2, "Who may do so is written down, and applied", applied),
    live("control-logged", 3, "It is logged who did what", logged),
    declared(
        "control-reviewed",
        4,
        "The logs are reviewed from time to time",
        "Say who looked through the events and the log, when, and what was found.",
    )
    .every_year(),
];

fn decided(facts: &Facts) -> Seen {
    let next = "Open the link that the first start prints, or run: strongroom user add.";
    let sentence = format!("Administrators of the house: {}.", facts.admin_count);
    Seen::new(facts.admin_count > 0, Cost::Minutes, next).told(sentence, None)
}

fn applied(facts: &Facts) -> Seen {
    let next = "Give every institution that holds something a user: strongroom user add.";
    let holds = facts.person_count > 0 && facts.unmanned.is_empty();
    let seen = Seen::new(holds, Cost::Minutes, next).told(
        format!("People with a role: {}; pages, API and commands ask for it.", facts.person_count),
        None,
    );
    match facts.unmanned.len() {
        0 => seen,
        _ => {
            let some: Vec<&str> = facts.unmanned.iter().take(5).map(String::as_str).collect();
            let sentence = format!("Without a user: {}.", some.join(", "));
            seen.told(sentence, None)
        }
    }
}

fn logged(facts: &Facts) -> Seen {
    let Some(at) = facts.last_event.filter(|_| !facts.holds_nothing()) else {
        return Seen::nothing_held();
    };
    Seen::new(true, Cost::Work, "").told(
        format!("Every event names its agent; the last ingest is of {}.", at.to_minute()),
        Some("/events"),
    )
}
