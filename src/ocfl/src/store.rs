//! Copies files into the drafts of all replicas from one read of each.
//!
//! Small files are read many at a time, digested in lanes and written by the thread that read them:
//! a hop between threads would cost more than the write. A large file is read by one thread,
//! digested by another and written by one for each replica, with four pieces of a mebibyte between
//! them. Bytes whose digest is not the expected one are never left in a draft.
//!
//! A replica that fails is left out from then on and does not disturb the others. Which files are
//! durable in which replica is told as it becomes known, so that a repetition sends only the rest.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

use byteio::read_at::fill;
use bytes::Bytes;
use digests::{Algorithm, AlgorithmSet, Source, digest_buffers};

use super::address::{Sha512, sha512_of};
use super::error::VaultError;
use super::media::Batch;
use super::pipeline;
use super::placement::Draft;
use super::replica::Replica;

/// Files up to here are read whole; a lane of digests is fed by some dozens of them.
const SMALL_LEN_MAX: u64 = 256 << 10;
const HAND_LEN_MAX: u64 = 1 << 20;
const HAND_FILES_MAX: usize = 64;

/// Large files, and bytes of them, after which what was written is made durable: a crash costs the copying
/// of no more than that once again.
pub(super) const SYNC_FILES: usize = 64;
const SYNC_LEN: u64 = 1 << 30;

/// One file to be copied.
pub struct Intake<'s> {
    /// As [`Placing`](super::Placing) said.
    pub content_path: String,
    pub source: Source<'s>,
    pub size_bytes: u64,
    pub sha512: Sha512,
    /// Names of the replicas that have it already.
    pub done: Vec<String>,
}

/// Told a replica and the content paths of files that are durable there.
pub type TellDone<'t> = &'t (dyn Fn(&str, Vec<String>) + Sync);

/// What became of the files of one call.
#[derive(Debug)]
pub struct Stored<E> {
    /// Why the work ended early, if it did.
    pub stopped: Option<E>,
    /// In the order of the replicas: all accepted files durable there, or why not.
    pub replicas: Vec<Result<(), VaultError>>,
    /// Files that were copied nowhere, because their source failed, with their content paths.
    pub rejected: Vec<(String, VaultError)>,
}

/// Copies files into the drafts of an object; all are durable in every replica that reports `Ok`, if the
/// work was not stopped.
///
/// `checkpoint` is told the bytes read since it was last told; its error ends the work early. What was
/// written until then is made durable all the same, and `done` is told.
pub fn store<'s, E: Send>(
    files: impl Iterator<Item = Intake<'s>> + Send,
    draft: Draft<'_>,
    replicas: &[&Replica],
    checkpoint: impl Fn(u64) -> Result<(), E> + Sync,
    done: TellDone<'_>,
) -> Stored<E> {
    let sinks: Vec<Sink<'_>> = replicas.iter().map(|replica| Sink::open(replica, draft)).collect();
    let work = Work {
        sinks: &sinks,
        files: Mutex::new(files.fuse()),
        large: Mutex::new(Vec::new()),
        rejected: Mutex::new(Vec::new()),
        stopped: Mutex::new(None),
        done,
    };
    rayon::broadcast(|_| while work.take_hand(&checkpoint) {});
    let (mut count, mut len) = (0, 0);
    for file in lock(&work.large).drain(..) {
        if work.is_over() {
            break;
        }
        count += 1;
        len += file.size_bytes;
        let (path, told) = (file.content_path.clone(), |bytes| work.report(&checkpoint, bytes));
        if let Err(error) = pipeline::copy(file, &sinks, &told) {
            lock(&work.rejected).push((path, error));
        }
        work.tell_done();
        if count >= SYNC_FILES || len >= SYNC_LEN {
            sync_sinks(&sinks, done);
            (count, len) = (0, 0);
        }
    }
    let stopped = work.stopped.into_inner().unwrap_or_else(PoisonError::into_inner);
    let rejected = work.rejected.into_inner().unwrap_or_else(PoisonError::into_inner);
    sync_sinks(&sinks, done);
    let replicas = sinks.into_iter().map(Sink::end).collect();
    Stored { stopped, replicas, rejected }
}

/// Disks sync and buckets wait side by side.
fn sync_sinks(sinks: &[Sink<'_>], done: TellDone<'_>) {
    std::thread::scope(|scope| {
        for sink in sinks {
            scope.spawn(move || sink.sync(done));
        }
    });
}

/// One replica while files are being copied to it.
pub(super) struct Sink<'r> {
    replica: &'r str,
    root: String,
    /// Absent where the version is sealed already: its content is never written again, on a bucket
    /// that would replace what is preserved. Reading back will tell whether it is the same.
    batch: Option<Box<dyn Batch + 'r>>,
    failed: Mutex<Option<VaultError>>,
}

impl<'r> Sink<'r> {
    fn open(replica: &'r Replica, draft: Draft<'_>) -> Sink<'r> {
        let root = replica.medium.draft_root(draft.object);
        let (batch, failed) = match Sink::batch(replica, draft) {
            Ok(batch) => (batch, None),
            Err(error) => (None, Some(error)),
        };
        Sink { replica: replica.name(), root, batch, failed: Mutex::new(failed) }
    }

    fn batch(
        replica: &'r Replica,
        draft: Draft<'_>,
    ) -> Result<Option<Box<dyn Batch + 'r>>, VaultError> {
        replica.present()?;
        let version = format!("{}/v{}", draft.object.root(), draft.version);
        match replica.sidecar(&version)? {
            Some(_) => Ok(None),
            None => replica.medium.batch().map(Some),
        }
    }

    /// Does something with the batch, unless the replica has failed; the first failure is kept.
    pub(super) fn with<T>(
        &self,
        path: &str,
        act: impl FnOnce(&(dyn Batch + 'r), &str) -> Result<T, VaultError>,
    ) -> Option<T> {
        let batch = self.batch.as_deref().filter(|_| self.is_alive())?;
        act(batch, &format!("{}/{path}", self.root)).map_err(|error| self.fail(error)).ok()
    }

    pub(super) fn fail(&self, error: VaultError) {
        lock(&self.failed).get_or_insert(error);
    }

    pub(super) fn is_alive(&self) -> bool {
        lock(&self.failed).is_none()
    }

    /// Whether a file is to be copied here that these replicas have already.
    pub(super) fn is_wanted(&self, done: &[String]) -> bool {
        self.is_alive() && !done.iter().any(|name| name == self.replica)
    }

    /// Tells which files have become durable here.
    fn tell_done(&self, done: TellDone<'_>) {
        let keys = self.batch.as_ref().map(|batch| batch.durable()).unwrap_or_default();
        if keys.is_empty() {
            return;
        }
        let path = |key: &String| {
            let path = key.strip_prefix(&self.root).unwrap_or(key);
            path.trim_start_matches('/').to_owned()
        };
        done(self.replica, keys.iter().map(path).collect());
    }

    /// Makes durable what was written so far, also where a later file failed.
    fn sync(&self, done: TellDone<'_>) {
        if let Some(Err(error)) = self.batch.as_ref().map(|batch| batch.sync()) {
            self.fail(error);
        }
        self.tell_done(done);
    }

    fn end(self) -> Result<(), VaultError> {
        self.failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

struct Work<'w, 's, F, E> {
    sinks: &'w [Sink<'w>],
    files: Mutex<F>,
    large: Mutex<Vec<Intake<'s>>>,
    rejected: Mutex<Vec<(String, VaultError)>>,
    stopped: Mutex<Option<E>>,
    done: TellDone<'w>,
}

impl<'s, F: Iterator<Item = Intake<'s>>, E> Work<'_, 's, F, E> {
    fn tell_done(&self) {
        self.sinks.iter().for_each(|sink| sink.tell_done(self.done));
    }

    /// Takes some files and copies the small ones; false when there are no more.
    fn take_hand(&self, checkpoint: &impl Fn(u64) -> Result<(), E>) -> bool {
        if self.is_over() {
            return false;
        }
        let (hand, mut len) = (self.next_files(), 0);
        let (small, large): (Vec<_>, Vec<_>) =
            hand.into_iter().partition(|file| file.size_bytes <= SMALL_LEN_MAX);
        if small.is_empty() && large.is_empty() {
            return false;
        }
        lock(&self.large).extend(large);
        let mut read = Vec::with_capacity(small.len());
        for file in small {
            match read_whole(file.source, file.size_bytes) {
                Ok(bytes) => {
                    len += bytes.len() as u64;
                    read.push((file.content_path, file.sha512, file.done, bytes));
                }
                Err(source) => self.reject(file.content_path, Some(source)),
            }
        }
        self.copy_hand(read);
        self.report(checkpoint, len).is_ok()
    }

    fn next_files(&self) -> Vec<Intake<'s>> {
        let (mut hand, mut len) = (Vec::new(), 0);
        let mut files = lock(&self.files);
        while len < HAND_LEN_MAX && hand.len() < HAND_FILES_MAX {
            let Some(file) = files.next() else { break };
            len += if file.size_bytes <= SMALL_LEN_MAX { file.size_bytes } else { 0 };
            hand.push(file);
        }
        hand
    }

    fn copy_hand(&self, hand: Vec<(String, Sha512, Vec<String>, Vec<u8>)>) {
        let wanted = AlgorithmSet::EMPTY.with(Algorithm::Sha512);
        let buffers: Vec<&[u8]> = hand.iter().map(|(_, _, _, bytes)| &**bytes).collect();
        let digests = digest_buffers(wanted, &buffers);
        for ((path, expected, done, bytes), digests) in hand.into_iter().zip(digests) {
            if sha512_of(&digests) != Some(expected) {
                self.reject(path, None);
                continue;
            }
            let bytes = Bytes::from(bytes);
            for sink in self.sinks.iter().filter(|sink| sink.is_wanted(&done)) {
                sink.with(&path, |batch, key| batch.copy(key, bytes.clone()));
            }
            self.tell_done();
        }
    }

    fn reject(&self, what: String, source: Option<io::Error>) {
        let error = match source {
            Some(source) => VaultError::Source { what: what.clone(), source },
            None => VaultError::Changed { what: what.clone() },
        };
        lock(&self.rejected).push((what, error));
    }

    /// Tells the caller, and keeps its wish to stop.
    fn report(&self, checkpoint: &impl Fn(u64) -> Result<(), E>, bytes: u64) -> Result<(), ()> {
        checkpoint(bytes).map_err(|error| {
            lock(&self.stopped).get_or_insert(error);
        })
    }

    fn is_over(&self) -> bool {
        lock(&self.stopped).is_some() || !self.sinks.iter().any(Sink::is_alive)
    }
}

/// Opens a source where it is going to be read.
pub(super) fn open(source: Source<'_>) -> io::Result<Box<dyn Read + Send + '_>> {
    match source {
        Source::File(path) => Ok(Box::new(File::open(path)?)),
        Source::Range { path, start, len } => {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(start))?;
            Ok(Box::new(file.take(len)))
        }
        Source::Bytes(bytes) => Ok(Box::new(io::Cursor::new(bytes))),
        Source::Reader(open) => open(),
    }
}

fn read_whole(source: Source<'_>, size_bytes: u64) -> io::Result<Vec<u8>> {
    // One byte more than expected, to see a source that goes on; its digest will differ.
    let len = usize::try_from(size_bytes).map_err(io::Error::other)? + 1;
    let mut bytes = vec![0; len];
    let count = fill(&mut open(source)?, &mut bytes)?;
    bytes.truncate(count);
    Ok(bytes)
}

pub(super) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
