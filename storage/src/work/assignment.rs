//! Work that is given to researchers: pairs of one episode and some clips, under a lease.
//!
//! Promise: an assignment, its lease and the lease's keys are made, changed and ended in one
//! transaction each. So no pair is out twice at a time, no lease is left without its work, and a
//! holder that comes late disturbs nobody: what is not theirs is not touched.
//!
//! An assignment is first *offered*. An offer that nobody takes lapses before its lease could, and
//! takes the lease with it: its pairs are free at once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use byteio::first_version;
use serde::{Deserialize, Serialize};

use super::engine::TreeId;
use super::key::{Key, Tail};
use super::lease::{KeyLease, LeaseKeyTree, LeaseTree, grant, remove};
use super::store::Store;
use super::tx::{Range, Schema, Tx};
use crate::clock::{Clock, Timestamp};
use crate::error::Error;

/// The space of the leases that stand behind assignments.
pub const SPACE: &str = "research";
/// Most clips of one assignment.
pub const CLIPS_MAX: usize = 1000;
/// Longest name of a researcher, in bytes.
pub const RESEARCHER_MAX: usize = 128;
/// Who holds what nobody has taken yet.
const NOBODY: &str = "";

/// Pairs of one episode and some clips, given out together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assignment {
    /// The name of its lease.
    pub id: String,
    /// The episode that is searched.
    pub episode: u32,
    /// What is looked for in it.
    pub clips: Vec<u32>,
    /// Those of them that nothing was heard of yet.
    pub left: Vec<u32>,
    /// The least version of the analyst that is asked for.
    pub analyst: u32,
    /// When it was made.
    pub made: Timestamp,
    /// Until when it may be taken.
    pub offered_until: Timestamp,
    /// Who has taken it.
    pub taken: Option<Taken>,
    /// When its lease ends.
    pub expires: Timestamp,
    /// How often its lease was extended.
    pub renewals: u32,
}
first_version!(Assignment);

/// Who has an assignment, since when.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// The researcher.
    pub by: String,
    /// When.
    pub at: Timestamp,
}

impl Assignment {
    /// Whether its pairs are free again.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.expires <= now || (self.taken.is_none() && self.offered_until <= now)
    }

    /// Whether it is in these hands.
    pub fn is_held_by(&self, researcher: &str) -> bool {
        self.taken.as_ref().is_some_and(|taken| taken.by == researcher)
    }

    fn keys(&self) -> Vec<Vec<u8>> {
        self.clips.iter().map(|clip| pair(self.episode, *clip)).collect()
    }

    /// The lease that stands behind it.
    pub(super) fn lease(&self) -> KeyLease {
        KeyLease {
            id: self.id.clone(),
            space: SPACE.into(),
            holder: self.taken.as_ref().map_or(NOBODY, |taken| &taken.by).into(),
            keys: self.keys(),
            created: self.made,
            expires: self.expires,
            renewals: self.renewals,
        }
    }
}

/// The key of a pair.
fn pair(episode: u32, clip: u32) -> Vec<u8> {
    (episode, clip).bytes()
}

/// What is to be offered.
#[derive(Clone, Debug)]
pub struct NewAssignment {
    /// A name that no lease ever had.
    pub id: String,
    /// The episode.
    pub episode: u32,
    /// The clips, in the order they are to be looked for.
    pub clips: Vec<u32>,
    /// The least version of the analyst.
    pub analyst: u32,
    /// Who takes it at once; everybody may when absent.
    pub taken_by: Option<String>,
}

/// How long an offer stands, and its lease.
#[derive(Clone, Copy, Debug)]
pub struct Spans {
    /// The lease.
    pub lease: Duration,
    /// The offer: shorter.
    pub offer: Duration,
}

/// What became of an assignment with a sign of life.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It is held, until later than before.
    Extended(Assignment),
    /// It has ended with this.
    Ended(Assignment),
    /// It is unknown, over, or somebody else's: nothing was touched.
    NotTheirs,
}

/// Name to assignment.
pub enum AssignmentTree {}
impl Schema for AssignmentTree {
    const TREE: TreeId = TreeId::Assignment;
    type Key = String;
    type Value = Assignment;
}

/// All assignments.
#[derive(Clone)]
pub struct Assignments {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
}

impl Assignments {
    /// The assignments kept in `store`.
    pub fn new(store: Arc<Store>, clock: Arc<dyn Clock>) -> Assignments {
        Assignments { store, clock }
    }

    /// Offers pairs, with their lease, all or none, or gives them to somebody at once. What is over and stood in the way has ended in
    /// the same transaction, and is given back with it. Durable when it returns.
    ///
    /// # Errors
    ///
    /// `Overlap` when one of the pairs is out; `Malformed` for no clips, too many, or a taken name.
    pub fn offer(
        &self,
        new: NewAssignment,
        spans: Spans,
    ) -> Result<(Assignment, Vec<Assignment>), Error> {
        let problem = match new.clips.len() {
            0 => Some("must have a clip".to_owned()),
            count if count > CLIPS_MAX => Some(format!("must have at most {CLIPS_MAX} clips")),
            _ if spans.offer >= spans.lease => Some("must lapse before its lease".to_owned()),
            _ => None,
        };
        if let Some(problem) = problem {
            return Err(Error::Malformed { what: "an offer", problem });
        }
        new.taken_by.as_deref().map_or(Ok(()), check_researcher)?;
        let now = self.clock.now();
        let offered = Assignment {
            id: new.id,
            episode: new.episode,
            left: new.clips.clone(),
            clips: new.clips,
            analyst: new.analyst,
            made: now,
            offered_until: now.after(spans.offer),
            taken: new.taken_by.map(|by| Taken { by, at: now }),
            expires: now.after(spans.lease),
            renewals: 0,
        };
        self.store.commit(|tx| {
            let lapsed = clear_way(tx, &offered, now)?;
            grant(tx, &offered.lease())?;
            tx.put::<AssignmentTree>(&offered.id, &offered)?;
            Ok((offered, lapsed))
        })
    }

    /// Gives an offer to a researcher, with a lease of `hold` from now; `None` when it is not on
    /// offer any more.
    pub fn take(&self, id: &str, by: &str, hold: Duration) -> Result<Option<Assignment>, Error> {
        check_researcher(by)?;
        let now = self.clock.now();
        self.store.commit(|tx| {
            let found = tx.get::<AssignmentTree>(&id.to_owned())?;
            let Some(mut it) = found.filter(|it| it.taken.is_none() && !it.is_over(now)) else {
                return Ok(None);
            };
            it.taken = Some(Taken { by: by.to_owned(), at: now });
            it.expires = it.expires.max(now.after(hold));
            put(tx, &it)?;
            Ok(Some(it))
        })
    }

    /// Notes that a clip was heard of, by whoever holds the assignment: extends it, or ends it when
    /// that was `last` or nothing is left.
    pub fn progress(
        &self,
        id: &str,
        by: &str,
        (clip, last): (u32, bool),
        hold: Duration,
    ) -> Result<Standing, Error> {
        self.held(id, by, true, |tx, it, now| {
            it.left.retain(|left| *left != clip);
            if last || it.left.is_empty() {
                end(tx, it);
                return Ok(Standing::Ended(it.clone()));
            }
            extend(tx, it, now.after(hold)).map(|()| Standing::Extended(it.clone()))
        })
    }

    /// Extends an assignment by a sign of life. Not synced: what a crash forgets, the next one says.
    pub fn beat(&self, id: &str, by: &str, hold: Duration) -> Result<Standing, Error> {
        self.held(id, by, false, |tx, it, now| {
            extend(tx, it, now.after(hold)).map(|()| Standing::Extended(it.clone()))
        })
    }

    /// Ends an assignment for whoever holds it: what is left is free.
    pub fn finish(&self, id: &str, by: &str) -> Result<Standing, Error> {
        self.held(id, by, true, |tx, it, _| {
            end(tx, it);
            Ok(Standing::Ended(it.clone()))
        })
    }

    fn held(
        &self,
        id: &str,
        by: &str,
        durable: bool,
        change: impl FnOnce(&mut Tx<'_>, &mut Assignment, Timestamp) -> Result<Standing, Error>,
    ) -> Result<Standing, Error> {
        let now = self.clock.now();
        let within = |tx: &mut Tx<'_>| {
            let found = tx.get::<AssignmentTree>(&id.to_owned())?;
            match found.filter(|it| it.is_held_by(by) && !it.is_over(now)) {
                Some(mut it) => change(tx, &mut it, now),
                None => Ok(Standing::NotTheirs),
            }
        };
        if durable { self.store.commit(within) } else { self.store.commit_soon(within) }
    }

    /// Ends an assignment whoever holds it; `None` when it is not there.
    pub fn revoke(&self, id: &str) -> Result<Option<Assignment>, Error> {
        self.store.commit(|tx| {
            let found = tx.get::<AssignmentTree>(&id.to_owned())?;
            if let Some(it) = &found {
                end(tx, it);
            }
            Ok(found)
        })
    }

    /// Ends what is over, `limit` at most, and gives it back.
    pub fn lapse(&self, limit: usize) -> Result<Vec<Assignment>, Error> {
        let now = self.clock.now();
        let mut over = self.list(usize::MAX)?;
        over.retain(|it| it.is_over(now));
        over.truncate(limit);
        if over.is_empty() {
            return Ok(over);
        }
        self.store.commit(|tx| {
            let mut ended = Vec::new();
            for it in over {
                // Extended since it was listed? Then it lives.
                if let Some(it) = tx.get::<AssignmentTree>(&it.id)?.filter(|it| it.is_over(now)) {
                    end(tx, &it);
                    ended.push(it);
                }
            }
            Ok(ended)
        })
    }

    /// One assignment, live or over.
    pub fn get(&self, id: &str) -> Result<Option<Assignment>, Error> {
        self.store.get::<AssignmentTree>(&id.to_owned())
    }

    /// Assignments by name, live or over.
    pub fn list(&self, limit: usize) -> Result<Vec<Assignment>, Error> {
        let found = self.store.scan::<AssignmentTree>(Range::all(), limit)?;
        Ok(found.into_iter().map(|(_, it)| it).collect())
    }
}

/// Whether a researcher may be called that.
pub fn check_researcher(name: &str) -> Result<(), Error> {
    let fits = !name.is_empty() && name.len() <= RESEARCHER_MAX && name.trim() == name;
    if fits && !name.chars().any(char::is_control) {
        return Ok(());
    }
    let problem = format!("must be 1 to {RESEARCHER_MAX} bytes of one line of text");
    Err(Error::Malformed { what: "the researcher's name", problem })
}

/// Ends what holds one of the pairs and is over.
fn clear_way(tx: &mut Tx<'_>, new: &Assignment, now: Timestamp) -> Result<Vec<Assignment>, Error> {
    let mut holders = BTreeSet::new();
    for key in new.keys() {
        holders.extend(tx.get::<LeaseKeyTree>(&(SPACE.to_owned(), Tail(key)))?);
    }
    let mut lapsed = Vec::new();
    for id in holders {
        if let Some(it) = tx.get::<AssignmentTree>(&id)?.filter(|it| it.is_over(now)) {
            end(tx, &it);
            lapsed.push(it);
        }
    }
    Ok(lapsed)
}

fn extend(tx: &mut Tx<'_>, it: &mut Assignment, until: Timestamp) -> Result<(), Error> {
    it.expires = it.expires.max(until);
    it.renewals = it.renewals.saturating_add(1);
    put(tx, it)
}

fn put(tx: &mut Tx<'_>, it: &Assignment) -> Result<(), Error> {
    tx.put::<LeaseTree>(&(SPACE.to_owned(), it.id.clone()), &it.lease())?;
    tx.put::<AssignmentTree>(&it.id, it)
}

fn end(tx: &mut Tx<'_>, it: &Assignment) {
    remove(tx, &it.lease());
    tx.remove::<AssignmentTree>(&it.id);
}
