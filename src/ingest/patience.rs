//! Waiting for a replica that is away or full, or for a receiving bucket that is away: no attempt is
//! spent on what a person has to repair elsewhere, and the work goes on by itself when it is done.

use std::time::Duration;

use crate::app::App;
use crate::fault::{Failure, Fault};
use crate::vault::VaultError;
use crate::work::{Done, Job};

/// How long before another look.
const PAUSE: Duration = Duration::from_secs(60);

/// Turns the absence of a replica into waiting for it, and tells those who watch the replicas.
pub(super) fn patient(job: &Job<'_, App>, done: Result<Done, Fault>) -> Result<Done, Fault> {
    match done {
        Err(Fault::Failed(failure)) if is_absence(&failure) => {
            let error = failure.source.downcast_ref::<VaultError>();
            if let Some(error) = error {
                job.app.vaults.waits(job.item.id, error);
            }
            let replica = error.and_then(VaultError::replica).unwrap_or_default();
            job.waits_for_repair(failure.code, replica);
            let why = failure.sentence();
            let stop = if why.ends_with(['.', '?']) { "" } else { "." };
            let why = format!("{why}{stop} {}", failure.advice);
            Ok(Done::Snooze { after: PAUSE, why })
        }
        other @ Ok(Done::Advance | Done::Finish) => {
            job.app.vaults.goes_on(job.item.id);
            other
        }
        other => {
            job.app.vaults.gives_up(job.item.id);
            other
        }
    }
}

fn is_absence(failure: &Failure) -> bool {
    ["replica-away", "replica-full", "receiving-away"].contains(&failure.code)
}
