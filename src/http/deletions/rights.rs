//! What a deletion is asked of, and who may ask and decide. The registry itself has the last word;
//! what stands here gives the right answer to who may not.

use axum::http::StatusCode;
use storage::registry::{DeletionRow, Role, User};
use web::counted;

use crate::desk::{DeletionWish, Desk};
use crate::http::Visit;
use crate::http::refusal::Refusal;

/// An object or file, as a form or a program names it.
#[derive(Clone)]
pub(in crate::http) enum Target {
    /// A whole object, by number or identifier.
    Object(String),
    /// A file, by number, UUID or identifier.
    File(String),
}

impl Target {
    /// Whose it is.
    pub(super) fn owner(&self, desk: Desk<'_>) -> Result<i64, Refusal> {
        Ok(match self {
            Target::Object(which) => desk.held_object(which)?.institution_id,
            Target::File(which) => desk.held_file(which)?.institution_id,
        })
    }

    /// The wish that names it alone.
    pub(super) fn wish(self, reason: String) -> DeletionWish {
        let wish = DeletionWish { reason, ..DeletionWish::default() };
        match self {
            Target::Object(object) => DeletionWish { objects: vec![object], ..wish },
            Target::File(file) => DeletionWish { files: vec![file], ..wish },
        }
    }
}

/// Whether somebody is an administrator of this institution.
pub(super) fn is_admin_of(person: &User, institution: i64) -> bool {
    person.role == Role::InstitutionalAdmin && person.institution_id == institution
}

pub(super) fn institution_name(visit: &Visit, id: i64) -> Result<String, Refusal> {
    let found = visit.registry.institution(id)?;
    Ok(found.map(|it| it.identifier).unwrap_or_default())
}

/// Refuses people who may not ask for deletions of this institution's things.
pub(super) fn may_ask(visit: &Visit, institution: i64, person: &User) -> Result<(), Refusal> {
    if is_admin_of(person, institution) {
        return Ok(());
    }
    let owner = institution_name(visit, institution)?;
    Err(not_allowed(&owner, person, "ask for this deletion"))
}

/// Refuses people who may not approve this request.
pub(super) fn may_approve(request: &DeletionRow, person: &User) -> Result<(), Refusal> {
    if is_admin_of(person, request.institution_id) {
        return Ok(());
    }
    Err(not_allowed(&request.institution_identifier, person, "approve this deletion"))
}

/// Refuses everybody but the requester, who alone can confirm a request that somebody else entered.
pub(super) fn may_confirm(request: &DeletionRow, person: &User) -> Result<(), Refusal> {
    if person.id == request.requested_by_id {
        return Ok(());
    }
    let (id, requester) = (request.id, &request.requested_by_email);
    let sentence = format!(
        "Deletion request {id} is in the name of {requester}, who alone can confirm it; {} cannot.",
        person.email
    );
    Err(Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence)
        .next(format!("Ask {requester} to confirm it. Nothing was changed.")))
}

/// Whether somebody may cancel this request: administrators of the institution and of the appliance.
pub(super) fn is_canceller(request: &DeletionRow, person: &User) -> bool {
    is_admin_of(person, request.institution_id) || person.role == Role::Admin
}

/// Refuses people who may not cancel this request.
pub(super) fn may_cancel(request: &DeletionRow, person: &User) -> Result<(), Refusal> {
    if is_canceller(request, person) {
        return Ok(());
    }
    let owner = format!("{} or of the appliance", request.institution_identifier);
    Err(not_allowed(&owner, person, "cancel this deletion"))
}

fn not_allowed(owner: &str, person: &User, deed: &str) -> Refusal {
    let sentence =
        format!("Only administrators of {owner} can {deed}; {} is none of them.", person.email);
    Refusal::new(StatusCode::FORBIDDEN, "not-allowed", sentence).next("Ask one of them to do it.")
}

/// What an agreeing person has to type: they have seen how much it is.
pub(super) fn words(request: &DeletionRow) -> String {
    format!("delete {}", counted(request.deleted_file_count, "file"))
}
