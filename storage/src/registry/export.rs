//! Every row out as JSON, and back into an empty registry.
//!
//! Rows stream one at a time in key order, so memory stays flat and two exports of the same rows
//! are the same bytes. An import is one transaction: all of it or nothing.

use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, Row, Statement, params_from_iter};
use serde_json::{Map, Value};

use self::tables::{Exported, TABLES};
use crate::registry::holding::{DERIVE_COPIES, DERIVE_FORMATS, DERIVE_REACH};
use crate::registry::search::DERIVE_WORDS;
use crate::registry::{Error, Registry};

mod tables;

/// Every table that holds rows of ours, parents before children.
pub const EXPORTED_TABLES: &[&str] = &{
    let mut names = [""; TABLES.len()];
    let mut at = 0;
    while at < TABLES.len() {
        names[at] = TABLES[at].name;
        at += 1;
    }
    names
};

impl Registry {
    /// Gives every row of one of [`EXPORTED_TABLES`] to `each`, in key order.
    ///
    /// # Errors
    ///
    /// `NotFound` for another name; whatever `each` fails with, which ends the export.
    pub fn export_rows<E: From<Error>>(
        &self,
        table: &str,
        each: &mut dyn FnMut(Value) -> Result<(), E>,
    ) -> Result<(), E> {
        let table = known(table)?;
        self.read(|conn| stream(conn, table, each))
    }

    /// Gives every row of every table to `each`, with its table's name, from one state of the
    /// registry.
    pub fn export_all<E: From<Error>>(
        &self,
        each: &mut dyn FnMut(&'static str, Value) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(|conn| {
            for table in TABLES {
                stream(conn, table, &mut |row| each(table.name, row))?;
            }
            Ok(())
        })
    }

    /// Takes rows with their tables' names from `next` until it has none, and says how many.
    /// Order does not matter.
    ///
    /// # Errors
    ///
    /// `Refused` when the registry holds rows or a row does not fit its table, `Conflict` when rows
    /// contradict each other; nothing is kept then.
    pub fn import_rows<E: From<Error>>(
        &self,
        next: &mut dyn FnMut() -> Result<Option<(String, Value)>, E>,
    ) -> Result<u64, E> {
        self.write(|tx| {
            require_empty(tx)?;
            tx.execute_batch(BEGIN).map_err(Error::from)?;
            let mut count = 0;
            while let Some((table, row)) = next()? {
                let table = known(&table)?;
                match table.insert {
                    Some(_) => keep_for_later(tx, table, &row)?,
                    None => insert(tx, table, row)?,
                }
                count += 1;
            }
            for table in TABLES.iter().filter(|table| table.insert.is_some()) {
                insert_kept(tx, table)?;
            }
            tx.execute_batch(END).map_err(Error::from)?;
            tx.execute_batch(DERIVE_FORMATS).map_err(Error::from)?;
            tx.execute_batch(DERIVE_WORDS).map_err(Error::from)?;
            tx.execute_batch(DERIVE_COPIES).map_err(Error::from)?;
            tx.execute_batch(DERIVE_REACH).map_err(Error::from)?;
            Ok(count)
        })
    }
}

/// Rows that name others by identifier wait until those are there; their number does not matter,
/// as SQLite keeps them in a file of its own.
const BEGIN: &str = "PRAGMA defer_foreign_keys = ON;
    DROP TABLE IF EXISTS temp.kept_rows;
    CREATE TEMP TABLE kept_rows (name TEXT NOT NULL, row TEXT NOT NULL);
    CREATE INDEX temp.kept_rows_by_name ON kept_rows (name)";

/// What is derived is derived again.
const END: &str = "DROP TABLE temp.kept_rows;
    INSERT INTO digest_starts (start, file_id, version)
        SELECT substr(md5, 1, 8) AS start, file_id, version FROM file_versions
        UNION SELECT substr(sha1, 1, 8), file_id, version FROM file_versions
        UNION SELECT substr(sha256, 1, 8), file_id, version FROM file_versions
        UNION SELECT substr(sha512, 1, 8), file_id, version FROM file_versions
        ORDER BY start";

fn keep_for_later(conn: &Connection, table: &Exported, row: &Value) -> Result<(), Error> {
    let mut keep = conn.prepare_cached("INSERT INTO temp.kept_rows (name, row) VALUES (?1, ?2)")?;
    keep.execute((table.name, row.to_string()))?;
    Ok(())
}

fn insert_kept(conn: &Connection, table: &Exported) -> Result<(), Error> {
    let mut kept = conn.prepare("SELECT row FROM temp.kept_rows WHERE name = ?1 ORDER BY rowid")?;
    let mut rows = kept.query([table.name])?;
    while let Some(row) = rows.next()? {
        let text: String = row.get(0)?;
        let row = serde_json::from_str(&text)
            .map_err(|error| Error::Refused { why: format!("a kept row is no JSON: {error}") })?;
        insert(conn, table, row)?;
    }
    Ok(())
}

fn known(table: &str) -> Result<&'static Exported, Error> {
    TABLES.iter().find(|known| known.name == table).ok_or_else(|| Error::NotFound {
        what: format!("the table {:?}", table.chars().take(80).collect::<String>()),
    })
}

fn stream<E: From<Error>>(
    conn: &Connection,
    table: &Exported,
    each: &mut dyn FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    stream_some(conn, table, ("", &[]), each)
}

fn stream_some<E: From<Error>>(
    conn: &Connection,
    table: &Exported,
    (choice, key): (&str, &[i64]),
    each: &mut dyn FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    let sql = table.sql(choice);
    let mut statement = conn.prepare_cached(&sql).map_err(Error::from)?;
    let names = column_names(&statement);
    let key = key.iter().take(statement.parameter_count());
    let mut rows = statement.query(params_from_iter(key)).map_err(Error::from)?;
    while let Some(row) = rows.next().map_err(Error::from)? {
        each(to_json(row, &names)?)?;
    }
    Ok(())
}

/// The statement by which the rows of a table that a choice picks are read.
#[cfg(test)]
pub(super) fn row_sql(table: &str, choice: &str) -> Result<String, Error> {
    Ok(known(table)?.sql(choice))
}

/// Gives the rows of a table that a choice picks by a key to `each`, as an export tells them.
pub(super) fn row_lines(
    conn: &Connection,
    table: &str,
    choice: &str,
    key: &[i64],
    each: &mut dyn FnMut(Value) -> Result<(), Error>,
) -> Result<(), Error> {
    stream_some(conn, known(table)?, (choice, key), each)
}

/// A row about something that is not there.
pub(super) struct Missing(pub(super) Value);

/// Takes one row in, in place of what is there under its key. A column that the row does not name was
/// added after the row was written: it gets its default.
pub(super) fn take_row(
    conn: &Connection,
    table: &str,
    row: Value,
) -> Result<Option<Missing>, Error> {
    let table = known(table)?;
    if table.name == "events" {
        // Its words are a row of their own, which it names by what they say.
        put_wording(conn, &row)?;
    }
    let sql = match table.insert {
        Some(sql) => sql.to_owned(),
        None => plain_insert(conn, table, &|name| row.get(name).is_some())?,
    };
    let sql = sql.replacen("INSERT INTO", "INSERT OR REPLACE INTO", 1);
    match insert_by(conn, (table.name, &sql), row.clone(), true) {
        Ok(()) => Ok(None),
        Err(Error::Conflict(_)) => Ok(Some(Missing(row))),
        Err(error) => Err(error),
    }
}

fn put_wording(conn: &Connection, event: &Value) -> Result<(), Error> {
    let of = |name: &str| event[name].as_str().unwrap_or_default();
    conn.prepare_cached(
        "INSERT OR IGNORE INTO wordings (event_type, detail, outcome_information, object, agent)
         VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute([
        of("event_type"),
        of("detail"),
        of("outcome_information"),
        of("object"),
        of("agent"),
    ])?;
    Ok(())
}

fn column_names(statement: &Statement<'_>) -> Vec<String> {
    statement.column_names().map(str::to_owned).collect()
}

fn to_json(row: &Row<'_>, names: &[String]) -> Result<Value, Error> {
    let mut object = Map::new();
    for (index, name) in names.iter().enumerate() {
        let value = match row.get_ref(index)? {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(number) => number.into(),
            text @ ValueRef::Text(_) => text.as_str().map_err(rusqlite::Error::from)?.into(),
            ValueRef::Real(_) | ValueRef::Blob(_) => {
                let what = format!("{name} holds neither a whole number nor text");
                return Err(Error::Corrupt { what, source: None });
            }
        };
        object.insert(name.clone(), value);
    }
    Ok(Value::Object(object))
}

fn require_empty(conn: &Connection) -> Result<(), Error> {
    for table in EXPORTED_TABLES {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        if conn.query_row(&sql, [], |row| row.get(0))? {
            let why = format!("rows can only be imported into an empty registry; {table} has some");
            return Err(Error::Refused { why });
        }
    }
    Ok(())
}

fn insert(conn: &Connection, table: &Exported, row: Value) -> Result<(), Error> {
    let sql = match table.insert {
        Some(sql) => sql.to_owned(),
        None => plain_insert(conn, table, &|_| true)?,
    };
    insert_by(conn, (table.name, &sql), row, false)
}

/// The table's own names, never the row's, are in the statement. A row of an older program may lack
/// names that came later: they are null then, where that is allowed.
fn insert_by(
    conn: &Connection,
    (name, sql): (&str, &str),
    row: Value,
    may_lack: bool,
) -> Result<(), Error> {
    let refused = |why: String| Err(Error::Refused { why });
    let Value::Object(mut object) = row else {
        return refused(format!("a row of {name} is not an object"));
    };
    let mut statement = conn.prepare_cached(sql)?;
    for index in 1..=statement.parameter_count() {
        let parameter = statement.parameter_name(index).unwrap_or_default();
        let column = parameter.trim_start_matches(':').to_owned();
        let value = match object.remove(&column) {
            None if !may_lack => return refused(format!("a row of {name} has no {column}")),
            None | Some(Value::Null) => Sql::Null,
            Some(Value::String(text)) => Sql::Text(text),
            Some(Value::Number(number)) if number.is_i64() => {
                Sql::Integer(number.as_i64().unwrap_or_default())
            }
            Some(_) => return refused(format!("{column} of {name} is not null, number or text")),
        };
        statement.raw_bind_parameter(index, value)?;
    }
    if let Some(extra) = object.keys().next() {
        return refused(format!("{name} has no column {extra:?}"));
    }
    statement.raw_execute()?;
    Ok(())
}

/// The insert of a table that is exported as it is, with those of its columns that are `named`.
fn plain_insert(
    conn: &Connection,
    table: &Exported,
    named: &dyn Fn(&str) -> bool,
) -> Result<String, Error> {
    let mut names = column_names(&*conn.prepare_cached(table.select)?);
    names.retain(|name| named(name));
    if names.is_empty() {
        let why = format!("a row of {} has none of its columns", table.name);
        return Err(Error::Refused { why });
    }
    let marks: Vec<String> = names.iter().map(|name| format!(":{name}")).collect();
    let (table, names) = (table.name, names.join(", "));
    Ok(format!("INSERT INTO {table} ({names}) VALUES ({})", marks.join(", ")))
}
