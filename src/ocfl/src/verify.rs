//! Reads copies back from their medium and compares them with the digests they must have.
//!
//! The bytes come from the medium where the system allows: caches are dropped for each file before
//! it is read, and a bucket is asked for all of it. A digest that was right when the bytes left us
//! says nothing about the bytes that arrived.
//!
//! A copy that cannot be read is read once more. If that fails as well, the replica is asked for its
//! marker: where that can be read, the copy itself is at fault.

use std::fs::File;
use std::io::{self, Read};

use digests::{Algorithm, AlgorithmSet, Job, Outcome, ReadError, Source, digest_many};

use super::address::{ObjectId, Sha512, sha512_of};
use super::error::VaultError;
use super::media::Thawing;
use super::replica::Replica;

/// One copy of one file that must be there.
pub struct Expected<K> {
    pub key: K,
    pub content_path: String,
    pub sha512: Sha512,
    pub size_bytes: Option<u64>,
}

/// What was found.
#[derive(Debug)]
pub enum CopyState {
    Equal,
    /// Other bytes, another number of them, or none that can be read in a replica that is there.
    Differs,
    Missing,
    /// Not known: the replica could not be read.
    Unreadable(VaultError),
}

impl Replica {
    /// Reads copies back, sealed or still in a draft, many at once; each state is delivered as it
    /// is known, in no particular order. `checkpoint` is told the bytes read since it was last
    /// told; its error ends the work early.
    pub fn verify<K: Send, E: Send>(
        &self,
        object: &ObjectId,
        copies: impl Iterator<Item = Expected<K>> + Send,
        checkpoint: impl Fn(u64) -> Result<(), E> + Sync + Send,
        mut deliver: impl FnMut(K, CopyState) + Send,
    ) -> Result<(), E> {
        let mut failed = Vec::new();
        let first = |copy: Expected<K>, read| match read {
            Ok(state) => deliver(copy.key, state),
            Err(error) => failed.push((copy, error)),
        };
        self.read_back(object, copies, &checkpoint, first)?;
        if failed.is_empty() {
            return Ok(());
        }
        // A replica that is away is not asked for each of them once more.
        if self.present().is_err() {
            failed.into_iter().for_each(|(copy, error)| {
                deliver(copy.key, CopyState::Unreadable(error));
            });
            return Ok(());
        }
        let (copies, mut failed) = (failed.into_iter().map(|(copy, _)| copy), Vec::new());
        let second = |copy: Expected<K>, read| match read {
            Ok(state) => deliver(copy.key, state),
            Err(error) => failed.push((copy, error)),
        };
        self.read_back(object, copies, &checkpoint, second)?;
        let is_there = failed.is_empty() || self.present().is_ok();
        for (copy, error) in failed {
            let is_at_fault = is_there && !matches!(error, VaultError::Scratch { .. });
            let state = if is_at_fault { CopyState::Differs } else { CopyState::Unreadable(error) };
            deliver(copy.key, state);
        }
        Ok(())
    }

    /// Reads copies once, many at once; delivers the state of each, or why it could not be read.
    fn read_back<K: Send, E: Send>(
        &self,
        object: &ObjectId,
        copies: impl Iterator<Item = Expected<K>> + Send,
        checkpoint: impl Fn(u64) -> Result<(), E> + Sync + Send,
        mut deliver: impl FnMut(Expected<K>, Result<CopyState, VaultError>) + Send,
    ) -> Result<(), E> {
        let wanted = AlgorithmSet::EMPTY.with(Algorithm::Sha512);
        let jobs = copies.map(|copy| {
            let path = copy.content_path.clone();
            let open = Box::new(move || self.open_copy(object, &path));
            let size_bytes = copy.size_bytes;
            Job { key: copy, source: Source::Reader(open), size_bytes }
        });
        let conclude = |copy: Expected<K>, outcome: Outcome| {
            let state = self.state_of(&copy.sha512, outcome);
            deliver(copy, state);
        };
        let read = move || digest_many(jobs, wanted, checkpoint, conclude);
        match self.medium.readers() {
            Some(pool) => pool.install(read),
            None => read(),
        }
    }

    /// Reads one copy, for fixity checks and restoring.
    pub fn read_copy(
        &self,
        object: &ObjectId,
        content_path: &str,
    ) -> Result<Box<dyn Read + Send + '_>, VaultError> {
        self.open_copy(object, content_path).map_err(|error| {
            let absent = error.kind() == io::ErrorKind::NotFound;
            let what = format!("{content_path} of `{object}`");
            match absent {
                true => VaultError::NotFound { replica: self.name().to_owned(), what },
                false => self.unreadable(&what, error),
            }
        })
    }

    /// The file of a copy itself, where the replica is a folder: it can be read anywhere.
    pub fn copy_file(
        &self,
        object: &ObjectId,
        content_path: &str,
    ) -> Result<Option<File>, VaultError> {
        self.medium.file(&format!("{}/{content_path}", object.root()))
    }

    /// Does work that reads many copies of this replica, on as many threads as pay.
    pub fn reading<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match self.medium.readers() {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }

    /// Asks that a copy in cold storage be brought.
    pub fn thaw(&self, object: &ObjectId, content_path: &str) -> Result<Thawing, VaultError> {
        self.medium.thaw(&format!("{}/{content_path}", object.root()))
    }

    /// How far that is.
    pub fn thawing(&self, object: &ObjectId, content_path: &str) -> Result<Thawing, VaultError> {
        self.medium.thawing(&format!("{}/{content_path}", object.root()))
    }

    fn open_copy(
        &self,
        object: &ObjectId,
        content_path: &str,
    ) -> io::Result<Box<dyn Read + Send + '_>> {
        let sealed = format!("{}/{content_path}", object.root());
        let draft = format!("{}/{content_path}", self.medium.draft_root(object));
        if draft != sealed
            && let Some(reader) = self.medium.open(&draft).map_err(io::Error::other)?
        {
            return Ok(reader);
        }
        let reader = self.medium.open(&sealed).map_err(io::Error::other)?;
        reader.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn state_of(&self, expected: &Sha512, outcome: Outcome) -> Result<CopyState, VaultError> {
        match outcome {
            Ok(read) if sha512_of(&read.digests) == Some(*expected) => Ok(CopyState::Equal),
            Ok(_) | Err(ReadError::Shorter { .. } | ReadError::Longer { .. }) => {
                Ok(CopyState::Differs)
            }
            Err(ReadError::Open(error)) if error.kind() == io::ErrorKind::NotFound => {
                Ok(CopyState::Missing)
            }
            Err(ReadError::Open(error) | ReadError::Read { source: error, .. }) => {
                Err(self.unreadable("a copy", error))
            }
        }
    }
}
