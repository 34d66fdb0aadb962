//! Research as pages: how far it is, who is at it, the catalogue, and what was found where.

mod acting;
mod adding;
mod feeds;
mod leases;
mod list;
mod one;
mod words;

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, Response};
use axum::routing::{get, post};
use storage::registry::RecordingKind::{self, Clip, Episode};
use web::{
    AddRecordings, Here, clip_page, episode_page, leases_fragment, leases_page, recordings_page,
    research_fragment, research_page, researchers_fragment, researchers_page,
};

use crate::http::asked::Pairs;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};
use crate::http::{Site, Visit};

pub(in crate::http) use adding::IMPORTED_AT_ONCE;

pub(in crate::http) fn pages() -> Router<Site> {
    Router::new()
        .route("/research", get(overview))
        .route("/fragments/research", get(overview_fragment))
        .route(
            "/research/episodes",
            get(|visit, query, headers| list(visit, Episode, query, headers))
                .post(|visit, headers, form| adding::by_hand(visit, Episode, headers, form)),
        )
        .route(
            "/research/episodes/import",
            post(|visit, headers, body| adding::import(visit, Episode, headers, body)),
        )
        .route(
            "/research/episodes/from-object",
            post(|visit, headers, form| adding::from_object(visit, Episode, headers, form)),
        )
        .route("/research/episodes/{id}", get(episode))
        .route("/research/episodes/{id}/again", post(|a, b| acting::again(a, Episode, b)))
        .route("/research/episodes/{id}/retry", post(|a, b| acting::retry(a, Episode, b)))
        .route(
            "/research/episodes/{id}/remove",
            get(|a, b, c| acting::ask_remove(a, Episode, b, c))
                .post(|a, b| acting::remove(a, Episode, b)),
        )
        .merge(of_clips())
        .route("/research/feeds", get(feeds::list).post(feeds::add))
        .route("/research/feeds/{id}/remove", post(feeds::remove))
        .route("/research/feeds/{id}/read", post(feeds::read))
        .route("/research/leases", get(leases))
        .route("/fragments/leases", get(leases_part))
        .route("/research/leases/{lease}/revoke", get(acting::ask_revoke).post(acting::revoke))
        .route("/research/researchers", get(researchers))
        .route("/fragments/researchers", get(researchers_part))
}

fn of_clips() -> Router<Site> {
    Router::new()
        .route(
            "/research/clips",
            get(|visit, query, headers| list(visit, Clip, query, headers))
                .post(|visit, headers, form| adding::by_hand(visit, Clip, headers, form)),
        )
        .route(
            "/research/clips/import",
            post(|visit, headers, body| adding::import(visit, Clip, headers, body)),
        )
        .route(
            "/research/clips/from-object",
            post(|visit, headers, form| adding::from_object(visit, Clip, headers, form)),
        )
        .route("/research/clips/{id}", get(clip))
        .route("/research/clips/{id}/again", post(|a, b| acting::again(a, Clip, b)))
        .route("/research/clips/{id}/retry", post(|a, b| acting::retry(a, Clip, b)))
        .route(
            "/research/clips/{id}/remove",
            get(|a, b, c| acting::ask_remove(a, Clip, b, c))
                .post(|a, b| acting::remove(a, Clip, b)),
        )
}

async fn overview(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Research", Here::Research, &headers);
            Ok(answer(&shell, research_page(&shell, &leases::overview(visit)?)))
        })
        .await
}

async fn overview_fragment(visit: Visit) -> Result<Html<String>, Refusal> {
    visit.aside(|visit| Ok(Html(research_fragment(&leases::overview(visit)?).into_string()))).await
}

async fn list(
    visit: Visit,
    kind: RecordingKind,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            listed(visit, (kind, &pairs), &headers, words::adding(visit, AddRecordings::default()))
        })
        .await
}

/// The list with its forms, as a page.
fn listed(
    visit: &Visit,
    (kind, pairs): (RecordingKind, &Pairs),
    headers: &HeaderMap,
    adding: Option<AddRecordings>,
) -> Result<Response, Refusal> {
    let page = list::value(visit, kind, pairs, adding)?;
    let shell = shell(visit, words::plural(kind), words::here(kind), headers);
    Ok(answer(&shell, recordings_page(&shell, &page)))
}

async fn episode(
    visit: Visit,
    id: Path<String>,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let page = one::episode(visit, id, &pairs)?;
            let shell = shell(visit, page.title.clone(), Here::Episodes, &headers);
            Ok(answer(&shell, episode_page(&shell, &page)))
        })
        .await
}

async fn clip(
    visit: Visit,
    id: Path<String>,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let page = one::clip(visit, id, &pairs)?;
            let shell = shell(visit, page.title.clone(), Here::Clips, &headers);
            Ok(answer(&shell, clip_page(&shell, &page)))
        })
        .await
}

async fn leases(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Leases", Here::Leases, &headers);
            Ok(answer(&shell, leases_page(&shell, &leases::value(visit, &pairs)?)))
        })
        .await
}

async fn leases_part(visit: Visit) -> Result<Html<String>, Refusal> {
    visit
        .aside(|visit| {
            Ok(Html(leases_fragment(&leases::value(visit, &Pairs::new())?).into_string()))
        })
        .await
}

async fn researchers(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Researchers", Here::Researchers, &headers);
            Ok(answer(&shell, researchers_page(&shell, &leases::researchers(visit)?)))
        })
        .await
}

async fn researchers_part(visit: Visit) -> Result<Html<String>, Refusal> {
    visit
        .aside(|visit| Ok(Html(researchers_fragment(&leases::researchers(visit)?).into_string())))
        .await
}

/// The number in an address; what is none leads nowhere.
fn number(Path(text): &Path<String>) -> Result<u32, Refusal> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("There is no recording {shown:?}: episodes and clips have numbers.");
        Refusal::new(StatusCode::NOT_FOUND, "no-such-recording", sentence)
    })
}
