//! Attempts that nobody will settle: the process died, or the worker hangs.

use super::topic::Topic;
use super::{Histories, Queue};
use crate::clock::Timestamp;
use crate::error::Error;
use crate::work::item::{Attempt, Hold, ItemId, State, WorkItem};
use crate::work::tx::Tx;

/// How an attempt was lost.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Loss {
    /// With the whole process. Not the item's fault, unless it happens again and again.
    Died {
        /// Whether nothing else was leased.
        alone: bool,
    },
    /// Its lease ended without a word. It counts.
    Hung,
}

impl Queue {
    /// Puts back, where they stood, the items that an earlier run of the program left leased.
    pub(super) fn recover(&self) -> Result<(), Error> {
        let recovered = self.take_back(
            |hold, _| hold.epoch != self.epoch,
            |lost| Loss::Died { alone: lost == 1 },
        )?;
        self.mark_changed(recovered.into_iter().map(|(id, _)| id));
        Ok(())
    }

    /// Takes back items whose lease ended without a word: their worker hangs. The attempt counts.
    pub fn reap(&self) -> Result<usize, Error> {
        let reaped = self.take_back(|hold, now| hold.expires <= now, |_| Loss::Hung)?;
        if !reaped.is_empty() {
            self.announce(reaped.iter().map(|(id, topic)| (*id, topic.as_str())));
            self.let_others_in();
        }
        Ok(reaped.len())
    }

    fn take_back(
        &self,
        is_lost: impl Fn(&Hold, Timestamp) -> bool,
        loss: impl Fn(usize) -> Loss,
    ) -> Result<Vec<(ItemId, String)>, Error> {
        let now = self.clock.now();
        self.store.commit(|tx| {
            let mut lost = Vec::new();
            for topic in Topic::names(tx)? {
                for (at, id) in Topic::leased(tx, &topic)? {
                    let Some(old) = Queue::standing(tx, &at, id)? else { continue };
                    let State::Leased(hold) = old.state else { continue };
                    if is_lost(&hold, now) {
                        lost.push((old, hold));
                    }
                }
            }
            let loss = loss(lost.len());
            let mut taken = Vec::with_capacity(lost.len());
            for (old, hold) in lost {
                let new = self.take_back_one(tx, &old, hold, loss, now)?;
                taken.push((new.id, new.topic));
            }
            Ok(taken)
        })
    }

    fn take_back_one(
        &self,
        tx: &mut Tx<'_>,
        old: &WorkItem,
        hold: Hold,
        loss: Loss,
        now: Timestamp,
    ) -> Result<WorkItem, Error> {
        let mut new = old.clone();
        new.state = State::Ready { seq: hold.seq };
        let outcome = match loss {
            Loss::Died { alone } => {
                if alone && old.strikes.is_suspect() {
                    new.strikes.alone = new.strikes.alone.saturating_add(1);
                }
                new.strikes.attempts = new.strikes.attempts.saturating_sub(1);
                new.strikes.crashes = new.strikes.crashes.saturating_add(1);
                new.note = "the program stopped while this was under way; it goes on from where \
                            it was"
                    .into();
                if new.strikes.is_suspect() {
                    let deaths = new.strikes.crashes;
                    new.note = format!(
                        "the program stopped {deaths} times while this was under way; it is tried \
                         again while nothing else runs"
                    );
                }
                "stopped"
            }
            Loss::Hung => {
                new.note = "its worker gave no sign of life; another attempt follows".into();
                Topic::update(tx, &old.topic, |topic| topic.retried += 1)?;
                "hung"
            }
        };
        let attempt = Attempt {
            topic: old.topic.clone(),
            started: old.started.unwrap_or(now),
            finished: now,
            outcome: outcome.into(),
            note: new.note.clone(),
            findings: Vec::new(),
        };
        tx.put::<Histories>(&(old.id, old.turns), &attempt)?;
        if let Some(wish) = new.cancel.take() {
            // Nobody is left who would see the wish at a checkpoint.
            new.note = wish.why;
            self.call_off(tx, old, &mut new, wish.cleanup.as_deref(), now)?;
        }
        self.shift(tx, Some(old), &mut new, now)?;
        Ok(new)
    }
}
