//! Upkeep: the registry is copied while it is in use, the copy is proved, old copies go.
//!
//! The registry can be rebuilt from a vault, but a copy of yesterday is a file away.

mod due;
mod prove;
mod snapshot;

use std::path::PathBuf;

use storage::clock::Timestamp;
use storage::work::item::ItemId;

pub use due::UpkeepDue;

use crate::app::{App, file_date};
use crate::work::Flow;

/// The flow.
pub const UPKEEP: Flow<App> = Flow {
    name: "upkeep",
    action: "Upkeep",
    stages: &[&snapshot::Snapshot, &prove::Prove],
    cleanup: None,
};

/// Snapshots that are proved are named like this.
const PREFIX: &str = "registry-";
const SUFFIX: &str = ".sqlite";

/// The snapshot of a copy begun at `moment`; a copy tells its moment in the item's dossier.
fn snapshot_path(app: &App, item: ItemId, moment: Timestamp) -> PathBuf {
    app.home.snapshots().join(format!("{PREFIX}{}-item-{item}{SUFFIX}", file_date(moment)))
}

/// The same before it is proved: one per item, so that a repeated attempt finds it.
fn draft_path(app: &App, item: ItemId) -> PathBuf {
    app.home.snapshots().join(format!("{PREFIX}item-{item}.draft"))
}
