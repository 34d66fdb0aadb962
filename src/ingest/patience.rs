//! Waiting for a replica that is away or full: no attempt is spent on what a person has to mend
//! elsewhere, and the work goes on by itself when it is mended.

use std::time::Duration;

use crate::fault::{Failure, Fault};
use crate::work::Done;

/// How long before another look.
const PAUSE: Duration = Duration::from_secs(60);

/// Turns the absence of a replica into waiting for it.
pub(super) fn patient(done: Result<Done, Fault>) -> Result<Done, Fault> {
    match done {
        Err(Fault::Failed(failure)) if is_absence(&failure) => {
            let why = format!("{}; {}", failure.sentence(), failure.advice);
            Ok(Done::Snooze { after: PAUSE, why })
        }
        other => other,
    }
}

fn is_absence(failure: &Failure) -> bool {
    ["replica-away", "replica-full"].contains(&failure.code)
}
