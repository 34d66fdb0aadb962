//! `/api/v1/alerts`: for people who have signed in, as they see them; and for the key of the data
//! directory, which sees all and may mark for anybody, named by `as`.

use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use schemars::JsonSchema;
use serde::Deserialize;
use storage::registry::Reader;

use super::value::knows_people;
use super::{known_reader, number, reader};
use crate::desk::{AlertDetail, COUNTED, Marked, Marking};
use crate::http::api::{Answer, read_body};
use crate::http::asked::Pairs;
use crate::http::listed::Question;
use crate::http::refusal::Refusal;
use crate::http::{Site, Visit};
use crate::rights::Caller;

pub(in crate::http) fn routes() -> Router<Site> {
    Router::new()
        .route("/alerts", get(list))
        .route("/alerts/read", post(mark))
        .route("/alerts/{id}", get(one))
}

/// What may be said about reading.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(in crate::http) struct ReadingWish {
    #[serde(rename = "as")]
    reader: Option<String>,
    all: bool,
    read: Vec<i64>,
    unread: Vec<i64>,
}

/// Who reads. Only the key of the data directory reads as somebody else.
fn whose(visit: &Visit, named: Option<&str>) -> Result<Option<Reader>, Refusal> {
    let Some(email) = named else { return reader(visit) };
    if !matches!(*visit.caller, Caller::House) {
        let sentence = "Only the key of the data directory reads for somebody else.";
        return Err(Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence));
    }
    Ok(Some(visit.desk().alert_reader(email)?))
}

async fn list(mut asked: Question) -> Result<Response, Refusal> {
    let (mut named, pairs): (Pairs, Pairs) =
        asked.pairs.into_iter().partition(|(name, _)| name == "as");
    asked.pairs = pairs;
    let named = named.pop().map(|(_, email)| email);
    let reader = asked.visit.aside(move |visit| whose(visit, named.as_deref())).await;
    let reader = reader.map_err(Refusal::as_json)?;
    asked.list(COUNTED, move |desk, pairs, counting| desk.alerts(pairs, reader, counting)).await
}

async fn one(visit: Visit, Path(id): Path<String>) -> Answer<AlertDetail> {
    let id = number(&id).map_err(Refusal::as_json)?;
    let found = visit.aside(move |visit| {
        let reader = reader(visit)?;
        let mut detail = visit.desk().alert(id, reader)?;
        // Addresses of people are for those who look after people.
        let whole = reader.is_none() || knows_people(reader);
        detail.sent.retain(|row| whole || !row.recipient.contains('@'));
        Ok(detail)
    });
    found.await.map(Json).map_err(Refusal::as_json)
}

async fn mark(visit: Visit, body: String) -> Answer<Marked> {
    let wish: ReadingWish = read_body(&body)?;
    let marking = match (wish.all, wish.read.is_empty(), wish.unread.is_empty()) {
        (true, true, true) => Marking::AllRead,
        (false, false, true) => Marking::Read(wish.read),
        (false, true, false) => Marking::Unread(wish.unread),
        (_, _, _) => {
            let sentence = "Say one of {\"read\": [1]}, {\"unread\": [1]} and {\"all\": true}.";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).as_json());
        }
    };
    let marked = visit.aside(move |visit| {
        let reader = match wish.reader {
            Some(email) => whose(visit, Some(&email))?.ok_or_else(Refusal::mistake)?,
            None => known_reader(visit)?,
        };
        Ok(visit.desk().mark_alerts(reader, &marking)?)
    });
    marked.await.map(Json).map_err(Refusal::as_json)
}
