//! The replicas as pages tell them. Nobody is asked for it: what was last heard is shown.

use ocfl::Class;
use storage::clock::Timestamp;
use web::{Badge, Notice, ReplicaRow, Tone, counted};

use super::Visit;
use crate::vaults::{ReplicaStanding, Standing};

/// One row each, in the order of the configuration.
pub(super) fn rows(visit: &Visit) -> Vec<ReplicaRow> {
    visit.vaults.standings().into_iter().map(row).collect()
}

fn row(replica: ReplicaStanding) -> ReplicaRow {
    let (word, sentence) = match replica.standing {
        Standing::Unused => ("unused", String::new()),
        Standing::Unknown => ("unknown", String::new()),
        Standing::There => ("there", String::new()),
        Standing::Away(why) => ("away", why),
        Standing::Full(why) => ("full", why),
        Standing::Unusable(why) => ("unusable", why),
    };
    let state = badge(word);
    ReplicaRow {
        name: replica.name,
        place: replica.place,
        class: match replica.class {
            Class::Hot => "hot".into(),
            Class::Cold => "cold".into(),
        },
        since: replica.since.filter(|_| state.tone == Tone::Bad).map(|since| since.to_string()),
        state,
        sentence,
        room: replica.room,
        waiting: replica.waiting,
    }
}

/// How a replica is, by the desk's word for it; the one place that gives it a tone.
pub(super) fn badge(standing: &str) -> Badge {
    let (label, tone) = match standing {
        "unused" => ("Not used yet", Tone::Calm),
        "unknown" => ("Not asked yet", Tone::Calm),
        "there" => ("There", Tone::Good),
        "away" => ("Away", Tone::Bad),
        "full" => ("Full", Tone::Bad),
        _ => ("Not usable", Tone::Bad),
    };
    Badge::new(label, tone)
}

/// What is wrong with replicas that cannot be used, a sentence each.
pub(super) fn wrong(visit: &Visit) -> Vec<String> {
    let standings = visit.vaults.standings().into_iter();
    let sentence = |replica: ReplicaStanding| {
        let what = match replica.standing {
            Standing::Away(_) => "is away",
            Standing::Full(_) => "is full",
            Standing::Unusable(_) => "cannot be used",
            Standing::Unused | Standing::Unknown | Standing::There => return None,
        };
        Some(format!("Replica {} {what}.", replica.name))
    };
    standings.filter_map(sentence).collect()
}

/// What everyone should know of replicas that cannot be used.
pub(super) fn notices(visit: &Visit) -> Vec<Notice> {
    visit.vaults.standings().iter().filter_map(notice).collect()
}

fn notice(replica: &ReplicaStanding) -> Option<Notice> {
    let (what, next) = match &replica.standing {
        Standing::Away(_) => {
            ("is away", "Mount its disk or restore the connection; work goes on by itself.")
        }
        Standing::Full(_) => ("is full", "Make room there; work goes on by itself."),
        Standing::Unusable(_) => ("cannot be used", "Look at the overview for why."),
        Standing::Unused | Standing::Unknown | Standing::There => return None,
    };
    let since = replica
        .since
        .map(Timestamp::to_minute)
        .map(|at| format!(" since {at}"))
        .unwrap_or_default();
    let waiting = match replica.waiting {
        0 => String::new(),
        1 => ": 1 item waits for it".to_owned(),
        many => format!(": {} wait for it", counted(many, "item")),
    };
    let name = &replica.name;
    Some(Notice::new(Tone::Warn, format!("Replica {name} {what}{since}{waiting}. {next}")))
}
