//! One player for a page, and links that play from a moment.

use serde::Serialize;

/// A recording that can be played from here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Player {
    /// Its address, relative to this house; must answer range requests.
    pub href: String,
    /// Its media type, as in `audio/mpeg`.
    pub media_type: String,
}
