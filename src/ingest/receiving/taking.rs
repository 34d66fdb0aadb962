//! Makes an item of a deposit; of two deposits under one name the newer one counts.
//!
//! One object is worked on by one item at a time. A newer deposit of the same name makes the older
//! item give up while that still reads what lies in the receiving area; later, when its bytes stand
//! in staging, it goes on and the newer one waits. A deposit under another name waits, unless the
//! item in its way was turned away: nothing will come of that by itself.

use storage::mirror::LOST;
use storage::registry::{ITEMS, Institution, ItemRow};
use storage::work::item::{State, Subject, WorkItem};
use storage::work::queue::{NewItem, Pushed};

use super::super::INGEST;
use super::super::institutions::query;
use super::super::place::bag_name;
use super::Deposited;
use crate::app::App;
use crate::fault::Fault;

/// Survey, validate, reconcile and unpack: the stages that read the deposit where it was received.
const IN_PLACE: usize = 4;

/// What is said of an item that a newer deposit takes the place of.
const SUPERSEDED: &str = "superseded by a newer deposit of the same name";
const REPLACED: &str = "superseded by another deposit of the same object";

/// Why an item is parked whose deposit was turned away.
const REJECTED: &str = "rejected";

/// What stands between a deposit and an item of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Free,
    /// An older deposit of the same name has to give up first.
    Older,
    /// Another deposit of the same object has to come to its end first.
    Taken,
}

/// What became of a deposit that is to be taken.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Taken {
    pub(in super::super) pushed: Pushed,
    /// Whether the item in its way was told to give up.
    pub(super) superseded: bool,
}

/// Whether an item at this stage gives way to a newer deposit of the same name.
pub(crate) fn gives_way(topic: &str) -> bool {
    INGEST.stages[..IN_PLACE].iter().any(|stage| stage.about().topic == topic)
}

pub(super) fn way(
    app: &App,
    institution: &Institution,
    deposited: &Deposited,
) -> Result<Way, Fault> {
    let identifier = identifier(institution, deposited);
    Ok(match app.shop.queue.named(&unique(&identifier))? {
        None => Way::Free,
        Some(item) if yields(&item, deposited) => Way::Older,
        Some(_) => Way::Taken,
    })
}

/// Makes an item of a deposit; while an earlier deposit of the same object is on its way, that
/// one's item is told instead.
pub(in super::super) fn take(
    app: &App,
    institution: &Institution,
    deposited: &Deposited,
    by: &str,
) -> Result<Taken, Fault> {
    let identifier = identifier(institution, deposited);
    let pushed = app.shop.queue.push(NewItem {
        flow: INGEST.name.into(),
        topic: INGEST.stages[0].about().topic.into(),
        subject: Subject {
            action: INGEST.action.into(),
            name: deposited.name.clone(),
            etag: Some(deposited.etag.clone()),
            institution: Some(institution.id),
            object_identifier: Some(identifier.clone()),
            bucket: Some(institution.identifier.clone()),
            user: by.into(),
            bag_date: deposited.changed,
            size_bytes: deposited.size_bytes,
            ..Subject::default()
        },
        unique: Some(unique(&identifier)),
        note: "the bag is in the receiving area".into(),
        ..NewItem::default()
    })?;
    let superseded = !pushed.new && supersede(app, pushed, deposited)?;
    Ok(Taken { pushed, superseded })
}

fn supersede(app: &App, older: Pushed, deposited: &Deposited) -> Result<bool, Fault> {
    let still = |item: &WorkItem| yields(item, deposited);
    let item = app.shop.queue.item(older.id)?;
    let is_same = item.is_some_and(|item| item.subject.name == deposited.name);
    let why = if is_same { SUPERSEDED } else { REPLACED };
    let cancelled = match app.shop.queue.cancel_while(older.id, why, INGEST.cleanup, still) {
        // It has ended meanwhile.
        Err(storage::Error::NoSuchItem(_)) => None,
        other => other?,
    };
    if cancelled.is_some() {
        tracing::info!(item = older.id.0, name = deposited.name, "item {} is {why}", older.id);
    }
    Ok(cancelled.is_some())
}

fn yields(item: &WorkItem, deposited: &Deposited) -> bool {
    let same_name = item.subject.name == deposited.name && gives_way(&item.topic);
    item.subject.etag.as_ref() != Some(&deposited.etag)
        && item.cancel.is_none()
        && (same_name || was_turned_away(item))
}

fn was_turned_away(item: &WorkItem) -> bool {
    matches!(&item.state, State::Parked { because } if because.code == REJECTED)
}

/// Whether a deposit was turned away as it lies there: another of its name may take its place.
pub(in super::super) fn is_turned_away(
    app: &App,
    institution: &Institution,
    deposited: &Deposited,
) -> Result<bool, Fault> {
    let item = app.shop.queue.named(&unique(&identifier(institution, deposited)))?;
    Ok(item.is_some_and(|item| {
        item.subject.name == deposited.name
            && item.subject.etag.as_ref() == Some(&deposited.etag)
            && was_turned_away(&item)
    }))
}

/// Whether an item was made for this deposit in this state, whatever became of it. One that was lost
/// with the work state does not count: nobody works on it.
pub(super) fn is_known(
    app: &App,
    institution: &Institution,
    deposited: &Deposited,
) -> Result<bool, Fault> {
    let wanted = [
        ("name", deposited.name.clone()),
        ("etag", deposited.etag.clone()),
        ("institution_id", institution.id.to_string()),
        ("sort", "id__desc".to_owned()),
        ("per_page", "1".to_owned()),
    ];
    let newest = app.registry.list_items(&query(&ITEMS, &wanted)?)?.rows.pop();
    // In a bucket the same bytes have the same tag: put there again, they are another deposit.
    let same = |item: ItemRow| item.outcome != LOST && item.bag_date >= deposited.changed;
    Ok(newest.is_some_and(same))
}

fn identifier(institution: &Institution, deposited: &Deposited) -> String {
    format!("{}/{}", institution.identifier, bag_name(&deposited.name))
}

fn unique(identifier: &str) -> String {
    format!("ingest {identifier}")
}
