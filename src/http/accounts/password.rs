//! Setting a password: by a link, or by somebody who is signed in and knows the old one.

use std::sync::Arc;

use axum::extract::{Form, Query};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::AuditHow;
use web::{Here, PasswordPage, counted, password_page};

use super::sign_in::go_on;
use super::{cookie, sign_in_first, with_password};
use crate::accounts::{self, AccountError, Entered, PASSWORD_RULE};
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};
use crate::http::{Visit, gate};
use crate::rights::{Person, Proof};

#[derive(Deserialize)]
pub(super) struct Link {
    token: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct NewPassword {
    token: Option<String>,
    #[serde(default)]
    old: String,
    password: String,
    again: String,
}

pub(super) async fn form(
    visit: Visit,
    Query(link): Query<Link>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Refusal> {
    let email = match link.token.clone() {
        Some(token) => {
            let user = visit.aside(move |visit| {
                Ok(accounts::link_user(&visit.registry, &token, visit.shop.clock.now())?)
            });
            user.await?.email
        }
        None => match visit.user() {
            Some(user) => user.email.clone(),
            None => return Ok(sign_in_first(&uri)),
        },
    };
    shown(&visit, (email, link.token, None), headers).await
}

async fn shown(
    visit: &Visit,
    (email, token, problem): (String, Option<String>, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let page = PasswordPage { email, token, rule: PASSWORD_RULE.into(), problem };
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Set a password", Here::None, &headers);
            Ok(answer(&shell, password_page(&shell, &page)))
        })
        .await
}

pub(super) async fn send(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<NewPassword>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let person = match &given.token {
        Some(_) => None,
        None => Some(signed_in(&visit)?),
    };
    let (token, origin) = (given.token.clone(), Arc::clone(&visit.origin));
    let set = with_password(&visit.site, person.is_some(), move |app| {
        let (registry, now) = (&app.registry, app.shop.clock.now());
        let owner = match (&given.token, &person) {
            (Some(token), _) => accounts::link_user(registry, token, now)?,
            (None, Some(person)) => person.user.clone(),
            (None, None) => return Err(AccountError::DeadLink.into()),
        };
        if given.password != given.again {
            return Ok(Err((owner, "The two passwords are not the same.".to_owned())));
        }
        let done = match (&given.token, &person) {
            (None, Some(person)) => {
                let passwords = (given.old.as_str(), given.password.as_str());
                accounts::change_password(registry, person, passwords, now).map(|()| 0)
            }
            (token, _) => {
                let link = (token.as_deref().unwrap_or_default(), given.password.as_str());
                accounts::redeem_link(registry, link, &origin.address, now).map(|(_, it)| it)
            }
        };
        match done {
            Ok(revoked) => {
                app.desk().mail_password_changed(&owner)?;
                // A link proves an e-mail, not the second factor.
                let entered = match person {
                    Some(_) => {
                        let how = (AuditHow::Password, &*origin);
                        Entered::Session(accounts::begin_session(registry, &owner, how, now)?)
                    }
                    None => accounts::enter(registry, &owner, (AuditHow::Link, &origin), now)?,
                };
                let known = match entered {
                    Entered::Session(_) => {
                        let place = (None, origin.address.as_str());
                        Some(accounts::know_browser(registry, &owner, place, now)?)
                    }
                    Entered::Half(_) => None,
                };
                Ok(Ok((entered, known, revoked)))
            }
            Err(error @ (AccountError::BadPassword(_) | AccountError::NotKnown)) => {
                Ok(Err((owner, sentence(&error))))
            }
            Err(error) => Err(error.into()),
        }
    })
    .await?;
    match set {
        Ok((entered, known, revoked)) => {
            let response = go_on(entered, ("/", &password_set(revoked)), &headers);
            Ok(match known {
                Some(secret) => cookie::give_browser(response, &secret, &headers),
                None => response,
            })
        }
        Err((owner, problem)) => {
            let form = shown(&visit, (owner.email, token, Some(problem)), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, form).into_response())
        }
    }
}

/// The person who changes their own password: signed in with a browser. A token or a password that a
/// program sends has not passed the second factor and must not open a session.
fn signed_in(visit: &Visit) -> Result<Person, Refusal> {
    let person = visit.known_person()?;
    if person.proof == Proof::Session {
        return Ok(person.clone());
    }
    let sentence = "A password is changed by a person who has signed in with a browser. The password \
        was not changed.";
    let refusal = Refusal::new(StatusCode::FORBIDDEN, "session-only", sentence);
    Err(refusal.next("Sign in at /sign-in, or use a link that sets a password."))
}

/// What the next page says.
fn password_set(revoked: usize) -> String {
    match revoked {
        0 => "The password is set.".to_owned(),
        _ => format!(
            "The password is set. {} stopped working: make new ones on the page My account.",
            counted(u64::try_from(revoked).unwrap_or(u64::MAX), "token")
        ),
    }
}
