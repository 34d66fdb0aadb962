//! The two lists of everything that runs.

use crate::app::App;
use crate::deletion::{DELETION, DeletionsDue};
use crate::ingest::{INGEST, Receiving};
use crate::upkeep::{UPKEEP, UpkeepDue};
use crate::work::{Flow, Sweep};

/// Every flow.
pub static FLOWS: &[Flow<App>] = &[INGEST, DELETION, UPKEEP];

/// Every sweep.
pub static SWEEPS: &[&dyn Sweep<App>] = &[&Receiving, &DeletionsDue, &UpkeepDue];
