//! `/api/v1/deletions`. A person asks, agrees or withdraws, by session or by e-mail and password;
//! the key of the data directory only reads.

use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};
use storage::registry::User;

use super::rights::{Target, may_ask, may_decide};
use crate::desk::{COUNTED, DeletionDetail, DeletionList, DeletionWish, Desk};
use crate::http::accounts::known_person;
use crate::http::api::{Answer, ask};
use crate::http::refusal::Refusal;
use crate::http::{Site, aside};

pub(in crate::http) fn routes() -> Router<Site> {
    Router::new()
        .route("/deletions", get(list).post(request))
        .route("/deletions/{id}", get(one))
        .route("/deletions/{id}/approve", post(approve))
        .route("/deletions/{id}/cancel", post(cancel))
        .route("/deletions/{id}/certificate", get(certificate))
}

#[derive(Deserialize)]
struct Form {
    #[serde(default)]
    format: String,
}

/// Requests name people: they are told to people, and to who can read the data directory.
async fn reader(site: &Site, headers: &HeaderMap) -> Result<(), Refusal> {
    if site.gate.knows_key(headers) {
        return Ok(());
    }
    known_person(site, headers).await.map(drop).map_err(Refusal::as_json)
}

async fn list(
    State(site): State<Site>,
    Query(pairs): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Answer<DeletionList> {
    reader(&site, &headers).await?;
    ask(&site, move |desk| Ok(desk.deletions(&pairs, COUNTED)?)).await
}

async fn one(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer<DeletionDetail> {
    reader(&site, &headers).await?;
    let id = number(&id)?;
    ask(&site, move |desk| Ok(desk.deletion(id)?)).await
}

async fn request(
    State(site): State<Site>,
    headers: HeaderMap,
    body: String,
) -> Answer<DeletionDetail> {
    let person = known_person(&site, &headers).await.map_err(Refusal::as_json)?;
    let wish: DeletionWish = serde_json::from_str(&body).map_err(|error| {
        let sentence = format!("The body is not understood: {error}.");
        Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).as_json()
    })?;
    let made = aside(&site, move |app| {
        let objects = wish.objects.iter().cloned().map(Target::Object);
        for target in objects.chain(wish.files.iter().cloned().map(Target::File)) {
            may_ask(app, target.owner(app.desk())?, &person)?;
        }
        Ok(app.desk().request_deletion(person.id, &wish)?)
    });
    made.await.map(Json).map_err(Refusal::as_json)
}

async fn approve(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer<DeletionDetail> {
    decide(&site, &id, &headers, |desk, id, person| Ok(desk.approve_deletion(id, person.id)?)).await
}

async fn cancel(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer<DeletionDetail> {
    decide(&site, &id, &headers, |desk, id, person| Ok(desk.cancel_deletion(id, person.id)?)).await
}

async fn decide(
    site: &Site,
    id: &str,
    headers: &HeaderMap,
    deed: impl FnOnce(Desk<'_>, i64, &User) -> Result<DeletionDetail, Refusal> + Send + 'static,
) -> Answer<DeletionDetail> {
    let person = known_person(site, headers).await.map_err(Refusal::as_json)?;
    let id = number(id)?;
    ask(site, move |desk| {
        may_decide(&desk.deletion(id)?.deletion, &person)?;
        deed(desk, id, &person)
    })
    .await
}

async fn certificate(
    State(site): State<Site>,
    Path(id): Path<String>,
    Query(form): Query<Form>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    reader(&site, &headers).await?;
    let id = number(&id)?;
    let told = aside(&site, move |app| Ok(app.desk().deletion_certificate(id)?)).await;
    let certificate = told.map_err(Refusal::as_json)?;
    let (kind, body) = match form.format.as_str() {
        "text" => ("text/plain; charset=utf-8", certificate.text()),
        _ => ("application/json", json_text(&certificate)?),
    };
    Ok(([(header::CONTENT_TYPE, kind)], body).into_response())
}

/// A certificate as a program reads it and a person can.
pub(super) fn json_text(value: &impl Serialize) -> Result<String, Refusal> {
    let text = serde_json::to_string_pretty(value).map_err(|_| Refusal::mistake())?;
    Ok(text + "\n")
}

fn number(text: &str) -> Result<i64, Refusal> {
    super::number(text).map_err(Refusal::as_json)
}
