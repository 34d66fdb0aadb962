//! Copies of recordings that lie elsewhere, kept for a while: who listens asks for many ranges, and
//! researchers come one after the other.
//!
//! They are nameless files, gone with the process; no more of them than a few.

use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::{GoOn, MediaError, Opened};
use crate::app::App;

/// Copies kept, the last used.
const MOST: usize = 6;
/// For how long: what lies elsewhere may change there.
const LIFE: Duration = Duration::from_secs(15 * 60);

struct Kept {
    name: String,
    opened: Opened,
    since: Duration,
}

/// The last used at the end. One list for the process, as the disk is one.
static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

/// The copy that is known by this name.
pub(super) fn take(app: &App, name: &str) -> Option<Opened> {
    let now = app.shop.clock.steady();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|it| now.saturating_sub(it.since) < LIFE);
    let at = kept.iter().position(|it| it.name == name)?;
    let found = kept.remove(at);
    let opened = found.opened.clone();
    kept.push(found);
    Some(opened)
}

/// Keeps a copy, in place of the one that was not used for longest.
pub(super) fn keep(app: &App, name: &str, opened: &Opened) {
    let since = app.shop.clock.steady();
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|it| it.name != name);
    if kept.len() >= MOST {
        kept.remove(0);
    }
    kept.push(Kept { name: name.to_owned(), opened: opened.clone(), since });
}

/// A nameless file in the staging folder.
pub(super) fn nameless(app: &App) -> Result<File, MediaError> {
    let folder = app.config.staging();
    byteio::durable::create_folder(&folder).map_err(MediaError::NoPlace)?;
    tempfile::tempfile_in(&folder).map_err(MediaError::NoPlace)
}

/// Copies all that comes, up to a limit; each piece is shown first. How much it was.
pub(super) fn copy(
    from: &mut dyn io::Read,
    mut to: &File,
    (limit_bytes, go_on): (u64, GoOn<'_>),
    mut each: impl FnMut(&[u8]),
) -> Result<u64, MediaError> {
    let mut piece = vec![0; 1 << 18];
    let mut size_bytes = 0;
    loop {
        if go_on().is_break() {
            return Err(MediaError::Stopped);
        }
        let count = match from.read(&mut piece) {
            Ok(0) => return Ok(size_bytes),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(MediaError::Unfetched { why: error.to_string() }),
        };
        size_bytes += count as u64;
        if size_bytes > limit_bytes {
            return Err(MediaError::TooLarge { limit_mb: limit_bytes >> 20 });
        }
        each(&piece[..count]);
        to.write_all(&piece[..count]).map_err(MediaError::NoPlace)?;
    }
}
