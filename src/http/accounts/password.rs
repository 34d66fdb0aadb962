//! Setting a password: by a link, or by somebody who is signed in and knows the old one.

use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use web::{Here, PasswordPage, password_page};

use super::{cookie, person, sign_in_first, with_password};
use crate::accounts::{self, AccountError, PASSWORD_RULE};
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};
use crate::http::{Site, aside, gate};

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
    State(site): State<Site>,
    Query(link): Query<Link>,
    headers: HeaderMap,
    uri: Uri,
) -> Result<Response, Refusal> {
    let email = match link.token.clone() {
        Some(token) => {
            let user = aside(&site, move |app| {
                Ok(accounts::link_user(&app.registry, &token, app.shop.clock.now())?)
            });
            user.await?.email
        }
        None => match person(&site, &headers).await? {
            Some(user) => user.email,
            None => return Ok(sign_in_first(&uri)),
        },
    };
    shown(&site, (email, link.token, None), headers).await
}

async fn shown(
    site: &Site,
    (email, token, problem): (String, Option<String>, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let page = PasswordPage { email, token, rule: PASSWORD_RULE.into(), problem };
    aside(site, move |app| {
        let shell = shell(app, "Set a password", Here::None, &headers);
        Ok(answer(&shell, password_page(&shell, &page)))
    })
    .await
}

pub(super) async fn send(
    State(site): State<Site>,
    headers: HeaderMap,
    Form(given): Form<NewPassword>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let user = match &given.token {
        Some(_) => None,
        None => Some(super::known_person(&site, &headers).await?),
    };
    let token = given.token.clone();
    let set = with_password(&site, move |app| {
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
            let form = shown(&site, (owner.email, token, Some(problem)), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, form).into_response())
        }
    }
}
