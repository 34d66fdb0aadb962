//! Copies in cold storage: asked for, and looked at until they can be read. S3's own words for it,
//! which `object_store` does not speak; it signs the addresses, and the requests are made here.

use std::sync::OnceLock;
use std::time::Duration;

use object_store::signer::{Method, SignedUrlOptions, Signer};
use reqwest::{Client, Response, StatusCode};

use super::super::error::VaultError;
use super::bucket::Bucket;

/// How long a copy stays readable once it was brought, as in the described system.
const ASK: &str = "<RestoreRequest xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Days>10</Days>\
    <GlacierJobParameters><Tier>Standard</Tier></GlacierJobParameters></RestoreRequest>";

/// How long a signed address is good for, and an answer may take.
const SIGNED_FOR: Duration = Duration::from_secs(300);
const PATIENCE: Duration = Duration::from_secs(60);

/// Most of an answer that is read: an error in some words.
const ANSWER_MAX: usize = 4096;

/// How a copy in cold storage stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thawing {
    /// It can be read.
    There,
    /// It was asked for and is on its way.
    Coming,
    /// Nobody asked for it, or it lay ready too long.
    Unasked,
}

/// Connections for these requests, made when the first is.
#[derive(Default)]
pub(super) struct Asker {
    client: OnceLock<Client>,
}

impl Bucket {
    /// Asks that the copy at the key be brought.
    pub(super) fn ask_to_thaw(&self, key: &str) -> Result<Thawing, VaultError> {
        let response = self.send(Method::POST, key, &[("restore", "")])?;
        let status = response.status();
        match status {
            StatusCode::OK => return Ok(Thawing::There),
            StatusCode::ACCEPTED | StatusCode::CONFLICT => return Ok(Thawing::Coming),
            // Not now: it is asked for again.
            StatusCode::SERVICE_UNAVAILABLE => return Ok(Thawing::Unasked),
            // A server that knows no cold storage keeps everything where it can be read.
            StatusCode::NOT_IMPLEMENTED => return Ok(Thawing::There),
            _ => {}
        }
        let said = self.said(response);
        if status == StatusCode::FORBIDDEN && said.contains("<Code>InvalidObjectState<") {
            return Ok(Thawing::There);
        }
        Err(self.refused(key, status, said))
    }

    /// Looks how far the copy at the key is.
    pub(super) fn thawing(&self, key: &str) -> Result<Thawing, VaultError> {
        let response = self.send(Method::HEAD, key, &[])?;
        let status = response.status();
        if status == StatusCode::SERVICE_UNAVAILABLE {
            return Ok(Thawing::Coming);
        }
        if !status.is_success() {
            return Err(self.refused(key, status, String::new()));
        }
        let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let is_cold = header("x-amz-storage-class")
            .is_some_and(|class| ["GLACIER", "DEEP_ARCHIVE"].contains(&class));
        Ok(match header("x-amz-restore") {
            Some(words) if words.contains("ongoing-request=\"true\"") => Thawing::Coming,
            Some(_) => Thawing::There,
            None if is_cold => Thawing::Unasked,
            None => Thawing::There,
        })
    }

    /// Asks a question about a key that `object_store` does not know; none if the server knows nothing
    /// of it, or not the question.
    pub(super) fn ask_for(
        &self,
        key: &str,
        query: &[(&str, &str)],
    ) -> Result<Option<String>, VaultError> {
        let response = self.send(Method::GET, key, query)?;
        let status = response.status();
        if status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED {
            return Err(self.refused(key, status, String::new()));
        }
        if !status.is_success() {
            return Ok(None);
        }
        let text = self.runtime.block_on(response.text());
        text.map(Some).map_err(|error| self.unanswered(key, error))
    }

    fn send(
        &self,
        method: Method,
        key: &str,
        query: &[(&str, &str)],
    ) -> Result<Response, VaultError> {
        let path = self.path(key)?;
        let body = if method == Method::POST { ASK } else { "" };
        let options = SignedUrlOptions::default().with_query(query.iter().copied());
        let signed = self.store.signed_url_opts(method.clone(), &path, SIGNED_FOR, &options);
        let url = self.runtime.block_on(signed).map_err(|error| self.blame(key, error))?;
        let client = match self.asker.client.get() {
            Some(client) => client,
            None => {
                let made = Client::builder().timeout(PATIENCE).build();
                let made = made.map_err(|error| self.unanswered(key, error))?;
                self.asker.client.get_or_init(|| made)
            }
        };
        // Within the runtime from its first step: that sets a timer.
        let sent = async { client.request(method, url).body(body).send().await };
        self.runtime.block_on(sent).map_err(|error| self.unanswered(key, error))
    }

    /// What the server says, for people.
    fn said(&self, response: Response) -> String {
        let text = self.runtime.block_on(response.text()).unwrap_or_default();
        text.chars().take(ANSWER_MAX).collect()
    }

    fn refused(&self, key: &str, status: StatusCode, said: String) -> VaultError {
        let (replica, what) = (self.name.clone(), key.to_owned());
        let source = format!("the server answers {status} {said}");
        match status {
            StatusCode::NOT_FOUND => VaultError::NotFound { replica, what },
            StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => {
                VaultError::Denied { replica, what, source: source.into() }
            }
            _ if status.is_server_error() => {
                VaultError::Away { replica, what, source: Some(source.into()) }
            }
            _ => VaultError::Refused { what: format!("replica `{replica}`, {what}: {source}") },
        }
    }

    fn unanswered(&self, key: &str, error: reqwest::Error) -> VaultError {
        // The address holds a signature, which is nobody's business.
        let source = Some(error.without_url().into());
        VaultError::Away { replica: self.name.clone(), what: format!("{key}: no answer"), source }
    }
}
