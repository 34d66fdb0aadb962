//! A call of the program that asked for an assessment: `PATCH {base}/quotes/{reference}`.
//!
//! Taken when it is answered with 200 to 299. 400 and 404 say that it will never be; whatever else is
//! answered, or nothing at all, is tried again. Every attempt bears the same `Idempotency-Key`, so that
//! a call which was taken and not noted, because we died between the two, is known there as the same.

use std::io::Read;
use std::time::Duration;

use byteio::causes::chain;
use nutrients::ReceiverSchema;
use reqwest::blocking::Response;
use serde_json::Value;
use storage::registry::DeliveryRow;

use super::Trouble;
use super::hook::client;
use super::secret::{Source, callback_key};

/// The most that is read of what the receiver says about a call that it does not take.
const WORDS_BYTES: u64 = 16 * 1024;
/// The most characters of it that are kept: the sentence around them must fit beside them.
const WORDS_CHARS: usize = 400;

/// Where such calls go.
pub(super) struct Callback {
    pub(super) base: String,
    pub(super) key: Source,
    /// How long a call may take from its beginning to the answer.
    pub(super) patience: Duration,
    /// The version of the receiver's schema that bodies are sent in.
    pub(super) schema: ReceiverSchema,
}

impl Callback {
    pub(super) fn call(&self, row: &DeliveryRow) -> Result<(), Trouble> {
        let body = self.schema.body(&row.body).map_err(|error| {
            Trouble::Parcel(format!("the kept result cannot be told to the receiver: {error}"))
        })?;
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
        let answer = call.body(body).send().map_err(|error| {
            Trouble::Way(format!("the receiver was not reached: {}", chain(&error.without_url())))
        })?;
        let code = answer.status().as_u16();
        match code {
            200..=299 => Ok(()),
            400 | 404 => {
                let words = words(answer);
                Err(Trouble::Parcel(format!("the receiver answered {code} and rejects it{words}")))
            }
            _ => Err(Trouble::Way(format!(
                "the receiver answered {code} and took nothing{}",
                words(answer)
            ))),
        }
    }
}

/// What the receiver said, behind a colon and in one line; nothing where it said nothing. The status
/// is what counts: words that cannot be read change nothing.
fn words(answer: Response) -> String {
    let mut bytes = Vec::new();
    drop(answer.take(WORDS_BYTES).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let said = match serde_json::from_str::<Value>(&text) {
        // The receiver's frame and most others put their sentence there.
        Ok(Value::Object(said)) => said
            .get("message")
            .and_then(Value::as_str)
            .map_or_else(|| text.to_string(), ToOwned::to_owned),
        Ok(_) | Err(_) => text.to_string(),
    };
    let tame = |letter: char| if letter.is_control() { ' ' } else { letter };
    let line: String = said.chars().map(tame).collect();
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(WORDS_CHARS).collect();
    match (cut.is_empty(), cut.len() < line.len()) {
        (true, _) => String::new(),
        (false, false) => format!(": \"{cut}\""),
        (false, true) => format!(": \"{cut}…\""),
    }
}
