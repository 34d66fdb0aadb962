//! Which refusals were written a moment ago: one that comes in floods is counted, not written again.
//!
//! Kept in memory only. What was counted when the program ends is lost; that it happened is not.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::deed::{AuditOutcome, Deed};
use super::note::NewNote;
use crate::clock::Timestamp;

/// How long refusals are counted together.
const WINDOW: Duration = Duration::from_secs(60);
/// Lines of the same failed sign-in within it: each may be a guess. Of other refusals, one is enough.
const EACH: usize = 20;
/// Different refusals that are told apart within it.
const KEYS: usize = 1000;
/// Lines about strangers within it, whatever they did: at 300 bytes each, nine megabytes a day.
const STRANGERS: usize = 20;

/// The same refusal: of whom, from where, of what, to what.
type Key = (Option<i64>, String, Deed, String);

#[derive(Default)]
pub(in crate::registry) struct Quiet {
    told: Mutex<HashMap<Key, Told>>,
}

struct Told {
    since: Timestamp,
    /// Lines that were written for it.
    written: usize,
    /// How often it happened beyond them.
    again: u64,
    note: NewNote,
}

impl Quiet {
    /// What is to be written now: the note itself, unless it was a moment ago, and what was counted
    /// of others whose time is over.
    pub(super) fn due(&self, note: &NewNote, now: Timestamp) -> Vec<NewNote> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let mut due = over(&mut told, now);
        if note.outcome == AuditOutcome::Done {
            due.push(note.clone());
            return due;
        }
        let about = note.about.1.chars().take(200).collect();
        let address = note.address.chars().take(100).collect();
        let key = (note.user_id, address, note.deed, about);
        // A wrong password is of nobody we know, but about somebody we do.
        let is_stranger = |note: &NewNote| note.user_id.is_none() && note.about.1.is_empty();
        let of_strangers = told.values().filter(|it| is_stranger(&it.note));
        let strangers: usize = of_strangers.map(|it| it.written).sum();
        let most = if note.deed == Deed::SignIn { EACH } else { 1 };
        let room = !is_stranger(note) || strangers < STRANGERS;
        let fits = |written: usize| room && written < most;
        if let Some(known) = told.get_mut(&key) {
            if fits(known.written) {
                known.written += 1;
                due.push(note.clone());
            } else {
                known.again += 1;
            }
            return due;
        }
        let written = fits(0);
        // Strangers leave room for those we know.
        if told.len() >= if is_stranger(note) { KEYS } else { 2 * KEYS } {
            // Too many to tell apart: one that is there counts for all of them.
            if let Some(any) = told.values_mut().find(|it| is_stranger(&it.note)) {
                any.again += 1;
            }
            return due;
        }
        let again = u64::from(!written);
        due.extend(written.then(|| note.clone()));
        let note = note.clone();
        told.insert(key, Told { since: now, written: usize::from(written), again, note });
        due
    }
}

/// Takes out what is over, as lines that say how often it happened; what strangers did beyond what
/// is written one by one becomes one line.
fn over(told: &mut HashMap<Key, Told>, now: Timestamp) -> Vec<NewNote> {
    let mut lines = Vec::new();
    let mut beyond: Option<(NewNote, u64)> = None;
    told.retain(|_, it| {
        if now.since(it.since) < WINDOW {
            return true;
        }
        if it.written > 0 && it.again > 0 {
            let times = if it.again == 1 { "time" } else { "times" };
            let detail = format!("{} more {times} within a minute", it.again);
            lines.push(NewNote { detail, ..it.note.clone() });
        } else if it.written == 0 {
            let (_, count) = beyond.get_or_insert_with(|| (it.note.clone(), 0));
            *count += it.again;
        }
        false
    });
    if let Some((note, count)) = beyond {
        let detail = format!("{count} more of strangers within a minute, this one among them");
        lines.push(NewNote { detail, ..note });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::deed::AuditHow;
    use super::*;

    fn knock(address: &str, outcome: AuditOutcome) -> NewNote {
        NewNote {
            user_id: None,
            who: "a stranger".into(),
            how: AuditHow::Unproved,
            token_id: None,
            address: address.into(),
            deed: Deed::SignIn,
            about: (String::new(), String::new()),
            about_user_id: None,
            institution_id: None,
            outcome,
            detail: String::new(),
        }
    }

    #[test]
    fn a_flood_of_the_same_refusal_is_written_a_few_times_a_minute_and_counted() {
        let quiet = Quiet::default();
        let failed = knock("10.0.0.1", AuditOutcome::Failed);
        let known = NewNote { about: ("user".into(), "ann@example.edu".into()), ..failed.clone() };
        let lines =
            |at| quiet.due(&known, Timestamp(at)).len() + quiet.due(&failed, Timestamp(at)).len();
        assert_eq!((0..50).map(|at| lines(at * 1000)).sum::<usize>(), EACH + STRANGERS);
        assert_eq!(quiet.due(&knock("10.0.0.2", AuditOutcome::Failed), Timestamp(50_000)), []);
        let due = quiet.due(&known, Timestamp(60_000));
        assert_eq!(due.len(), 3, "what was counted of both, and the new one: {due:?}");
        assert!(due.iter().filter(|it| it.detail == "30 more times within a minute").count() == 2);
        let done = knock("10.0.0.1", AuditOutcome::Done);
        for _ in 0..3 {
            assert_eq!(
                quiet.due(&done, Timestamp(61_000)),
                std::slice::from_ref(&done),
                "deeds are all told"
            );
        }
    }

    #[test]
    fn a_crowd_of_strangers_costs_a_few_lines_a_minute_and_bounded_memory() {
        let quiet = Quiet::default();
        let mut lines = 0;
        for number in 0..5000_u32 {
            let note =
                knock(&format!("10.0.{}.{}", number / 256, number % 256), AuditOutcome::Refused);
            lines += quiet.due(&note, Timestamp(1000)).len();
        }
        assert_eq!(lines, STRANGERS);
        assert!(quiet.told.lock().unwrap().len() <= KEYS);
        let due = quiet.due(&knock("::1", AuditOutcome::Refused), Timestamp(120_000));
        assert!(due.len() <= STRANGERS + 2, "{}", due.len());
        let counted: u64 =
            due.iter().filter_map(|it| it.detail.split(' ').next()?.parse::<u64>().ok()).sum();
        assert_eq!(counted + lines as u64, 5000, "none is lost");
    }
}
