//! Where the chunks of large streams come from.

use std::sync::Mutex;

use super::pass::{Pass, lock};
use super::source::{Job, ReadError, Stream};

/// Streams to come: the largest next, so that the last to end are short.
pub(super) struct Waiting<'a, K>(Mutex<Vec<Job<'a, K>>>);

impl<'a, K> Waiting<'a, K> {
    pub(super) fn new(mut jobs: Vec<Job<'a, K>>) -> Self {
        jobs.sort_by_key(|job| job.size_bytes.unwrap_or(u64::MAX));
        Waiting(Mutex::new(jobs))
    }

    pub(super) fn len(&self) -> usize {
        lock(&self.0).len()
    }
}

/// One chunk of a stream.
pub(super) struct Chunk {
    pub(super) bytes: Vec<u8>,
    pub(super) len: usize,
    /// A stream begins with this chunk.
    pub(super) begins: bool,
    /// The stream ends with this chunk, and is this long.
    pub(super) ends: Option<u64>,
}

impl Chunk {
    pub(super) fn new(len: usize) -> Chunk {
        Chunk { bytes: vec![0; len], len: 0, begins: false, ends: None }
    }
}

/// A stream that has ended, well or not.
pub(super) struct Ended<K> {
    pub(super) key: K,
    pub(super) size_bytes: Result<u64, ReadError>,
}

/// What fills the chunks of one seat: a stream until it ends, then the next that waits.
pub(super) struct Feed<'a, K>(Option<(K, Stream<'a>)>);

impl<'a, K> Feed<'a, K> {
    pub(super) fn new() -> Self {
        Feed(None)
    }

    /// Fills the chunk from the stream of this seat, or from the next one that waits. Leaves it
    /// empty if there is none.
    pub(super) fn fill<E>(
        &mut self,
        chunk: &mut Chunk,
        pass: &Pass<'_, K, E>,
        waiting: &Waiting<'a, K>,
    ) -> Option<Ended<K>> {
        chunk.len = 0;
        chunk.begins = false;
        chunk.ends = None;
        while self.0.is_none() {
            let job = lock(&waiting.0).pop()?;
            match Stream::open(job.source, job.size_bytes) {
                Ok(stream) => self.0 = Some((job.key, stream)),
                Err(error) => pass.deliver(job.key, Err(error)),
            }
            chunk.begins = true;
        }
        let (_, stream) = self.0.as_mut()?;
        let filled = stream.fill(&mut chunk.bytes);
        let read_bytes = stream.read_bytes();
        let size_bytes = match filled {
            Ok(len) => {
                chunk.len = len;
                pass.report(len as u64);
                if len == chunk.bytes.len() {
                    return None;
                }
                chunk.ends = Some(read_bytes);
                Ok(read_bytes)
            }
            Err(error) => Err(error),
        };
        let (key, _) = self.0.take()?;
        Some(Ended { key, size_bytes })
    }

    /// Whether a stream is open here.
    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }
}
