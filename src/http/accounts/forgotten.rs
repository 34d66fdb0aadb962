//! A forgotten password. Whatever was typed, the answer is the same.

use axum::extract::Form;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use web::{ForgottenPage, Here, forgotten_page};

use crate::http::Visit;
use crate::http::flash::see;
use crate::http::refusal::Refusal;
use crate::http::shell::{answer, shell};

#[derive(Deserialize)]
pub(super) struct Forgotten {
    email: String,
}

pub(super) async fn form(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Forgotten password", Here::None, &headers);
            let page = ForgottenPage { is_mailed: visit.outbox.link("/").is_some() };
            Ok(answer(&shell, forgotten_page(&shell, &page)))
        })
        .await
}

pub(super) async fn send(visit: Visit, Form(given): Form<Forgotten>) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            visit.desk().forget_password(&given.email, &visit.origin.address)?;
            let said = match visit.outbox.link("/") {
                Some(_) => "If there is such an account, a link is on its way to its e-mail.",
                None => {
                    "If there is such an account, the administrators see that you wait for a \
                     link. Ask them for it."
                }
            };
            Ok(see("/sign-in", said))
        })
        .await
}
