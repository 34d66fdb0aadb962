//! Health for machines: alive, ready, well, and how busy. Reads numbers only, but for `/health/ready`,
//! which tries what pages need and reads some of the layers that sites are assessed with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::Site;
use super::refusal::Refusal;
use crate::app::App;
use crate::fault::{Classify, Kind};
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

/// Longest wait for a thread and a connection of those that pages use.
const PROBE: Duration = Duration::from_secs(3);

/// Said when they are not to be had.
const NO_PAGES: &str =
    "pages do not answer: every thread or every connection to the registry is taken";

/// Said when files that sites are assessed with are not as they were loaded.
const NO_SITES: &str = "the reference data is damaged, no site can be assessed";

/// Tries what pages need. However many ask, one task at a time is tried, so that probes of a pool
/// that is full do not fill it further.
pub(super) struct Probe {
    turn: Arc<Semaphore>,
    /// Whether the last task that was tried could read.
    answered: Arc<AtomicBool>,
    /// Whether it found reference data damaged.
    has_damage: Arc<AtomicBool>,
}

impl Default for Probe {
    fn default() -> Probe {
        Probe {
            turn: Arc::new(Semaphore::new(1)),
            answered: Arc::new(AtomicBool::new(true)),
            has_damage: Arc::default(),
        }
    }
}

impl Probe {
    /// Whether a page would be answered.
    async fn pages_answer(&self, site: &Site) -> bool {
        let (answered, has_damage) = (Arc::clone(&self.answered), Arc::clone(&self.has_damage));
        let tried = async {
            let Ok(turn) = Arc::clone(&self.turn).try_acquire_owned() else {
                // Another probe waits for its task; when that has ended, so has ours.
                return self.turn.acquire().await.is_ok();
            };
            let task = super::aside(site, move |app| {
                answered.store(app.registry.max_item_id().is_ok(), Ordering::Relaxed);
                has_damage.store(has_damaged_layers(app), Ordering::Relaxed);
                // The turn ends with the task, and not with whoever waited for it.
                drop(turn);
                Ok::<_, Refusal>(())
            });
            task.await.is_ok()
        };
        let in_time = tokio::time::timeout(PROBE, tried).await.unwrap_or(false);
        in_time && self.answered.load(Ordering::Relaxed)
    }
}

/// Whether sites are assessed with files that are not as they were loaded. A disk that does not answer for
/// a moment is no damage.
fn has_damaged_layers(app: &App) -> bool {
    match app.atlas.damaged(app.shop.clock.steady()) {
        Ok(damaged) => !damaged.is_empty(),
        Err(error) => matches!(error.kind(), Kind::Fatal),
    }
}

/// Every stage has looked for work once, nothing stands in the way of it, pages answer, and the layers that
/// sites are assessed with are as they were loaded.
pub(super) async fn ready(State(site): State<Site>) -> Response {
    let mut health = site.app.health();
    if !site.probe.pages_answer(&site).await {
        health.troubles.push(NO_PAGES);
    }
    if site.probe.has_damage.load(Ordering::Relaxed) {
        health.troubles.push(NO_SITES);
    }
    let ready = health.ready();
    let word = if ready { "ready" } else { "not ready" };
    let waiting: Vec<_> = health.awaited().map(|stage| stage.topic).collect();
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
