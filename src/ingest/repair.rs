//! Copies of earlier versions that a deposit relies on and that are not as they must be are repaired
//! with the deposit: it was surveyed with the same digests, so its bytes are as good as those that were
//! lost. They are compared with the digest once more on their way.
//!
//! Repeats: safe, every copy is looked at again before it is touched.

use ocfl::{Replica, Supplied, VaultError};

use super::cold::{Cold, store_missing};
use super::frame;
use super::records::{BagRecord, FileRecord, change_pages};
use super::source::stream;
use super::unpack::stage;
use super::verify::{Reading, is_cold, is_kept};
use crate::app::App;
use crate::fault::Fault;
use crate::replacement::Replacement;
use crate::work::Job;

/// What is not as it must be.
pub(super) struct Gaps<'g> {
    pub(super) cold: &'g Cold,
    /// Copies that were read and are damaged or missing.
    pub(super) unsound: u64,
    /// Cold replicas that lack a file which describes the object.
    pub(super) unframed: Vec<&'g Replica>,
}

/// Repairs every copy of the files that are not verified, in every replica, and what describes the
/// object in cold storage; says how many copies that are read back were replaced.
pub(super) fn repair(
    job: &Job<'_, App>,
    record: &BagRecord,
    reading: &Reading<'_>,
    gaps: &Gaps<'_>,
) -> Result<u64, Fault> {
    if gaps.cold.is_whole() && gaps.unsound == 0 && gaps.unframed.is_empty() {
        return Ok(0);
    }
    let is_wanted = |file: &FileRecord| is_kept(file) && !file.verified;
    stage(job, record, &|file: &FileRecord| file.is_saved() || is_wanted(file))?;
    // Nobody may repair or delete in an object while copies are stored in it.
    let _hold = job.app.custody.hold(&record.object_identifier, || job.checkpoint())?;
    let object = job.app.registry.object_by_identifier(&record.object_identifier)?;
    let Some(object) = object else {
        let what = format!("the registry does not know {}", record.object_identifier);
        return Err(VaultError::Refused { what }.into());
    };
    // Found before anything is stored, and written after it: what names others comes last.
    let truth = match gaps.unframed.is_empty() {
        true => None,
        false => Some(frame::truth(job, &object, reading.replicas)?),
    };
    let replacement = Replacement {
        app: job.app,
        object: &object,
        from: &format!("the deposit {}", job.item.subject.name),
        name: &format!("{} {}", job.item.id, job.item.created.0),
        at: job.item.created,
    };
    let mut replaced = 0;
    change_pages(job.dossier(), |files| {
        job.checkpoint()?;
        if !files.iter().any(|(_, file)| is_wanted(file)) {
            return Ok(());
        }
        store_missing(job, record, reading, files)?;
        for (path, file) in files.iter_mut().filter(|(_, file)| is_wanted(file)) {
            for replica in reading.replicas.iter().filter(|replica| !is_cold(replica, file)) {
                let is_replaced = one(job, record, reading, &replacement, (replica, path, file))?;
                replaced += u64::from(is_replaced);
            }
            file.verified = true;
        }
        Ok(())
    })?;
    replacement.ended(reading.replicas)?;
    if let Some(truth) = &truth {
        frame::write_anew(job, &object, truth, (&gaps.unframed, reading.replicas))?;
    }
    Ok(replaced)
}

/// Repairs one copy.
fn one(
    job: &Job<'_, App>,
    record: &BagRecord,
    reading: &Reading<'_>,
    replacement: &Replacement<'_>,
    (replica, path, file): (&Replica, &str, &FileRecord),
) -> Result<bool, Fault> {
    let Some(copy) = reading.expected(0, file) else { return Ok(false) };
    let open = || stream(job.app, job.item.id, record, (path, file));
    let supplied = Supplied { open: &open, size_bytes: file.size_bytes };
    replacement.repair(replica, &copy, supplied, |bytes| {
        job.advance(bytes);
        job.checkpoint()
    })
}

/// What was repaired, for people.
pub(super) fn sentence(replaced: u64) -> Option<String> {
    match replaced {
        0 => None,
        1 => Some("1 copy was damaged or missing and was repaired with the deposit".into()),
        many => Some(format!(
            "{many} copies were damaged or missing and were repaired with the deposit"
        )),
    }
}
