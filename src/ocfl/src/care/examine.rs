//! Reads everything that a replica holds of an object, once and from the medium, and tells what is
//! not as it must be.
//!
//! Content is compared with the true inventory, whose paths stream past: what is kept for each file
//! is what [`survey`](super::survey) keeps. A file that failed is read a second time before it is
//! called unreadable, because a line that broke for a moment is no damage.

use std::io;
use std::sync::mpsc::sync_channel;

use digests::{Algorithm, AlgorithmSet, Job, Outcome, Source, digest_many};

use super::super::address::{Sha512, sha512_of};
use super::super::error::VaultError;
use super::super::media::Lying;
use super::super::replica::Replica;
use super::flaw::{Flaw, Found, Part, Piece};
use super::judging::Judging;
use super::reading::Seen;
use super::survey::Survey;
use super::truth::Truth;

/// Paths that wait for a thread to read them.
const PATHS_WAITING: usize = 1024;

/// What an examination came to.
#[derive(Debug, Default)]
pub struct Examined {
    /// Files that were read to their end.
    pub file_count: u64,
    pub size_bytes: u64,
    /// Everything that is not as it must be, in the order it is to be mended.
    pub flaws: Vec<Flaw>,
}

/// One file that must be there.
enum Wanted {
    Frame(Piece),
    Content(String, Sha512),
}

impl Wanted {
    fn path(&self) -> String {
        match self {
            Wanted::Frame(piece) => piece.path.clone(),
            Wanted::Content(path, _) => path.clone(),
        }
    }
}

/// What was read of all of them.
#[derive(Default)]
struct Reading {
    file_count: u64,
    size_bytes: u64,
    /// Of the frame everything, of content what is not sound.
    seen: Vec<(Wanted, Seen)>,
    failed: Vec<Wanted>,
}

impl Replica {
    /// Examines one object. `checkpoint` is told the bytes read since it was last told; its error
    /// ends the work early. A replica that is away is an error, a file that fails is a flaw.
    ///
    /// May run while a new version is being brought: what is above the sealed one is left alone.
    pub fn examine<E: Send + From<VaultError>>(
        &self,
        truth: &Truth<'_>,
        checkpoint: impl Fn(u64) -> Result<(), E> + Sync + Send,
    ) -> Result<Examined, E> {
        self.present()?;
        let mut survey = Survey::of(self, truth)?;
        let deletions = truth.deletions()?;
        let mut pieces = Piece::frame(truth.sealed());
        pieces.extend(deletions.iter().flat_map(|path| Piece::of_deletion(path)));
        let mut reading = self.read_all(truth, pieces, &mut survey, &checkpoint)?;
        for wanted in std::mem::take(&mut reading.failed) {
            let key = format!("{}/{}", truth.object().root(), wanted.path());
            let seen = self.see_again(&key, &checkpoint)?;
            if let Seen::Whole { size_bytes, .. } = seen {
                reading.file_count += 1;
                reading.size_bytes += size_bytes;
            }
            reading.seen.push((wanted, seen));
        }
        let next = survey.next;
        let mut flaws = survey.strays()?;
        let mut frame = Vec::new();
        for (wanted, seen) in reading.seen {
            match wanted {
                Wanted::Frame(piece) => frame.push((piece, seen)),
                Wanted::Content(_, sha512) if seen.sha512() == Some(&sha512) => {}
                Wanted::Content(path, sha512) => flaws.push(Flaw {
                    part: Part::Content,
                    path,
                    expected: Some(sha512),
                    found: seen.into_found(),
                }),
            }
        }
        flaws.extend(Judging::new(self, truth, frame, next).flaws(&deletions)?);
        flaws.sort_by(|a, b| (a.part, &a.path).cmp(&(b.part, &b.path)));
        leave_folders_of_missing_files(&mut flaws);
        let Reading { file_count, size_bytes, .. } = reading;
        Ok(Examined { file_count, size_bytes, flaws })
    }

    /// Reads every file that must be there, many at once.
    fn read_all<E: Send + From<VaultError>>(
        &self,
        truth: &Truth<'_>,
        pieces: Vec<Piece>,
        survey: &mut Survey<'_>,
        checkpoint: &(impl Fn(u64) -> Result<(), E> + Sync + Send),
    ) -> Result<Reading, E> {
        let root = truth.object().root();
        let (mut reading, mut not_read) = (Reading::default(), Vec::new());
        let (named, read) = std::thread::scope(|scope| {
            let (sender, contents) = sync_channel(PATHS_WAITING);
            let naming = scope.spawn(move || {
                truth.inventory.contents(&mut |path, sha512| {
                    let over = |_| VaultError::Refused { what: "the reading was ended".into() };
                    sender.send(Wanted::Content(path.to_owned(), *sha512)).map_err(over)
                })
            });
            let frame = pieces.into_iter().map(Wanted::Frame);
            let jobs = frame.chain(contents).filter_map(|wanted| {
                let path = wanted.path();
                let size_bytes = match survey.take(&path) {
                    Some(Lying::File(size_bytes)) => Some(size_bytes),
                    Some(Lying::Other | Lying::EmptyFolder) => {
                        not_read.push((wanted, Seen::NotAFile));
                        return None;
                    }
                    None => {
                        not_read.push((wanted, Seen::Absent));
                        return None;
                    }
                };
                let key = format!("{root}/{path}");
                let open = Box::new(move || {
                    let reader = self.medium.open(&key).map_err(io::Error::other)?;
                    reader.ok_or_else(|| io::ErrorKind::NotFound.into())
                });
                Some(Job { key: wanted, source: Source::Reader(open), size_bytes })
            });
            let sha512 = AlgorithmSet::EMPTY.with(Algorithm::Sha512);
            let take = |wanted, outcome| reading.take(wanted, outcome);
            let work = move || digest_many(jobs, sha512, checkpoint, take);
            let read = match self.medium.readers() {
                Some(pool) => pool.install(work),
                None => work(),
            };
            let named = naming.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            (named, read)
        });
        read?;
        named?;
        reading.seen.extend(not_read);
        Ok(reading)
    }

    /// Reads one file, and stops when the caller wants to.
    fn see_again<E: Send + From<VaultError>>(
        &self,
        key: &str,
        checkpoint: &(impl Fn(u64) -> Result<(), E> + Sync),
    ) -> Result<Seen, E> {
        let mut stopped = None;
        let seen = self.see(key, &mut |bytes| {
            checkpoint(bytes).map_err(|error| {
                stopped = Some(error);
                io::ErrorKind::Interrupted.into()
            })
        })?;
        stopped.map_or(Ok(seen), Err)
    }
}

/// A folder is empty because a file is missing: the missing file is the flaw.
fn leave_folders_of_missing_files(flaws: &mut Vec<Flaw>) {
    let missing = flaws.iter().filter(|flaw| flaw.found == Found::Missing);
    let mut missing: Vec<String> = missing.map(|flaw| flaw.path.clone()).collect();
    missing.sort_unstable();
    flaws.retain(|flaw| {
        let inside = if flaw.path.is_empty() { String::new() } else { format!("{}/", flaw.path) };
        let next = missing.partition_point(|path| *path < inside);
        let is_needed = missing.get(next).is_some_and(|path| path.starts_with(&inside));
        flaw.part != Part::EmptyFolder || !is_needed
    });
}

impl Reading {
    fn take(&mut self, wanted: Wanted, outcome: Outcome) {
        let Ok(read) = outcome else { return self.failed.push(wanted) };
        self.file_count += 1;
        self.size_bytes += read.size_bytes;
        let Some(sha512) = sha512_of(&read.digests) else { return self.failed.push(wanted) };
        let is_sound = matches!(&wanted, Wanted::Content(_, expected) if *expected == sha512);
        if !is_sound {
            self.seen.push((wanted, Seen::Whole { size_bytes: read.size_bytes, sha512 }));
        }
    }
}
