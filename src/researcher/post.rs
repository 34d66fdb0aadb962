//! Results on their way out, and signs of life between them: one thread that does nothing else, so
//! that no search waits for the other side.
//!
//! Promises: a result that was found is kept until the other side has taken it or refused it,
//! however often the way there breaks; the last one is marked as the last; whoever searches learns
//! within moments that the lease is gone. Where the way is dear, results gather for a while and go
//! together: what a crash takes of them is searched again. Hazard: when a person asks to stop while the other side is
//! away, results wait for it a little longer and are then counted as lost; they are searched again.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use storage::clock::Clock;

use super::office::{Gather, Office, OfficeError, Watch, Wish};
use crate::research::{LeaseNow, Report, Work};

/// Shortest and longest time between two signs of life.
const BEAT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// First and longest wait before another try.
const AGAIN: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(15));
/// How long an office that is away is waited for when a person asks to stop.
const GRACE: Duration = Duration::from_secs(10);
/// How often a wish is asked for while waiting.
const LOOK: Duration = Duration::from_millis(100);

/// What became of the results of one piece of work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivered {
    /// Taken by the office.
    pub taken: usize,
    /// Refused, each with its reason; no more than a few are kept.
    pub refused: Vec<String>,
    /// Given up on.
    pub lost: usize,
    /// Whether the lease has ended by the last of them.
    pub ended: bool,
}

/// Reasons kept.
const REASONS: usize = 10;

/// The way out for one piece of work.
pub(super) struct Post<'a> {
    office: &'a dyn Office,
    clock: &'a dyn Clock,
    watch: Watch<'a>,
    work: &'a Work,
    waiting: Mutex<Waiting>,
    changed: Condvar,
    every: Duration,
    gather: Gather,
    /// The lease is somebody else's, or nobody's.
    gone: AtomicBool,
}

#[derive(Default)]
struct Waiting {
    reports: VecDeque<Report>,
    /// When the first of them came.
    since: Duration,
    closed: bool,
}

impl Waiting {
    /// How long the first may wait still; none while there is no result.
    fn may_wait(&self, gather: Gather, now: Duration) -> Option<Duration> {
        if self.reports.is_empty() {
            return None;
        }
        let is_due = self.closed || self.reports.len() >= gather.most;
        let waited = now.saturating_sub(self.since);
        Some(if is_due { Duration::ZERO } else { gather.wait.saturating_sub(waited) })
    }
}

enum Next {
    Reports(Vec<Report>),
    Beat,
    End,
}

impl<'a> Post<'a> {
    pub(super) fn new(
        office: &'a dyn Office,
        clock: &'a dyn Clock,
        (work, watch): (&'a Work, Watch<'a>),
    ) -> Post<'a> {
        // A third of the lease, so that two signs may be missed; a clock that is wrong changes
        // little.
        let every = (work.expires.since(clock.now()) / 3).clamp(BEAT.0, BEAT.1);
        let (waiting, changed, gone) = (Mutex::default(), Condvar::new(), AtomicBool::new(false));
        let gather = office.gather();
        Post { office, clock, watch, work, waiting, changed, every, gather, gone }
    }

    /// Whether the lease is known to be gone.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.load(Ordering::Relaxed)
    }

    /// Gives a result on its way.
    pub(super) fn put(&self, report: Report) {
        let mut waiting = self.waiting();
        if waiting.reports.is_empty() {
            waiting.since = self.clock.steady();
        }
        waiting.reports.push_back(report);
        self.changed.notify_all();
    }

    /// Says that nothing else comes.
    pub(super) fn close(&self) {
        self.waiting().closed = true;
        self.changed.notify_all();
    }

    /// Delivers until all is delivered and nothing else comes.
    pub(super) fn deliver(&self) -> Delivered {
        let (mut delivered, mut done) = (Delivered::default(), 0);
        let mut heard = self.clock.steady();
        loop {
            let rest = self.every.saturating_sub(self.clock.steady().saturating_sub(heard));
            match self.next(rest) {
                Next::Reports(mut reports) => {
                    done += reports.len();
                    if let Some(last) = reports.last_mut() {
                        last.is_final |= done == self.work.clips.len();
                    }
                    self.send(&reports, &mut delivered);
                }
                Next::Beat => self.beat(),
                Next::End => return self.wind_up(delivered),
            }
            heard = self.clock.steady();
        }
    }

    fn send(&self, reports: &[Report], delivered: &mut Delivered) {
        let results = match self.until_heard(|| self.office.record_all(reports)) {
            Ok(results) => results,
            Err(OfficeError::Refused(why)) => reports.iter().map(|_| Err(why.clone())).collect(),
            Err(OfficeError::Away(why)) => {
                tracing::warn!(why, count = reports.len(), "results could not be delivered");
                delivered.lost += reports.len();
                return;
            }
        };
        for (report, result) in reports.iter().zip(results) {
            match result {
                Ok(lease) => self.taken(lease, delivered),
                Err(why) => {
                    tracing::warn!(why, clip = report.clip, "a result was refused");
                    if delivered.refused.len() < REASONS {
                        delivered.refused.push(why);
                    }
                }
            }
        }
    }

    fn taken(&self, lease: LeaseNow, delivered: &mut Delivered) {
        delivered.taken += 1;
        match lease {
            LeaseNow::Extended { .. } => {}
            LeaseNow::Ended => delivered.ended = true,
            LeaseNow::NotTheirs => self.gone.store(true, Ordering::Relaxed),
        }
    }

    fn beat(&self) {
        match self.office.heartbeat(&self.work.lease) {
            Ok(true) => {}
            Ok(false) => self.gone.store(true, Ordering::Relaxed),
            // Work goes on: what is found is kept until somebody hears of it again.
            Err(error) => tracing::info!(error = %error, "nobody hears that we are at work"),
        }
    }

    /// Gives back what is left, if it is still ours to give.
    fn wind_up(&self, delivered: Delivered) -> Delivered {
        if !delivered.ended && !self.is_gone() {
            let finished = self.until_heard(|| self.office.finish(&self.work.lease));
            if let Err(error) = finished {
                tracing::warn!(error = %error, "the rest is offered again when its lease ends");
            }
        }
        delivered
    }

    /// Asks until somebody answers, less and less often; not for ever once a person wants to stop.
    fn until_heard<T>(&self, ask: impl Fn() -> Result<T, OfficeError>) -> Result<T, OfficeError> {
        let (mut pause, mut asked_to_stop) = (AGAIN.0, None);
        loop {
            let why = match ask() {
                Err(OfficeError::Away(why)) => why,
                answer => return answer,
            };
            let until = self.clock.steady() + pause;
            while self.clock.steady() < until {
                let now = self.clock.steady();
                let since = match (self.watch)() {
                    Wish::GoOn => None,
                    Wish::WindDown => Some(*asked_to_stop.get_or_insert(now)),
                    Wish::Stop => return Err(OfficeError::Away(why)),
                };
                if since.is_some_and(|since| now.saturating_sub(since) > GRACE) {
                    return Err(OfficeError::Away(why));
                }
                std::thread::park_timeout(LOOK);
            }
            pause = (pause * 2).min(AGAIN.1);
        }
    }

    /// Waits for results that are to go, or until it is time for a sign of life.
    fn next(&self, rest: Duration) -> Next {
        let until = self.clock.steady() + rest;
        let mut waiting = self.waiting();
        loop {
            let now = self.clock.steady();
            let may_wait = waiting.may_wait(self.gather, now);
            let left = until.saturating_sub(now);
            match may_wait {
                Some(Duration::ZERO) => {
                    let count = waiting.reports.len().min(self.gather.most);
                    return Next::Reports(waiting.reports.drain(..count).collect());
                }
                None if waiting.closed => return Next::End,
                Some(_) | None if left.is_zero() => return Next::Beat,
                Some(_) | None => {}
            }
            let span = may_wait.map_or(left, |may_wait| may_wait.min(left));
            let waited = self.changed.wait_timeout(waiting, span);
            (waiting, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        // Reports are whole or not there, whatever a panicking thread did.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
