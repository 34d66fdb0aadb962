//! Results on their way. A row is due until it was sent or given up, and every attempt is a row.

use rusqlite::{Row, Transaction, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::holding::by_name;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::{Error, Registry};

/// Longest account of what went wrong, in characters.
const TROUBLE: usize = 500;

/// What is noted with a call that was not made because there is a newer result. It is no trouble, and
/// is never made.
const SUPERSEDED: &str = "a newer result of the same reference took its place";

/// What is noted with a call that was not made because the house has no address for it. It is no
/// trouble either: somebody left the address out.
const UNADDRESSED: &str = "nothing was sent: no address is set that results are sent to";

/// How a result goes out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliveryChannel {
    /// A call of the program that asked.
    Callback,
    /// A letter.
    Email,
}

impl DeliveryChannel {
    /// Both.
    pub const ALL: [DeliveryChannel; 2] = [DeliveryChannel::Callback, DeliveryChannel::Email];

    /// The word in the registry.
    pub fn name(self) -> &'static str {
        match self {
            DeliveryChannel::Callback => "callback",
            DeliveryChannel::Email => "email",
        }
    }
}

by_name!(DeliveryChannel);

/// Something to be sent about a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDelivery {
    /// The way.
    pub channel: DeliveryChannel,
    /// The address, or the path below the configured one.
    pub target: String,
    /// One line; empty for a call.
    pub subject: String,
    /// What is said.
    pub body: String,
    /// What the other side follows a request by.
    pub trace: Option<String>,
    /// The same at every attempt, and never that of another.
    pub mark: String,
    /// Why it cannot be sent at all: then it is kept as given up, so that somebody hears of it.
    pub hindrance: Option<String>,
}

impl NewDelivery {
    /// The same for a house that has no address for it: kept so that the record says why nothing was
    /// sent.
    #[must_use]
    pub fn unaddressed(self) -> NewDelivery {
        NewDelivery { body: String::new(), hindrance: Some(UNADDRESSED.to_owned()), ..self }
    }
}

/// A delivery, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeliveryRow {
    /// Given by the registry.
    pub id: i64,
    /// The result it is about.
    pub assessment_id: i64,
    /// The way.
    pub channel: DeliveryChannel,
    /// The address, or the path below the configured one.
    pub target: String,
    /// One line; empty for a call.
    #[serde(skip)]
    pub subject: String,
    /// What is said.
    #[serde(skip)]
    pub body: String,
    /// What the other side follows a request by.
    pub trace: Option<String>,
    /// The same at every attempt, and never that of another.
    pub mark: String,
    /// When it was put there.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// Attempts, those that failed and the one that did not.
    pub attempts: u32,
    /// Not before this moment.
    #[serde(with = "Moment")]
    pub due_at: Timestamp,
    /// When it was taken.
    #[serde(with = "MaybeMoment")]
    pub sent_at: Option<Timestamp>,
    /// When it was given up.
    #[serde(with = "MaybeMoment")]
    pub given_up_at: Option<Timestamp>,
    /// What went wrong last.
    pub trouble: Option<String>,
}

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AttemptTold {
    /// The delivery.
    pub delivery_id: i64,
    /// From one.
    pub number: u32,
    /// When.
    #[serde(with = "Moment")]
    pub at: Timestamp,
    /// What went wrong; absent when it was taken.
    pub trouble: Option<String>,
}

const COLUMNS: &str = "id, assessment_id, channel, target, subject, body, trace, mark, created_at,
    attempts, due_at, sent_at, given_up_at, trouble";

/// Puts deliveries there, each once.
pub(super) fn post(
    tx: &Transaction<'_>,
    assessment: i64,
    deliveries: &[NewDelivery],
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "INSERT INTO deliveries (assessment_id, channel, target, subject, body, trace, mark,
            created_at, due_at, given_up_at, trouble)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, iif(?9 IS NULL, NULL, ?8), ?9)
        ON CONFLICT DO NOTHING";
    for new in deliveries {
        tx.prepare_cached(sql)?.execute(params![
            assessment,
            new.channel,
            new.target,
            new.subject,
            new.body,
            new.trace,
            new.mark,
            now,
            new.hindrance
        ])?;
    }
    Ok(())
}

/// Ends calls about results that a newer one of the same reference and institution takes the place
/// of: those of older ones, and those of this one if a newer one was told before it.
pub(super) fn supersede(
    tx: &Transaction<'_>,
    assessment: i64,
    now: Timestamp,
) -> Result<(), Error> {
    let older = "UPDATE deliveries SET given_up_at = coalesce(given_up_at, ?2), trouble = ?3
        WHERE channel = 'callback' AND sent_at IS NULL AND assessment_id IN
            (SELECT o.id FROM assessments AS n CROSS JOIN assessments AS o
                ON o.reference = n.reference AND o.institution_id = n.institution_id AND o.id < n.id
             WHERE n.id = ?1)";
    tx.execute(older, params![assessment, now, SUPERSEDED])?;
    let own = "UPDATE deliveries SET given_up_at = ?2, trouble = ?3
        WHERE channel = 'callback' AND sent_at IS NULL AND assessment_id = ?1 AND EXISTS
            (SELECT 1 FROM assessments AS o CROSS JOIN assessments AS n
                ON n.reference = o.reference AND n.institution_id = o.institution_id AND n.id > o.id
                CROSS JOIN deliveries AS d ON d.assessment_id = n.id AND d.channel = 'callback'
             WHERE o.id = ?1)";
    tx.execute(own, params![assessment, now, SUPERSEDED])?;
    Ok(())
}

impl Registry {
    /// What is due on a channel, the longest due first.
    pub fn due_deliveries(
        &self,
        channel: DeliveryChannel,
        now: Timestamp,
        limit: u32,
    ) -> Result<Vec<DeliveryRow>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM deliveries WHERE sent_at IS NULL AND given_up_at IS NULL
             AND channel = ?1 AND due_at <= ?2 ORDER BY due_at, id LIMIT ?3"
        );
        self.rows(&sql, params![channel, now, limit], DeliveryRow::read)
    }

    /// When the next delivery of a channel is due.
    pub fn next_delivery(&self, channel: DeliveryChannel) -> Result<Option<Timestamp>, Error> {
        let sql = "SELECT due_at FROM deliveries WHERE sent_at IS NULL AND given_up_at IS NULL
            AND channel = ?1 ORDER BY due_at LIMIT 1";
        self.one(sql, params![channel], |row| row.get(0))
    }

    /// What is sent about an assessment, and what became of it.
    pub fn deliveries_of(&self, assessment: i64) -> Result<Vec<DeliveryRow>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM deliveries WHERE assessment_id = ?1 ORDER BY id");
        self.rows(&sql, [assessment], DeliveryRow::read)
    }

    /// Every attempt at telling an assessment.
    pub fn delivery_attempts(
        &self,
        assessment: i64,
        limit: u32,
    ) -> Result<Vec<AttemptTold>, Error> {
        let sql = "SELECT a.delivery_id, a.number, a.at, a.trouble FROM deliveries AS d
                CROSS JOIN delivery_attempts AS a ON a.delivery_id = d.id
            WHERE d.assessment_id = ?1 ORDER BY a.delivery_id, a.number LIMIT ?2";
        self.rows(sql, params![assessment, limit], AttemptTold::read)
    }

    /// Notes an attempt that was taken. The price that it told is stamped.
    pub fn delivery_sent(&self, id: i64, now: Timestamp) -> Result<(), Error> {
        self.write(|tx| {
            attempt(tx, id, None, now)?;
            let sql = "UPDATE deliveries SET attempts = attempts + 1, sent_at = ?2, trouble = NULL
                WHERE id = ?1 AND sent_at IS NULL";
            tx.execute(sql, params![id, now])?;
            let sql = "UPDATE levies SET sent_at = ?2 WHERE sent_at IS NULL AND assessment_id =
                (SELECT assessment_id FROM deliveries WHERE id = ?1 AND channel = 'callback')";
            tx.execute(sql, params![id, now])?;
            Ok(())
        })
    }

    /// Notes an attempt that failed, and when to try again; without a moment, it is given up.
    pub fn delivery_failed(
        &self,
        id: i64,
        trouble: &str,
        again: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<(), Error> {
        let trouble: String = trouble.chars().take(TROUBLE).collect();
        self.write(|tx| {
            attempt(tx, id, Some(&trouble), now)?;
            let sql = "UPDATE deliveries SET attempts = attempts + 1, trouble = ?2,
                    due_at = coalesce(?3, due_at), given_up_at = iif(?3 IS NULL, ?4, NULL)
                WHERE id = ?1 AND sent_at IS NULL AND trouble IS NOT ?5";
            tx.execute(sql, params![id, trouble, again, now, SUPERSEDED])?;
            Ok(())
        })
    }

    /// Deliveries that were given up and of which no alert tells.
    pub fn unsaid_deliveries(&self, limit: u32) -> Result<Vec<DeliveryRow>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM deliveries AS d
             WHERE given_up_at IS NOT NULL AND trouble IS NOT ?2 AND trouble IS NOT ?3 AND NOT EXISTS
                (SELECT 1 FROM alerts AS a WHERE a.name = 'undelivered/' || d.id || '/' || given_up_at)
             ORDER BY given_up_at LIMIT ?1"
        );
        self.rows(&sql, params![limit, SUPERSEDED, UNADDRESSED], DeliveryRow::read)
    }

    /// Puts what was given up about an assessment back in line; says how much that was.
    pub fn deliver_again(&self, assessment: i64, now: Timestamp) -> Result<usize, Error> {
        self.write(|tx| {
            let sql = "UPDATE deliveries SET given_up_at = NULL, due_at = ?2, created_at = ?2
                WHERE assessment_id = ?1 AND given_up_at IS NOT NULL AND sent_at IS NULL
                AND body <> '' AND trouble IS NOT ?3";
            Ok(tx.execute(sql, params![assessment, now, SUPERSEDED])?)
        })
    }
}

fn attempt(
    tx: &Transaction<'_>,
    id: i64,
    trouble: Option<&str>,
    now: Timestamp,
) -> Result<(), Error> {
    let sql = "INSERT INTO delivery_attempts (delivery_id, number, at, trouble)
        SELECT id, attempts + 1, ?2, ?3 FROM deliveries WHERE id = ?1 AND sent_at IS NULL
        ON CONFLICT DO NOTHING";
    tx.prepare_cached(sql)?.execute(params![id, now, trouble])?;
    Ok(())
}

impl DeliveryRow {
    /// Whether it was not made because a newer result took its place.
    pub fn is_superseded(&self) -> bool {
        self.sent_at.is_none() && self.trouble.as_deref() == Some(SUPERSEDED)
    }

    /// Whether it was not made because the house has no address for it.
    pub fn is_unaddressed(&self) -> bool {
        self.sent_at.is_none() && self.trouble.as_deref() == Some(UNADDRESSED)
    }

    /// Whether it was given up, and somebody may ask for it once more.
    pub fn can_be_sent_again(&self) -> bool {
        let is_open = self.given_up_at.is_some() && self.sent_at.is_none();
        is_open && !self.body.is_empty() && !self.is_superseded()
    }

    fn read(row: &Row<'_>) -> rusqlite::Result<DeliveryRow> {
        let mut of = Fields::of(row);
        Ok(DeliveryRow {
            id: of.take()?,
            assessment_id: of.take()?,
            channel: of.take()?,
            target: of.take()?,
            subject: of.take()?,
            body: of.take()?,
            trace: of.take()?,
            mark: of.take()?,
            created_at: of.take()?,
            attempts: of.take()?,
            due_at: of.take()?,
            sent_at: of.take()?,
            given_up_at: of.take()?,
            trouble: of.take()?,
        })
    }
}

impl AttemptTold {
    fn read(row: &Row<'_>) -> rusqlite::Result<AttemptTold> {
        let mut of = Fields::of(row);
        Ok(AttemptTold {
            delivery_id: of.take()?,
            number: of.take()?,
            at: of.take()?,
            trouble: of.take()?,
        })
    }
}
