//! What is asked for, and really done: restorations, deletions of many objects, items put back,
//! interim state dropped, and failed checks told.

use axum::Json;
use axum::extract::{Path, RawQuery};
use axum::http::{StatusCode, Uri};
use serde::Deserialize;
use storage::registry::{Role, User};

use super::answer::{Told, number, tell};
use super::resource::alerts::AlertView;
use super::resource::deletions::WholeDeletionView;
use super::resource::items::ItemView;
use crate::desk::DeletionWish;
use crate::http::Visit;
use crate::http::asked::{Pairs, find};
use crate::http::refusal::Refusal;
use crate::rights::Right;

/// What was made by a wish.
type Made<T> = Result<(StatusCode, Json<T>), Refusal>;

fn made<T>(answer: Told<T>) -> Made<T> {
    answer.map(|json| (StatusCode::CREATED, json))
}

/// Asks for an object. One that is worked on is not given back meanwhile.
pub(super) async fn restore(visit: Visit, Path(id): Path<String>) -> Made<ItemView> {
    let id: i64 = number(&id)?;
    let asked = tell(&visit, move |visit| {
        let desk = visit.desk();
        let object = desk.held_object(&id.to_string())?;
        if let Some(item) = desk.pending_work(&object)? {
            let sentence = format!(
                "Item {} ({}, {}) works on {} and has to end first; nothing was changed.",
                item.id, item.action, item.status, object.identifier
            );
            return Err(Refusal::new(StatusCode::CONFLICT, "pending-work", sentence));
        }
        Ok(ItemView::from(desk.restore_object(&id.to_string(), None)?.item))
    });
    made(asked.await)
}

/// A deletion of many objects. The key of the described registry is taken and not looked at: here
/// the caller has proved to look after the appliance, and the requester has to confirm the request and
/// another administrator to approve it. It is known who entered it, so the key of the data directory does
/// not.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BatchWish {
    institution_id: i64,
    requestor_id: i64,
    object_ids: Vec<i64>,
}

/// Asks for a deletion in the name of an administrator of the institution, who confirms it before
/// another one can approve it: who looks after the appliance may have the account of that one as well.
pub(super) async fn delete_many(visit: Visit, body: String) -> Made<WholeDeletionView> {
    let wish: BatchWish = serde_json::from_str(&body).map_err(|error| {
        let sentence = format!("The body is not understood: {error}.");
        Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).described()
    })?;
    let asked = tell(&visit, move |visit| {
        let desk = visit.desk();
        visit.person()?;
        desk.require_managing(Right::Delete)?;
        let requester = requester(visit, &wish)?;
        for id in &wish.object_ids {
            let object = desk.held_object(&id.to_string()).map_err(|_| bad_id("object", *id))?;
            if object.institution_id != wish.institution_id {
                return Err(bad_id("object", *id));
            }
        }
        let deletion = DeletionWish {
            reason: format!("Asked for by {} for {}.", visit.caller.name(), requester.email),
            objects: wish.object_ids.iter().map(i64::to_string).collect(),
            files: Vec::new(),
        };
        Ok(WholeDeletionView::from(desk.request_deletion(requester.id, &deletion)?))
    });
    made(asked.await)
}

/// In whose name: somebody who may ask for deletions of this institution.
fn requester(visit: &Visit, wish: &BatchWish) -> Result<User, Refusal> {
    let fits = |user: &User| {
        user.institution_id == wish.institution_id && user.role == Role::InstitutionalAdmin
    };
    let user = visit.registry.active_user(wish.requestor_id)?;
    user.filter(fits).ok_or_else(|| bad_id("requester", wish.requestor_id))
}

fn bad_id(what: &str, id: i64) -> Refusal {
    let sentence = format!(
        "{id} is not the number of {} of this institution.",
        match what {
            "requester" => "an active administrator",
            _ => "an object",
        }
    );
    Refusal::new(StatusCode::BAD_REQUEST, "bad-id", sentence).next("Nothing was changed.")
}

/// Where an item is to be put back; at its own stage unless told.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RequeueWish {
    stage: Option<String>,
}

/// Puts an item back in line, at the stage that the body or the address names.
pub(super) async fn requeue(
    visit: Visit,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    body: String,
) -> Told<ItemView> {
    let id = number(&id)?;
    let stage = stage_in(&body, query)?;
    tell(&visit, move |visit| {
        let desk = visit.desk();
        let item = desk.item(id)?;
        let topic = match &stage {
            // Work of one stage is asked for anew from its beginning, whatever that is called.
            None => None,
            Some(word) if word == "Requested" => item.requeue_to.first().map(|to| to.topic.clone()),
            Some(word) => {
                let same = |label: &str| label.eq_ignore_ascii_case(word);
                let to = item.requeue_to.iter().find(|to| same(&to.label) || same(&to.topic));
                let labels: Vec<&str> =
                    item.requeue_to.iter().map(|to| to.label.as_str()).collect();
                let Some(to) = to.filter(|_| !labels.is_empty()) else {
                    let sentence = format!(
                        "Item {id} cannot be put back to {:?}; it can to: {}.",
                        word.chars().take(80).collect::<String>(),
                        if labels.is_empty() { "nothing".into() } else { labels.join(", ") }
                    );
                    return Err(Refusal::new(StatusCode::BAD_REQUEST, "bad-stage", sentence));
                };
                Some(to.topic.clone())
            }
        };
        Ok(desk.requeue(id, topic.as_deref())?.item.into())
    })
    .await
}

/// The stage, as JSON, as a form, or in the address.
fn stage_in(body: &str, query: Option<String>) -> Result<Option<String>, Refusal> {
    let body = body.trim();
    let bad = || {
        let sentence = "The body is not understood; it is {\"stage\": \"...\"}.";
        Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).described()
    };
    let is_form = body.contains('=') && !body.starts_with(['{', '[']);
    if !is_form && !body.is_empty() {
        let wish: Option<RequeueWish> = serde_json::from_str(body).map_err(|_| bad())?;
        return Ok(wish.and_then(|wish| wish.stage));
    }
    let fields = if body.is_empty() { query.unwrap_or_default() } else { body.to_owned() };
    let uri: Uri = format!("/?{fields}").parse().map_err(|_| bad())?;
    let pairs = axum::extract::Query::<Pairs>::try_from_uri(&uri).map_err(|_| bad())?;
    Ok(find(&pairs.0, "stage").map(str::to_owned))
}

/// Drops what an item kept on its way, when it has ended; what is under way needs it.
pub(super) async fn drop_interim(visit: Visit, Path(id): Path<String>) -> Told<ItemView> {
    let id = number(&id)?;
    tell(&visit, move |visit| {
        let item = visit.desk().item(id)?;
        if item.cancellable {
            let sentence = format!(
                "Item {id} has not ended ({}): what it keeps on its way is still needed.",
                item.item.status
            );
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "under-way", sentence)
                .next("Requeue it to its first stage, or cancel it: both clear it up."));
        }
        visit.desk().drop_interim(id)?;
        Ok(item.item.into())
    })
    .await
}

/// Tells administrators of the fixity checks that failed since this was last asked for; once a day.
pub(super) async fn tell_failed_checks(visit: Visit) -> Made<Vec<AlertView>> {
    let told = tell(&visit, |visit| {
        let Some(raised) = visit.desk().tell_failed_checks()? else {
            let sentence = "Failed fixity checks were told today already.";
            return Err(Refusal::new(StatusCode::CONFLICT, "already-told", sentence)
                .next("Ask again tomorrow; what fails is told at once in any case."));
        };
        raised.into_iter().map(|alert| AlertView::of(visit, alert, (None, None))).collect()
    });
    made(told.await)
}
