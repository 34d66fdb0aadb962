//! Results on their way to whoever waits for them.
//!
//! One thread for each channel while something is due there. A receiver that is away ends a round; the
//! first attempts follow one another within seconds, so a round waits for the next of them.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use storage::registry::{DeliveryChannel, DeliveryRow, Error};

use super::Trouble;
use super::callback::Callback;
use super::patience::{again, again_soon};
use super::sending::{Free, Outbox, Sent, source};
use crate::config::Config;

/// Rows sent in one round.
const BATCH: u32 = 200;
/// Rounds of one go; the first attempts are seconds apart.
const ROUNDS: u32 = 5;
/// How long a round is waited for at most.
const SOON: Duration = Duration::from_secs(5);
/// Receivers that are away in one round before the rest waits too.
const AWAY_MAX: u32 = 3;

/// Who carries results.
pub(super) struct Courier {
    callback: Option<Callback>,
    busy: [AtomicBool; 2],
}

impl Courier {
    pub(super) fn of(config: &Config) -> Courier {
        let asked = &config.assess;
        let callback = asked.callback_url.clone().map(|base| Callback {
            base,
            key: source(config, &asked.callback_key),
            patience: asked.callback_timeout,
        });
        Courier { callback, busy: Default::default() }
    }

    fn busy(&self, channel: DeliveryChannel) -> &AtomicBool {
        match channel {
            DeliveryChannel::Callback => &self.busy[0],
            DeliveryChannel::Email => &self.busy[1],
        }
    }
}

impl Outbox {
    /// Whether programs that asked are called back.
    pub fn calls_back(&self) -> bool {
        self.courier.callback.is_some()
    }

    /// Sends the results that are due, each channel on a thread of its own; one that somebody is on
    /// is left alone.
    pub fn deliver_aside(self: &Arc<Outbox>) -> io::Result<()> {
        for channel in DeliveryChannel::ALL {
            // A registry that cannot be read says so elsewhere, and is asked again in seconds.
            let now = self.clock.now();
            let next = self.registry.next_delivery(channel).ok().flatten();
            let busy = self.courier.busy(channel);
            if next.is_none_or(|due| due > now) || busy.swap(true, Ordering::SeqCst) {
                continue;
            }
            let outbox = Arc::clone(self);
            let thread = std::thread::Builder::new().name("courier".into());
            let begun = thread.spawn(move || {
                let _free = Free(outbox.courier.busy(channel));
                outbox.go(channel);
            });
            if let Err(error) = begun {
                busy.store(false, Ordering::SeqCst);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Sends the results that are due, and waits for it.
    pub fn deliver_due(&self) -> Sent {
        let mut all = Sent::default();
        for channel in DeliveryChannel::ALL {
            if self.courier.busy(channel).swap(true, Ordering::SeqCst) {
                continue;
            }
            let _free = Free(self.courier.busy(channel));
            if let Err(error) = self.round(channel, &mut all) {
                tracing::warn!(error = %error, "results to be sent cannot be read or noted");
            }
        }
        all
    }

    /// Round after round while the next is soon.
    fn go(&self, channel: DeliveryChannel) {
        for _ in 0..ROUNDS {
            if let Err(error) = self.round(channel, &mut Sent::default()) {
                tracing::warn!(error = %error, "results to be sent cannot be read or noted");
                return;
            }
            let now = self.clock.now();
            let next = self.registry.next_delivery(channel).ok().flatten();
            match next.map(|due| due.since(now)).filter(|wait| *wait <= SOON) {
                Some(wait) => std::thread::park_timeout(wait.max(Duration::from_millis(10))),
                None => return,
            }
        }
    }

    fn round(&self, channel: DeliveryChannel, sent: &mut Sent) -> Result<(), Error> {
        let mut away = 0;
        for row in self.registry.due_deliveries(channel, self.clock.now(), BATCH)? {
            let Err(trouble) = self.carry(&row) else {
                self.registry.delivery_sent(row.id, self.clock.now())?;
                sent.sent += 1;
                continue;
            };
            self.note_trouble(&row, &trouble, sent)?;
            if let Trouble::Way(_) = trouble {
                away += 1;
            }
            if away >= AWAY_MAX {
                return Ok(());
            }
        }
        Ok(())
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
