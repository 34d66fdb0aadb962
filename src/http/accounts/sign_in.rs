//! Signing in and out.

use std::sync::Arc;

use axum::extract::{Form, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::AuditHow;
use web::{CodePage, Here, SignInPage, code_page, sign_in_page};

use super::guess::Guess;
use super::{cookie, with_password};
use crate::accounts::{self, AccountError, Entered, Source};
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

#[derive(Deserialize)]
pub(super) struct Code {
    code: String,
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
    let browser = cookie::read_browser(&headers);
    let source = Source::new(&visit.origin.address, browser.as_deref());
    let place = (given.email.as_str(), visit.origin.address.as_str());
    let guess = Guess::begin(&visit.site, place, &source, browser.is_some()).await?;
    let (email, to) = (given.email.clone(), own_page(&given.to).to_owned());
    let origin = Arc::clone(&visit.origin);
    let found = with_password(&visit.site, guess.is_known(), move |app| {
        let (registry, now) = (&app.registry, app.shop.clock.now());
        let pair = (given.email.as_str(), given.password.as_str());
        match accounts::sign_in_from(registry, pair, (&source, &origin.address), now) {
            Ok(user) => {
                let how = (AuditHow::Password, &*origin);
                let entered = accounts::enter(registry, &user, how, now)?;
                let known = match entered {
                    Entered::Session(_) => {
                        let place = (browser.as_deref(), origin.address.as_str());
                        Some(accounts::know_browser(registry, &user, place, now)?)
                    }
                    Entered::Half(_) => None,
                };
                Ok(Some((entered, known, user)))
            }
            Err(AccountError::NotKnown) => Ok(None),
            Err(error) => Err(error.into()),
        }
    })
    .await?;
    match found {
        Some((entered, known, user)) => {
            guess.was_right(&visit.site);
            let response = go_on(entered, (&to, &format!("Signed in as {}.", user.name)), &headers);
            Ok(match known {
                Some(secret) => cookie::give_browser(response, &secret, &headers),
                None => response,
            })
        }
        None => {
            let email = email.chars().take(254).collect();
            let problem = Some(sentence(&AccountError::NotKnown));
            let form = shown(&visit, SignInPage { email, to, problem }, headers).await?;
            Ok((StatusCode::UNAUTHORIZED, form).into_response())
        }
    }
}

/// Goes where somebody wanted to go, or to the second step first.
pub(super) fn go_on(entered: Entered, (to, said): (&str, &str), headers: &HeaderMap) -> Response {
    match entered {
        Entered::Session(secret) => cookie::give(see(to, said), &secret, headers),
        Entered::Half(secret) => {
            let place = format!("/sign-in/code{}", web::parts::query(&[("to", to)]));
            let response = (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response();
            cookie::give_half(response, &secret, headers)
        }
    }
}

pub(super) async fn code_form(
    visit: Visit,
    Query(way): Query<Way>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let to = own_page(&way.to).to_owned();
    code_shown(&visit, CodePage { to, problem: None }, headers).await
}

/// The form of the second step; without a first one, that comes first.
async fn code_shown(
    visit: &Visit,
    page: CodePage,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let half = cookie::read_half(&headers).unwrap_or_default();
    visit
        .aside(move |visit| {
            match accounts::half_user(&visit.registry, &half, visit.shop.clock.now()) {
                Ok(_) => {}
                Err(AccountError::DeadHalf) => {
                    let place = format!("/sign-in{}", web::parts::query(&[("to", &page.to)]));
                    return Ok(see(&place, "Begin again: too much time went by."));
                }
                Err(error) => return Err(error.into()),
            }
            let shell = shell(visit, "Sign in", Here::None, &headers);
            Ok(answer(&shell, code_page(&shell, &page)))
        })
        .await
}

pub(super) async fn send_code(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<Code>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let half = cookie::read_half(&headers).unwrap_or_default();
    let to = own_page(&given.to).to_owned();
    let browser = cookie::read_browser(&headers);
    let source = Source::new(&visit.origin.address, browser.as_deref());
    let sought = half.clone();
    let user = visit.aside(move |visit| {
        Ok(accounts::half_user(&visit.registry, &sought, visit.shop.clock.now()).ok())
    });
    let Some(user) = user.await? else {
        return code_shown(&visit, CodePage { to, problem: None }, headers).await;
    };
    let place = (user.email.as_str(), visit.origin.address.as_str());
    let guess = Guess::begin(&visit.site, place, &source, browser.is_some()).await?;
    let finished = visit
        .aside(move |visit| {
            let (registry, now) = (&visit.registry, visit.shop.clock.now());
            let step = (half.as_str(), given.code.as_str());
            let finished = accounts::finish_from(registry, step, (&source, &visit.origin), now);
            Ok(match finished {
                Ok((user, secret)) => {
                    let place = (browser.as_deref(), visit.origin.address.as_str());
                    let known = accounts::know_browser(registry, &user, place, now)?;
                    Ok((user, secret, known))
                }
                Err(error) => Err(error),
            })
        })
        .await?;
    match finished {
        Ok((user, secret, known)) => {
            guess.was_right(&visit.site);
            let said = format!("Signed in as {}.", user.name);
            let response = cookie::give(see(&to, &said), &secret, &headers);
            Ok(cookie::give_browser(response, &known, &headers))
        }
        Err(error @ (AccountError::WrongCode | AccountError::FactorUnreadable)) => {
            let page = CodePage { to, problem: Some(sentence(&error)) };
            let form = code_shown(&visit, page, headers).await?;
            if form.status().is_redirection() {
                return Ok(form);
            }
            Ok((StatusCode::UNAUTHORIZED, form).into_response())
        }
        Err(AccountError::DeadHalf) => {
            code_shown(&visit, CodePage { to, problem: None }, headers).await
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn leave(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    if let Some(secret) = cookie::read(&headers) {
        let ended = move |visit: &Visit| {
            let (registry, now) = (&visit.registry, visit.shop.clock.now());
            Ok(accounts::end_session(registry, &secret, &visit.origin.address, now)?)
        };
        visit.aside(ended).await?;
    }
    Ok(cookie::take_back(see("/sign-in", "Signed out."), &headers))
}

/// A page of ours to go to: whoever made the address may not send people elsewhere.
pub(super) fn own_page(to: &str) -> &str {
    // Browsers leave out tabs and line ends, and read a backslash as a slash.
    let is_plain = |byte: u8| byte.is_ascii_graphic() && byte != b'\\';
    let ours = to.starts_with('/') && !to.starts_with("//") && to.bytes().all(is_plain);
    if ours && to.len() <= 2000 { to } else { "/" }
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
