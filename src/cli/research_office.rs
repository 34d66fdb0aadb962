//! An office that is reached over HTTP: on this machine or elsewhere.
//!
//! Recordings are fetched in parts of a few megabytes into a nameless file, each part asked for under
//! the tag of the first: a way that breaks costs a part, and a recording is never made of two.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use soundmatch::ANALYST_VERSION;
use storage::registry::{Recording, RecordingKind};

use super::client::{Client, Reply, escape};
use super::print::error;
use super::server::Server;
use super::{Failure, Place};
use crate::appliance::Doorplate;
use crate::desk::{
    BeatWish, FinishTold, FinishWish, ResultBatch, ResultBatchResponse, ResultResponse, ResultWish,
    WorkTold, WorkWish,
};
use crate::research::{Beat, LeaseNow, Receipt, Report, Work};
use crate::researcher::media::{GoOn, Opened};
use crate::researcher::{Answers, Gather, Office, OfficeError, Unopened, one_by_one};

/// Bytes asked for at once.
const PART: u64 = 4 << 20;
/// How often a recording may become another one while it is fetched.
const BEGINNINGS: u32 = 3;
/// First and longest wait before another try.
const AGAIN: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(15));
/// How often a wish to stop is looked for while waiting.
const LOOK: Duration = Duration::from_millis(100);

/// How results go over the network: an appliance answers so many requests of one address a minute, and
/// many researchers may share an address.
const GATHER: Gather = Gather { most: 50, wait: Duration::from_secs(5) };

/// An office over HTTP, for one researcher.
pub(super) struct Remote {
    client: Client,
    name: String,
    wait_s: u32,
    /// Whether the appliance is older than results that come together.
    takes_one: AtomicBool,
}

impl Remote {
    pub(super) fn new(client: Client, name: &str, wait_s: u32) -> Remote {
        Remote { client, name: name.to_owned(), wait_s, takes_one: AtomicBool::new(false) }
    }

    /// Hands results over together; `None` when they have to go one by one.
    fn record_batch(&self, reports: &[Report]) -> Result<Option<Answers>, OfficeError> {
        let batch = ResultBatch { researcher: self.name.clone(), reports: reports.to_vec() };
        let body = serde_json::to_string(&batch).map_err(refused)?;
        let reply = self.client.post("/api/v1/research/results/batch", &body).map_err(away)?;
        match reply.status {
            404 | 405 => {
                self.takes_one.store(true, Ordering::Relaxed);
                return Ok(None);
            }
            // Larger than it takes at once.
            413 => return Ok(None),
            _ => {}
        }
        let response: ResultBatchResponse = understood(&heard(Ok(reply))?)?;
        if response.results.len() != reports.len() {
            let (sent, told) = (reports.len(), response.results.len());
            return Err(refused(format!("{sent} results were sent, and {told} answered")));
        }
        let results = response.results.into_iter().map(|result| match result {
            ResultResponse::Recorded(receipt) => Ok(receipt.lease),
            ResultResponse::Rejected { why } => Err(why),
        });
        Ok(Some(results.collect()))
    }

    fn tell<T: DeserializeOwned>(
        &self,
        path: &str,
        wish: &impl Serialize,
    ) -> Result<T, OfficeError> {
        let path = format!("/api/v1/research/{path}");
        let wish = serde_json::to_string(wish).map_err(refused)?;
        understood(&heard(self.client.post_waiting(&path, &wish, self.wait_s))?)
    }

    /// Fetches a recording from one beginning; `None` when it has become another one.
    fn fetch(&self, path: &str, go_on: GoOn<'_>) -> Result<Option<Opened>, Unopened> {
        let mut file = tempfile::tempfile().map_err(|error| no_place(&error))?;
        let (mut at, mut tag, mut pause) = (0_u64, None::<String>, AGAIN.0);
        loop {
            if go_on().is_break() {
                return Err(Unopened::Stopped);
            }
            let asked = self.client.part(path, (at, at.saturating_add(PART - 1)), tag.as_deref());
            let part = match asked.map_err(away).and_then(Part::read) {
                Ok(part) => part,
                Err(OfficeError::Refused(why)) => {
                    return Err(Unopened::Trouble { code: "fetch".into(), why });
                }
                Err(OfficeError::Away(why)) => {
                    tracing::info!(why, "a recording waits for the way to be there again");
                    rest(pause, go_on)?;
                    pause = (pause * 2).min(AGAIN.1);
                    continue;
                }
            };
            if part.first != at || (at > 0 && tag != part.tag) {
                return Ok(None);
            }
            file.write_all(&part.bytes).map_err(|error| no_place(&error))?;
            at += part.bytes.len() as u64;
            (tag, pause) = (part.tag, AGAIN.0);
            if at >= part.total {
                return opened(file).map(Some);
            }
        }
    }
}

impl Office for Remote {
    fn next_work(&self) -> Result<Option<Work>, OfficeError> {
        let wish = WorkWish { researcher: self.name.clone(), analyst: ANALYST_VERSION };
        Ok(self.tell::<WorkTold>("work", &wish)?.work)
    }

    fn heartbeat(&self, lease: &str) -> Result<bool, OfficeError> {
        let wish = BeatWish { researcher: self.name.clone(), lease: Some(lease.to_owned()) };
        Ok(self.tell::<Beat>("heartbeat", &wish)?.expires.is_some())
    }

    fn record(&self, report: &Report) -> Result<LeaseNow, OfficeError> {
        let wish = ResultWish { researcher: self.name.clone(), report: report.clone() };
        Ok(self.tell::<Receipt>("results", &wish)?.lease)
    }

    fn gather(&self) -> Gather {
        GATHER
    }

    fn record_all(&self, reports: &[Report]) -> Result<Answers, OfficeError> {
        if reports.len() > 1
            && !self.takes_one.load(Ordering::Relaxed)
            && let Some(results) = self.record_batch(reports)?
        {
            return Ok(results);
        }
        one_by_one(self, reports)
    }

    fn finish(&self, lease: &str) -> Result<(), OfficeError> {
        let wish = FinishWish { researcher: self.name.clone() };
        let path = format!("leases/{}/finish", escape(lease));
        self.tell::<FinishTold>(&path, &wish).map(drop)
    }

    fn open(
        &self,
        kind: RecordingKind,
        recording: &Recording,
        go_on: GoOn<'_>,
    ) -> Result<Opened, Unopened> {
        let path = format!("/api/v1/research/{}s/{}/media", kind.word(), recording.id);
        for _ in 0..BEGINNINGS {
            if let Some(opened) = self.fetch(&path, go_on)? {
                return Ok(opened);
            }
        }
        let why = "it changed again and again while it was fetched".into();
        Err(Unopened::Trouble { code: "fetch".into(), why })
    }
}

/// A part of a recording.
struct Part {
    first: u64,
    total: u64,
    tag: Option<String>,
    bytes: Vec<u8>,
}

impl Part {
    fn read(reply: Reply) -> Result<Part, OfficeError> {
        let header = |name| reply.head.get(name).and_then(|value| value.to_str().ok());
        let tag = header("etag").map(str::to_owned);
        let range = header("content-range").and_then(|text| text.strip_prefix("bytes "));
        let range = range.and_then(|text| text.split_once('/'));
        match (reply.status, range) {
            (206, Some((part, total))) => {
                let first = part.split('-').next().and_then(|text| text.parse().ok());
                match (first, total.parse()) {
                    (Some(first), Ok(total)) if !reply.body.is_empty() => {
                        Ok(Part { first, total, tag, bytes: reply.body })
                    }
                    (_, _) => Err(OfficeError::Refused("a part came that is none".into())),
                }
            }
            // Nothing of nothing.
            (416, Some((_, "0"))) => Ok(Part { first: 0, total: 0, tag, bytes: Vec::new() }),
            (200, _) => {
                let total = reply.body.len() as u64;
                Ok(Part { first: 0, total, tag, bytes: reply.body })
            }
            (_, _) => Err(said(&reply)),
        }
    }
}

/// Where work comes from: an appliance elsewhere, or the one that runs on this machine.
pub(super) fn client(
    place: &Place,
    server: Option<&str>,
    token: Option<&str>,
) -> Result<Client, Failure> {
    match (server, token) {
        (Some(server), Some(token)) => {
            let server = Server::parse(server)?;
            if server.is_overheard() {
                error("the token and the recordings travel in the clear: use https if it is there");
            }
            Ok(Client::elsewhere(server, token))
        }
        (Some(_), None) => Err(Failure::Unable(
            "an appliance elsewhere asks for a token: give --token, or set STRONGROOM_TOKEN".into(),
        )),
        (None, _) => {
            let data = place.load(None)?.data;
            let client = Doorplate::read(&data).map(Client::new);
            client.filter(Client::answers).ok_or_else(|| {
                let dir = data.display();
                Failure::Unable(format!(
                    "no appliance runs on {dir}: start it, or name one elsewhere with --server"
                ))
            })
        }
    }
}

fn understood<T: DeserializeOwned>(reply: &Reply) -> Result<T, OfficeError> {
    serde_json::from_slice(&reply.body).map_err(|error| {
        refused(format!("the appliance answers in words that are not known here: {error}"))
    })
}

fn heard(asked: Result<Reply, Failure>) -> Result<Reply, OfficeError> {
    let reply = asked.map_err(away)?;
    match reply.status {
        200..=299 => Ok(reply),
        _ => Err(said(&reply)),
    }
}

/// What a refusal means: what may pass by itself is asked again.
fn said(reply: &Reply) -> OfficeError {
    let problem: serde_json::Value = serde_json::from_slice(&reply.body).unwrap_or_default();
    let text = |key: &str| problem[key].as_str().unwrap_or_default();
    let sentence = format!("{} {}", text("detail"), text("next")).trim().to_owned();
    let sentence = match sentence.as_str() {
        "" => format!("the appliance answered {}", reply.status),
        _ => sentence,
    };
    match reply.status {
        408 | 425 | 429 | 500.. => OfficeError::Away(sentence),
        _ => OfficeError::Refused(sentence),
    }
}

fn away(failure: Failure) -> OfficeError {
    match failure {
        Failure::Refused(why) | Failure::Damaged(why) | Failure::Unable(why) => {
            OfficeError::Away(why)
        }
    }
}

fn refused(why: impl ToString) -> OfficeError {
    OfficeError::Refused(why.to_string())
}

fn opened(file: File) -> Result<Opened, Unopened> {
    Opened::of_file(file).map_err(|error| no_place(&error))
}

fn no_place(error: &std::io::Error) -> Unopened {
    let why = format!("there is no place for a copy of the recording on this machine: {error}");
    Unopened::Trouble { code: "fetch".into(), why }
}

/// Waits, unless a wish to stop comes first.
fn rest(span: Duration, go_on: GoOn<'_>) -> Result<(), Unopened> {
    let looks = span.as_millis().div_ceil(LOOK.as_millis());
    for _ in 0..looks {
        if go_on().is_break() {
            return Err(Unopened::Stopped);
        }
        std::thread::park_timeout(LOOK);
    }
    Ok(())
}
