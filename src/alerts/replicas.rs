//! What replicas tell: that they are away, that they fill up, that their checks are late.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{MissingCopies, NewAlert, StaleCheck};

use super::kind::Kind;
use super::raise::{line, sentence};
use crate::ledger::Alarm;

const DAY: u64 = 86_400;

/// A replica does not answer, or answers and cannot be used; `why` says it.
pub fn replica_away(name: &str, place: &str, since: Timestamp, why: &str) -> NewAlert {
    let place = if place.is_empty() { String::new() } else { format!(" ({})", line(place)) };
    let content = format!(
        "Replica {name}{place} cannot be used since {}.\n{}\n\nWhat is kept in the other replicas \
         is there. Work that needs this one waits and is not lost; until it is back, nothing new \
         is preserved in it.\n\nMount its disk or restore the connection; work goes on by itself.",
        since.to_minute(),
        sentence(why),
    );
    about(Kind::ReplicaAway, name, since, format!("Replica {name} is away"), content)
}

/// The disk of a replica has little room left.
pub fn replica_nearly_full(name: &str, (free, total): (u64, u64), now: Timestamp) -> NewAlert {
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1_u32 << 30));
    let percent = free.saturating_mul(100) / total.max(1);
    let content = format!(
        "The disk of replica {name} has {} of {} free, {percent} %.\n\nEverything that is kept is \
         safe. When the disk is full, deposits wait until there is room.\n\nMake room there, or \
         move the replica to a larger disk and change its url.",
        gib(free),
        gib(total),
    );
    let subject = format!("Replica {name} is nearly full: {percent} % free");
    about(Kind::ReplicaNearlyFull, name, now, subject, content)
}

/// A copy in a replica was not looked at for longer than promised.
pub fn fixity_overdue(check: &StaleCheck, every: Duration, now: Timestamp) -> NewAlert {
    let StaleCheck { replica, checked_at } = check;
    let days = |span: Duration| span.as_secs() / DAY;
    let content = format!(
        "The copy in replica {replica} that was checked longest ago was checked {} days ago, on \
         {}; every copy should be checked every {} days.\n\nNothing is known to be wrong. The \
         checks go on with the oldest first.\n\nLook whether the replica is away or the checks are \
         paused, and at how much is checked in a run; give them more time if the holdings grew.",
        days(now.since(*checked_at)),
        checked_at.to_minute(),
        days(every),
    );
    let subject = format!("Fixity checks of replica {replica} are overdue");
    about(Kind::FixityOverdue, replica, now, subject, content)
}

/// A replica lacks copies that a storage option asks for.
pub fn copies_missing(missing: &MissingCopies) -> NewAlert {
    let MissingCopies { replica, object_count, since, .. } = missing;
    let content = format!(
        "{}\n\nWhat is kept in the other replicas is there. Until the last copy is made, these objects \
         have fewer copies than their storage option asks for. You need not wait for it: deposits of \
         these objects are preserved in every replica.\n\nWhat only cold replicas hold is not copied, \
         because cold storage is not read for that: take the new replica out of the storage option of \
         such objects. Their deposits wait in *Needs a person* until then.\n\nLook at the page Fixity \
         for what is left. If the number does not go down, see whether the replica is away, and whether \
         items of Fixity Check need a person.",
        missing.sentence()
    );
    let objects = if *object_count == 1 { "object" } else { "objects" };
    let subject = format!("Copies missing in replica {replica}: {object_count} {objects}");
    let alert = about(Kind::CopiesMissing, replica, *since, subject, content);
    NewAlert { page: Some("/fixity".into()), ..alert }
}

/// A page of the journal is not what was written.
pub fn journal_altered(alarm: &Alarm) -> NewAlert {
    let place = match (&alarm.replica, &alarm.kept) {
        (Some(_), Some(kept)) => format!(
            "The page was not copied to any other replica. It is kept in its replica as {}; a good copy \
             of it, if there is one, is in its place. The registry has everything that the journal is \
             about.",
            line(kept)
        ),
        _ => "No page was removed.".to_owned(),
    };
    let content = format!(
        "{}\n\n{place}\n\nFind out who can write \
         to the replicas besides Strongroom, and look at what was changed. Until that is known, do not \
         rebuild the registry without a person comparing the result.",
        sentence(&alarm.what),
    );
    let replica = alarm.replica.as_deref().unwrap_or("all");
    NewAlert {
        name: format!("{}/{replica}/{}", Kind::JournalAltered.word(), alarm.mark),
        kind: Kind::JournalAltered.word().into(),
        institution_id: None,
        subject: match &alarm.replica {
            Some(replica) => format!("The journal in replica {replica} was altered"),
            None => "The journal in the replicas does not agree with the registry".into(),
        },
        content,
        page: Some("/".into()),
        ..NewAlert::default()
    }
}

fn about(
    kind: Kind,
    replica: &str,
    moment: Timestamp,
    subject: String,
    content: String,
) -> NewAlert {
    NewAlert {
        name: format!("{}/{replica}/{moment}", kind.word()),
        kind: kind.word().into(),
        institution_id: None,
        subject,
        content,
        page: Some("/".into()),
        ..NewAlert::default()
    }
}
