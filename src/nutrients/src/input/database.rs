//! SQLite files of others: GeoPackages and the tables of lookups. The only file that knows the engine.
//!
//! Files are opened as immutable, and bytes are read where they are: nothing is written to any disk. Only plain tables and plain columns
//! are read, each table by itself: a view, a computed column or a join may hide a query that never
//! ends. Pages of a file may also point to one another so that few bytes mean rows without end, so
//! every query has a number of steps, and of bytes that it may give, that follow from the file's
//! size. A query ends when nobody waits for the answer any more.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use byteio::cancel::Cancel;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, MAIN_DB, OpenFlags, OptionalExtension};

/// Steps of the engine that every query may take, whatever the size of the file, and those for each
/// of its bytes. To read a row takes a step or two for each of its bytes at most.
const STEPS: u64 = 1_000_000;
const STEPS_PER_BYTE: u64 = 8;
/// How often a query is asked whether it may go on.
const STEPS_BETWEEN: i32 = 1000;
/// Bytes of values that every query may give, besides those that the file has.
const SPARE_BYTES: u64 = 64 << 10;
/// Most tables that a GeoPackage may list, and most coordinate systems.
const TABLES_MAX: usize = 1000;
const SYSTEMS_MAX: usize = 100_000;
/// Most tables of features that are told.
const FEATURE_TABLES_MAX: usize = 100;
/// Longest statement of a schema, and deepest expression in it: nobody's own are near.
const STATEMENT_BYTES: i32 = 1_000_000;
const EXPRESSION_DEPTH: i32 = 100;

/// Where the header says which versions of the format a program must know to write and to read it,
/// and those of a file that is written without a log beside it.
const VERSIONS_AT: usize = 18;
const VERSIONS: &[u8] = &[1, 1];

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'r> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'r str),
    Blob(&'r [u8]),
}

impl Cell<'_> {
    fn size_bytes(&self) -> u64 {
        match self {
            Cell::Null | Cell::Integer(_) | Cell::Real(_) => 0,
            Cell::Text(text) => text.len() as u64,
            Cell::Blob(bytes) => bytes.len() as u64,
        }
    }
}

/// One row, in the order of the wanted columns.
pub(crate) struct Row<'r>(Vec<Cell<'r>>);

/// What stands where a number is expected.
pub(crate) enum Figure {
    Absent,
    /// Text that spells one counts; it need not be finite.
    Number(f64),
    /// The beginning of something that is no number.
    Words(String),
}

/// Characters that are told of something that is no number.
const FIGURE_CHARS: usize = 40;

impl Row<'_> {
    /// A value as text, trimmed; numbers as they are written. `None` where it is null or empty.
    pub(crate) fn text(&self, at: usize) -> Option<String> {
        let text = match self.0.get(at)? {
            Cell::Null | Cell::Blob(_) => return None,
            Cell::Integer(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::Text(text) => text.trim().to_owned(),
        };
        (!text.is_empty()).then_some(text)
    }

    /// A text with the blanks around it; `None` where it has none, and [`Row::text`] is all of it.
    pub(crate) fn padded_text(&self, at: usize) -> Option<String> {
        match self.0.get(at)? {
            Cell::Text(text) if text.trim() != *text && !text.trim().is_empty() => {
                Some((*text).to_owned())
            }
            Cell::Text(_) | Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Blob(_) => None,
        }
    }

    /// A value as a finite number; text that spells one counts, anything else is none.
    pub(crate) fn number(&self, at: usize) -> Option<f64> {
        match self.figure(at) {
            Figure::Number(number) => number.is_finite().then_some(number),
            Figure::Absent | Figure::Words(_) => None,
        }
    }

    /// What stands where a number is expected.
    pub(crate) fn figure(&self, at: usize) -> Figure {
        match self.0.get(at) {
            None | Some(Cell::Null) => Figure::Absent,
            #[expect(clippy::cast_precision_loss, reason = "ids and limits are small")]
            Some(Cell::Integer(number)) => Figure::Number(*number as f64),
            Some(Cell::Real(number)) => Figure::Number(*number),
            Some(Cell::Blob(_)) => Figure::Words("bytes".to_owned()),
            Some(Cell::Text(text)) => match text.trim() {
                "" => Figure::Absent,
                text => match text.parse() {
                    Ok(number) => Figure::Number(number),
                    Err(_) => Figure::Words(text.chars().take(FIGURE_CHARS).collect()),
                },
            },
        }
    }

    /// A text as it is written, with the blanks around it.
    fn exact_text(&self, at: usize) -> Option<&str> {
        match self.0.get(at)? {
            Cell::Text(text) => Some(text),
            Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Blob(_) => None,
        }
    }

    fn integer(&self, at: usize) -> Option<i64> {
        match self.0.get(at)? {
            Cell::Integer(number) => Some(*number),
            Cell::Null | Cell::Real(_) | Cell::Text(_) | Cell::Blob(_) => None,
        }
    }

    pub(crate) fn blob(&self, at: usize) -> Option<&[u8]> {
        match self.0.get(at)? {
            Cell::Blob(bytes) => Some(bytes),
            Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Text(_) => None,
        }
    }

    pub(crate) fn is_null(&self, at: usize) -> bool {
        matches!(self.0.get(at), None | Some(Cell::Null))
    }
}

/// A table of features in a GeoPackage.
pub(crate) struct Columns {
    pub(crate) table: String,
    pub(crate) geometry: String,
    /// The EPSG code; 0 if it is undefined.
    pub(crate) epsg: i64,
}

/// An open file.
pub(crate) struct Database {
    connection: Connection,
    bytes: u64,
    /// Steps that the query under way may still take.
    steps: Arc<AtomicU64>,
}

impl Database {
    pub(crate) fn open(path: &Path, cancel: &Cancel) -> Result<Database, String> {
        let bytes = std::fs::metadata(path).map_err(|error| error.to_string())?.len();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let escaped: String = path
            .to_string_lossy()
            .chars()
            .map(|it| match it {
                '%' => "%25".to_owned(),
                '?' => "%3f".to_owned(),
                '#' => "%23".to_owned(),
                it => it.to_string(),
            })
            .collect();
        let uri = format!("file:{escaped}?immutable=1");
        let connection = Connection::open_with_flags(uri, flags).map_err(said)?;
        Database::guarded(connection, bytes, cancel)
    }

    /// Opens a file that is in memory already.
    pub(crate) fn of_bytes(bytes: &[u8], cancel: &Cancel) -> Result<Database, String> {
        let mut connection = Connection::open_in_memory().map_err(said)?;
        // A file that is written by way of a log beside it says so in these two bytes of its header;
        // there is no log beside bytes, and the engine would look for one.
        let Some((header, rest)) = bytes.split_at_checked(VERSIONS_AT + VERSIONS.len()) else {
            return Err("it is too short".into());
        };
        let plain = header[..VERSIONS_AT].chain(VERSIONS).chain(rest);
        connection.deserialize_read_exact(MAIN_DB, plain, bytes.len(), true).map_err(said)?;
        Database::guarded(connection, bytes.len() as u64, cancel)
    }

    /// Bounds what a connection may do.
    fn guarded(
        mut connection: Connection,
        bytes: u64,
        cancel: &Cancel,
    ) -> Result<Database, String> {
        let steps = Arc::new(AtomicU64::new(0));
        let (left, cancel) = (Arc::clone(&steps), cancel.clone());
        let ends = move || {
            let more = |left: u64| left.checked_sub(u64::from(STEPS_BETWEEN.unsigned_abs()));
            let is_spent = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_err();
            is_spent || cancel.is_cancelled()
        };
        connection.progress_handler(STEPS_BETWEEN, Some(ends)).map_err(said)?;
        // No value is larger than the file it is in.
        let longest = i32::try_from(bytes).unwrap_or(i32::MAX).max(STATEMENT_BYTES);
        for (limit, most) in [
            (Limit::SQLITE_LIMIT_LENGTH, longest),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, STATEMENT_BYTES),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, EXPRESSION_DEPTH),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            connection.set_limit(limit, most).map_err(said)?;
        }
        let database = Database { connection, bytes, steps };
        database.begin();
        let rules = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; \
                     PRAGMA query_only = ON;";
        database.connection.execute_batch(rules).map_err(said)?;
        Ok(database)
    }

    /// Gives the next query its steps.
    fn begin(&self) {
        let steps = self.bytes.saturating_mul(STEPS_PER_BYTE).saturating_add(STEPS);
        self.steps.store(steps, Ordering::Relaxed);
    }

    /// The tables of features that the GeoPackage names.
    pub(crate) fn feature_tables(&self) -> Result<Vec<Columns>, String> {
        let [contents, geometries, systems] =
            ["gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys"];
        for table in [contents, geometries, systems] {
            if !self.has_table(table)? {
                return Err(format!("it is no GeoPackage: it has no table {table}"));
            }
        }
        let mut named = Vec::new();
        self.list(contents, &["table_name", "data_type"], TABLES_MAX, |row| {
            if row.exact_text(1) == Some("features") {
                named.extend(row.exact_text(0).map(str::to_owned));
            }
        })?;
        named.sort_unstable();
        named.dedup();
        let mut found = Vec::new();
        self.list(geometries, &["table_name", "column_name", "srs_id"], TABLES_MAX, |row| {
            let (table, geometry) = (row.exact_text(0), row.exact_text(1));
            if let (Some(table), Some(geometry)) = (table, geometry)
                && named.iter().any(|it| it == table)
            {
                found.push((table.to_owned(), geometry.to_owned(), row.integer(2)));
            }
        })?;
        let mut codes: BTreeMap<i64, i64> = BTreeMap::new();
        let columns = ["srs_id", "organization", "organization_coordsys_id"];
        self.list(systems, &columns, SYSTEMS_MAX, |row| {
            let is_epsg = row.exact_text(1).is_some_and(|it| it.eq_ignore_ascii_case("EPSG"));
            if let (Some(number), Some(code), true) = (row.integer(0), row.integer(2), is_epsg) {
                codes.entry(number).or_insert(code);
            }
        })?;
        found.sort();
        found.truncate(FEATURE_TABLES_MAX);
        let epsg = |number: Option<i64>| number.and_then(|it| codes.get(&it).copied());
        let columns = found.into_iter().map(|(table, geometry, number)| Columns {
            table,
            geometry,
            epsg: epsg(number).unwrap_or(0),
        });
        Ok(columns.collect())
    }

    /// Whether there is a plain table of that name.
    pub(crate) fn has_table(&self, name: &str) -> Result<bool, String> {
        self.begin();
        let sql = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?1";
        let found: Option<i64> =
            self.connection.query_row(sql, [name], |row| row.get(0)).optional().map_err(said)?;
        Ok(found.is_some_and(|page| page > 0))
    }

    /// The names of a table's columns, without those that are computed.
    pub(crate) fn column_names(&self, table: &str) -> Result<Vec<String>, String> {
        self.begin();
        let sql = "SELECT name FROM pragma_table_info(?1)";
        let mut statement = self.connection.prepare(sql).map_err(said)?;
        let names = statement.query_map([table], |row| row.get(0)).map_err(said)?;
        names.collect::<Result<_, _>>().map_err(said)
    }

    /// Calls `visit` with every row, in the order of the file, until it says no.
    pub(crate) fn rows(
        &self,
        table: &str,
        columns: &[&str],
        visit: impl FnMut(Row<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        self.scan(table, columns, " ORDER BY rowid", visit)
    }

    /// Calls `visit` with every row of a table that has no more than so many.
    fn list(
        &self,
        table: &str,
        columns: &[&str],
        most: usize,
        mut visit: impl FnMut(&Row<'_>),
    ) -> Result<(), String> {
        let mut count = 0;
        self.scan(table, columns, "", |row| {
            count += 1;
            if count > most {
                return Err(format!("{table} has more than {most} rows"));
            }
            visit(&row);
            Ok(())
        })
    }

    fn scan(
        &self,
        table: &str,
        columns: &[&str],
        order: &str,
        mut visit: impl FnMut(Row<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        if !self.has_table(table)? {
            return Err(format!("it has no plain table {table}"));
        }
        // What a computed column computes may never end.
        let plain = self.column_names(table)?;
        let is_plain = |name: &str| plain.iter().any(|it| it.eq_ignore_ascii_case(name));
        if let Some(other) = columns.iter().find(|name| !is_plain(name)) {
            return Err(format!("{table} has no plain column {other:?}"));
        }
        self.begin();
        let list: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let sql = format!("SELECT {} FROM {}{order}", list.join(", "), quoted(table));
        let mut statement = self.connection.prepare(&sql).map_err(said)?;
        let mut rows = statement.query([]).map_err(said)?;
        let mut left = self.bytes.saturating_add(SPARE_BYTES);
        while let Some(row) = rows.next().map_err(said)? {
            let cells: Result<Vec<Cell<'_>>, _> =
                (0..columns.len()).map(|at| row.get_ref(at).map(cell)).collect();
            let cells = cells.map_err(said)?;
            let size = cells.iter().map(Cell::size_bytes).sum();
            left = left.checked_sub(size).ok_or("its rows have more bytes than the file")?;
            visit(Row(cells))?;
        }
        Ok(())
    }
}

fn said(error: rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(rusqlite::ErrorCode::OperationInterrupted) => {
            "reading it takes more steps than its size explains, or the request has ended"
                .to_owned()
        }
        Some(_) | None => error.to_string(),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn cell(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).map_or(Cell::Null, Cell::Text),
        ValueRef::Blob(bytes) => Cell::Blob(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It takes many more steps than any query on a small file may, and ends all the same.
    const LONG: &str = "WITH RECURSIVE n(i) AS \
        (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000000) SELECT max(i) FROM n";

    #[test]
    fn a_query_ends_when_its_steps_are_spent_and_when_nobody_waits_for_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.gpkg");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE a (b)").unwrap();
        let bytes = std::fs::read(&path).unwrap();
        for is_in_memory in [true, false] {
            let cancel = Cancel::default();
            let database = match is_in_memory {
                true => Database::of_bytes(&bytes, &cancel),
                false => Database::open(&path, &cancel),
            }
            .unwrap();
            let ends = || {
                let ended = database.connection.query_row(LONG, [], |row| row.get::<_, i64>(0));
                let code = ended.unwrap_err().sqlite_error_code();
                assert_eq!(code, Some(rusqlite::ErrorCode::OperationInterrupted));
            };
            database.begin();
            ends();
            // It has steps enough, and is wanted no more.
            database.steps.store(u64::MAX, Ordering::Relaxed);
            cancel.cancel();
            ends();
            assert!(database.steps.load(Ordering::Relaxed) > u64::MAX / 2);
        }
    }
}
