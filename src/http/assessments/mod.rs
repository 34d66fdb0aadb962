//! Assessments over HTTP: asking for one by message, file or page, following it, taking it away; and
//! the reference data they stand on.

mod api;
mod delivered;
mod intake;
mod pages;
mod reference;
mod sums;
mod value;

use axum::Router;
use axum::routing::{get, post};

use super::Site;

pub(super) use api::{CHECK_BOUNDARY, NearbyWish, boundary_too_large};
pub(super) use intake::JobMessage;

/// Boundaries that are read and judged at once: each may keep a processor busy for some seconds.
pub(super) const JUDGED_AT_ONCE: usize = 4;

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/assessments", get(pages::list).post(pages::send))
        .route("/assessments/new", get(pages::form))
        .route("/assessments/check", post(pages::check))
        .route("/assessments/{which}", get(pages::one))
        .route("/fragments/assessments/{which}", get(pages::fragment))
        .route("/assessments/{which}/again", post(pages::again))
        .route("/assessments/{which}/send", post(pages::send_again))
        .route("/reference-data", get(reference::page))
        .route("/fragments/reference-data", get(reference::fragment))
        .route("/reference-data/load", post(reference::load))
        .route("/reference-data/roll-back", get(reference::ask).post(reference::roll_back))
}

/// The same for programs.
pub(super) fn api() -> Router<Site> {
    Router::new()
        .route("/assessments", get(api::list).post(api::send))
        .route("/assessments/{which}", get(api::one))
        .route("/assessments/{which}/poll", get(api::poll))
        .route("/assessments/{which}/result.json", get(api::json))
        .route("/assessments/{which}/result.csv", get(api::csv))
        .route("/assessments/{which}/result.geojson", get(api::geojson))
        .route("/assessments/{which}/again", post(api::again))
        .route("/assessments/{which}/send", post(api::send_again))
        .route("/check-boundary", post(api::check))
        .route("/treatment-works/nearby", post(api::nearby))
        .route("/reference-data", get(reference::told).post(reference::wish))
        .route("/reference-data/roll-back", post(reference::wish_back))
}
