//! Every row out as JSON, and back into an empty registry.
//!
//! Rows stream one at a time in key order, so memory stays flat and two exports of the same rows
//! are the same bytes. An import is one transaction: all of it or nothing.

use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{Connection, Row, Statement, params_from_iter};
use serde_json::{Map, Value};

use crate::registry::{Error, Registry};

/// Every table that holds rows of ours, parents before children.
pub const EXPORTED_TABLES: &[&str] =
    &["institutions", "users", "work_items", "work_attempts", "work_findings"];

/// Key of each table, in the same order.
const KEYS: &[&str] = &["id", "id", "id", "item_id, number", "item_id, attempt, ordinal"];

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
        let (table, key) = known(table)?;
        self.read(|conn| stream(conn, table, key, each))
    }

    /// Gives every row of every table to `each`, with its table's name, from one state of the
    /// registry.
    pub fn export_all<E: From<Error>>(
        &self,
        each: &mut dyn FnMut(&'static str, Value) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read(|conn| {
            for (table, key) in EXPORTED_TABLES.iter().zip(KEYS) {
                stream(conn, table, key, &mut |row| each(table, row))?;
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
            tx.execute_batch("PRAGMA defer_foreign_keys = ON").map_err(Error::from)?;
            let mut count = 0;
            while let Some((table, row)) = next()? {
                insert(tx, known(&table)?.0, row)?;
                count += 1;
            }
            Ok(count)
        })
    }
}

fn known(table: &str) -> Result<(&'static str, &'static str), Error> {
    let place = EXPORTED_TABLES.iter().position(|name| *name == table);
    place.map(|at| (EXPORTED_TABLES[at], KEYS[at])).ok_or_else(|| Error::NotFound {
        what: format!("the table {:?}", table.chars().take(80).collect::<String>()),
    })
}

fn stream<E: From<Error>>(
    conn: &Connection,
    table: &str,
    key: &str,
    each: &mut dyn FnMut(Value) -> Result<(), E>,
) -> Result<(), E> {
    let sql = format!("SELECT * FROM {table} ORDER BY {key}");
    let mut statement = conn.prepare(&sql).map_err(Error::from)?;
    let names = column_names(&statement);
    let mut rows = statement.query([]).map_err(Error::from)?;
    while let Some(row) = rows.next().map_err(Error::from)? {
        each(to_json(row, &names)?)?;
    }
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

fn insert(conn: &Connection, table: &str, row: Value) -> Result<(), Error> {
    let refused = |why: String| Err(Error::Refused { why });
    let Value::Object(mut object) = row else {
        return refused(format!("a row of {table} is not an object"));
    };
    // The table's own names, never the row's, go into the statement.
    let names = column_names(&*conn.prepare_cached(&format!("SELECT * FROM {table}"))?);
    let mut values = Vec::with_capacity(names.len());
    for name in &names {
        values.push(match object.remove(name) {
            None => return refused(format!("a row of {table} has no {name}")),
            Some(Value::Null) => Sql::Null,
            Some(Value::String(text)) => Sql::Text(text),
            Some(Value::Number(number)) if number.is_i64() => {
                Sql::Integer(number.as_i64().unwrap_or_default())
            }
            Some(_) => return refused(format!("{name} of {table} is not null, number or text")),
        });
    }
    if let Some(extra) = object.keys().next() {
        return refused(format!("{table} has no column {extra:?}"));
    }
    let marks = vec!["?"; names.len()].join(", ");
    let sql = format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "));
    conn.prepare_cached(&sql)?.execute(params_from_iter(values))?;
    Ok(())
}
