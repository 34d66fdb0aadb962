//! Pages and API for those who look after the house.

mod maintenance;
mod schedules;
mod settings;
mod storage;

use axum::Router;
use axum::routing::{get, post};

use super::Site;

pub(super) use maintenance::{MaintenanceWish, closed, notice};

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/maintenance", get(maintenance::page).post(maintenance::switch))
        .route("/settings", get(settings::page))
        .route("/storage", get(storage::page))
        .route("/schedules", get(schedules::page))
        .route("/schedules/{name}/run", post(schedules::run))
}

/// The same for programs.
pub(super) fn api() -> Router<Site> {
    Router::new()
        .route("/maintenance", get(maintenance::told).post(maintenance::wish))
        .route("/settings", get(settings::told))
        .route("/storage", get(storage::told))
        .route("/schedules", get(schedules::told))
        .route("/schedules/{name}/run", post(schedules::wish))
}
