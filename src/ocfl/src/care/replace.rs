//! Repairs one file of an object from bytes that somebody supplied: a deposit that brings the file
//! again, or a person who has it.
//!
//! As with a repair from another replica, the bytes are digested on their way and replace the file in
//! one step, what was there before is kept aside first, and what arrived is read back.

use digests::Source;

use super::super::address::ObjectId;
use super::super::error::VaultError;
use super::super::replica::Replica;
use super::super::verify::Expected;
use super::flaw::{Flaw, Part};
use super::mend::{Served, aside_root};
use super::reading::Seen;
use super::sources::Good;

/// Bytes that somebody supplied, opened once for every replica that needs them.
#[derive(Clone, Copy)]
pub struct Supplied<'s> {
    pub open: &'s (dyn Fn() -> Source<'static> + Sync),
    pub size_bytes: u64,
}

impl Replica {
    /// Reads one sealed copy, and replaces it where it is missing or not what it must be; says what
    /// was wrong with it, if anything was. Supplied bytes that are not the right ones are
    /// [`VaultError::Changed`] and change nothing. `moment` names the folder of what is set aside:
    /// letters, digits and `-` only. One writer per object at a time is the caller's part.
    pub fn replace<K, E: Send + From<VaultError>>(
        &self,
        object: &ObjectId,
        copy: &Expected<K>,
        supplied: Supplied<'_>,
        moment: &str,
        checkpoint: impl Fn(u64) -> Result<(), E> + Sync,
    ) -> Result<Option<Flaw>, E> {
        self.present()?;
        let path = &copy.content_path;
        let key = format!("{}/{path}", object.root());
        let seen = self.look_at(&key, &checkpoint)?;
        if seen.sha512() == Some(&copy.sha512) {
            return Ok(None);
        }
        let aside = format!("{}/{moment}/{path}", aside_root(object));
        let aside = self.medium.set_aside(&key, &aside, true)?;
        match self.receive(&key, &Good::Supplied(supplied), &copy.sha512, &checkpoint)? {
            Served::Well => Ok(Some(flaw(path, copy, seen))),
            Served::Unproven(error) => Err(error.into()),
            Served::Badly => {
                self.keep_once(&key, aside.as_deref())?;
                Err(VaultError::Changed { what: path.clone() }.into())
            }
            Served::Not(error) => {
                self.keep_once(&key, aside.as_deref())?;
                Err(error.into())
            }
        }
    }
}

fn flaw<K>(path: &str, copy: &Expected<K>, seen: Seen) -> Flaw {
    let (part, expected, found) = (Part::Content, Some(copy.sha512), seen.into_found());
    Flaw { part, path: path.to_owned(), expected, found }
}
