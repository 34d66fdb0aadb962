//! Events as the described registry counts them: a row for each file that an event is about.
//!
//! Such a row is computed. Its number holds those of the event and of the file, its identifier the
//! beginnings of both UUIDs, so that either leads back to the row and stays what it is when the
//! registry is rebuilt (numbers are drawn anew then, identifiers are not).
//!
//! A list walks events in their order and counts the files of each, so a page costs what lies
//! before it in events and not in rows.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};

use super::row::EventRow;
use super::vocabulary::Scope;
use crate::clock::Timestamp;
use crate::registry::holding::PAYLOAD;
use crate::registry::holding::file::{self, FileRow};
use crate::registry::holding::identity::{DepositId, FileId, ObjectId, Uuid};
use crate::registry::holding::listing::EVENTS;
use crate::registry::moment::Fields;
use crate::registry::query::{Count, Counting, Query};
use crate::registry::{Error, Registry};

/// Low bits of a row's number, which hold the file's.
const FILE_BITS: u32 = 32;
const FILE_MASK: i64 = (1 << FILE_BITS) - 1;

/// Which rows of the events that are found are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    objects: bool,
    files: bool,
    file: Option<FileId>,
}

impl Rows {
    /// All of them.
    pub const ALL: Rows = Rows { objects: true, files: true, file: None };

    /// Of these, the rows about an object and none of its files.
    #[must_use]
    pub fn of_objects(self) -> Rows {
        Rows { files: false, ..self }
    }

    /// Of these, the rows about a file.
    #[must_use]
    pub fn of_files(self) -> Rows {
        Rows { objects: false, ..self }
    }

    /// Of these, the rows about one file.
    #[must_use]
    pub fn of_file(self, file: FileId) -> Rows {
        let another = self.file.is_some_and(|known| known != file);
        Rows { objects: false, files: self.files && !another, file: Some(file) }
    }

    /// Of these, the row with this number, after the number of its event.
    #[must_use]
    pub fn of_number(self, number: i64) -> (i64, Rows) {
        let rows = match number & FILE_MASK {
            0 => self.of_objects(),
            file => self.of_file(FileId(file)),
        };
        (number >> FILE_BITS, rows)
    }

    /// Whether no row can be one of these.
    pub fn is_none(self) -> bool {
        !self.objects && !self.files
    }

    /// Whether none of these is about a file.
    pub fn has_no_file(self) -> bool {
        !self.files
    }
}

/// An event, about one file or about an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EachEvent {
    /// The row's own number.
    pub id: i64,
    /// The row's own identifier: the event's, where that is about nothing else.
    pub identifier: Uuid,
    /// The event as it is true of the file.
    pub event: EventRow,
}

/// One page of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EachEventPage {
    /// The rows, in the order of their events and then of their files.
    pub rows: Vec<EachEvent>,
    /// How many there are.
    pub count: Count,
    /// Whether any follow.
    pub has_more: bool,
}

impl Registry {
    /// One page of rows, by number; a cursor of the query is not looked at.
    pub fn list_each_event(&self, query: &Query, wanted: Rows) -> Result<EachEventPage, Error> {
        self.read(|conn| {
            let mut walk = Walk { conn, wanted, counts: HashMap::new(), held: HashMap::new() };
            walk.page(query)
        })
    }

    /// The row with this number.
    pub fn each_event(&self, id: i64) -> Result<Option<EachEvent>, Error> {
        let (event, wanted) = Rows::ALL.of_number(id);
        self.read(|conn| {
            let sql = format!("SELECT {HEAD} FROM held_events WHERE id = ?1");
            let head = conn.prepare_cached(&sql)?.query_row([event], Head::read).optional()?;
            let Some(head) = head else { return Ok(None) };
            let mut walk = Walk { conn, wanted, counts: HashMap::new(), held: HashMap::new() };
            Ok(walk.rows(&head, (0, 1), false)?.pop())
        })
    }

    /// The number of the row with this identifier.
    pub fn each_event_number(&self, identifier: Uuid) -> Result<Option<i64>, Error> {
        if let Some(event) = self.event_by_identifier(identifier)? {
            let file = event.generic_file_id.map_or(0, |file| file.0);
            let whole = matches!(event.scope, Scope::Object | Scope::File);
            return Ok(whole.then(|| number(event.id, file)));
        }
        let [event, file] = parts(identifier);
        self.read(|conn| {
            let event = starting(conn, "SELECT id FROM held_events WHERE identifier", event)?;
            let file = starting(conn, "SELECT id FROM files WHERE uuid", file)?;
            Ok(event.zip(file).map(|(event, file)| number(event, file)))
        })
    }
}

fn number(event: i64, file: i64) -> i64 {
    event << FILE_BITS | file
}

/// The identifier of an event about many files, as that of one of them: the first 64 bits of its UUID,
/// the two that every UUID has, and the first 62 bits of the file's.
pub(in crate::registry::holding) fn joined(event: Uuid, file: Uuid) -> Uuid {
    let mut bytes = event.0;
    bytes[8..].copy_from_slice(&(1 << 63 | number_of(&file.0[..8]) >> 2).to_be_bytes());
    Uuid(bytes)
}

/// How the UUIDs of the event and of the file begin, at least and at most.
fn parts(joined: Uuid) -> [[u64; 2]; 2] {
    let (event, file) = (number_of(&joined.0[..8]), number_of(&joined.0[8..]) << 2);
    [[event, event], [file, file | 0b11]]
}

fn number_of(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The only row whose UUID begins so.
fn starting(
    conn: &Connection,
    question: &str,
    [least, most]: [u64; 2],
) -> Result<Option<i64>, Error> {
    let (mut first, mut last) = ([0; 16], [u8::MAX; 16]);
    first[..8].copy_from_slice(&least.to_be_bytes());
    last[..8].copy_from_slice(&most.to_be_bytes());
    let mut statement = conn.prepare_cached(&format!("{question} BETWEEN ?1 AND ?2 LIMIT 2"))?;
    let found = statement.query_map([first, last], |row| row.get(0))?;
    let found = found.collect::<Result<Vec<i64>, _>>()?;
    Ok(<[i64; 1]>::try_from(found).ok().map(|[only]| only))
}

/// What of an event says which files it is about.
const HEAD: &str = "id, scope, intellectual_object_id, deposit_id, generic_file_id, date_time";

struct Head {
    id: i64,
    scope: Scope,
    object: ObjectId,
    deposit: Option<DepositId>,
    file: Option<FileId>,
    at: Timestamp,
}

impl Head {
    fn read(row: &Row<'_>) -> rusqlite::Result<Head> {
        let mut of = Fields::of(row);
        Ok(Head {
            id: of.take()?,
            scope: of.take()?,
            object: of.take()?,
            deposit: of.take()?,
            file: of.take()?,
            at: of.millis()?,
        })
    }

    /// Whether it is a single row, about its object or its file.
    fn is_single(&self) -> bool {
        matches!(self.scope, Scope::Object | Scope::File)
    }
}

/// Rows of a table that are the files of an event.
struct Files {
    sql: String,
    values: Vec<Value>,
}

struct Walk<'c> {
    conn: &'c Connection,
    wanted: Rows,
    /// Files of the deposits that were met, by what their events are about.
    counts: HashMap<(i64, Scope), u64>,
    held: HashMap<i64, Held>,
}

/// When what an object holds changed by a deletion, and how many files it held between.
#[derive(Default)]
struct Held {
    deletions: Vec<i64>,
    counts: HashMap<(i64, usize), u64>,
}

impl Walk<'_> {
    fn page(&mut self, query: &Query) -> Result<EachEventPage, Error> {
        let per_page = u64::from(query.per_page());
        let first = u64::from(query.page() - 1) * per_page;
        let end = first + per_page;
        let most = match query.counted() {
            Counting::No => Some(end + 1),
            Counting::UpTo(most) => Some(most),
            Counting::Exact => None,
        };
        let (mut rows, mut seen, mut cut) = (Vec::new(), 0_u64, false);
        let heads = query.all_rows(HEAD);
        let mut statement = self.conn.prepare_cached(&heads.text)?;
        let mut found = statement.query(params_from_iter(heads.values))?;
        while let Some(row) = found.next()? {
            if seen > end && most.is_some_and(|most| seen >= most) {
                cut = true;
                break;
            }
            let head = Head::read(row)?;
            let count = self.count(&head)?;
            if count > 0 && seen < end && seen + count > first {
                let skipped = first.saturating_sub(seen);
                let room = end - seen.max(first);
                rows.extend(self.rows(&head, (skipped, room), query.is_descending())?);
            }
            seen += count;
        }
        let value = most.filter(|_| cut).map_or(seen, |most| seen.min(most));
        let has_more = seen > first + rows.len() as u64 && !rows.is_empty();
        Ok(EachEventPage { rows, count: Count { value, exact: !cut }, has_more })
    }

    /// How many rows an event is.
    fn count(&mut self, head: &Head) -> Result<u64, Error> {
        let Rows { objects, files, file } = self.wanted;
        match (head.scope, file) {
            (Scope::Object, _) => return Ok(u64::from(objects)),
            (_, _) if !files => return Ok(0),
            (Scope::File, None) => return Ok(1),
            (Scope::File, Some(file)) => return Ok(u64::from(head.file == Some(file))),
            (Scope::Held, None) => return self.count_held(head),
            (Scope::Files | Scope::Payload | Scope::New, None) => {}
            (Scope::Held | Scope::Files | Scope::Payload | Scope::New, Some(_)) => {
                return self.counted(head);
            }
        }
        let key = (head.deposit.map_or(0, |it| it.0), head.scope);
        if let Some(known) = self.counts.get(&key) {
            return Ok(*known);
        }
        let count = self.counted(head)?;
        self.counts.insert(key, count);
        Ok(count)
    }

    /// The files of an object at a moment: as many as at any other between the same changes.
    fn count_held(&mut self, head: &Head) -> Result<u64, Error> {
        let object = head.object.0;
        if !self.held.contains_key(&object) {
            let sql = "SELECT DISTINCT v.deleted_at FROM files AS f
                CROSS JOIN file_versions AS v ON v.file_id = f.id
                WHERE f.object_id = ?1 AND v.deleted_at IS NOT NULL ORDER BY 1";
            let mut statement = self.conn.prepare_cached(sql)?;
            let deletions = statement.query_map([object], |row| row.get(0))?;
            let deletions = deletions.collect::<Result<Vec<i64>, _>>()?;
            self.held.insert(object, Held { deletions, counts: HashMap::new() });
        }
        let at = i64::try_from(head.at.0).unwrap_or(i64::MAX);
        let version = self.version(head)?;
        let held = self.held.entry(object).or_default();
        let key = (version, held.deletions.partition_point(|deleted| *deleted < at));
        if let Some(known) = held.counts.get(&key) {
            return Ok(*known);
        }
        let count = self.counted(head)?;
        self.held.entry(object).or_default().counts.insert(key, count);
        Ok(count)
    }

    fn counted(&self, head: &Head) -> Result<u64, Error> {
        let Files { sql, values } = self.files(head)?;
        let sql = format!("SELECT count(*) {sql}");
        let mut statement = self.conn.prepare_cached(&sql)?;
        Ok(statement.query_row(params_from_iter(values), |row| Fields::of(row).count())?)
    }

    /// The version that an object had at the moment of the event.
    fn version(&self, head: &Head) -> Result<i64, Error> {
        let sql = "SELECT coalesce(max(version), 0) FROM deposits
            WHERE object_id = ?1 AND sealed_at IS NOT NULL AND recorded_at <= ?2";
        let mut statement = self.conn.prepare_cached(sql)?;
        Ok(statement.query_row((head.object, head.at.to_string()), |row| row.get(0))?)
    }

    /// The files that an event about many is about, each in the version that it is about.
    fn files(&self, head: &Head) -> Result<Files, Error> {
        let (mut sql, mut values) = match head.scope {
            Scope::Held => {
                let sql = "FROM files AS f CROSS JOIN file_versions AS v ON v.file_id = f.id
                    WHERE f.object_id = ?1 AND v.version <= ?2
                    AND (v.superseded_by IS NULL OR v.superseded_by > ?2)
                    AND (v.deleted_at IS NULL OR v.deleted_at >= ?3)";
                let at = i64::try_from(head.at.0).unwrap_or(i64::MAX);
                let values = [head.object.0, self.version(head)?, at];
                (sql.to_owned(), values.map(Value::Integer).to_vec())
            }
            Scope::Object | Scope::File | Scope::Files | Scope::Payload | Scope::New => {
                let narrowed = match head.scope {
                    Scope::Payload => format!(" AND {PAYLOAD}"),
                    Scope::New => " AND v.version = f.first_version".to_owned(),
                    Scope::Object | Scope::Held | Scope::Files | Scope::File => String::new(),
                };
                let sql = format!(
                    "FROM file_versions AS v CROSS JOIN files AS f ON f.id = v.file_id
                     WHERE v.deposit_id = ?1{narrowed}"
                );
                (sql, vec![Value::Integer(head.deposit.map_or(0, |it| it.0))])
            }
        };
        if let Some(file) = self.wanted.file {
            values.push(Value::Integer(file.0));
            sql.push_str(&format!(" AND v.file_id = ?{}", values.len()));
        }
        Ok(Files { sql, values })
    }

    /// So many rows of an event behind so many others.
    fn rows(
        &mut self,
        head: &Head,
        (skipped, room): (u64, u64),
        descending: bool,
    ) -> Result<Vec<EachEvent>, Error> {
        if self.count(head)? == 0 {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT {} FROM held_events WHERE id = ?1", EVENTS.column_list());
        let event = self.conn.prepare_cached(&sql)?.query_row([head.id], EventRow::read)?;
        if head.is_single() {
            let id = number(head.id, head.file.map_or(0, |file| file.0));
            return Ok(vec![EachEvent { id, identifier: event.identifier, event }]);
        }
        let mut rows = Vec::new();
        for (file, version) in self.page_of_files(head, (skipped, room), descending)? {
            let sql = file::select("file_facts", "id = ?1 AND version = ?2");
            let mut statement = self.conn.prepare_cached(&sql)?;
            let file = statement.query_row((file, version), FileRow::read)?;
            rows.push(EachEvent {
                id: number(head.id, file.id.0),
                identifier: joined(event.identifier, file.uuid),
                event: event.about(&file),
            });
        }
        Ok(rows)
    }

    fn page_of_files(
        &self,
        head: &Head,
        (skipped, room): (u64, u64),
        descending: bool,
    ) -> Result<Vec<(i64, i64)>, Error> {
        let Files { sql, mut values } = self.files(head)?;
        let bound = |number: u64| Value::Integer(i64::try_from(number).unwrap_or(i64::MAX));
        values.extend([bound(room), bound(skipped)]);
        let (limit, offset) = (values.len() - 1, values.len());
        let direction = if descending { "DESC" } else { "ASC" };
        let sql = format!(
            "SELECT v.file_id, v.version {sql} ORDER BY v.file_id {direction}
             LIMIT ?{limit} OFFSET ?{offset}"
        );
        let mut statement = self.conn.prepare_cached(&sql)?;
        let found =
            statement.query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identifier_of_a_row_leads_back_to_both_uuids() {
        let event = Uuid(*b"\x01\x23\x45\x67\x89\xab\x8c\xde\x9f\x00\x11\x22\x33\x44\x55\x66");
        for file in [Uuid([0x00; 16]), Uuid([0xff; 16]), Uuid(*b"sixteen bytes it")] {
            let made = joined(event, file);
            assert_eq!(made.0[8] >> 6, 0b10, "the variant of a UUID");
            let [of_event, of_file] = parts(made);
            assert_eq!(of_event, [0x0123_4567_89ab_8cde; 2]);
            assert!((of_file[0]..=of_file[1]).contains(&number_of(&file.0[..8])), "{made}");
        }
    }
}
