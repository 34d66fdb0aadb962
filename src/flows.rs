//! The two lists of everything that runs.

use crate::app::App;
use crate::ingest::{INGEST, Receiving};
use crate::restore::{RESTORE, RehearsalsDue, RestorationsExpire};
use crate::upkeep::{UPKEEP, UpkeepDue};
use crate::work::{Flow, Sweep};

/// Every flow.
pub static FLOWS: &[Flow<App>] = &[INGEST, RESTORE, UPKEEP];

/// Every sweep.
pub static SWEEPS: &[&dyn Sweep<App>] =
    &[&Receiving, &RehearsalsDue, &RestorationsExpire, &UpkeepDue];
