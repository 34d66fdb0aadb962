//! Tells the format of every file that is to be saved.
//!
//! Promise: each has a PUID, or the reason why not. Interruptible: after every page of files, whose
//! formats are then kept. Repeats: safe, files that are told are passed over. Where a file cannot be
//! read in the staging area, the item goes back to be unpacked again.

use std::io;

use ocfl::VaultError;
use pronom::{Formats, Identification, Looking};
use rayon::prelude::*;

use super::patience::patient;
use super::records::{BagRecord, FileRecord, FormatNote, bag, change_pages};
use super::restage::unpack_again;
use super::source::part;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{About, Done, Job, Policy, Pool, Stage};

pub(super) struct Identify;

impl Stage<App> for Identify {
    fn about(&self) -> About {
        About {
            topic: "ingest05_format_identification",
            label: "Format Identification",
            env: Some("INGEST_FORMAT_IDENTIFIER"),
        }
    }

    fn policy(&self) -> Policy {
        Policy::CPU
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        patient(job, identify(job).or_else(|fault| unpack_again(job, fault)))
    }
}

fn identify(job: &Job<'_, App>) -> Result<Done, Fault> {
    let mut record = bag(job)?;
    let formats = job.app.formats()?;
    let about = &formats.set().about;
    record.signatures = crate::signature_store::label(about);
    job.total(record.saved_file_count);
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        let told: Result<Vec<()>, VaultError> = job.enter(Pool::Cpu, || {
            let tell = |file: &mut (String, FileRecord)| {
                let told = tell(job, &formats, &record, file);
                told.map_err(|source| VaultError::Source { what: file.0.clone(), source })
            };
            files.par_iter_mut().filter(|(_, file)| is_open(file)).map(tell).collect()
        });
        job.advance(told?.len() as u64);
        Ok(())
    })?;
    record.moments.identified = job.app.shop.clock.now().0;
    job.dossier().put_whole(&record)?;
    job.note("the format of every file is told");
    Ok(Done::Advance)
}

fn is_open(file: &FileRecord) -> bool {
    file.is_saved() && file.format.is_none()
}

/// Tells the format of one file. Whether its bytes are the right ones is seen when they are copied.
fn tell(
    job: &Job<'_, App>,
    formats: &Formats,
    record: &BagRecord,
    (path, file): &mut (String, FileRecord),
) -> io::Result<()> {
    let steady = || job.app.shop.clock.steady();
    let looking = Looking { steady: Some(&steady), ..Looking::default() };
    let source = part(job.app, job.item.id, record, (path, file))?;
    file.format = Some(formats.identify(&source, path, &looking).map(note)?);
    Ok(())
}

/// The first of the formats that a file may have, and whatever there is to say.
fn note(found: Identification<'_>) -> FormatNote {
    let mut warnings = found.warnings;
    warnings.extend(found.unknown);
    let others = found.matches.iter().skip(1).map(|it| format!("it may be {} too", it.format.puid));
    warnings.extend(others);
    match found.matches.first() {
        None => FormatNote { basis: "unknown".to_owned(), warnings, ..FormatNote::default() },
        Some(best) => FormatNote {
            puid: best.format.puid.clone(),
            name: best.format.name.clone(),
            version: best.format.version.clone().unwrap_or_default(),
            mime: best.format.mimes.first().cloned().unwrap_or_default(),
            basis: best.basis.word().to_owned(),
            warnings,
        },
    }
}
