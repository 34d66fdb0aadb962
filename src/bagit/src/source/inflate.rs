//! Inflating on a thread of its own, a bounded way ahead of whoever reads.

use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use byteio::read_at::fill;
use flate2::read::MultiGzDecoder;

use super::tar::Tape;
use crate::limits::Limits;

const CHUNK_BYTES: usize = 256 << 10;
const CHUNKS_AHEAD: usize = 16;

/// Marks an error as the work of a bomb.
#[derive(Debug, thiserror::Error)]
#[error("the archive unpacks to far more than it should")]
pub(crate) struct Bomb;

/// Where chunks go in, and the tape where they come out.
pub(crate) fn channel() -> (SyncSender<io::Result<Vec<u8>>>, InflatedTape) {
    let (sender, receiver) = sync_channel(CHUNKS_AHEAD);
    (sender, InflatedTape { receiver, chunk: Vec::new(), at: 0 })
}

/// Chunks that another thread inflates.
pub(crate) struct InflatedTape {
    receiver: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
}

impl InflatedTape {
    /// What is at hand; empty at the end.
    fn rest(&mut self) -> io::Result<&[u8]> {
        if self.at == self.chunk.len() {
            self.at = 0;
            self.chunk.clear();
            if let Ok(next) = self.receiver.recv() {
                self.chunk = next?;
            }
        }
        Ok(&self.chunk[self.at..])
    }
}

impl Tape for InflatedTape {
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let rest = self.rest()?;
            if rest.is_empty() {
                break;
            }
            let take = rest.len().min(buffer.len() - filled);
            buffer[filled..filled + take].copy_from_slice(&rest[..take]);
            self.at += take;
            filled += take;
        }
        Ok(filled)
    }

    fn pass(&mut self, count: u64) -> io::Result<u64> {
        let mut passed = 0;
        while passed < count {
            let len = self.rest()?.len();
            if len == 0 {
                break;
            }
            let take = usize::try_from(count - passed).unwrap_or(usize::MAX).min(len);
            self.at += take;
            passed += take as u64;
        }
        Ok(passed)
    }
}

/// Inflates until the end, an error, a bomb, or until nobody listens.
pub(crate) fn run(
    packed: impl Read,
    consumed: &AtomicU64,
    limits: &Limits,
    sender: &SyncSender<io::Result<Vec<u8>>>,
) {
    let mut decoder = MultiGzDecoder::new(Counted { packed, consumed });
    let mut unpacked = 0_u64;
    loop {
        let mut chunk = vec![0; CHUNK_BYTES];
        let filled = fill(&mut decoder, &mut chunk);
        let ended = !matches!(filled, Ok(CHUNK_BYTES));
        let message = filled.and_then(|got| {
            chunk.truncate(got);
            unpacked += got as u64;
            let packed = consumed.load(Ordering::Relaxed);
            let swollen =
                unpacked > limits.unpacked_free && unpacked / limits.unpack_ratio.max(1) > packed;
            if swollen || unpacked > limits.unpacked_bytes {
                return Err(io::Error::other(Bomb));
            }
            Ok(chunk)
        });
        let failed = message.is_err();
        if sender.send(message).is_err() || ended || failed {
            return;
        }
    }
}

struct Counted<'c, R> {
    packed: R,
    consumed: &'c AtomicU64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.packed.read(buffer)?;
        self.consumed.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}
