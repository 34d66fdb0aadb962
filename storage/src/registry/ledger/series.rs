//! The series of pages that the journal of this registry is written to, and the copying of every row
//! into a new one.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::LedgerPage;
use super::kinds::{FIRST, KINDS, RowKey};
use crate::registry::{Error, Registry};

/// How much a series has of what the registry has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JournalPhase {
    /// Changes since it was begun; older series are needed besides it.
    Partial,
    /// Every row is being written to it.
    Copying,
    /// Every row: older series are not needed.
    Whole,
}

impl JournalPhase {
    fn word(self) -> &'static str {
        match self {
            JournalPhase::Partial => "partial",
            JournalPhase::Copying => "copying",
            JournalPhase::Whole => "whole",
        }
    }
}

/// The series that is being written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal {
    /// Counted from one.
    pub series: u32,
    /// Its newest page.
    pub page: LedgerPage,
    /// Names the key by which its pages are signed.
    pub key_id: String,
    /// What it has.
    pub phase: JournalPhase,
    /// Whether pages of older series may still be in replicas.
    pub has_older: bool,
}

impl Journal {
    /// A series without pages.
    pub fn begun(series: u32, key_id: &str, phase: JournalPhase, has_older: bool) -> Journal {
        let page = LedgerPage { number: 0, line_count: 0, sha512: [0; 64] };
        Journal { series, page, key_id: key_id.to_owned(), phase, has_older }
    }
}

impl Registry {
    /// The series that is being written, once one was begun.
    pub fn journal(&self) -> Result<Option<Journal>, Error> {
        self.read(|conn| Ok::<_, Error>(find(conn)?.map(|(journal, _, _)| journal)))
    }

    /// Begins a series, or goes on with one that is known from its pages.
    pub fn begin_journal(&self, journal: &Journal) -> Result<(), Error> {
        let LedgerPage { number, line_count, sha512 } = journal.page;
        self.write(|tx| {
            tx.execute(
                "INSERT OR REPLACE INTO journal (id, series, page, line_count, sha512, key_id,
                     phase, kind, a, b, c, has_older)
                 VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, '', ?7, ?7, ?7, ?8)",
                params![
                    journal.series,
                    number,
                    line_count,
                    sha512,
                    journal.key_id,
                    journal.phase.word(),
                    i64::MIN,
                    journal.has_older
                ],
            )?;
            Ok(())
        })
    }

    /// Notes the newest page where it is known from the replicas: it was written, and the program
    /// ended before it could note it.
    pub fn note_journal_page(&self, page: &LedgerPage) -> Result<(), Error> {
        self.write(|tx| put_page(tx, page))
    }

    /// Notes the next rows that are to be copied into the series, `limit` at most. Says whether there
    /// may be more to do; when every row has been written, the series is whole.
    pub fn copy_into_journal(&self, limit: u32) -> Result<bool, Error> {
        self.write(|tx| {
            let Some((journal, kind, mut after)) = find(tx)? else { return Ok(false) };
            if journal.phase != JournalPhase::Copying {
                return Ok(false);
            }
            let begin = KINDS.iter().position(|known| known.name == kind);
            for kind in &KINDS[begin.unwrap_or(0)..] {
                let keys = kind.keys_after(tx, after, limit)?;
                after = FIRST;
                let Some(last) = keys.last() else { continue };
                // What is noted already is written at its time.
                let sql = "INSERT OR IGNORE INTO untold (kind, a, b, c) VALUES (?1, ?2, ?3, ?4)";
                let mut note = tx.prepare_cached(sql)?;
                for [a, b, c] in &keys {
                    note.execute(params![kind.name, a, b, c])?;
                }
                let sql = "UPDATE journal SET kind = ?1, a = ?2, b = ?3, c = ?4";
                tx.execute(sql, params![kind.name, last[0], last[1], last[2]])?;
                return Ok(true);
            }
            let waits: bool =
                tx.query_row("SELECT EXISTS (SELECT 1 FROM untold)", [], |row| row.get(0))?;
            if !waits {
                tx.execute("UPDATE journal SET phase = 'whole'", [])?;
            }
            Ok(waits)
        })
    }

    /// Notes that no replica has pages of older series any more.
    pub fn older_series_removed(&self) -> Result<(), Error> {
        self.write(|tx| {
            tx.execute("UPDATE journal SET has_older = 0", [])?;
            Ok(())
        })
    }
}

fn find(conn: &Connection) -> Result<Option<(Journal, String, RowKey)>, Error> {
    let sql = "SELECT series, page, line_count, sha512, key_id, phase, has_older, kind, a, b, c
        FROM journal";
    Ok(conn.prepare_cached(sql)?.query_row([], read).optional()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<(Journal, String, RowKey)> {
    let phase: String = row.get(5)?;
    let journal = Journal {
        series: row.get(0)?,
        page: LedgerPage { number: row.get(1)?, line_count: row.get(2)?, sha512: row.get(3)? },
        key_id: row.get(4)?,
        phase: match phase.as_str() {
            "copying" => JournalPhase::Copying,
            "whole" => JournalPhase::Whole,
            _ => JournalPhase::Partial,
        },
        has_older: row.get(6)?,
    };
    Ok((journal, row.get(7)?, [row.get(8)?, row.get(9)?, row.get(10)?]))
}

pub(super) fn put_page(conn: &Connection, page: &LedgerPage) -> Result<(), Error> {
    conn.execute(
        "UPDATE journal SET page = ?1, line_count = ?2, sha512 = ?3",
        params![page.number, page.line_count, page.sha512],
    )?;
    Ok(())
}
