//! What people were told of: pages and API. Whoever has signed in sees what concerns them, and reads
//! for themselves; without a sign-in everything is shown, and nothing is marked.

mod api;
mod value;

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::{get, post};
use storage::registry::Reader;
use web::{Here, alert_page, alerts_page};

use super::accounts::{known_person, person};
use super::asked::Pairs;
use super::flash::see;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, aside};
use crate::app::App;
use crate::desk::Marking;

pub(super) use api::routes as api;

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/alerts", get(list))
        .route("/alerts/read", post(read_all))
        .route("/alerts/{id}", get(one))
        .route("/alerts/{id}/read", post(|a, b, c| mark(a, b, c, true)))
        .route("/alerts/{id}/unread", post(|a, b, c| mark(a, b, c, false)))
}

/// How many alerts a user has not read, for the frame of a page.
pub(super) fn unread(app: &App, user: i64) -> u64 {
    let count = app.registry.alert_reader(user).and_then(|reader| match reader {
        Some(reader) => app.registry.unread_count(reader),
        None => Ok(0),
    });
    // The page says already that the registry ails.
    count.unwrap_or(0)
}

/// Who reads: the person who has signed in, or nobody in particular.
async fn reader(site: &Site, headers: &HeaderMap) -> Result<Option<Reader>, Refusal> {
    let Some(user) = person(site, headers).await? else { return Ok(None) };
    let found = aside(site, move |app| Ok(app.registry.alert_reader(user.id)?)).await?;
    found.map(Some).ok_or_else(not_allowed)
}

/// The same, when it must be somebody.
async fn known_reader(site: &Site, headers: &HeaderMap) -> Result<Reader, Refusal> {
    let user = known_person(site, headers).await?;
    let found = aside(site, move |app| Ok(app.registry.alert_reader(user.id)?)).await?;
    found.ok_or_else(not_allowed)
}

fn not_allowed() -> Refusal {
    let sentence = "Your account may not read alerts.";
    Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence).next("Ask an administrator.")
}

async fn list(
    State(site): State<Site>,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let reader = reader(&site, &headers).await?;
    aside(&site, move |app| {
        let shell = shell(app, "Alerts", Here::Alerts, &headers);
        Ok(answer(&shell, alerts_page(&shell, &value::list(app, pairs, reader)?)))
    })
    .await
}

/// Shows one alert. Looking at it marks nothing: a link may be opened by a mail program, unseen.
async fn one(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (id, reader) = (number(&id)?, reader(&site, &headers).await?);
    aside(&site, move |app| {
        let page = value::one(app, id, reader)?;
        let shell = shell(app, page.line.subject.clone(), Here::Alerts, &headers);
        Ok(answer(&shell, alert_page(&shell, &page)))
    })
    .await
}

async fn mark(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
    read: bool,
) -> Result<Response, Refusal> {
    let (id, reader) = (number(&id)?, known_reader(&site, &headers).await?);
    aside(&site, move |app| {
        // Refuses what is not there, or is not for this reader.
        app.desk().alert(id, Some(reader))?;
        let (marking, word) = match read {
            true => (Marking::Read(vec![id]), "read"),
            false => (Marking::Unread(vec![id]), "unread"),
        };
        app.desk().mark_alerts(reader, &marking)?;
        Ok(see("/alerts", &format!("Alert {id} is marked as {word}.")))
    })
    .await
}

async fn read_all(State(site): State<Site>, headers: HeaderMap) -> Result<Response, Refusal> {
    let reader = known_reader(&site, &headers).await?;
    aside(&site, move |app| {
        let marked = app.desk().mark_alerts(reader, &Marking::AllRead)?.marked;
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
