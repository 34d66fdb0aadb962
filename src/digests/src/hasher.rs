//! One stream that is pushed, piece by piece: an entry of a compressed archive.

use super::algorithm::{Algorithm, AlgorithmSet};
use super::digests::Digests;
use super::lanes::{self, Run};
use super::state::{BLOCK_LEN_MAX, State, Tail};

/// Digests of bytes that arrive one after another, all on the caller's thread. Where the bytes can
/// be read instead of pushed, [`digest_reader`](super::digest_reader) uses the other cores too.
#[derive(Clone)]
pub struct Hasher {
    algorithms: AlgorithmSet,
    states: Vec<(Algorithm, State)>,
    /// What does not yet fill a block of the widest algorithm.
    rest: [u8; BLOCK_LEN_MAX],
    stream_len: u64,
}

impl Hasher {
    pub fn new(algorithms: AlgorithmSet) -> Hasher {
        let states = algorithms.iter().map(|algorithm| (algorithm, State::new(algorithm)));
        Hasher { algorithms, states: states.collect(), rest: [0; BLOCK_LEN_MAX], stream_len: 0 }
    }

    /// Takes the next bytes, as many or few as there are.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let held = self.held();
        self.stream_len += bytes.len() as u64;
        if held > 0 {
            let (head, after) = bytes.split_at(bytes.len().min(BLOCK_LEN_MAX - held));
            self.rest[held..held + head.len()].copy_from_slice(head);
            if held + head.len() < BLOCK_LEN_MAX {
                return;
            }
            advance(&mut self.states, &self.rest);
            bytes = after;
        }
        let (whole, after) = bytes.split_at(bytes.len() - bytes.len() % BLOCK_LEN_MAX);
        advance(&mut self.states, whole);
        self.rest[..after.len()].copy_from_slice(after);
    }

    /// How many bytes were taken.
    pub fn stream_len(&self) -> u64 {
        self.stream_len
    }

    /// The digests of all that was taken.
    pub fn finish(mut self) -> Digests {
        let rest = &self.rest[..self.held()];
        let mut states = self.states.iter_mut();
        Digests::gather(self.algorithms, |algorithm, out| {
            let Some((_, state)) = states.next() else { return };
            let (body, rest) = rest.split_at(rest.len() - rest.len() % algorithm.block_len());
            let tail = Tail::new(algorithm, rest, self.stream_len);
            let mut run = [Run { state, body, tail: tail.as_slice() }];
            lanes::advance(algorithm, &mut run);
            run[0].state.digest(algorithm, out);
        })
    }

    fn held(&self) -> usize {
        usize::try_from(self.stream_len % BLOCK_LEN_MAX as u64).unwrap_or(0)
    }
}

fn advance(states: &mut [(Algorithm, State)], body: &[u8]) {
    for (algorithm, state) in states {
        lanes::advance(*algorithm, &mut [Run { state, body, tail: &[] }]);
    }
}
