//! A copy of the running registry, taken a megabyte at a time.
//!
//! The source is read inside one read transaction, so the copy is one moment of the registry
//! however long it takes, and writers neither wait for it nor make it start over. Meanwhile the log
//! cannot shrink: a slow snapshot costs disk, not time.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use crate::registry::care::{application_flaw, foreign_key_flaws, structure_flaws};
use crate::registry::migrate::{SCHEMA_VERSION, stored_version};
use crate::registry::{Error, Registry};

/// One mebibyte of 4 KiB pages.
const STEP_PAGES: i32 = 256;

impl Registry {
    /// Copies the registry to the new file `to`, asking `pace(remaining_pages, total_pages)` after
    /// every megabyte whether to go on; the caller may also wait in it. False when it was stopped.
    ///
    /// The copy is synced and needs no log. A stopped or failed copy is removed; a crash leaves a
    /// part, so copy to a temporary name, [`verify_snapshot`] it, and rename it then.
    pub fn snapshot(
        &self,
        to: &Path,
        pace: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<bool, Error> {
        let io_error = |source| Error::Io { path: to.to_owned(), source };
        // Made first and only if new: a snapshot never lands on top of anything.
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(to).map_err(io_error)?;
        let copied = self.read(|source| copy(source, to, pace));
        if !matches!(copied, Ok(true)) {
            remove(to).map_err(io_error)?;
        }
        copied
    }
}

fn copy(
    source: &Connection,
    to: &Path,
    pace: &mut dyn FnMut(u64, u64) -> bool,
) -> Result<bool, Error> {
    // The transaction is deferred: this first look is what pins the moment.
    stored_version(source)?;
    source.query_row("SELECT count(*) FROM schema_migrations", [], |_| Ok(()))?;
    let mut target = Connection::open(to)?;
    {
        let backup = Backup::new(source, &mut target)?;
        loop {
            let step = backup.step(STEP_PAGES)?;
            let progress = backup.progress();
            let go_on = pace(pages(progress.remaining), pages(progress.pagecount));
            if step == StepResult::Done {
                break;
            }
            if !go_on {
                return Ok(false);
            }
        }
    }
    // Out of WAL mode: the copy is one file, and reading it leaves no files beside it.
    target.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))?;
    target.close().map_err(|(_, error)| error)?;
    let sync = |path: &Path| File::open(path).and_then(|file| file.sync_all());
    let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty());
    sync(to)
        .and_then(|()| sync(folder.unwrap_or(Path::new("."))))
        .map_err(|source| Error::Io { path: to.to_owned(), source })?;
    Ok(true)
}

fn pages(count: i32) -> u64 {
    u64::try_from(count).unwrap_or(0)
}

/// Removes a partial copy and what SQLite may have put beside it.
fn remove(path: &Path) -> io::Result<()> {
    for suffix in ["-journal", "-wal", "-shm", ""] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match fs::remove_file(Path::new(&name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// Reads a snapshot in full, indexes against rows included, and changes nothing.
///
/// # Errors
///
/// `Corrupt` names the first thing that is wrong; `Newer` when this program cannot judge it.
pub fn verify_snapshot(path: &Path) -> Result<(), Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(|error| Error::Unreadable {
        path: path.to_owned(),
        why: "it cannot be opened".to_owned(),
        source: Some(io::Error::other(error)),
    })?;
    let mut flaws = structure_flaws(&conn, "integrity_check")?;
    flaws.extend(application_flaw(&conn)?);
    flaws.extend(foreign_key_flaws(&conn)?);
    if let Some(flaw) = flaws.into_iter().next() {
        return Err(Error::Corrupt { what: flaw.sentence, source: None });
    }
    let found = stored_version(&conn)?;
    if found > SCHEMA_VERSION {
        return Err(Error::Newer { found, known: SCHEMA_VERSION });
    }
    Ok(())
}
