//! What people were told of: pages and API. Whoever has signed in sees what concerns them, and reads
//! for themselves.

mod api;
mod value;

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use storage::registry::Reader;
use web::{Here, alert_page, alerts_page};

use super::asked::Pairs;
use super::filters::with_saved;
use super::flash::see;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, Visit};
use crate::desk::Marking;

pub(super) use api::{ReadingWish, routes as api};

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/alerts", get(list))
        .route("/alerts/read", post(read_all))
        .route("/alerts/{id}", get(one))
        .route("/alerts/{id}/read", post(|a, b| mark(a, b, true)))
        .route("/alerts/{id}/unread", post(|a, b| mark(a, b, false)))
}

/// How many alerts a user has not read, for the frame of a page.
pub(super) fn unread(visit: &Visit, user: i64) -> u64 {
    let count = visit.registry.alert_reader(user).and_then(|reader| match reader {
        Some(reader) => visit.registry.unread_count(reader),
        None => Ok(0),
    });
    // The page says already that the registry ails.
    count.unwrap_or(0)
}

/// Who reads: the person who asks, or nobody in particular for the owner of the data directory.
fn reader(visit: &Visit) -> Result<Option<Reader>, Refusal> {
    let Some(user) = visit.user() else { return Ok(None) };
    visit.registry.alert_reader(user.id)?.map(Some).ok_or_else(not_allowed)
}

/// The same, when it must be somebody.
fn known_reader(visit: &Visit) -> Result<Reader, Refusal> {
    let user = visit.person()?;
    visit.registry.alert_reader(user.id)?.ok_or_else(not_allowed)
}

fn not_allowed() -> Refusal {
    let sentence = "Your account may not read alerts.";
    Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence).next("Ask an administrator.")
}

async fn list(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let reader = reader(visit)?;
            let shell = shell(visit, "Alerts", Here::Alerts, &headers);
            let shell = with_saved(visit, shell, "/alerts", &pairs);
            Ok(answer(&shell, alerts_page(&shell, &value::list(visit, pairs, reader)?)))
        })
        .await
}

/// Shows one alert. Looking at it marks nothing: a link may be opened by a mail program, unseen.
async fn one(
    visit: Visit,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let page = value::one(visit, id, reader(visit)?)?;
            let shell = shell(visit, page.line.subject.clone(), Here::Alerts, &headers);
            Ok(answer(&shell, alert_page(&shell, &page)))
        })
        .await
}

async fn mark(visit: Visit, Path(id): Path<String>, read: bool) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let reader = known_reader(visit)?;
            // Refuses what is not there, or is not for this reader.
            visit.desk().alert(id, Some(reader))?;
            let (marking, word) = match read {
                true => (Marking::Read(vec![id]), "read"),
                false => (Marking::Unread(vec![id]), "unread"),
            };
            visit.desk().mark_alerts(reader, &marking)?;
            Ok(see("/alerts", &format!("Alert {id} is marked as {word}.")))
        })
        .await
}

async fn read_all(visit: Visit) -> Result<Response, Refusal> {
    visit
        .aside(|visit| {
            let reader = known_reader(visit)?;
            let marked = visit.desk().mark_alerts(reader, &Marking::AllRead)?.marked;
            Ok(see("/alerts", &format!("Marked {} as read.", web::counted(marked, "alert"))))
        })
        .await
}

fn number(text: &str) -> Result<i64, Refusal> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("There is no alert {shown:?}: alerts have numbers.");
        Refusal::new(StatusCode::NOT_FOUND, "no-such-alert", sentence)
    })
}
