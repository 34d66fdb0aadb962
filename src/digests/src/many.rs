//! Many streams over all cores: the small ones in batches, each thread for itself; the large ones
//! chunk by chunk, all threads together.

use std::convert::Infallible;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::algorithm::AlgorithmSet;
use super::batch::digest_buffers;
use super::belt;
use super::feed::Waiting;
use super::pass::{Pass, lock, on_every_thread};
use super::source::{Digested, Job, Outcome, Source, Stream};

/// What all batches together may hold, and one batch at most. One fits the second-level cache, and
/// is enough to keep sixteen lanes full to the end.
const BATCHES_LEN: usize = 8 << 20;
const BATCH_LEN_MAX: usize = 1 << 20;
const BATCH_LEN_MIN: usize = 128 << 10;

/// Most files of one batch.
const BATCH_FILES: usize = 512;

/// Streams taken from the caller at once: few, so that no thread ends up with all the work.
const TAKEN_AT_ONCE: usize = 8;

/// Large streams that may wait until the small ones are done.
const LARGE_MAX: usize = 4096;

/// Digests many streams on the threads of the current rayon pool, reading every byte once.
///
/// Each outcome is delivered as soon as it is known, in no particular order; a stream that cannot
/// be read has an error of its own and does not disturb the others. `checkpoint` is told how many
/// bytes were read since it was last told, at least every few megabytes; when it returns an error,
/// work stops soon and the error is returned. What was not delivered then was not finished.
///
/// Holds less than 16 MiB of buffers for any number and size of streams.
pub fn digest_many<'a, K: Send, E: Send>(
    jobs: impl Iterator<Item = Job<'a, K>> + Send,
    wanted: AlgorithmSet,
    checkpoint: impl Fn(u64) -> Result<(), E> + Sync,
    mut deliver: impl FnMut(K, Outcome) + Send,
) -> Result<(), E> {
    let pass = Pass::new(wanted, &checkpoint, &mut deliver);
    let intake = Mutex::new(jobs.fuse());
    let exhausted = AtomicBool::new(false);
    let batch_len =
        (BATCHES_LEN / rayon::current_num_threads()).clamp(BATCH_LEN_MIN, BATCH_LEN_MAX);
    while !exhausted.load(Ordering::Relaxed) && !pass.stopped() {
        let large = Mutex::new(Vec::new());
        on_every_thread(|| {
            let mut batch = Batch::new(&pass, batch_len);
            while !pass.stopped() && lock(&large).len() < LARGE_MAX {
                let taken: Vec<_> = lock(&intake).by_ref().take(TAKEN_AT_ONCE).collect();
                if taken.is_empty() {
                    exhausted.store(true, Ordering::Relaxed);
                    break;
                }
                for mut job in taken {
                    job.size_bytes = job.size_bytes.or_else(|| job.source.size_bytes());
                    match usize::try_from(job.size_bytes.unwrap_or(u64::MAX)) {
                        Ok(len) if len <= batch_len / 4 => batch.add(job, len),
                        Ok(_) | Err(_) => lock(&large).push(job),
                    }
                }
            }
            batch.flush();
        });
        let large = large.into_inner().unwrap_or_else(PoisonError::into_inner);
        belt::run(&pass, &Waiting::new(large));
    }
    pass.into_result()
}

/// Digests one stream on the threads of the current rayon pool: each algorithm on a thread of its
/// own, while the next bytes are being read.
pub fn digest_reader<E: Send>(
    reader: impl Read + Send,
    wanted: AlgorithmSet,
    checkpoint: impl Fn(u64) -> Result<(), E> + Sync,
) -> Result<Outcome, E> {
    let mut outcome = None;
    let mut deliver = |(), found| outcome = Some(found);
    let pass = Pass::new(wanted, &checkpoint, &mut deliver);
    let source = Source::Reader(Box::new(move || Ok(Box::new(reader))));
    belt::run(&pass, &Waiting::new(vec![Job { key: (), source, size_bytes: None }]));
    pass.into_result()?;
    Ok(outcome.expect("a pass that was not stopped delivers every outcome"))
}

/// Digests one stream like [`digest_reader`], from wherever it comes and without being asked.
pub fn digest_source(source: Source<'_>, wanted: AlgorithmSet) -> Outcome {
    let mut outcome = None;
    let job = Job { key: (), source, size_bytes: None };
    let go_on = |_| Ok::<(), Infallible>(());
    let Ok(()) = digest_many([job].into_iter(), wanted, go_on, |(), found| outcome = Some(found));
    outcome.expect("a pass that was not stopped delivers every outcome")
}

/// Whole small streams in one piece of memory.
struct Batch<'b, 'p, K, E> {
    pass: &'b Pass<'p, K, E>,
    bytes: Vec<u8>,
    used: usize,
    /// Keys with the lengths of their streams, in the order of the bytes.
    keys: Vec<(K, usize)>,
}

impl<'b, 'p, K, E> Batch<'b, 'p, K, E> {
    fn new(pass: &'b Pass<'p, K, E>, len: usize) -> Self {
        Batch { pass, bytes: vec![0; len], used: 0, keys: Vec::new() }
    }

    /// Reads a stream of `len` bytes; digests what is here first if there is no room.
    fn add(&mut self, job: Job<'_, K>, len: usize) {
        // One byte more than expected, to see a stream that goes on.
        // Tiny files: what is kept for each counts as well as its bytes.
        if self.bytes.len() - self.used <= len || self.keys.len() >= BATCH_FILES {
            self.flush();
        }
        let room = &mut self.bytes[self.used..=self.used + len];
        match Stream::open(job.source, job.size_bytes).and_then(|mut stream| stream.fill(room)) {
            Ok(len) => {
                self.keys.push((job.key, len));
                self.used += len;
            }
            Err(error) => self.pass.deliver(job.key, Err(error)),
        }
    }

    /// Digests and delivers all that was read.
    fn flush(&mut self) {
        let mut rest = &self.bytes[..self.used];
        let take = |(_, len): &(K, usize)| {
            let (buffer, after) = rest.split_at(*len);
            rest = after;
            buffer
        };
        let buffers: Vec<&[u8]> = self.keys.iter().map(take).collect();
        let all = digest_buffers(self.pass.wanted, &buffers);
        for ((key, len), digests) in self.keys.drain(..).zip(all) {
            self.pass.deliver(key, Ok(Digested { size_bytes: len as u64, digests }));
        }
        self.pass.report(self.used as u64);
        self.used = 0;
    }
}
