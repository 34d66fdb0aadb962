//! The first administrator comes in by the link that `serve` printed.

use std::sync::Arc;

use axum::extract::{Form, Query};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::AuditHow;
use web::{Here, WelcomePage, welcome_page};

use super::{cookie, with_password};
use crate::accounts::{self, AccountError, NewAdmin, PASSWORD_RULE};
use crate::desk::DeskError;
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};
use crate::http::{Visit, gate};

#[derive(Deserialize)]
pub(super) struct Link {
    #[serde(default)]
    token: String,
}

#[derive(Clone, Deserialize)]
pub(super) struct First {
    token: String,
    name: String,
    email: String,
    password: String,
    again: String,
}

pub(super) async fn form(
    visit: Visit,
    Query(link): Query<Link>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let token = link.token.clone();
    let known = visit.aside(move |visit| Ok(visit.welcome.knows(&visit.registry, &token)?));
    if !known.await? {
        return Err(dead());
    }
    let page = WelcomePage { token: link.token, ..WelcomePage::default() };
    shown(&visit, page, headers).await
}

async fn shown(visit: &Visit, page: WelcomePage, headers: HeaderMap) -> Result<Response, Refusal> {
    let page = WelcomePage { rule: PASSWORD_RULE.into(), ..page };
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Welcome", Here::None, &headers);
            Ok(answer(&shell, welcome_page(&shell, &page)))
        })
        .await
}

pub(super) async fn send(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<First>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let (first, origin) = (given.clone(), Arc::clone(&visit.origin));
    let made = with_password(&visit.site, false, move |app| {
        if first.password != first.again {
            return Ok(Err("The two passwords are not the same.".to_owned()));
        }
        let First { token, name, email, password, .. } = first;
        let admin = NewAdmin { name, email, password };
        match app.desk().welcome(&token, admin, &origin.address) {
            Ok(user) => {
                let (how, now) = ((AuditHow::Link, &*origin), app.shop.clock.now());
                let secret = accounts::begin_session(&app.registry, &user, how, now)?;
                let place = (None, origin.address.as_str());
                Ok(Ok((secret, accounts::know_browser(&app.registry, &user, place, now)?)))
            }
            Err(DeskError::Account(AccountError::DeadLink)) => Err(dead()),
            Err(DeskError::Account(
                error @ (AccountError::BadPassword(_)
                | AccountError::BadField { .. }
                | AccountError::Taken(_)),
            )) => Ok(Err(sentence(&error))),
            Err(error) => Err(error.into()),
        }
    });
    match made.await? {
        Ok((secret, browser)) => {
            let said = "You look after this appliance now. Add others on the page Users.";
            let response = cookie::give(see("/", said), &secret, &headers);
            Ok(cookie::give_browser(response, &browser, &headers))
        }
        Err(problem) => {
            let First { token, name, email, .. } = given;
            let page =
                WelcomePage { token, name, email, problem: Some(problem), ..Default::default() };
            Ok((StatusCode::UNPROCESSABLE_ENTITY, shown(&visit, page, headers).await?)
                .into_response())
        }
    }
}

fn dead() -> Refusal {
    let refusal = Refusal::from(AccountError::DeadLink);
    refusal.next("If there is no administrator yet, start the program again: it prints a new one.")
}
