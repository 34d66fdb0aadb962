//! Opening the file, and the two doors through which all SQL goes.
//!
//! One writer and a few readers. The writer is a mutex because SQLite has one writer anyway, and
//! waiting in a mutex is fair where waiting on a file lock is not. A file is looked at before it is
//! touched: what we do not understand stays byte for byte as it was.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{
    Connection, OpenFlags, OptionalExtension, Params, Row, Transaction, TransactionBehavior,
};

use crate::clock::Timestamp;
use crate::registry::Error;
use crate::registry::account::{Sealing, seal_plain, unreadable};
use crate::registry::audit::Quiet;
use crate::registry::memory::Memory;
use crate::registry::migrate::{SCHEMA_VERSION, migrate, stored_version};
use crate::registry::pool::Pool;
use crate::registry::search::teach;

/// Marks the file as ours in SQLite's own header (`file` and `sqlite3` show it): "STRM".
pub const APPLICATION_ID: i32 = 0x5354_524D;

const READERS: usize = 4;
const BUSY: Duration = Duration::from_secs(10);
const STATEMENTS: usize = 64;
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// The registry: one SQLite file, opened by one process.
pub struct Registry {
    pub(super) path: PathBuf,
    writer: Mutex<Connection>,
    readers: Pool,
    /// What secrets of second factors are sealed with.
    pub(super) sealing: Sealing,
    /// Which refusals the log has just been told of.
    pub(super) quiet: Quiet,
    /// What need not be counted again.
    pub(super) memory: Memory,
}

impl Registry {
    /// Opens the registry at `path`, making it when absent and bringing its schema up to date.
    ///
    /// # Errors
    ///
    /// `Newer` and `Unreadable` leave the file as it was; `ReadOnly` when it may not be written.
    pub fn open(path: &Path, now: Timestamp) -> Result<Registry, Error> {
        let fresh = inspect(path)?;
        if fresh {
            create_private(path)?;
        }
        let mut writer = connect(path, fresh)?;
        // Until the version is known nothing may be written, not even at the close of a refusal.
        writer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let found = stored_version(&writer)?;
        if found > SCHEMA_VERSION {
            return Err(Error::Newer { found, known: SCHEMA_VERSION });
        }
        writer.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        if writer.is_readonly("main")? {
            return Err(Error::ReadOnly(None));
        }
        if fresh {
            // Before WAL, so that the mark is in the file itself from its first page on.
            writer.pragma_update(None, "application_id", APPLICATION_ID)?;
        }
        sort_beside(&writer, path)?;
        writer.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        writer.execute_batch(
            "PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864;
             PRAGMA cache_size = -16384",
        )?;
        let sealing = Sealing::beside(path)?;
        // What is taken out of the file while it is brought up to date is not to be found in it.
        writer.execute_batch("PRAGMA secure_delete = ON")?;
        migrate(&mut writer, now)?;
        if seal_plain(&mut writer, &sealing)? > 0 {
            // Nor in the log beside it.
            writer.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        }
        writer.execute_batch("PRAGMA secure_delete = OFF")?;
        let lost = unreadable(&writer, &sealing)?;
        if lost > 0 {
            let file = sealing.path().display();
            tracing::error!(lost, file = %file, "second factors cannot be checked: see doctor");
        }
        let readers = (0..READERS).map(|_| reader(path)).collect::<Result<Vec<_>, _>>()?;
        Ok(Registry {
            path: path.to_owned(),
            writer: Mutex::new(writer),
            readers: Pool::new(readers),
            sealing,
            quiet: Quiet::default(),
            memory: Memory::default(),
        })
    }

    /// Whether a question would be answered at once, and not wait for a connection.
    pub fn can_read_at_once(&self) -> bool {
        self.readers.has_idle()
    }

    /// Runs `ask` on one consistent state of the registry; it cannot write.
    pub(super) fn read<T, E: From<Error>>(
        &self,
        ask: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut reader = self.readers.lend();
        let tx = reader.transaction().map_err(Error::from)?;
        ask(&tx)
    }

    /// All rows of a question; whoever asks puts a limit into it.
    pub(super) fn rows<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(sql)?;
            let rows = statement.query_map(values, |row| read(row))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// The one row of a question, if there is one.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl Fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(sql)?;
            Ok(statement.query_row(values, |row| read(row)).optional()?)
        })
    }

    /// Runs `change` as one durable transaction; an error undoes all of it.
    pub(super) fn write<T, E: From<Error>>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut writer = self.writer();
        let tx = writer
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(Error::from)?;
        let done = change(&tx)?;
        self.memory.around(|| tx.commit()).map_err(Error::from)?;
        Ok(done)
    }

    // A panic inside a write unwound through its transaction and so rolled it back.
    pub(super) fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Brings the log into the file, so that the file alone is the registry, and closes it.
    ///
    /// # Errors
    ///
    /// The registry is closed also when this fails; nothing is lost, the log stays beside the file.
    pub fn close(self) -> Result<(), Error> {
        self.refresh_statistics()?;
        self.checkpoint()?;
        let Registry { writer, readers, .. } = self;
        drop(readers);
        let writer = writer.into_inner().unwrap_or_else(PoisonError::into_inner);
        writer.close().map_err(|(_, error)| error.into())
    }
}

/// Looks at the file without SQLite; true when there is nothing in it yet.
fn inspect(path: &Path) -> Result<bool, Error> {
    let unreadable = |why: &str, source| {
        Err(Error::Unreadable { path: path.to_owned(), why: why.to_owned(), source })
    };
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return unreadable("it cannot be looked at", Some(error)),
    };
    if !meta.is_file() {
        return unreadable("it is not a file", None);
    }
    if meta.permissions().readonly() {
        // Asked of the file, not of the user: the superuser would write over the wish.
        return Err(Error::ReadOnly(None));
    }
    if meta.len() == 0 {
        return Ok(true);
    }
    let mut header = [0_u8; 100];
    if let Err(error) = File::open(path).and_then(|mut file| file.read_exact(&mut header)) {
        return unreadable("its header cannot be read", Some(error));
    }
    if !header.starts_with(MAGIC) {
        return unreadable("it is not an SQLite file", None);
    }
    if word(&header, 68) != APPLICATION_ID {
        return unreadable("it was made by another program", None);
    }
    let found = i64::from(word(&header, 60));
    if found > SCHEMA_VERSION {
        return Err(Error::Newer { found, known: SCHEMA_VERSION });
    }
    Ok(false)
}

/// Makes the file, readable by its owner only. SQLite gives what it puts beside it the same mode.
fn create_private(path: &Path) -> Result<(), Error> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        // An empty one is there: it has the mode that somebody gave it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(Error::Unreadable {
            path: path.to_owned(),
            why: "it cannot be made".to_owned(),
            source: Some(error),
        }),
    }
}

/// One big-endian word of SQLite's file header.
fn word(header: &[u8; 100], at: usize) -> i32 {
    let mut bytes = [0; 4];
    bytes.copy_from_slice(&header[at..at + 4]);
    i32::from_be_bytes(bytes)
}

/// A connection with the settings that every one of ours has.
fn connect(path: &Path, create: bool) -> Result<Connection, Error> {
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, create);
    let conn = Connection::open_with_flags(path, flags).map_err(|error| Error::Unreadable {
        path: path.to_owned(),
        why: "it cannot be opened".to_owned(),
        source: Some(io::Error::other(error)),
    })?;
    conn.busy_timeout(BUSY)?;
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    // A plan holds for every value. Otherwise SQLite plans a kept statement anew for each value it is
    // given: under a crowd that was a third of all work.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.execute_batch("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON")?;
    teach(&conn)?;
    Ok(conn)
}

/// Lets SQLite put its temporary files, such as those of large sorts, into the folder of the registry:
/// it is there and can be written, whatever `TMPDIR` says and whether or not there is a `/tmp`. They
/// have no name once they are open. The setting is the process's; where the folder has gone, SQLite
/// takes one of the system's.
fn sort_beside(conn: &Connection, path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
    // A path that is not text cannot be told to SQLite.
    if let Some(folder) = folder.ok().as_deref().and_then(Path::to_str) {
        conn.pragma_update(None, "temp_store_directory", folder)?;
    }
    Ok(())
}

fn reader(path: &Path) -> Result<Connection, Error> {
    let conn = connect(path, false)?;
    conn.execute_batch("PRAGMA query_only = ON; PRAGMA cache_size = -8192")?;
    Ok(conn)
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// The files without a name that this process has open, as SQLite's temporary files are.
    fn open_temporary_files() -> Vec<PathBuf> {
        let entries = fs::read_dir("/proc/self/fd").unwrap();
        let links = entries.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok());
        links.filter(|path| path.to_string_lossy().ends_with(" (deleted)")).collect()
    }

    /// The folder is a setting of the process: the runner gives each test one of its own.
    #[test]
    fn a_sort_that_needs_a_disk_uses_the_folder_of_the_registry() {
        let dir = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(dir.path()).unwrap();
        let registry = Registry::open(&folder.join("registry.sqlite"), Timestamp(1)).unwrap();
        let sorted = |conn: &Connection| -> Result<Vec<PathBuf>, Error> {
            let mut statement = conn.prepare(
                "WITH RECURSIVE some(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM some LIMIT 400000)
                 SELECT n FROM some ORDER BY hex(n * 7919) || hex(zeroblob(200))",
            )?;
            let mut rows = statement.query([])?;
            assert!(rows.next()?.is_some());
            Ok(open_temporary_files())
        };
        let by_reader = registry.read(sorted).unwrap();
        let by_writer = registry.write(|tx| sorted(tx)).unwrap();
        for files in [by_reader, by_writer] {
            assert!(!files.is_empty(), "the sort needed no file");
            assert!(files.iter().all(|file| file.starts_with(&folder)), "{files:?}");
        }
    }
}
