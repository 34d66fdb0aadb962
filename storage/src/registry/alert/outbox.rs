//! What is still to be sent.
//!
//! A row is due until it was sent or given up. Whoever sends it notes that afterwards: between the
//! two the program may die, and then it is sent once more. Its number tells the receiver.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Row, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::{Error, Registry};

/// Longest account of what went wrong, in characters.
const TROUBLE: usize = 500;

/// A way out of the house.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Channel {
    /// A message to one person.
    Email,
    /// A call of another program.
    Webhook,
}

/// Something to send, and to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parcel {
    /// The way.
    pub channel: Channel,
    /// The address; of a webhook, a word for it: where it is, is configured.
    pub recipient: String,
}

/// One row of the outbox.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutboxRow {
    /// Never used for anything else: receivers know a repetition by it.
    pub id: i64,
    /// The alert that is told.
    pub alert_id: i64,
    /// The way.
    pub channel: Channel,
    /// The address.
    pub recipient: String,
    /// When it was put there.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// Attempts that failed.
    pub attempts: u32,
    /// Not before this moment.
    #[serde(with = "Moment")]
    pub due_at: Timestamp,
    /// When it was sent.
    #[serde(with = "MaybeMoment")]
    pub sent_at: Option<Timestamp>,
    /// When it was given up.
    #[serde(with = "MaybeMoment")]
    pub given_up_at: Option<Timestamp>,
    /// What went wrong last.
    pub trouble: Option<String>,
}

const COLUMNS: &str = "id, alert_id, channel, recipient, created_at, attempts, due_at, sent_at,
    given_up_at, trouble";

/// Puts parcels in the outbox, each once.
pub(super) fn post(
    tx: &Transaction<'_>,
    alert: i64,
    parcels: &[Parcel],
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "INSERT INTO outbox (alert_id, channel, recipient, created_at, due_at)
        VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT DO NOTHING";
    for parcel in parcels {
        tx.prepare_cached(sql)?.execute(params![alert, parcel.channel, parcel.recipient, now])?;
    }
    Ok(())
}

impl Registry {
    /// What is due on a channel, the longest due first.
    pub fn due_outbox(
        &self,
        channel: Channel,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<OutboxRow>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM outbox WHERE sent_at IS NULL AND given_up_at IS NULL
             AND due_at <= ?2 AND channel = ?1 ORDER BY due_at, id LIMIT ?3"
        );
        self.rows(&sql, params![channel, now, limit], OutboxRow::read)
    }

    /// Whether anything is due on a channel.
    pub fn is_outbox_due(&self, channel: Channel, now: Timestamp) -> Result<bool, Error> {
        let sql = "SELECT 1 FROM outbox WHERE sent_at IS NULL AND given_up_at IS NULL
            AND due_at <= ?2 AND channel = ?1 LIMIT 1";
        Ok(self.one(sql, params![channel, now], |_| Ok(()))?.is_some())
    }

    /// What was to be sent about an alert, and what became of it.
    pub fn outbox_of(&self, alert: i64, limit: u32) -> Result<Vec<OutboxRow>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM outbox WHERE alert_id = ?1 ORDER BY id LIMIT ?2");
        self.rows(&sql, params![alert, limit], OutboxRow::read)
    }

    /// Notes that it was sent.
    pub fn outbox_sent(&self, id: i64, now: Timestamp) -> Result<(), Error> {
        self.write(|tx| {
            let sql = "UPDATE outbox SET sent_at = ?2, trouble = NULL
                WHERE id = ?1 AND sent_at IS NULL";
            tx.execute(sql, params![id, now])?;
            Ok(())
        })
    }

    /// Notes that it could not be sent, and when to try again; without a moment, it is given up.
    pub fn outbox_failed(
        &self,
        id: i64,
        trouble: &str,
        again: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let trouble: String = trouble.chars().take(TROUBLE).collect();
        self.write(|tx| {
            let sql = "UPDATE outbox SET attempts = attempts + 1, trouble = ?2,
                    due_at = coalesce(?3, due_at), given_up_at = iif(?3 IS NULL, ?4, NULL)
                WHERE id = ?1 AND sent_at IS NULL";
            tx.execute(sql, params![id, trouble, again, now])?;
            Ok(())
        })
    }
}

impl OutboxRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<OutboxRow> {
        let mut of = Fields::of(row);
        Ok(OutboxRow {
            id: of.take()?,
            alert_id: of.take()?,
            channel: of.take()?,
            recipient: of.take()?,
            created_at: of.take()?,
            attempts: of.take()?,
            due_at: of.take()?,
            sent_at: of.take()?,
            given_up_at: of.take()?,
            trouble: of.take()?,
        })
    }
}

impl ToSql for Channel {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Channel::Email => "email".into(),
            Channel::Webhook => "webhook".into(),
        })
    }
}

impl FromSql for Channel {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Channel> {
        match value.as_str()? {
            "email" => Ok(Channel::Email),
            "webhook" => Ok(Channel::Webhook),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}
