//! Gives every part of an approved request its item, once, when its cooling-off period is over.
//!
//! An approval is a row in the registry; the items follow from it. So an item that was lost with the
//! work state, or never made because the program died after the approval, is made again.

use std::time::Duration;

use storage::registry::{DeletionPart, DeletionPartId, DeletionRow};
use storage::work::item::{ItemId, Subject};
use storage::work::queue::NewItem;

use super::DELETION;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

/// How often.
const EVERY: Duration = Duration::from_secs(60);

/// Parts looked at in one go.
const PAGE: u32 = 500;

/// The sweep.
pub struct DeletionsDue;

impl Sweep<App> for DeletionsDue {
    fn name(&self) -> &'static str {
        "deletions_due"
    }

    fn about(&self) -> &'static str {
        "Queues approved deletions when their cooling-off period is over."
    }

    fn every(&self, _: &App) -> Duration {
        EVERY
    }

    fn sweep(&self, app: &App, limit: usize) -> Result<Swept, Fault> {
        let made = push_due(app, limit)?;
        Ok(Swept { made, note: format!("made {made} items of approved deletions") })
    }
}

/// Makes items of approved parts that have none, at most `limit`; says how many.
pub(crate) fn push_due(app: &App, limit: usize) -> Result<usize, Fault> {
    let (mut after, mut made) = (DeletionPartId(0), 0);
    let mut request: Option<DeletionRow> = None;
    while made < limit {
        let now = app.shop.clock.now();
        let parts = app.registry.undone_deletion_parts(after, PAGE, now)?;
        let Some(last) = parts.last() else { break };
        after = last.id;
        let (mut items, mut pushed) = (Vec::new(), Vec::new());
        for part in parts {
            if has_item(app, &part)? || made + items.len() >= limit {
                continue;
            }
            if request.as_ref().is_none_or(|row| row.id != part.request_id) {
                request = app.registry.deletion(part.request_id, app.shop.clock.now())?;
            }
            let Some(request) = &request else { continue };
            items.push(item(app, request, &part)?);
            pushed.push(part.id);
        }
        let ids = app.shop.queue.push_all(items)?;
        made += ids.iter().filter(|pushed| pushed.new).count();
        let number = |id: ItemId| i64::try_from(id.0).unwrap_or(i64::MAX);
        let noted: Vec<(DeletionPartId, i64)> =
            pushed.into_iter().zip(ids).map(|(part, pushed)| (part, number(pushed.id))).collect();
        app.registry.note_deletion_items(&noted)?;
    }
    Ok(made)
}

/// Whether an item is under way for the part.
fn has_item(app: &App, part: &DeletionPart) -> Result<bool, Fault> {
    let Some(id) = part.item_id.and_then(|id| u64::try_from(id).ok()) else { return Ok(false) };
    let item = app.shop.queue.item(ItemId(id))?;
    Ok(item.is_some_and(|item| {
        item.flow == DELETION.name
            && item.subject.deletion_request == Some(part.request_id.0)
            && !item.state.is_terminal()
    }))
}

/// Longest name for people; the whole one stands in the item as well.
const NAME_LEN_MAX: usize = 300;

/// The end of a name that is too long: folders begin alike.
fn shortened(name: &str) -> String {
    let Some(excess) = name.len().checked_sub(NAME_LEN_MAX).filter(|excess| *excess > 0) else {
        return name.to_owned();
    };
    let start = (excess..name.len()).find(|at| name.is_char_boundary(*at)).unwrap_or(name.len());
    format!("…{}", &name[start..])
}

fn item(app: &App, request: &DeletionRow, part: &DeletionPart) -> Result<NewItem, Fault> {
    let object = app.registry.object(part.object_id)?;
    let identifier = &part.object_identifier;
    let name = match &part.path {
        Some(path) => format!("{identifier}/{path}"),
        None => identifier.clone(),
    };
    Ok(NewItem {
        flow: DELETION.name.into(),
        topic: DELETION.stages[0].about().topic.into(),
        subject: Subject {
            action: DELETION.action.into(),
            name: shortened(&name),
            institution: Some(request.institution_id),
            object: Some(part.object_id.0),
            file: part.file_id.map(|file| file.0),
            object_identifier: Some(identifier.clone()),
            file_identifier: part.path.as_ref().map(|_| name),
            user: request.requested_by_email.clone(),
            size_bytes: part.size,
            storage_option: object.map(|object| object.storage_option),
            inst_approver: request.confirmed_by_email.clone(),
            deletion_request: Some(request.id.0),
            ..Subject::default()
        },
        unique: Some(format!("delete {}", part.id)),
        note: "the deletion is approved".into(),
        ..NewItem::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_name_keeps_its_end() {
        assert_eq!(shortened("archive.local/bag/data/a"), "archive.local/bag/data/a");
        let long = format!("{}ü/end", "ö".repeat(600));
        let short = shortened(&long);
        assert!(short.starts_with('…') && short.ends_with("öü/end"));
        assert!(short.len() <= NAME_LEN_MAX + '…'.len_utf8(), "{}", short.len());
    }
}
