//! How far the copying of a page of files is: which of them are durable in which replica. A repetition
//! after a failure, a stop or a crash sends only the rest.
//!
//! There is one mark for each file of the page and replica at most, however often it is tried, and none
//! when the page is done.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::records::{FileRecord, PAGE};
use crate::app::App;
use crate::fault::Fault;
use crate::work::Job;

/// Marks after which all of them are made durable: as many files may be sent again after a crash.
const FLUSH_AFTER: usize = 32;
/// The same for the bytes of these files.
const FLUSH_AFTER_LEN: u64 = 256 << 20;

/// Between the name of a replica and a content path.
const SEPARATOR: u8 = 0;

/// The progress of one page.
pub(super) struct Progress<'p, 'j> {
    job: &'p Job<'j, App>,
    /// Names of the replicas that have a file, by its content path.
    done: BTreeMap<String, Vec<String>>,
    /// How large the files are, by their content paths.
    sizes: BTreeMap<String, u64>,
    /// Marks that may be lost in a crash, and the bytes of their files.
    unflushed: Mutex<(usize, u64)>,
}

impl<'p, 'j> Progress<'p, 'j> {
    /// What earlier attempts got done of these files. Marks of other pages are forgotten.
    pub(super) fn of(
        job: &'p Job<'j, App>,
        files: &[(String, FileRecord)],
        replica_count: usize,
    ) -> Result<Progress<'p, 'j>, Fault> {
        let most = PAGE.saturating_mul(replica_count);
        let marks = job.dossier().done(most.saturating_add(1))?;
        let is_wanted = |file: &FileRecord| file.is_saved() && !file.stored;
        let wanted = files.iter().filter(|(_, file)| is_wanted(file));
        let sizes: BTreeMap<String, u64> = wanted
            .filter_map(|(_, file)| Some((file.content_path.clone()?, file.size_bytes)))
            .collect();
        let mut done: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut kept = Vec::new();
        for mark in &marks {
            let Some((replica, path)) = parse(mark).filter(|(_, path)| sizes.contains_key(*path))
            else {
                continue;
            };
            done.entry(path.to_owned()).or_default().push(replica.to_owned());
            kept.push(mark.as_slice());
        }
        if kept.len() < marks.len() {
            job.dossier().clear_done()?;
            job.dossier().put_done(kept)?;
        }
        Ok(Progress { job, done, sizes, unflushed: Mutex::default() })
    }

    /// The replicas that have a file.
    pub(super) fn replicas_with(&self, content_path: &str) -> Vec<String> {
        self.done.get(content_path).cloned().unwrap_or_default()
    }

    /// Notes that files are durable in a replica. A mark that is lost costs a repetition and nothing
    /// else, so that its failure stops nobody: the settlement will say what is wrong with the disk.
    pub(super) fn tell(&self, replica: &str, content_paths: Vec<String>) {
        let mark = |path: &String| [replica.as_bytes(), &[SEPARATOR], path.as_bytes()].concat();
        let marks: Vec<Vec<u8>> = content_paths.iter().map(mark).collect();
        let put = self.job.dossier().put_done(marks.iter().map(Vec::as_slice));
        let size = |path: &String| self.sizes.get(path).copied().unwrap_or(0);
        let is_due = {
            let mut unflushed = self.unflushed.lock().unwrap_or_else(PoisonError::into_inner);
            unflushed.0 += marks.len();
            unflushed.1 += content_paths.iter().map(size).sum::<u64>();
            let is_due = unflushed.0 >= FLUSH_AFTER || unflushed.1 >= FLUSH_AFTER_LEN;
            if put.is_ok() && is_due {
                *unflushed = (0, 0);
            }
            is_due
        };
        if put.is_ok() && is_due {
            drop(self.job.app.shop.queue.store().barrier());
        }
    }
}

fn parse(mark: &[u8]) -> Option<(&str, &str)> {
    let at = mark.iter().position(|byte| *byte == SEPARATOR)?;
    let (replica, path) = (mark.get(..at)?, mark.get(at + 1..)?);
    Some((std::str::from_utf8(replica).ok()?, std::str::from_utf8(path).ok()?))
}
