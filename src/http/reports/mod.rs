//! Reports and the scorecard, as pages.

mod api;
mod declare;
mod scorecard;
mod value;

use axum::Router;
use axum::extract::Query;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::{get, post};
use web::{
    Here, Shell, deposits_report_page, formats_report_page, growth_report_page, ndsa_page,
    reports_page, storage_report_page,
};

use super::asked::Pairs;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, Visit};

pub(super) use api::routes as api;

pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/reports", get(index))
        .route("/reports/deposits", get(deposits))
        .route("/reports/growth", get(growth))
        .route("/reports/formats", get(formats))
        .route("/reports/storage", get(storage))
        .route("/reports/ndsa", get(ndsa))
        .route("/reports/ndsa/declare", get(declare::form).post(declare::send))
        .route("/reports/ndsa/declarations/{id}/withdraw", post(declare::withdraw))
}

/// Makes a page on a thread that may wait.
async fn made(
    visit: &Visit,
    title: &'static str,
    headers: HeaderMap,
    page: impl FnOnce(&Visit, &Shell) -> Result<maud::Markup, Refusal> + Send + 'static,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, title, Here::Reports, &headers);
            Ok(answer(&shell, page(visit, &shell)?))
        })
        .await
}

async fn index(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    made(&visit, "Reports", headers, |visit, shell| Ok(reports_page(shell, &value::index(visit)?)))
        .await
}

async fn deposits(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    made(&visit, "Deposits by institution", headers, move |visit, shell| {
        Ok(deposits_report_page(shell, &value::deposits(visit, &pairs)?))
    })
    .await
}

async fn growth(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    made(&visit, "Growth", headers, move |visit, shell| {
        Ok(growth_report_page(shell, &value::growth(visit, &pairs)?))
    })
    .await
}

async fn formats(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    made(&visit, "Formats", headers, |visit, shell| {
        Ok(formats_report_page(shell, &value::formats(visit)?))
    })
    .await
}

async fn storage(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    made(&visit, "Storage", headers, |visit, shell| {
        Ok(storage_report_page(shell, &value::storage(visit)?))
    })
    .await
}

async fn ndsa(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    made(&visit, "NDSA Levels", headers, |visit, shell| {
        Ok(ndsa_page(shell, &scorecard::page(visit)?))
    })
    .await
}
