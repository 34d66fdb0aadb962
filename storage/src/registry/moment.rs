//! How a moment and a row cross the edge of SQLite and of JSON.
//!
//! Both sides of the edge see fixed-width RFC 3339 text, so that a person, another program and an
//! index all read the same order.

use std::borrow::Cow;

use rusqlite::Row;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, Type, ValueRef};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serializer};

use crate::clock::Timestamp;

impl ToSql for Timestamp {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.to_string()))
    }
}

impl FromSql for Timestamp {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Timestamp> {
        Timestamp::parse(value.as_str()?).ok_or(FromSqlError::InvalidType)
    }
}

/// A moment as milliseconds since 1970, for tables of many rows.
pub(super) struct Millis(pub(super) Timestamp);

impl ToSql for Millis {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(i64::try_from(self.0.0).unwrap_or(i64::MAX)))
    }
}

impl FromSql for Millis {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Millis> {
        let millis = value.as_i64()?;
        u64::try_from(millis)
            .map(|millis| Millis(Timestamp(millis)))
            .map_err(|_| FromSqlError::OutOfRange(millis))
    }
}

/// Writes a moment as RFC 3339 text; for `#[serde(with)]`.
pub fn serialize<S: Serializer>(moment: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(moment)
}

/// Reads a moment from RFC 3339 text; for `#[serde(with)]`.
pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(from)?;
    Timestamp::parse(&text).ok_or_else(|| D::Error::custom("not an RFC 3339 time"))
}

/// The same for a moment that may be absent, which is JSON's null.
pub mod option {
    use serde::de::Error as _;

    use super::{Deserialize, Deserializer, Serializer, Timestamp};

    /// Writes it.
    pub fn serialize<S: Serializer>(moment: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
        match moment {
            Some(moment) => to.collect_str(moment),
            None => to.serialize_none(),
        }
    }

    /// Reads it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
        let moment = Timestamp::parse(&text);
        moment.map(Some).ok_or_else(|| D::Error::custom("not an RFC 3339 time"))
    }
}

/// A moment in a field, for `#[serde(with)]`: what the functions above write and read, and how the
/// description of the API says it.
pub struct Moment;

impl Moment {
    /// Writes it.
    pub fn serialize<S: Serializer>(moment: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        serialize(moment, to)
    }

    /// Reads it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        deserialize(from)
    }
}

impl JsonSchema for Moment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Moment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "format": "date-time"})
    }
}

/// The same for a moment that may be absent.
pub struct MaybeMoment;

impl MaybeMoment {
    /// Writes it.
    pub fn serialize<S: Serializer>(moment: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
        option::serialize(moment, to)
    }

    /// Reads it.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        option::deserialize(from)
    }
}

impl JsonSchema for MaybeMoment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "MaybeMoment".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": ["string", "null"], "format": "date-time"})
    }
}

/// Hands out the columns of a row in the order they were selected, so that a row type lists its
/// fields once, in the order of its listing, and no name is looked up per row.
pub(super) struct Fields<'a> {
    row: &'a Row<'a>,
    next: usize,
}

impl<'a> Fields<'a> {
    pub(super) fn of(row: &'a Row<'a>) -> Fields<'a> {
        Fields { row, next: 0 }
    }

    pub(super) fn take<T: FromSql>(&mut self) -> rusqlite::Result<T> {
        let index = self.next;
        self.next += 1;
        self.row.get(index)
    }
    /// A number of things, which is never below zero.
    pub(super) fn count(&mut self) -> rusqlite::Result<u64> {
        let index = self.next;
        let number: i64 = self.take()?;
        u64::try_from(number).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(index, number))
    }

    /// A moment that is stored as milliseconds.
    pub(super) fn millis(&mut self) -> rusqlite::Result<Timestamp> {
        Ok(self.take::<Millis>()?.0)
    }

    /// The same, when it may be absent.
    pub(super) fn maybe_millis(&mut self) -> rusqlite::Result<Option<Timestamp>> {
        Ok(self.take::<Option<Millis>>()?.map(|millis| millis.0))
    }

    /// A value that is stored as JSON.
    pub(super) fn json<T: DeserializeOwned>(&mut self) -> rusqlite::Result<T> {
        let index = self.next;
        let text: String = self.take()?;
        serde_json::from_str(&text).map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(index, Type::Text, Box::new(error))
        })
    }
}
