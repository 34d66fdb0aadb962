//! Waiting for what a person has to mend elsewhere: replicas that are away, a disk that is full. No
//! attempt is spent on it, and the work goes on by itself when it is mended.

use std::io;
use std::path::Path;
use std::time::Duration;

use ocfl::VaultError;

use crate::app::{App, FileFault};
use crate::fault::{Failure, Fault};
use crate::work::{Done, Job};

/// How long before another look.
const PAUSE: Duration = Duration::from_secs(60);

/// Turns an absence into waiting for it.
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
            Ok(Done::Snooze { after: PAUSE, why: format!("{why}{stop} {}", failure.advice) })
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
    ["replica-away", "disk-full"].contains(&failure.code)
}

/// Asks for room before anything is written.
pub(super) fn ask_for_room(app: &App, folder: &Path, needed_bytes: u64) -> Result<(), Fault> {
    let room = rustix::fs::statvfs(folder);
    let room = room.map_err(|error| FileFault::at("look at", folder)(error.into()))?;
    let free = room.f_bavail.saturating_mul(room.f_frsize);
    if free < needed_bytes.saturating_add(app.config.work.room_floor_bytes) {
        return Err(FileFault::at("restore into", folder)(io::ErrorKind::StorageFull.into()));
    }
    Ok(())
}
