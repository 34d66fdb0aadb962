//! The second factor of somebody's own account. All that is open to somebody who must have one and
//! has none yet.

use axum::extract::Form;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use web::{FactorPage, Here, PendingFactor, factor_page};

use super::{cookie, with_password};
use crate::accounts::{self, AccountError, Secret};
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};
use crate::http::{Visit, gate};

#[derive(Deserialize)]
pub(super) struct Code {
    code: String,
}

#[derive(Deserialize)]
pub(super) struct End {
    password: String,
    end_code: String,
}

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    shown(&visit, (Vec::new(), None), headers).await
}

/// The page, with codes that were just made or with what was wrong.
async fn shown(
    visit: &Visit,
    (codes, problem): (Vec<String>, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let (registry, user) = (&visit.registry, visit.person()?);
            let of_admins = visit.config.accounts.require_second_factor;
            let pending = accounts::pending_factor(registry, user, "Strongroom")?;
            let page = FactorPage {
                has_factor: accounts::has_factor(registry, user)?,
                is_owed: accounts::owes_factor(registry, user, of_admins)?,
                pending: pending.map(|it| PendingFactor { secret: it.secret, uri: it.uri }),
                codes_left: registry.backup_codes_left(user.id)?,
                codes,
                problem,
            };
            let shell = shell(visit, "Second factor", Here::None, &headers);
            Ok(answer(&shell, factor_page(&shell, &page)))
        })
        .await
}

pub(super) async fn begin(visit: Visit) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            accounts::offer_factor(&visit.registry, visit.person()?, visit.shop.clock.now())?;
            Ok(see("/account/second-factor", "Now tell your device."))
        })
        .await
}

pub(super) async fn confirm(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<Code>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let confirmed = visit
        .aside(move |visit| {
            let (person, now) = (visit.known_person()?, visit.shop.clock.now());
            Ok(accounts::confirm_factor(&visit.registry, person, &given.code, now))
        })
        .await?;
    codes_or_problem(&visit, confirmed, headers).await
}

pub(super) async fn renew(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<Code>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let renewed = visit
        .aside(move |visit| {
            let (person, now) = (visit.known_person()?, visit.shop.clock.now());
            Ok(accounts::renew_codes(&visit.registry, person, &given.code, now))
        })
        .await?;
    codes_or_problem(&visit, renewed, headers).await
}

/// What is shown once is shown in the answer itself: it stands in no cookie and no address.
async fn codes_or_problem(
    visit: &Visit,
    made: Result<Vec<String>, AccountError>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    match made {
        Ok(codes) => shown(visit, (codes, None), headers).await,
        Err(error @ (AccountError::WrongCode | AccountError::FactorUnreadable)) => {
            let page = shown(visit, (Vec::new(), Some(sentence(&error))), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn end(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<End>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let person = visit.known_person()?.clone();
    let this = cookie::read(&headers).and_then(|secret| Secret::parse(&secret));
    let ended = with_password(&visit.site, move |app| {
        let (registry, now) = (&app.registry, app.shop.clock.now());
        let proof = (given.password.as_str(), given.end_code.as_str(), this.as_ref());
        Ok(accounts::end_factor(registry, &person, proof, now))
    })
    .await?;
    match ended {
        Ok(()) => Ok(see("/account", "The second factor is switched off.")),
        Err(
            error @ (AccountError::WrongCode
            | AccountError::FactorUnreadable
            | AccountError::NotKnown),
        ) => {
            let page = shown(&visit, (Vec::new(), Some(sentence(&error))), headers).await?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
        }
        Err(error) => Err(error.into()),
    }
}
