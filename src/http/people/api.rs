//! `/api/v1/users`, changes to `/api/v1/institutions`, and `/api/v1/audit`.

use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::{get, post};

use crate::desk::{
    COUNTED, InstitutionDetail, InstitutionEdit, InstitutionWish, Invitation, MadeToken,
    NewTokenWish, UserDetail, UserEdit, UserWish,
};
use crate::http::api::{Answer, ask, read_body};
use crate::http::listed::{FORMAT, Question};
use crate::http::refusal::Refusal;
use crate::http::{Site, Visit};

pub(in crate::http) fn routes() -> Router<Site> {
    Router::new()
        .route("/users", get(users).post(add_user))
        .route("/users/{which}", get(user).patch(edit_user))
        .route("/users/{which}/reset", post(reset))
        .route("/users/{which}/reset-factor", post(reset_factor))
        .route("/users/{which}/tokens", get(tokens).post(make_token))
        .route("/users/{which}/deactivate", post(|a, b| admit(a, b, false)))
        .route("/users/{which}/reactivate", post(|a, b| admit(a, b, true)))
        .route("/institutions", post(add_institution))
        .route("/institutions/{which}", get(institution).patch(edit_institution))
        .route("/institutions/{which}/deactivate", post(|a, b| admit_institution(a, b, false)))
        .route("/institutions/{which}/reactivate", post(|a, b| admit_institution(a, b, true)))
        .route("/audit", get(audit))
        .route("/audit.csv", get(audit_table))
}

async fn users(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, _| desk.users(pairs)).await
}

async fn user(visit: Visit, Path(which): Path<String>) -> Answer<UserDetail> {
    ask(&visit, move |desk| Ok(desk.user(&which)?)).await
}

async fn add_user(visit: Visit, body: String) -> Answer<Invitation> {
    let wish: UserWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.add_user(&wish)?)).await
}

async fn edit_user(visit: Visit, Path(which): Path<String>, body: String) -> Answer<UserDetail> {
    let edit: UserEdit = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.edit_user(&which, &edit)?)).await
}

async fn reset(visit: Visit, Path(which): Path<String>) -> Answer<Invitation> {
    ask(&visit, move |desk| Ok(desk.reset_user(&which)?)).await
}

async fn reset_factor(visit: Visit, Path(which): Path<String>) -> Answer<UserDetail> {
    ask(&visit, move |desk| Ok(desk.reset_factor(&which)?)).await
}

async fn tokens(Path(which): Path<String>, asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, move |desk, pairs, _| desk.tokens(Some(&which), pairs)).await
}

async fn make_token(visit: Visit, Path(which): Path<String>, body: String) -> Answer<MadeToken> {
    let wish: NewTokenWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.make_token(Some(&which), &wish)?)).await
}

async fn admit(visit: Visit, Path(which): Path<String>, is_active: bool) -> Answer<UserDetail> {
    ask(&visit, move |desk| Ok(desk.admit_user(&which, is_active)?)).await
}

async fn add_institution(visit: Visit, body: String) -> Answer<InstitutionDetail> {
    let wish: InstitutionWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.add_institution(&wish)?)).await
}

async fn institution(visit: Visit, Path(which): Path<String>) -> Answer<InstitutionDetail> {
    ask(&visit, move |desk| Ok(desk.institution(&which)?)).await
}

async fn edit_institution(
    visit: Visit,
    Path(which): Path<String>,
    body: String,
) -> Answer<InstitutionDetail> {
    let edit: InstitutionEdit = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.edit_institution(&which, &edit)?)).await
}

async fn admit_institution(
    visit: Visit,
    Path(which): Path<String>,
    is_active: bool,
) -> Answer<InstitutionDetail> {
    ask(&visit, move |desk| Ok(desk.admit_institution(&which, is_active)?)).await
}

async fn audit(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, counting| desk.audit(pairs, counting)).await
}

/// All of it as a table, by an address that ends as the file does.
async fn audit_table(mut asked: Question) -> Result<Response, Refusal> {
    asked.pairs.push((FORMAT.into(), "csv".into()));
    audit(asked).await
}
