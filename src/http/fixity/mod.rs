//! Checks of what is held: how they stand, what comes next, and the wish for one now; and the
//! replacement of what they found lost.

mod replacing;
mod value;

use axum::body::Body;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use web::{Here, fixity_fragment, fixity_page};

pub(super) use self::replacing::{is_replacement, replace};
use super::api::{Answer, ask};
use super::asked::{Pairs, bad, find};
use super::flash::see;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::stream::Outgoing;
use super::{Site, Visit};
use crate::desk::{ChecksAsked, DUE_MAX, ItemDetail, ReplicaDue};
use crate::fixity::Standing;

/// Objects told of one replica unless more are asked for.
const DUE: u32 = 20;

pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/fixity", get(page))
        .route("/fixity/check", post(check_all_by_form))
        .route("/fixity/objects/{id}/check", post(check_by_form))
        .merge(replacing::pages())
        .route("/fragments/fixity", get(fragment))
}

pub(super) fn api() -> Router<Site> {
    Router::new()
        .route("/fixity", get(standing))
        .route("/fixity/due", get(due))
        .route("/fixity/check", post(check_all))
        .route("/fixity/report.csv", get(replicas_csv))
        .route("/fixity/unsound.csv", get(unsound_csv))
}

async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Fixity", Here::Fixity, &headers);
            Ok(answer(&shell, fixity_page(&shell, &value::page(visit)?)))
        })
        .await
}

async fn fragment(visit: Visit) -> Result<Html<String>, Refusal> {
    visit.aside(|visit| Ok(Html(fixity_fragment(&value::page(visit)?).into_string()))).await
}

async fn check_all_by_form(visit: Visit) -> Result<Response, Refusal> {
    visit
        .aside(|visit| {
            let asked = visit.desk().check_all()?;
            Ok(see("/fixity", &asked.sentence()))
        })
        .await
}

async fn check_by_form(visit: Visit, Path(id): Path<String>) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let item = visit.desk().check_object(&id)?.item;
            let sentence = "Everything that the replicas hold of it is read. This page follows it.";
            Ok(see(&format!("/items/{}", item.id), sentence))
        })
        .await
}

async fn standing(visit: Visit) -> Answer<Standing> {
    ask(&visit, |desk| Ok(desk.fixity()?)).await
}

async fn due(visit: Visit, Query(pairs): Query<Pairs>) -> Answer<Vec<ReplicaDue>> {
    let limit = limit(&pairs).map_err(Refusal::as_json)?;
    ask(&visit, move |desk| Ok(desk.fixity_due(limit)?)).await
}

fn limit(pairs: &[(String, String)]) -> Result<u32, Refusal> {
    let Some(text) = find(pairs, "limit") else { return Ok(DUE) };
    let number = text.parse().ok().filter(|number| (1..=DUE_MAX).contains(number));
    number.ok_or_else(|| bad("limit", format!("must be a whole number from 1 to {DUE_MAX}")))
}

type Accepted<T> = Result<(StatusCode, Json<T>), Refusal>;

async fn check_all(visit: Visit) -> Accepted<ChecksAsked> {
    let asked = ask(&visit, |desk| Ok(desk.check_all()?)).await?;
    Ok((StatusCode::ACCEPTED, asked))
}

/// Looks at one object; the way to it stands with the objects.
pub(super) async fn check_object(visit: &Visit, which: String) -> Accepted<ItemDetail> {
    let item = ask(visit, move |desk| Ok(desk.check_object(&which)?)).await?;
    Ok((StatusCode::ACCEPTED, item))
}

async fn replicas_csv(visit: Visit) -> Result<Response, Refusal> {
    let name = "fixity.csv";
    let outgoing = Outgoing::begin(&visit).map_err(Refusal::as_json)?;
    let rows = outgoing.spooled(name.to_owned(), |desk, out| desk.fixity_csv(out)).await;
    Ok(table(name, rows.map_err(Refusal::as_json)?))
}

async fn unsound_csv(visit: Visit) -> Result<Response, Refusal> {
    let name = "unsound.csv";
    let outgoing = Outgoing::begin(&visit).map_err(Refusal::as_json)?;
    let rows = outgoing.spooled(name.to_owned(), |desk, out| desk.unsound_csv(out)).await;
    Ok(table(name, rows.map_err(Refusal::as_json)?))
}

/// A table that a browser saves under this name.
fn table(name: &str, rows: Body) -> Response {
    let kind = (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned());
    let saved = (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""));
    ([kind, saved], rows).into_response()
}
