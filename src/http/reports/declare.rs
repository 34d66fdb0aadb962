//! The form by which a person declares something, and takes it back.

use axum::extract::{Form, Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::Declaration;
use web::{DeclarePage, DeclaredLine, declare_page};

use super::made;
use crate::desk::DeclarationWish;
use crate::http::Visit;
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::ndsa::requirement;

/// Declarations of one requirement shown below its form.
const SHOWN: usize = 20;

#[derive(Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    requirement: String,
    #[serde(default)]
    sentence: String,
}

pub(super) async fn form(
    visit: Visit,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    shown(&visit, (asked, None), headers).await
}

async fn shown(
    visit: &Visit,
    (asked, problem): (Asked, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let known = requirement(&asked.requirement).filter(|it| !it.declare.is_empty());
    let Some(known) = known else {
        let sentence = "There is nothing of this name that a declaration answers.";
        return Err(Refusal::new(StatusCode::NOT_FOUND, "no-such-requirement", sentence)
            .next("Begin at the scorecard, /reports/ndsa."));
    };
    made(visit, "Declare", headers, move |visit, shell| {
        let all = visit.desk().declarations()?;
        let same = all.into_iter().filter(|it| it.requirement == known.name);
        let page = DeclarePage {
            requirement: known.name.to_owned(),
            asks: known.asks.to_owned(),
            hint: known.declare.to_owned(),
            sentence: asked.sentence,
            problem,
            declared: same.take(SHOWN).map(line).collect(),
        };
        Ok(declare_page(shell, &page))
    })
    .await
}

fn line(it: Declaration) -> DeclaredLine {
    DeclaredLine {
        id: it.id,
        by: it.declared_by,
        at: it.declared_at.to_string(),
        sentence: it.sentence,
        withdrawn: it.withdrawn_by.zip(it.withdrawn_at.map(|at| at.to_string())),
    }
}

pub(super) async fn send(
    visit: Visit,
    headers: HeaderMap,
    Form(asked): Form<Asked>,
) -> Result<Response, Refusal> {
    visit.person()?;
    let wish = DeclarationWish {
        requirement: asked.requirement.clone(),
        sentence: asked.sentence.clone(),
    };
    match visit.aside(move |visit| Ok(visit.desk().declare(&wish)?)).await {
        Ok(_) => Ok(see("/reports/ndsa", "It is written down under your name, with the date.")),
        Err(refusal) if refusal.is_about_wish() => {
            let (status, problem) = refusal.said();
            let page = shown(&visit, (asked, Some(problem)), headers).await?;
            Ok((status, page).into_response())
        }
        Err(refusal) => Err(refusal),
    }
}

pub(super) async fn withdraw(visit: Visit, Path(id): Path<String>) -> Result<Response, Refusal> {
    visit.person()?;
    let id = number(&id)?;
    visit.aside(move |visit| Ok(visit.desk().withdraw_declaration(id)?)).await?;
    Ok(see(
        "/reports/ndsa",
        "The declaration is withdrawn. It stays on record, and counts no more.",
    ))
}

pub(super) fn number(text: &str) -> Result<i64, Refusal> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("There is no declaration {shown:?}: declarations have numbers.");
        Refusal::new(StatusCode::NOT_FOUND, "no-such-declaration", sentence)
    })
}
