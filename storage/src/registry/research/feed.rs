//! Feeds that are read from time to time, and what came of it last.

use std::time::Duration;

use rusqlite::{OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::recording::{Location, RecordingKind};
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::{Error, Registry};

/// Most feeds.
const FEEDS_MAX: u32 = 1000;
/// A year.
const EVERY_MAX_H: u32 = 8760;

/// A feed to be read from time to time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewFeed {
    /// What it lists.
    pub kind: RecordingKind,
    /// Its address; `http` or `https`.
    pub url: String,
    /// How often it is read, in hours; 1 to 8,760.
    pub every_h: u32,
}

impl NewFeed {
    fn check(&self) -> Result<(), Error> {
        let place = Location::Url { url: self.url.clone() };
        if place.check().is_err() {
            let rule = "must be one line that begins with http:// or https://".into();
            return Err(Error::Invalid { field: "the address", rule });
        }
        if !(1..=EVERY_MAX_H).contains(&self.every_h) {
            let rule = format!("must be 1 to {EVERY_MAX_H}");
            return Err(Error::Invalid { field: "the hours", rule });
        }
        Ok(())
    }
}

/// A feed that is read from time to time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FeedRow {
    /// Given by the registry.
    pub id: i64,
    /// What it lists.
    pub kind: RecordingKind,
    /// Its address.
    pub url: String,
    /// How often it is read, in hours.
    pub every_h: u32,
    /// Who added it.
    pub added_by: String,
    /// When.
    #[serde(with = "Moment")]
    pub added_at: Timestamp,
    /// The tag of its first page, of the last whole reading.
    pub etag: Option<String>,
    /// When that page was last changed, in the words of the other side.
    pub modified: Option<String>,
    /// When it was last read.
    #[serde(with = "MaybeMoment")]
    pub read_at: Option<Timestamp>,
    /// What came of it.
    pub outcome: String,
    /// Whether all of it could be read, and nothing was left out.
    pub is_well: bool,
    /// When it is read next.
    #[serde(with = "Moment")]
    pub next_at: Timestamp,
}

/// What came of reading a feed.
#[derive(Clone, Debug)]
pub struct FeedRead<'a> {
    /// In a sentence.
    pub outcome: &'a str,
    /// Whether all of it could be read, and nothing was left out.
    pub is_well: bool,
    /// What its first page is marked with, tag and date; none unless every page was read.
    pub mark: (Option<&'a str>, Option<&'a str>),
    /// How long its site asks to wait, instead of the usual time.
    pub again: Option<Duration>,
}

/// The shortest and the longest wait that a site may ask for.
const AGAIN: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(7 * 86_400));

const COLUMNS: &str =
    "id, kind, url, every_h, added_by, added_at, etag, modified, read_at, outcome,
    is_well, next_at";

impl FeedRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<FeedRow> {
        let mut of = Fields::of(row);
        Ok(FeedRow {
            id: of.take()?,
            kind: match of.take::<String>()?.as_str() {
                "clip" => RecordingKind::Clip,
                // The table lets nothing else in.
                _ => RecordingKind::Episode,
            },
            url: of.take()?,
            every_h: of.take()?,
            added_by: of.take()?,
            added_at: of.take()?,
            etag: of.take()?,
            modified: of.take()?,
            read_at: of.take()?,
            outcome: of.take()?,
            is_well: of.take()?,
            next_at: of.take()?,
        })
    }
}

impl Registry {
    /// Adds a feed, which is due at once. One that is there is read as often as is said now.
    ///
    /// # Errors
    ///
    /// `Invalid` for a field that breaks its rule, `Refused` when there are too many.
    pub fn add_feed(&self, new: &NewFeed, by: &str, now: Timestamp) -> Result<FeedRow, Error> {
        new.check()?;
        self.write(|tx| {
            tx.execute(
                "INSERT INTO research_feeds (kind, url, every_h, added_by, added_at, next_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?5)
                 ON CONFLICT (kind, url) WHERE removed_at IS NULL DO UPDATE
                     SET every_h = excluded.every_h, next_at = excluded.next_at",
                params![new.kind.word(), new.url, new.every_h, by, now],
            )?;
            let sql = "SELECT count(*) FROM research_feeds WHERE removed_at IS NULL";
            let count: u32 = tx.query_row(sql, [], |row| row.get(0))?;
            if count > FEEDS_MAX {
                let why = format!("there are {FEEDS_MAX} feeds, which is the most: remove one");
                return Err(Error::Refused { why });
            }
            let sql = format!(
                "SELECT {COLUMNS} FROM research_feeds
                 WHERE kind = ?1 AND url = ?2 AND removed_at IS NULL"
            );
            Ok(tx.query_row(&sql, params![new.kind.word(), new.url], FeedRow::read)?)
        })
    }

    /// All feeds, in the order they were added.
    pub fn feeds(&self) -> Result<Vec<FeedRow>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM research_feeds WHERE removed_at IS NULL ORDER BY id LIMIT ?1"
        );
        self.rows(&sql, [FEEDS_MAX], FeedRow::read)
    }

    /// One feed.
    pub fn feed(&self, id: i64) -> Result<Option<FeedRow>, Error> {
        let sql =
            format!("SELECT {COLUMNS} FROM research_feeds WHERE id = ?1 AND removed_at IS NULL");
        self.one(&sql, [id], FeedRow::read)
    }

    /// Feeds that are due, the longest first.
    pub fn due_feeds(&self, now: Timestamp) -> Result<Vec<FeedRow>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM research_feeds WHERE removed_at IS NULL AND next_at <= ?1
             ORDER BY next_at LIMIT {FEEDS_MAX}"
        );
        self.rows(&sql, params![now], FeedRow::read)
    }

    /// Removes a feed; what it has listed stays. `None` when there is none.
    pub fn remove_feed(&self, id: i64, now: Timestamp) -> Result<Option<FeedRow>, Error> {
        self.write(|tx| {
            let sql = format!(
                "UPDATE research_feeds SET removed_at = ?2
                 WHERE id = ?1 AND removed_at IS NULL RETURNING {COLUMNS}"
            );
            Ok(tx.query_row(&sql, params![id, now], FeedRow::read).optional()?)
        })
    }

    /// Has a feed read at once; whether it is there.
    pub fn hasten_feed(&self, id: i64, now: Timestamp) -> Result<bool, Error> {
        self.write(|tx| {
            let sql = "UPDATE research_feeds SET next_at = ?2 WHERE id = ?1 AND removed_at IS NULL";
            Ok(tx.execute(sql, params![id, now])? > 0)
        })
    }

    /// Notes what came of reading a feed.
    pub fn note_feed(&self, id: i64, read: &FeedRead<'_>, now: Timestamp) -> Result<(), Error> {
        let (etag, modified) = read.mark;
        self.write(|tx| {
            let every_h: Option<u32> = tx
                .query_row("SELECT every_h FROM research_feeds WHERE id = ?1", [id], |row| {
                    row.get(0)
                })
                .optional()?;
            let usual = Duration::from_secs(u64::from(every_h.unwrap_or(1)) * 3600);
            let span = read.again.map_or(usual, |wait| wait.clamp(AGAIN.0, AGAIN.1));
            tx.execute(
                "UPDATE research_feeds SET etag = ?2, modified = ?3, read_at = ?4, outcome = ?5,
                    is_well = ?6, next_at = ?7 WHERE id = ?1",
                params![id, etag, modified, now, read.outcome, read.is_well, now.after(span)],
            )?;
            Ok(())
        })
    }
}
