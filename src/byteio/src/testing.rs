//! What tests of this crate and of those above it share: a look at every flush, and golden bytes.

use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::sync::{PoisonError, RwLock};

use crate::durable::Flush;
use crate::record::{Record, decode, encode};

type Look = Box<dyn Fn(&Flush<'_>, bool) + Send + Sync>;

static AT_EACH_FLUSH: RwLock<Option<Look>> = RwLock::new(None);

/// Calls `look` before and after every flush of a file of ours in this process; the second value
/// says whether the flush was made.
pub fn at_each_flush(look: impl Fn(&Flush<'_>, bool) + Send + Sync + 'static) {
    *AT_EACH_FLUSH.write().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(look));
}

pub(crate) fn tell_flush(flush: &Flush<'_>, is_made: bool) {
    if let Some(look) = &*AT_EACH_FLUSH.read().unwrap_or_else(PoisonError::into_inner) {
        look(flush, is_made);
    }
}

/// Compares what a record is written as with its golden bytes in a folder, and what these are read
/// as with the record. `STRONGROOM_WRITE_GOLDEN=1` writes a file that is missing, never one that is
/// there. Says what differs.
pub fn compare_golden<R: Record + Debug>(
    folder: &Path,
    name: &str,
    record: &R,
) -> Result<(), String> {
    let file = format!("{name}.v{}.bin", R::VERSION);
    let path = folder.join(&file);
    let bytes = encode(record).map_err(|error| format!("{file}: {error}"))?;
    let is_missing = !path.try_exists().map_err(|error| format!("{file}: {error}"))?;
    if is_missing && std::env::var_os("STRONGROOM_WRITE_GOLDEN").is_some() {
        crate::durable::write(&path, &bytes, false).map_err(|error| format!("{file}: {error}"))?;
    }
    let golden = fs::read(&path).map_err(|error| format!("{file}: {error}"))?;
    let read = decode::<R>(&golden).map_err(|error| format!("{file}: {error}"))?;
    let (read, meant) = (format!("{read:?}"), format!("{record:?}"));
    if read != meant {
        return Err(format!("{file} is read as\n{read}\nand not as\n{meant}"));
    }
    if bytes != golden {
        return Err(format!("{file}: the same value is written differently now"));
    }
    Ok(())
}
