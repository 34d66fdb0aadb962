//! The forms that add episodes or clips. What was wrong is told on the list, with what was typed.

use std::path::Path as FilePath;

use axum::body::Body;
use axum::extract::Form;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use byteio::cancel::Cancel;
use serde::Deserialize;
use storage::clock::Timestamp;
use storage::registry::{Added, Error as RegistryError, Location, NewRecording, RecordingKind};
use web::{AddRecordings, ImportFinding, RecordingForm};

use super::{listed, words};
use crate::desk::{ADDED_MAX, CatalogueWish, DeskError, ObjectWish};
use crate::http::asked::Pairs;
use crate::http::deposits::{Incoming, Parts, Stopped};
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::{Visit, csrf};
use crate::research::catalogue::{self, Catalogue, Format};

/// Files of episodes or clips that are read at once: pages need threads as well.
pub(in crate::http) const IMPORTED_AT_ONCE: usize = 2;
/// Findings of a file that are told one by one.
const FINDINGS: usize = 50;
/// Longest mark of a form.
const MARK_BYTES: usize = 64;

/// The form for one, as it is sent.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Given {
    title: String,
    description: String,
    date_aired: String,
    location_kind: String,
    location_object: String,
    location: String,
    media_type: String,
    priority: String,
}

/// The form for an object, as it is sent.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct GivenObject {
    object: String,
}

pub(super) async fn by_hand(
    visit: Visit,
    kind: RecordingKind,
    headers: HeaderMap,
    Form(given): Form<Given>,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let made = given.recording(visit.caller.name());
            let added = match made {
                Ok(recording) => {
                    let wish = CatalogueWish { recordings: vec![recording] };
                    visit.desk().add_recordings(kind, &wish)
                }
                Err(problem) => {
                    return again(visit, kind, &headers, given.shown(problem));
                }
            };
            match added {
                Ok(added) => Ok(told(kind, added.added())),
                Err(error) if to_mend(&error) => {
                    again(visit, kind, &headers, given.shown(sentence(&error)))
                }
                Err(error) => Err(error.into()),
            }
        })
        .await
}

pub(super) async fn from_object(
    visit: Visit,
    kind: RecordingKind,
    headers: HeaderMap,
    Form(given): Form<GivenObject>,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let wish = ObjectWish { object: given.object.clone() };
            match visit.desk().add_from_object(kind, &wish) {
                Ok(added) => Ok(told(kind, added)),
                Err(error) if to_mend(&error) => {
                    let problem = Some(sentence(&error));
                    let adding = AddRecordings {
                        from_object: given.object,
                        problem,
                        ..AddRecordings::default()
                    };
                    again(visit, kind, &headers, adding)
                }
                Err(error) => Err(error.into()),
            }
        })
        .await
}

pub(super) async fn import(
    visit: Visit,
    kind: RecordingKind,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Refusal> {
    let incoming = Incoming::of(&visit, body);
    let Some(mut parts) = Parts::of(&headers, incoming) else {
        return Err(Stopped::NotAForm.into());
    };
    let most = words::most_bytes(&visit);
    let (name, bytes) = file(&mut parts, most).await?;
    visit
        .aside_while_wanted(&visit.site.imports, move |visit, cancel| {
            let problem = |problem: String| {
                let adding = AddRecordings { problem: Some(problem), ..AddRecordings::default() };
                again(visit, kind, &headers, adding)
            };
            let Some(format) = Format::of(FilePath::new(&name)) else {
                return problem(
                    "The name of the file must end in .json, .jsonl, .csv, .tsv, .rss, .atom or .xml. \
                     Nothing was added."
                        .into(),
                );
            };
            let read = match catalogue::read(&mut bytes.as_slice(), format) {
                Ok(read) => read,
                Err(error) => return problem(format!("{} Nothing was added.", sentence(&error))),
            };
            if read.recordings.is_empty() && read.left_out == 0 {
                return problem("The file lists nothing. Nothing was added.".into());
            }
            match take(visit, kind, &read.recordings, cancel)? {
                (added, Some(why)) => problem(format!("{why} {}", words_of(kind, added))),
                (added, None) if read.left_out == 0 => {
                    let said = format!("{}{}", words_of(kind, added), put_right(&read));
                    Ok(see(words::address(kind), &said))
                }
                (added, None) => {
                    let is_any = !read.recordings.is_empty();
                    let shown = again(visit, kind, &headers, findings(kind, added, read))?;
                    // Something was taken: the page tells of it, and of what was not.
                    let status = if is_any { StatusCode::OK } else { shown.status() };
                    Ok((status, shown).into_response())
                }
            }
        })
        .await
}

/// Takes recordings in, part by part; with the sentence that ended it early, if one did. When the
/// request has ended, nobody sees that sentence: the file can be imported again.
fn take(
    visit: &Visit,
    kind: RecordingKind,
    recordings: &[NewRecording],
    cancel: &Cancel,
) -> Result<(Added, Option<String>), Refusal> {
    let mut all = Added::default();
    for part in recordings.chunks(ADDED_MAX) {
        if cancel.is_cancelled() {
            return Ok((all, Some("The request ended.".into())));
        }
        match visit.desk().add_recordings(kind, &CatalogueWish { recordings: part.to_vec() }) {
            Ok(told) => {
                all.new += told.new;
                all.changed += told.changed;
                all.same += told.same;
            }
            Err(error) if to_mend(&error) => return Ok((all, Some(sentence(&error)))),
            Err(error) => return Err(error.into()),
        }
    }
    Ok((all, None))
}

/// The file of a form, with its name.
async fn file(parts: &mut Parts, most: u64) -> Result<(String, Vec<u8>), Refusal> {
    while let Some(part) = parts.next().await? {
        match part.name.as_str() {
            "file" => {
                let mut bytes = Vec::new();
                while let Some(piece) = parts.piece().await? {
                    bytes.extend_from_slice(&piece);
                    if bytes.len() as u64 > most {
                        let sentence = "The file is larger than is taken here. Nothing was added.";
                        return Err(Refusal::new(
                            StatusCode::PAYLOAD_TOO_LARGE,
                            "too-large",
                            sentence,
                        )
                        .next("Split it, or use `strongroom research add-episodes`."));
                    }
                }
                // Only the end of the form says that nothing was cut off.
                return match parts.next().await? {
                    None => Ok((part.file_name, bytes)),
                    Some(_) => Err(Stopped::NotAForm.into()),
                };
            }
            csrf::FIELD => drop(parts.text(MARK_BYTES).await?),
            _ => break,
        }
    }
    Err(Stopped::NotAForm.into())
}

fn findings(kind: RecordingKind, added: Added, read: Catalogue) -> AddRecordings {
    let shown = read
        .findings
        .iter()
        .take(FINDINGS)
        .map(|it| ImportFinding { line: it.line as u64, sentence: it.sentence.clone() });
    let findings: Vec<ImportFinding> = shown.collect();
    let left_out = match read.left_out {
        1 => "1 entry of the file cannot be used and was left out".to_owned(),
        many => format!(
            "{} entries of the file cannot be used and were left out",
            web::parts::count(many as u64)
        ),
    };
    let added = format!("{}{}", words_of(kind, added), put_right(&read));
    AddRecordings {
        problem: Some(format!("{left_out}. {added} Mend what is named, and import it again.")),
        findings_unshown_count: (read.left_out - findings.len()) as u64,
        findings,
        ..AddRecordings::default()
    }
}

/// What was put right in a feed: how much, and the first of it.
fn put_right(read: &Catalogue) -> String {
    let Some(first) = read.notes.first() else { return String::new() };
    let more = match read.noted - 1 {
        0 => String::new(),
        more => format!(" And {more} more; `strongroom research add-episodes` lists them."),
    };
    format!(" Put right in line {}: {}.{more}", first.line, first.sentence)
}

/// The list once more, with what was wrong.
fn again(
    visit: &Visit,
    kind: RecordingKind,
    headers: &HeaderMap,
    adding: AddRecordings,
) -> Result<Response, Refusal> {
    let shown = listed(visit, (kind, &Pairs::new()), headers, words::adding(visit, adding))?;
    Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
}

fn told(kind: RecordingKind, added: Added) -> Response {
    see(words::address(kind), &words_of(kind, added))
}

fn words_of(kind: RecordingKind, added: Added) -> String {
    let new = web::counted(added.new.into(), kind.word());
    let known = added.changed + added.same;
    match (added.new, known) {
        (0, 0) => "Nothing was added.".into(),
        (_, 0) => format!("Added {new}."),
        (0, known) => format!("Nothing is new: {known} known already, {} changed.", added.changed),
        (_, known) => format!("Added {new}; {known} were known, {} changed.", added.changed),
    }
}

/// Whether somebody who types differently can mend it.
pub(super) fn to_mend(error: &DeskError) -> bool {
    use RegistryError::{Invalid, NotFound, Refused};
    matches!(error, DeskError::Research(error) if error.is_callers())
        || matches!(
            error,
            DeskError::NotHeld { .. }
                | DeskError::Registry(Invalid { .. } | NotFound { .. } | Refused { .. })
        )
}

impl Given {
    fn recording(&self, curator: &str) -> Result<NewRecording, String> {
        let location = self.location.trim().to_owned();
        let location = match self.location_kind.as_str() {
            "vault" => {
                Location::Vault { object: self.location_object.trim().into(), path: location }
            }
            "file" => Location::File { path: location },
            "url" => Location::Url { url: location },
            _ => {
                return Err("Say where the sound is: in an object, a file or at an address.".into());
            }
        };
        let date_aired = match self.date_aired.trim() {
            "" => None,
            day => Some(
                Timestamp::parse(&format!("{day}T00:00:00Z"))
                    .ok_or("The day it was aired must be one such as 2021-02-28.")?,
            ),
        };
        let priority = match self.priority.trim() {
            "" => 0,
            text => text.parse().map_err(|_| "The priority must be a whole number.")?,
        };
        Ok(NewRecording {
            title: self.title.trim().into(),
            description: self.description.trim().into(),
            date_aired,
            location,
            media_type: self.media_type.trim().into(),
            curator: curator.into(),
            priority,
            first_curated_at: None,
            last_curated_at: None,
        })
    }

    /// What was typed, with what is wrong with it.
    fn shown(self, problem: String) -> AddRecordings {
        let form = RecordingForm {
            title: self.title,
            description: self.description,
            date_aired: self.date_aired,
            location_kind: self.location_kind,
            location_object: self.location_object,
            location: self.location,
            media_type: self.media_type,
            priority: self.priority,
        };
        AddRecordings { form, problem: Some(problem), ..AddRecordings::default() }
    }
}
