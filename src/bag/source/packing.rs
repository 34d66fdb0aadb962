//! A bag in whatever it comes in, behind one face.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Mutex;

use super::folder::Folder;
use super::intake::Intake;
use super::tar_file::TarFile;
use super::tar_gz::{Reading, TarGz};
use super::zip::ZipFile;
use crate::bag::error::BagError;
use crate::bag::facts::Serialization;
use crate::bag::ledger::{Ledger, PathId};

/// What a bag comes in, open.
pub(crate) enum Packing {
    Folder(Folder),
    Tar(TarFile),
    TarGz(Box<TarGz>),
    Zip(ZipFile),
}

impl Packing {
    /// Opens a bag; what an archive is, its name tells.
    pub(crate) fn open(path: &Path, scratch: Option<&Path>) -> Result<Packing, BagError> {
        let failed = |source| BagError::Open { path: path.to_owned(), source };
        let metadata = fs::metadata(path).map_err(failed)?;
        if metadata.is_dir() {
            return Ok(Packing::Folder(Folder::new(path)));
        }
        let Some((_, kind)) = split_name(path).filter(|_| metadata.is_file()) else {
            return Err(BagError::NotABag { path: path.to_owned() });
        };
        let file = File::open(path).map_err(failed)?;
        let size_bytes = metadata.len();
        Ok(match kind {
            Serialization::Folder => return Err(BagError::NotABag { path: path.to_owned() }),
            Serialization::Tar => Packing::Tar(TarFile { file, size_bytes }),
            Serialization::Zip => Packing::Zip(ZipFile::new(file, size_bytes)),
            Serialization::TarGz => {
                let spool = match scratch {
                    Some(folder) => tempfile::tempfile_in(folder),
                    None => tempfile::tempfile(),
                };
                let spool = spool.map_err(|source| BagError::Scratch { source })?;
                let path = path.to_owned();
                Packing::TarGz(Box::new(TarGz { path, size_bytes, spool, spool_bytes: 0 }))
            }
        })
    }

    pub(crate) fn serialization(&self) -> Serialization {
        match self {
            Packing::Folder(_) => Serialization::Folder,
            Packing::Tar(_) => Serialization::Tar,
            Packing::TarGz(_) => Serialization::TarGz,
            Packing::Zip(_) => Serialization::Zip,
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
        })
    }

    /// Where the bytes of a file begin in the archive itself.
    pub(crate) fn tar_position(&self, ledger: &Ledger, id: PathId) -> Option<u64> {
        match self {
            Packing::Tar(_) => Some(ledger.held(id).position),
            Packing::Folder(_) | Packing::TarGz(_) | Packing::Zip(_) => None,
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
