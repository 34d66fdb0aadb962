//! `/api/v1/reports`: each report as JSON and as a table, the scorecard also as a text.

use axum::extract::{Path, Query};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use storage::registry::Declaration;

use crate::desk::{DeclarationWish, ReportKind};
use crate::http::api::{Answer, ask, read_body};
use crate::http::asked::Pairs;
use crate::http::refusal::Refusal;
use crate::http::stream::Outgoing;
use crate::http::{Site, Visit};
use crate::ndsa::Scorecard;
use crate::reports::{DepositReport, FormatReport, GrowthReport, StorageReport};

pub(in crate::http) fn routes() -> Router<Site> {
    use ReportKind::{Deposits, Formats, Growth, Ndsa, Storage};
    Router::new()
        .route("/reports/deposits", get(deposits))
        .route("/reports/deposits.csv", get(|visit, pairs| table(visit, pairs, Deposits)))
        .route("/reports/growth", get(growth))
        .route("/reports/growth.csv", get(|visit, pairs| table(visit, pairs, Growth)))
        .route("/reports/formats", get(formats))
        .route("/reports/formats.csv", get(|visit, pairs| table(visit, pairs, Formats)))
        .route("/reports/storage", get(storage))
        .route("/reports/storage.csv", get(|visit, pairs| table(visit, pairs, Storage)))
        .route("/reports/ndsa", get(ndsa))
        .route("/reports/ndsa.csv", get(|visit, pairs| table(visit, pairs, Ndsa)))
        .route("/reports/ndsa.txt", get(text))
        .route("/reports/ndsa/declarations", get(declarations).post(declare))
        .route("/reports/ndsa/declarations/{id}/withdraw", post(withdraw))
}

async fn deposits(visit: Visit, Query(pairs): Query<Pairs>) -> Answer<DepositReport> {
    ask(&visit, move |desk| Ok(desk.deposit_report(&ReportKind::Deposits.question(&pairs)?)?)).await
}

async fn growth(visit: Visit, Query(pairs): Query<Pairs>) -> Answer<GrowthReport> {
    ask(&visit, move |desk| Ok(desk.growth_report(&ReportKind::Growth.question(&pairs)?)?)).await
}

async fn formats(visit: Visit, Query(pairs): Query<Pairs>) -> Answer<FormatReport> {
    ask(&visit, move |desk| {
        ReportKind::Formats.question(&pairs)?;
        Ok(desk.format_report()?)
    })
    .await
}

async fn storage(visit: Visit, Query(pairs): Query<Pairs>) -> Answer<StorageReport> {
    ask(&visit, move |desk| {
        ReportKind::Storage.question(&pairs)?;
        Ok(desk.storage_report()?)
    })
    .await
}

async fn ndsa(visit: Visit, Query(pairs): Query<Pairs>) -> Answer<Scorecard> {
    ask(&visit, move |desk| {
        ReportKind::Ndsa.question(&pairs)?;
        Ok(desk.scorecard()?)
    })
    .await
}

/// A report as a table that a browser saves. What cannot be asked is refused before it begins.
async fn table(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    kind: ReportKind,
) -> Result<Response, Refusal> {
    let asked = kind.question(&pairs).map_err(|error| Refusal::from(error).as_json())?;
    // An institution that is not in sight is said to be so, not cut off in the middle of a table.
    if asked.institution.is_some() {
        let asked = asked.clone();
        let seen = visit.aside(move |visit| Ok(visit.desk().deposit_report(&asked).map(drop)?));
        seen.await.map_err(Refusal::as_json)?;
    }
    let name = format!("{}.csv", kind.name());
    let outgoing = Outgoing::begin(&visit).map_err(Refusal::as_json)?;
    let rows = outgoing.spooled(name.clone(), move |desk, out| desk.report_csv(kind, &asked, out));
    let rows = rows.await.map_err(Refusal::as_json)?;
    let told = (header::CONTENT_TYPE, "text/csv; charset=utf-8".to_owned());
    let saved = (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""));
    Ok(([told, saved], rows).into_response())
}

async fn text(visit: Visit) -> Result<Response, Refusal> {
    let card = visit.aside(|visit| Ok(visit.desk().scorecard()?)).await;
    let text = card.map_err(Refusal::as_json)?.text();
    let told = (header::CONTENT_TYPE, "text/plain; charset=utf-8");
    let saved = (header::CONTENT_DISPOSITION, "attachment; filename=\"ndsa.txt\"");
    Ok(([told, saved], text).into_response())
}

async fn declarations(visit: Visit) -> Answer<Vec<Declaration>> {
    ask(&visit, |desk| Ok(desk.declarations()?)).await
}

async fn declare(visit: Visit, body: String) -> Result<(StatusCode, Json<Declaration>), Refusal> {
    visit.person().map_err(Refusal::as_json)?;
    let wish: DeclarationWish = read_body(&body)?;
    let made = ask(&visit, move |desk| Ok(desk.declare(&wish)?)).await?;
    Ok((StatusCode::CREATED, made))
}

async fn withdraw(visit: Visit, Path(id): Path<String>) -> Answer<Declaration> {
    visit.person().map_err(Refusal::as_json)?;
    let id = super::declare::number(&id).map_err(Refusal::as_json)?;
    ask(&visit, move |desk| Ok(desk.withdraw_declaration(id)?)).await
}
