//! The forms of deletion: asking, confirming, agreeing, withdrawing. A refusal is said on the page it was asked
//! from, with what was typed kept.

use axum::extract::{Form, Path, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use web::{Here, ask_deletion_page};

use super::rights::{Target, may_approve, may_ask, may_cancel, may_confirm, words};
use super::{asking, number, shown};
use crate::accounts::IdentityProof;
use crate::desk::DeletionDetail;
use crate::http::Visit;
use crate::http::accounts::confirm_identity;
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};
use crate::rights::Right;

/// What a deletion is asked of.
#[derive(Clone, Deserialize)]
pub(super) struct Asked {
    object: Option<String>,
    file: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Wish {
    object: Option<String>,
    file: Option<String>,
    #[serde(default)]
    reason: String,
}

#[derive(Deserialize)]
pub(super) struct Words {
    #[serde(default)]
    words: String,
    password: Option<String>,
    code: Option<String>,
}

impl Asked {
    fn target(self) -> Result<Target, Refusal> {
        match (self.object, self.file) {
            (Some(object), None) => Ok(Target::Object(object)),
            (None, Some(file)) => Ok(Target::File(file)),
            _ => {
                let sentence = "Say what should be deleted: one object, or one file.";
                Err(Refusal::new(StatusCode::BAD_REQUEST, "no-target", sentence)
                    .next("Go to the page of the object or file and begin there."))
            }
        }
    }
}

pub(super) async fn form(
    visit: Visit,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let target = asked.target()?;
    form_page(&visit, (target, String::new(), None), headers).await
}

/// The form to ask with, for somebody who may.
async fn form_page(
    visit: &Visit,
    (target, reason, problem): (Target, String, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let page = asking::ask(visit, &target, visit.person()?)?;
            let page = web::AskDeletionPage { reason, problem, ..page };
            let shell = shell(visit, "Ask for deletion", Here::Deletions, &headers);
            Ok(answer(&shell, ask_deletion_page(&shell, &page)))
        })
        .await
}

pub(super) async fn ask(
    visit: Visit,
    headers: HeaderMap,
    Form(wish): Form<Wish>,
) -> Result<Response, Refusal> {
    let target = Asked { object: wish.object, file: wish.file }.target()?;
    let person = visit.person()?.clone();
    // Browsers end lines with two characters.
    let reason = wish.reason.replace("\r\n", "\n");
    let (wanted, why) = (target.clone(), reason.clone());
    let asked = visit.aside(move |visit| {
        may_ask(visit, wanted.owner(visit.desk())?, &person)?;
        Ok(visit.desk().request_deletion(person.id, &wanted.wish(why))?.deletion.id)
    });
    match asked.await {
        Ok(id) => {
            let said =
                format!("Deletion request {id} is written down. It waits for a second person.");
            Ok(see(&format!("/deletions/{id}"), &said))
        }
        Err(refusal) if refusal.is_about_wish() => {
            let (status, problem) = refusal.said();
            let form = form_page(&visit, (target, reason, Some(problem)), headers).await?;
            Ok((status, form).into_response())
        }
        Err(refusal) => Err(refusal),
    }
}

#[derive(Deserialize)]
pub(super) struct Confirmation {
    password: Option<String>,
    code: Option<String>,
}

pub(super) async fn confirm(
    visit: Visit,
    Path(id): Path<String>,
    headers: HeaderMap,
    Form(given): Form<Confirmation>,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    let proof = IdentityProof { password: given.password, code: given.code };
    match confirmed(&visit, id, proof).await {
        Ok(_) => {
            let said = "Confirmed. Another administrator can approve it now.";
            Ok(see(&format!("/deletions/{id}"), said))
        }
        Err(refusal) => shown_again(&visit, id, refusal, headers).await,
    }
}

/// Confirms a request that somebody else entered: by the requester, with a password or code that is held
/// against the account before anything is changed.
pub(super) async fn confirmed(
    visit: &Visit,
    id: i64,
    proof: IdentityProof,
) -> Result<DeletionDetail, Refusal> {
    let person = visit.person()?.clone();
    let requested_at = visit
        .aside(move |visit| {
            visit.desk().require_managing(Right::Delete)?;
            let request = visit.desk().deletion(id)?.deletion;
            may_confirm(&request, &person)?;
            Ok(request.requested_at)
        })
        .await?;
    let requester = confirm_identity(visit, proof, requested_at).await?;
    visit.aside(move |visit| Ok(visit.desk().confirm_deletion(id, requester)?)).await
}

/// The page of a request with a refusal that is about what was typed or asked for.
async fn shown_again(
    visit: &Visit,
    id: i64,
    refusal: Refusal,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    if !refusal.is_about_wish() && !refusal.is_unproved() {
        return Err(refusal);
    }
    let (status, problem) = refusal.said();
    let page = shown(visit, id, Some(problem), headers).await?;
    Ok((status, page).into_response())
}

pub(super) async fn approve(
    visit: Visit,
    Path(id): Path<String>,
    headers: HeaderMap,
    Form(given): Form<Words>,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    let proof = IdentityProof { password: given.password, code: given.code };
    match approved(&visit, id, Some(given.words), proof).await {
        Ok(detail) => {
            let said = match detail.deletion.erase_after {
                Some(from) if detail.deletion.is_cooling_off(visit.shop.clock.now()) => {
                    format!("Approved. Nothing is erased before {}.", from.to_minute())
                }
                _ => "Approved. What it names is being deleted.".to_owned(),
            };
            Ok(see(&format!("/deletions/{id}"), &said))
        }
        Err(refusal) => shown_again(&visit, id, refusal, headers).await,
    }
}

/// Approves a request: by whoever may, with the words where a page asks for them, and with a password or
/// code that is held against the account before anything is changed.
pub(super) async fn approved(
    visit: &Visit,
    id: i64,
    typed: Option<String>,
    proof: IdentityProof,
) -> Result<DeletionDetail, Refusal> {
    let person = visit.person()?.clone();
    let requested_at = visit
        .aside(move |visit| {
            visit.desk().require_managing(Right::Delete)?;
            let request = visit.desk().deletion(id)?.deletion;
            may_approve(&request, &person)?;
            let expected = words(&request);
            if typed.is_some_and(|typed| !same_words(&typed, &expected)) {
                let sentence =
                    format!("To agree, type the words {expected:?}. Nothing was changed.");
                return Err(Refusal::new(
                    StatusCode::UNPROCESSABLE_ENTITY,
                    "other-words",
                    sentence,
                ));
            }
            Ok(request.requested_at)
        })
        .await?;
    let confirmed = confirm_identity(visit, proof, requested_at).await?;
    visit.aside(move |visit| Ok(visit.desk().approve_deletion(id, confirmed)?)).await
}

pub(super) async fn cancel(
    visit: Visit,
    Path(id): Path<String>,
    _headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    let person = visit.person()?.clone();
    visit
        .aside(move |visit| {
            may_cancel(&visit.desk().deletion(id)?.deletion, &person)?;
            Ok(visit.desk().cancel_deletion(id, person.id)?)
        })
        .await?;
    Ok(see(&format!("/deletions/{id}"), "The deletion is cancelled. Nothing was deleted."))
}

/// Whether the words were typed, however they are spaced; people leave out the comma of thousands.
fn same_words(typed: &str, expected: &str) -> bool {
    let bare = |text: &str| text.to_lowercase().replace(',', "");
    bare(typed).split_whitespace().eq(bare(expected).split_whitespace())
}

#[cfg(test)]
mod tests {
    use super::same_words;

    #[test]
    fn words_are_the_same_but_for_spaces_commas_and_capitals() {
        let expected = "delete 1,204 files";
        for typed in ["delete 1,204 files", " Delete  1204 files "] {
            assert!(same_words(typed, expected), "{typed}");
        }
        for typed in ["", "delete", "delete 1,204", "delete 1,205 files", "delete files 1,204"] {
            assert!(!same_words(typed, expected), "{typed}");
        }
    }
}
