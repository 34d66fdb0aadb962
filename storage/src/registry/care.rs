//! Looking after the file: is it sound, how big is it, is its log in it.

use std::fs;
use std::io;

use rusqlite::Connection;

use crate::registry::account::unreadable;
use crate::registry::holding::holding_flaws;
use crate::registry::open::APPLICATION_ID;
use crate::registry::search::open_words;
use crate::registry::{Error, Registry};

/// Enough to see the kind of damage; a broken file can yield one line per row.
pub(super) const FLAWS_MAX: usize = 100;

/// Something that a check found wrong with the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// Stable word for the check that found it: `structure`, `foreign-key`, `application-id`, or
    /// one of those about the holdings: `object-...`, `file-...`, `event-...`.
    pub code: &'static str,
    /// What was found.
    pub sentence: String,
}

impl Registry {
    /// Reads the whole file and reports what is wrong with it, at most a hundred flaws of a kind;
    /// an empty list is a sound registry. Takes seconds per gigabyte and blocks nobody.
    pub fn check(&self) -> Result<Vec<Flaw>, Error> {
        self.read(|conn| {
            open_words(conn)?;
            let mut flaws = structure_flaws(conn, "quick_check")?;
            flaws.extend(foreign_key_flaws(conn)?);
            flaws.extend(application_flaw(conn)?);
            flaws.extend(holding_flaws(conn)?);
            flaws.extend(self.factor_flaw(conn)?);
            Ok(flaws)
        })
    }

    /// Second factors whose codes cannot be checked, because the key is not that of their secrets.
    fn factor_flaw(&self, conn: &Connection) -> Result<Option<Flaw>, Error> {
        let count = unreadable(conn, &self.sealing)?;
        if count == 0 {
            return Ok(None);
        }
        let factors = if count == 1 { "second factor" } else { "second factors" };
        let sentence = format!(
            "{count} {factors} cannot be checked, because the key file {} is missing or another one: \
             put it back from a copy if you have one, then start again; otherwise reset them on the \
             page Users or with `strongroom user reset-factor EMAIL`, and have them set up anew",
            self.sealing.path().display()
        );
        Ok(Some(Flaw { code: "second-factors-unreadable", sentence }))
    }

    /// Bytes on disk: the file and its log.
    pub fn size_bytes(&self) -> Result<u64, Error> {
        let mut log = self.path.clone().into_os_string();
        log.push("-wal");
        let mut total = 0;
        for path in [self.path.clone(), log.into()] {
            match fs::metadata(&path) {
                Ok(meta) => total += meta.len(),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(Error::Io { path, source }),
            }
        }
        Ok(total)
    }

    /// Brings the log into the file and empties it; `Busy` when a reader still needs it.
    pub fn checkpoint(&self) -> Result<(), Error> {
        let writer = self.writer();
        let blocked: bool =
            writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
        if blocked {
            let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
            return Err(Error::Busy(rusqlite::Error::SqliteFailure(busy, None)));
        }
        Ok(())
    }

    /// Lets SQLite count again what it chooses indexes by, where it thinks that is worth it. Cheap
    /// (a sample per index); call it daily and after a large import.
    pub fn refresh_statistics(&self) -> Result<(), Error> {
        // 0x10002: analyse tables that grew, also those this connection has not asked about.
        let sql = "PRAGMA analysis_limit = 2000; PRAGMA optimize = 0x10002";
        Ok(self.writer().execute_batch(sql)?)
    }
}

/// What `quick_check` or `integrity_check` says, except that all is well.
pub(super) fn structure_flaws(conn: &Connection, check: &str) -> Result<Vec<Flaw>, Error> {
    let mut statement = conn.prepare(&format!("PRAGMA {check}({FLAWS_MAX})"))?;
    let lines = statement.query_map([], |row| row.get::<_, String>(0))?;
    let mut flaws = Vec::new();
    for line in lines {
        let sentence = line?;
        if sentence != "ok" {
            flaws.push(Flaw { code: "structure", sentence });
        }
    }
    Ok(flaws)
}

/// Rows that point at a row that is not there.
pub(super) fn foreign_key_flaws(conn: &Connection) -> Result<Vec<Flaw>, Error> {
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let orphans = statement.query_map([], |row| {
        let (table, row_id, parent): (String, Option<i64>, String) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        let row = row_id.map_or_else(String::new, |id| format!(" {id}"));
        let sentence = format!("row{row} of {table} points at a row that is not in {parent}");
        Ok(Flaw { code: "foreign-key", sentence })
    })?;
    Ok(orphans.take(FLAWS_MAX).collect::<Result<_, _>>()?)
}

/// Whether the file says that it is ours.
pub(super) fn application_flaw(conn: &Connection) -> Result<Option<Flaw>, Error> {
    let found: i32 = conn.query_row("PRAGMA application_id", [], |row| row.get(0))?;
    let sentence = format!("the application id is {found:#x}, not {APPLICATION_ID:#x}");
    Ok((found != APPLICATION_ID).then_some(Flaw { code: "application-id", sentence }))
}
