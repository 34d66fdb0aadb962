//! Where a request comes from, for the log of who did what and the list of sessions.

use axum::http::{Extensions, HeaderMap, header};
use storage::registry::Origin;

use super::proxy::ClientAddress;

/// Longest words of a browser that are looked at.
const WORDS: usize = 300;

/// The address, and what the browser calls itself.
pub(super) fn origin(extensions: &Extensions, headers: &HeaderMap) -> Origin {
    let address = extensions.get::<ClientAddress>().map(|it| it.0.to_string());
    let words = headers.get(header::USER_AGENT).and_then(|words| words.to_str().ok());
    Origin {
        address: address.unwrap_or_default(),
        browser: words.unwrap_or_default().chars().take(WORDS).collect(),
    }
}
