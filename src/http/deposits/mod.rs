//! Deposits: what lies in the receiving areas, and two ways to bring one, by page and by API.
//!
//! An upload takes as long as it takes: what is bounded is its silence, not its length.

pub(super) mod parts;
pub(super) mod upload;
mod value;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Path, Query};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{Html, Response};
use axum::routing::{get, put};
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use web::{Here, deposits_fragment, deposits_page};

pub(super) use self::parts::Parts;
use self::upload::Writing;
pub(super) use self::upload::{Incoming, Stopped};
use super::api::{Answer, ask};
use super::fixity::is_replacement;
use super::flash::see;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, Visit, csrf};
use crate::desk::DepositList;
use crate::ingest::{Arrival, Arrived};

/// Longest institution in a form.
const INSTITUTION_BYTES: usize = 255;
/// Longest mark of a form.
const MARK_BYTES: usize = 64;
/// What a form brings around its file, at most.
const AROUND: u64 = 4096;

pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/deposits", get(page).post(upload).layer(DefaultBodyLimit::disable()))
        .route("/fragments/deposits", get(fragment))
}

pub(super) fn api() -> Router<Site> {
    Router::new()
        .route("/deposits", get(list))
        .route("/deposits/{institution}/{name}", put(receive).layer(DefaultBodyLimit::disable()))
        .route("/deposits/{institution}/{name}/check", get(check))
}

/// Whether a request brings a deposit or a lost file and watches its own time.
pub(super) fn is_upload(method: &Method, path: &str) -> bool {
    let is_deposit = match *method {
        Method::POST => path == "/deposits",
        Method::PUT => path.starts_with("/api/v1/deposits/"),
        _ => false,
    };
    is_deposit || is_replacement(method, path)
}

async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Deposits", Here::Deposits, &headers);
            Ok(answer(&shell, deposits_page(&shell, &value::value(visit)?)))
        })
        .await
}

async fn fragment(visit: Visit) -> Result<Html<String>, Refusal> {
    visit.aside(|visit| Ok(Html(deposits_fragment(&value::value(visit)?).into_string()))).await
}

async fn list(visit: Visit) -> Answer<DepositList> {
    ask(&visit, |desk| Ok(desk.deposits()?)).await
}

/// What an upload became, for programs.
#[derive(Serialize, JsonSchema)]
pub(super) struct Received {
    institution: String,
    name: String,
    size_bytes: u64,
    /// The item that works on it.
    item: Option<u64>,
    /// The item that comes to its end first.
    waits_behind: Option<u64>,
    /// The page to look at.
    page: String,
}

fn page_of(arrived: &Arrived) -> String {
    arrived.item.map_or_else(|| "/deposits".to_owned(), |item| format!("/items/{item}"))
}

/// `PUT` of the bytes themselves.
async fn receive(
    visit: Visit,
    Path((institution, name)): Path<(String, String)>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<Received>), Refusal> {
    let mut incoming = Incoming::of(&visit, body);
    let begun = Writing::begin(&visit, institution.clone(), name.clone(), length(&headers)).await;
    let mut writing = match begun {
        Ok(writing) => writing,
        Err(refusal) => {
            // A client that asks first whether to go on is told no at once.
            if !headers.contains_key(header::EXPECT) {
                incoming.drop_rest().await;
            }
            return Err(refusal.as_json());
        }
    };
    loop {
        let piece = incoming.next().await.map_err(|stopped| Refusal::from(stopped).as_json())?;
        let Some(piece) = piece else { break };
        if let Err(refusal) = writing.write(&visit, &piece).await {
            drop(writing);
            incoming.drop_rest().await;
            return Err(refusal.as_json());
        }
    }
    let arrived = writing.complete(&visit).await.map_err(Refusal::as_json)?;
    let received = Received {
        institution,
        name,
        size_bytes: arrived.size_bytes,
        item: arrived.item,
        waits_behind: arrived.behind,
        page: page_of(&arrived),
    };
    Ok((StatusCode::CREATED, Json(received)))
}

/// The form of the page.
async fn upload(visit: Visit, headers: HeaderMap, body: Body) -> Result<Response, Refusal> {
    let incoming = Incoming::of(&visit, body);
    let Some(mut parts) = Parts::of(&headers, incoming) else {
        return Err(Stopped::NotAForm.into());
    };
    match from_form(&visit, &mut parts, length_in_form(&headers)).await {
        Ok((name, arrived)) => Ok(told(&name, &arrived)),
        Err(refusal) => {
            parts.rest().drop_rest().await;
            Err(refusal)
        }
    }
}

async fn from_form(
    visit: &Visit,
    parts: &mut Parts,
    length: Option<u64>,
) -> Result<(String, Arrived), Refusal> {
    let mut institution = None;
    while let Some(part) = parts.next().await? {
        match part.name.as_str() {
            "institution" => institution = Some(parts.text(INSTITUTION_BYTES).await?),
            "file" => {
                let institution = institution.take().unwrap_or_default();
                let name = part.file_name;
                let mut writing = Writing::begin(visit, institution, name.clone(), length).await?;
                while let Some(piece) = parts.piece().await? {
                    writing.write(visit, &piece).await?;
                }
                // Only the end of the form says that nothing was cut off.
                if parts.next().await?.is_some() {
                    return Err(Stopped::NotAForm.into());
                }
                return Ok((name, writing.complete(visit).await?));
            }
            // Looked at before the form came here.
            csrf::FIELD => drop(parts.text(MARK_BYTES).await?),
            _ => return Err(Stopped::NotAForm.into()),
        }
    }
    Err(Stopped::NotAForm.into())
}

fn told(name: &str, arrived: &Arrived) -> Response {
    let sentence = match (arrived.item, arrived.behind) {
        (Some(_), _) => format!("{name} is received; this page follows it."),
        (None, Some(id)) => {
            format!("{name} is received; it waits until item {id}, an earlier deposit, ends.")
        }
        (None, None) => format!("{name} is received; it will be taken within a minute."),
    };
    see(&page_of(arrived), &sentence)
}

/// How much is announced.
fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// How large the file in a form is at least.
fn length_in_form(headers: &HeaderMap) -> Option<u64> {
    Some(length(headers)?.saturating_sub(AROUND).max(1))
}

/// A bag that would be taken.
#[derive(Serialize, JsonSchema)]
pub(super) struct Welcome {
    welcome: bool,
}

#[derive(Deserialize)]
struct Size {
    size_bytes: Option<u64>,
}

/// Whether a deposit would be taken: asked by the page before it sends much.
async fn check(
    visit: Visit,
    Path((institution, name)): Path<(String, String)>,
    Query(size): Query<Size>,
) -> Answer<Welcome> {
    let checked = visit.aside(move |visit| {
        visit.desk().require_area(&institution)?;
        visit.desk().require_name(&institution, &name)?;
        Ok(Arrival::check(visit, &institution, &name, size.size_bytes)?)
    });
    checked.await.map_err(Refusal::as_json)?;
    Ok(Json(Welcome { welcome: true }))
}
