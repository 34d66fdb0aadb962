//! A service of AWS that is asked with JSON in signed requests, such as its queues. Its keys are found as
//! those of a bucket are: `object_store` knows how, and signs.

use std::fmt::Display;
use std::time::Duration;

use object_store::aws::{AwsAuthorizer, AwsCredentialProvider};
use object_store::client::{HttpRequest, HttpRequestBody};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method};
use tokio::runtime::Runtime;

use super::super::error::VaultError;
use super::super::settings::{Credentials, ReplicaSettings};
use super::bucket::builder;

/// The most of an answer that is read.
const ANSWER_BYTES: usize = 16 << 20;
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);

/// A service, and the means to ask it.
pub struct AwsService {
    /// Its name in signatures, such as `sqs`.
    name: &'static str,
    endpoint: String,
    region: String,
    keys: AwsCredentialProvider,
    runtime: Runtime,
    client: Client,
}

/// What a service answered, whatever that was.
#[derive(Debug)]
pub struct AwsAnswer {
    pub status: u16,
    /// The name of what went wrong as older clients know it, from the head of the answer.
    pub query_error: Option<String>,
    pub body: Vec<u8>,
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct AwsUnanswered(String);

impl AwsUnanswered {
    fn because(why: impl Display) -> AwsUnanswered {
        AwsUnanswered(why.to_string())
    }
}

impl AwsService {
    /// Takes a service at an address. No request is made; a file of keys is read.
    pub fn open(
        name: &'static str,
        (endpoint, region): (&str, &str),
        credentials: Credentials,
    ) -> Result<AwsService, VaultError> {
        // The first one to ask for encryption chooses; whoever comes later finds it chosen.
        drop(rustls::crypto::ring::default_provider().install_default());
        let settings = ReplicaSettings {
            region: Some(region.to_owned()),
            credentials,
            ..ReplicaSettings::folder(name, "")
        };
        let refused = |error: &dyn Display| VaultError::Refused { what: error.to_string() };
        // The bucket is never asked: it is the way to the keys.
        let keys = builder(&settings, "keys")?.build().map_err(|error| refused(&error))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|source| VaultError::Scratch { what: "starting threads".into(), source })?;
        let client = Client::builder()
            .connect_timeout(CONNECT)
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .map_err(|error| refused(&error))?;
        Ok(AwsService {
            name,
            endpoint: endpoint.trim_end_matches('/').to_owned(),
            region: region.to_owned(),
            keys: keys.credentials().clone(),
            runtime,
            client,
        })
    }

    /// Asks for an operation such as `AmazonSQS.ReceiveMessage`, and waits this long for the answer.
    pub fn post(
        &self,
        operation: &str,
        body: String,
        patience: Duration,
    ) -> Result<AwsAnswer, AwsUnanswered> {
        self.runtime.block_on(async {
            tokio::time::timeout(patience, self.ask(operation, body)).await.unwrap_or_else(|_| {
                Err(AwsUnanswered(format!("no answer within {} seconds", patience.as_secs())))
            })
        })
    }

    async fn ask(&self, operation: &str, body: String) -> Result<AwsAnswer, AwsUnanswered> {
        let keys = self.keys.get_credential().await.map_err(AwsUnanswered::because)?;
        let mut request = HttpRequest::new(HttpRequestBody::from(body.clone()));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.endpoint.parse().map_err(AwsUnanswered::because)?;
        let operation = HeaderValue::from_str(operation).map_err(AwsUnanswered::because)?;
        request.headers_mut().insert("x-amz-target", operation);
        let json = HeaderValue::from_static("application/x-amz-json-1.0");
        request.headers_mut().insert(CONTENT_TYPE, json);
        AwsAuthorizer::new(&keys, self.name, &self.region)
            .try_authorize(&mut request, None)
            .map_err(AwsUnanswered::because)?;
        let headers = request.headers().clone();
        let unanswered =
            |error: reqwest::Error| AwsUnanswered(byteio::causes::chain(&error.without_url()));
        let sent = self.client.post(&self.endpoint).headers(headers).body(body).send().await;
        let mut answer = sent.map_err(unanswered)?;
        let query_error = answer.headers().get("x-amzn-query-error");
        let query_error = query_error.and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
        let status = answer.status().as_u16();
        let mut body = Vec::new();
        while let Some(piece) = answer.chunk().await.map_err(unanswered)? {
            if body.len() + piece.len() > ANSWER_BYTES {
                return Err(AwsUnanswered("the answer is larger than any message can be".into()));
            }
            body.extend_from_slice(&piece);
        }
        Ok(AwsAnswer { status, query_error, body })
    }
}
