//! Research over HTTP: for curators, for those who watch, and for researchers on other machines.

mod curating;
mod exports;
mod feeds;
mod media;
mod pages;
mod working;

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::routing::{get, post};
use storage::registry::RecordingKind::{Clip, Episode};

use super::Site;
use super::refusal::Refusal;
use crate::research::Scope;

pub(super) use media::OPENED_AT_ONCE;
pub(super) use pages::{IMPORTED_AT_ONCE, pages};

pub(super) fn api() -> Router<Site> {
    Router::new()
        .route("/research", get(curating::progress))
        .route("/research/again", post(|visit, body| curating::again(visit, Scope::All, body)))
        .route(
            "/research/episodes",
            get(|visit, query| curating::list(visit, Episode, query))
                .post(|visit, body| curating::add(visit, Episode, body)),
        )
        .route("/research/episodes/{id}", get(curating::episode))
        .route(
            "/research/episodes/{id}/media",
            get(|visit, id, headers| media::media(visit, Episode, id, headers)),
        )
        .route("/research/episodes/{id}/again", post(curating::episode_again))
        .route(
            "/research/episodes/{id}/retry",
            post(|visit, id| curating::retry(visit, Episode, id)),
        )
        .route(
            "/research/episodes/{id}/remove",
            post(|visit, id| curating::remove(visit, Episode, id)),
        )
        .route(
            "/research/clips",
            get(|visit, query| curating::list(visit, Clip, query))
                .post(|visit, body| curating::add(visit, Clip, body)),
        )
        .route(
            "/research/episodes/from-object",
            post(|visit, body| curating::from_object(visit, Episode, body)),
        )
        .merge(files())
        .route(
            "/research/clips/from-object",
            post(|visit, body| curating::from_object(visit, Clip, body)),
        )
        .route("/research/clips/{id}", get(curating::clip))
        .route(
            "/research/clips/{id}/media",
            get(|visit, id, headers| media::media(visit, Clip, id, headers)),
        )
        .route("/research/clips/{id}/again", post(curating::clip_again))
        .route("/research/clips/{id}/retry", post(|visit, id| curating::retry(visit, Clip, id)))
        .route("/research/clips/{id}/remove", post(|visit, id| curating::remove(visit, Clip, id)))
        .route("/research/feeds", get(feeds::list).post(feeds::add))
        .route("/research/feeds/{id}/remove", post(feeds::remove))
        .route("/research/feeds/{id}/read", post(feeds::read))
        .route("/research/leases", get(curating::leases))
        .route("/research/leases/{lease}/revoke", post(curating::revoke))
        .route("/research/leases/{lease}/extend", post(curating::extend))
        .route("/research/leases/{lease}/finish", post(working::finish))
        .route("/research/history", get(curating::history))
        .route("/research/researchers", get(curating::researchers))
        .route("/research/work", post(working::work))
        .route("/research/heartbeat", post(working::heartbeat))
        .route("/research/results", post(working::result))
        .route("/research/results/batch", post(working::results))
        .route("/research/demand", get(working::demand))
}

/// What was found, as files.
fn files() -> Router<Site> {
    use exports::{CSV, CUE, VTT, file, json};
    Router::new()
        .route("/research/episodes/{id}/occurrences.json", get(|a, b| json(a, Episode, b)))
        .route("/research/episodes/{id}/occurrences.csv", get(|a, b| file(a, Episode, b, CSV)))
        .route("/research/episodes/{id}/occurrences.vtt", get(|a, b| file(a, Episode, b, VTT)))
        .route("/research/episodes/{id}/occurrences.cue", get(|a, b| file(a, Episode, b, CUE)))
        .route("/research/clips/{id}/occurrences.json", get(|a, b| json(a, Clip, b)))
        .route("/research/clips/{id}/occurrences.csv", get(|a, b| file(a, Clip, b, CSV)))
}

/// The number of an episode or clip.
fn number(Path(text): &Path<String>) -> Result<u32, Refusal> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("{shown:?} is not the number of an episode or clip.");
        Refusal::new(StatusCode::BAD_REQUEST, "not-a-number", sentence).as_json()
    })
}
