//! `/api/v1/users` and changes to `/api/v1/institutions`: for the key of the data directory, and for
//! administrators. What one of these routes tells or changes concerns people; nobody else is let in.

use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use serde::de::DeserializeOwned;
use storage::registry::Role;

use super::known_person;
use crate::desk::{InstitutionDetail, InstitutionWish, Invitation, UserDetail, UserList, UserWish};
use crate::http::Site;
use crate::http::api::{Answer, ask};
use crate::http::refusal::Refusal;

pub(in crate::http) fn routes() -> Router<Site> {
    Router::new()
        .route("/users", get(users).post(add_user))
        .route("/users/{which}", get(user))
        .route("/users/{which}/reset", post(reset))
        .route("/users/{which}/deactivate", post(|a, b, c| admit(a, b, c, false)))
        .route("/users/{which}/reactivate", post(|a, b, c| admit(a, b, c, true)))
        .route("/institutions", post(add_institution))
        .route("/institutions/{which}", get(institution))
        .route("/institutions/{which}/deactivate", post(deactivate_institution))
}

/// Who does it, for the log; anybody but the owner of the data directory and administrators is
/// refused.
async fn caretaker(site: &Site, headers: &HeaderMap) -> Result<String, Refusal> {
    if site.gate.knows_key(headers) {
        return Ok("the command line".into());
    }
    let user = known_person(site, headers).await.map_err(Refusal::as_json)?;
    if user.role != Role::Admin {
        let sentence = "Only administrators look after users and institutions.";
        return Err(Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence)
            .next("Ask an administrator.")
            .as_json());
    }
    Ok(user.email)
}

async fn users(
    State(site): State<Site>,
    Query(pairs): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Answer<UserList> {
    caretaker(&site, &headers).await?;
    ask(&site, move |desk| Ok(desk.users(&pairs)?)).await
}

async fn user(
    State(site): State<Site>,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Answer<UserDetail> {
    caretaker(&site, &headers).await?;
    ask(&site, move |desk| Ok(desk.user(&which)?)).await
}

async fn add_user(
    State(site): State<Site>,
    headers: HeaderMap,
    body: String,
) -> Answer<Invitation> {
    let by = caretaker(&site, &headers).await?;
    let wish: UserWish = wish(&body)?;
    ask(&site, move |desk| Ok(desk.add_user(&wish, &by)?)).await
}

async fn reset(
    State(site): State<Site>,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Answer<Invitation> {
    caretaker(&site, &headers).await?;
    ask(&site, move |desk| Ok(desk.reset_user(&which)?)).await
}

async fn admit(
    State(site): State<Site>,
    Path(which): Path<String>,
    headers: HeaderMap,
    is_active: bool,
) -> Answer<UserDetail> {
    let by = caretaker(&site, &headers).await?;
    ask(&site, move |desk| Ok(desk.admit_user(&which, is_active, &by)?)).await
}

async fn add_institution(
    State(site): State<Site>,
    headers: HeaderMap,
    body: String,
) -> Answer<InstitutionDetail> {
    let by = caretaker(&site, &headers).await?;
    let wish: InstitutionWish = wish(&body)?;
    ask(&site, move |desk| Ok(desk.add_institution(&wish, &by)?)).await
}

async fn institution(
    State(site): State<Site>,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Answer<InstitutionDetail> {
    caretaker(&site, &headers).await?;
    ask(&site, move |desk| Ok(desk.institution(&which)?)).await
}

async fn deactivate_institution(
    State(site): State<Site>,
    Path(which): Path<String>,
    headers: HeaderMap,
) -> Answer<InstitutionDetail> {
    let by = caretaker(&site, &headers).await?;
    ask(&site, move |desk| Ok(desk.deactivate_institution(&which, &by)?)).await
}

fn wish<T: DeserializeOwned>(body: &str) -> Result<T, Refusal> {
    serde_json::from_str(body).map_err(|error| {
        let sentence = format!("The body is not understood: {error}.");
        Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).as_json()
    })
}
