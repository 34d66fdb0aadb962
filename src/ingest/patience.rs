//! Waiting for a replica that is away or full, for a receiving bucket that is away, or for a repair:
//! no attempt is spent on what a person has to mend elsewhere, and the work goes on by itself when it is mended.

use std::time::Duration;

use ocfl::VaultError;

use crate::app::App;
use crate::fault::{Failure, Fault};
use crate::work::{Done, Job};

/// A copy that the deposit relies on is being repaired.
pub(super) const WAITS_FOR_REPAIR: &str = "held-copy-in-repair";

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
            match failure.code {
                // A fixity check repairs it, nobody has to come.
                WAITS_FOR_REPAIR => job.waits_for(failure.code, replica),
                code => job.waits_for_repair(code, replica),
            }
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
    ["replica-away", "replica-full", "receiving-away", WAITS_FOR_REPAIR].contains(&failure.code)
}
