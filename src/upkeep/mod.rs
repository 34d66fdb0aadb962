//! Upkeep: the registry is copied while it is in use, the copy is proved, old copies go.
//!
//! The registry can be rebuilt from a vault, but a copy of yesterday is a file away.

mod due;
mod prove;
mod snapshot;

use std::path::PathBuf;

use storage::work::item::WorkItem;

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

/// The snapshot an item makes: named after the item, so that a repeated attempt makes the same.
fn snapshot_path(app: &App, item: &WorkItem) -> PathBuf {
    let name = format!("{PREFIX}{}-item-{}{SUFFIX}", file_date(item.created), item.id);
    app.home.snapshots().join(name)
}

/// The same before it is proved.
fn draft_path(app: &App, item: &WorkItem) -> PathBuf {
    snapshot_path(app, item).with_extension("draft")
}
