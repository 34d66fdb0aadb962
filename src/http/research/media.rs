//! The bytes of episodes and clips, whole or in ranges: for researchers elsewhere, and for those who
//! listen in a browser.
//!
//! A range is given when it is one, and when the recording is still what `If-Range` says; whatever
//! else is asked for gets all of it, as RFC 9110 wants it. Researchers are told with 424 what cannot
//! be had from a third party, so that they report it instead of asking again for ever.
//!
//! A range is cut to a few megabytes, and its client asks for the rest: a browser that has buffered
//! enough stops reading, and must not hold a connection for as long as somebody listens.

use std::io::{Seek, SeekFrom};
use std::ops::{ControlFlow, Range};

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use byteio::cancel::Cancel;
use byteio::causes::chain;
use storage::registry::{Recording, RecordingKind};

use super::number;
use crate::http::Visit;
use crate::http::refusal::Refusal;
use crate::http::stream::Outgoing;
use crate::researcher::media::{self, MediaError, Opened};

/// Bytes of one answer to a range, at most.
const PART: u64 = 4 << 20;
/// Recordings that are opened at once. Opening one may wait for a server elsewhere, and pages need
/// threads as well.
pub(in crate::http) const OPENED_AT_ONCE: usize = 4;

/// `GET /research/episodes/ID/media` and the same for clips.
pub(super) async fn media(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    let outgoing = Outgoing::begin(&visit).map_err(Refusal::as_json)?;
    let open = move |visit: &Visit, cancel: &Cancel| opened(visit, (kind, id), cancel);
    let found = visit.aside_while_wanted(&visit.site.recordings, open).await;
    let (recording, opened) = found.map_err(Refusal::as_json)?;
    let tag = format!("\"{}\"", opened.tag);
    match asked(&headers, &tag, opened.size_bytes) {
        Asked::Part(range) => {
            let told = format!("bytes {}-{}/{}", range.start, range.end - 1, opened.size_bytes);
            let head = [(header::CONTENT_RANGE, told)];
            let body = answer(outgoing, (&recording, &opened), range, &tag)?;
            Ok((StatusCode::PARTIAL_CONTENT, head, body).into_response())
        }
        Asked::All => {
            let all = 0..opened.size_bytes;
            answer(outgoing, (&recording, &opened), all, &tag)
        }
        Asked::Nowhere => {
            let sentence = format!("The recording has {} bytes.", opened.size_bytes);
            let refusal =
                Refusal::new(StatusCode::RANGE_NOT_SATISFIABLE, "no-such-range", sentence)
                    .next("Ask for a range that begins within it.");
            let head = [(header::CONTENT_RANGE, format!("bytes */{}", opened.size_bytes))];
            Ok((head, refusal.as_json()).into_response())
        }
    }
}

fn opened(
    visit: &Visit,
    (kind, id): (RecordingKind, u32),
    cancel: &Cancel,
) -> Result<(Recording, Opened), Refusal> {
    visit.desk().may_hear(kind, id)?;
    let Some(recording) = visit.research.recording(kind, id)? else {
        let sentence = format!("There is no {} {id}.", kind.word());
        return Err(Refusal::new(StatusCode::NOT_FOUND, "not-found", sentence));
    };
    let stop = &visit.shop.stop;
    let go_on = || match stop.asked() || cancel.is_cancelled() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let opened = media::open(visit, &recording, &go_on)?;
    Ok((recording, opened))
}

fn answer(
    outgoing: Outgoing,
    (recording, opened): (&Recording, &Opened),
    range: Range<u64>,
    tag: &str,
) -> Result<Response, Refusal> {
    let length = range.end - range.start;
    let what = format!("recording {}", recording.id);
    let mut reader = opened.reader();
    // Its position is a number of ours: nothing is asked of the disk yet.
    reader.seek(SeekFrom::Start(range.start)).map_err(|_| Refusal::mistake().as_json())?;
    let mut response = outgoing.bytes(what, reader, length).into_response();
    let head = response.headers_mut();
    head.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    head.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    head.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind_of(recording)));
    if let Ok(tag) = HeaderValue::from_str(tag) {
        head.insert(header::ETAG, tag);
    }
    Ok(response)
}

/// What a browser is told that it is: by its name, and never what somebody else may have said.
pub(super) fn kind_of(recording: &Recording) -> &'static str {
    let extension = media::extension(&recording.location).unwrap_or_default().to_ascii_lowercase();
    match extension.as_str() {
        "mp3" => "audio/mpeg",
        "m4a" | "mp4" | "m4b" => "audio/mp4",
        "aac" => "audio/aac",
        "flac" => "audio/flac",
        "ogg" | "oga" => "audio/ogg",
        "wav" => "audio/wav",
        _ => "application/octet-stream",
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Asked {
    All,
    Part(Range<u64>),
    Nowhere,
}

/// Which bytes are asked for.
fn asked(headers: &HeaderMap, tag: &str, size_bytes: u64) -> Asked {
    let text = |name| headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let Some(range) = text(header::RANGE) else { return Asked::All };
    if text(header::IF_RANGE).is_some_and(|known| known.trim() != tag) {
        return Asked::All;
    }
    // Several ranges at once would be an answer of several parts; giving all is allowed.
    let Some((first, last)) = range.trim().strip_prefix("bytes=").and_then(|it| it.split_once('-'))
    else {
        return Asked::All;
    };
    let (first, last) = (first.trim(), last.trim());
    let bounds = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..last.saturating_add(1),
        (Ok(first), Err(_)) if last.is_empty() => first..u64::MAX,
        (Err(_), Ok(last)) if first.is_empty() => size_bytes.saturating_sub(last)..u64::MAX,
        (_, _) => return Asked::All,
    };
    let bounds = bounds.start..bounds.end.min(size_bytes).min(bounds.start.saturating_add(PART));
    if bounds.start < bounds.end { Asked::Part(bounds) } else { Asked::Nowhere }
}

impl From<MediaError> for Refusal {
    fn from(error: MediaError) -> Refusal {
        let status = match &error {
            MediaError::NotHeld { .. } | MediaError::Missing { .. } => StatusCode::NOT_FOUND,
            MediaError::Outside { .. } | MediaError::Inside { .. } => StatusCode::CONFLICT,
            MediaError::NoCopy { .. }
            | MediaError::Unfetched { .. }
            | MediaError::TooLarge { .. } => StatusCode::FAILED_DEPENDENCY,
            MediaError::NoPlace(_) | MediaError::Registry(_) | MediaError::Stopped => {
                StatusCode::SERVICE_UNAVAILABLE
            }
        };
        Refusal::new(status, error.code(), format!("{}.", chain(&error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given(range: &str, known: Option<&str>) -> Asked {
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, HeaderValue::from_str(range).unwrap());
        if let Some(known) = known {
            headers.insert(header::IF_RANGE, HeaderValue::from_str(known).unwrap());
        }
        asked(&headers, "\"tag\"", 100)
    }

    #[test]
    fn ranges_are_those_of_rfc_9110() {
        assert_eq!(given("bytes=0-9", None), Asked::Part(0..10));
        assert_eq!(given("bytes=90-", None), Asked::Part(90..100));
        assert_eq!(given("bytes=-10", None), Asked::Part(90..100));
        assert_eq!(given("bytes=-1000", None), Asked::Part(0..100));
        assert_eq!(given("bytes=99-18446744073709551615", None), Asked::Part(99..100));
        for nowhere in ["bytes=100-", "bytes=100-200", "bytes=-0"] {
            assert_eq!(given(nowhere, None), Asked::Nowhere, "{nowhere}");
        }
        for all in ["bytes=9-0", "bytes=0-1,5-6", "items=0-1", "bytes=", "bytes=a-b", "bytes=-"] {
            assert_eq!(given(all, None), Asked::All, "{all}");
        }
        assert_eq!(asked(&HeaderMap::new(), "\"tag\"", 100), Asked::All);
        let mut headers = HeaderMap::new();
        headers.insert(header::RANGE, HeaderValue::from_static("bytes=7-"));
        assert_eq!(asked(&headers, "", 1 << 40), Asked::Part(7..7 + PART), "the rest comes later");
    }

    #[test]
    fn a_range_of_what_has_changed_is_all_of_it() {
        assert_eq!(given("bytes=0-9", Some("\"tag\"")), Asked::Part(0..10));
        assert_eq!(given("bytes=0-9", Some("\"other\"")), Asked::All);
        assert_eq!(given("bytes=0-9", Some("W/\"tag\"")), Asked::All);
    }
}
