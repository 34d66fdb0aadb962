//! Maintenance over HTTP: the switch, and the closed door for everybody else.

use axum::extract::Form;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{Html, IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use web::{ClosedPage, Here, MaintenancePage, Notice, Shell, Tone, closed_page, maintenance_page};

use crate::desk::{Desk, MaintenanceTold};
use crate::http::api::{Answer, ask, read_body};
use crate::http::doors::Door;
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};
use crate::http::{Site, Visit, entrance};
use crate::maintenance::{LONGEST, USUAL};
use crate::rights::{Caller, Right};

/// When programs may ask again, in seconds.
const AGAIN: &str = "600";

/// What everybody is told who may not look after the house, while it is closed. Whatever is open to
/// strangers stays open: health, and the ways to sign in.
pub(in crate::http) fn closed(
    site: &Site,
    caller: &Caller,
    door: Door,
    uri: &Uri,
) -> Option<Response> {
    let closed = site.app.maintenance.closed()?;
    let is_open = matches!(door, Door::Open | Door::Local) || caller.may(Right::KeepHouse);
    if is_open {
        return None;
    }
    let status = StatusCode::SERVICE_UNAVAILABLE;
    let is_v3 = ["/member-api/", "/admin-api/"].iter().any(|it| uri.path().starts_with(it));
    let told = if is_v3 {
        let error = "Closed for maintenance";
        let body = json!({"StatusCode": 503, "Error": error, "Message": closed.sentence});
        (status, axum::Json(body)).into_response()
    } else if entrance::is_for_programs(uri) {
        let refusal = Refusal::new(status, "maintenance", closed.sentence.clone());
        refusal.next("Ask again in a while.").as_json().into_response()
    } else {
        let shell = Shell {
            title: "Closed for maintenance".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            ..Shell::default()
        };
        let is_known = caller.user().is_some();
        let page = ClosedPage { sentence: closed.sentence.clone(), is_known };
        (status, Html(closed_page(&shell, &page).into_string())).into_response()
    };
    Some(([(header::RETRY_AFTER, AGAIN)], told).into_response())
}

/// What those are reminded of who look after the house, on every page.
pub(in crate::http) fn notice(visit: &Visit) -> Option<Notice> {
    let closed = visit.maintenance.closed()?;
    let sentence = format!(
        "The house is closed for maintenance: only administrators come in, and no work is begun. \
         People are told: {} Open it again at Settings, Maintenance.",
        closed.sentence
    );
    Some(Notice::new(Tone::Warn, sentence))
}

/// What the form says.
#[derive(Deserialize)]
pub(super) struct Switch {
    on: bool,
    #[serde(default)]
    sentence: String,
}

/// What a program says.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct MaintenanceWish {
    /// Whether it shall be closed.
    on: bool,
    /// What people are told.
    #[serde(default)]
    sentence: String,
}

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    shown(&visit, None, headers).await
}

pub(super) async fn switch(
    visit: Visit,
    headers: HeaderMap,
    Form(wish): Form<Switch>,
) -> Result<Response, Refusal> {
    let sentence = wish.sentence.clone();
    match visit.aside(move |visit| set(visit.desk(), wish.on, &wish.sentence)).await {
        Ok(told) if told.on => Ok(see("/maintenance", "The house is closed for maintenance.")),
        Ok(_) => Ok(see("/maintenance", "The house is open again.")),
        Err(refusal) if refusal.is_about_wish() => {
            shown(&visit, Some((sentence, refusal)), headers).await
        }
        Err(refusal) => Err(refusal),
    }
}

pub(super) async fn told(visit: Visit) -> Answer<MaintenanceTold> {
    ask(&visit, |desk| Ok(desk.maintenance())).await
}

pub(super) async fn wish(visit: Visit, body: String) -> Answer<MaintenanceTold> {
    let wish: MaintenanceWish = read_body(&body)?;
    ask(&visit, move |desk| set(desk, wish.on, &wish.sentence)).await
}

fn set(desk: Desk<'_>, on: bool, sentence: &str) -> Result<MaintenanceTold, Refusal> {
    Ok(if on { desk.close(sentence)? } else { desk.reopen()? })
}

/// The switch, with what was wrong with the last try.
async fn shown(
    visit: &Visit,
    tried: Option<(String, Refusal)>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let told = visit.desk().maintenance();
            let (status, problem, tried) = match tried {
                Some((sentence, refusal)) => {
                    let (status, problem) = refusal.said();
                    (status, Some(problem), Some(sentence))
                }
                None => (StatusCode::OK, None, None),
            };
            let page = MaintenancePage {
                since: told.since,
                by: told.by.unwrap_or_default(),
                sentence: tried.or(told.sentence).unwrap_or_else(|| USUAL.into()),
                longest: LONGEST as u64,
                problem,
            };
            let shell = shell(visit, "Maintenance", Here::Settings, &headers);
            Ok((status, answer(&shell, maintenance_page(&shell, &page))).into_response())
        })
        .await
}
