//! What people do on the pages of research: search again, try again, remove, revoke.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use storage::registry::RecordingKind;
use web::{ConfirmPage, Here, Link, confirm_page};

use super::{number, words};
use crate::desk::AgainWish;
use crate::http::Visit;
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};
use crate::research::Scope;

pub(super) async fn again(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let scope = match kind {
                RecordingKind::Episode => Scope::Episode(id),
                RecordingKind::Clip => Scope::Clip(id),
            };
            visit.desk().research_again(scope, &AgainWish::default())?;
            let sentence =
                format!("This {} is searched again; what was found stays until then.", kind.word());
            Ok(see(&format!("{}/{id}", words::address(kind)), &sentence))
        })
        .await
}

pub(super) async fn retry(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            visit.desk().retry_recording(kind, id)?;
            let sentence = format!("This {} is tried again at once.", kind.word());
            Ok(see(&format!("{}/{id}", words::address(kind)), &sentence))
        })
        .await
}

pub(super) async fn ask_remove(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let word = kind.word();
            let Some(recording) = visit.research.recording(kind, id)? else {
                let sentence = format!("There is no {word} {id}, or no longer.");
                return Err(Refusal::new(StatusCode::NOT_FOUND, "no-such-recording", sentence));
            };
            let shell = shell(visit, format!("Remove {word} {id}"), words::here(kind), &headers);
            let (number, address) = (id.to_string(), words::address(kind));
            let page = ConfirmPage {
                title: format!("Remove this {word}?"),
                sentence: format!("{} is {word} {id}.", recording.title),
                consequences: vec![
                    format!("The {word} is no longer searched, and what was found goes with it."),
                    "Work that has it ends; what else it was for is offered again.".into(),
                    "The recording itself stays where it lies, and feeds do not bring it back."
                        .into(),
                ],
                action: web::parts::path(&["research", &format!("{word}s"), &number, "remove"]),
                hidden: Vec::new(),
                button: format!("Remove the {word}"),
                back: Link::new(format!("{address}/{id}"), "Keep it"),
            };
            Ok(answer(&shell, confirm_page(&shell, &page)))
        })
        .await
}

pub(super) async fn remove(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            let removed = visit.desk().remove_recording(kind, id)?;
            Ok(see(words::address(kind), &format!("{} is removed.", removed.title)))
        })
        .await
}

pub(super) async fn ask_revoke(
    visit: Visit,
    Path(lease): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let held = visit.research.holdings()?.into_iter().find(|it| it.lease == lease);
            let Some(held) = held else {
                let sentence = "This lease is not out, or no longer.";
                return Err(Refusal::new(StatusCode::NOT_FOUND, "no-such-lease", sentence)
                    .next("Look at the list of leases."));
            };
            let shell = shell(visit, "Revoke a lease", Here::Leases, &headers);
            let holder = held.holder.as_deref().unwrap_or("nobody yet");
            let page = ConfirmPage {
                title: "Revoke this lease?".into(),
                sentence: format!("The lease {} is held by {holder}.", held.lease),
                consequences: vec![
                    format!("What is left of it, {}, is offered to others.", clips(held.left)),
                    "Its holder stops at its next sign of life.".into(),
                    "Results that come late are kept all the same.".into(),
                ],
                action: web::parts::path(&["research", "leases", &held.lease, "revoke"]),
                hidden: Vec::new(),
                button: "Revoke the lease".into(),
                back: Link::new("/research/leases", "Keep it"),
            };
            Ok(answer(&shell, confirm_page(&shell, &page)))
        })
        .await
}

fn clips(count: usize) -> String {
    web::counted(count as u64, "clip")
}

pub(super) async fn revoke(visit: Visit, Path(lease): Path<String>) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let revoked = visit.desk().revoke_lease(&lease)?;
            let verb = if revoked.left == 1 { "is" } else { "are" };
            let sentence =
                format!("The lease is revoked; {} {} offered again.", clips(revoked.left), verb);
            Ok(see("/research/leases", &sentence))
        })
        .await
}
