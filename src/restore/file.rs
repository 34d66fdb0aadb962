//! Gives back one file in the restoration area of its institution.
//!
//! Promise: when the stage has ended, the file stands there under its name, on the medium, and was
//! read back from there and compared with its digest. Interruptible: every few megabytes. Repeats:
//! safe, it begins anew; until the end nothing is seen but what stood there before.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Duration;

use bagit::make::{Doubt, Opener};
use digests::{Algorithm, AlgorithmSet, Hasher};
use storage::registry::{About as EventAbout, FileRow, HeldState, ObjectRow, Outcome};

use super::bagging::digest;
use super::copies::{Copy, Shelves, Wanted};
use super::doubts::{Doubts, no_sound_copy};
use super::events::Telling;
use super::object::held;
use super::patience::{ask_for_room, patient};
use super::place::{Draft, target};
use super::slip::Slip;
use super::wish::Wish;
use crate::app::{App, FileFault};
use crate::fault::{Failure, Fault, Kind};
use crate::work::{About, Done, Job, Policy, Stage};

const POLICY: Policy = Policy { patience: Duration::from_secs(3600), ..Policy::DISK };

/// Versions of one file that are looked through.
const VERSIONS: u32 = 100_000;
/// Bytes between two signs of life.
const PIECE: usize = 1 << 20;

pub(super) struct RestoreFile;

impl Stage<App> for RestoreFile {
    fn about(&self) -> About {
        About { topic: "restore_file", label: "Restore File", env: Some("FILE_RESTORER") }
    }

    fn policy(&self) -> Policy {
        POLICY
    }

    fn run(&self, job: &Job<'_, App>) -> Result<Done, Fault> {
        let wish = Wish::of(job.item)?;
        patient(job, restore(job, &wish))
    }
}

fn restore(job: &Job<'_, App>, wish: &Wish) -> Result<Done, Fault> {
    let object = held(job.app, wish)?;
    let file = held_file(job.app, wish)?;
    let id = file.id;
    let target = target(&job.app.config, wish)?;
    let draft = Draft::begin(job.app, job.item.id, wish)?;
    ask_for_room(job.app, &draft.folder, file.size)?;
    job.total(file.size.saturating_mul(2));
    let made = draft.folder.join("file");
    fetch(job, &object, file, &made)?;
    draft.publish(&made, &target)?;
    Slip::of(job, wish, &target)?.keep(job.app)?;
    let event = Telling {
        about: EventAbout::File { file: id, deposit: None },
        outcome: Outcome::Success,
        detail: "restored the file",
        outcome_detail: format!("version {}", wish.version),
        information: format!(
            "asked for by {}; read back and compared by sha512",
            job.item.subject.user
        ),
    };
    job.app.registry.put_events(&[event.event(job)])?;
    job.note(format!("{} restored to {}", wish.words(), target.display()));
    Ok(Done::Finish)
}

fn held_file(app: &App, wish: &Wish) -> Result<FileRow, Fault> {
    let gone = || {
        Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "not-held",
            advice: "cancel the item; what was deleted cannot be restored".into(),
            source: format!("{} is not held", wish.identifier()).into(),
        })
    };
    let current = app.registry.file_by_identifier(&wish.identifier())?.ok_or_else(gone)?;
    let versions = app.registry.file_versions(current.id, VERSIONS)?;
    let found = versions.into_iter().find(|file| file.version == wish.version);
    found.filter(|file| file.state == HeldState::Active).ok_or_else(gone)
}

/// Writes the file from the first copy that is what it should be.
fn fetch(job: &Job<'_, App>, object: &ObjectRow, file: FileRow, to: &Path) -> Result<(), Fault> {
    let mut shelves = Shelves::of(job.app, object)?;
    let expected = digest(&file.digests, Algorithm::Sha512);
    let wanted = [shelves.wanted(job.app, file)?];
    let doubts = Doubts::new();
    let copied = loop {
        let copy = Copy { shelves: &shelves, wanted: &wanted[0] };
        let doubt = match copy_once(job, &copy, to)? {
            Ok(found) if found == expected => break read_back(job, to, &expected),
            Ok(_) => None,
            Err(error) => Some(error),
        };
        let doubt = doubt.as_ref().map_or(Doubt::Differs, Doubt::Unreadable);
        if !doubts.about(0, &wanted[0], &doubt) {
            break Err(no_sound_copy(&mut shelves, (&wanted[0].path, 1)));
        }
    };
    doubts.tell(job, object, (&shelves, &wanted))?;
    copied
}

/// The file of a wish, with the copies to read it from.
pub(super) fn wanted_file(app: &App, wish: &Wish, shelves: &Shelves<'_>) -> Result<Wanted, Fault> {
    shelves.wanted(app, held_file(app, wish)?)
}

/// Copies one copy; its digest, or why it cannot be read. What cannot be written is a fault.
fn copy_once(
    job: &Job<'_, App>,
    copy: &Copy<'_>,
    to: &Path,
) -> Result<Result<String, io::Error>, Fault> {
    let mut source = match copy.open() {
        Ok(source) => source,
        Err(error) => return Ok(Err(error)),
    };
    let mut file = File::create(to).map_err(FileFault::at("create", to))?;
    let copied = digested(job, &mut source, |piece| {
        file.write_all(piece).map_err(FileFault::at("write", to))
    })?;
    file.sync_all().map_err(FileFault::at("sync", to))?;
    Ok(copied)
}

/// Whether what was written can be read.
fn read_back(job: &Job<'_, App>, path: &Path, expected: &str) -> Result<(), Fault> {
    let mut file = File::open(path).map_err(FileFault::at("open", path))?;
    let found = digested(job, &mut file, |_| Ok(()))?;
    match found {
        Ok(found) if found == *expected => Ok(()),
        Ok(_) => Err(FileFault::at("read back", path)(io::ErrorKind::InvalidData.into())),
        Err(error) => Err(FileFault::at("read back", path)(error)),
    }
}

/// Reads to the end, and tells the sha512 of it.
fn digested(
    job: &Job<'_, App>,
    source: &mut dyn Read,
    mut each: impl FnMut(&[u8]) -> Result<(), Fault>,
) -> Result<Result<String, io::Error>, Fault> {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    let mut buffer = vec![0; PIECE];
    loop {
        job.checkpoint()?;
        let count = match source.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Ok(Err(error)),
        };
        hasher.update(&buffer[..count]);
        each(&buffer[..count])?;
        job.advance(count as u64);
    }
    Ok(Ok(hasher.finish().hex(Algorithm::Sha512).unwrap_or_default()))
}
