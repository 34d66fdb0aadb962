//! Pages of what is held: objects, files and events. What they show is read from the registry and
//! put into words here.

mod events;
mod file;
mod files;
mod object;
mod objects;
mod safety;
mod words;

pub(super) use objects::found_file;
pub(super) use safety::Fate;

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use web::{Here, event_page, events_page, file_page, files_page, object_page, objects_page};

use super::asked::Pairs;
use super::filters::with_saved;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, Visit};

/// The pages. An identifier has slashes in it: it may stand in an address as it is or escaped.
pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/objects", get(list))
        .route("/objects/{*which}", get(one))
        .route("/files", get(all_files))
        .route("/files/{*which}", get(one_file))
        .route("/events", get(all_events))
        .route("/events/{*which}", get(one_event))
}

async fn list(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Objects", Here::Objects, &headers);
            let shell = with_saved(visit, shell, "/objects", &pairs);
            Ok(answer(&shell, objects_page(&shell, &objects::value(visit, pairs)?)))
        })
        .await
}

async fn one(
    visit: Visit,
    Path(which): Path<String>,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = object::value(visit, &which, pairs)?;
            let shell = shell(visit, page.title.clone(), Here::Objects, &headers);
            Ok(answer(&shell, object_page(&shell, &page)))
        })
        .await
}

async fn all_files(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Files", Here::Files, &headers);
            let shell = with_saved(visit, shell, "/files", &pairs);
            Ok(answer(&shell, files_page(&shell, &files::value(visit, pairs)?)))
        })
        .await
}

async fn one_file(
    visit: Visit,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = file::value(visit, &which)?;
            let shell = shell(visit, page.name.clone(), Here::Files, &headers);
            Ok(answer(&shell, file_page(&shell, &page)))
        })
        .await
}

async fn all_events(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Events", Here::Events, &headers);
            let shell = with_saved(visit, shell, "/events", &pairs);
            Ok(answer(&shell, events_page(&shell, &events::list(visit, pairs)?)))
        })
        .await
}

async fn one_event(
    visit: Visit,
    Path(which): Path<String>,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = events::one(visit, &which, &pairs)?;
            let shell = shell(visit, page.kind.clone(), Here::Events, &headers);
            Ok(answer(&shell, event_page(&shell, &page)))
        })
        .await
}
