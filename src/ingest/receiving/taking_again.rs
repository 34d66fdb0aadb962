//! Takes a deposit again whose item was cancelled or given up, when a person asks for it: the sweep
//! leaves it alone, because it knows that it was taken once.

use std::fs;
use std::io;

use ocfl::InboxError;
use storage::registry::{Institution, ItemRow};

use super::super::INGEST;
use super::super::place::{Area, area, etag};
use super::taking::{Way, take, way};
use super::{Deposited, bucket};
use crate::app::{App, FileFault};
use crate::fault::Fault;

/// Why a deposit is not taken again. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum AgainError {
    /// It was preserved, is worked on, or is no ingest.
    #[error(
        "item {0} is no ingest that was cancelled or failed: its deposit is not taken again, and \
         nothing was changed"
    )]
    NotGivenUp(i64),
    /// It does not lie there any more, or not as it was.
    #[error(
        "the deposit of item {0} is no longer in the receiving area as it was when it was taken; \
         nothing was changed"
    )]
    Gone(i64),
    /// Another item works on the same object, or will.
    #[error(
        "another item works on the object of item {0} and has to end first; nothing was changed"
    )]
    Busy(i64),
    /// The receiving area, or the work state, did not answer.
    #[error("the deposit of item {item} cannot be taken again now: {why}; nothing was changed")]
    Away {
        /// Whose deposit was asked for.
        item: i64,
        /// Why not.
        why: String,
    },
}

/// Whether an item is one whose deposit may still lie where it was received, with nobody to take it.
pub(crate) fn is_given_up(item: &ItemRow) -> bool {
    item.flow == INGEST.name && ["Cancelled", "Failed"].contains(&item.status.as_str())
}

/// Whether its deposit lies in a folder as it was when it was taken, or did so in a bucket when that
/// was last listed: a page does not wait for a bucket.
pub(crate) fn still_lies(app: &App, item: &ItemRow) -> bool {
    match area(&app.config, &item.bucket) {
        Area::Folder(folder) => {
            let found = fs::symlink_metadata(folder.join(&item.name));
            found.is_ok_and(|found| etag(&found) == item.etag)
        }
        Area::Bucket(_) => bucket::was_seen(app, &item.bucket, (&item.name, &item.etag)),
    }
}

/// Makes an item of the deposit once more; its number.
pub(crate) fn take_again(
    app: &App,
    institution: &Institution,
    item: &ItemRow,
    by: &str,
) -> Result<u64, AgainError> {
    if !is_given_up(item) {
        return Err(AgainError::NotGivenUp(item.id));
    }
    let away = |fault: Fault| AgainError::Away {
        item: item.id,
        why: fault.sentence_or("looking at it was interrupted"),
    };
    let found = deposited(app, institution, item).map_err(away)?;
    let Some(deposited) = found.filter(|found| found.etag == item.etag) else {
        return Err(AgainError::Gone(item.id));
    };
    if way(app, institution, &deposited).map_err(away)? != Way::Free {
        return Err(AgainError::Busy(item.id));
    }
    let taken = take(app, institution, &deposited, by).map_err(away)?;
    match taken.pushed.new {
        true => Ok(taken.pushed.id.0),
        false => Err(AgainError::Busy(item.id)),
    }
}

/// The deposit as it lies there now.
fn deposited(
    app: &App,
    institution: &Institution,
    item: &ItemRow,
) -> Result<Option<Deposited>, Fault> {
    match area(&app.config, &institution.identifier) {
        Area::Folder(folder) => {
            let path = folder.join(&item.name);
            match fs::symlink_metadata(&path) {
                Ok(found) => Ok(Some(Deposited::file(&item.name, &found))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(FileFault::at("look at", &path)(error)),
            }
        }
        Area::Bucket(_) => {
            let looked = app.doorstep.ask(|inbox| inbox.look(&institution.identifier, &item.name));
            match looked {
                Ok(letter) => Ok(Some(bucket::deposited(&letter))),
                Err(InboxError::Gone { .. }) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }
    }
}
