//! An office in a folder: work that was carried to a machine which reaches nobody. Its results are
//! added to the folder one by one, and told when it comes back; see [`crate::research::pack`]. A copy
//! whose digest is not the one that was packed is told as damaged, and not searched.

use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use byteio::causes::chain;
use storage::registry::{Recording, RecordingKind};

use super::media::{GoOn, Opened};
use super::office::{Office, OfficeError, Unopened};
use crate::research::pack::{self, Pack, PackError};
use crate::research::{LeaseNow, Report, Work};

/// A pack that is worked on here.
pub struct PackOffice {
    folder: PathBuf,
    pack: Pack,
}

impl PackOffice {
    /// Opens the folder of a pack.
    pub fn open(folder: &Path) -> Result<PackOffice, PackError> {
        Ok(PackOffice { folder: folder.to_owned(), pack: pack::open(folder)? })
    }
}

impl Office for PackOffice {
    /// The work, with the clips that have no result yet.
    fn next_work(&self) -> Result<Option<Work>, OfficeError> {
        let reports = pack::read(&self.folder)?.reports;
        let done: BTreeSet<u32> = reports.iter().map(|report| report.clip).collect();
        let is_over = reports.iter().any(|report| report.is_final);
        let mut work = self.pack.work.clone();
        work.clips.retain(|clip| !done.contains(&clip.id));
        Ok((!is_over && !work.clips.is_empty()).then_some(work))
    }

    fn heartbeat(&self, _: &str) -> Result<bool, OfficeError> {
        Ok(true)
    }

    fn record(&self, report: &Report) -> Result<LeaseNow, OfficeError> {
        pack::add(&self.folder, report)?;
        Ok(match report.is_final {
            true => LeaseNow::Ended,
            false => LeaseNow::Extended { until: self.pack.work.expires },
        })
    }

    fn finish(&self, _: &str) -> Result<(), OfficeError> {
        Ok(())
    }

    fn open(
        &self,
        kind: RecordingKind,
        recording: &Recording,
        _: GoOn<'_>,
    ) -> Result<Opened, Unopened> {
        let trouble = |code: &str, why: String| Unopened::Trouble { code: code.into(), why };
        let mut missing = self.pack.not_packed.iter();
        if let Some(it) = missing.find(|it| it.kind == kind && it.id == recording.id) {
            return Err(trouble("missing", it.why.clone()));
        }
        let unread = |error: io::Error| {
            trouble("missing", format!("the pack has no copy that can be read: {error}"))
        };
        let path = self.folder.join(pack::media_path(kind, recording));
        let opened = File::open(path).and_then(Opened::of_file).map_err(unread)?;
        let mut known = self.pack.packed.iter();
        if let Some(it) = known.find(|it| it.kind == kind && it.id == recording.id)
            && pack::copy(&mut opened.reader(), &mut io::sink()).map_err(unread)? != it.sha256
        {
            let why = "the copy in the pack is damaged: it is not what was packed";
            return Err(trouble("damaged", why.into()));
        }
        Ok(opened)
    }
}

/// A disk that is full or away: the same may be tried again.
impl From<PackError> for OfficeError {
    fn from(error: PackError) -> OfficeError {
        OfficeError::Away(chain(&error))
    }
}
