//! How much a request may bring. What announces more is refused before it is sent; what announces
//! nothing is cut off where it grows too large, when it is read.
//!
//! Somebody who has not signed in only ever sends short forms, and a form without a file is short
//! whoever sends it. All other requests share one configured limit, and uploads have bounds of their
//! own.

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use web::parts::human_size;

use super::assessments::{CHECK_BOUNDARY, boundary_too_large};
use super::deposits::is_upload;
use super::doors::{Door, door};
use super::entrance::is_for_programs;
use super::refusal::Refusal;

/// Most at an address that is open to everybody.
const ANONYMOUS_BYTES: u64 = 16 << 10;
/// Most of a form without a file.
const FORM_BYTES: u64 = 64 << 10;

/// How much the body of a request may have: an extension of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BodyLimit(pub(super) u64);

/// Refuses by the announced length, and leaves the limit for whoever reads the body.
pub(super) async fn bound(State(most): State<u64>, mut request: Request, next: Next) -> Response {
    if is_upload(request.method(), request.uri().path()) {
        request.extensions_mut().insert(BodyLimit(FORM_BYTES));
        return next.run(request).await;
    }
    let limit = limit(&request, most);
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|text| text.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit) {
        // Its callers read one form, whatever is wrong.
        if request.uri().path() == CHECK_BOUNDARY {
            return boundary_too_large();
        }
        return too_large(limit).for_path(request.uri()).into_response();
    }
    request.extensions_mut().insert(BodyLimit(limit));
    let bytes = usize::try_from(limit).unwrap_or(usize::MAX);
    DefaultBodyLimit::max(bytes).apply(&mut request);
    next.run(request).await
}

fn limit(request: &Request, most: u64) -> u64 {
    let path = request.extensions().get::<MatchedPath>();
    let asks = path.and_then(|path| door(request.method(), path.as_str()).ok());
    match asks {
        Some(Door::Asks(_)) if is_form_without_file(request) => FORM_BYTES.min(most),
        Some(Door::Asks(_)) => most,
        // Nothing at this address needs more, or there is nothing.
        Some(Door::Open | Door::Local) | None => ANONYMOUS_BYTES.min(most),
    }
}

/// Programs send what they like under this name; pages send short fields.
fn is_form_without_file(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let plain = |text: &str| text.starts_with("application/x-www-form-urlencoded");
    !is_for_programs(request.uri()) && kind.and_then(|it| it.to_str().ok()).is_some_and(plain)
}

/// The answer to a body that is larger than its limit.
pub(super) fn too_large(limit: u64) -> Refusal {
    let sentence = format!(
        "The request is larger than is taken here, which is {}. Nothing was changed.",
        human_size(limit)
    );
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", sentence)
        .next("Shorten what you send, or send it in parts.")
}
