//! Setting a password: by a link, or by somebody who is signed in and knows the old one.

use std::sync::Arc;

use axum::extract::{Form, Query};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::AuditHow;
use web::{Here, PasswordPage, password_page};

use super::sign_in::go_on;
use super::{sign_in_first, with_password};
use crate::accounts::{self, AccountError, Entered, PASSWORD_RULE};
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};
use crate::http::{Visit, gate};

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
        None => Some(visit.known_person()?.clone()),
    };
    let (token, origin) = (given.token.clone(), Arc::clone(&visit.origin));
    let set = with_password(&visit.site, move |app| {
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
                accounts::change_password(registry, person, passwords, now)
            }
            (token, _) => {
                let link = (token.as_deref().unwrap_or_default(), given.password.as_str());
                accounts::redeem_link(registry, link, &origin.address, now).map(drop)
            }
        };
        match done {
            Ok(()) => {
                app.desk().mail_password_changed(&owner)?;
                // A link proves an e-mail, not the second factor.
                Ok(Ok(match person {
                    Some(_) => {
                        let how = (AuditHow::Password, &*origin);
                        Entered::Session(accounts::begin_session(registry, &owner, how, now)?)
                    }
                    None => accounts::enter(registry, &owner, (AuditHow::Link, &origin), now)?,
                }))
            }
            Err(error @ (AccountError::BadPassword(_) | AccountError::NotKnown)) => {
                Ok(Err((owner, sentence(&error))))
            }
            Err(error) => Err(error.into()),
        }
    })
    .await?;
    match set {
        Ok(entered) => Ok(go_on(entered, ("/", "The password is set."), &headers)),
        Err((owner, problem)) => {
            let form = shown(&visit, (owner.email, token, Some(problem)), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, form).into_response())
        }
    }
}
