//! A recording somewhere on the network, fetched whole into a nameless file.

use reqwest::blocking::{Client, Response};
use reqwest::redirect::Policy;
use sha2::{Digest, Sha256};

use super::{GoOn, MediaError, Opened, kept};
use crate::app::App;
use crate::fault::chain;

/// How often the other side may send us elsewhere.
const ELSEWHERE: usize = 5;

/// Fetches it, unless it was fetched a short while ago.
pub(super) fn open(app: &App, url: &str, go_on: GoOn<'_>) -> Result<Opened, MediaError> {
    if let Some(opened) = kept::take(app, url) {
        return Ok(opened);
    }
    let limit_bytes = app.config.researching.media_limit_bytes;
    let mut answer = ask(app, url)?;
    if answer.content_length().is_some_and(|length| length > limit_bytes) {
        return Err(MediaError::TooLarge { limit_mb: limit_bytes >> 20 });
    }
    let expected = answer.content_length();
    let place = kept::nameless(app)?;
    let mut digest = Sha256::new();
    let size_bytes =
        kept::copy(&mut answer, &place, (limit_bytes, go_on), |piece| digest.update(piece))?;
    if expected.is_some_and(|expected| expected != size_bytes) {
        let why = format!("it ended after {size_bytes} bytes, before its end");
        return Err(MediaError::Unfetched { why });
    }
    let tag = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let opened = Opened::new(place, size_bytes, tag);
    kept::keep(app, url, &opened);
    Ok(opened)
}

fn ask(app: &App, url: &str) -> Result<Response, MediaError> {
    // The first one to ask for encryption chooses; whoever comes later finds it chosen.
    drop(rustls::crypto::ring::default_provider().install_default());
    // The address may hold a key of its own, and is not repeated.
    let unfetched =
        |error: reqwest::Error| MediaError::Unfetched { why: chain(&error.without_url()) };
    let client = Client::builder()
        .timeout(app.config.researching.media_timeout)
        .redirect(Policy::limited(ELSEWHERE))
        .user_agent(concat!("strongroom/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(unfetched)?;
    let answer = client.get(url).send().map_err(unfetched)?;
    match answer.status() {
        status if status.is_success() => Ok(answer),
        status => Err(MediaError::Unfetched { why: format!("the other side answered {status}") }),
    }
}
