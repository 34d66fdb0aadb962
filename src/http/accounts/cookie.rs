//! The session's cookie, that of the moment between password and code, and the one that a browser is
//! known by. Unreadable for scripts, never sent along by a foreign page, and over encrypted
//! connections only, except on this machine itself.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

use crate::accounts::{HALF_LIFE, KNOWN, MOST, Secret};
use crate::http::gate;

/// What it is called.
pub(in crate::http) const NAME: &str = "strongroom_session";
/// Sent along to the forms of signing in only.
const HALF: &str = "strongroom_half";
/// Stays when the session ends; sent along to the forms of signing in only.
const BROWSER: &str = "strongroom_browser";

/// The secret of a session that a request bears.
pub(super) fn read(headers: &HeaderMap) -> Option<String> {
    named(headers, NAME)
}

/// The secret of a half-open sign-in that a request bears.
pub(super) fn read_half(headers: &HeaderMap) -> Option<String> {
    named(headers, HALF)
}

/// The secret that a browser is known by which has signed in before.
pub(in crate::http) fn read_browser(headers: &HeaderMap) -> Option<String> {
    named(headers, BROWSER)
}

fn named(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).map(str::trim);
    let text = pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
    Some(text.to_owned())
}

/// Gives the secret of a session to its bearer; `asked` are the headers of the request. What was
/// half open is over by it.
pub(super) fn give(mut response: Response, secret: &Secret, asked: &HeaderMap) -> Response {
    let life = MOST.as_secs();
    set(&mut response, &format!("{NAME}={}; Max-Age={life}; Path=/", secret.text()), asked);
    if read_half(asked).is_some() {
        set(&mut response, &format!("{HALF}=; Max-Age=0; Path=/sign-in"), asked);
    }
    response
}

/// Gives the secret of a half-open sign-in to its bearer.
pub(super) fn give_half(mut response: Response, secret: &Secret, asked: &HeaderMap) -> Response {
    let life = HALF_LIFE.as_secs();
    set(&mut response, &format!("{HALF}={}; Max-Age={life}; Path=/sign-in", secret.text()), asked);
    response
}

/// Gives a browser the secret that it is known by from now on.
pub(super) fn give_browser(mut response: Response, secret: &Secret, asked: &HeaderMap) -> Response {
    let life = KNOWN.as_secs();
    let text = format!("{BROWSER}={}; Max-Age={life}; Path=/sign-in", secret.text());
    set(&mut response, &text, asked);
    response
}

/// Takes the session back.
pub(super) fn take_back(mut response: Response, asked: &HeaderMap) -> Response {
    set(&mut response, &format!("{NAME}=; Max-Age=0; Path=/"), asked);
    response
}

fn set(response: &mut Response, cookie: &str, asked: &HeaderMap) {
    let secure = if gate::is_local(asked) { "" } else { "; Secure" };
    let text = format!("{cookie}; HttpOnly; SameSite=Strict{secure}");
    if let Ok(value) = HeaderValue::from_str(&text) {
        // Beside the sentence that the next page shows, which has a cookie of its own.
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}
