//! What somebody holds and what waits for them.

use storage::registry::{Counting, ItemRow};
use web::{HeldLine, LastItem, OwnOverview, WaitingDeletion};

use super::Visit;
use super::overview::status_badge;
use super::refusal::Refusal;
use crate::rights::Right;

/// Items listed.
const ITEMS: &str = "10";
/// Requests listed; more are found on their own page.
const DELETIONS: &str = "5";
/// Longest reason shown, in characters.
const REASON: usize = 120;
/// Most deposits that are counted.
const COUNTED: u64 = 1000;

pub(super) fn value(visit: &Visit) -> Result<OwnOverview, Refusal> {
    let desk = visit.desk();
    let sums = visit.registry.option_sums(desk.sight())?;
    let held = sums.into_iter().map(|it| HeldLine {
        option: it.storage_option,
        object_count: it.object_count,
        file_count: it.file_count,
        size: it.size,
    });
    let items = if visit.may(Right::KeepWork) {
        None
    } else {
        let asked = pairs(&[("sort", "date_processed__desc"), ("per_page", ITEMS)]);
        let last = desk.items(&asked, Counting::No)?.items;
        Some(last.into_iter().map(item).collect())
    };
    // One status after the other: each has its place in an index, both together have none.
    let mut under_way = 0;
    for status in ["Pending", "Started"] {
        let asked = pairs(&[("action", "Ingest"), ("status", status), ("per_page", "1")]);
        under_way += desk.items(&asked, Counting::UpTo(COUNTED))?.count;
    }
    Ok(OwnOverview {
        held: held.collect(),
        items,
        unread: visit.user().map_or(0, |user| super::alerts::unread(visit, user.id)),
        deletions: deletions(visit)?,
        under_way,
        may_deposit: visit.may(Right::Deposit),
    })
}

/// Requests that this person may decide about: their own need somebody else's word.
fn deletions(visit: &Visit) -> Result<Vec<WaitingDeletion>, Refusal> {
    let Some(user) = visit.user().filter(|_| visit.may(Right::Delete)) else {
        return Ok(Vec::new());
    };
    let asked = pairs(&[("state", "requested"), ("per_page", DELETIONS)]);
    let open = visit.desk().deletions(&asked, Counting::No)?.deletions;
    let others = open.into_iter().filter(|it| it.requested_by_id != user.id);
    let told = others.map(|it| WaitingDeletion {
        id: it.id.0,
        by: it.requested_by_name,
        reason: it.reason.chars().take(REASON).collect(),
    });
    Ok(told.collect())
}

fn item(row: ItemRow) -> LastItem {
    LastItem {
        id: row.id.unsigned_abs(),
        name: row.name,
        action: row.action,
        status: status_badge(&row.status),
        changed: row.updated_at.to_string(),
    }
}

fn pairs(asked: &[(&str, &str)]) -> Vec<(String, String)> {
    asked.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}
