//! Confirming a change of one's own e-mail, by the link that was mailed to the old one.

use axum::extract::{Form, Query};
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use web::{EmailPage, Here, email_page};

use crate::http::Visit;
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};

#[derive(Deserialize)]
pub(super) struct Link {
    token: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Confirmation {
    token: String,
}

pub(super) async fn form(
    visit: Visit,
    Query(link): Query<Link>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let email = visit.person()?.email.clone();
            let change = match link.token {
                Some(token) => Some((visit.desk().email_of_link(&token)?, token)),
                None => None,
            };
            let shell = shell(visit, "Change your e-mail", Here::None, &headers);
            Ok(answer(&shell, email_page(&shell, &EmailPage { email, change })))
        })
        .await
}

pub(super) async fn confirm(
    visit: Visit,
    Form(given): Form<Confirmation>,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let after = visit.desk().confirm_own_email(&given.token)?;
            Ok(see("/account", &format!("Your e-mail is {} now.", after.email)))
        })
        .await
}
