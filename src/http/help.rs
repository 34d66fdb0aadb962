//! Help, for whoever has signed in.

use axum::Router;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use web::{Here, accessibility_page, help_page};

use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, Visit};

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new().route("/help", get(words)).route("/help/accessibility", get(accessibility))
}

async fn words(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Help", Here::Help, &headers);
            Ok(answer(&shell, help_page(&shell)))
        })
        .await
}

async fn accessibility(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Accessibility", Here::Help, &headers);
            Ok(answer(&shell, accessibility_page(&shell)))
        })
        .await
}
