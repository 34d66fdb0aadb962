//! The researchers of this house: a shift takes work until there is none, or until it is long enough.
//!
//! Promise: what was found is recorded, clip by clip, as it is found. Interruptible: within moments;
//! what is left goes back on offer. Repeats: safe, whoever comes back under the same name gets the same work with the clips
//! that are left.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::bench::Bench;
use super::house::InHouse;
use super::office::{Office, OfficeError, Wish};
use super::work::research;
use crate::app::App;
use crate::fault::{Failure, Fault, Kind};
use crate::work::{About, Done, Job, Policy, Stage};

/// The most researchers that a house can have; as many as the configuration allows.
pub(super) const MOST: u16 = 4;

/// Health may take a silent shift for hung after the time that a long episode takes to read.
const POLICY: Policy =
    Policy { workers: MOST, buffer: MOST, patience: Duration::from_secs(4 * 3600), ..Policy::CPU };

/// After this, a shift ends when its work does: items are not to live for ever.
const SHIFT: Duration = Duration::from_secs(3600);

/// One bench for the process, as its processor is one: clips that one researcher has prepared are
/// prepared for all.
static BENCH: OnceLock<Bench> = OnceLock::new();

pub(super) struct Search;

impl Stage<App> for Search {
    fn about(&self) -> About {
        About { topic: "research01_search", label: "Search", env: None }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let office = InHouse::new(job.app, &job.item.subject.name);
        let (bench, clock) = (BENCH.get_or_init(|| Bench::new(0)), &*job.app.shop.clock);
        let (began, mut pieces, mut clips) = (clock.steady(), 0_usize, 0_usize);
        while clock.steady().saturating_sub(began) < SHIFT {
            job.checkpoint()?;
            let Some(work) = office.next_work().map_err(fault)? else { break };
            job.total((clips + work.clips.len()) as u64);
            let stopped = Mutex::new(None);
            let watch = || {
                let mut stopped = stopped.lock().unwrap_or_else(PoisonError::into_inner);
                if stopped.is_none() {
                    *stopped = job.checkpoint().err();
                }
                match &*stopped {
                    None => Wish::GoOn,
                    Some(Fault::Interrupted) => Wish::WindDown,
                    // The item is somebody else's now, or nobody's.
                    Some(_) => Wish::Stop,
                }
            };
            let done = research(&office, (bench, clock), &work, &watch);
            tracing::info!(episode = work.episode.id, lease = work.lease, "{}", done.sentence());
            pieces += 1;
            clips += work.clips.len();
            job.advance(work.clips.len() as u64);
            job.note(format!("{}: {}", work.episode.title, done.sentence()));
            if let Some(fault) = stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
                return Err(fault);
            }
        }
        job.note(format!("pieces of work: {pieces}, clips searched for: {clips}"));
        Ok(Done::Finish)
    }
}

/// An office in the house that says no has a reason that a person has to look at.
fn fault(error: OfficeError) -> Fault {
    let kind = match error {
        OfficeError::Away(_) => Kind::Transient { retry_after: None },
        OfficeError::Refused(_) => Kind::Fatal,
    };
    let advice = "mend what the sentence names, then requeue the item".into();
    Fault::Failed(Failure { kind, code: "research", advice, source: Box::new(error) })
}
