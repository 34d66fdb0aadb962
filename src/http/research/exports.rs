//! What was found, as files: `/research/episodes/ID/occurrences.csv` and its like.

use std::io::{self, Write};

use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use storage::registry::RecordingKind;

use super::number;
use crate::desk::{DeskError, OccurrenceList};
use crate::http::Visit;
use crate::http::api::{Answer, ask};
use crate::http::refusal::Refusal;

/// A kind of file: how its name ends, what it is, and who writes it.
#[derive(Clone, Copy)]
pub(super) struct Kind {
    end: &'static str,
    media_type: &'static str,
    write: fn(&OccurrenceList, &mut dyn Write) -> io::Result<()>,
}

pub(super) const CSV: Kind =
    Kind { end: "csv", media_type: "text/csv; charset=utf-8", write: OccurrenceList::csv };
pub(super) const VTT: Kind =
    Kind { end: "vtt", media_type: "text/vtt; charset=utf-8", write: OccurrenceList::vtt };
pub(super) const CUE: Kind =
    Kind { end: "cue", media_type: "application/x-cue", write: OccurrenceList::cue };

pub(super) async fn json(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
) -> Answer<OccurrenceList> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.occurrences(kind, id)?)).await
}

pub(super) async fn file(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
    of: Kind,
) -> Result<Response, Refusal> {
    let id = number(&id)?;
    let written = visit.aside(move |visit| {
        let list = visit.desk().occurrences(kind, id)?;
        let mut bytes = Vec::new();
        (of.write)(&list, &mut bytes).map_err(DeskError::Write)?;
        Ok(bytes)
    });
    let bytes = written.await.map_err(Refusal::as_json)?;
    let name = format!("{}-{id}.{}", kind.word(), of.end);
    let told = (header::CONTENT_TYPE, of.media_type.to_owned());
    let saved = (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""));
    Ok(([told, saved], bytes).into_response())
}
