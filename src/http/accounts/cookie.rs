//! The session's cookie. Unreadable for scripts, never sent along by a foreign page, and over
//! encrypted connections only, except on this machine itself.

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

use crate::accounts::{MOST, Secret};
use crate::http::gate;

const NAME: &str = "strongroom_session";

/// The secret that a request bears.
pub(super) fn read(headers: &HeaderMap) -> Option<String> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).map(str::trim);
    let text = pairs.find_map(|pair| pair.strip_prefix(NAME)?.strip_prefix('='))?;
    Some(text.to_owned())
}

/// Gives the secret to its bearer; `asked` are the headers of the request.
pub(super) fn give(mut response: Response, secret: &Secret, asked: &HeaderMap) -> Response {
    let life = MOST.as_secs();
    set(&mut response, &format!("{NAME}={}; Max-Age={life}", secret.text()), asked);
    response
}

/// Takes it back.
pub(super) fn take_back(mut response: Response, asked: &HeaderMap) -> Response {
    set(&mut response, &format!("{NAME}=; Max-Age=0"), asked);
    response
}

fn set(response: &mut Response, cookie: &str, asked: &HeaderMap) {
    let secure = if gate::is_local(asked) { "" } else { "; Secure" };
    let text = format!("{cookie}; Path=/; HttpOnly; SameSite=Strict{secure}");
    if let Ok(value) = HeaderValue::from_str(&text) {
        // Beside the sentence that the next page shows, which has a cookie of its own.
        response.headers_mut().append(header::SET_COOKIE, value);
    }
}
