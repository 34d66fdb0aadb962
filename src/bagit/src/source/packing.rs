//! A bag in whatever it comes in, behind one face.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::folder::Folder;
use super::intake::Intake;
use super::kind::{self, Kind};
use super::tar_file::TarFile;
use super::tar_gz::{Reading, TarGz};
use super::zip::ZipFile;
use crate::code::Code;
use crate::error::BagError;
use crate::facts::Serialization;
use crate::ledger::{Ledger, PathId};

/// What a bag comes in, open.
pub(crate) enum Packing {
    Folder(Folder),
    Tar(TarFile),
    TarGz(Box<TarGz>),
    Zip(ZipFile),
    /// A file that is known to be something else, and why it is not read.
    Unread {
        code: Code,
        sentence: String,
        serialization: Serialization,
    },
}

impl Packing {
    /// Opens a bag; what an archive is, its first bytes tell. Where they tell nothing, its name may
    /// still say that it should be one.
    pub(crate) fn open(path: &Path, scratch: Option<&Path>) -> Result<Packing, BagError> {
        let failed = |source| BagError::Open { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Ok(Packing::Folder(Folder::new(path)));
        }
        if !metadata.is_file() {
            return Err(BagError::NotABag { path: path.to_owned() });
        }
        let file = File::open(path).map_err(failed)?;
        Packing::of(file, path, scratch)
    }

    /// The archive in an open file, which is called `path`.
    pub(crate) fn of(file: File, path: &Path, scratch: Option<&Path>) -> Result<Packing, BagError> {
        let failed = |source| BagError::Open { path: path.to_owned(), source };
        let size_bytes = file.metadata().map_err(failed)?.len();
        let named = split_name(path).map(|(_, kind)| kind);
        let unread = |code, name| {
            let serialization = named.unwrap_or(Serialization::Tar);
            Packing::Unread { code, sentence: kind::sentence(code, name), serialization }
        };
        let found = match (kind::of(&file, size_bytes).map_err(failed)?, named) {
            (Kind::Archive(found), _) | (Kind::Short, Some(found)) => found,
            (Kind::Unread(code, name), _) => return Ok(unread(code, name)),
            (Kind::Unknown, Some(_)) => return Ok(unread(Code::ArchiveUnknown, "")),
            (Kind::Unknown | Kind::Short, None) => {
                return Err(BagError::NotABag { path: path.to_owned() });
            }
        };
        Ok(match found {
            Serialization::Zip => Packing::Zip(ZipFile::new(file, size_bytes)),
            Serialization::TarGz => {
                let spool = match scratch {
                    Some(folder) => tempfile::tempfile_in(folder),
                    None => tempfile::tempfile(),
                };
                let spool = spool.map_err(|source| BagError::Scratch { source })?;
                let packed = Arc::new(file);
                Packing::TarGz(Box::new(TarGz { packed, size_bytes, spool, spool_bytes: 0 }))
            }
            Serialization::Tar | Serialization::Folder => {
                Packing::Tar(TarFile { file, size_bytes })
            }
        })
    }

    pub(crate) fn serialization(&self) -> Serialization {
        match self {
            Packing::Folder(_) => Serialization::Folder,
            Packing::Tar(_) => Serialization::Tar,
            Packing::TarGz(_) => Serialization::TarGz,
            Packing::Zip(_) => Serialization::Zip,
            Packing::Unread { serialization, .. } => *serialization,
        }
    }

    /// Finds all files. Only a `.tar.gz` is read while it is walked.
    pub(crate) fn walk(
        &mut self,
        intake: &mut Intake<'_>,
        reading: &mut Reading<'_>,
    ) -> Result<(), BagError> {
        match self {
            Packing::Folder(folder) => folder.walk(intake),
            Packing::Tar(tar) => tar.walk(intake),
            Packing::TarGz(gz) => gz.walk(intake, reading, true),
            Packing::Zip(zip) => zip.walk(intake),
            Packing::Unread { code, sentence, .. } => {
                intake.broken(*code, sentence.clone());
                Ok(())
            }
        }
    }

    /// Opens one file; of a `.tar.gz`, only what was set aside. Numbers of files that changed
    /// while they were read go into `changed`.
    pub(crate) fn open_file<'p>(
        &'p self,
        ledger: &Ledger,
        id: PathId,
        changed: &'p Mutex<Vec<PathId>>,
    ) -> io::Result<Box<dyn Read + Send + 'p>> {
        let held = ledger.held(id);
        Ok(match self {
            Packing::Folder(folder) => Box::new(folder.open(id, ledger.path(id), held, changed)?),
            Packing::Tar(tar) => Box::new(tar.open(held)),
            Packing::TarGz(gz) => Box::new(gz.open(held)),
            Packing::Zip(zip) => zip.open(id, held)?,
            Packing::Unread { .. } => return Err(io::ErrorKind::Unsupported.into()),
        })
    }

    /// Where the bytes of a file begin in the archive itself.
    pub(crate) fn tar_position(&self, ledger: &Ledger, id: PathId) -> Option<u64> {
        match self {
            Packing::Tar(_) => Some(ledger.held(id).position),
            Packing::Folder(_) | Packing::TarGz(_) | Packing::Zip(_) | Packing::Unread { .. } => {
                None
            }
        }
    }
}

/// The name of a bag without its suffix, and what the suffix says it is.
pub(crate) fn split_name(path: &Path) -> Option<(String, Serialization)> {
    const SUFFIXES: [(&str, Serialization); 4] = [
        (".tar.gz", Serialization::TarGz),
        (".tgz", Serialization::TarGz),
        (".tar", Serialization::Tar),
        (".zip", Serialization::Zip),
    ];
    let name = path.file_name()?.to_string_lossy().into_owned();
    SUFFIXES.into_iter().find_map(|(suffix, kind)| {
        let at = name.len().checked_sub(suffix.len()).filter(|at| name.is_char_boundary(*at))?;
        name[at..].eq_ignore_ascii_case(suffix).then(|| (name[..at].to_owned(), kind))
    })
}
