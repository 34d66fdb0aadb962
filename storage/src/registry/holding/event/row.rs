//! Reading events, and telling them about one file.

use rusqlite::{Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vocabulary::{EventType, Outcome, Scope};
use crate::clock::Timestamp;
use crate::registry::holding::file::FileRow;
use crate::registry::holding::identity::{DepositId, FileId, ObjectId, Uuid, Version, hex};
use crate::registry::holding::listing::EVENTS;
use crate::registry::moment::{Fields, Millis, Moment};
use crate::registry::query::{Page, Query};
use crate::registry::{Error, Registry};

/// Versions of one file that its events are told about; no file has had so many.
const VERSIONS_MAX: u32 = 10_000;

/// Events that a walk has in memory.
const PAGE: u32 = 1000;

/// An event as it is listed and shown; the fields stand in the order of [`EVENTS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventRow {
    /// Given by the registry; the same for all files it is about.
    pub id: i64,
    /// Drawn by whoever wrote it; the same for all files it is about.
    pub identifier: Uuid,
    /// What kind of thing it was.
    pub event_type: EventType,
    /// When.
    #[serde(with = "Moment")]
    pub date_time: Timestamp,
    /// What was done.
    pub detail: String,
    /// How it went.
    pub outcome: Outcome,
    /// The one fact to keep.
    pub outcome_detail: String,
    /// That in a sentence.
    pub outcome_information: String,
    /// What did it.
    pub object: String,
    /// Who stands behind that.
    pub agent: String,
    /// Which files it is about.
    pub scope: Scope,
    /// The owner.
    pub institution_id: i64,
    /// The object.
    pub intellectual_object_id: ObjectId,
    /// Identifier of the object.
    pub intellectual_object_identifier: String,
    /// The deposit it belongs to.
    pub deposit_id: Option<DepositId>,
    /// The version that the deposit became.
    pub version: Option<Version>,
    /// The file, when it is about one.
    pub generic_file_id: Option<FileId>,
    /// Identifier of the file, when it is about one.
    pub generic_file_identifier: Option<String>,
}

impl Registry {
    /// One page of events as they were written: about many files where they are.
    pub fn list_events(&self, query: &Query) -> Result<Page<EventRow>, Error> {
        self.list(&EVENTS, query, EventRow::read)
    }

    /// One page of the events of one file, each told about that file.
    ///
    /// # Errors
    ///
    /// `Refused` for a query about something else than events.
    pub fn list_file_events(&self, file: FileId, query: Query) -> Result<Page<EventRow>, Error> {
        let query = query
            .only("generic_file_id", &file.to_string())
            .map_err(|bad| Error::Refused { why: bad.to_string() })?;
        let mut page = self.list_events(&query)?;
        let versions = self.file_versions(file, VERSIONS_MAX)?;
        for event in &mut page.rows {
            let saved = |version: &&FileRow| match event.scope {
                Scope::Held => version.updated_at <= event.date_time,
                Scope::Object | Scope::Files | Scope::Payload | Scope::New | Scope::File => {
                    Some(version.deposit_id) == event.deposit_id
                }
            };
            if let Some(version) = versions.iter().find(saved) {
                *event = event.about(version);
            }
        }
        Ok(page)
    }

    /// Gives every event of an object and of its files to `each`, the oldest first, as they were
    /// written, a page at a time.
    ///
    /// # Errors
    ///
    /// Whatever `each` fails with, which ends the walk.
    pub fn walk_events<E: From<Error>>(
        &self,
        object: ObjectId,
        each: &mut dyn FnMut(EventRow) -> Result<(), E>,
    ) -> Result<(), E> {
        let columns = EVENTS.column_list();
        let sql = format!(
            "SELECT {columns} FROM held_events WHERE intellectual_object_id = ?1
             AND (date_time, id) > (?2, ?3) ORDER BY date_time, id LIMIT ?4"
        );
        let (mut at, mut last) = (Timestamp(0), 0);
        loop {
            let page = self.rows(&sql, params![object, Millis(at), last, PAGE], EventRow::read)?;
            let Some(end) = page.last() else { return Ok(()) };
            (at, last) = (end.date_time, end.id);
            for event in page {
                each(event)?;
            }
        }
    }

    /// The event with this UUID, as it was written.
    pub fn event_by_identifier(&self, identifier: Uuid) -> Result<Option<EventRow>, Error> {
        let columns = EVENTS.column_list();
        let sql = format!("SELECT {columns} FROM held_events WHERE identifier = ?1");
        self.one(&sql, [identifier], EventRow::read)
    }
}

impl EventRow {
    /// The event as it is true of one of the files it is about, in the version its deposit saved.
    /// An event about an object or about one file is told as it was written.
    pub fn about(&self, file: &FileRow) -> EventRow {
        match self.scope {
            Scope::Object | Scope::File => self.clone(),
            Scope::Held | Scope::Files | Scope::Payload | Scope::New => EventRow {
                outcome: self.outcome_for(file),
                generic_file_id: Some(file.id),
                generic_file_identifier: Some(file.identifier.clone()),
                ..self.told(|word| own(word, file))
            },
        }
    }

    /// The event as it is true of all files it is about, with the name of a fact where files
    /// differ: `[its md5]`.
    pub fn about_each(&self) -> EventRow {
        match self.scope {
            Scope::Object | Scope::File => self.clone(),
            Scope::Held | Scope::Files | Scope::Payload | Scope::New => {
                self.told(|word| Some(format!("[its {}]", fact(word)?)))
            }
        }
    }

    /// How it went with one of its files: a format that is not known, or not for sure, is something
    /// to know.
    fn outcome_for(&self, file: &FileRow) -> Outcome {
        match (self.event_type, self.outcome) {
            (EventType::FormatIdentification, Outcome::Success) if !file.format_is_sure() => {
                Outcome::Warning
            }
            (_, outcome) => outcome,
        }
    }

    fn told(&self, word: impl Fn(&str) -> Option<String>) -> EventRow {
        EventRow {
            detail: tell(&self.detail, &word),
            outcome_detail: tell(&self.outcome_detail, &word),
            outcome_information: tell(&self.outcome_information, &word),
            ..self.clone()
        }
    }

    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<EventRow> {
        let mut of = Fields::of(row);
        Ok(EventRow {
            id: of.take()?,
            identifier: of.take()?,
            event_type: of.take()?,
            date_time: of.millis()?,
            detail: of.take()?,
            outcome: of.take()?,
            outcome_detail: of.take()?,
            outcome_information: of.take()?,
            object: of.take()?,
            agent: of.take()?,
            scope: of.take()?,
            institution_id: of.take()?,
            intellectual_object_id: of.take()?,
            intellectual_object_identifier: of.take()?,
            deposit_id: of.take()?,
            version: of.take()?,
            generic_file_id: of.take()?,
            generic_file_identifier: of.take()?,
        })
    }
}

/// Puts words in, in one pass: what they bring is not looked at again.
fn tell(template: &str, own: &dyn Fn(&str) -> Option<String>) -> String {
    let mut told = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        told.push_str(before);
        let known = after.split_once('}').and_then(|(word, after)| Some((own(word)?, after)));
        match known {
            Some((own, after)) => {
                told.push_str(&own);
                rest = after;
            }
            None => {
                told.push('{');
                rest = after;
            }
        }
    }
    told + rest
}

/// The file's own word.
fn own(word: &str, file: &FileRow) -> Option<String> {
    Some(match word {
        "md5" => hex(&file.digests.md5),
        "sha1" => hex(&file.digests.sha1),
        "sha256" => hex(&file.digests.sha256),
        "sha512" => hex(&file.digests.sha512),
        "identifier" => file.identifier.clone(),
        "path" => file.path.clone(),
        "uuid" => file.uuid.to_string(),
        "content" => file.content_path.clone(),
        "size" => file.size.to_string(),
        "puid" if file.puid.is_empty() => "unknown".to_owned(),
        "puid" => file.puid.clone(),
        "format" => format_told(file),
        _ => return None,
    })
}

/// What a word stands for, in sentences.
fn fact(word: &str) -> Option<&'static str> {
    Some(match word {
        "md5" => "md5",
        "sha1" => "sha1",
        "sha256" => "sha256",
        "sha512" => "sha512",
        "identifier" => "identifier",
        "path" => "path",
        "uuid" => "UUID",
        "content" => "path in the vault",
        "size" => "size",
        "puid" => "PUID",
        "format" => "format",
        _ => return None,
    })
}

/// The format and what there is to know about it.
fn format_told(file: &FileRow) -> String {
    let name = match file.format_name.as_str() {
        "" => "no format was recognised",
        name => name,
    };
    let told = [name, &file.format_version].join(" ");
    match &file.format_warnings {
        Some(warnings) => format!("{}; {warnings}", told.trim_end()),
        None => told.trim_end().to_owned(),
    }
}
