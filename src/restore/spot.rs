//! Which object is restored for a trial, where an institution asks for trials every so many days: the
//! smallest that is large enough to mean something and was not restored within these days.

use std::collections::HashSet;
use std::time::Duration;

use storage::registry::{ITEMS, Institution, OBJECTS, ObjectRow};

use super::copies::is_cold;
use super::rehearsals_due::query;
use crate::app::App;
use crate::fault::Fault;

/// Smaller objects say little about whether restoring works.
const SMALLEST: &str = "10000";
/// Objects looked at in one look, the smallest first, and restorations remembered.
const LOOKED_AT: &str = "1000";

/// The object to restore; none if there is none that fits.
pub(super) fn smallest(
    app: &App,
    institution: &Institution,
    every: Duration,
) -> Result<Option<ObjectRow>, Fault> {
    let (id, most) =
        (institution.id.to_string(), app.config.restore.rehearse_max_bytes.to_string());
    let restored = restored_within(app, &id, every)?;
    let wanted = [
        ("institution_id", id.as_str()),
        ("state", "A"),
        ("size__gteq", SMALLEST),
        ("size__lteq", &most),
        ("sort", "size__asc"),
        ("per_page", LOOKED_AT),
    ];
    for object in app.registry.list_objects(&query(&OBJECTS, &wanted)?)?.rows {
        if object.file_count > 0 && !restored.contains(&object.id.0) && !is_cold(app, &object)? {
            return Ok(Some(object));
        }
    }
    Ok(None)
}

/// Objects of an institution that came back within this time, for somebody or for a trial.
fn restored_within(app: &App, institution: &str, every: Duration) -> Result<HashSet<i64>, Fault> {
    let since = app.shop.clock.now().0.saturating_sub(storage::clock::millis(every));
    let since = storage::clock::Timestamp(since).to_string();
    let wanted = [
        ("institution_id", institution),
        ("topic__in", "restore_object"),
        ("topic__in", super::rehearsal::TOPIC),
        ("status", "Success"),
        ("date_processed__gteq", &since),
        ("sort", "date_processed__desc"),
        ("per_page", LOOKED_AT),
    ];
    let items = app.registry.list_items(&query(&ITEMS, &wanted)?)?.rows;
    Ok(items.into_iter().filter_map(|item| item.intellectual_object_id).collect())
}
