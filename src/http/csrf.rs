//! Every form bears a mark that only a page of ours can have given it, and nothing is changed by a
//! browser without one.
//!
//! The mark is derived from the secret in the browser's cookie: of the session, or, before there is
//! one, of a cookie that lives for the form. Whoever forges a form knows neither. It is the same for
//! the whole session, so that pages in many tabs work, outlives a restart, and ends with its session.
//!
//! Marks are put in and looked for here, behind the entrance, and not where forms are written: a form
//! that somebody adds tomorrow cannot be forgotten. Programs that say with the request itself who they
//! are bear none, because no browser does that for a foreign page.

mod first_part;
mod marking;

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::bodies::{BodyLimit, too_large};
use super::refusal::Refusal;
use super::{accounts, gate};
use crate::accounts::Secret;
use crate::outbox::hmac_sha256;
use crate::rights::{Caller, Proof};

/// The field of a form that bears the mark.
pub(super) const FIELD: &str = "csrf";
/// The header that a script may send it in instead.
const HEADER: &str = "x-csrf-token";
/// The cookie of those who have no session yet, and how long it lives.
const COOKIE: &str = "strongroom_form";
const COOKIE_LIFE_S: u32 = 6 * 3600;

/// Whose forms they are.
struct Bearer {
    secret: String,
    /// Whether the browser is still to be given it.
    is_new: bool,
}

impl Bearer {
    /// Who bears marks; none for programs, which do not.
    fn of(caller: &Caller, headers: &HeaderMap) -> Result<Option<Bearer>, Refusal> {
        let known = match caller {
            Caller::House => return Ok(None),
            Caller::Person(person) if person.proof != Proof::Session => return Ok(None),
            Caller::Person(_) => accounts::session_secret(headers),
            Caller::Stranger => {
                cookie(headers).filter(|text| Secret::parse(text).is_some()).map(str::to_owned)
            }
        };
        match known {
            Some(secret) => Ok(Some(Bearer { secret, is_new: false })),
            None => {
                let secret = Secret::draw()?.text();
                Ok(Some(Bearer { secret, is_new: true }))
            }
        }
    }

    fn mark(&self) -> String {
        hmac_sha256(self.secret.as_bytes(), b"a form of this appliance")
    }
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).map(str::trim);
    pairs.find_map(|pair| pair.strip_prefix(COOKIE)?.strip_prefix('='))
}

/// Refuses forms without the mark, and puts it into those that go out.
pub(super) async fn check(request: Request, next: Next) -> Response {
    let Some(caller) = request.extensions().get::<Arc<Caller>>().cloned() else {
        return next.run(request).await;
    };
    let bearer = match Bearer::of(&caller, request.headers()) {
        Ok(Some(bearer)) => bearer,
        Ok(None) => return next.run(request).await,
        Err(refusal) => return refusal.for_path(request.uri()).into_response(),
    };
    let uri = request.uri().clone();
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let request = match changes {
        true => proved(request, &bearer).await,
        false => Ok(request),
    };
    match request {
        Ok(request) => marked(next.run(request).await, &bearer).await,
        Err(refusal) => refusal.for_path(&uri).into_response(),
    }
}

/// The request, if it bears the mark.
async fn proved(request: Request, bearer: &Bearer) -> Result<Request, Refusal> {
    let mark = bearer.mark();
    let is_right = |given: &[u8]| !bearer.is_new && gate::same(given, mark.as_bytes());
    if let Some(given) = request.headers().get(HEADER) {
        return if is_right(given.as_bytes()) { Ok(request) } else { Err(unmarked()) };
    }
    let kind = request.headers().get(header::CONTENT_TYPE).cloned();
    let kind = kind.as_ref().and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    // Whatever bears no limit has not come by the way that gives it one.
    let limit = request.extensions().get::<BodyLimit>().map_or(0, |limit| limit.0);
    let (mut parts, body) = request.into_parts();
    if kind.starts_with("multipart/form-data") {
        let (given, body) = first_part::read(body).await;
        let right = given.is_some_and(|given| is_right(&given));
        return if right { Ok(Request::from_parts(parts, body)) } else { Err(unmarked()) };
    }
    if !kind.starts_with("application/x-www-form-urlencoded") {
        return Err(unmarked());
    }
    let most = usize::try_from(limit).unwrap_or(usize::MAX);
    let Ok(bytes) = to_bytes(body, most).await else { return Err(too_large(limit)) };
    let (given, rest) = taken_out(&bytes);
    if !given.is_some_and(is_right) {
        return Err(unmarked());
    }
    parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(rest.len()));
    Ok(Request::from_parts(parts, Body::from(rest)))
}

/// The mark in a form, and the form without it: handlers have no use for it.
fn taken_out(form: &Bytes) -> (Option<&[u8]>, Vec<u8>) {
    let start = [FIELD.as_bytes(), b"="].concat();
    let is_mark = |pair: &&[u8]| pair.starts_with(&start);
    let given = form.split(|byte| *byte == b'&').find(is_mark).map(|pair| &pair[start.len()..]);
    let rest: Vec<_> = form.split(|byte| *byte == b'&').filter(|pair| !is_mark(pair)).collect();
    (given, rest.join(&b'&'))
}

/// The answer, its forms marked.
async fn marked(response: Response, bearer: &Bearer) -> Response {
    let (mut response, is_marked) = marking::mark(response, &bearer.mark()).await;
    if is_marked && bearer.is_new {
        let text = format!(
            "{COOKIE}={}; Max-Age={COOKIE_LIFE_S}; Path=/; HttpOnly; SameSite=Strict",
            bearer.secret
        );
        if let Ok(value) = HeaderValue::from_str(&text) {
            response.headers_mut().append(header::SET_COOKIE, value);
        }
    }
    response
}

fn unmarked() -> Refusal {
    let sentence = "The form does not bear the mark of your session, or no longer.";
    Refusal::new(StatusCode::FORBIDDEN, "forged-form", sentence)
        .next("Open the page again and repeat the action there.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_taken_out_of_a_form_and_the_rest_left_as_it_is() {
        for (form, given, rest) in [
            ("csrf=a&b=c", Some("a"), "b=c"),
            ("b=c&csrf=a&d=%FF", Some("a"), "b=c&d=%FF"),
            ("b=c&csrf=", Some(""), "b=c"),
            ("csrf=a&csrf=b&c=d", Some("a"), "c=d"),
            ("xcsrf=a&b=csrf=c", None, "xcsrf=a&b=csrf=c"),
            ("", None, ""),
        ] {
            let bytes = Bytes::from_static(form.as_bytes());
            let (mark, left) = taken_out(&bytes);
            assert_eq!(
                (mark, left.as_slice()),
                (given.map(str::as_bytes), rest.as_bytes()),
                "{form}"
            );
        }
    }

    #[test]
    fn a_mark_is_of_one_secret_and_tells_nothing_of_it() {
        let bearer = |secret: &str| Bearer { secret: secret.to_owned(), is_new: false };
        let (one, two) = (bearer("one").mark(), bearer("two").mark());
        assert!(one != two && one == bearer("one").mark());
        assert!(one.len() == 64 && !one.contains("one"));
    }
}
