//! Who asks: sessions in a cookie, e-mail and password of a program, and the pages to come in by.
//!
//! The entrance asks [`person`] for every request, and handlers find the answer in their `Visit`.

mod affairs;
mod cookie;
mod password;
mod sign_in;
mod welcome;

use std::time::Duration;

use axum::Router;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

use super::refusal::Refusal;
use super::{Site, aside};
use crate::accounts::{self, AccountError};
use crate::app::App;
use crate::rights::{Person, Proof};

pub(super) use affairs::routes as api;

/// Passwords looked at at the same time: each takes a core and 19 MiB for a while.
pub(super) const AT_ONCE: usize = 2;
/// Longest wait for a turn.
const TURN: Duration = Duration::from_secs(10);
/// Longest `Authorization` that is looked at.
const LONGEST: usize = 2048;

/// The pages.
pub(super) fn pages() -> Router<Site> {
    Router::new()
        .route("/sign-in", get(sign_in::form).post(sign_in::send))
        .route("/sign-out", post(sign_in::leave))
        .route("/password", get(password::form).post(password::send))
        .route("/welcome", get(welcome::form).post(welcome::send))
}

/// Who asks: by the session's cookie, or by e-mail and password, which programs send with every
/// request. None for strangers.
///
/// # Errors
///
/// An e-mail and password that do not go together are refused, not taken for a stranger's.
pub(super) async fn person(site: &Site, headers: &HeaderMap) -> Result<Option<Person>, Refusal> {
    if let Some(given) = basic(headers) {
        let (email, password) = given.ok_or(AccountError::NotKnown)?;
        site.rates.guess_account(&email)?;
        let found = with_password(site, move |app| {
            Ok(accounts::sign_in(&app.registry, &email, &password, app.shop.clock.now())?)
        });
        let user = found.await?;
        site.rates.guessed_right(&user.email);
        return Ok(Some(Person { user, proof: Proof::Password }));
    }
    let Some(secret) = cookie::read(headers) else { return Ok(None) };
    let found =
        aside(site, move |app| Ok(accounts::person(&app.registry, &secret, app.shop.clock.now())?));
    Ok(found.await?.map(|user| Person { user, proof: Proof::Session }))
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

/// Runs what digests a password aside, when it is its turn: a crowd at the door must not take all
/// cores, nor all threads.
async fn with_password<T: Send + 'static>(
    site: &Site,
    work: impl FnOnce(&App) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let turn = tokio::time::timeout(TURN, site.sign_ins.acquire()).await;
    let Ok(Ok(_turn)) = turn else {
        let sentence = "Too many people sign in at this moment.";
        return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "crowded", sentence)
            .next("Try again in a minute."));
    };
    aside(site, work).await
}

/// E-mail and password of `Authorization: Basic`; `Some(None)` when they cannot be read.
fn basic(headers: &HeaderMap) -> Option<Option<(String, String)>> {
    let text = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, given) = text.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    if given.len() > LONGEST {
        return Some(None);
    }
    let pair = decode(given.trim()).and_then(|bytes| String::from_utf8(bytes).ok());
    Some(pair.and_then(|pair| {
        let (email, password) = pair.split_once(':')?;
        Some((email.to_owned(), password.to_owned()))
    }))
}

/// Reads base64 with its padding or without.
fn decode(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let (mut held, mut bits) = (0_u32, 0);
    for letter in text.trim_end_matches('=').bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(value);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).ok()?);
        }
    }
    Some(bytes)
}

impl From<AccountError> for Refusal {
    fn from(error: AccountError) -> Refusal {
        let (status, code, next) = match &error {
            AccountError::NotKnown => {
                (StatusCode::UNAUTHORIZED, "not-known", "Try again, or ask for a new link.")
            }
            AccountError::BadPassword(_) => {
                (StatusCode::UNPROCESSABLE_ENTITY, "bad-password", "Choose another.")
            }
            AccountError::DeadLink => {
                (StatusCode::GONE, "dead-link", "Ask for a new one: `strongroom user reset`.")
            }
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

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn an_authorization_is_a_pair_or_nothing() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::AUTHORIZATION, HeaderValue::from_str(text).unwrap());
            basic(&headers)
        };
        let ann = Some(Some(("ann@a.example".to_owned(), "päss:wort".to_owned())));
        assert_eq!(read("Basic YW5uQGEuZXhhbXBsZTpww6Rzczp3b3J0"), ann);
        assert_eq!(read("basic YW5uQGEuZXhhbXBsZTpww6Rzczp3b3J0=="), ann);
        for bad in ["Basic %%%", "Basic /w==", "Basic YW5u", "Basic "] {
            assert_eq!(read(bad), Some(None), "{bad}");
        }
        assert_eq!(read(&format!("Basic {}", "A".repeat(LONGEST + 1))), Some(None));
        assert_eq!(read("Bearer YW5u"), None);
    }
}
