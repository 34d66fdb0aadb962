//! The pages of assessments. A boundary that cannot be used is drawn with its bad places marked.

use axum::body::Body;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use nutrients::BoundaryRules;
use web::{
    Here, Nutrient, assessment_fragment, assessment_page, assessments_page, boundary_page,
    new_assessment_page,
};

use super::intake::{self, Intake};
use super::value;
use crate::desk::{DeskError, SiteForm};
use crate::http::Visit;
use crate::http::asked::{Pairs, find};
use crate::http::filters::with_saved;
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};

/// What a job may have that a plain boundary may not: sites have parts and holes.
const RULES: BoundaryRules = BoundaryRules { several_parts: true, holes: true };

pub(super) async fn list(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Assessments", Here::Assessments, &headers);
            let shell = with_saved(visit, shell, "/assessments", &pairs);
            Ok(answer(&shell, assessments_page(&shell, &value::list(visit, pairs)?)))
        })
        .await
}

pub(super) async fn form(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let text = |name: &str| find(&pairs, name).unwrap_or_default().to_owned();
            let typed = SiteForm {
                reference: text("reference"),
                dwellings: text("dwellings"),
                people: text("people"),
                development_type: text("development_type"),
                treatment_works: text("treatment_works"),
                method: text("method"),
                email: text("email"),
                ..SiteForm::default()
            };
            let shell = shell(visit, "New assessment", Here::Assessments, &headers);
            Ok(answer(&shell, new_assessment_page(&shell, &value::form(visit, &typed, None))))
        })
        .await
}

/// Asks for the site of the form. What is wrong with a boundary is shown on a page of its own; what is
/// wrong with the fields, beside them.
pub(super) async fn send(
    visit: Visit,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let Intake { mut form, .. } = intake::read(&visit, &Vec::new(), (&headers, body)).await?;
    visit
        .aside_while_wanted(&visit.site.boundaries, move |visit, cancel| {
            form.cancel = cancel.clone();
            match visit.desk().assess_site(&form) {
                Ok(asked) => {
                    let said = match asked.joined {
                        true => "The same was asked before: this is it.",
                        false => "It is kept and in line. This page follows it.",
                    };
                    Ok(see(&asked.page, said))
                }
                Err(DeskError::BadSite(findings)) => {
                    let boundary = value::boundary(visit, &form, RULES);
                    if !boundary.findings.is_empty() && !form.bytes.is_empty() {
                        let all = value::with_findings(boundary, &findings);
                        return Ok(drawn(visit, &headers, &all));
                    }
                    let page = value::form(visit, &form, Some(&findings));
                    let shell = shell(visit, "New assessment", Here::Assessments, &headers);
                    let page = answer(&shell, new_assessment_page(&shell, &page));
                    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
                }
                Err(error) => Err(error.into()),
            }
        })
        .await
}

/// Only looks at the boundary.
pub(super) async fn check(
    visit: Visit,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let Intake { mut form, .. } = intake::read(&visit, &Vec::new(), (&headers, body)).await?;
    visit
        .aside_while_wanted(&visit.site.boundaries, move |visit, cancel| {
            form.cancel = cancel.clone();
            Ok(drawn(visit, &headers, &value::boundary(visit, &form, RULES)))
        })
        .await
}

fn drawn(visit: &Visit, headers: &HeaderMap, boundary: &web::BoundaryPage) -> Response {
    let shell = shell(visit, "Boundary", Here::Assessments, headers);
    let page = answer(&shell, boundary_page(&shell, boundary));
    let status = match boundary.findings.is_empty() {
        true => StatusCode::OK,
        false => StatusCode::UNPROCESSABLE_ENTITY,
    };
    (status, page).into_response()
}

pub(super) async fn one(
    visit: Visit,
    Path(which): Path<String>,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = value::one(visit, &which, nutrient(&pairs))?;
            let title = format!("Assessment of {}", page.reference);
            let shell = shell(visit, title, Here::Assessments, &headers);
            Ok(answer(&shell, assessment_page(&shell, &page)))
        })
        .await
}

pub(super) async fn fragment(
    visit: Visit,
    Path(which): Path<String>,
    Query(pairs): Query<Pairs>,
) -> Result<Html<String>, Refusal> {
    visit
        .aside(move |visit| {
            let page = value::one(visit, &which, nutrient(&pairs))?;
            Ok(Html(assessment_fragment(&page).into_string()))
        })
        .await
}

fn nutrient(pairs: &Pairs) -> Nutrient {
    match find(pairs, "map") {
        Some("phosphorus") => Nutrient::Phosphorus,
        Some(_) | None => Nutrient::Nitrogen,
    }
}

pub(super) async fn again(visit: Visit, Path(which): Path<String>) -> Result<Response, Refusal> {
    let asked = visit.aside(move |visit| Ok(visit.desk().assess_again(&which)?)).await?;
    let said = match asked.joined {
        true => "Nothing in use has changed since: this is the answer.",
        false => "It is in line. This page follows it.",
    };
    Ok(see(&asked.page, said))
}

pub(super) async fn send_again(
    visit: Visit,
    Path(which): Path<String>,
) -> Result<Response, Refusal> {
    let told = visit.aside(move |visit| Ok(visit.desk().send_result_again(&which)?)).await?;
    let page = format!("/assessments/{}", told.assessment.uuid);
    Ok(see(&page, "It is on its way again. This page tells what comes of it."))
}
