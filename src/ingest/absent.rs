//! Files of the version before that a new deposit does not have. They stay in the object as they are;
//! whoever meant to replace the object, or forgot a file, is to read their names.

use storage::registry::{HeldState, ObjectId, Version};

use super::records::FileRecord;
use crate::app::App;
use crate::fault::Fault;
use crate::work::Job;

/// Files named; the rest are counted.
const NAMED: usize = 5;
/// Letters of one name: it can be a thousand bytes long.
const LETTERS: usize = 200;
/// Files looked at in one go.
const PAGE: u32 = 1000;

/// The files of a version that are in it and not in the deposit at hand.
#[derive(Debug, Default)]
pub(super) struct Absent {
    version: u32,
    named: Vec<String>,
    count: u64,
}

/// Compares a sealed version with the deposit.
pub(super) fn absent(
    job: &Job<'_, App>,
    object: ObjectId,
    version: Version,
) -> Result<Absent, Fault> {
    let mut absent = Absent { version: version.0, ..Absent::default() };
    let mut walk = AbsentWalk::new(job, Some((object, version)));
    walk.by_ref().for_each(|path| absent.add(&path));
    walk.finish()?;
    Ok(absent)
}

/// The paths of these files, one after another, with a page of them in memory.
pub(super) struct AbsentWalk<'a, 'j> {
    job: &'a Job<'j, App>,
    of: Option<(ObjectId, Version)>,
    after: String,
    page: std::vec::IntoIter<String>,
    failed: Option<Fault>,
}

impl<'a, 'j> AbsentWalk<'a, 'j> {
    /// Compares nothing where there is no version before.
    pub(super) fn new(job: &'a Job<'j, App>, of: Option<(ObjectId, Version)>) -> Self {
        AbsentWalk { job, of, after: String::new(), page: Vec::new().into_iter(), failed: None }
    }

    /// Why the walk ended early, if it did.
    pub(super) fn finish(self) -> Result<(), Fault> {
        self.failed.map_or(Ok(()), Err)
    }

    /// The paths of the next page that has some; none at the end.
    fn next_page(&mut self) -> Result<Option<Vec<String>>, Fault> {
        let Some((object, version)) = self.of else { return Ok(None) };
        loop {
            self.job.checkpoint()?;
            let page = self.job.app.registry.files_at(object, version, &self.after, PAGE)?;
            let Some(last) = page.last() else { return Ok(None) };
            self.after.clone_from(&last.path);
            let mut paths = Vec::new();
            for file in page.into_iter().filter(|file| file.state == HeldState::Active) {
                if self.job.dossier().file::<FileRecord>(file.path.as_bytes())?.is_none() {
                    paths.push(file.path);
                }
            }
            if !paths.is_empty() {
                return Ok(Some(paths));
            }
        }
    }
}

impl Iterator for AbsentWalk<'_, '_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        if let Some(path) = self.page.next() {
            return Some(path);
        }
        if self.failed.is_some() {
            return None;
        }
        match self.next_page() {
            Ok(page) => {
                self.page = page?.into_iter();
                self.page.next()
            }
            Err(fault) => {
                self.failed = Some(fault);
                None
            }
        }
    }
}

impl Absent {
    fn add(&mut self, path: &str) {
        self.count += 1;
        if self.named.len() < NAMED {
            let cut = path.char_indices().nth(LETTERS);
            let path = cut.map_or_else(|| path.to_owned(), |(end, _)| format!("{}…", &path[..end]));
            self.named.push(path);
        }
    }

    /// What there is to say, if anything.
    pub(super) fn sentence(&self) -> Option<String> {
        let files = match self.count {
            0 => return None,
            1 => "1 file".to_owned(),
            count => format!("{count} files"),
        };
        let more = self.count - self.named.len() as u64;
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let (version, names) = (self.version, self.named.join(", "));
        Some(format!(
            "{files} of version {version} not in this deposit, kept unchanged: {names}{more}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_not_in_a_deposit_are_named_and_counted() {
        let mut absent = Absent { version: 3, ..Absent::default() };
        assert_eq!(absent.sentence(), None);
        absent.add("data/a");
        let one = "1 file of version 3 not in this deposit, kept unchanged: data/a";
        assert_eq!(absent.sentence().as_deref(), Some(one));
        for name in ["b", "c", "d", "e", "f", "g"] {
            absent.add(name);
        }
        let many = "7 files of version 3 not in this deposit, kept unchanged: data/a, b, c, d, e and 2 more";
        assert_eq!(absent.sentence().as_deref(), Some(many));
        let mut long = Absent::default();
        long.add(&"ü".repeat(5000));
        assert!(long.sentence().unwrap().chars().count() < 300);
    }
}
