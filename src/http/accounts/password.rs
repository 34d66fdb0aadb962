//! Setting a password: by a link, or by somebody who is signed in and knows the old one.

use axum::extract::{Form, Query};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use web::{Here, PasswordPage, password_page};

use super::{cookie, sign_in_first, with_password};
use crate::accounts::{self, AccountError, PASSWORD_RULE};
use crate::http::flash::see;
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
    let user = match &given.token {
        Some(_) => None,
        None => Some(visit.person()?.clone()),
    };
    let token = given.token.clone();
    let set = with_password(&visit.site, move |app| {
        let (registry, now) = (&app.registry, app.shop.clock.now());
        let owner = match (&given.token, &user) {
            (Some(token), _) => accounts::link_user(registry, token, now)?,
            (None, Some(user)) => user.clone(),
            (None, None) => return Err(AccountError::DeadLink.into()),
        };
        if given.password != given.again {
            return Ok(Err((owner, "The two passwords are not the same.".to_owned())));
        }
        let done = match &given.token {
            Some(token) => accounts::redeem_link(registry, token, &given.password, now).map(drop),
            None => {
                let passwords = (given.old.as_str(), given.password.as_str());
                accounts::change_password(registry, &owner, passwords, now)
            }
        };
        match done {
            Ok(()) => Ok(Ok(accounts::begin_session(registry, &owner, now)?)),
            Err(error @ (AccountError::BadPassword(_) | AccountError::NotKnown)) => {
                Ok(Err((owner, sentence(&error))))
            }
            Err(error) => Err(error.into()),
        }
    })
    .await?;
    match set {
        Ok(secret) => Ok(cookie::give(see("/", "The password is set."), &secret, &headers)),
        Err((owner, problem)) => {
            let form = shown(&visit, (owner.email, token, Some(problem)), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, form).into_response())
        }
    }
}
