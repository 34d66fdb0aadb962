//! `/api/v1/assessments`, `/check-boundary` and `/treatment-works/nearby`.

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use nutrients::{
    Assessment, BoundaryRules, BoundaryWire, Code, Finding, Limits, check_job, csv as table,
    map_geojson, read_features,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::intake::{self, too_large};
use crate::accounts::Secret;
use crate::desk::{
    AssessmentAsked, AssessmentDetail, BoundaryAsked, COUNTED, DeskError, WorksNearby,
};
use crate::http::Visit;
use crate::http::api::{Answer, ask, read_body};
use crate::http::asked::{Pairs, bad};
use crate::http::listed::{CSV, Question};
use crate::http::refusal::Refusal;

pub(super) async fn list(asked: Question) -> Result<Response, Refusal> {
    asked.list(COUNTED, |desk, pairs, counting| desk.assessments(pairs, counting)).await
}

pub(super) async fn send(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<AssessmentAsked>), Refusal> {
    let intake = intake::read(&visit, &pairs, (&headers, body)).await;
    let mut intake = intake.map_err(Refusal::as_json)?;
    let asked = visit.aside_while_wanted(&visit.site.boundaries, move |visit, cancel| {
        intake.form.cancel = cancel.clone();
        let desk = visit.desk();
        Ok(match &intake.message {
            Some(message) => desk.assess_message(message, &intake.form)?,
            None => desk.assess_site(&intake.form)?,
        })
    });
    let asked = asked.await.map_err(Refusal::as_json)?;
    Ok((StatusCode::ACCEPTED, Json(asked)))
}

pub(super) async fn one(visit: Visit, Path(which): Path<String>) -> Answer<AssessmentDetail> {
    ask(&visit, move |desk| Ok(desk.assessment(&which)?)).await
}

#[derive(Deserialize)]
pub(super) struct Token {
    access_token: Option<String>,
}

/// Opens to whoever has the token; who asked for the assessment need not have an account.
pub(super) async fn poll(
    visit: Visit,
    Path(which): Path<String>,
    Query(token): Query<Token>,
) -> Answer<AssessmentDetail> {
    let Some(text) = token.access_token else {
        return Err(bad("access_token", "is missing").as_json());
    };
    let digest = Secret::parse(&text).map(|secret| secret.digest());
    ask(&visit, move |desk| {
        let opened = match digest {
            Some(digest) => desk.assessment_by_token(&which, &digest)?,
            None => None,
        };
        opened.ok_or_else(|| {
            let sentence = "This token does not open this assessment.";
            Refusal::new(StatusCode::FORBIDDEN, "wrong-token", sentence)
                .next("Use a token that was given for it, or ask again.")
        })
    })
    .await
}

pub(super) async fn json(visit: Visit, Path(which): Path<String>) -> Answer<Assessment> {
    ask(&visit, move |desk| Ok(desk.assessment_result(&which)?)).await
}

pub(super) async fn csv(visit: Visit, Path(which): Path<String>) -> Result<Response, Refusal> {
    let told = visit.aside(move |visit| Ok(table([&visit.desk().assessment_result(&which)?])));
    let text = told.await.map_err(Refusal::as_json)?;
    Ok(attached(CSV, "assessment.csv", text))
}

pub(super) async fn geojson(visit: Visit, Path(which): Path<String>) -> Result<Response, Refusal> {
    let told = visit.aside(move |visit| {
        let result = visit.desk().assessment_result(&which)?;
        // Without reference data there are no catchments around it.
        let reference = visit.atlas.reference().ok();
        Ok(map_geojson(&result, reference.as_deref()).to_string())
    });
    let text = told.await.map_err(Refusal::as_json)?;
    Ok(attached("application/geo+json", "assessment.geojson", text))
}

fn attached(kind: &'static str, name: &str, text: String) -> Response {
    let name = format!("attachment; filename=\"{name}\"");
    let headers = [(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, name)];
    (headers, text).into_response()
}

pub(super) async fn again(
    visit: Visit,
    Path(which): Path<String>,
) -> Result<(StatusCode, Json<AssessmentAsked>), Refusal> {
    let asked = ask(&visit, move |desk| Ok(desk.assess_again(&which)?)).await?;
    Ok((StatusCode::ACCEPTED, asked))
}

pub(super) async fn send_again(
    visit: Visit,
    Path(which): Path<String>,
) -> Answer<AssessmentDetail> {
    ask(&visit, move |desk| Ok(desk.send_result_again(&which)?)).await
}

/// Looks at a boundary, and answers with the five keys whatever is wrong with it, its size among that.
pub(super) async fn check(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let intake = match intake::read(&visit, &pairs, (&headers, body)).await {
        Ok(intake) => intake,
        Err(refusal) if refusal.said().0 == StatusCode::PAYLOAD_TOO_LARGE => {
            return Ok(boundary_too_large());
        }
        Err(refusal) => return Err(refusal.as_json()),
    };
    let checked = visit.aside_while_wanted(&visit.site.boundaries, move |visit, cancel| {
        let mut form = intake.form;
        if let Some(bytes) = intake.message {
            form.bytes = bytes;
        }
        let inside = Some(form.inside.as_str()).filter(|name| !name.is_empty());
        let (file_name, bytes) = (&form.file_name, &form.bytes);
        let asked = BoundaryAsked { file_name, bytes, inside, cancel };
        let checked = visit.desk().check_boundary(&asked, BoundaryRules::default());
        let status = StatusCode::from_u16(checked.http_status).unwrap_or(StatusCode::BAD_REQUEST);
        Ok((status, Json(checked.wire)).into_response())
    });
    checked.await.map_err(Refusal::as_json)
}

/// Where boundaries are looked at.
pub(in crate::http) const CHECK_BOUNDARY: &str = "/api/v1/check-boundary";

/// What is said of a boundary that is too large to be looked at, in the same form.
pub(in crate::http) fn boundary_too_large() -> Response {
    let error = Some(Code::FileSizeTooLarge.name().to_owned());
    let wire = BoundaryWire { error, ..BoundaryWire::default() };
    (StatusCode::PAYLOAD_TOO_LARGE, Json(wire)).into_response()
}

/// A site, and how far from it is near.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::http) struct NearbyWish {
    /// A GeoJSON geometry: Polygon or MultiPolygon.
    geometry: Map<String, Value>,
    /// 4326 or 27700; 4326 unless told.
    #[serde(default)]
    srid: Option<u32>,
    /// Metres, more than 0; 10,000 unless told.
    #[serde(default)]
    max_distance_m: Option<f64>,
}

pub(super) async fn nearby(visit: Visit, body: String) -> Answer<Vec<WorksNearby>> {
    let wish: NearbyWish = read_body(&body)?;
    let metres = wish.max_distance_m.unwrap_or(10_000.0);
    if !(metres > 0.0 && metres <= 1_000_000.0) {
        return Err(bad("max_distance_m", "is more than 0 and at most 1,000,000").as_json());
    }
    let mut geometry = wish.geometry;
    match wish.srid.unwrap_or(4326) {
        4326 => drop(geometry.remove("crs")),
        27_700 => {
            let crs = serde_json::json!({"type": "name", "properties": {"name": "EPSG:27700"}});
            geometry.insert("crs".into(), crs);
        }
        _ => return Err(bad("srid", "is 4326 or 27700").as_json()),
    }
    let bytes = Value::Object(geometry).to_string();
    if bytes.len() as u64 > Limits::default().file_bytes {
        return Err(too_large().as_json());
    }
    let found = visit.aside_while_wanted(&visit.site.boundaries, move |visit, cancel| {
        let limits = Limits { cancel: cancel.clone(), ..Limits::default() };
        let features = read_features("site.geojson", bytes.as_bytes(), None, &limits)
            .map_err(DeskError::BadSite)?;
        let shape = check_job(&features).map_err(DeskError::BadSite)?;
        if shape.vertex_count() == 0 {
            let none = Finding::new(Code::NoPolygonFound, "there is no shape in it");
            return Err(DeskError::BadSite(none.into()).into());
        }
        Ok(visit.desk().works_nearby(&shape, metres)?)
    });
    found.await.map(Json).map_err(Refusal::as_json)
}
