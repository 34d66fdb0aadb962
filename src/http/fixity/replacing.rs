//! A lost file comes in from a browser or a program, and every replica is repaired with it.
//!
//! The bytes are taken as those of a deposit are: piece by piece, for as long as they come.

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::Response;
use axum::routing::post;
use axum::{Json, Router};

use crate::desk::{ReplaceError, Replaced, Replacing};
use crate::http::deposits::{Incoming, Parts, Stopped};
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::{Site, Visit, csrf};

/// Bytes gathered before they are written.
const PIECE: usize = 1 << 20;
/// Longest mark of a form.
const MARK_BYTES: usize = 64;
/// What stands behind a file in an address of the API.
const TAIL: &str = "/replacement";

pub(super) fn pages() -> Router<Site> {
    Router::new().route("/fixity/files/{id}/replacement", post(replace_by_form))
}

/// Whether a request brings a lost file and watches its own time.
pub(in crate::http) fn is_replacement(method: &Method, path: &str) -> bool {
    path.ends_with(TAIL)
        && match *method {
            Method::POST => path.starts_with("/fixity/files/"),
            Method::PUT => path.starts_with("/api/v1/files/"),
            _ => false,
        }
}

/// The lost file being received on threads that may wait.
struct Receiving {
    replacing: Option<Replacing>,
    gathered: Vec<u8>,
}

impl Receiving {
    async fn begin(visit: &Visit, which: String, size: Option<u64>) -> Result<Receiving, Refusal> {
        let begun = visit.aside(move |visit| Ok(visit.desk().begin_replacement(&which, size)?));
        Ok(Receiving { replacing: Some(begun.await?), gathered: Vec::new() })
    }

    async fn write(&mut self, visit: &Visit, bytes: &[u8]) -> Result<(), Refusal> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() < PIECE {
            return Ok(());
        }
        self.flush(visit).await
    }

    async fn flush(&mut self, visit: &Visit) -> Result<(), Refusal> {
        let gathered = std::mem::take(&mut self.gathered);
        let Some(mut replacing) = self.replacing.take() else { return Err(Refusal::mistake()) };
        let written = visit.aside(move |visit| {
            visit.desk().receive_replacement(&mut replacing, &gathered)?;
            Ok(replacing)
        });
        self.replacing = Some(written.await?);
        Ok(())
    }

    async fn complete(mut self, visit: &Visit) -> Result<Replaced, Refusal> {
        self.flush(visit).await?;
        let Some(replacing) = self.replacing else { return Err(Refusal::mistake()) };
        visit.aside(move |visit| Ok(visit.desk().complete_replacement(replacing)?)).await
    }
}

/// `PUT` of the bytes themselves.
pub(in crate::http) async fn replace(
    visit: Visit,
    Path(which): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Json<Replaced>, Refusal> {
    let mut incoming = Incoming::of(&visit, body);
    match replace_with(&visit, which, length(&headers), &mut incoming).await {
        Ok(replaced) => Ok(Json(replaced)),
        Err(refusal) => {
            // A client that asks first whether to go on is told no at once.
            if !headers.contains_key(header::EXPECT) {
                incoming.drop_rest().await;
            }
            Err(refusal.as_json())
        }
    }
}

async fn replace_with(
    visit: &Visit,
    which: String,
    length: Option<u64>,
    incoming: &mut Incoming,
) -> Result<Replaced, Refusal> {
    let Some(file) = which.strip_suffix(TAIL) else {
        let sentence = "Say what is sent by the end of the address: /replacement.";
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "wrong-method", sentence)
            .allowing("GET, HEAD, POST"));
    };
    let mut receiving = Receiving::begin(visit, file.to_owned(), length).await?;
    while let Some(piece) = incoming.next().await? {
        receiving.write(visit, &piece).await?;
    }
    receiving.complete(visit).await
}

/// The form on the page of the file.
async fn replace_by_form(
    visit: Visit,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let Some(mut parts) = Parts::of(&headers, Incoming::of(&visit, body)) else {
        return Err(not_a_form());
    };
    match from_form(&visit, id, &mut parts).await {
        Ok(replaced) => Ok(see(&format!("/files/{}", replaced.uuid), &replaced.sentence())),
        Err(refusal) => {
            parts.rest().drop_rest().await;
            Err(refusal)
        }
    }
}

async fn from_form(visit: &Visit, id: String, parts: &mut Parts) -> Result<Replaced, Refusal> {
    while let Some(part) = parts.next().await.map_err(stopped)? {
        match part.name.as_str() {
            "file" => {
                let mut receiving = Receiving::begin(visit, id, None).await?;
                while let Some(piece) = parts.piece().await.map_err(stopped)? {
                    receiving.write(visit, &piece).await?;
                }
                // Only the end of the form says that nothing was cut off.
                if parts.next().await.map_err(stopped)?.is_some() {
                    return Err(not_a_form());
                }
                return receiving.complete(visit).await;
            }
            // Looked at before the form came here.
            csrf::FIELD => drop(parts.text(MARK_BYTES).await.map_err(stopped)?),
            _ => return Err(not_a_form()),
        }
    }
    Err(not_a_form())
}

fn stopped(stopped: Stopped) -> Refusal {
    match stopped {
        Stopped::NotAForm => not_a_form(),
        other @ (Stopped::Cut | Stopped::Silent(_) | Stopped::Stopping) => other.into(),
    }
}

fn not_a_form() -> Refusal {
    let sentence = "The request is not the form of the page of a file; nothing was changed.";
    Refusal::new(StatusCode::BAD_REQUEST, "not-a-form", sentence)
        .next("Open the page of the file and choose the file there.")
}

/// How much is announced.
fn length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

impl From<ReplaceError> for Refusal {
    fn from(error: ReplaceError) -> Refusal {
        let (status, code, next) = match &error {
            ReplaceError::NotLost(_) => (
                StatusCode::CONFLICT,
                "not-lost",
                "Ask for a check of its object: it repairs copies from one that is intact, and says \
                 what is lost.",
            ),
            ReplaceError::Deleted(_) => (StatusCode::CONFLICT, "deleted", ""),
            ReplaceError::OtherBytes { .. } => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "other-bytes",
                "Look for the file as it was deposited, and send that one.",
            ),
            ReplaceError::BeingSent(_) => {
                (StatusCode::CONFLICT, "being-sent", "Wait until that upload has ended.")
            }
            ReplaceError::Crowded => (
                StatusCode::SERVICE_UNAVAILABLE,
                "crowded",
                "Send it again when one of them has ended.",
            ),
            ReplaceError::NoRoom => (
                StatusCode::INSUFFICIENT_STORAGE,
                "no-room",
                "Make room on the disk of the data directory and send it again.",
            ),
            ReplaceError::Staging(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "staging-failed",
                "Nothing was changed. Look at the staging folder and the log, and send it again.",
            ),
            ReplaceError::NotRepaired(_) => (
                StatusCode::SERVICE_UNAVAILABLE,
                "not-repaired",
                "Repair what is said, and send the file again.",
            ),
        };
        let refusal = Refusal::new(status, code, sentence(&error));
        if next.is_empty() { refusal } else { refusal.next(next) }
    }
}
