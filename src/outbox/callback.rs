//! A call of the program that asked for an assessment: `PATCH {base}/quotes/{reference}`.
//!
//! Taken when it is answered with 200 to 299. 400 and 404 say that it will never be; whatever else is
//! answered, or nothing at all, is tried again. Every attempt bears the same `Idempotency-Key`, so that
//! a call which was taken and not noted, because we died between the two, is known there as the same.

use std::time::Duration;

use storage::registry::DeliveryRow;

use super::Trouble;
use super::hook::client;
use super::secret::{Source, callback_key};
use crate::fault::chain;

/// Where such calls go.
pub(super) struct Callback {
    pub(super) base: String,
    pub(super) key: Source,
    /// How long a call may take from its beginning to the answer.
    pub(super) patience: Duration,
}

impl Callback {
    pub(super) fn call(&self, row: &DeliveryRow) -> Result<(), Trouble> {
        let url = format!("{}/{}", self.base.trim_end_matches('/'), row.target);
        let mut call = client(self.patience)?
            .patch(url)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", &row.mark);
        if let Some(key) = callback_key(&self.key)? {
            call = call.header("x-api-key", key);
        }
        if let Some(trace) = &row.trace {
            call = call.header("x-cdp-request-id", trace);
        }
        let answer = call.body(row.body.clone()).send().map_err(|error| {
            Trouble::Way(format!("the receiver was not reached: {}", chain(&error.without_url())))
        })?;
        match answer.status().as_u16() {
            200..=299 => Ok(()),
            code @ (400 | 404) => {
                Err(Trouble::Parcel(format!("the receiver answered {code} and does not take it")))
            }
            code => Err(Trouble::Way(format!("the receiver answered {code} and took nothing"))),
        }
    }
}
