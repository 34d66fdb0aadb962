//! `/api/v1`: the desk over HTTP. The command line uses it when an appliance runs.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use storage::registry::Counting;

use super::listed::Question;
use super::refusal::Refusal;
use super::stream::Outgoing;
use super::{Site, Visit};
use crate::desk::{Desk, Diagnosis, Emptied, ItemDetail, QueueRow};
use crate::work::Requeued;

pub(super) type Answer<T> = Result<Json<T>, Refusal>;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/items", get(items))
        .route("/items/{id}", get(item))
        .route("/items/{id}/report", get(report))
        .route("/items/{id}/requeue", post(requeue))
        .route("/items/{id}/cancel", post(cancel))
        .route("/items/{id}/remove-deposit", post(remove_deposit))
        .route("/items/{id}/take-again", post(take_again))
        .route("/items/requeue", post(requeue_all))
        .route("/queues", get(queues))
        .route("/queues/pause", post(|visit| pause(visit, None, true)))
        .route("/queues/resume", post(|visit| pause(visit, None, false)))
        .route("/queues/empty", post(|visit| empty(visit, None)))
        .route("/queues/{topic}/pause", post(|visit, Path(topic)| pause(visit, Some(topic), true)))
        .route(
            "/queues/{topic}/resume",
            post(|visit, Path(topic)| pause(visit, Some(topic), false)),
        )
        .route("/queues/{topic}/empty", post(|visit, Path(topic)| empty(visit, Some(topic))))
        .route("/doctor", get(|visit| doctor(visit, false)).post(|visit| doctor(visit, true)))
        .route("/export/{part}", get(export))
        .merge(super::held::routes())
        .merge(super::deposits::api())
        .merge(super::fixity::api())
        .merge(super::alerts::api())
        .merge(super::accounts::api())
        .merge(super::people::api())
        .merge(super::deletions::api())
        .merge(super::restorations::api())
        .merge(super::reports::api())
        .merge(super::research::api())
        .merge(super::search::api())
        .merge(super::keeping::api())
        .merge(super::assessments::api())
        .route("/openapi.json", get(super::contract::serve))
        .layer(from_fn(super::contract::refuse_unasked))
        .layer(from_fn(super::etag::tag))
}

/// Answers from the desk, as JSON whichever way it goes.
pub(super) async fn ask<T: Serialize + Send + 'static>(
    visit: &Visit,
    question: impl FnOnce(Desk<'_>) -> Result<T, Refusal> + Send + 'static,
) -> Answer<T> {
    let answer = visit.aside(|visit: &Visit| question(visit.desk())).await;
    answer.map(Json).map_err(Refusal::as_json)
}

async fn items(asked: Question) -> Result<Response, Refusal> {
    asked.list(Counting::Exact, |desk, pairs, counting| desk.items(pairs, counting)).await
}

async fn item(visit: Visit, Path(id): Path<String>) -> Answer<ItemDetail> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.item(id)?)).await
}

async fn report(visit: Visit, Path(id): Path<String>) -> Result<Response, Refusal> {
    number(&id)?;
    super::items::report(visit, Path(id)).await.map_err(Refusal::as_json)
}

/// What a requeue may say.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct RequeueWish {
    stage: Option<String>,
    reason: Option<String>,
    topic: Option<String>,
}

async fn requeue(visit: Visit, Path(id): Path<String>, body: String) -> Answer<ItemDetail> {
    let (id, wish) = (number(&id)?, read_any::<RequeueWish>(&body)?);
    ask(&visit, move |desk| Ok(desk.requeue(id, wish.stage.as_deref())?)).await
}

async fn requeue_all(visit: Visit, body: String) -> Answer<Requeued> {
    let wish: RequeueWish = read_any(&body)?;
    let Some(reason) = wish.reason else {
        let sentence = "Say for which reason: {\"reason\": \"...\"}.";
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "no-reason", sentence).as_json());
    };
    ask(&visit, move |desk| Ok(desk.requeue_all(&reason, wish.topic.as_deref())?)).await
}

async fn cancel(visit: Visit, Path(id): Path<String>) -> Answer<ItemDetail> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.cancel(id)?)).await
}

async fn remove_deposit(visit: Visit, Path(id): Path<String>) -> Answer<ItemDetail> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.remove_deposit(id)?)).await
}

async fn take_again(visit: Visit, Path(id): Path<String>) -> Answer<ItemDetail> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.take_deposit_again(id)?)).await
}

async fn queues(visit: Visit) -> Answer<Vec<QueueRow>> {
    ask(&visit, |desk| Ok(desk.queues()?)).await
}

async fn pause(visit: Visit, topic: Option<String>, paused: bool) -> Answer<Vec<QueueRow>> {
    ask(&visit, move |desk| Ok(desk.pause(topic.as_deref(), paused)?)).await
}

async fn empty(visit: Visit, topic: Option<String>) -> Answer<Emptied> {
    ask(&visit, move |desk| Ok(desk.empty(topic.as_deref())?)).await
}

async fn doctor(visit: Visit, mend: bool) -> Answer<Diagnosis> {
    ask(&visit, move |desk| Ok(desk.doctor(mend)?)).await
}

/// One part of the export as JSON lines, of one state.
async fn export(visit: Visit, Path(part): Path<String>) -> Result<Response, Refusal> {
    if part != "work" && !Desk::tables().contains(&part.as_str()) {
        let known = Desk::tables().join(", ");
        let sentence = format!("There is no part {part:?}; the parts are work, {known}.");
        let refusal = Refusal::new(StatusCode::NOT_FOUND, "no-such-part", sentence);
        return Err(refusal.as_json());
    }
    let outgoing = Outgoing::begin(&visit).map_err(Refusal::as_json)?;
    let body = outgoing.spooled(part.clone(), move |desk, out| {
        match part.as_str() {
            "work" => desk.export_work(out),
            table => desk.export_table(table, out),
        }
        .map(drop)
    });
    let body = body.await.map_err(Refusal::as_json)?;
    Ok(([(header::CONTENT_TYPE, "application/jsonl")], body).into_response())
}

fn number(text: &str) -> Result<u64, Refusal> {
    text.parse().map_err(|_| {
        let sentence = format!(
            "{:?} is not the number of an item.",
            text.chars().take(40).collect::<String>()
        );
        Refusal::new(StatusCode::BAD_REQUEST, "not-a-number", sentence).as_json()
    })
}

/// Reads a wish that may be left out: an empty body means no wish in particular.
pub(super) fn read_any<T: DeserializeOwned + Default>(body: &str) -> Result<T, Refusal> {
    if body.trim().is_empty() {
        return Ok(T::default());
    }
    read_body(body)
}

/// Reads a wish that was sent as a JSON object. A list of values in the order of the fields is none.
pub(super) fn read_body<T: DeserializeOwned>(body: &str) -> Result<T, Refusal> {
    let bad = |why: String| {
        let sentence = format!("The body is not understood: {why}.");
        Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).as_json()
    };
    if !body.trim_start().starts_with('{') {
        return Err(bad("it is not a JSON object".into()));
    }
    serde_json::from_str(body).map_err(|error| bad(error.to_string()))
}
