//! One large file on its way to all replicas: read, digested and written at the same time.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, ScopedJoinHandle};

use byteio::read_at::fill;
use bytes::Bytes;
use digests::{Algorithm, AlgorithmSet, Hasher};

use super::address::{Sha512, sha512_of};
use super::error::VaultError;
use super::media::{Batch, CopyWriter};
use super::store::{Intake, Sink, open};

const PIECE_LEN: usize = 1 << 20;

/// Pieces that wait for the slowest of the threads; all threads share the same pieces.
const PIECES_WAITING: usize = 4;

enum Message {
    Piece(Bytes),
    /// The digest is the expected one: the file may stay.
    Keep,
    /// It is another one: nothing of the file may stay.
    Reject,
}

/// Copies one file. An error is about its source; replicas keep their own. `told` hears how many
/// bytes were read, and stops the copy by an error.
pub(super) fn copy(
    file: Intake<'_>,
    sinks: &[Sink<'_>],
    told: &dyn Fn(u64) -> Result<(), ()>,
) -> Result<(), VaultError> {
    let (path, size_bytes) = (&file.content_path, file.size_bytes);
    let failed = |source| VaultError::Source { what: path.clone(), source };
    let mut reader = open(file.source).map_err(failed)?;
    thread::scope(|scope| {
        let (to_hasher, pieces) = sync_channel(PIECES_WAITING);
        let hasher = scope.spawn(move || digest(&pieces));
        let start = |sink| {
            let (sender, messages) = sync_channel(PIECES_WAITING);
            let target = Target { path, size_bytes };
            scope.spawn(move || write(sink, target, &messages));
            sender
        };
        let mut writers: Vec<SyncSender<Message>> =
            sinks.iter().filter(|sink| sink.is_wanted(&file.done)).map(start).collect();
        let mut read_bytes = 0;
        while read_bytes <= size_bytes && !writers.is_empty() {
            let piece = next_piece(&mut reader, size_bytes - read_bytes).map_err(failed)?;
            if piece.is_empty() {
                break;
            }
            read_bytes += piece.len() as u64;
            if told(piece.len() as u64).is_err() {
                return Ok(());
            }
            // A writer that is gone has told its sink why.
            writers.retain(|writer| writer.send(Message::Piece(piece.clone())).is_ok());
            drop(to_hasher.send(piece));
        }
        drop(to_hasher);
        if join(hasher) != Some(file.sha512) && !writers.is_empty() {
            writers.retain(|writer| writer.send(Message::Reject).is_ok());
            return Err(VaultError::Changed { what: path.clone() });
        }
        writers.retain(|writer| writer.send(Message::Keep).is_ok());
        Ok(())
    })
}

/// The next piece, with one byte more than the file should have, to see one that goes on.
fn next_piece(reader: &mut impl io::Read, left_bytes: u64) -> io::Result<Bytes> {
    let most = usize::try_from(left_bytes.saturating_add(1)).unwrap_or(usize::MAX);
    let mut piece = vec![0; most.min(PIECE_LEN)];
    let count = fill(reader, &mut piece)?;
    piece.truncate(count);
    Ok(Bytes::from(piece))
}

fn digest(pieces: &Receiver<Bytes>) -> Option<Sha512> {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    pieces.iter().for_each(|piece| hasher.update(&piece));
    sha512_of(&hasher.finish())
}

struct Target<'t> {
    path: &'t str,
    size_bytes: u64,
}

fn write(sink: &Sink<'_>, target: Target<'_>, messages: &Receiver<Message>) {
    sink.with(target.path, |batch, key| write_pieces(batch, key, target.size_bytes, messages));
}

fn write_pieces(
    batch: &dyn Batch,
    key: &str,
    size_bytes: u64,
    messages: &Receiver<Message>,
) -> Result<(), VaultError> {
    let mut writer: Box<dyn CopyWriter> = batch.writer(key, size_bytes)?;
    for message in messages {
        match message {
            Message::Piece(piece) => writer.write(piece)?,
            Message::Keep => return writer.finish(),
            Message::Reject => {
                writer.reject();
                return Ok(());
            }
        }
    }
    // The reader gave up; the medium may keep what it has, and continue there.
    Ok(())
}

fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
