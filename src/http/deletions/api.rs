//! `/api/v1/deletions`. A person asks, confirms, approves or cancels, by session, by e-mail and password, or by a
//! token that was made for it; the key of the data directory only reads.

use axum::extract::{Path, Query};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use super::rights::{Target, may_ask, may_cancel};
use crate::accounts::IdentityProof;
use crate::desk::{COUNTED, DeletionDetail, DeletionWish};
use crate::http::api::{Answer, ask, read_body};
use crate::http::asked::bad;
use crate::http::listed::Question;
use crate::http::refusal::Refusal;
use crate::http::{Site, Visit};

pub(in crate::http) fn routes() -> Router<Site> {
    Router::new()
        .route("/deletions", get(list).post(request))
        .route("/deletions/{id}", get(one))
        .route("/deletions/{id}/confirm", post(confirm))
        .route("/deletions/{id}/approve", post(approve))
        .route("/deletions/{id}/cancel", post(cancel))
        .route("/deletions/{id}/certificate", get(certificate))
}

#[derive(Deserialize)]
struct Form {
    format: Option<String>,
}

async fn list(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, counting| desk.deletions(pairs, counting)).await
}

async fn one(visit: Visit, Path(id): Path<String>) -> Answer<DeletionDetail> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.deletion(id)?)).await
}

async fn request(visit: Visit, body: String) -> Answer<DeletionDetail> {
    let person = visit.person().map_err(Refusal::as_json)?.clone();
    let wish: DeletionWish = read_body(&body)?;
    let made = visit.aside(move |visit| {
        let objects = wish.objects.iter().cloned().map(Target::Object);
        for target in objects.chain(wish.files.iter().cloned().map(Target::File)) {
            may_ask(visit, target.owner(visit.desk())?, &person)?;
        }
        Ok(visit.desk().request_deletion(person.id, &wish)?)
    });
    made.await.map(Json).map_err(Refusal::as_json)
}

async fn confirm(visit: Visit, Path(id): Path<String>, body: String) -> Answer<DeletionDetail> {
    let id = number(&id)?;
    let confirmed = super::change::confirmed(&visit, id, proof(&body)?).await;
    confirmed.map(Json).map_err(Refusal::as_json)
}

async fn approve(visit: Visit, Path(id): Path<String>, body: String) -> Answer<DeletionDetail> {
    let id = number(&id)?;
    let approved = super::change::approved(&visit, id, None, proof(&body)?).await;
    approved.map(Json).map_err(Refusal::as_json)
}

/// What somebody proves it with; without a body, nothing.
fn proof(body: &str) -> Result<IdentityProof, Refusal> {
    match body.trim().is_empty() {
        true => Ok(IdentityProof::default()),
        false => read_body(body),
    }
}

async fn cancel(visit: Visit, Path(id): Path<String>) -> Answer<DeletionDetail> {
    let person = visit.person().map_err(Refusal::as_json)?.clone();
    let id = number(&id)?;
    ask(&visit, move |desk| {
        may_cancel(&desk.deletion(id)?.deletion, &person)?;
        Ok(desk.cancel_deletion(id, person.id)?)
    })
    .await
}

async fn certificate(
    visit: Visit,
    Path(id): Path<String>,
    Query(form): Query<Form>,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    let told = visit.aside(move |visit| Ok(visit.desk().deletion_certificate(id)?)).await;
    let certificate = told.map_err(Refusal::as_json)?;
    let (kind, body) = match form.format.as_deref() {
        Some("text") => ("text/plain; charset=utf-8", certificate.text()),
        None | Some("json") => ("application/json", json_text(&certificate)?),
        Some(_) => return Err(bad("format", "is one of json, text").as_json()),
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
