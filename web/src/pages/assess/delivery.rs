//! How a result reaches whoever waits for it.

use serde::Serialize;

use crate::parts::Badge;

/// One way to one receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Delivery {
    /// How it is sent, as in "Callback" or "E-mail".
    pub channel: String,
    /// Where to.
    pub target: String,
    /// How far it is.
    pub state: Badge,
    /// When it is tried next, as RFC 3339 in UTC.
    pub next: Option<String>,
    /// Every try, the first one first.
    pub attempts: Vec<DeliveryAttempt>,
    /// Tries beyond those listed.
    pub attempts_unshown_count: u64,
}

/// One try.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DeliveryAttempt {
    /// Its number, from 1.
    pub number: u64,
    /// When, as RFC 3339 in UTC.
    pub at: String,
    /// What went wrong; none when it was taken.
    pub trouble: Option<String>,
}
