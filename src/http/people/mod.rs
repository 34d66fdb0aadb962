//! People, institutions and the log of who did what: pages and API, for those who look after them.

mod api;
mod audit;
mod institutions;
mod users;

use axum::Router;
use axum::routing::{get, post};
use storage::registry::Role;
use web::Choice;

use super::{Site, Visit};
use crate::accounts::AccountError;
use crate::desk::DeskError;
use crate::rights::Sight;

pub(super) use api::routes as api;

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/users", get(users::list).post(users::add))
        .route("/users/new", get(users::form))
        .route("/users/{which}", get(users::one).post(users::edit))
        .route("/users/{which}/reset", post(users::reset))
        .route("/users/{which}/reset-factor", post(users::reset_factor))
        .route("/users/{which}/deactivate", post(|a, b| users::admit(a, b, false)))
        .route("/users/{which}/reactivate", post(|a, b| users::admit(a, b, true)))
        .route("/institutions", get(institutions::list).post(institutions::add))
        .route("/institutions/new", get(institutions::form))
        .route("/institutions/{which}", get(institutions::one).post(institutions::edit))
        .route("/institutions/{which}/deactivate", post(|a, b| institutions::admit(a, b, false)))
        .route("/institutions/{which}/reactivate", post(|a, b| institutions::admit(a, b, true)))
        .route("/audit", get(audit::page))
}

/// What was typed into a form that is shown again: a field is not for more.
fn cut(text: &str) -> String {
    text.chars().take(300).collect()
}

/// A role in words.
pub(super) fn role_label(role: Role) -> &'static str {
    match role {
        Role::InstitutionalUser => "User: reads, deposits and restores",
        Role::InstitutionalAdmin => "Administrator of the institution",
        Role::Admin => "Administrator of the appliance",
        Role::None => "None: may not come in",
    }
}

/// The roles that this caller may give.
fn roles(visit: &Visit) -> Vec<Choice> {
    let all = visit.desk().sight() == Sight::All;
    let given = Role::ALL.into_iter().filter(|role| all || *role != Role::Admin);
    given.map(|role| Choice::new(role.name(), role_label(role))).collect()
}

/// The institutions that this caller sees, by `value`; the first thousand.
fn institutions(
    visit: &Visit,
    value: impl Fn(&storage::registry::Institution) -> String,
) -> Result<Vec<Choice>, DeskError> {
    let found = visit.desk().institutions(&[("per_page".to_owned(), "1000".to_owned())])?;
    let choices = found.institutions.iter().map(|it| Choice::new(value(it), it.name.clone()));
    Ok(choices.collect())
}

/// What was wrong with a form, if it is something to mend there.
pub(super) fn to_mend(error: &DeskError) -> bool {
    matches!(
        error,
        DeskError::Account(
            AccountError::BadField { .. } | AccountError::Taken(_) | AccountError::Refused(_)
        )
    )
}
