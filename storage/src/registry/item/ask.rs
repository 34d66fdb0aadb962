//! The questions about items that are not a filtered list.

use std::collections::BTreeSet;

use super::record::{AttemptRow, FindingRow};
use rusqlite::OptionalExtension;
use serde::Serialize;

use super::listing::ITEMS;
use super::row::ItemRow;
use crate::registry::query::{Page, Query, Sight};
use crate::registry::{Error, Registry};

/// Must read as in the index of unfinished items, or SQLite does not see that it fits.
pub(super) const UNFINISHED: &str = "SELECT id, state, revision FROM work_items
    WHERE state NOT IN ('finished', 'failed', 'cancelled', 'expired') AND id > ?1
    ORDER BY id LIMIT ?2";

// The sentences are those of the group's newest item: with max(), SQLite takes bare columns from
// the row that has the maximum.
pub(super) const PARKED: &str = "SELECT reason, happened, advice, count(*), max(date_processed)
    FROM work_items WHERE reason IS NOT NULL GROUP BY reason ORDER BY count(*) DESC, reason";

/// Parked items that share a reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParkedGroup {
    /// Stable code of the reason.
    pub reason: String,
    /// What happened to the newest of them.
    pub happened: Option<String>,
    /// What to do about the newest of them.
    pub advice: Option<String>,
    /// How many there are.
    pub count: u64,
}

/// As much of an unfinished item as comparing with the queue takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnfinishedItem {
    /// The item.
    pub id: i64,
    /// The state its row says.
    pub state: String,
    /// The revision its row has.
    pub revision: i64,
}

impl Registry {
    /// One page of items.
    pub fn list_items(&self, query: &Query) -> Result<Page<ItemRow>, Error> {
        self.list(&ITEMS, query, ItemRow::read)
    }

    /// One item.
    pub fn item(&self, id: i64) -> Result<Option<ItemRow>, Error> {
        let sql = format!("SELECT {} FROM work_items_view WHERE id = ?1", ITEMS.column_list());
        self.read(|conn| {
            Ok(conn.prepare_cached(&sql)?.query_row([id], ItemRow::read).optional()?)
        })
    }

    /// The newest attempts at an item, oldest of them first.
    pub fn attempts(&self, id: i64, limit: u32) -> Result<Vec<AttemptRow>, Error> {
        let select = AttemptRow::SELECT;
        let sql = format!("{select} WHERE item_id = ?1 ORDER BY number DESC LIMIT ?2");
        let mut rows = self.rows(&sql, (id, limit), AttemptRow::read)?;
        rows.reverse();
        Ok(rows)
    }

    /// The findings on an item, those of the newest attempt first.
    pub fn findings(&self, id: i64, limit: u32) -> Result<Vec<FindingRow>, Error> {
        let select = FindingRow::SELECT;
        let sql = format!("{select} WHERE item_id = ?1 ORDER BY attempt DESC, ordinal LIMIT ?2");
        self.rows(&sql, (id, limit), FindingRow::read)
    }

    /// Parked items counted by reason, the largest group first.
    pub fn parked_by_reason(&self) -> Result<Vec<ParkedGroup>, Error> {
        self.rows(PARKED, (), |row| {
            let count: i64 = row.get(3)?;
            Ok(ParkedGroup {
                reason: row.get(0)?,
                happened: row.get(1)?,
                advice: row.get(2)?,
                count: u64::try_from(count).unwrap_or(0),
            })
        })
    }

    /// The reasons for which items that somebody sees are parked, in their order.
    pub fn parked_reasons(&self, sight: Sight) -> Result<Vec<String>, Error> {
        let unrestricted = ITEMS.owner.unrestricted.unwrap_or("1");
        let seen = match sight {
            Sight::All => "?1 IS NULL".to_owned(),
            Sight::Own { restricted: true, .. } => "institution_id = ?1".to_owned(),
            Sight::Own { restricted: false, .. } => {
                format!("institution_id = ?1 AND {unrestricted}")
            }
            // Items are shared with nobody.
            Sight::Shared { .. } => "?1 IS NULL AND 0".to_owned(),
        };
        let sql = format!(
            "SELECT DISTINCT reason FROM work_items WHERE reason IS NOT NULL AND {seen}
             ORDER BY reason LIMIT 1000"
        );
        self.rows(&sql, [sight.institution()], |row| row.get(0))
    }

    /// The highest id of an item that is known or named by a deposit; zero when there is none.
    pub fn max_item_id(&self) -> Result<i64, Error> {
        self.read(|conn| {
            let sql = "SELECT max(coalesce((SELECT max(id) FROM work_items), 0),
                coalesce((SELECT max(item_id) FROM deposits), 0))";
            Ok(conn.query_row(sql, [], |row| row.get(0))?)
        })
    }

    /// The number of the last attempt at an item; zero when there was none.
    pub fn last_attempt(&self, id: i64) -> Result<u32, Error> {
        let sql = "SELECT coalesce(max(number), 0) FROM work_attempts WHERE item_id = ?1";
        self.read(|conn| Ok(conn.query_row(sql, [id], |row| row.get(0))?))
    }

    /// The topics that were paused when last copied.
    pub fn paused_topics(&self) -> Result<Vec<String>, Error> {
        let sql = "SELECT topic FROM paused_topics ORDER BY topic LIMIT 1000";
        self.rows(sql, (), |row| row.get(0))
    }

    /// Keeps which topics are paused.
    pub fn put_paused_topics(&self, topics: &BTreeSet<String>) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute("DELETE FROM paused_topics", ())?;
            let mut put = tx.prepare_cached("INSERT INTO paused_topics (topic) VALUES (?1)")?;
            for topic in topics {
                put.execute([topic])?;
            }
            Ok(())
        })
    }

    /// Items not in a terminal state, by id, starting after `after`.
    pub fn unfinished_items(&self, after: i64, limit: u32) -> Result<Vec<UnfinishedItem>, Error> {
        self.rows(UNFINISHED, (after, limit), |row| {
            Ok(UnfinishedItem { id: row.get(0)?, state: row.get(1)?, revision: row.get(2)? })
        })
    }

    /// Items in a terminal state, those last processed first.
    pub fn recently_finished(&self, limit: u32) -> Result<Vec<ItemRow>, Error> {
        let sql = format!(
            "SELECT {} FROM work_items_view WHERE id IN (SELECT id FROM work_items
             WHERE state IN ('finished', 'failed', 'cancelled', 'expired')
             ORDER BY date_processed DESC, id DESC LIMIT ?1) ORDER BY date_processed DESC, id DESC",
            ITEMS.column_list()
        );
        self.rows(&sql, [limit], ItemRow::read)
    }
}
