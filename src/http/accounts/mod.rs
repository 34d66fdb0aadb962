//! Who asks: sessions in a cookie, tokens and passwords of programs, and the pages to come in by and
//! to look after one's own account.
//!
//! The entrance asks [`known`] for every request, and handlers find the answer in their `Visit`.

mod api;
mod authorization;
mod cookie;
mod email;
mod factor;
mod forgotten;
mod guess;
mod own;
mod password;
mod sign_in;
mod welcome;

use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use storage::clock::Timestamp;

use self::authorization::Says;
use self::guess::Guess;
use super::refusal::Refusal;
use super::{Site, Visit, aside};
use crate::accounts::{self, AccountError, ConfirmedUser, IdentityProof, Source};
use crate::app::App;
use crate::rights::{Person, Proof};

pub(super) use api::routes as api;
pub(super) use cookie::NAME as COOKIE;

/// Passwords looked at at the same time: each takes a core and 19 MiB for a while.
pub(super) const AT_ONCE: usize = 2;
/// Besides, of those who come from where they have signed in before: a crowd of strangers does not
/// keep them waiting.
pub(super) const KNOWN_AT_ONCE: usize = 1;
/// Longest wait for a turn.
const TURN: Duration = Duration::from_secs(10);

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/sign-in", get(sign_in::form).post(sign_in::send))
        .route("/sign-in/code", get(sign_in::code_form).post(sign_in::send_code))
        .route("/sign-out", post(sign_in::leave))
        .route("/forgotten", get(forgotten::form).post(forgotten::send))
        .route("/password", get(password::form).post(password::send))
        .route("/welcome", get(welcome::form).post(welcome::send))
        .route("/account", get(own::page).post(own::edit))
        .route("/account/email", get(email::form).post(email::confirm))
        .route("/account/tokens", post(own::make_token))
        .route("/account/tokens/{id}/revoke", post(own::revoke_token))
        .route("/account/sessions/{id}/end", post(own::end_session))
        .route("/account/second-factor", get(factor::page))
        .route("/account/second-factor/begin", post(factor::begin))
        .route("/account/second-factor/confirm", post(factor::confirm))
        .route("/account/second-factor/codes", post(factor::renew))
        .route("/account/second-factor/end", post(factor::end))
}

/// Somebody we know.
pub(super) struct Known {
    /// Who, and how we know.
    pub(super) person: Person,
    /// Whether they must have a second factor and have none yet.
    pub(super) owes_factor: bool,
}

/// Who asks: by the session's cookie, or by what programs send with every request. None for
/// strangers.
///
/// # Errors
///
/// What a program sends and is not known is refused, not taken for a stranger's.
pub(super) async fn known(
    site: &Site,
    headers: &HeaderMap,
    from: &str,
) -> Result<Option<Known>, Refusal> {
    let from = from.to_owned();
    match authorization::read(headers) {
        Some(Says::Nonsense) => Err(AccountError::NotKnown.into()),
        Some(Says::Password(email, password)) => {
            let source = Source::new(&from, None);
            let guess = Guess::begin(site, (&email, &from), &source, false).await?;
            let found = with_password(site, guess.is_known(), move |app| {
                let (registry, now) = (&app.registry, app.shop.clock.now());
                let given = (email.as_str(), password.as_str());
                by_debt(app, accounts::password_caller(registry, given, &from, now)?)
            });
            let known = found.await?;
            guess.was_right(site);
            Ok(Some(known))
        }
        Some(Says::Token(text)) => {
            let found = aside(site, move |app| {
                let now = app.shop.clock.now();
                Ok(accounts::token_caller(&app.registry, &text, &from, now)?)
            });
            by_token(found.await?)
        }
        Some(Says::Pharos(email, key)) => {
            let found = aside(site, move |app| {
                let (registry, now) = (&app.registry, app.shop.clock.now());
                Ok(accounts::pharos_caller(registry, (&email, &key), &from, now)?)
            });
            by_token(found.await?)
        }
        None => {
            let Some(secret) = cookie::read(headers) else { return Ok(None) };
            let found = aside(site, move |app| {
                let user = accounts::person(&app.registry, &secret, app.shop.clock.now())?;
                let person = |user| Person { user, proof: Proof::Session, address: from };
                user.map(|user| by_debt(app, person(user))).transpose()
            });
            found.await
        }
    }
}

fn by_debt(app: &App, person: Person) -> Result<Known, Refusal> {
    let of_admins = app.config.accounts.require_second_factor;
    let owes_factor = accounts::owes_factor(&app.registry, &person.user, of_admins)?;
    Ok(Known { person, owes_factor })
}

/// A token was made by somebody who had signed in, and is long: it needs no second factor.
fn by_token(found: Option<Person>) -> Result<Option<Known>, Refusal> {
    let Some(person) = found else {
        let sentence = "This token does not work: it was mistyped, revoked, has expired, or its \
            owner was shut out.";
        return Err(Refusal::new(StatusCode::UNAUTHORIZED, "bad-token", sentence)
            .next("Its owner can make a new one on the page My account."));
    };
    Ok(Some(Known { person, owes_factor: false }))
}

/// Whether a request bears the cookie of a browser that has signed in before, or says so.
pub(super) fn bears_browser(headers: &HeaderMap) -> bool {
    cookie::read_browser(headers).is_some()
}

/// The secret of the session that a request bears.
pub(super) fn session_secret(headers: &HeaderMap) -> Option<String> {
    cookie::read(headers)
}

/// Sends a stranger to the form, and back to this page afterwards.
pub(super) fn sign_in_first(uri: &Uri) -> Response {
    let to = uri.path_and_query().map_or("/", |it| it.as_str());
    let place = format!("/sign-in{}", web::parts::query(&[("to", to)]));
    (StatusCode::SEE_OTHER, [(header::LOCATION, place)]).into_response()
}

/// Holds what somebody gives to prove once more who they are against their account, for something that
/// was begun at a moment. The registry counts what they get wrong; what strangers try costs them
/// neither tries nor turns.
pub(super) async fn confirm_identity(
    visit: &Visit,
    given: IdentityProof,
    begun_at: Timestamp,
) -> Result<ConfirmedUser, Refusal> {
    let person = visit.known_person()?.clone();
    let confirmed = with_password(&visit.site, true, move |app| {
        let when = (begun_at, app.shop.clock.now());
        let given = (&given, person.address.as_str());
        Ok(accounts::confirm_identity(&app.registry, &person.user, given, when)?)
    });
    confirmed.await
}

/// Runs what digests a password aside, when it is its turn: a crowd of strangers must not take all
/// cores, nor all threads. Who is known has turns of their own.
async fn with_password<T: Send + 'static>(
    site: &Site,
    known: bool,
    work: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let turns = if known { &site.known_sign_ins } else { &site.sign_ins };
    let turn = tokio::time::timeout(TURN, turns.acquire()).await;
    let Ok(Ok(_turn)) = turn else {
        let sentence = "Too many people sign in at this moment.";
        return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "crowded", sentence)
            .next("Try again in a minute."));
    };
    aside(site, work).await
}

impl From<AccountError> for Refusal {
    fn from(error: AccountError) -> Refusal {
        let (status, code, next) = match &error {
            AccountError::NotKnown => {
                (StatusCode::UNAUTHORIZED, "not-known", "Try again, or ask for a new link.")
            }
            AccountError::WrongCode => (
                StatusCode::UNAUTHORIZED,
                "wrong-code",
                "Wait for the next code, or use a backup code.",
            ),
            AccountError::FactorUnreadable => (
                StatusCode::UNAUTHORIZED,
                "factor-unreadable",
                "An administrator resets it on the page Users, or with strongroom user reset-factor.",
            ),
            AccountError::DeadHalf => {
                (StatusCode::UNAUTHORIZED, "dead-sign-in", "Begin again with e-mail and password.")
            }
            AccountError::NeedsToken => (
                StatusCode::UNAUTHORIZED,
                "needs-token",
                "Make a token on the page My account, and send it as Authorization: Bearer.",
            ),
            AccountError::ConfirmationMissing(_) => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "confirmation-missing",
                "Give it and send it again.",
            ),
            // Counted as a guess of this address, as a wrong password at the door is.
            AccountError::NotConfirmed(_) => {
                (StatusCode::UNAUTHORIZED, "not-confirmed", "Try again.")
            }
            AccountError::BadPassword(_) => {
                (StatusCode::UNPROCESSABLE_ENTITY, "bad-password", "Choose another.")
            }
            AccountError::DeadLink => (
                StatusCode::GONE,
                "dead-link",
                "Ask an administrator for a new one, or say that you have forgotten the password.",
            ),
            AccountError::BadField { .. } => {
                (StatusCode::UNPROCESSABLE_ENTITY, "bad-field", "Mend it and send it again.")
            }
            AccountError::Taken(_) => (StatusCode::CONFLICT, "taken", "Choose another."),
            AccountError::NoSuch { .. } => {
                (StatusCode::NOT_FOUND, "no-such-account", "Look at the list.")
            }
            AccountError::Refused(_) => (StatusCode::CONFLICT, "refused", ""),
            AccountError::NoRandom | AccountError::Digest => return Refusal::mistake(),
            AccountError::Registry(_) => return Refusal::failed(&error),
        };
        Refusal::new(status, code, super::refusal::sentence(&error)).next(next)
    }
}
