//! `/api/v1/users` and changes to `/api/v1/institutions`.

use axum::Router;
use axum::extract::{Path, Query};
use axum::http::StatusCode;
use axum::routing::{get, post};
use serde::de::DeserializeOwned;

use crate::desk::{InstitutionDetail, InstitutionWish, Invitation, UserDetail, UserList, UserWish};
use crate::http::api::{Answer, ask};
use crate::http::refusal::Refusal;
use crate::http::{Site, Visit};

pub(in crate::http) fn routes() -> Router<Site> {
    Router::new()
        .route("/users", get(users).post(add_user))
        .route("/users/{which}", get(user))
        .route("/users/{which}/reset", post(reset))
        .route("/users/{which}/deactivate", post(|a, b| admit(a, b, false)))
        .route("/users/{which}/reactivate", post(|a, b| admit(a, b, true)))
        .route("/institutions", post(add_institution))
        .route("/institutions/{which}", get(institution))
        .route("/institutions/{which}/deactivate", post(deactivate_institution))
}

async fn users(visit: Visit, Query(pairs): Query<Vec<(String, String)>>) -> Answer<UserList> {
    ask(&visit, move |desk| Ok(desk.users(&pairs)?)).await
}

async fn user(visit: Visit, Path(which): Path<String>) -> Answer<UserDetail> {
    ask(&visit, move |desk| Ok(desk.user(&which)?)).await
}

async fn add_user(visit: Visit, body: String) -> Answer<Invitation> {
    let by = visit.by().to_owned();
    let wish: UserWish = wish(&body)?;
    ask(&visit, move |desk| Ok(desk.add_user(&wish, &by)?)).await
}

async fn reset(visit: Visit, Path(which): Path<String>) -> Answer<Invitation> {
    ask(&visit, move |desk| Ok(desk.reset_user(&which)?)).await
}

async fn admit(visit: Visit, Path(which): Path<String>, is_active: bool) -> Answer<UserDetail> {
    let by = visit.by().to_owned();
    ask(&visit, move |desk| Ok(desk.admit_user(&which, is_active, &by)?)).await
}

async fn add_institution(visit: Visit, body: String) -> Answer<InstitutionDetail> {
    let by = visit.by().to_owned();
    let wish: InstitutionWish = wish(&body)?;
    ask(&visit, move |desk| Ok(desk.add_institution(&wish, &by)?)).await
}

async fn institution(visit: Visit, Path(which): Path<String>) -> Answer<InstitutionDetail> {
    ask(&visit, move |desk| Ok(desk.institution(&which)?)).await
}

async fn deactivate_institution(
    visit: Visit,
    Path(which): Path<String>,
) -> Answer<InstitutionDetail> {
    let by = visit.by().to_owned();
    ask(&visit, move |desk| Ok(desk.deactivate_institution(&which, &by)?)).await
}

fn wish<T: DeserializeOwned>(body: &str) -> Result<T, Refusal> {
    serde_json::from_str(body).map_err(|error| {
        let sentence = format!("The body is not understood: {error}.");
        Refusal::new(StatusCode::BAD_REQUEST, "bad-body", sentence).as_json()
    })
}
