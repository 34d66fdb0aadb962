//! A queue of SQS: its URL by its name, one message at a time, and what becomes of it.

use std::sync::OnceLock;
use std::time::Duration;

use ocfl::{AwsService, Credentials, VaultError};
use serde::Deserialize;
use serde_json::{Value, json};

use super::errors::QueueError;
use crate::config::{self, Config, SqsConfig};

/// How long an answer may take beyond the wait for a message.
const PATIENCE: Duration = Duration::from_secs(15);

/// Which queue, and how it is used.
#[derive(Clone, Debug)]
pub struct QueueSettings {
    pub name: String,
    /// Where SQS answers; AWS itself where none is set.
    pub endpoint: Option<String>,
    pub region: String,
    /// How long SQS waits for a message before it says that there is none.
    pub wait: Duration,
    /// How long a message is kept from others from one sign of life to the next.
    pub visibility: Duration,
    pub credentials: Credentials,
}

impl QueueSettings {
    /// The queue that is configured, if one is.
    pub fn of(config: &Config) -> Option<QueueSettings> {
        let SqsConfig { queue, endpoint, region, wait, visibility, credentials, .. } = &config.sqs;
        Some(QueueSettings {
            name: queue.clone()?,
            endpoint: endpoint.clone(),
            region: region.clone(),
            wait: *wait,
            visibility: *visibility,
            credentials: match credentials {
                config::Credentials::Environment => Credentials::FromEnvironment,
                config::Credentials::File(path) => Credentials::File(path.within(&config.data)),
            },
        })
    }
}

/// A queue.
pub struct Queue {
    service: AwsService,
    settings: QueueSettings,
    /// Asked for once: a name keeps its URL.
    url: OnceLock<String>,
}

/// A message as it was handed out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Message {
    #[serde(rename = "MessageId")]
    pub id: String,
    #[serde(rename = "ReceiptHandle")]
    pub receipt: String,
    #[serde(default)]
    pub body: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Received {
    #[serde(default)]
    messages: Option<Vec<Message>>,
}

impl Queue {
    /// Takes a queue as configured. SQS is not asked anything yet.
    pub fn open(settings: QueueSettings) -> Result<Queue, VaultError> {
        let endpoint = settings.endpoint.clone();
        let endpoint =
            endpoint.unwrap_or_else(|| format!("https://sqs.{}.amazonaws.com", settings.region));
        let keys = settings.credentials.clone();
        let service = AwsService::open("sqs", (&endpoint, &settings.region), keys)?;
        Ok(Queue { service, settings, url: OnceLock::new() })
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.settings.name
    }

    /// How long a message is kept from others.
    pub fn visibility(&self) -> Duration {
        self.settings.visibility
    }

    /// Waits for a message; none where none came. Nobody else is handed it for the visibility time.
    pub fn receive(&self) -> Result<Option<Message>, QueueError> {
        let answer = self.ask(
            "ReceiveMessage",
            json!({
                "MaxNumberOfMessages": 1,
                "WaitTimeSeconds": self.settings.wait.as_secs(),
                "VisibilityTimeout": self.settings.visibility.as_secs(),
            }),
            self.settings.wait + PATIENCE,
        )?;
        let received: Received = serde_json::from_value(answer).map_err(|error| {
            QueueError::Away(format!("the answer of SQS is not understood: {error}"))
        })?;
        Ok(received.messages.unwrap_or_default().into_iter().next())
    }

    /// Keeps a message from others for this long from now on; for no time, to give it back.
    pub fn keep_for(&self, message: &Message, span: Duration) -> Result<(), QueueError> {
        let body = json!({
            "ReceiptHandle": message.receipt,
            "VisibilityTimeout": span.as_secs(),
        });
        self.ask("ChangeMessageVisibility", body, PATIENCE).map(drop)
    }

    /// Removes a message for good.
    pub fn remove(&self, message: &Message) -> Result<(), QueueError> {
        let body = json!({"ReceiptHandle": message.receipt});
        self.ask("DeleteMessage", body, PATIENCE).map(drop)
    }

    fn ask(
        &self,
        operation: &str,
        mut body: Value,
        patience: Duration,
    ) -> Result<Value, QueueError> {
        body["QueueUrl"] = self.url()?.into();
        self.post(operation, &body, patience)
    }

    fn url(&self) -> Result<&str, QueueError> {
        if let Some(url) = self.url.get() {
            return Ok(url);
        }
        let named = json!({"QueueName": self.settings.name});
        let answer = self.post("GetQueueUrl", &named, PATIENCE)?;
        let url = answer["QueueUrl"]
            .as_str()
            .ok_or_else(|| QueueError::Away("SQS names no address for the queue".to_owned()))?;
        Ok(self.url.get_or_init(|| url.to_owned()))
    }

    fn post(&self, operation: &str, body: &Value, patience: Duration) -> Result<Value, QueueError> {
        let operation = format!("AmazonSQS.{operation}");
        let answer = self.service.post(&operation, body.to_string(), patience);
        let answer =
            answer.map_err(|error| QueueError::Away(format!("SQS was not reached: {error}")))?;
        match answer.status {
            // Operations that tell nothing may answer with nothing.
            200..=299 if answer.body.is_empty() => Ok(Value::Null),
            200..=299 => serde_json::from_slice(&answer.body).map_err(|error| {
                QueueError::Away(format!("the answer of SQS is not understood: {error}"))
            }),
            _ => Err(QueueError::of(&answer)),
        }
    }
}
