//! `/api/v1/tokens` and `/api/v1/sessions`: somebody's own. A program with a token does not reach
//! them: who found a token must not make another.

use axum::Router;
use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use storage::registry::TokenRow;

use super::cookie;
use crate::accounts;
use crate::desk::{COUNTED, MadeToken, NewTokenWish, SessionList};
use crate::http::api::{Answer, ask, read_body};
use crate::http::listed::Question;
use crate::http::refusal::Refusal;
use crate::http::{Site, Visit};

pub(in crate::http) fn routes() -> Router<Site> {
    Router::new()
        .route("/tokens", get(tokens).post(make_token))
        .route("/tokens/{id}/revoke", post(revoke_token))
        .route("/sessions", get(sessions))
        .route("/sessions/{id}/end", post(end_session))
}

async fn tokens(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, _| desk.tokens(None, pairs)).await
}

async fn make_token(visit: Visit, body: String) -> Answer<MadeToken> {
    let wish: NewTokenWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.make_token(None, &wish)?)).await
}

async fn revoke_token(visit: Visit, Path(id): Path<String>) -> Answer<TokenRow> {
    let id = number("token", &id).map_err(Refusal::as_json)?;
    ask(&visit, move |desk| Ok(desk.revoke_token(id)?)).await
}

async fn sessions(visit: Visit, headers: HeaderMap) -> Answer<SessionList> {
    let this = this_session(&visit, &headers).await.map_err(Refusal::as_json)?;
    ask(&visit, move |desk| Ok(desk.sessions(this)?)).await
}

async fn end_session(visit: Visit, Path(id): Path<String>) -> Answer<SessionList> {
    let id = number("session", &id).map_err(Refusal::as_json)?;
    ask(&visit, move |desk| {
        desk.end_session(id)?;
        Ok(desk.sessions(None)?)
    })
    .await
}

/// The number of the session that asks.
pub(super) async fn this_session(
    visit: &Visit,
    headers: &HeaderMap,
) -> Result<Option<i64>, Refusal> {
    let Some(secret) = cookie::read(headers) else { return Ok(None) };
    visit
        .aside(move |visit| {
            let found = accounts::session(&visit.registry, &secret, visit.shop.clock.now())?;
            Ok(found.map(|(_, number)| number))
        })
        .await
}

/// The number of a token or session.
pub(super) fn number(kind: &'static str, text: &str) -> Result<i64, Refusal> {
    text.parse().map_err(|_| {
        let name = text.chars().take(40).collect();
        accounts::AccountError::NoSuch { kind, name }.into()
    })
}
