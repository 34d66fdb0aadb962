//! A person has a file that no hot replica has an intact copy of any more, and sends it.
//!
//! It is written to a nameless file in the staging folder: what a process that died had received of it
//! is gone, and sending it again is the second try. Nothing in a replica is touched before all digests
//! of what was sent are those of the lost version.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;

use byteio::read_at::ReadAt;
use digests::{Algorithm, AlgorithmSet, Digests, Hasher, Source};
use ocfl::{Expected, Replica, Supplied};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{Deed, FileId, FileRow, HeldState, LostFile, ObjectRow};

use super::fixity::failed;
use super::{Desk, DeskError};
use crate::accounts::Note;
use crate::arrivals::{Announced, NotNow};
use crate::fault::Fault;
use crate::replacement::Replacement;
use crate::rights::Right;

/// Versions of one file that may be lost at once and are looked for.
const VERSIONS: u32 = 1000;

/// Why a file was not replaced. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ReplaceError {
    /// There is nothing to replace.
    #[error(
        "{0} is not lost: a hot replica has an intact copy of every version of it, as far as the last \
         check knows"
    )]
    NotLost(String),
    /// It was deleted, or is being deleted.
    #[error("{0} is deleted or is being deleted: nothing of it is replaced")]
    Deleted(String),
    /// Other bytes were sent.
    #[error("what was sent is not the lost file: {sent}; {expected}. Nothing was changed")]
    OtherBytes {
        /// What came.
        sent: String,
        /// What should have come.
        expected: String,
    },
    /// Somebody else sends it.
    #[error("{0} is being sent by somebody else at this moment")]
    BeingSent(String),
    /// Too much is received already.
    #[error("too many files are being sent at this moment")]
    Crowded,
    /// The disk is nearly full.
    #[error("the disk of the data directory is nearly full: the file cannot be received")]
    NoRoom,
    /// The staging folder failed.
    #[error("the file could not be kept while it is received")]
    Staging(#[source] io::Error),
    /// No replica could be repaired.
    #[error("no replica could be repaired: {0}")]
    NotRepaired(String),
}

/// A file on its way in.
pub struct Replacing {
    file: FileRow,
    object: ObjectRow,
    lost: Vec<LostFile>,
    /// The largest of these: more is not read.
    most: u64,
    received: File,
    hasher: Hasher,
    _announced: Announced,
}

/// What a replacement repaired.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Replaced {
    /// The file's identifier.
    pub file: String,
    /// Its UUID.
    pub uuid: String,
    /// The version whose bytes were sent.
    pub version: u32,
    /// Replicas whose copy was replaced and read back.
    pub repaired: Vec<String>,
    /// Replicas whose copy was intact.
    pub intact: Vec<String>,
    /// Replicas that could not be repaired now; the next fixity check repairs them from the others.
    pub away: Vec<String>,
}

impl Replaced {
    /// What came of it, for people.
    pub fn sentence(&self) -> String {
        let Replaced { file, version, repaired, away, .. } = self;
        let mut sentence = match repaired.is_empty() {
            true => format!("Every copy of version {version} of {file} was intact already."),
            false => format!(
                "Version {version} of {file} was replaced in {} and read back.",
                repaired.join(", ")
            ),
        };
        if !away.is_empty() {
            sentence += &format!(
                " Not reached: {}; the next check of the object repairs it there.",
                away.join(", ")
            );
        }
        sentence
    }
}

impl Desk<'_> {
    /// Versions of a file that no hot replica has an intact copy of.
    pub fn lost_versions(&self, file: &FileRow) -> Result<Vec<LostFile>, DeskError> {
        let (object, file) = (file.intellectual_object_id, Some(file.id));
        Ok(self.app.registry.lost_files(object, file, VERSIONS)?)
    }

    /// Begins to receive a file; `size` is what is announced of it.
    pub fn begin_replacement(
        &self,
        which: &str,
        size: Option<u64>,
    ) -> Result<Replacing, DeskError> {
        let file = self.held_file(which)?;
        let object = self.held_object(&file.intellectual_object_id.to_string())?;
        self.require_own(&object, Right::Check)?;
        self.require_undeleted(&object, file.id)?;
        let lost = self.lost_versions(&file)?;
        let Some(most) = lost.iter().map(|it| it.size).max() else {
            return Err(ReplaceError::NotLost(file.identifier).into());
        };
        if size.is_some_and(|size| size > most) {
            return Err(longer(&lost).into());
        }
        let owner = object.institution_id.to_string();
        let announced = self.app.arrivals.announce(&owner, &format!("file/{}", file.uuid));
        let announced = announced.map_err(|why| match why {
            NotNow::Taken => ReplaceError::BeingSent(file.identifier.clone()),
            NotNow::Crowded => ReplaceError::Crowded,
        })?;
        let folder = self.app.config.staging();
        byteio::durable::create_folder(&folder).map_err(ReplaceError::Staging)?;
        let received = tempfile::tempfile_in(folder).map_err(ReplaceError::Staging)?;
        let hasher = Hasher::new(AlgorithmSet::FOUR);
        Ok(Replacing { file, object, lost, most, received, hasher, _announced: announced })
    }

    /// Takes the next bytes of it.
    pub fn receive_replacement(
        &self,
        replacing: &mut Replacing,
        bytes: &[u8],
    ) -> Result<(), DeskError> {
        if replacing.hasher.stream_len().saturating_add(bytes.len() as u64) > replacing.most {
            return Err(longer(&replacing.lost).into());
        }
        if !self.app.shop.room.is_open() {
            return Err(ReplaceError::NoRoom.into());
        }
        replacing.received.write_all(bytes).map_err(ReplaceError::Staging)?;
        replacing.hasher.update(bytes);
        Ok(())
    }

    /// All of it is there: compares it, and repairs every copy with it.
    pub fn complete_replacement(&self, replacing: Replacing) -> Result<Replaced, DeskError> {
        let Replacing { file, object, lost, received, hasher, .. } = replacing;
        let size = hasher.stream_len();
        let digests = hasher.finish();
        let is_it = |it: &&LostFile| it.size == size && is_same(it, &digests);
        let Some(version) = lost.iter().find(is_it) else {
            let sent = told(size, digests.hex(Algorithm::Sha256).unwrap_or_default());
            let expected = expected(&lost);
            return Err(
                ReplaceError::OtherBytes { sent: format!("it has {sent}"), expected }.into()
            );
        };
        let from = format!("a file that {} sent", self.caller.name());
        let mut replaced = Replaced {
            file: file.identifier.clone(),
            uuid: file.uuid.to_string(),
            version: version.version.0,
            repaired: Vec::new(),
            intact: Vec::new(),
            away: Vec::new(),
        };
        let checkpoint = || match self.app.shop.stop.asked() {
            true => Err(Fault::Interrupted),
            false => Ok(()),
        };
        let hold = self.app.custody.hold(&object.identifier, checkpoint).map_err(failed)?;
        // It may have been deleted while the file was sent.
        self.require_undeleted(&object, file.id)?;
        let at = self.app.shop.clock.now();
        let name = format!("{} {}", file.uuid, at.0);
        let replacement =
            Replacement { app: self.app, object: &object, from: &from, name: &name, at };
        let received = Arc::new(received);
        let open = || opened(&received);
        let copy = Expected {
            key: (),
            content_path: version.content_path.clone(),
            sha512: version.digests.sha512,
            size_bytes: Some(size),
        };
        let mut trouble = None;
        let replicas = self.replicas_of(file.id, version)?;
        for replica in &replicas {
            let supplied = Supplied { open: &open, size_bytes: size };
            let name = replica.name().to_owned();
            match replacement.repair(replica, &copy, supplied, |_| checkpoint()) {
                Ok(true) => replaced.repaired.push(name),
                Ok(false) => replaced.intact.push(name),
                Err(fault) => {
                    tracing::warn!(replica = name, ?fault, "a copy could not be replaced");
                    replaced.away.push(name);
                    trouble = Some(fault);
                }
            }
        }
        if replaced.repaired.is_empty() && replaced.intact.is_empty() {
            let why = trouble.map_or_else(
                || "no replica is there".to_owned(),
                |fault| fault.sentence_or("the repair was interrupted"),
            );
            return Err(ReplaceError::NotRepaired(why).into());
        }
        replacement.ended(&replicas).map_err(failed)?;
        drop(hold);
        let note = Note::of(Deed::ReplaceFile).to("file", &file.identifier);
        self.note(note.within(Some(object.institution_id)).saying(replaced.sentence()));
        Ok(replaced)
    }

    /// The hot replicas that have, or should have, a copy of this version.
    fn replicas_of(&self, file: FileId, lost: &LostFile) -> Result<Vec<&Replica>, DeskError> {
        let copies = self.app.registry.copies(file, lost.version)?;
        let mut hot = self.app.vaults.hot();
        hot.retain(|replica| copies.iter().any(|copy| copy.replica == replica.name()));
        Ok(hot)
    }

    /// What two people agreed to delete is not brought back.
    fn require_undeleted(&self, object: &ObjectRow, file: FileId) -> Result<(), DeskError> {
        let (registry, now) = (&self.app.registry, self.app.shop.clock.now());
        let current = registry.object(object.id)?;
        let is_held = current.is_some_and(|it| it.state == HeldState::Active);
        let whole = registry.approved_deletion_of(object.id)?;
        let own = registry.approved_deletion_of_file(object.id, file)?;
        let is_going = whole.into_iter().chain(own).any(|part| part.is_due(now));
        match is_held && !is_going {
            true => Ok(()),
            false => Err(ReplaceError::Deleted(object.identifier.clone()).into()),
        }
    }
}

/// The received bytes from their start, for one reader of several.
struct Received {
    file: Arc<File>,
    at: u64,
}

impl Read for Received {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read_at(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

fn opened(file: &Arc<File>) -> Source<'static> {
    let received = Received { file: Arc::clone(file), at: 0 };
    Source::Reader(Box::new(move || {
        let reader: Box<dyn Read + Send> = Box::new(received);
        Ok(reader)
    }))
}

/// Whether all digests are those of a version.
fn is_same(lost: &LostFile, sent: &Digests) -> bool {
    let is = |algorithm, wanted: &[u8]| sent.hex(algorithm) == Some(hex(wanted));
    is(Algorithm::Md5, &lost.digests.md5)
        && is(Algorithm::Sha1, &lost.digests.sha1)
        && is(Algorithm::Sha256, &lost.digests.sha256)
        && is(Algorithm::Sha512, &lost.digests.sha512)
}

fn longer(lost: &[LostFile]) -> ReplaceError {
    let sent = "it has more bytes".to_owned();
    ReplaceError::OtherBytes { sent, expected: expected(lost) }
}

/// What is expected, in words.
fn expected(lost: &[LostFile]) -> String {
    let one = |it: &LostFile| {
        format!("version {} has {}", it.version, told(it.size, hex(&it.digests.sha256)))
    };
    lost.iter().take(3).map(one).collect::<Vec<_>>().join("; ")
}

fn told(size: u64, sha256: String) -> String {
    format!("{size} bytes and the SHA-256 {sha256}")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
