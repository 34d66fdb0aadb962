//! Bytes from the wire into a receiving area, never more than a piece of them in memory.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::StatusCode;
use futures_util::StreamExt;
use tokio::time::Instant;
use web::parts::human_size;

use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::ingest::{Arrival, Arrived, Unwelcome};

/// Bytes gathered before they are written.
const PIECE: usize = 1 << 20;
/// What is read and dropped of a request that is refused: a browser hears the answer only when all
/// is sent. A request that brings more is cut off.
const DROPPED_BYTES: u64 = 256 << 20;
const DROPPED_TIME: Duration = Duration::from_secs(20);

/// What a slow body must bring within this many times the longest silence, as a telephone line does: a
/// drop now and then would hold its place for ever. By default 256 KiB in five minutes.
const ENOUGH: usize = 256 << 10;
const SLACK: u32 = 5;

/// How often a silent body is asked whether we stop.
const TICK: Duration = Duration::from_millis(250);

/// A body as it comes in; silence for too long ends it, and so does a stop.
pub(in crate::http) struct Incoming {
    body: BodyDataStream,
    idle: Duration,
    /// How long was waited since enough had come, and how much came since.
    waited: Duration,
    brought: usize,
    stops: Box<dyn Fn() -> bool + Send>,
}

/// Why a body was not read to its end.
#[derive(Debug)]
pub(in crate::http) enum Stopped {
    /// The connection ended.
    Cut,
    /// Nothing came for too long.
    Silent(Duration),
    /// The program ends.
    Stopping,
    /// It is not a form as our page sends it.
    NotAForm,
}

impl Incoming {
    /// The body of a request to a visit.
    pub(in crate::http) fn of(visit: &Visit, body: Body) -> Incoming {
        let visit = Arc::clone(&visit.site.app);
        Incoming::new(body, visit.config.http.upload_idle, move || visit.shop.stop.asked())
    }

    pub(in crate::http) fn new(
        body: Body,
        idle: Duration,
        stops: impl Fn() -> bool + Send + 'static,
    ) -> Incoming {
        let (body, stops) = (body.into_data_stream(), Box::new(stops));
        Incoming { body, idle, waited: Duration::ZERO, brought: 0, stops }
    }

    pub(in crate::http) async fn next(&mut self) -> Result<Option<Bytes>, Stopped> {
        let mut silent = Duration::ZERO;
        loop {
            if (self.stops)() {
                return Err(Stopped::Stopping);
            }
            let began = Instant::now();
            let came = tokio::time::timeout(TICK, self.body.next()).await;
            silent += began.elapsed();
            match came {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(bytes))) => {
                    (self.waited, self.brought) =
                        (self.waited + silent, self.brought + bytes.len());
                    if self.brought >= ENOUGH {
                        (self.waited, self.brought) = (Duration::ZERO, 0);
                    }
                    if self.waited < self.idle * SLACK {
                        return Ok(Some(bytes));
                    }
                }
                Ok(Some(Err(error))) => {
                    tracing::debug!(error = %error, "an upload was cut off");
                    return Err(Stopped::Cut);
                }
                Err(_) => {}
            }
            if silent.max(self.waited / SLACK) >= self.idle {
                return Err(Stopped::Silent(self.idle));
            }
        }
    }

    /// Reads what is left and keeps nothing, within bounds.
    pub(in crate::http) async fn drop_rest(mut self) {
        let dropping = async {
            let mut dropped = 0;
            while let Ok(Some(bytes)) = self.next().await {
                dropped += bytes.len() as u64;
                if dropped > DROPPED_BYTES {
                    break;
                }
            }
        };
        // Cut off: who sends that much after a refusal hears none.
        tokio::time::timeout(DROPPED_TIME, dropping).await.ok();
    }
}

/// A deposit being written from threads that may wait.
pub(in crate::http) struct Writing {
    arrival: Option<Arrival>,
    gathered: Vec<u8>,
}

impl Writing {
    pub(in crate::http) async fn begin(
        visit: &Visit,
        institution: String,
        name: String,
        size: Option<u64>,
    ) -> Result<Writing, Refusal> {
        let arrival = visit.aside(move |visit| {
            visit.desk().require_area(&institution)?;
            visit.desk().require_name(&institution, &name)?;
            Arrival::begin(visit, &institution, &name, size).map_err(Refusal::from)
        });
        Ok(Writing { arrival: Some(arrival.await?), gathered: Vec::new() })
    }

    pub(in crate::http) async fn write(
        &mut self,
        visit: &Visit,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() < PIECE {
            return Ok(());
        }
        self.flush(visit).await
    }

    async fn flush(&mut self, visit: &Visit) -> Result<(), Refusal> {
        let gathered = std::mem::take(&mut self.gathered);
        let Some(mut arrival) = self.arrival.take() else { return Err(Refusal::mistake()) };
        let written = visit.aside(move |_| {
            arrival.write(&gathered)?;
            Ok(arrival)
        });
        self.arrival = Some(written.await?);
        Ok(())
    }

    pub(in crate::http) async fn complete(mut self, visit: &Visit) -> Result<Arrived, Refusal> {
        self.flush(visit).await?;
        let Some(arrival) = self.arrival else { return Err(Refusal::mistake()) };
        visit
            .aside(move |visit| {
                let (owner, object) = arrival.object();
                let arrived = arrival.complete(visit, visit.caller.name())?;
                visit.desk().note_deposit(owner, &object);
                Ok(arrived)
            })
            .await
    }
}

impl From<Stopped> for Refusal {
    fn from(stopped: Stopped) -> Refusal {
        match stopped {
            Stopped::Cut => {
                let sentence = "The upload ended before all of it was sent; nothing was kept.";
                Refusal::new(StatusCode::BAD_REQUEST, "cut-off", sentence).next("Send it again.")
            }
            Stopped::Silent(idle) => {
                let sentence = format!(
                    "Nothing came for {} seconds (http.upload_idle_s); nothing was kept.",
                    idle.as_secs()
                );
                Refusal::new(StatusCode::REQUEST_TIMEOUT, "silent", sentence).next("Send it again.")
            }
            Stopped::Stopping => {
                let sentence = "The appliance is stopping; nothing of the upload was kept.";
                Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", sentence)
                    .next("Send it again when the appliance runs.")
            }
            Stopped::NotAForm => {
                let sentence = "The request is not the form of the page of deposits.";
                Refusal::new(StatusCode::BAD_REQUEST, "not-a-form", sentence)
                    .next("Open the page of deposits and choose the file there.")
            }
        }
    }
}

impl From<Unwelcome> for Refusal {
    fn from(why: Unwelcome) -> Refusal {
        let text = why.to_string();
        let (status, code, sentence, next) = match &why {
            Unwelcome::NoInstitution(_) => {
                (StatusCode::NOT_FOUND, "no-such-institution", text, "Choose one of those listed.")
            }
            Unwelcome::Name { .. } => {
                (StatusCode::BAD_REQUEST, "bad-name", text, "Rename the file and send it again.")
            }
            Unwelcome::Elsewhere(_) => (
                StatusCode::CONFLICT,
                "received-elsewhere",
                text,
                "Put it into that bucket; it is found there by itself.",
            ),
            Unwelcome::Exists(_) => (
                StatusCode::CONFLICT,
                "already-there",
                text,
                "Wait until it is preserved, or send this one under another name.",
            ),
            Unwelcome::BeingSent(_) => {
                (StatusCode::CONFLICT, "being-sent", text, "Wait until that upload has ended.")
            }
            Unwelcome::Crowded => (
                StatusCode::SERVICE_UNAVAILABLE,
                "crowded",
                text,
                "Send it again when one of them has ended.",
            ),
            Unwelcome::TooLarge { most } => (
                StatusCode::PAYLOAD_TOO_LARGE,
                "too-large",
                format!("a deposit may have {} at most (ingest.max_bag_gb)", human_size(*most)),
                "Send it in parts, or ask the operator for a higher limit.",
            ),
            Unwelcome::OverQuota { used, most } => (
                StatusCode::INSUFFICIENT_STORAGE,
                "over-quota",
                format!(
                    "the receiving area has {} of the {} that it may have, and this does not fit",
                    human_size(*used),
                    human_size(*most)
                ),
                "Wait until deposits there are preserved, remove rejected ones on the page Deposits, \
                 or ask the operator for more (ingest.receiving_max_gb).",
            ),
            Unwelcome::NoRoom { free, floor } => (
                StatusCode::INSUFFICIENT_STORAGE,
                "no-room",
                format!(
                    "there is no room for it: the disk has {} free, of which {} are kept free",
                    human_size(*free),
                    human_size(*floor)
                ),
                "Make room on the disk of the receiving area and send it again.",
            ),
            Unwelcome::Empty => {
                (StatusCode::BAD_REQUEST, "empty", text, "Choose a file that has something in it.")
            }
            Unwelcome::Files(error) => {
                tracing::error!(error = %error, "an upload could not be written");
                let next = "Look at the receiving area and the log, and send it again.";
                (StatusCode::SERVICE_UNAVAILABLE, "area-failed", format!("{text}: {error}"), next)
            }
            Unwelcome::Store(_) => {
                let next = "Look at the overview and the log; send it again.";
                (StatusCode::SERVICE_UNAVAILABLE, "store-failed", text, next)
            }
        };
        Refusal::new(status, code, capital(&sentence)).next(next)
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}
