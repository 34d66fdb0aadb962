//! Large streams, chunk by chunk, on a belt that all threads work at.
//!
//! A belt has up to sixteen seats, one stream in each, and a ring of slots with one chunk for each
//! seat. Filling a slot is a unit of work; taking a slot into the states of one algorithm is
//! another. A thread takes any unit that is ready, so that neither full lanes nor busy cores depend
//! on how many streams there are: sixteen streams fill all lanes; eight do not have to be shared
//! out to lanes half as full on each core; and of a single stream each core has an algorithm. The
//! ring lets algorithms be some slots apart, so that a thread that lost its core does not stop the
//! others.

use std::sync::{Mutex, RwLock};

use rayon::Scope;

use super::algorithm::Algorithm;
use super::board::{Board, Unit};
use super::digests::Digests;
use super::feed::{Chunk, Ended, Feed, Waiting};
use super::lanes::{self, Run};
use super::pass::{Pass, lock, read, write};
use super::source::Digested;
use super::state::{BLOCK_LEN_MAX, State, Tail};

/// What the slots of all belts may hold.
const BELTS_LEN: usize = 8 << 20;
const SLOTS: usize = 8;
const CHUNK_LEN_MIN: usize = 8 << 10;
const CHUNK_LEN_MAX: usize = 512 << 10;

/// As many seats as the widest lanes.
const SEATS_MAX: usize = 16;

/// One thread for each of four algorithms, or nearly so, because these are not equally dear.
const THREADS_PER_BELT: usize = 3;

/// Dearest first.
const BY_COST: [Algorithm; 6] = [
    Algorithm::Sha512,
    Algorithm::Sha384,
    Algorithm::Md5,
    Algorithm::Sha256,
    Algorithm::Sha224,
    Algorithm::Sha1,
];

/// Digests and delivers all that waits.
pub(super) fn run<K: Send, E: Send>(pass: &Pass<'_, K, E>, waiting: &Waiting<'_, K>) {
    let streams = waiting.len();
    if streams == 0 {
        return;
    }
    let belt_count = rayon::current_num_threads().div_ceil(THREADS_PER_BELT).min(streams);
    let seats = streams.div_ceil(belt_count).min(SEATS_MAX);
    let chunk_len = (BELTS_LEN / (belt_count * SLOTS * seats)).clamp(CHUNK_LEN_MIN, CHUNK_LEN_MAX);
    let chunk_len = chunk_len.next_multiple_of(BLOCK_LEN_MAX);
    let belts: Vec<_> =
        (0..belt_count).map(|_| Belt::new(pass, waiting, seats, chunk_len)).collect();
    rayon::scope(|scope| {
        for belt in &belts {
            scope.spawn(|scope| belt.work(scope));
        }
    });
}

struct Belt<'b, 'p, 'a, K, E> {
    pass: &'b Pass<'p, K, E>,
    waiting: &'b Waiting<'a, K>,
    board: Mutex<Board>,
    feeds: Mutex<Vec<Feed<'a, K>>>,
    slots: Vec<RwLock<Vec<Chunk>>>,
    columns: Vec<Mutex<Column>>,
    /// For each slot the streams that end in it.
    endings: Vec<Mutex<Vec<Ending<K>>>>,
}

/// The states of all seats under one algorithm.
struct Column {
    algorithm: Algorithm,
    states: Vec<State>,
}

/// A stream that has ended in some seat, and its last states as far as they are known.
struct Ending<K> {
    seat: usize,
    ended: Ended<K>,
    states: Vec<(Algorithm, State)>,
}

impl<'b, 'p, 'a, K: Send, E: Send> Belt<'b, 'p, 'a, K, E> {
    fn new(
        pass: &'b Pass<'p, K, E>,
        waiting: &'b Waiting<'a, K>,
        seats: usize,
        chunk_len: usize,
    ) -> Self {
        let wanted = BY_COST.into_iter().filter(|algorithm| pass.wanted.contains(*algorithm));
        let columns: Vec<_> = wanted
            .map(|algorithm| Column { algorithm, states: vec![State::new(algorithm); seats] })
            .map(Mutex::new)
            .collect();
        let slot = || (0..seats).map(|_| Chunk::new(chunk_len)).collect();
        Belt {
            pass,
            waiting,
            board: Mutex::new(Board::new(columns.len(), SLOTS)),
            feeds: Mutex::new((0..seats).map(|_| Feed::new()).collect()),
            slots: (0..SLOTS).map(|_| RwLock::new(slot())).collect(),
            columns,
            endings: (0..SLOTS).map(|_| Mutex::new(Vec::new())).collect(),
        }
    }

    /// Takes units until none is ready. Whoever makes units ready comes back to take one of them
    /// and calls another hand for the next, so none is left lying and no thread has to wait.
    fn work<'s>(&'s self, scope: &Scope<'s>) {
        while !self.pass.stopped() {
            let mut board = lock(&self.board);
            let Some(unit) = board.take() else { return };
            if board.wants_hand() {
                scope.spawn(|scope| self.work(scope));
            }
            drop(board);
            match unit {
                Unit::Read { slot } => self.read(slot),
                Unit::Digest { column, slot } => self.digest(column, slot),
            }
        }
    }

    fn read(&self, slot: usize) {
        let mut feeds = lock(&self.feeds);
        for (seat, (feed, chunk)) in
            feeds.iter_mut().zip(&mut *write(&self.slots[slot])).enumerate()
        {
            if let Some(ended) = feed.fill(chunk, self.pass, self.waiting) {
                lock(&self.endings[slot]).push(Ending { seat, ended, states: Vec::new() });
            }
        }
        let more = feeds.iter().any(Feed::is_open) || self.waiting.len() > 0;
        let done = lock(&self.board).read(slot, more);
        if done {
            self.deliver(slot);
        }
    }

    fn digest(&self, column: usize, slot: usize) {
        let mut guard = lock(&self.columns[column]);
        let Column { algorithm, states } = &mut *guard;
        advance(*algorithm, states, &read(&self.slots[slot]));
        for ending in lock(&self.endings[slot]).iter_mut() {
            ending.states.push((*algorithm, states[ending.seat]));
        }
        drop(guard);
        let done = lock(&self.board).digested(column, slot);
        if done {
            self.deliver(slot);
        }
    }

    /// Delivers the streams that ended in a slot which every column has taken.
    fn deliver(&self, slot: usize) {
        for Ending { ended, states, .. } in lock(&self.endings[slot]).drain(..) {
            let outcome = ended.size_bytes.map(|size_bytes| Digested {
                size_bytes,
                digests: Digests::gather(self.pass.wanted, |algorithm, out| {
                    for (_, state) in states.iter().filter(|(column, _)| *column == algorithm) {
                        state.digest(algorithm, out);
                    }
                }),
            });
            self.pass.deliver(ended.key, outcome);
        }
        lock(&self.board).freed(slot);
    }
}

/// Takes one chunk of every seat into its state.
fn advance(algorithm: Algorithm, states: &mut [State], chunks: &[Chunk]) {
    let parts: Vec<(&[u8], Option<Tail>)> = chunks
        .iter()
        .map(|chunk| {
            let bytes = &chunk.bytes[..chunk.len];
            let (body, rest) = bytes.split_at(chunk.len - chunk.len % algorithm.block_len());
            (body, chunk.ends.map(|stream_len| Tail::new(algorithm, rest, stream_len)))
        })
        .collect();
    for (state, _) in states.iter_mut().zip(chunks).filter(|(_, chunk)| chunk.begins) {
        *state = State::new(algorithm);
    }
    let mut runs: Vec<Run<'_>> = states
        .iter_mut()
        .zip(&parts)
        .filter(|(_, (body, tail))| !body.is_empty() || tail.is_some())
        .map(|(state, (body, tail))| Run {
            state,
            body,
            tail: tail.as_ref().map_or(&[], Tail::as_slice),
        })
        .collect();
    lanes::advance(algorithm, &mut runs);
}
