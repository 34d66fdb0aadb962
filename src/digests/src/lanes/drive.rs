//! Seats streams in lanes, whatever their lengths, and keeps the lanes full.

use std::cmp::Reverse;

use super::{Run, State, scalar};
use crate::algorithm::Algorithm;
use crate::state::Word;

/// A lane with what its stream still has to give. Without a stream it rides along.
#[derive(Clone, Copy)]
struct Seat<'a> {
    run: Option<usize>,
    bytes: &'a [u8],
    tail: &'a [u8],
}

/// Takes all of the runs, `LANES` at a time, longest first so that the lanes end together.
/// `together` takes a number of blocks from every lane. When a stream ends, the next takes its
/// lane; the last stream goes on alone, because empty lanes cost as much as full ones.
pub(super) fn drive<'a, W: Word, const LANES: usize>(
    algorithm: Algorithm,
    runs: &mut [Run<'a>],
    together: impl Fn(&mut [[W; LANES]; 8], &[&[u8]; LANES], usize),
) {
    let block_len = algorithm.block_len();
    runs.sort_unstable_by_key(|run| Reverse(run.body.len()));
    let mut states = [[W::default(); LANES]; 8];
    let mut seats = [Seat { run: None, bytes: &[], tail: &[] }; LANES];
    let mut waiting = 0..runs.len();
    loop {
        for (lane, seat) in seats.iter_mut().enumerate() {
            while seat.bytes.is_empty() {
                if !seat.tail.is_empty() {
                    seat.bytes = std::mem::take(&mut seat.tail);
                    continue;
                }
                if let Some(run) = seat.run.take() {
                    unload(&states, lane, runs[run].state);
                }
                let Some(run) = waiting.next() else { break };
                load(&mut states, lane, runs[run].state);
                *seat = Seat { run: Some(run), bytes: runs[run].body, tail: runs[run].tail };
            }
        }
        let mut seated = seats.iter().enumerate().filter(|(_, seat)| seat.run.is_some());
        let Some((lane, only)) = seated.next() else { return };
        if let (Some(run), None) = (only.run, seated.next()) {
            let state = &mut *runs[run].state;
            unload(&states, lane, state);
            scalar::compress(algorithm, state, only.bytes);
            scalar::compress(algorithm, state, only.tail);
            return;
        }
        let guide = only.bytes;
        let taken = seats.iter().filter(|seat| seat.run.is_some()).map(|seat| seat.bytes.len());
        let blocks = taken.min().unwrap_or(0) / block_len;
        let lanes = seats.map(|seat| if seat.run.is_some() { seat.bytes } else { guide });
        together(&mut states, &lanes, blocks);
        for seat in seats.iter_mut().filter(|seat| seat.run.is_some()) {
            seat.bytes = &seat.bytes[blocks * block_len..];
        }
    }
}

fn load<W: Word, const LANES: usize>(states: &mut [[W; LANES]; 8], lane: usize, state: &State) {
    for (words, word) in states.iter_mut().zip(state.0) {
        words[lane] = W::from_state(word);
    }
}

fn unload<W: Word, const LANES: usize>(states: &[[W; LANES]; 8], lane: usize, state: &mut State) {
    for (words, word) in states.iter().zip(&mut state.0) {
        *word = words[lane].into_state();
    }
}
