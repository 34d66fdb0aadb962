//! A recording somewhere on the network, fetched whole into a nameless file.

use sha2::{Digest, Sha256};

use super::{GoOn, MediaError, Opened, kept};
use crate::app::App;
use crate::outside::{Answer, Given, Mark, Outside, OutsideError};

/// Fetches it, unless it was fetched a short while ago.
pub(super) fn open(app: &App, url: &str, go_on: GoOn<'_>) -> Result<Opened, MediaError> {
    if let Some(opened) = kept::take(app, url) {
        return Ok(opened);
    }
    let limit_bytes = app.config.researching.media_limit_bytes;
    let mut answer = ask(app, url)?;
    if answer.length.is_some_and(|length| length > limit_bytes) {
        return Err(MediaError::TooLarge { limit_mb: limit_bytes >> 20 });
    }
    let expected = answer.length;
    let place = kept::nameless(app)?;
    let mut digest = Sha256::new();
    let size_bytes =
        kept::copy(&mut *answer, &place, (limit_bytes, go_on), |piece| digest.update(piece))?;
    if expected.is_some_and(|expected| expected != size_bytes) {
        let why = format!("it ended after {size_bytes} bytes, before its end");
        return Err(MediaError::Unfetched { why });
    }
    let tag = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    let opened = Opened::new(place, size_bytes, tag);
    kept::keep(app, url, &opened);
    Ok(opened)
}

fn ask(app: &App, url: &str) -> Result<Box<Given>, MediaError> {
    let outside = Outside {
        own_networks: app.config.curating.own_networks.clone(),
        patience: app.config.researching.media_timeout,
    };
    match outside.get(url, &Mark::default()) {
        Ok(Answer::Given(given)) => Ok(given),
        // Nobody asked whether it had changed.
        Ok(Answer::Unchanged) => {
            Err(MediaError::Unfetched { why: "the other side answered 304".into() })
        }
        Err(error @ OutsideError::Inside { .. }) => {
            Err(MediaError::Inside { why: error.to_string() })
        }
        Err(error) => Err(MediaError::Unfetched { why: error.to_string() }),
    }
}
