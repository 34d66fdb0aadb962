//! My account.

use axum::extract::{Form, Path};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::TokenRow;
use web::{Badge, Fact, FactValue, Here, OwnPage, SessionLine, TokenLine, Tone, own_page};

use super::api::{number, this_session};
use crate::accounts::{self, scope_word};
use crate::desk::{DeskError, NewTokenWish, OwnSession};
use crate::http::Visit;
use crate::http::flash::see;
use crate::http::people::{role_label, to_mend};
use crate::http::refusal::{Refusal, sentence};
use crate::http::shell::{answer, shell};
use crate::rights::TokenScope;

#[derive(Deserialize)]
pub(super) struct Own {
    name: String,
    #[serde(default)]
    phone_number: String,
    email: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct NewToken {
    token_name: String,
    scope: TokenScope,
    days: u32,
}

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    shown(&visit, (None, None), headers).await
}

/// The page, with a token that was just made or with what was wrong.
async fn shown(
    visit: &Visit,
    (made_token, problem): (Option<String>, Option<String>),
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let this = this_session(visit, &headers).await?;
    visit
        .aside(move |visit| {
            let page = OwnPage { made_token, problem, ..value(visit, this)? };
            let shell = shell(visit, "My account", Here::None, &headers);
            Ok(answer(&shell, own_page(&shell, &page)))
        })
        .await
}

fn value(visit: &Visit, this: Option<i64>) -> Result<OwnPage, Refusal> {
    let user = visit.person()?;
    let institution = visit.registry.institution(user.institution_id)?;
    let facts = vec![
        Fact::new("E-mail", FactValue::Code(user.email.clone())),
        Fact::text("Institution", institution.map(|it| it.name).unwrap_or_default()),
        Fact::text("Role", role_label(user.role)),
    ];
    let now = visit.shop.clock.now();
    let pairs = [("per_page".to_owned(), "100".to_owned())];
    let tokens = visit.desk().tokens(None, &pairs)?.tokens;
    let sessions = visit.desk().sessions(this)?.sessions;
    Ok(OwnPage {
        name: user.name.clone(),
        phone_number: user.phone_number.clone().unwrap_or_default(),
        email: user.email.clone(),
        changes_email: visit.outbox.link("/").is_some(),
        pending_email: visit.desk().pending_email()?.map(|pending| pending.email),
        facts,
        has_factor: accounts::has_factor(&visit.registry, user)?,
        sessions: sessions.into_iter().map(session).collect(),
        tokens: tokens.into_iter().map(|it| token(it, now)).collect(),
        made_token: None,
        problem: None,
    })
}

fn session(own: OwnSession) -> SessionLine {
    let it = own.session;
    SessionLine {
        id: it.id,
        address: it.address,
        browser: it.browser,
        created: it.created_at.to_string(),
        seen: it.seen_at.to_string(),
        is_this: own.is_this,
    }
}

fn token(it: TokenRow, now: storage::clock::Timestamp) -> TokenLine {
    let state = match (it.revoked_at, it.expires_at <= now) {
        (Some(_), _) => Badge::new("Revoked", Tone::Calm),
        (None, true) => Badge::new("Expired", Tone::Calm),
        (None, false) => Badge::new("Works", Tone::Good),
    };
    TokenLine {
        id: it.id,
        name: it.name,
        manages: it.scope == scope_word(TokenScope::Manage),
        scope: match it.scope.as_str() {
            "write" => "Reading and changing",
            "research" => "Taking part in research",
            "manage" => "Deleting, changing users, and everything else",
            _ => "Reading",
        }
        .into(),
        state,
        expires: it.expires_at.to_string(),
        used: it.used_at.map(|used| used.to_string()),
        works: it.revoked_at.is_none() && it.expires_at > now,
    }
}

pub(super) async fn edit(
    visit: Visit,
    headers: HeaderMap,
    Form(own): Form<Own>,
) -> Result<Response, Refusal> {
    let old = visit.person()?.email.clone();
    let changed = visit.aside(move |visit| {
        let desk = visit.desk();
        let other = own.email.as_deref().map(str::trim).filter(|email| *email != old);
        // Asked for first: what is refused leaves everything as it was.
        let asked = match other.map(|email| desk.ask_own_email(email)).transpose() {
            Ok(asked) => asked,
            Err(error) => return Ok(Err(error)),
        };
        Ok(desk.edit_own(&own.name, &own.phone_number).map(|_| asked.map(|_| old)))
    });
    match changed.await? {
        Ok(None) => Ok(see("/account", "Changed.")),
        Ok(Some(old)) => {
            let said = format!("A link was mailed to {old}: open it to change the e-mail.");
            Ok(see("/account", &said))
        }
        Err(error) => wrong(&visit, error, headers).await,
    }
}

pub(super) async fn make_token(
    visit: Visit,
    headers: HeaderMap,
    Form(new): Form<NewToken>,
) -> Result<Response, Refusal> {
    let wish = NewTokenWish { name: new.token_name, scope: new.scope, days: new.days };
    match visit.aside(move |visit| Ok(visit.desk().make_token(None, &wish))).await? {
        // Not by a redirect: what is shown once stands in no cookie and no address.
        Ok(made) => shown(&visit, (Some(made.text), None), headers).await,
        Err(error) => wrong(&visit, error, headers).await,
    }
}

/// Shows the page again with what was wrong, where that is something to mend.
async fn wrong(visit: &Visit, error: DeskError, headers: HeaderMap) -> Result<Response, Refusal> {
    if !to_mend(&error) {
        return Err(error.into());
    }
    let page = shown(visit, (None, Some(sentence(&error))), headers).await?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, page).into_response())
}

pub(super) async fn revoke_token(
    visit: Visit,
    Path(id): Path<String>,
) -> Result<Response, Refusal> {
    let id = number("token", &id)?;
    visit
        .aside(move |visit| {
            let token = visit.desk().revoke_token(id)?;
            Ok(see("/account", &format!("The token {} works no more.", token.name)))
        })
        .await
}

pub(super) async fn end_session(visit: Visit, Path(id): Path<String>) -> Result<Response, Refusal> {
    let id = number("session", &id)?;
    visit
        .aside(move |visit| {
            visit.desk().end_session(id)?;
            Ok(see("/account", "The session has ended."))
        })
        .await
}
