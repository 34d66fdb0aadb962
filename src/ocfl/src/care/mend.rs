//! Makes an object whole again in one replica, from what other replicas hold.
//!
//! The order is what does not belong, content, version inventories with their sidecars, records,
//! declaration, root sidecar, root inventory: whatever names something comes after it, so that a
//! mend that was interrupted leaves flaws which the next one finds, and never a name for what is
//! not there. Each file is replaced in one step, and what lay there before is kept in our corner of
//! the root first. Bytes are digested on their way, and those of a source that turn out wrong never
//! arrive; what arrived is read back from the medium.
//!
//! What no replica has in order stays as it is and where it is.

use std::io;

use rayon::prelude::*;

use super::super::address::{CORNER, ObjectId, Sha512};
use super::super::error::VaultError;
use super::super::media::Upload;
use super::super::replica::Replica;
use super::flaw::{Flaw, Part};
use super::reading::{Digesting, Outcome, Seen};
use super::sources::Good;
use super::truth::Truth;

/// Copies that are mended side by side: each waits for its disk or server, and may hold a part of
/// an upload.
const HAND: usize = 8;

/// Where bytes of an object lie that were damaged or did not belong: until the object is deleted.
pub(in super::super) fn aside_root(object: &ObjectId) -> String {
    format!("{CORNER}/set-aside/{}", object.hash())
}

/// What is to be mended, and from whom.
#[derive(Clone, Copy)]
pub struct Mending<'m> {
    pub truth: &'m Truth<'m>,
    /// As [`Replica::examine`] told them.
    pub flaws: &'m [Flaw],
    /// Other replicas, the best first.
    pub sources: &'m [&'m Replica],
    /// Names the folder of what is set aside: letters, digits and `-` only.
    pub moment: &'m str,
}

/// What became of a flaw.
#[derive(Debug)]
pub enum Became {
    /// In order again, read back and compared.
    Mended {
        /// The replica whose bytes these are; none for what is made and not copied.
        from: Option<String>,
        /// Where the damaged bytes lie now, relative to the storage root.
        aside: Option<String>,
    },
    /// What does not belong lies there now.
    SetAside { to: String },
    /// An empty folder, or what was gone already.
    Removed,
    /// No replica has it in order. What is left of it was not touched.
    Lost,
    /// Not known: a source could not be asked, or this one file cannot be written or read back.
    Left(VaultError),
}

/// How one source served.
pub(super) enum Served {
    Well,
    /// It has other bytes or none.
    Badly,
    /// It could not be asked. The target is as it was.
    Not(VaultError),
    /// The target had trouble with this one file, and may hold the new bytes.
    Unproven(VaultError),
}

impl Replica {
    /// Mends flaws, and tells of each what became of it as soon as that is known and durable.
    /// `checkpoint` is told the bytes copied since it was last told; its error ends the work early.
    /// A target that is away or full is an error, and repeating is harmless.
    pub fn mend<E: Send + From<VaultError>>(
        &self,
        mending: Mending<'_>,
        checkpoint: impl Fn(u64) -> Result<(), E> + Sync,
        mut told: impl FnMut(&Flaw, Became) -> Result<(), E>,
    ) -> Result<(), E> {
        self.present()?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if mending.moment.is_empty() || !mending.moment.chars().all(is_plain) {
            let what = format!("`{}` cannot name a folder", mending.moment);
            return Err(VaultError::Refused { what }.into());
        }
        let mut flaws: Vec<&Flaw> = mending.flaws.iter().collect();
        flaws.sort_by_key(|flaw| flaw.part);
        let rest = flaws.partition_point(|flaw| flaw.part <= Part::EmptyFolder);
        let (unwanted, wanted) = flaws.split_at(rest);
        let root = mending.truth.object().root();
        let mut became = Vec::new();
        for flaw in unwanted {
            checkpoint(0)?;
            became.push(self.put_away(&mending, flaw)?);
        }
        if !unwanted.is_empty() {
            self.medium.prune(&root)?;
        }
        for (flaw, became) in unwanted.iter().zip(became) {
            told(flaw, became)?;
        }
        // Content in any order, many at once; what names it one after the other.
        let rest = wanted.partition_point(|flaw| flaw.part == Part::Content);
        let (contents, frame) = wanted.split_at(rest);
        for hand in contents.chunks(HAND).chain(frame.chunks(1)) {
            checkpoint(0)?;
            let mend = |flaw: &&Flaw| self.mend_one(&mending, flaw, &checkpoint);
            let all: Vec<Result<Became, E>> = hand.par_iter().map(mend).collect();
            let mut failed = None;
            for (flaw, became) in hand.iter().zip(all) {
                match became {
                    Ok(became) => told(flaw, became)?,
                    Err(error) => failed = Some(error),
                }
            }
            failed.map_or(Ok(()), Err)?;
        }
        Ok(())
    }

    fn put_away(&self, mending: &Mending<'_>, flaw: &Flaw) -> Result<Became, VaultError> {
        if flaw.part == Part::EmptyFolder {
            return Ok(Became::Removed);
        }
        let set_aside = self.medium.set_aside(&mending.key(flaw), &mending.aside(flaw), false);
        match set_aside {
            Ok(Some(to)) => Ok(Became::SetAside { to }),
            Ok(None) => Ok(Became::Removed),
            Err(error) => self.of_this_file(error).map(Became::Left),
        }
    }

    fn mend_one<E: Send + From<VaultError>>(
        &self,
        mending: &Mending<'_>,
        flaw: &Flaw,
        checkpoint: &(impl Fn(u64) -> Result<(), E> + Sync),
    ) -> Result<Became, E> {
        let Some(expected) = flaw.expected else { return Ok(Became::Lost) };
        let key = mending.key(flaw);
        let aside = match self.medium.set_aside(&key, &mending.aside(flaw), true) {
            Ok(aside) => aside,
            Err(error) => return Ok(Became::Left(self.of_this_file(error)?)),
        };
        let mut trouble = None;
        for good in mending.sources_of(self, flaw, &expected)? {
            match self.receive(&key, &good, &expected, checkpoint)? {
                Served::Well => return Ok(Became::Mended { from: good.name(), aside }),
                Served::Badly => {}
                Served::Not(error) => trouble = Some(error),
                Served::Unproven(error) => return Ok(Became::Left(error)),
            }
        }
        self.keep_once(&key, aside.as_deref())?;
        Ok(trouble.map_or(Became::Lost, Became::Left))
    }

    /// What was kept aside is not needed while it lies where it always lay.
    pub(super) fn keep_once(&self, key: &str, aside: Option<&str>) -> Result<(), VaultError> {
        match aside {
            Some(aside) if self.medium.size_of(key)?.is_some() => self.medium.remove(aside),
            Some(_) | None => Ok(()),
        }
    }

    /// Copies one file from one source, and reads it back.
    pub(super) fn receive<E: Send + From<VaultError>>(
        &self,
        key: &str,
        good: &Good<'_>,
        expected: &Sha512,
        checkpoint: &(impl Fn(u64) -> Result<(), E> + Sync),
    ) -> Result<Served, E> {
        let (reader, size_bytes) = match good.open(key) {
            Ok(Some(opened)) => opened,
            Ok(None) => return Ok(Served::Badly),
            Err(error) => return Ok(Served::Not(error)),
        };
        let mut stopped = None;
        let mut told = |bytes| {
            checkpoint(bytes).map_err(|error| {
                stopped = Some(error);
                io::Error::other("stopped")
            })
        };
        let mut source = Digesting::new(reader, Some((size_bytes, *expected)), &mut told);
        let put = self.medium.put(key, Upload { source: &mut source, size_bytes });
        let (_, outcome) = source.end();
        if let Some(error) = stopped.take() {
            return Err(error);
        }
        match (put, outcome) {
            (_, Outcome::Wrong) => return Ok(Served::Badly),
            (_, Outcome::Failed(error)) => return Ok(Served::Not(good.blame(key, error))),
            (Err(error), _) => return Ok(Served::Unproven(self.of_this_file(error)?)),
            (Ok(()), _) => {}
        }
        Ok(match self.look_at(key, checkpoint)? {
            Seen::Whole { sha512, .. } if sha512 == *expected => Served::Well,
            Seen::Whole { .. } | Seen::Absent | Seen::NotAFile | Seen::Unreadable(_) => {
                let what = format!("{key} was written and is read back as something else");
                Served::Unproven(self.damaged(what))
            }
        })
    }

    /// Reads the file at a key, from the medium, unless the checkpoint ends the work.
    pub(super) fn look_at<E: Send + From<VaultError>>(
        &self,
        key: &str,
        checkpoint: &(impl Fn(u64) -> Result<(), E> + Sync),
    ) -> Result<Seen, E> {
        let mut stopped = None;
        let seen = self.see(key, &mut |bytes| {
            checkpoint(bytes).map_err(|error| {
                stopped = Some(error);
                io::Error::other("stopped")
            })
        })?;
        stopped.map_or(Ok(seen), Err)
    }

    /// Trouble that only this file has; what concerns the whole replica ends the mend.
    fn of_this_file(&self, error: VaultError) -> Result<VaultError, VaultError> {
        match error {
            VaultError::Refused { .. }
            | VaultError::NotFound { .. }
            | VaultError::Lacks { .. }
            | VaultError::Damaged { .. } => {
                self.present()?;
                Ok(error)
            }
            VaultError::Away { .. }
            | VaultError::Full { .. }
            | VaultError::Denied { .. }
            | VaultError::Conflict { .. }
            | VaultError::Ahead { .. }
            | VaultError::Source { .. }
            | VaultError::Changed { .. }
            | VaultError::Scratch { .. } => Err(error),
        }
    }
}

impl<'m> Mending<'m> {
    fn key(&self, flaw: &Flaw) -> String {
        format!("{}/{}", self.truth.object().root(), flaw.path).trim_end_matches('/').to_owned()
    }

    fn aside(&self, flaw: &Flaw) -> String {
        let path = if flaw.path.is_empty() { "object" } else { &flaw.path };
        format!("{}/{}/{path}", aside_root(self.truth.object()), self.moment)
    }
}
