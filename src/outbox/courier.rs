//! Results on their way to whoever waits for them.
//!
//! Several calls are made at once, each on a thread of its own, so that a receiver which hangs on one
//! result holds up that result only. There is one call at a time for one target: an older result must
//! not arrive behind a newer one. Letters go one by one. Receivers that are away one after the other
//! end a go; the first attempts follow one another within seconds, so a thread waits for the next of
//! them.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nutrients::ReceiverSchema;
use storage::registry::{DeliveryChannel, DeliveryRow, Error};

use super::Trouble;
use super::callback::Callback;
use super::patience::{again, again_soon};
use super::sending::{Outbox, Sent, source};
use crate::config::Config;

/// Due rows that are looked at for one that nobody is on.
const BATCH: u32 = 200;
/// Waits of one thread for what is due soon.
const WAITS: u32 = 5;
/// How long each may be: the first attempts are seconds apart.
const SOON: Duration = Duration::from_secs(5);
/// Attempts that in sequence found nobody before the rest waits for the next go.
const AWAY_MAX: u32 = 3;
/// Calls that are made at once.
const CALLS: usize = 8;

/// Who carries results.
pub(super) struct Courier {
    callback: Option<Callback>,
    lanes: [Mutex<Lane>; 2],
}

/// What is under way on a channel.
#[derive(Default)]
struct Lane {
    threads: usize,
    /// The targets that are told something at this moment.
    targets: BTreeSet<String>,
    /// Attempts since the last one that found somebody.
    away: u32,
}

impl Courier {
    pub(super) fn of(config: &Config) -> Courier {
        let asked = &config.assess;
        let callback = asked.callback_url.clone().map(|base| Callback {
            base,
            key: source(config, &asked.callback_key),
            patience: asked.callback_timeout,
            schema: ReceiverSchema::named(asked.callback_schema).unwrap_or(ReceiverSchema::V4),
        });
        Courier { callback, lanes: Default::default() }
    }

    fn lane(&self, channel: DeliveryChannel) -> MutexGuard<'_, Lane> {
        let lane = match channel {
            DeliveryChannel::Callback => &self.lanes[0],
            DeliveryChannel::Email => &self.lanes[1],
        };
        lane.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place for a thread; none where there are as many as there may be.
    fn place(&self, channel: DeliveryChannel) -> Option<Place<'_>> {
        let most = match channel {
            DeliveryChannel::Callback => CALLS,
            DeliveryChannel::Email => 1,
        };
        let mut lane = self.lane(channel);
        if lane.threads >= most {
            return None;
        }
        if lane.threads == 0 {
            lane.away = 0;
        }
        lane.threads += 1;
        Some(Place { courier: self, channel })
    }
}

/// A thread's place on a channel; given back also by a panic, or nothing would ever be sent again.
struct Place<'a> {
    courier: &'a Courier,
    channel: DeliveryChannel,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.courier.lane(self.channel).threads -= 1;
    }
}

/// A delivery that nobody else is on, nor on another of its target.
struct Claimed<'a> {
    courier: &'a Courier,
    row: DeliveryRow,
}

impl Drop for Claimed<'_> {
    fn drop(&mut self) {
        self.courier.lane(self.row.channel).targets.remove(&self.row.target);
    }
}

impl Outbox {
    /// Whether programs that asked are called back.
    pub fn calls_back(&self) -> bool {
        self.courier.callback.is_some()
    }

    /// Sends the results that are due on threads of their own. What somebody is on is left alone.
    pub fn deliver_aside(self: &Arc<Outbox>) -> io::Result<()> {
        for channel in DeliveryChannel::ALL {
            // A registry that cannot be read says so elsewhere, and is asked again in seconds.
            for _ in 0..self.threads_for(channel).unwrap_or_default() {
                let outbox = Arc::clone(self);
                let thread = std::thread::Builder::new().name("courier".into());
                thread.spawn(move || {
                    if let Some(_place) = outbox.courier.place(channel) {
                        outbox.go(channel);
                    }
                })?;
            }
        }
        Ok(())
    }

    /// Sends the results that are due, and waits for it.
    pub fn deliver_due(&self) -> Sent {
        let mut all = Sent::default();
        for channel in DeliveryChannel::ALL {
            let threads = self.threads_for(channel).unwrap_or_default();
            let sent = std::thread::scope(|scope| {
                let send = || {
                    let mut sent = Sent::default();
                    if let Some(_place) = self.courier.place(channel) {
                        self.note_unreadable(self.carry_due(channel, &mut sent));
                    }
                    sent
                };
                let threads: Vec<_> = (0..threads).map(|_| scope.spawn(send)).collect();
                threads.into_iter().map(|it| it.join().unwrap_or_default()).collect::<Vec<_>>()
            });
            for sent in sent {
                all.sent += sent.sent;
                all.failed += sent.failed;
                all.given_up += sent.given_up;
            }
        }
        all
    }

    /// How many threads have something to do on a channel: one for each target that nobody is on.
    fn threads_for(&self, channel: DeliveryChannel) -> Result<usize, Error> {
        let rows = self.registry.due_deliveries(channel, self.clock.now(), BATCH)?;
        let lane = self.courier.lane(channel);
        let open: BTreeSet<_> = rows.iter().map(|row| &row.target).collect();
        let open = open.into_iter().filter(|target| !lane.targets.contains(*target)).count();
        Ok(match channel {
            DeliveryChannel::Callback => open.min(CALLS.saturating_sub(lane.threads)),
            DeliveryChannel::Email => open.min(1_usize.saturating_sub(lane.threads)),
        })
    }

    /// Sends what is due, and what is due soon.
    fn go(&self, channel: DeliveryChannel) {
        for _ in 0..WAITS {
            if !self.note_unreadable(self.carry_due(channel, &mut Sent::default())) {
                return;
            }
            let now = self.clock.now();
            let next = self.registry.next_delivery(channel).ok().flatten();
            let Some(wait) = next.map(|due| due.since(now)).filter(|wait| *wait <= SOON) else {
                return;
            };
            if wait.is_zero() && self.courier.lane(channel).away >= AWAY_MAX {
                return;
            }
            std::thread::park_timeout(wait.max(Duration::from_millis(10)));
            if !wait.is_zero() {
                // What was tried before is due again: it has waited long enough.
                self.courier.lane(channel).away = 0;
            }
        }
    }

    /// Sends one after the other what nobody else is on.
    fn carry_due(&self, channel: DeliveryChannel, sent: &mut Sent) -> Result<(), Error> {
        while let Some(claimed) = self.claim(channel)? {
            let row = &claimed.row;
            let carried = self.carry(row);
            {
                let mut lane = self.courier.lane(channel);
                let is_away = matches!(carried, Err(Trouble::Way(_)));
                lane.away = if is_away { lane.away.saturating_add(1) } else { 0 };
            }
            match carried {
                Ok(()) => {
                    self.registry.delivery_sent(row.id, self.clock.now())?;
                    sent.sent += 1;
                }
                Err(trouble) => self.note_trouble(row, &trouble, sent)?,
            }
        }
        Ok(())
    }

    /// The longest due delivery that nobody is on; none when there is none, or everybody is away.
    fn claim(&self, channel: DeliveryChannel) -> Result<Option<Claimed<'_>>, Error> {
        // Read while it is held: whoever was on a row has noted what became of it before it lets go.
        let mut lane = self.courier.lane(channel);
        if lane.away >= AWAY_MAX {
            return Ok(None);
        }
        let rows = self.registry.due_deliveries(channel, self.clock.now(), BATCH)?;
        let free = rows.into_iter().find(|row| !lane.targets.contains(&row.target));
        Ok(free.map(|row| {
            lane.targets.insert(row.target.clone());
            Claimed { courier: &self.courier, row }
        }))
    }

    /// Says in the log that the registry did not answer; whether it did.
    fn note_unreadable(&self, walked: Result<(), Error>) -> bool {
        if let Err(error) = &walked {
            tracing::warn!(error = %error, "results to be sent cannot be read or noted");
        }
        walked.is_ok()
    }

    fn carry(&self, row: &DeliveryRow) -> Result<(), Trouble> {
        match (row.channel, &self.courier.callback) {
            (DeliveryChannel::Email, _) => self.mail_result(row),
            (DeliveryChannel::Callback, Some(callback)) => callback.call(row),
            (DeliveryChannel::Callback, None) => {
                Err(Trouble::Way("no address for callbacks is configured".into()))
            }
        }
    }

    fn note_trouble(
        &self,
        row: &DeliveryRow,
        trouble: &Trouble,
        sent: &mut Sent,
    ) -> Result<(), Error> {
        let (now, failed) = (self.clock.now(), row.attempts.saturating_add(1));
        let next = match (trouble, row.channel) {
            // The receiver of a call has said that it never will.
            (Trouble::Parcel(_), DeliveryChannel::Callback) => None,
            (Trouble::Way(_), DeliveryChannel::Callback) => again_soon(failed, row.created_at, now),
            (Trouble::Way(_) | Trouble::Parcel(_), DeliveryChannel::Email) => {
                again(failed, row.created_at, now)
            }
        };
        let why = trouble.sentence();
        match next {
            Some(_) => sent.failed += 1,
            None => sent.given_up += 1,
        }
        tracing::warn!(
            delivery = row.id,
            assessment = row.assessment_id,
            again = next.is_some(),
            why,
            "a result was not delivered"
        );
        self.registry.delivery_failed(row.id, why, next, now)
    }
}
