//! Live progress by server-sent events: what runs, and that something changed.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::Visit;
use super::refusal::Refusal;

/// Pages that may watch at the same time; further ones refresh on their own.
pub(super) const PLACES: usize = 64;
const EVERY: Duration = Duration::from_secs(1);

/// The stream: `progress` while something runs, `changed` when a page has something new to show.
pub(super) async fn stream(visit: Visit) -> Response {
    let Ok(place) = visit.site.live.clone().try_acquire_owned() else {
        let sentence = "Too many pages watch already; this one refreshes by itself.";
        return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "no-place", sentence).into_response();
    };
    let start = (visit, place, Watch::default());
    let events = futures_util::stream::unfold(start, |(visit, place, mut watch)| async move {
        loop {
            if visit.shop.stop.asked() {
                return None;
            }
            if let Some(event) = watch.look(&visit) {
                return Some((Ok::<_, Infallible>(event), (visit, place, watch)));
            }
            tokio::time::sleep(EVERY).await;
        }
    });
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

/// What was last told.
#[derive(Default)]
struct Watch {
    rings: u64,
    progress: String,
    told_progress: bool,
}

impl Watch {
    /// The next event, if there is news: progress first, then a change, then rest.
    fn look(&mut self, visit: &Visit) -> Option<Event> {
        let shop = &visit.shop;
        if !self.told_progress {
            self.told_progress = true;
            let running = shop.board.running(shop.clock.steady());
            let told: Vec<_> = running
                .iter()
                .map(|it| json!({"item": it.item, "topic": it.topic, "done": it.done, "total": it.total}))
                .collect();
            let text = serde_json::Value::from(told).to_string();
            if text != self.progress {
                self.progress.clone_from(&text);
                return Some(Event::default().event("progress").data(text));
            }
        }
        self.told_progress = false;
        let rings = shop.queue.bell().count();
        if rings != self.rings {
            self.rings = rings;
            self.told_progress = true;
            return Some(Event::default().event("changed").data(rings.to_string()));
        }
        None
    }
}
