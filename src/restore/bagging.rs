//! Makes a bag again from what is held: the files of a version from their copies, manifests for the
//! algorithms of its profile, and a `bag-info.txt` that says so.
//!
//! Every file is compared with the digest that the registry keeps while its bytes are on their way.
//! One that differs is read from another copy and written over, so that the tar never ends with wrong
//! bytes in it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bagit::make::{
    Content, Doubt, Entry, MakeError, Payload, Plan, Progress, Sheet, Times, Watch, create,
};
use bagit::profile::{APTRUST, BTR, Profile};
use bagit::restored;
use digests::{Algorithm, AlgorithmSet};
use storage::registry::{DepositFacts, Digests, ObjectRow, Version};

use super::copies::{Copy, Shelves, Wanted, is_there};
use super::doubts::{Doubts, no_sound_copy};
use super::wish::Wish;
use crate::app::{App, FileFault};
use crate::fault::{Failure, Fault, Kind};
use crate::work::Job;

const BAG_INFO: &str = "bag-info.txt";

/// How the bag of a version is made.
pub(super) struct Recipe {
    /// The identifier of the profile that it was taken in by.
    pub(super) profile: String,
    pub(super) algorithms: AlgorithmSet,
    /// The digest by which files are compared with what was preserved.
    pub(super) compared: Algorithm,
    /// The tags of `bag-info.txt`, as they came.
    tags: Vec<(String, String)>,
    pub(super) file_count: u64,
    pub(super) size_bytes: u64,
}

/// Everything it takes to make a bag.
pub(super) struct Making<'a> {
    pub(super) object: &'a ObjectRow,
    pub(super) shelves: Shelves<'a>,
    pub(super) recipe: Recipe,
    /// The files but for `bag-info.txt`, by path.
    files: Vec<Wanted>,
    /// What each of them must have, in the same order.
    digests: Vec<String>,
}

impl<'a> Making<'a> {
    /// Finds out what goes into the bag, and from where.
    pub(super) fn of(
        job: &Job<'a, App>,
        object: &'a ObjectRow,
        version: Version,
    ) -> Result<Making<'a>, Fault> {
        let shelves = Shelves::of(job.app, object)?;
        let deposit = job.app.registry.deposit_of(object.id, version)?;
        let mut recipe = Recipe::of(&deposit.map(|it| it.facts).unwrap_or_default());
        let (mut files, mut digests) = (Vec::new(), Vec::new());
        job.app.registry.walk_files::<Fault>(object.id, version, &mut |file| {
            if files.len() % 1000 == 0 {
                job.checkpoint()?;
            }
            if !is_there(&file) {
                return Ok(());
            }
            recipe.file_count += 1;
            if file.path == BAG_INFO {
                let deposit = job.app.registry.deposit(file.deposit_id)?;
                recipe.tags = deposit.map(|it| info(&it.facts)).unwrap_or_default();
                return Ok(());
            }
            recipe.size_bytes = recipe.size_bytes.saturating_add(file.size);
            digests.push(digest(&file.digests, recipe.compared));
            files.push(shelves.wanted(job.app, file)?);
            Ok(())
        })?;
        if files.is_empty() {
            return Err(Fault::Failed(Failure {
                kind: Kind::Fatal,
                code: "nothing-held",
                advice: "cancel the item; what was deleted cannot be restored".into(),
                source: format!("no file of {} is there any more", object.identifier).into(),
            }));
        }
        Ok(Making { object, shelves, recipe, files, digests })
    }

    /// The files alone, and from where they are read.
    pub(super) fn into_files(self) -> (Shelves<'a>, Vec<Wanted>) {
        (self.shelves, self.files)
    }

    /// Makes the bag in a folder and tells where it is.
    pub(super) fn make(
        mut self,
        job: &Job<'_, App>,
        wish: &Wish,
        folder: &Path,
    ) -> Result<(PathBuf, Recipe, usize), Fault> {
        let doubts = Doubts::new();
        let looker = Looker {
            job,
            files: &self.files,
            doubts: &doubts,
            told: AtomicU64::new(0),
            stopped: Mutex::default(),
        };
        let target = folder.join(super::place::name(wish));
        let digests = std::mem::take(&mut self.digests);
        let plan = self.plan(job, wish, digests, (&target, &looker));
        // Most files are read from the best replica; the others only where that one fails.
        let made = match self.shelves.get(0) {
            Some(shelf) => shelf.replica.reading(|| create(&plan)),
            None => create(&plan),
        };
        drop(plan);
        let stopped = looker.stopped.into_inner().unwrap_or_else(PoisonError::into_inner);
        // What was found is told, whether or not the rest went well.
        doubts.tell(job, self.object, (&self.shelves, &self.files))?;
        match (made, stopped) {
            (_, Some(fault)) => Err(fault),
            (Ok(made), None) => Ok((made.path, self.recipe, doubts.count())),
            (Err(error), None) => match doubts.lost(&self.files) {
                // A replica that is away may have it: then it is waited for.
                Some(lost) => Err(no_sound_copy(&mut self.shelves, lost)),
                None => Err(unmade(error)),
            },
        }
    }

    fn plan<'p>(
        &'p self,
        job: &Job<'_, App>,
        wish: &Wish,
        digests: Vec<String>,
        (target, watch): (&Path, &'p dyn Watch),
    ) -> Plan<'p> {
        let (mut payload, mut tag_files) = (Vec::new(), Vec::new());
        for (wanted, digest) in self.files.iter().zip(digests) {
            let below = wanted.path.strip_prefix("data/");
            let entry = Entry {
                path: below.unwrap_or(&wanted.path).to_owned(),
                size_bytes: wanted.size_bytes,
                modified: wanted.modified,
                expected: Some((self.recipe.compared, digest)),
                content: Content::Open(Box::new(Copy { shelves: &self.shelves, wanted })),
            };
            if below.is_some() { payload.push(entry) } else { tag_files.push(entry) }
        }
        // The day it was asked for, so that a repeated attempt makes the same bag.
        let asked = job.item.created.to_string();
        let date = asked.get(..10).unwrap_or_default();
        let (_, bag) = wish.owner();
        let day = date.parse().unwrap_or_default();
        let mut plan = Plan::new(bag, Payload::Entries(payload), target.to_owned(), day);
        plan.sheets =
            vec![Sheet { file: BAG_INFO.into(), tags: restored::rewrite(&self.recipe.tags, date) }];
        plan.tag_files = tag_files;
        plan.algorithms = self.recipe.algorithms;
        plan.agent.clear();
        plan.times = Times::Kept;
        plan.watch = watch;
        plan
    }
}

impl Recipe {
    fn of(deposit: &DepositFacts) -> Recipe {
        let profile = deposit.profile_identifier.clone();
        let is = |name| {
            Profile::builtin(name).is_some_and(|builtin| builtin.identity.identifier == profile)
        };
        let is_btr = is(BTR) || profile.contains("btr-bagit-profile");
        let algorithms: AlgorithmSet = if is_btr {
            [Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512].into_iter().collect()
        } else if is(APTRUST) {
            [Algorithm::Md5, Algorithm::Sha256].into_iter().collect()
        } else {
            deposit.manifest_algorithms.iter().filter_map(|name| name.parse().ok()).collect()
        };
        let algorithms = match algorithms.is_empty() {
            true => AlgorithmSet::EMPTY.with(Algorithm::Sha512),
            false => algorithms,
        };
        // Computed anyway for most profiles, and as good a witness.
        let compared = match algorithms.contains(Algorithm::Sha256) {
            true => Algorithm::Sha256,
            false => Algorithm::Sha512,
        };
        Recipe { profile, algorithms, compared, tags: Vec::new(), file_count: 0, size_bytes: 0 }
    }
}

/// The tags of `bag-info.txt`. What no tag may hold was let in with a warning, and is left out.
fn info(deposit: &DepositFacts) -> Vec<(String, String)> {
    let clean = |text: &str| text.replace(|c: char| c.is_control() && c != '\t', " ");
    let tags = deposit.tags.iter().filter(|tag| tag.file == BAG_INFO);
    tags.map(|tag| (clean(&tag.name), clean(&tag.value))).collect()
}

/// The digest that the registry keeps by an algorithm, in hexadecimal.
pub(super) fn digest(digests: &Digests, algorithm: Algorithm) -> String {
    let named = digests.named().into_iter().find(|(name, _)| *name == algorithm.name());
    named.map(|(_, digest)| digest).unwrap_or_default()
}

/// Looks on while the bag is made.
struct Looker<'l, 'j> {
    job: &'l Job<'j, App>,
    files: &'l [Wanted],
    doubts: &'l Doubts,
    told: AtomicU64,
    stopped: Mutex<Option<Fault>>,
}

impl Watch for Looker<'_, '_> {
    fn progress(&self, progress: Progress) {
        self.job.total(progress.total_bytes);
        let before = self.told.fetch_max(progress.done_bytes, Ordering::Relaxed);
        self.job.advance(progress.done_bytes.saturating_sub(before));
    }

    fn stopped(&self) -> bool {
        match self.job.checkpoint() {
            Ok(()) => false,
            Err(fault) => {
                let mut stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
                stopped.get_or_insert(fault);
                true
            }
        }
    }

    fn again(&self, path: &str, doubt: &Doubt<'_>) -> bool {
        let found = self.files.binary_search_by(|file| file.path.as_str().cmp(path));
        found.is_ok_and(|at| self.doubts.about(at, &self.files[at], doubt))
    }
}

fn unmade(error: MakeError) -> Fault {
    match error {
        MakeError::Write { path, source } | MakeError::Folder { path, source } => {
            FileFault::at("write", path)(source)
        }
        MakeError::Stopped => Fault::Interrupted,
        MakeError::Refused(_) | MakeError::Exists(_) => Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "bag-unmakeable",
            advice: "Nothing was restored. Restore the files one by one, or report this.".into(),
            source: error.to_string().into(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_those_of_the_profile() {
        let check = |profile: &str, named: &[&str], expected: &[&str], compared| {
            let facts = DepositFacts {
                profile_identifier: profile.into(),
                manifest_algorithms: named.iter().map(|name| (*name).to_owned()).collect(),
                ..DepositFacts::default()
            };
            let recipe = Recipe::of(&facts);
            let names: Vec<_> = recipe.algorithms.iter().map(Algorithm::name).collect();
            assert_eq!((names.as_slice(), recipe.compared), (expected, compared), "{profile}");
        };
        let identifier =
            |name| Profile::builtin(name).map(|it| it.identity.identifier.clone()).unwrap();
        check(&identifier(APTRUST), &["sha512"], &["md5", "sha256"], Algorithm::Sha256);
        let btr = ["sha1", "sha256", "sha512"];
        check(&identifier(BTR), &["md5"], &btr, Algorithm::Sha256);
        check("urn:old/btr-bagit-profile-0.json", &[], &btr, Algorithm::Sha256);
        check("bagit", &["MD5", "sha-384"], &["md5", "sha384"], Algorithm::Sha512);
        check("bagit", &["sha3"], &["sha512"], Algorithm::Sha512);
    }
}
