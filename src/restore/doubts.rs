//! Copies that are not what they should be, met while restoring. The restoration goes on from another
//! copy; here they are noted: in the registry, as an event, and as a wish to have them mended.

use std::sync::{Mutex, PoisonError};

use bagit::make::Doubt;
use ocfl::VaultError;
use storage::registry::{BATCH_MAX, CheckedCopy, CopyState, ObjectRow};

use super::copies::{Shelves, Wanted};
use super::events;
use crate::alerts::lost_advice;
use crate::app::App;
use crate::checkup;
use crate::fault::{Failure, Fault, Kind};
use crate::work::Job;

/// What was met on the way.
pub(super) struct Doubts {
    found: Mutex<Vec<Doubted>>,
}

/// A copy that was not what it should be.
pub(super) struct Doubted {
    /// The file, as a place among those that are wanted.
    pub(super) at: usize,
    /// The shelf it is on.
    pub(super) shelf: usize,
    /// How it was found; none if it could not be read, which may pass.
    pub(super) state: Option<CopyState>,
    /// Whether no other copy was left.
    is_last: bool,
}

impl Doubts {
    pub(super) fn new() -> Doubts {
        Doubts { found: Mutex::default() }
    }

    /// Notes what is wrong with the copy that was read, and goes on to the next; whether there is
    /// one.
    pub(super) fn about(&self, at: usize, wanted: &Wanted, doubt: &Doubt<'_>) -> bool {
        let Some(shelf) = wanted.shelf() else { return false };
        let state = match doubt {
            Doubt::Differs => Some(CopyState::Damaged),
            Doubt::Unreadable(error) => {
                let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<VaultError>());
                let is_missing = matches!(inner, Some(VaultError::NotFound { .. }));
                is_missing.then_some(CopyState::Missing)
            }
        };
        let goes_on = wanted.next_copy();
        let doubted = Doubted { at, shelf, state, is_last: !goes_on };
        self.found.lock().unwrap_or_else(PoisonError::into_inner).push(doubted);
        goes_on
    }

    /// How many copies were no good.
    pub(super) fn count(&self) -> usize {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Tells the registry, and asks for a look at every copy of the object.
    pub(super) fn tell(
        &self,
        job: &Job<'_, App>,
        object: &ObjectRow,
        (shelves, wanted): (&Shelves<'_>, &[Wanted]),
    ) -> Result<(), Fault> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if found.is_empty() {
            return Ok(());
        }
        let now = job.app.shop.clock.now();
        for some in found.chunks(BATCH_MAX) {
            let check = |doubted: &Doubted| {
                let (file, shelf) = (&wanted[doubted.at], shelves.get(doubted.shelf)?);
                let (file_id, version) = (file.id, file.version);
                Some(CheckedCopy {
                    file_id,
                    version,
                    replica: shelf.id,
                    state: doubted.state?,
                    at: now,
                })
            };
            let checks: Vec<CheckedCopy> = some.iter().filter_map(check).collect();
            job.app.registry.record_checks(&checks)?;
        }
        // Where a whole replica is damaged, the check that is asked for tells of the rest.
        let told = found.iter().take(BATCH_MAX).filter_map(|doubted| {
            let (file, shelf) = (&wanted[doubted.at], shelves.get(doubted.shelf)?);
            doubted.state.map(|state| events::unsound(job, file, shelf, state))
        });
        job.app.registry.put_events(&told.collect::<Vec<_>>())?;
        let why = "a restoration met a copy that is not sound";
        checkup::ask(job.app, object, checkup::HOUSE, why).map(drop)
    }

    /// The files that no good copy was found of: the first, and how many.
    pub(super) fn lost<'w>(&self, wanted: &'w [Wanted]) -> Option<(&'w str, usize)> {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lost = found.iter().filter(|doubted| doubted.is_last).map(|it| it.at);
        let first = lost.next()?;
        Some((&wanted[first].path, lost.count() + 1))
    }
}

/// Why nothing can be restored when no copy of a file is good. A replica that is away may have one:
/// then it is waited for. One that is cold may have one: then it has to be asked for.
pub(super) fn no_sound_copy(shelves: &mut Shelves<'_>, (first, count): (&str, usize)) -> Fault {
    if let Some(away) = shelves.take_away() {
        return away;
    }
    let more = match count - 1 {
        0 => String::new(),
        more => format!(", nor of {more} more files"),
    };
    let object = &shelves.object;
    let happened = format!("no copy of {first} of {object} is what was preserved{more}");
    let (code, advice, source) = match shelves.cold() {
        Some(cold) => (
            "copy-is-cold",
            "Nothing was restored. Requeue the item for Glacier Restore (--stage restore_glacier): \
             then the cold copy is asked for and waited for. What no hot replica has intact any more can \
             be replaced with what is restored: choose Replace from a file on the page of the file."
                .to_owned(),
            format!("{happened}, as far as can be read at once; replica `{cold}` is cold"),
        ),
        None => (
            "no-sound-copy",
            format!(
                "Nothing was restored, and every copy is left as it is. {} Then requeue the item.",
                lost_advice("linked from the page of the object", None)
            ),
            happened,
        ),
    };
    Fault::Failed(Failure { kind: Kind::Fatal, code, advice, source: source.into() })
}
