//! Ingest: a deposit becomes a sealed, verified, described object in every replica.
//!
//! Nine stages, each a file: the bag is read once (`survey`), judged (`validate`), held against what
//! is here already (`reconcile`), made readable file by file (`unpack`), its formats are told
//! (`identify`), its bytes copied into drafts of every replica (`preserve`) and read back
//! (`verify`); then the version is sealed and recorded (`record`), and what was only needed on the
//! way goes (`cleanup`). `receiving` finds deposits, `arrival` takes them from the wire. `records` is
//! what the stages tell one another, `place` where things lie, `account` and `events` what is told to
//! posterity.

mod absent;
mod account;
mod area;
mod arrival;
mod cleanup;
mod cold;
mod events;
mod fetch;
mod frame;
mod identify;
mod inflate;
mod institutions;
mod left_over;
mod named_profile;
mod orphans;
mod patience;
mod place;
mod preserve;
mod progress;
mod quota;
mod receiving;
mod reconcile;
mod record;
mod records;
mod reliance;
mod removal;
mod repair;
mod report;
mod restage;
mod returned;
mod rules;
mod source;
mod survey;
mod unpack;
mod validate;
mod verify;

pub(crate) use area::{Lying, lying};
pub use arrival::{Arrival, Arrived, Unwelcome};
pub(crate) use cleanup::drop_interim;
pub(crate) use institutions::institutions;
pub use left_over::LeftOvers;
pub(crate) use named_profile::judging_profile;
pub(crate) use orphans::remove_orphans;
pub(crate) use place::{Area, SUFFIXES, area, bag_name, etag};
pub(crate) use quota::{Quota, bytes_below, over_quota};
pub use receiving::{AgainError, Receiving};
pub(crate) use receiving::{
    RejectedError, draft_of_command, gives_way, is_given_up, lying_in_bucket, modified,
    name_of_draft, remove_leftovers, remove_rejected, stay, still_lies, take_again,
};
pub(crate) use report::{About, Line, Stay, report};
pub(crate) use rules::unusable_rules;

use crate::app::App;
use crate::work::Flow;

/// The flow.
pub const INGEST: Flow<App> = Flow {
    name: "ingest",
    action: "Ingest",
    stages: &[
        &survey::Survey,
        &validate::Validate,
        &reconcile::Reconcile,
        &unpack::Unpack,
        &identify::Identify,
        &preserve::Preserve,
        &verify::Verify,
        &record::Record,
        &cleanup::Cleanup,
    ],
    cleanup: Some("ingest09_cleanup"),
};
