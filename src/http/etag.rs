//! Entity tags: a client that has an answer already is told so in a few bytes.
//!
//! The tag is a digest of the answer itself, so that it is right whatever the answer is made of. What
//! comes piece by piece has none. Browsers keep nothing of it all the same (`no-store`): a tag is for
//! programs that keep answers by themselves.

use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use sha2::{Digest, Sha256};

use super::refusal::Refusal;

/// Largest answer that is given a tag.
const LARGEST: u64 = 4 << 20;

/// Gives answers their tags, and takes back those that the client has.
pub(super) async fn tag(request: Request, next: Next) -> Response {
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let response = next.run(request).await;
    let whole = response.body().size_hint().exact().is_some_and(|size| size <= LARGEST);
    if !reads || response.status() != StatusCode::OK || !is_json(response.headers()) || !whole {
        return response;
    }
    let (mut head, body) = response.into_parts();
    let limit = usize::try_from(LARGEST).unwrap_or(usize::MAX);
    let Ok(bytes) = to_bytes(body, limit).await else {
        return Refusal::mistake().as_json().into_response();
    };
    let digest = Sha256::digest(&bytes);
    let mut tag = String::from("\"");
    for byte in &digest[..16] {
        tag += &format!("{byte:02x}");
    }
    tag.push('"');
    let is_known = known.is_some_and(|known| names(&known, &tag));
    if let Ok(value) = HeaderValue::from_str(&tag) {
        head.headers.insert(header::ETAG, value);
    }
    if is_known {
        head.status = StatusCode::NOT_MODIFIED;
        head.headers.remove(header::CONTENT_TYPE);
        head.headers.remove(header::CONTENT_LENGTH);
        return Response::from_parts(head, Body::empty());
    }
    Response::from_parts(head, Body::from(bytes))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"))
}

/// Whether a client names the tag, among others, weakly, or by a star for whatever there is.
fn names(known: &HeaderValue, tag: &str) -> bool {
    let known = known.to_str().unwrap_or_default();
    let mut tags = known.split(',').map(str::trim);
    tags.any(|it| it == "*" || it.strip_prefix("W/").unwrap_or(it) == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_named_in_any_way_that_clients_name_it() {
        let named = |text: &'static str| names(&HeaderValue::from_static(text), "\"abc\"");
        assert!(named("\"abc\"") && named("\"x\", W/\"abc\"") && named("*"));
        assert!(!named("abc") && !named("\"abcd\"") && !named(""));
    }
}
