//! `/api/v1/objects`, `files`, `events` and `institutions`: what is held, over HTTP.
//!
//! Identifiers have slashes in them. One may stand in an address as it is or escaped; both are the
//! tail of the address, and mean the same.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::routing::get;

use super::Site;
use super::api::{Answer, ask};
use crate::desk::{
    COUNTED, EventDetail, EventList, FileDetail, FileList, InstitutionList, ObjectDetail,
    ObjectList,
};

type Pairs = Query<Vec<(String, String)>>;

pub(super) fn routes() -> Router<Site> {
    Router::new()
        .route("/objects", get(objects))
        .route("/objects/{*which}", get(object))
        .route("/files", get(files))
        .route("/files/{*which}", get(file))
        .route("/events", get(events))
        .route("/events/{*which}", get(event))
        .route("/institutions", get(institutions))
}

async fn objects(State(site): State<Site>, Query(pairs): Pairs) -> Answer<ObjectList> {
    ask(&site, move |desk| Ok(desk.objects(&pairs, COUNTED)?)).await
}

async fn object(State(site): State<Site>, Path(which): Path<String>) -> Answer<ObjectDetail> {
    ask(&site, move |desk| Ok(desk.object(&which)?)).await
}

async fn files(State(site): State<Site>, Query(pairs): Pairs) -> Answer<FileList> {
    ask(&site, move |desk| Ok(desk.files(&pairs, COUNTED)?)).await
}

async fn file(State(site): State<Site>, Path(which): Path<String>) -> Answer<FileDetail> {
    ask(&site, move |desk| Ok(desk.file(&which)?)).await
}

async fn events(State(site): State<Site>, Query(pairs): Pairs) -> Answer<EventList> {
    ask(&site, move |desk| Ok(desk.events(&pairs, COUNTED)?)).await
}

async fn event(State(site): State<Site>, Path(which): Path<String>) -> Answer<EventDetail> {
    ask(&site, move |desk| Ok(desk.event(&which)?)).await
}

async fn institutions(State(site): State<Site>, Query(pairs): Pairs) -> Answer<InstitutionList> {
    ask(&site, move |desk| Ok(desk.institutions(&pairs)?)).await
}
