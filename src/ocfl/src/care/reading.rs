//! Reads one file of a replica to its end, for its digest.
//!
//! Trouble with one file is told apart from a replica that is away: the replica is asked for its
//! marker when a file fails, and only if that is readable the file itself is at fault.

use std::io::{self, Read};

use digests::{Algorithm, AlgorithmSet, Hasher};

use super::super::address::{Sha512, sha512_of};
use super::super::error::VaultError;
use super::super::replica::Replica;
use super::flaw::Found;

/// What is known of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Absent,
    NotAFile,
    Whole { size_bytes: u64, sha512: Sha512 },
    Unreadable(String),
}

impl Seen {
    pub(super) fn sha512(&self) -> Option<&Sha512> {
        match self {
            Seen::Whole { sha512, .. } => Some(sha512),
            Seen::Absent | Seen::NotAFile | Seen::Unreadable(_) => None,
        }
    }

    /// Why this is not the expected file.
    pub(super) fn into_found(self) -> Found {
        match self {
            Seen::Absent => Found::Missing,
            Seen::NotAFile => Found::NotAFile,
            Seen::Whole { size_bytes, sha512 } => Found::Differs { size_bytes, sha512 },
            Seen::Unreadable(why) => Found::Unreadable { why },
        }
    }
}

/// Telling costs something, and is done this often.
const TOLD_LEN: u64 = 1 << 20;

/// Told how many bytes were read; its error ends the reading.
pub(super) type Told<'t> = &'t mut (dyn FnMut(u64) -> io::Result<()> + Send);

/// A reader that knows the digest of what went through it.
pub(super) struct Digesting<'d> {
    reader: Box<dyn Read + Send + 'd>,
    hasher: Hasher,
    told: Told<'d>,
    /// Bytes nobody was told of yet.
    untold: u64,
    /// Must it be something, the end is refused where it is not.
    expected: Option<(u64, Sha512)>,
    outcome: Outcome,
}

/// How a reading ended.
#[derive(Debug, Default)]
pub(super) enum Outcome {
    /// Not at its end.
    #[default]
    Open,
    Ended(Sha512),
    /// It ended, or went on, as something else than expected.
    Wrong,
    Failed(io::Error),
    /// Whoever was told did not want more.
    Stopped,
}

impl<'d> Digesting<'d> {
    pub(super) fn new(
        reader: Box<dyn Read + Send + 'd>,
        expected: Option<(u64, Sha512)>,
        told: Told<'d>,
    ) -> Digesting<'d> {
        let hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
        Digesting { reader, hasher, told, untold: 0, expected, outcome: Outcome::Open }
    }

    /// Reads to the end and keeps nothing.
    pub(super) fn exhaust(mut self) -> (u64, Outcome) {
        let mut buffer = vec![0; 256 << 10];
        while matches!(self.read(&mut buffer), Ok(1..)) {}
        self.end()
    }

    /// How many bytes went through, and how it ended.
    pub(super) fn end(self) -> (u64, Outcome) {
        (self.hasher.stream_len(), self.outcome)
    }

    fn tell(&mut self) -> io::Result<()> {
        match (self.told)(std::mem::take(&mut self.untold)) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.refuse(Outcome::Stopped)),
        }
    }

    fn refuse(&mut self, outcome: Outcome) -> io::Error {
        self.outcome = outcome;
        io::Error::other("the source is not as expected")
    }
}

impl Read for Digesting<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.outcome {
            Outcome::Open => {}
            Outcome::Ended(_) => return Ok(0),
            Outcome::Wrong | Outcome::Failed(_) | Outcome::Stopped => {
                return Err(io::Error::other("the source has failed"));
            }
        }
        let count = match self.reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
            Err(error) => return Err(self.refuse(Outcome::Failed(error))),
            Ok(count) => count,
        };
        self.hasher.update(&buffer[..count]);
        let len = self.hasher.stream_len();
        if count > 0 {
            let is_longer = self.expected.is_some_and(|(size_bytes, _)| len > size_bytes);
            if is_longer {
                return Err(self.refuse(Outcome::Wrong));
            }
            self.untold += count as u64;
            return if self.untold < TOLD_LEN { Ok(count) } else { self.tell().map(|()| count) };
        }
        self.tell()?;
        let sha512 = sha512_of(&self.hasher.clone().finish()).unwrap_or([0; 64]);
        if self.expected.is_some_and(|expected| expected != (len, sha512)) {
            return Err(self.refuse(Outcome::Wrong));
        }
        self.outcome = Outcome::Ended(sha512);
        Ok(0)
    }
}

impl Replica {
    /// Reads the file at a key, from the medium.
    pub(super) fn see(&self, key: &str, told: Told<'_>) -> Result<Seen, VaultError> {
        let reader = match self.medium.open(key) {
            Ok(Some(reader)) => reader,
            Ok(None) => return Ok(Seen::Absent),
            Err(error) => return self.at_fault(error),
        };
        match Digesting::new(reader, None, told).exhaust() {
            (size_bytes, Outcome::Ended(sha512)) => Ok(Seen::Whole { size_bytes, sha512 }),
            (_, Outcome::Failed(error)) => self.at_fault(self.unreadable(key, error)),
            (_, Outcome::Open | Outcome::Wrong | Outcome::Stopped) => {
                Ok(Seen::Unreadable("the reading was stopped".into()))
            }
        }
    }

    /// Whether a file failed by itself, or with its replica.
    pub(super) fn at_fault(&self, error: VaultError) -> Result<Seen, VaultError> {
        if matches!(error, VaultError::Scratch { .. }) {
            return Err(error);
        }
        self.present()?;
        Ok(Seen::Unreadable(byteio::causes::chain(&error)))
    }

    /// The bytes of a small file, or nothing where they cannot be had.
    pub(super) fn read_small_if_readable(&self, key: &str) -> Result<Option<Vec<u8>>, VaultError> {
        match self.read_small(key) {
            Ok(bytes) => Ok(bytes),
            Err(error) => self.at_fault(error).map(|_| None),
        }
    }
}
