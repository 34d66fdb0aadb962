//! What stands in the way of a deletion: days that were promised, and work that is under way.

use storage::clock::Timestamp;
use storage::mirror::MirrorError;
use storage::registry::{ITEMS, ItemRow, ObjectRow, Query};

use crate::app::App;
use crate::config::DESCRIBED_OPTIONS;
use crate::fault::Fault;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Flows that look after objects without anybody waiting for them, and our own.
const UNHINDERING: [&str; 3] = ["delete", "fixity", "upkeep"];

/// States of items that have not ended.
const LIVE: [&str; 4] = ["ready", "delayed", "leased", "parked"];

/// Until when the object must be kept by its storage option; none when that is over.
pub(crate) fn retained_until(app: &App, object: &ObjectRow, now: Timestamp) -> Option<Timestamp> {
    let option = object.storage_option.as_str();
    let described = || DESCRIBED_OPTIONS.iter().find(|it| it.name == option);
    let days = match app.vaults.option(option) {
        Some(option) => option.minimum_retention_days,
        None => described().map_or(0, |option| option.minimum_retention_days),
    };
    let until = Timestamp(object.created_at.0.saturating_add(u64::from(days) * DAY_MS));
    (until > now).then_some(until)
}

/// Work on an object that has not ended and that a deletion would disturb.
pub(crate) fn pending_work(app: &App, object: &str) -> Result<Vec<ItemRow>, MirrorError> {
    app.mirror.copy()?;
    let mut pairs = vec![("object_identifier".to_owned(), object.to_owned())];
    pairs.extend(LIVE.map(|state| ("state__in".to_owned(), state.to_owned())));
    let query = Query::parse(&ITEMS, &pairs)
        .map_err(|bad| storage::registry::Error::Refused { why: bad.to_string() })?;
    let mut rows = app.registry.list_items(&query)?.rows;
    rows.retain(|row| !UNHINDERING.contains(&row.flow.as_str()));
    Ok(rows)
}

/// The ingest stages that come before the look at what is held. There an ingest waits for a deletion
/// that was approved; one that is beyond has looked already, and the deletion waits for it.
const BEFORE_THE_LOOK: [&str; 2] = ["ingest01_prefetch", "ingest02_bag_validation"];
const THE_LOOK: &str = "ingest03_reingest_check";

/// The first item that a deletion which was approved has to wait for.
pub(super) fn in_the_way(app: &App, object: &str) -> Result<Option<ItemRow>, Fault> {
    let has_not_looked = |row: &ItemRow| {
        BEFORE_THE_LOOK.contains(&row.topic.as_str())
            || row.topic == THE_LOOK && row.state != "leased"
    };
    let pending = pending_work(app, object).map_err(|error| match error {
        MirrorError::Registry(error) => Fault::from(error),
        MirrorError::Work(error) => error.into(),
    })?;
    Ok(pending.into_iter().find(|row| !has_not_looked(row)))
}
