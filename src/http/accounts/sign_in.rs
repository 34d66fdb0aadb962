//! Signing in and out.

use axum::extract::{Form, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use web::{Here, SignInPage, sign_in_page};

use super::{cookie, with_password};
use crate::accounts::{self, AccountError};
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};
use crate::http::{Visit, gate};

#[derive(Deserialize)]
pub(super) struct Way {
    #[serde(default)]
    to: String,
}

#[derive(Deserialize)]
pub(super) struct SignIn {
    email: String,
    password: String,
    #[serde(default)]
    to: String,
}

pub(super) async fn form(
    visit: Visit,
    Query(way): Query<Way>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let page = SignInPage { to: way.to, ..SignInPage::default() };
    shown(&visit, page, headers).await
}

async fn shown(visit: &Visit, page: SignInPage, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Sign in", Here::None, &headers);
            Ok(answer(&shell, sign_in_page(&shell, &page)))
        })
        .await
}

pub(super) async fn send(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<SignIn>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    visit.site.rates.guess_account(&given.email)?;
    let (email, to) = (given.email.clone(), own_page(&given.to).to_owned());
    let found = with_password(&visit.site, move |app| {
        let (registry, now) = (&app.registry, app.shop.clock.now());
        match accounts::sign_in(registry, &given.email, &given.password, now) {
            Ok(user) => Ok(Some((accounts::begin_session(registry, &user, now)?, user))),
            Err(AccountError::NotKnown) => Ok(None),
            Err(error) => Err(error.into()),
        }
    })
    .await?;
    match found {
        Some((secret, user)) => {
            visit.site.rates.guessed_right(&user.email);
            let response = see(&to, &format!("Signed in as {}.", user.name));
            Ok(cookie::give(response, &secret, &headers))
        }
        None => {
            let email = email.chars().take(254).collect();
            let problem = Some(sentence(&AccountError::NotKnown));
            let form = shown(&visit, SignInPage { email, to, problem }, headers).await?;
            Ok((StatusCode::UNAUTHORIZED, form).into_response())
        }
    }
}

pub(super) async fn leave(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    if let Some(secret) = cookie::read(&headers) {
        let ended = move |visit: &Visit| {
            Ok(accounts::end_session(&visit.registry, &secret, visit.shop.clock.now())?)
        };
        visit.aside(ended).await?;
    }
    Ok(cookie::take_back(see("/", "Signed out."), &headers))
}

/// A page of ours to go to: whoever made the address may not send people elsewhere.
fn own_page(to: &str) -> &str {
    let ours = to.starts_with('/') && !to.starts_with("//") && !to.contains(['\\', '\r', '\n']);
    if ours && to.len() <= 2000 && to.is_ascii() { to } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::own_page;

    #[test]
    fn nobody_is_sent_elsewhere() {
        for ours in ["/deletions/3", "/objects/a.example/b?version=2"] {
            assert_eq!(own_page(ours), ours);
        }
        for bad in
            ["", "deletions", "//evil.example", "/\\evil.example", "https://evil.example", "/é"]
        {
            assert_eq!(own_page(bad), "/", "{bad}");
        }
    }
}
