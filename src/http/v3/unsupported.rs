//! What the described registry takes from its workers. This house is its own worker: records follow
//! from deposits, and nobody writes them from outside. Whoever asks is told what to do instead, if
//! there is what they ask about.

use axum::extract::Path;
use axum::http::StatusCode;

use super::answer::{Told, number, tell};
use crate::http::Visit;
use crate::http::refusal::Refusal;

fn refused(sentence: &str, next: &str) -> Refusal {
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "unsupported", sentence).next(next)
}

const RECORDS: &str = "Records are not written from outside: they follow from deposits.";
const DEPOSIT: &str = "Deposit a bag, or a newer version of one.";
const DELETE: &str = "Have an administrator of the institution ask for the deletion, and another \
    one approve it.";

/// A record for an institution.
pub(super) async fn create(visit: Visit, Path(institution): Path<String>) -> Told<()> {
    in_institution(&visit, &institution, || refused(RECORDS, DEPOSIT)).await
}

/// An item for an institution.
pub(super) async fn create_item(visit: Visit, Path(institution): Path<String>) -> Told<()> {
    let sentence = "Items are not written from outside: they follow from what is asked for.";
    let next = "Deposit a bag, or ask for a restoration or a deletion.";
    in_institution(&visit, &institution, || refused(sentence, next)).await
}

/// An event.
pub(super) async fn create_event(visit: Visit) -> Told<()> {
    let sentence = "Events are not written from outside: each is written by what happened.";
    tell(&visit, move |_| Err(refused(sentence, ""))).await
}

/// Other facts about a file.
pub(super) async fn change_file(visit: Visit, Path(id): Path<String>) -> Told<()> {
    let id: i64 = number(&id)?;
    tell(&visit, move |visit| {
        visit.desk().held_file(&id.to_string())?;
        Err(refused(RECORDS, DEPOSIT))
    })
    .await
}

/// A file that is to be marked as deleted.
pub(super) async fn delete_file(visit: Visit, Path(id): Path<String>) -> Told<()> {
    let id: i64 = number(&id)?;
    tell(&visit, move |visit| {
        visit.desk().held_file(&id.to_string())?;
        Err(refused("A file is deleted by two people, and then marked so.", DELETE))
    })
    .await
}

/// Other facts about an object.
pub(super) async fn change_object(visit: Visit, Path(id): Path<String>) -> Told<()> {
    let id: i64 = number(&id)?;
    tell(&visit, move |visit| {
        visit.desk().held_object(&id.to_string())?;
        Err(refused(RECORDS, DEPOSIT))
    })
    .await
}

/// An object that is to be marked as deleted.
pub(super) async fn delete_object(visit: Visit, Path(id): Path<String>) -> Told<()> {
    let id: i64 = number(&id)?;
    tell(&visit, move |visit| {
        visit.desk().held_object(&id.to_string())?;
        Err(refused("An object is deleted by two people, and then marked so.", DELETE))
    })
    .await
}

/// Other facts about an item.
pub(super) async fn change_item(visit: Visit, Path(id): Path<String>) -> Told<()> {
    let id = number(&id)?;
    tell(&visit, move |visit| {
        visit.desk().item(id)?;
        let sentence = "Items are not changed from outside: the work itself says where it is.";
        Err(refused(sentence, "Requeue it (PUT items/requeue), or cancel it on its page."))
    })
    .await
}

async fn in_institution(
    visit: &Visit,
    institution: &str,
    refusal: impl FnOnce() -> Refusal + Send + 'static,
) -> Told<()> {
    let id: i64 = number(institution)?;
    tell(visit, move |visit| {
        visit.desk().institution(&id.to_string())?;
        Err(refusal())
    })
    .await
}
