//! Reading every file of a folder, tar or zip, once, on all cores.

use std::collections::HashSet;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use digests::{Digests, Job, ReadError, Source, digest_many};

use super::case::{Case, unreadable};
use crate::code::Code;
use crate::error::BagError;
use crate::facts::Serialization;
use crate::findings::Findings;
use crate::ledger::PathId;
use crate::names::rules::shown;
use crate::report::{Class, FileReport, Survey};

/// A file that is not the one listed, and its digests.
pub(crate) type Differing = (PathId, Digests);

/// Reads all files; those that are not what manifests list.
pub(crate) fn judge(
    case: &mut Case<'_>,
    survey: &mut (dyn Survey + Send),
) -> Result<Vec<Differing>, BagError> {
    let Case { ledger, marks, findings, packing, changed, options, limits, .. } = case;
    let wanted = case
        .manifests
        .iter()
        .map(|manifest| manifest.algorithm)
        .chain(options.algorithms.iter())
        .collect();
    let (ledger, packing, changed) = (&*ledger, &*packing, &*changed);
    let total: u64 = ledger.present().map(|id| ledger.held(id).size_bytes).sum();
    let done = AtomicU64::new(0);
    let (progress, stop) = (options.progress, options.stop);
    let checkpoint = |bytes| {
        let so_far = done.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if let Some(progress) = progress {
            progress(so_far, total);
        }
        if stop.is_some_and(|stop| stop()) { Err(BagError::Stopped) } else { Ok(()) }
    };
    let jobs = ledger.present().map(|id| Job {
        key: id,
        size_bytes: Some(ledger.held(id).size_bytes),
        source: Source::Reader(Box::new(move || packing.open_file(ledger, id, changed))),
    });
    let mut differing = Vec::new();
    // Of these more is not said.
    let mut failed = HashSet::new();
    let (mut files_read, mut bytes_read) = (0, 0);
    let serialization = case.facts.serialization;
    digest_many(jobs, wanted, checkpoint, |id, outcome| {
        let digested = match outcome {
            Ok(digested) => digested,
            Err(error) => {
                failed.insert(id);
                return tell(findings, serialization, &ledger.shown(id), error);
            }
        };
        files_read += 1;
        bytes_read += digested.size_bytes;
        if let Ok(path) = str::from_utf8(ledger.path(id)) {
            survey.file(&FileReport {
                path,
                size_bytes: digested.size_bytes,
                digests: &digested.digests,
                class: Class::of(path.as_bytes()),
                tar_position: packing.tar_position(ledger, id),
                modified: ledger.held(id).modified_seconds(),
            });
        }
        if !marks.compute(id, &digested.digests).is_empty()
            && differing.len() < limits.finding_count
        {
            differing.push((id, digested.digests));
        }
    })?;
    case.files_read = files_read;
    case.bytes_read = bytes_read;
    let mut late = case.changed.lock().map(|ids| ids.clone()).unwrap_or_default();
    late.sort_unstable();
    late.dedup();
    for id in late.into_iter().filter(|id| !failed.contains(id)) {
        changed_file(&mut case.findings, &case.ledger.shown(id));
    }
    differing.sort_unstable_by_key(|(id, _)| *id);
    Ok(differing)
}

fn tell(findings: &mut Findings, serialization: Serialization, path: &str, error: ReadError) {
    let folder = serialization == Serialization::Folder;
    match error {
        ReadError::Shorter { .. } | ReadError::Longer { .. } if folder => {
            changed_file(findings, path);
        }
        ReadError::Open(source) | ReadError::Read { source, .. }
            if folder || source.kind() != io::ErrorKind::InvalidData =>
        {
            unreadable(findings, path, &source);
        }
        ReadError::Open(source) | ReadError::Read { source, .. } => {
            damaged(findings, path, &source.to_string());
        }
        ReadError::Shorter { .. } => damaged(findings, path, "it ends too early"),
        ReadError::Longer { .. } => damaged(findings, path, "it is longer than it should be"),
    }
}

fn changed_file(findings: &mut Findings, path: &str) {
    let path = shown(path);
    findings.add(Code::FileChanged, path.clone(), || {
        format!("`{path}` changed while the bag was read. Let nobody write to it and try again.")
    });
}

fn damaged(findings: &mut Findings, path: &str, what: &str) {
    let path = shown(path);
    findings.add(Code::ArchiveDamaged, path.clone(), || {
        format!("`{path}` is damaged in the archive: {what}. Make the archive again.")
    });
}
