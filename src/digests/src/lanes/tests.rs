//! Every way of every lane against RustCrypto.

use ::md5::Digest;
use proptest::prelude::*;

use super::*;
use crate::state::Tail;

/// The digest by RustCrypto's own buffering and padding.
fn reference(algorithm: Algorithm, bytes: &[u8]) -> Vec<u8> {
    match algorithm {
        Algorithm::Md5 => ::md5::Md5::digest(bytes).to_vec(),
        Algorithm::Sha1 => ::sha1::Sha1::digest(bytes).to_vec(),
        Algorithm::Sha224 => ::sha2::Sha224::digest(bytes).to_vec(),
        Algorithm::Sha256 => ::sha2::Sha256::digest(bytes).to_vec(),
        Algorithm::Sha384 => ::sha2::Sha384::digest(bytes).to_vec(),
        Algorithm::Sha512 => ::sha2::Sha512::digest(bytes).to_vec(),
    }
}

/// Digests all streams with `take`, in two goes: the first gives whole chunks of up to `first`
/// bytes, the second the rest.
fn digests(
    algorithm: Algorithm,
    streams: &[Vec<u8>],
    first: usize,
    take: &dyn Fn(&mut [Run<'_>]) -> bool,
) -> Option<Vec<Vec<u8>>> {
    let block_len = algorithm.block_len();
    let mut states = vec![State::new(algorithm); streams.len()];
    let whole = |len: usize| len - len % block_len;
    let starts: Vec<_> = streams.iter().map(|s| s.split_at(whole(s.len().min(first)))).collect();
    let ends: Vec<_> = starts
        .iter()
        .zip(streams)
        .map(|((_, end), stream)| {
            let (body, rest) = end.split_at(whole(end.len()));
            (body, Tail::new(algorithm, rest, stream.len() as u64))
        })
        .collect();
    let mut runs: Vec<Run<'_>> = states
        .iter_mut()
        .zip(&starts)
        .map(|(state, (body, _))| Run { state, body, tail: &[] })
        .collect();
    let known = take(&mut runs);
    let mut runs: Vec<Run<'_>> = states
        .iter_mut()
        .zip(&ends)
        .map(|(state, (body, tail))| Run { state, body, tail: tail.as_slice() })
        .collect();
    if !(known && take(&mut runs)) {
        return None;
    }
    let digest = |state: &State| {
        let mut out = Vec::new();
        state.digest(algorithm, &mut out);
        out
    };
    Some(states.iter().map(digest).collect())
}

fn check(streams: &[Vec<u8>], first: usize) {
    for algorithm in Algorithm::ALL {
        let expected: Vec<_> = streams.iter().map(|bytes| reference(algorithm, bytes)).collect();
        let chosen = digests(algorithm, streams, first, &|runs| {
            advance(algorithm, runs);
            true
        });
        assert_eq!(chosen.as_ref(), Some(&expected), "{algorithm}, as chosen");
        #[cfg(target_arch = "x86_64")]
        for (i, engine) in engine::Engine::all().into_iter().enumerate() {
            let got = digests(algorithm, streams, first, &|runs| engine.advance(algorithm, runs));
            assert!(got.is_none() || got.as_ref() == Some(&expected), "{algorithm}, engine {i}");
        }
    }
}

fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i * 31 + seed * 17) ^ (i >> 7)).to_le_bytes()[0]).collect()
}

#[test]
fn lengths_around_every_block_boundary() {
    let edges = [0, 1, 3, 55, 56, 57, 63, 64, 65, 111, 112, 113, 119, 120, 127, 128, 129, 183, 184];
    let streams: Vec<_> = edges.iter().map(|len| pattern(*len, *len)).collect();
    check(&streams, 0);
    for stream in streams {
        check(&[stream.clone(), stream], 64);
    }
}

#[test]
fn every_number_of_streams() {
    for count in 0..=35 {
        let streams: Vec<_> = (0..count).map(|i| pattern(150 + i * 7, i)).collect();
        check(&streams, 128);
    }
}

#[test]
fn one_long_stream_among_short_ones() {
    let mut streams: Vec<_> = (0..20).map(|i| pattern(i, i)).collect();
    streams.push(pattern(20_000, 9));
    check(&streams, 4096);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_lengths_in_any_lanes(
        lengths in prop::collection::vec(0_usize..1500, 0..40),
        first in 0_usize..1500,
    ) {
        let streams: Vec<_> =
            lengths.into_iter().enumerate().map(|(i, len)| pattern(len, i)).collect();
        check(&streams, first);
    }
}
