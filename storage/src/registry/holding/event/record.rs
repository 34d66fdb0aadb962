//! Writing events, as often as it takes.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::vocabulary::{EventType, Outcome, Scope};
use crate::clock::Timestamp;
use crate::registry::holding::check_batch;
use crate::registry::holding::identity::{DepositId, FileId, ObjectId, Uuid};
use crate::registry::moment::Millis;
use crate::registry::{Error, Registry};

/// What an event is about. With a deposit, the event is seen once that is sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields say what they are")]
pub enum About {
    /// An object.
    Object { object: ObjectId, deposit: Option<DepositId> },
    /// Every file that an object holds at the moment.
    Held(ObjectId),
    /// All files that a deposit saved.
    Files(DepositId),
    /// The payload files that a deposit saved.
    Payload(DepositId),
    /// The files that a deposit saved and no earlier version had.
    New(DepositId),
    /// One file.
    File { file: FileId, deposit: Option<DepositId> },
}

/// Something that happened.
///
/// When it is about many files, these words in `detail`, `outcome_detail` and
/// `outcome_information` stand for each file's own: `{md5}`, `{sha1}`, `{sha256}`, `{sha512}`,
/// `{identifier}`, `{path}`, `{uuid}`, `{content}` (the path in the vault's object), `{size}`,
/// `{puid}` and `{format}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEvent {
    /// Drawn before the event is first written, so that writing it again changes nothing.
    pub identifier: Uuid,
    /// What kind of thing it was.
    pub event_type: EventType,
    /// When.
    pub date_time: Timestamp,
    /// What was done.
    pub detail: String,
    /// How it went.
    pub outcome: Outcome,
    /// The one fact to keep: a digest, an identifier, a number.
    pub outcome_detail: String,
    /// That in a sentence.
    pub outcome_information: String,
    /// What did it.
    pub object: String,
    /// Who stands behind that: a name with a version, or an address.
    pub agent: String,
    /// What it was done to.
    pub about: About,
}

const PUT: &str = "INSERT INTO events (identifier, wording_id, date_time, outcome,
        outcome_detail, scope, institution_id, object_id, deposit_id, file_id, event_type)
    SELECT ?1, ?2, ?3, ?4, ?5, ?6, institution_id, id, ?8, ?9, ?10 FROM objects WHERE id = ?7
    ON CONFLICT (identifier) DO NOTHING";

const FIND_WORDING: &str = "SELECT id FROM wordings WHERE event_type = ?1 AND detail = ?2
    AND outcome_information = ?3 AND object = ?4 AND agent = ?5";
const ADD_WORDING: &str = "INSERT INTO wordings (event_type, detail, outcome_information, object,
    agent) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id";

impl Registry {
    /// Writes events in one transaction and says how many it did not have yet.
    ///
    /// # Errors
    ///
    /// `Invalid` for too many, `NotFound` when what one is about is not there; nothing is kept then.
    pub fn put_events(&self, events: &[NewEvent]) -> Result<u64, Error> {
        check_batch("events", events.len())?;
        self.write(|tx| {
            let mut wordings = HashMap::new();
            let mut added = 0;
            for event in events {
                added += put(tx, &mut wordings, event)?;
            }
            Ok(added as u64)
        })
    }
}

/// Writes one event, unless it is there.
pub(in crate::registry::holding) fn put_event(
    conn: &Connection,
    event: &NewEvent,
) -> Result<(), Error> {
    put(conn, &mut HashMap::new(), event).map(drop)
}

fn put<'a>(
    conn: &Connection,
    wordings: &mut HashMap<Wording<'a>, i64>,
    event: &'a NewEvent,
) -> Result<usize, Error> {
    let (object, deposit, file) = target(conn, event.about)?;
    let wording = ensure_wording(conn, wordings, event)?;
    Ok(conn.prepare_cached(PUT)?.execute(params![
        event.identifier,
        wording,
        Millis(event.date_time),
        event.outcome,
        event.outcome_detail,
        event.about.scope(),
        object,
        deposit,
        file,
        event.event_type
    ])?)
}

impl About {
    /// One file, apart from any deposit.
    pub(in crate::registry::holding) fn one(file: FileId) -> About {
        About::File { file, deposit: None }
    }

    fn scope(self) -> Scope {
        match self {
            About::Object { .. } => Scope::Object,
            About::Held(_) => Scope::Held,
            About::Files(_) => Scope::Files,
            About::Payload(_) => Scope::Payload,
            About::New(_) => Scope::New,
            About::File { .. } => Scope::File,
        }
    }
}

type Target = (ObjectId, Option<DepositId>, Option<FileId>);

/// The object, deposit and file of an event; that they belong together is looked up here.
fn target(conn: &Connection, about: About) -> Result<Target, Error> {
    let (sql, id, deposit, file) = match about {
        About::Object { object, deposit } => {
            ("SELECT id FROM objects WHERE id = ?1", object.0, deposit, None)
        }
        About::Held(object) => ("SELECT id FROM objects WHERE id = ?1", object.0, None, None),
        About::Files(deposit) | About::Payload(deposit) | About::New(deposit) => {
            ("SELECT object_id FROM deposits WHERE id = ?1", deposit.0, Some(deposit), None)
        }
        About::File { file, deposit } => {
            ("SELECT object_id FROM files WHERE id = ?1", file.0, deposit, Some(file))
        }
    };
    let found = conn.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?;
    let missing = || Error::NotFound { what: format!("what an event is about ({about:?})") };
    let object: ObjectId = found.ok_or_else(missing)?;
    if let Some(deposit) = deposit {
        let sql = "SELECT 1 FROM deposits WHERE id = ?1 AND object_id = ?2";
        let fits = conn.prepare_cached(sql)?.exists((deposit, object))?;
        fits.then_some(()).ok_or_else(missing)?;
    }
    Ok((object, deposit, file))
}

type Wording<'a> = (EventType, &'a str, &'a str, &'a str, &'a str);

fn ensure_wording<'a>(
    conn: &Connection,
    known: &mut HashMap<Wording<'a>, i64>,
    event: &'a NewEvent,
) -> Result<i64, Error> {
    let NewEvent { event_type, detail, outcome_information, object, agent, .. } = event;
    let wording: Wording<'_> = (*event_type, detail, outcome_information, object, agent);
    if let Some(id) = known.get(&wording) {
        return Ok(*id);
    }
    let values = params![event_type, detail, outcome_information, object, agent];
    let found =
        conn.prepare_cached(FIND_WORDING)?.query_row(values, |row| row.get(0)).optional()?;
    let id = match found {
        Some(id) => id,
        None => conn.prepare_cached(ADD_WORDING)?.query_row(values, |row| row.get(0))?,
    };
    known.insert(wording, id);
    Ok(id)
}
