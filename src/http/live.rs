//! Live progress by server-sent events: what runs, and that something changed.
//!
//! Who looks after the appliance is told of all work, a member of an institution of what is within
//! their sight. A stream ends with its account: within [`ASKED_EVERY`] after the session, the token,
//! the password or the account that opened it.

use std::convert::Infallible;
use std::time::Duration;

use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use storage::registry::Counting;

use super::refusal::Refusal;
use super::{Visit, accounts};
use crate::accounts::Bond;
use crate::rights::{Caller, Sight};

/// Pages that may watch at the same time; further ones refresh on their own.
pub(super) const PLACES: usize = 64;
const EVERY: Duration = Duration::from_secs(1);
/// How often it is asked whether the account that watches is still let in.
const ASKED_EVERY: Duration = Duration::from_secs(5);
/// Looks at a member's items after something was queued or settled: the registry has it a moment
/// later.
const LOOKS_AFTER: u8 = 3;

/// The stream: `progress` while something runs, `changed` when a page has something new to show.
pub(super) async fn stream(visit: Visit, headers: HeaderMap) -> Response {
    let Ok(place) = visit.site.live.clone().try_acquire_owned() else {
        let sentence = "Too many pages watch already; this one refreshes by itself.";
        return Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "no-place", sentence).into_response();
    };
    let secret = accounts::session_secret(&headers);
    let watch = visit.aside(move |visit| Watch::begin(visit, secret.as_deref())).await;
    let watch = match watch {
        Ok(watch) => watch,
        Err(refusal) => return refusal.into_response(),
    };
    let events = futures_util::stream::unfold((visit, place, watch), next);
    Sse::new(events).keep_alive(KeepAlive::default()).into_response()
}

type Watching = (Visit, tokio::sync::OwnedSemaphorePermit, Watch);

/// The next event; none when the appliance stops or the account is no longer let in.
async fn next(
    (visit, place, mut watch): Watching,
) -> Option<(Result<Event, Infallible>, Watching)> {
    loop {
        if visit.shop.stop.asked() {
            return None;
        }
        let looked = visit.aside(move |visit| {
            let seen = watch.look(visit)?;
            Ok((seen, watch))
        });
        // A registry that does not answer ends the stream: the page asks for another.
        let (seen, looked) = looked.await.ok()?;
        watch = looked;
        match seen {
            Seen::Over => return None,
            Seen::Event(event) => return Some((Ok(event), (visit, place, watch))),
            Seen::Nothing => tokio::time::sleep(EVERY).await,
        }
    }
}

/// What one look brought.
enum Seen {
    Event(Event),
    Nothing,
    Over,
}

/// What was last told, and to whom.
struct Watch {
    /// None for the key of the data directory, which lasts as long as the appliance runs.
    bond: Option<Bond>,
    asked_at: Duration,
    rings: u64,
    /// Looks at the caller's own items that are still to be made.
    looks: u8,
    newest: String,
    changes: u64,
    progress: String,
    told_progress: bool,
}

impl Watch {
    fn begin(visit: &Visit, session: Option<&str>) -> Result<Watch, Refusal> {
        let bond = match &*visit.caller {
            Caller::House | Caller::Stranger => None,
            Caller::Person(person) => {
                let bond = Bond::of(&visit.registry, person, session)?;
                Some(bond.ok_or_else(|| Refusal::from(crate::accounts::AccountError::NotKnown))?)
            }
        };
        Ok(Watch {
            bond,
            asked_at: visit.shop.clock.steady(),
            rings: 0,
            looks: 0,
            newest: String::new(),
            changes: 0,
            progress: String::new(),
            told_progress: false,
        })
    }

    /// The next event, if there is news: progress first, then a change, then rest.
    fn look(&mut self, visit: &Visit) -> Result<Seen, Refusal> {
        let shop = &visit.shop;
        let now = shop.clock.steady();
        if now.saturating_sub(self.asked_at) >= ASKED_EVERY {
            self.asked_at = now;
            if let Some(bond) = &self.bond
                && !bond.holds(&visit.registry, shop.clock.now())?
            {
                return Ok(Seen::Over);
            }
        }
        if !self.told_progress {
            self.told_progress = true;
            let text = self.running(visit)?;
            if text != self.progress {
                self.progress.clone_from(&text);
                return Ok(Seen::Event(Event::default().event("progress").data(text)));
            }
        }
        self.told_progress = false;
        if self.has_changed(visit)? {
            self.told_progress = true;
            self.changes += 1;
            let event = Event::default().event("changed").data(self.changes.to_string());
            return Ok(Seen::Event(event));
        }
        Ok(Seen::Nothing)
    }

    /// What runs and may be seen.
    fn running(&self, visit: &Visit) -> Result<String, Refusal> {
        let mut told = Vec::new();
        for it in visit.shop.board.running(visit.shop.clock.steady()) {
            if visit.desk().sees_work(it.item)? {
                told.push(json!({
                    "item": it.item, "topic": it.topic, "done": it.done, "total": it.total
                }));
            }
        }
        Ok(serde_json::Value::from(told).to_string())
    }

    /// Whether something has changed that may be seen: for a member, the newest of their items.
    fn has_changed(&mut self, visit: &Visit) -> Result<bool, Refusal> {
        let rings = visit.shop.queue.bell().count();
        let rung = rings != self.rings;
        self.rings = rings;
        if visit.desk().sight() == Sight::All {
            return Ok(rung);
        }
        self.looks = if rung { LOOKS_AFTER } else { self.looks.saturating_sub(1) };
        if self.looks == 0 {
            return Ok(false);
        }
        let pairs = [("sort", "date_processed__desc"), ("per_page", "1")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()));
        let newest = visit.desk().items(&pairs, Counting::No)?.items;
        let newest = newest.first().map_or_else(String::new, |it| {
            format!("{} {} {} {}", it.id, it.date_processed, it.state, it.topic)
        });
        let changed = newest != self.newest;
        self.newest = newest;
        Ok(changed)
    }
}
