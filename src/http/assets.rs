//! The embedded files.

use axum::extract::Path;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};

use super::refusal::Refusal;

/// One embedded file. Its address carries its digest, so it may be kept for ever.
pub(super) async fn asset(uri: Uri, Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = web::asset(&name) else {
        return Refusal::no_such_page(&uri).into_response();
    };
    let known = headers.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    let kept = [
        (header::ETAG, asset.etag.as_str()),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::CONTENT_TYPE, asset.content_type),
    ];
    if known == Some(asset.etag.as_str()) {
        return (StatusCode::NOT_MODIFIED, kept).into_response();
    }
    (kept, asset.bytes).into_response()
}
