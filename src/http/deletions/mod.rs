//! Deletion over HTTP: asking for it, agreeing to it, following it. Reading is open as everywhere;
//! every change asks for a person, and the key of the data directory is none.

mod api;
mod asking;
mod change;
mod rights;
mod value;

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use web::{Here, deletion_fragment, deletion_page, deletions_page};

use super::asked::Pairs;
use super::filters::with_saved;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, Visit};

pub(super) use api::routes as api;
pub(super) use asking::offer;

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/deletions", get(list).post(change::ask))
        .route("/deletions/new", get(change::form))
        .route("/deletions/{id}", get(one))
        .route("/deletions/{id}/confirm", post(change::confirm))
        .route("/deletions/{id}/approve", post(change::approve))
        .route("/deletions/{id}/cancel", post(change::cancel))
        .route("/deletions/{id}/certificate.txt", get(|visit, id| certificate(visit, id, false)))
        .route("/deletions/{id}/certificate.json", get(|visit, id| certificate(visit, id, true)))
        .route("/fragments/deletions/{id}", get(fragment))
}

async fn list(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Deletions", Here::Deletions, &headers);
            let shell = with_saved(visit, shell, "/deletions", &pairs);
            Ok(answer(&shell, deletions_page(&shell, &value::list(visit, pairs)?)))
        })
        .await
}

async fn one(
    visit: Visit,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    shown(&visit, number(&id)?, None, headers).await
}

/// The page of a request, with what was wrong with the last try.
async fn shown(
    visit: &Visit,
    id: i64,
    problem: Option<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let mut page = value::one(visit, id, visit.user())?;
            if let Some(verdict) = &mut page.verdict {
                verdict.problem = problem;
            }
            let shell = shell(visit, format!("Deletion request {id}"), Here::Deletions, &headers);
            Ok(answer(&shell, deletion_page(&shell, &page)))
        })
        .await
}

async fn fragment(
    visit: Visit,
    Path(id): Path<String>,
    _headers: HeaderMap,
) -> Result<Html<String>, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let page = value::one(visit, id, visit.user())?;
            Ok(Html(deletion_fragment(&page).into_string()))
        })
        .await
}

async fn certificate(
    visit: Visit,
    Path(id): Path<String>,
    as_json: bool,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    let certificate = visit.aside(move |visit| Ok(visit.desk().deletion_certificate(id)?)).await?;
    let (body, kind, ending) = match as_json {
        true => (api::json_text(&certificate)?, "application/json", "json"),
        false => (certificate.text(), "text/plain; charset=utf-8", "txt"),
    };
    let name = format!("attachment; filename=\"deletion-{id}-certificate.{ending}\"");
    let headers = [(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, name)];
    Ok((headers, body).into_response())
}

fn number(text: &str) -> Result<i64, Refusal> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("There is no deletion request {shown:?}: requests have numbers.");
        Refusal::new(StatusCode::NOT_FOUND, "no-such-deletion", sentence)
            .next("Look for it in the list of deletions.")
    })
}
