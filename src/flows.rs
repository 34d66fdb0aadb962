//! The two lists of everything that runs.

use crate::alerts::{AlertWatch, OutboxDue};
use crate::app::App;
use crate::assess::{ASSESS, AssessmentsDue, DeliveriesDue, REFERENCE};
use crate::curator::{CURATE, FeedsDue};
use crate::deletion::{DELETION, DeletionsDue};
use crate::fixity::{FIXITY, FixityDue};
use crate::ingest::{INGEST, LeftOvers, Receiving};
use crate::reports::StatisticsDue;
use crate::researcher::{RESEARCH, ResearchDue, ShiftsDue};
use crate::restore::{RESTORE, RehearsalsDue, RestorationsExpire};
use crate::upkeep::{UPKEEP, UpkeepDue};
use crate::work::{Flow, Sweep};

/// Every flow.
pub static FLOWS: &[Flow<App>] =
    &[INGEST, FIXITY, RESTORE, DELETION, RESEARCH, CURATE, UPKEEP, ASSESS, REFERENCE];

/// Every sweep.
pub static SWEEPS: &[&dyn Sweep<App>] = &[
    &Receiving,
    &LeftOvers,
    &FixityDue,
    &RehearsalsDue,
    &RestorationsExpire,
    &DeletionsDue,
    &UpkeepDue,
    &StatisticsDue,
    &ResearchDue,
    &ShiftsDue,
    &FeedsDue,
    &AlertWatch,
    &OutboxDue,
    &AssessmentsDue,
    &DeliveriesDue,
];
