//! What the stages of one ingest tell one another: a record about the bag, and one for each file
//! under its path. Both live in the item's dossier and end with it.

#[cfg(test)]
mod golden;
mod stored;

use byteio::record::{NoOlder, Record};
use serde::{Deserialize, Serialize};
use storage::registry::{Digests, FormatFacts, ObjectFacts, Tag, Version};
use storage::work::dossier::Dossier;
use storage::work::item::Finding;

use crate::fault::Fault;

/// Files read from a dossier in one go.
pub(super) const PAGE: usize = 500;

/// What is known about the bag. It is stored in a shape of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "stored::StoredBag", into = "stored::StoredBag")]
pub(crate) struct BagRecord {
    /// `institution/bag`
    pub(crate) object_identifier: String,
    pub(crate) facts: ObjectFacts,
    /// The storage option that the bag asks for, in its own words.
    pub(crate) asked_option: String,
    pub(crate) tags: Vec<Tag>,
    pub(crate) manifests: Vec<String>,
    /// The folder inside the archive that is the bag; empty for a bag that came as a folder.
    pub(crate) top_folder: String,
    pub(crate) packing: Packing,
    /// All that is wrong with it.
    pub(crate) findings: Vec<Finding>,
    pub(crate) file_count: u64,
    pub(crate) size_bytes: u64,
    /// The version that this ingest makes; none before it is known.
    pub(crate) version: Option<Version>,
    /// Files that are new or changed; none before it is known.
    pub(crate) saved_file_count: u64,
    pub(crate) signatures: String,
    pub(crate) moments: Moments,
}

/// When each stage was done, in milliseconds since 1970; drawn once, so that repeating says the
/// same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Moments {
    pub(crate) surveyed: u64,
    pub(crate) validated: u64,
    pub(crate) identified: u64,
    pub(crate) stored: u64,
    pub(crate) verified: u64,
    pub(crate) recorded: u64,
}

/// Where the bytes of a bag are read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Packing {
    /// Ranges of one tar.
    Tar,
    /// Files in a folder of the staging area.
    Files,
}

/// What is known about one file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileRecord {
    pub(crate) size_bytes: u64,
    pub(crate) digests: FourDigests,
    pub(crate) payload: bool,
    /// Where it begins in the tar.
    pub(crate) position: Option<u64>,
    pub(crate) modified_seconds: Option<i64>,
    pub(crate) fate: Fate,
    pub(crate) format: Option<FormatNote>,
    /// Where its bytes lie in the vault's object, or are to lie; none while that is not known, and
    /// for a new file whose bytes another one has.
    pub(crate) content_path: Option<String>,
    /// Whether its bytes are durable in every replica.
    pub(crate) stored: bool,
    /// Whether every copy was read back and is equal.
    pub(crate) verified: bool,
}

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Fate {
    /// Not known yet.
    Open,
    /// Of the bag, not of what is in it: rebuilt when the bag is restored.
    NotPreserved,
    New,
    Changed,
    Unchanged,
}

/// The four digests of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FourDigests {
    pub(crate) md5: [u8; 16],
    pub(crate) sha1: [u8; 20],
    pub(crate) sha256: [u8; 32],
    /// In two halves, because arrays longer than 32 are nothing that can be encoded.
    pub(crate) sha512: [[u8; 32]; 2],
}

/// What a file was identified as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FormatNote {
    pub(crate) puid: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) mime: String,
    pub(crate) basis: String,
    pub(crate) warnings: Vec<String>,
}

macro_rules! record {
    ($($record:ty),*) => {$(
        impl Record for $record {
            const VERSION: u8 = 1;
            type Older = NoOlder;
            fn upgrade(older: NoOlder) -> Self {
                match older {}
            }
        }
    )*};
}
record!(BagRecord, FileRecord);

impl FourDigests {
    /// Of a file that was read for all four.
    pub(crate) fn of(digests: &digests::Digests) -> Option<FourDigests> {
        use digests::Algorithm;
        let sha512: [u8; 64] = digests.get(Algorithm::Sha512)?.try_into().ok()?;
        let (first, second) = sha512.split_at(32);
        Some(FourDigests {
            md5: digests.get(Algorithm::Md5)?.try_into().ok()?,
            sha1: digests.get(Algorithm::Sha1)?.try_into().ok()?,
            sha256: digests.get(Algorithm::Sha256)?.try_into().ok()?,
            sha512: [first.try_into().ok()?, second.try_into().ok()?],
        })
    }

    /// Of a file that is held.
    pub(crate) fn held(digests: &Digests) -> FourDigests {
        let Digests { md5, sha1, sha256, sha512 } = *digests;
        let mut halves = [[0; 32]; 2];
        halves[0].copy_from_slice(&sha512[..32]);
        halves[1].copy_from_slice(&sha512[32..]);
        FourDigests { md5, sha1, sha256, sha512: halves }
    }

    pub(crate) fn sha512(&self) -> [u8; 64] {
        let mut whole = [0; 64];
        whole[..32].copy_from_slice(&self.sha512[0]);
        whole[32..].copy_from_slice(&self.sha512[1]);
        whole
    }

    pub(crate) fn for_vault(&self) -> Option<digests::Digests> {
        use digests::Algorithm;
        let sha512 = self.sha512();
        digests::Digests::of_parts(&[
            (Algorithm::Md5, &self.md5),
            (Algorithm::Sha1, &self.sha1),
            (Algorithm::Sha256, &self.sha256),
            (Algorithm::Sha512, &sha512),
        ])
    }

    pub(crate) fn for_registry(&self) -> Digests {
        let FourDigests { md5, sha1, sha256, .. } = *self;
        Digests { md5, sha1, sha256, sha512: self.sha512() }
    }
}

impl FileRecord {
    /// Whether its bytes go into the version that is being made.
    pub(crate) fn is_saved(&self) -> bool {
        matches!(self.fate, Fate::New | Fate::Changed)
    }
}

impl FormatNote {
    pub(crate) fn for_registry(&self) -> FormatFacts {
        FormatFacts {
            puid: self.puid.clone(),
            name: self.name.clone(),
            version: self.version.clone(),
            mime: self.mime.clone(),
            basis: self.basis.clone(),
        }
    }
}

/// The record of the bag; its absence means that the dossier was lost or cleaned up.
pub(crate) fn bag(job: &crate::work::Job<'_, crate::app::App>) -> Result<BagRecord, Fault> {
    job.dossier().whole()?.ok_or_else(|| {
        Fault::Failed(crate::fault::Failure {
            kind: crate::fault::Kind::Fatal,
            code: "interim-state-gone",
            advice: "requeue the item to its first stage, ingest01_prefetch".into(),
            source: "what was learned about the bag is gone".into(),
        })
    })
}

/// Calls `each` with every file in the order of paths, a page at a time; what it changes is stored.
pub(crate) fn change_pages(
    dossier: Dossier<'_>,
    mut each: impl FnMut(&mut Vec<(String, FileRecord)>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let mut after: Option<Vec<u8>> = None;
    loop {
        let page: Vec<(Vec<u8>, FileRecord)> = dossier.files(after.as_deref(), PAGE)?;
        let Some((last, _)) = page.last() else { return Ok(()) };
        after = Some(last.clone());
        let named = |(path, file)| (String::from_utf8_lossy(path).into_owned(), file);
        let mut files: Vec<(String, FileRecord)> = page
            .iter()
            .map(|(path, file): &(Vec<u8>, FileRecord)| named((path, file.clone())))
            .collect();
        each(&mut files)?;
        let changed = files.iter().zip(&page).filter(|((_, new), (_, old))| new != old);
        dossier.put_files(changed.map(|((path, file), _)| (path.as_bytes(), file)))?;
    }
}

/// Every file in the order of paths, a page at a time; ends early where reading fails, and
/// [`Walk::finish`] says so.
pub(crate) struct Walk<'d> {
    dossier: Dossier<'d>,
    page: std::vec::IntoIter<(Vec<u8>, FileRecord)>,
    after: Option<Vec<u8>>,
    failed: Option<Fault>,
}

impl<'d> Walk<'d> {
    pub(crate) fn new(dossier: Dossier<'d>) -> Walk<'d> {
        Walk { dossier, page: Vec::new().into_iter(), after: None, failed: None }
    }

    pub(crate) fn finish(self) -> Result<(), Fault> {
        self.failed.map_or(Ok(()), Err)
    }
}

impl Iterator for Walk<'_> {
    type Item = (String, FileRecord);

    fn next(&mut self) -> Option<(String, FileRecord)> {
        if self.page.as_slice().is_empty() && self.failed.is_none() {
            match self.dossier.files(self.after.as_deref(), PAGE) {
                Ok(page) => {
                    self.after = page.last().map(|(path, _)| path.clone()).or(self.after.take());
                    self.page = page.into_iter();
                }
                Err(error) => self.failed = Some(error.into()),
            }
        }
        let (path, file) = self.page.next()?;
        Some((String::from_utf8_lossy(&path).into_owned(), file))
    }
}
