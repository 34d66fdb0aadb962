//! `/member-api/v3` and `/admin-api/v3`: what clients of the described registry ask, in its words.
//!
//! Lists come in its envelope, rows have its fields, refusals its form: `{"error"}` from the door,
//! `{"StatusCode", "Error"}` from a handler. What another institution holds is refused (403) where it
//! is there and missing (404) where it is not, as its clients expect.
//!
//! Records follow from deposits here, so nobody writes them from outside: those addresses say so
//! (405) and what to do instead. What people ask for goes through the desk as everywhere.

mod answer;
mod asked;
mod moments;
mod resource;
mod stages;
mod unsupported;
mod wishes;

use axum::Router;
use axum::http::Uri;
use axum::routing::{delete, get, post, put};

use self::resource::{
    alerts, checksums, deletions, events, files, institutions, items, objects, storage_records,
};
use super::Site;

/// Whether an address is one of these.
pub(super) fn is_here(uri: &Uri) -> bool {
    ["/member-api/", "/admin-api/"].iter().any(|start| uri.path().starts_with(start))
}

/// What members read.
pub(super) fn member() -> Router<Site> {
    shared().route("/files", get(files::list))
}

/// What those read and ask for who look after the appliance.
pub(super) fn admin() -> Router<Site> {
    shared()
        .route("/files", get(files::list_whole))
        .route("/institutions", get(institutions::list))
        .route("/institutions/show/{id}", get(institutions::show))
        .route("/storage_records", get(storage_records::list))
        .route("/storage_records/show/{id}", get(storage_records::show))
        .route("/alerts/generate_failed_fixity_alerts", post(wishes::tell_failed_checks))
        .route("/objects/init_restore/{id}", post(wishes::restore))
        .route("/objects/init_batch_delete", post(wishes::delete_many))
        .route("/items/requeue/{id}", put(wishes::requeue))
        .route("/items/redis_delete/{id}", delete(wishes::drop_interim))
        .route("/checksums/create/{institution}", post(unsupported::create))
        .route("/files/create/{institution}", post(unsupported::create))
        .route("/files/create_batch/{institution}", post(unsupported::create))
        .route("/files/update/{id}", put(unsupported::change_file))
        .route("/files/delete/{id}", delete(unsupported::delete_file))
        .route("/objects/create/{institution}", post(unsupported::create))
        .route("/objects/update/{id}", put(unsupported::change_object))
        .route("/objects/delete/{id}", delete(unsupported::delete_object))
        .route("/events/create", post(unsupported::create_event))
        .route("/storage_records/create/{institution}", post(unsupported::create))
        .route("/items/create/{institution}", post(unsupported::create_item))
        .route("/items/update/{id}", put(unsupported::change_item))
}

fn shared() -> Router<Site> {
    Router::new()
        .route("/alerts", get(alerts::list))
        .route("/alerts/show/{id}/{user}", get(alerts::show))
        .route("/checksums", get(checksums::list))
        .route("/checksums/show/{id}", get(checksums::show))
        .route("/deletions", get(deletions::list))
        .route("/deletions/show/{id}", get(deletions::show))
        .route("/files/show/{*which}", get(files::show))
        .route("/objects", get(objects::list))
        .route("/objects/show/{*which}", get(objects::show))
        .route("/events", get(events::list))
        .route("/events/show/{*which}", get(events::show))
        .route("/items", get(items::list))
        .route("/items/show/{id}", get(items::show))
}
