//! Health for machines: alive, ready, well, and how busy. Reads numbers only.

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use super::Site;
use crate::work::Pool;

/// Compact, keys sorted, one line: the described worker's form.
fn line(status: StatusCode, document: &Value) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, format!("{document}\n")).into_response()
}

fn status(well: bool) -> StatusCode {
    if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE }
}

/// 200 when every stage is well, 503 with the reason otherwise.
pub(super) async fn health(State(site): State<Site>) -> Response {
    let health = site.app.health();
    line(status(health.ok()), &health.wire())
}

/// The process answers: that is all it says.
pub(super) async fn live() -> Response {
    line(StatusCode::OK, &json!({"status": "alive"}))
}

/// Every stage has looked for work once and nothing stands in the way of it.
pub(super) async fn ready(State(site): State<Site>) -> Response {
    let health = site.app.health();
    let ready = health.ready();
    let word = if ready { "ready" } else { "not ready" };
    let waiting: Vec<_> =
        health.stages.iter().filter(|stage| !stage.ready).map(|stage| stage.topic).collect();
    line(status(ready), &json!({"status": word, "waiting": waiting, "troubles": health.troubles}))
}

/// Attempts under way per thread, by kind of work; above one, work queues inside.
pub(super) async fn pools(State(site): State<Site>) -> Response {
    let pools = &site.app.shop.pools;
    let entry = |pool: Pool| {
        let saturation = (pools.saturation(pool) * 100.0).round() / 100.0;
        (pool.name().to_owned(), json!({"threads": pools.size(pool), "saturation": saturation}))
    };
    let document: serde_json::Map<_, _> = Pool::ALL.into_iter().map(entry).collect();
    line(StatusCode::OK, &document.into())
}

/// Which program this is.
pub(super) async fn version() -> Response {
    line(StatusCode::OK, &json!({"version": env!("CARGO_PKG_VERSION")}))
}
