//! Which rows the vaults have not been told of, as lines for their ledgers, and those lines back.
//!
//! What a deposit brings stands in its chronicle. Everything else that must survive the loss of this
//! file (items that have ended, events after a deposit, checks, deletions, people, messages) is told
//! to a ledger. Triggers note each row that changes; a line is the row as an export tells it.

mod distrust;
mod kinds;
mod series;
#[cfg(test)]
mod tests;

use rusqlite::{Connection, OptionalExtension};
use serde_json::{Value, json};

pub use self::distrust::Distrusted;
use self::kinds::kind_of;
pub use self::series::{Journal, JournalPhase};
use super::export::{Missing, row_lines, take_row};
use super::holding::{DERIVE_COPIES, DERIVE_REACH};
use super::search::DERIVE_ITEM_WORDS;
use crate::registry::{Error, Registry};

/// The newest page of the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerPage {
    /// Counted from one; zero where there is none yet.
    pub number: u32,
    /// Lines on it.
    pub line_count: u32,
    /// Of its bytes.
    pub sha512: [u8; 64],
}

/// Rows that no page tells yet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Untold {
    /// A JSON object each, with the name of its table and the row.
    pub lines: Vec<String>,
    /// Given back when they are told.
    pub upto: i64,
}

/// What came of telling lines back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retold {
    /// Rows taken in.
    pub taken: u64,
    /// Rows about something that is not there.
    pub left_out: u64,
}

/// Bytes of lines after which no more rows are taken; an item may have thousands of findings.
const BYTES_ENOUGH: usize = 4 << 20;

impl Registry {
    /// The newest of the pages that have no series, which earlier programs wrote, if there is one.
    pub fn ledger_page(&self) -> Result<Option<LedgerPage>, Error> {
        self.one("SELECT page, line_count, sha512 FROM ledger", [], |row| {
            Ok(LedgerPage { number: row.get(0)?, line_count: row.get(1)?, sha512: row.get(2)? })
        })
    }

    /// Notes a page without a series, as earlier programs did.
    #[cfg(feature = "testing")]
    pub fn note_old_ledger_page(&self, page: &LedgerPage) -> Result<(), Error> {
        self.write(|tx| {
            let sql = "INSERT OR REPLACE INTO ledger (id, page, line_count, sha512)
                VALUES (1, ?1, ?2, ?3)";
            tx.execute(sql, (page.number, page.line_count, page.sha512))?;
            Ok(())
        })
    }

    /// The lines of rows that no page tells, the longest untold first.
    pub fn untold(&self, limit: u32) -> Result<Untold, Error> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT seq, kind, a, b, c FROM untold ORDER BY seq LIMIT ?1")?;
            let mut rows = statement.query([limit])?;
            let (mut untold, mut len) = (Untold::default(), 0);
            while let Some(row) = rows.next()? {
                let (seq, kind): (i64, String) = (row.get(0)?, row.get(1)?);
                let key: [i64; 3] = [row.get(2)?, row.get(3)?, row.get(4)?];
                for (table, choice) in kind_of(&kind)?.tables {
                    row_lines(conn, table, choice, &key, &mut |mut row| {
                        if *table == "users"
                            && let Some(role) = unconfirmed_role(conn, key[0])?
                        {
                            row["role"] = role.into();
                        }
                        let line = json!({ "table": table, "row": row }).to_string();
                        len += line.len();
                        untold.lines.push(line);
                        Ok(())
                    })?;
                }
                untold.upto = seq;
                if len > BYTES_ENOUGH {
                    break;
                }
            }
            Ok(untold)
        })
    }

    /// Notes that everything up to here is told, and by which page. A row that changed meanwhile
    /// has moved beyond and stays untold.
    pub fn told(&self, upto: i64, page: &LedgerPage) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute("DELETE FROM untold WHERE seq <= ?1", [upto])?;
            series::put_page(tx, page)
        })
    }

    /// Takes lines in, each with the name of its table, in the order they were told: a later line
    /// replaces an earlier one about the same row. All of it is one transaction.
    ///
    /// # Errors
    ///
    /// `Refused` for a line that fits no table; whatever `next` fails with. Nothing is kept then.
    pub fn retell<E: From<Error>>(
        &self,
        next: &mut dyn FnMut() -> Result<Option<(String, Value)>, E>,
    ) -> Result<Retold, E> {
        self.write(|tx| {
            let before: i64 = tx
                .query_row("SELECT coalesce(max(seq), 0) FROM untold", [], |row| row.get(0))
                .map_err(Error::from)?;
            let mut retold = Retold::default();
            // What a line is about may be told only later: it is tried again at the end.
            let mut waiting: Vec<(String, Value)> = Vec::new();
            while let Some((table, row)) = next()? {
                match take_row(tx, &table, row)? {
                    None => retold.taken += 1,
                    Some(Missing(row)) if waiting.len() < WAITING_MAX => waiting.push((table, row)),
                    Some(_) => retold.left_out += 1,
                }
            }
            // Again while some find their place: a row may wait for one that waits itself.
            let mut before_this = usize::MAX;
            while waiting.len() < before_this {
                before_this = waiting.len();
                for (table, row) in std::mem::take(&mut waiting) {
                    match take_row(tx, &table, row)? {
                        None => retold.taken += 1,
                        Some(Missing(row)) => waiting.push((table, row)),
                    }
                }
            }
            retold.left_out += waiting.len() as u64;
            // What was deleted since has no copies, whatever was told of them before.
            tx.execute(FORGET_DELETED, []).map_err(Error::from)?;
            // What was just told is not to be told again.
            tx.execute("DELETE FROM untold WHERE seq > ?1", [before]).map_err(Error::from)?;
            tx.execute_batch(DERIVE_COPIES).map_err(Error::from)?;
            tx.execute_batch(DERIVE_REACH).map_err(Error::from)?;
            tx.execute_batch(DERIVE_ITEM_WORDS).map_err(Error::from)?;
            Ok(retold)
        })
    }
}

const FORGET_DELETED: &str = "DELETE FROM copies WHERE EXISTS (SELECT 1 FROM file_versions AS v
    WHERE v.file_id = copies.file_id AND v.version = copies.version
        AND v.deleted_at IS NOT NULL)";

/// Lines kept for another try.
const WAITING_MAX: usize = 10_000;

/// The role that a user has again once it is confirmed.
fn unconfirmed_role(conn: &Connection, user: i64) -> Result<Option<String>, Error> {
    let sql = "SELECT role FROM unconfirmed_roles WHERE user_id = ?1";
    Ok(conn.prepare_cached(sql)?.query_row([user], |row| row.get(0)).optional()?)
}
