//! Many small streams that are in memory: all at once in the lanes.

use super::algorithm::AlgorithmSet;
use super::digests::Digests;
use super::lanes::{self, Run};
use super::state::{State, Tail};

/// The digests of each of the buffers, in their order, on the caller's thread. Quickest for sixteen
/// or more of them.
pub fn digest_buffers(wanted: AlgorithmSet, buffers: &[&[u8]]) -> Vec<Digests> {
    let columns: Vec<Vec<State>> = wanted
        .iter()
        .map(|algorithm| {
            let mut states = vec![State::new(algorithm); buffers.len()];
            let ends: Vec<(&[u8], Tail)> = buffers
                .iter()
                .map(|buffer| {
                    let (body, rest) =
                        buffer.split_at(buffer.len() - buffer.len() % algorithm.block_len());
                    (body, Tail::new(algorithm, rest, buffer.len() as u64))
                })
                .collect();
            let mut runs: Vec<Run<'_>> = states
                .iter_mut()
                .zip(&ends)
                .map(|(state, (body, tail))| Run { state, body, tail: tail.as_slice() })
                .collect();
            lanes::advance(algorithm, &mut runs);
            states
        })
        .collect();
    (0..buffers.len())
        .map(|i| {
            let mut column = columns.iter();
            Digests::gather(wanted, |algorithm, out| {
                if let Some(states) = column.next() {
                    states[i].digest(algorithm, out);
                }
            })
        })
        .collect()
}
