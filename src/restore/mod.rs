//! Restoration: what is held is given back as it came, in the restoration area of its institution.
//!
//! An item walks through one of these: `object` makes a tarred bag of an object in any of its
//! versions, `file` gives back one file; `thaw` stands before both for what lies in cold replicas
//! only. `rehearsal` restores an object that nobody asked for, to see that it can be, and removes it;
//! `spot` chooses it where an institution asked for trials.
//!
//! `wish` says what is to be restored, `place` where it goes, `copies` from where, and `doubts` what
//! becomes of a copy that is not what it should be. `bagging` makes the bag, `proof` judges it.
//! `slip` remembers what lies in the areas, and `expiry` takes it away in the end.

mod bagging;
mod copies;
mod doubts;
mod events;
mod expiry;
mod file;
mod object;
mod patience;
mod place;
mod proof;
mod rehearsal;
mod rehearsals_due;
mod slip;
mod spot;
mod thaw;
mod wish;

pub(crate) use copies::is_cold;
pub use expiry::RestorationsExpire;
pub(crate) use rehearsal::TOPIC as REHEARSAL;
pub use rehearsals_due::RehearsalsDue;
pub use slip::{Slip, slips};
pub(crate) use wish::Asks;
pub use wish::{Unwished, Wish};

use crate::app::App;
use crate::work::Flow;

/// The flow.
pub const RESTORE: Flow<App> = Flow {
    name: "restore",
    action: "Restore",
    stages: &[&thaw::Thaw, &object::RestoreObject, &file::RestoreFile, &rehearsal::Rehearse],
    cleanup: None,
};
