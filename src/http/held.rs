//! `/api/v1/objects`, `files`, `events` and `institutions`: what is held, over HTTP.
//!
//! Identifiers have slashes in them. One may stand in an address as it is or escaped; both are the
//! tail of the address, and mean the same. An object's has one slash, so that `/premis` behind it,
//! or behind a number, asks for its PREMIS document. A `POST` to one with `/check` behind it asks
//! that its copies be read, one with `/restore` for its restoration; a `PUT` to a file with
//! `/replacement` behind it brings a lost file.

use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use super::api::{Answer, ask};
use super::listed::Question;
use super::refusal::Refusal;
use super::stream::Outgoing;
use super::{Site, Visit, fixity, restorations};
use crate::desk::{COUNTED, EventDetail, FileDetail};

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/objects", get(objects))
        .route("/objects/{*which}", get(object).post(object_wish))
        .route("/files", get(files))
        .route("/files/{*which}", get(file).post(restorations::restore_file).put(fixity::replace))
        .route("/events", get(events))
        .route("/events/{*which}", get(event))
        .route("/institutions", get(institutions))
}

async fn objects(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, counting| desk.objects(pairs, counting)).await
}

async fn object(visit: Visit, Path(which): Path<String>) -> Result<Response, Refusal> {
    if let Some(object) = wish_of(&which, "/premis") {
        return premis(&visit, object.to_owned()).await;
    }
    Ok(ask(&visit, move |desk| Ok(desk.object(&which)?)).await?.into_response())
}

/// What is asked for of an object is the last part of the address.
async fn object_wish(visit: Visit, Path(which): Path<String>, body: String) -> Response {
    match which.strip_suffix("/check") {
        Some(object) => fixity::check_object(&visit, object.to_owned()).await.into_response(),
        None => restorations::restore_object(visit, Path(which), body).await.into_response(),
    }
}

/// The object of which this is asked for.
fn wish_of<'a>(which: &'a str, wish: &str) -> Option<&'a str> {
    let object = which.strip_suffix(wish)?;
    (object.contains('/') || object.parse::<i64>().is_ok()).then_some(object)
}

async fn premis(visit: &Visit, which: String) -> Result<Response, Refusal> {
    let found = visit.aside(move |visit| Ok(visit.desk().held_object(&which)?)).await;
    let object = found.map_err(Refusal::as_json)?;
    let outgoing = Outgoing::begin(visit).map_err(Refusal::as_json)?;
    let what = format!("the PREMIS document of {}", object.identifier);
    let body = outgoing.spooled(what, move |desk, out| desk.premis(&object, out)).await;
    let body = body.map_err(Refusal::as_json)?;
    Ok(([(header::CONTENT_TYPE, "application/xml")], body).into_response())
}

async fn files(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, counting| desk.files(pairs, counting)).await
}

async fn file(visit: Visit, Path(which): Path<String>) -> Answer<FileDetail> {
    ask(&visit, move |desk| Ok(desk.file(&which)?)).await
}

async fn events(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, counting| desk.events(pairs, counting)).await
}

async fn event(visit: Visit, Path(which): Path<String>) -> Answer<EventDetail> {
    ask(&visit, move |desk| Ok(desk.event(&which)?)).await
}

async fn institutions(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, _| desk.institutions(pairs)).await
}
