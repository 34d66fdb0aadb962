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
pub(super) struct Begin {
    password: String,
}

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
    shown(&visit, FactorPage::default(), headers).await
}

/// The page, with what is shown once or with what was wrong.
async fn shown(visit: &Visit, once: FactorPage, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let (registry, user) = (&visit.registry, visit.person()?);
            let of_admins = visit.config.accounts.require_second_factor;
            let page = FactorPage {
                has_factor: accounts::has_factor(registry, user)?,
                is_owed: accounts::owes_factor(registry, user, of_admins)?,
                is_pending: accounts::has_pending_factor(registry, user)?,
                codes_left: registry.backup_codes_left(user.id)?,
                ..once
            };
            let shell = shell(visit, "Second factor", Here::None, &headers);
            Ok(answer(&shell, factor_page(&shell, &page)))
        })
        .await
}

pub(super) async fn begin(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<Begin>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let person = visit.known_person()?.clone();
    let offered = with_password(&visit.site, true, move |app| {
        let (registry, now) = (&app.registry, app.shop.clock.now());
        Ok(accounts::offer_factor(registry, &person, (&given.password, "Strongroom"), now))
    })
    .await?;
    match offered {
        Ok(it) => {
            let pending = Some(PendingFactor { secret: it.secret, uri: it.uri });
            shown(&visit, FactorPage { pending, ..FactorPage::default() }, headers).await
        }
        Err(error) => wrong(&visit, error, headers).await,
    }
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
        Ok(codes) => shown(visit, FactorPage { codes, ..FactorPage::default() }, headers).await,
        Err(error) => wrong(visit, error, headers).await,
    }
}

/// Shows the page again with what was wrong, where that is something to mend.
async fn wrong(
    visit: &Visit,
    error: AccountError,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    use AccountError::{FactorUnreadable, NotKnown, WrongCode};
    if !matches!(error, WrongCode | FactorUnreadable | NotKnown) {
        return Err(error.into());
    }
    let is_password = matches!(error, NotKnown);
    let problem = match is_password {
        true => "The password is not right, or there were too many tries.".to_owned(),
        false => sentence(&error),
    };
    let page = FactorPage { problem: Some(problem), ..FactorPage::default() };
    Ok((StatusCode::UNPROCESSABLE_ENTITY, shown(visit, page, headers).await?).into_response())
}

pub(super) async fn end(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<End>,
) -> Result<Response, Refusal> {
    gate::keeps_secrets(&headers)?;
    let person = visit.known_person()?.clone();
    let this = cookie::read(&headers).and_then(|secret| Secret::parse(&secret));
    let ended = with_password(&visit.site, true, move |app| {
        let (registry, now) = (&app.registry, app.shop.clock.now());
        let proof = (given.password.as_str(), given.end_code.as_str(), this.as_ref());
        Ok(accounts::end_factor(registry, &person, proof, now))
    })
    .await?;
    match ended {
        Ok(()) => Ok(see("/account", "The second factor is switched off.")),
        Err(error) => wrong(&visit, error, headers).await,
    }
}
