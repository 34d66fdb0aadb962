//! How fast checks may read, so that they never get in the way of what people wait for.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::app::App;
use crate::fault::Fault;
use crate::work::Job;

/// How often others are looked at.
const LOOK: Duration = Duration::from_secs(1);
/// The longest rest between two signs of life.
const BREATH: Duration = Duration::from_millis(200);

/// Reads with a budget. Shared by the threads that read.
pub(super) struct Pace<'j> {
    job: &'j Job<'j, App>,
    state: Mutex<State>,
}

struct State {
    /// When reading began, and how many bytes were read since.
    began: Duration,
    read_bytes: u64,
    /// When others were last looked at, and whether they had work.
    looked: Option<Duration>,
    others: bool,
    /// Up to when nobody reads.
    rest_until: Duration,
}

impl<'j> Pace<'j> {
    pub(super) fn new(job: &'j Job<'j, App>) -> Pace<'j> {
        let began = job.app.shop.clock.steady();
        let state =
            State { began, read_bytes: 0, looked: None, others: false, rest_until: Duration::ZERO };
        Pace { job, state: Mutex::new(state) }
    }

    /// Shows a sign of life after some bytes, and rests where the budget or others ask for it.
    pub(super) fn spend(&self, bytes: u64) -> Result<(), Fault> {
        self.job.advance(bytes);
        self.job.checkpoint()?;
        let until = self.rest_until(bytes)?;
        loop {
            let now = self.job.app.shop.clock.steady();
            let Some(left) = until.checked_sub(now).filter(|left| !left.is_zero()) else {
                return Ok(());
            };
            self.job.checkpoint()?;
            self.job.app.shop.stop.rest(left.min(BREATH));
        }
    }

    fn rest_until(&self, bytes: u64) -> Result<Duration, Fault> {
        let app = self.job.app;
        let now = app.shop.clock.steady();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.read_bytes = state.read_bytes.saturating_add(bytes);
        let since = state.looked.map_or(LOOK, |looked| now.saturating_sub(looked));
        if since >= LOOK {
            let was = std::mem::replace(&mut state.others, others_have_work(app)?);
            state.looked = Some(now);
            if was && state.others {
                // While others work, half of the time is theirs.
                state.rest_until = now + since.min(LOOK * 2);
                state.looked = Some(state.rest_until);
            }
        }
        let budget = app.config.fixity.budget_bytes_s;
        if budget > 0 {
            let may_take = Duration::from_secs_f64(state.read_bytes as f64 / budget as f64);
            state.rest_until = state.rest_until.max(state.began + may_take);
        }
        Ok(state.rest_until)
    }
}

/// Whether anybody's deposit or restoration is being worked on or waits to be.
fn others_have_work(app: &App) -> Result<bool, Fault> {
    let mut busy = false;
    for (flow, stage) in app.shop.chart.stages() {
        if flow.name != crate::checkup::FLOW {
            let topic = app.shop.queue.topic(stage.topic)?;
            busy |= topic.counts.ready + topic.counts.leased > 0;
        }
    }
    Ok(busy)
}
