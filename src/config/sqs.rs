//! The queue of Amazon SQS that job messages come from: `[sqs]`.

use std::time::Duration;

use super::custody::Credentials;
use super::meant::Config;
use super::pick::{Key, Pick};
use super::raw::RawSqs;
use super::refusal::{Origin, Refusal};
use super::rule::{Endpoint, Given, KeySource, Region, Rule, Switch, quoted, seconds};

/// Which queue, and how it is asked. The variables are those of the described service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqsConfig {
    /// Its name; without one nothing is asked.
    pub queue: Option<String>,
    /// Where SQS answers, unless at AWS itself.
    pub endpoint: Option<String>,
    pub allow_http: bool,
    pub region: String,
    /// How long a poll waits for a message.
    pub wait: Duration,
    /// How long a message is kept from others at a time.
    pub visibility: Duration,
    /// How long it is before another try where something went wrong. The described time, and no key.
    pub pause: Duration,
    pub credentials: Credentials,
}

/// The name that the described service has for its queue.
const DESCRIBED: &str = "nrf_impact_assessment_queue";

/// A name as SQS allows it.
struct QueueName;

impl Rule for QueueName {
    type Meant = String;
    fn read(&self, given: Given<'_>) -> Option<String> {
        let text = given.text()?.trim();
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let bare = text.strip_suffix(".fifo").unwrap_or(text);
        let fits = !bare.is_empty() && text.len() <= 80 && bare.bytes().all(plain);
        fits.then(|| text.to_owned())
    }
    fn allowed(&self) -> String {
        "the name of a queue, of at most 80 letters, digits, - and _".to_owned()
    }
    fn write(&self, meant: &String) -> String {
        quoted(meant)
    }
}

pub(super) fn sqs(pick: &mut Pick<'_>, raw: RawSqs) -> SqsConfig {
    let queue = "The queue that job messages are taken from; without it none are. SQS_QUEUE_NAME \
        without a value is the described one.";
    let endpoint = "Where SQS answers, unless at AWS itself.";
    let http = "Lets that address be one that is not encrypted.";
    let region = "The region of the queue.";
    let wait = "How long SQS waits for a message before it answers that there is none.";
    let visibility = "How long a message is kept from others while it is taken; renewed as long as that \
        takes.";
    let credentials = "Where the key is; unless set, where AWS tools look for one.";
    let queue = pick.maybe(
        raw.queue,
        &Key::unset("sqs.queue", QueueName, DESCRIBED, queue)
            .env(&["SQS_QUEUE_NAME"])
            .when_empty(DESCRIBED),
    );
    let refused = pick.refusals.len();
    let region = pick.one(
        raw.region,
        &Key::new("sqs.region", Region, "eu-west-2", region).env(&["REGION", "AWS_REGION"]),
    );
    let is_of_the_environment = matches!(pick.place_of("sqs.region").origin, Origin::Env(_));
    if queue.is_none() && is_of_the_environment {
        // Other programs have variables of these names: where no queue is asked they mean nothing.
        pick.refusals.truncate(refused);
    }
    SqsConfig {
        queue,
        region,
        endpoint: pick.maybe(
            raw.endpoint,
            &Key::unset("sqs.endpoint", Endpoint, "http://127.0.0.1:4566", endpoint)
                .env(&["SQS_ENDPOINT"]),
        ),
        allow_http: pick.one(raw.allow_http, &Key::new("sqs.allow_http", Switch, "false", http)),
        wait: pick.one(
            raw.wait_s,
            &Key::new("sqs.wait_s", seconds(0, 20), "20", wait).env(&["SQS_WAIT_TIME_SECONDS"]),
        ),
        visibility: pick.one(
            raw.visibility_s,
            &Key::new("sqs.visibility_s", seconds(30, 43_200), "300", visibility)
                .env(&["SQS_VISIBILITY_TIMEOUT"]),
        ),
        pause: Duration::from_secs(5),
        credentials: pick.one(
            raw.credentials,
            &Key::new("sqs.credentials", KeySource, "environment", credentials),
        ),
    }
}

/// Refuses what is fine alone but not together.
pub(super) fn agree(pick: &mut Pick<'_>, config: &Config) {
    let SqsConfig { queue: Some(_), endpoint: Some(endpoint), allow_http: false, .. } = &config.sqs
    else {
        return;
    };
    if endpoint.starts_with("http:") {
        let (place, endpoint) = (pick.place_of("sqs.endpoint"), endpoint.clone());
        pick.refusals.push(Refusal::PlainHttp { place, section: "sqs".to_owned(), endpoint });
    }
}
