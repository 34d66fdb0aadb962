//! Bodies that announce more than is taken: refused before they are sent. One that announces nothing
//! is cut off where it grows too large, when it is read.

use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::assessments::{CHECK_BOUNDARY, boundary_too_large};
use super::deposits::is_upload;
use super::refusal::Refusal;

/// Refuses by the announced length; an upload has bounds of its own.
pub(super) async fn bound(State(most): State<u64>, request: Request, next: Next) -> Response {
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|text| text.to_str().ok()?.parse::<u64>().ok());
    let too_large = length.is_some_and(|length| length > most);
    if too_large && !is_upload(request.method(), request.uri().path()) {
        // Its callers read one form, whatever is wrong.
        if request.uri().path() == CHECK_BOUNDARY {
            return boundary_too_large();
        }
        let sentence = "The request is larger than is taken here.";
        let refusal = Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", sentence);
        return refusal.for_path(request.uri()).into_response();
    }
    next.run(request).await
}
