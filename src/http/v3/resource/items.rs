//! Work items.

use axum::extract::Path;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::{ItemRow, moment};

use crate::desk::COUNTED;
use crate::http::Visit;
use crate::http::asked::Pairs;
use crate::http::v3::answer::{Told, number, one, said, tell};
use crate::http::v3::asked::{Asked, Envelope};
use crate::http::v3::stages;

/// A work item, with what is known of what it is about.
#[derive(Debug, Serialize)]
pub(in crate::http::v3) struct ItemView {
    id: i64,
    name: String,
    etag: String,
    institution_id: i64,
    institution_name: String,
    institution_identifier: String,
    intellectual_object_id: Option<i64>,
    object_identifier: Option<String>,
    alt_identifier: Option<String>,
    bag_group_identifier: Option<String>,
    storage_option: String,
    bagit_profile_identifier: String,
    source_organization: String,
    internal_sender_identifier: Option<String>,
    generic_file_id: Option<i64>,
    generic_file_identifier: Option<String>,
    bucket: String,
    user: String,
    note: String,
    action: String,
    stage: String,
    status: String,
    outcome: String,
    #[serde(with = "moment")]
    bag_date: Timestamp,
    #[serde(with = "moment")]
    date_processed: Timestamp,
    retry: bool,
    node: Option<String>,
    pid: i64,
    needs_admin_review: bool,
    size: i64,
    #[serde(with = "moment::option")]
    queued_at: Option<Timestamp>,
    #[serde(with = "moment::option")]
    stage_started_at: Option<Timestamp>,
    aptrust_approver: Option<String>,
    inst_approver: Option<String>,
    deletion_request_id: Option<i64>,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
}

/// Whose work it is that no person asked for: clients of the described registry expect an address.
const SYSTEM: &str = "system@aptrust.org";
/// What that is called here.
const NOBODY: [&str; 2] = ["strongroom", "the command line"];

/// Takes the address of the system out of a question, and puts what it is called here among the
/// choices.
fn of_system(pairs: &mut Pairs, choices: Vec<Pairs>) -> Vec<Pairs> {
    let before = pairs.len();
    let is_user = |name: &str| ["user", "user__eq"].contains(&name);
    pairs.retain(|(name, value)| !(is_user(name) && value == SYSTEM));
    if pairs.len() == before {
        return choices;
    }
    let nobody = NOBODY.map(|name| vec![("user".to_owned(), name.to_owned())]);
    each_with(&choices, &nobody)
}

/// Takes the dates of bags out of a question, and puts among the choices that they hold for the bag, or
/// for the date that is told of work without one.
fn of_bag_date(pairs: &mut Pairs, choices: Vec<Pairs>) -> Vec<Pairs> {
    const BAG_DATE: &str = "bag_date";
    let is_date = |name: &str| name.split("__").next() == Some(BAG_DATE);
    let (dates, rest): (Pairs, Pairs) =
        std::mem::take(pairs).into_iter().partition(|(name, _)| is_date(name));
    *pairs = rest;
    if dates.is_empty() {
        return choices;
    }
    let other = dates
        .iter()
        .map(|(name, value)| (name.replacen(BAG_DATE, "date_processed", 1), value.clone()))
        .chain([(format!("{BAG_DATE}__is_null"), "true".to_owned())]);
    each_with(&choices, &[dates.clone(), other.collect()])
}

/// Each of the choices, where there are some, together with each of the others.
fn each_with(choices: &[Pairs], others: &[Pairs]) -> Vec<Pairs> {
    let none = [Pairs::new()];
    let choices = if choices.is_empty() { &none[..] } else { choices };
    let with = |choice: &Pairs, other: &Pairs| [choice.clone(), other.clone()].concat();
    choices.iter().flat_map(|choice| others.iter().map(|it| with(choice, it))).collect()
}

impl From<ItemRow> for ItemView {
    fn from(row: ItemRow) -> ItemView {
        ItemView {
            stage: stages::word(&row).to_owned(),
            id: row.id,
            name: row.name,
            etag: row.etag,
            // The house's own work is nobody's.
            institution_id: row.institution_id.unwrap_or_default(),
            institution_name: row.institution_name.unwrap_or_default(),
            institution_identifier: row.institution_identifier.unwrap_or_default(),
            intellectual_object_id: row.intellectual_object_id,
            object_identifier: row.object_identifier.and_then(said),
            alt_identifier: row.alt_identifier.and_then(said),
            bag_group_identifier: row.bag_group_identifier.and_then(said),
            storage_option: row.storage_option.unwrap_or_default(),
            bagit_profile_identifier: row.bagit_profile_identifier.unwrap_or_default(),
            source_organization: row.source_organization.unwrap_or_default(),
            internal_sender_identifier: row.internal_sender_identifier.and_then(said),
            generic_file_id: row.generic_file_id,
            generic_file_identifier: row.generic_file_identifier.and_then(said),
            bucket: row.bucket,
            user: if row.user.contains('@') { row.user } else { SYSTEM.to_owned() },
            note: row.note,
            action: row.action,
            status: row.status,
            outcome: row.outcome,
            // Work without a bag of its own has no older date to tell.
            bag_date: row.bag_date.unwrap_or(row.date_processed),
            date_processed: row.date_processed,
            retry: row.retry,
            node: row.node.and_then(said),
            pid: row.pid,
            needs_admin_review: row.needs_admin_review,
            size: row.size,
            queued_at: row.queued_at,
            stage_started_at: row.stage_started_at,
            aptrust_approver: row.aptrust_approver.and_then(said),
            inst_approver: row.inst_approver.and_then(said),
            deletion_request_id: row.deletion_request_id,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

pub(in crate::http::v3) async fn list(visit: Visit, asked: Asked) -> Told<Envelope<ItemView>> {
    tell(&visit, move |visit| {
        let (mut pairs, choices) = stages::in_our_words(&asked.pairs)?;
        let choices = of_system(&mut pairs, choices);
        let choices = of_bag_date(&mut pairs, choices);
        let list = visit.desk().items_among(&pairs, &choices, COUNTED)?;
        let rows = list.items.into_iter().map(ItemView::from).collect();
        Ok(asked.envelope((list.count, list.next_cursor.is_some()), rows))
    })
    .await
}

pub(in crate::http::v3) async fn show(visit: Visit, Path(id): Path<String>) -> Told<ItemView> {
    let id = number(&id)?;
    one(&visit, move |_, desk| Ok(desk.item(id)?.item.into())).await
}
