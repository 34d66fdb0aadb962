//! A call of another program with an alert as JSON.
//!
//! A call is taken when it is answered with 200 to 299. It bears `Idempotency-Key`, the same at
//! every attempt, and with a secret `X-Strongroom-Signature: sha256=` and the HMAC of its body.

use std::time::Duration;

use byteio::causes::chain;
use reqwest::blocking::Client;
use reqwest::redirect::Policy;
use serde_json::json;
use storage::registry::{AlertRow, OutboxRow};

use super::Trouble;
use super::encoding::hmac_sha256;
use super::letter::link;
use super::secret::{Source, hook_secret};

/// Another program.
pub(super) struct Hook {
    pub(super) url: String,
    pub(super) secret: Source,
    /// How long a call may take from its beginning to the answer.
    pub(super) patience: Duration,
}

impl Hook {
    pub(super) fn call(
        &self,
        site: Option<&str>,
        row: &OutboxRow,
        alert: &AlertRow,
    ) -> Result<(), Trouble> {
        let body = body(site, row, alert);
        let mut call = self
            .client()?
            .post(&self.url)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key(row));
        if let Some(secret) = hook_secret(&self.secret)? {
            let code = hmac_sha256(secret.as_bytes(), body.as_bytes());
            call = call.header("X-Strongroom-Signature", format!("sha256={code}"));
        }
        // The address may hold a key of its own, and is not repeated.
        let answer = call.body(body).send().map_err(|error| {
            Trouble::Way(format!("the webhook was not reached: {}", chain(&error.without_url())))
        })?;
        let status = answer.status();
        match status.as_u16() {
            200..=299 => Ok(()),
            code @ (408 | 429 | 500..) => {
                Err(Trouble::Way(format!("the webhook answered {code} and took nothing")))
            }
            code => {
                Err(Trouble::Parcel(format!("the webhook answered {code} and did not take it")))
            }
        }
    }
}

impl Hook {
    fn client(&self) -> Result<Client, Trouble> {
        client(self.patience)
    }
}

/// Somebody who makes calls that end after this long, and go nowhere else.
pub(super) fn client(patience: Duration) -> Result<Client, Trouble> {
    // The first one to ask for encryption chooses; whoever comes later finds it chosen.
    drop(rustls::crypto::ring::default_provider().install_default());
    Client::builder()
        .timeout(patience)
        .redirect(Policy::none())
        .user_agent(concat!("strongroom/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Trouble::Way(format!("calls cannot be made: {}", chain(&error))))
}

fn key(row: &OutboxRow) -> String {
    format!("strongroom-{}-{}", row.id, row.created_at.0)
}

fn body(site: Option<&str>, row: &OutboxRow, alert: &AlertRow) -> String {
    json!({
        "id": key(row),
        "alert": alert.id,
        "name": alert.name,
        "kind": alert.kind,
        "institution_id": alert.institution_id,
        "subject": alert.subject,
        "content": alert.content,
        "page": alert.page,
        "link": link(site, alert),
        "item_id": alert.item_id,
        "deletion_request_id": alert.deletion_request_id,
        "created_at": alert.created_at.to_string(),
    })
    .to_string()
}
