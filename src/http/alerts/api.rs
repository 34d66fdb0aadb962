//! `/api/v1/alerts`: for people who have signed in, as they see them; and for the key of the data
//! directory, which sees all and may mark for anybody, named by `as`.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use serde::Deserialize;
use storage::registry::{Counting, Reader};

use super::value::knows_people;
use super::{known_reader, number, reader};
use crate::desk::{AlertDetail, AlertList, Marked, Marking};
use crate::http::api::{Answer, ask};
use crate::http::asked::Pairs;
use crate::http::refusal::Refusal;
use crate::http::{Site, aside};

/// Most that are counted.
const COUNTED: u64 = 100_001;

pub(in crate::http) fn routes() -> Router<Site> {
    Router::new()
        .route("/alerts", get(list))
        .route("/alerts/read", post(mark))
        .route("/alerts/{id}", get(one))
}

/// What may be said about reading.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Wish {
    #[serde(rename = "as")]
    reader: Option<String>,
    all: bool,
    read: Vec<i64>,
    unread: Vec<i64>,
}

/// Who reads. Only the key of the data directory reads as somebody else.
async fn whose(
    site: &Site,
    headers: &HeaderMap,
    named: Option<String>,
) -> Result<Option<Reader>, Refusal> {
    let Some(email) = named else { return reader(site, headers).await };
    if !site.gate.knows_key(headers) {
        let sentence = "Only the key of the data directory reads for somebody else.";
        return Err(Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence));
    }
    aside(site, move |app| Ok(Some(app.desk().alert_reader(&email)?))).await
}

async fn list(
    State(site): State<Site>,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Answer<AlertList> {
    let (mut named, pairs): (Pairs, Pairs) = pairs.into_iter().partition(|(name, _)| name == "as");
    let named = named.pop().map(|(_, email)| email);
    let reader = whose(&site, &headers, named).await.map_err(Refusal::as_json)?;
    ask(&site, move |desk| Ok(desk.alerts(&pairs, reader, Counting::UpTo(COUNTED))?)).await
}

async fn one(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer<AlertDetail> {
    let id = number(&id).map_err(Refusal::as_json)?;
    let reader = reader(&site, &headers).await.map_err(Refusal::as_json)?;
    let whole = site.gate.knows_key(&headers) || knows_people(reader);
    ask(&site, move |desk| {
        let mut detail = desk.alert(id, reader)?;
        // Addresses of people are for those who look after people.
        detail.sent.retain(|row| whole || !row.recipient.contains('@'));
        Ok(detail)
    })
    .await
}

async fn mark(State(site): State<Site>, headers: HeaderMap, body: String) -> Answer<Marked> {
    let wish: Wish = serde_json::from_str(&body).map_err(|error| {
        let sentence = format!("The body is not understood: {error}.");
        Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).as_json()
    })?;
    let marking = match (wish.all, wish.read.is_empty(), wish.unread.is_empty()) {
        (true, true, true) => Marking::AllRead,
        (false, false, true) => Marking::Read(wish.read),
        (false, true, false) => Marking::Unread(wish.unread),
        (_, _, _) => {
            let sentence = "Say one of {\"read\": [1]}, {\"unread\": [1]} and {\"all\": true}.";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).as_json());
        }
    };
    let reader = match wish.reader {
        Some(email) => whose(&site, &headers, Some(email)).await,
        None => known_reader(&site, &headers).await.map(Some),
    };
    let reader = reader.map_err(Refusal::as_json)?.ok_or_else(Refusal::mistake)?;
    ask(&site, move |desk| Ok(desk.mark_alerts(reader, &marking)?)).await
}
