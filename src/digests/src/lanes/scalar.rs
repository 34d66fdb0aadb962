//! One stream at a time, by RustCrypto: on any processor, and with SHA instructions where it has
//! them.

use super::State;
use crate::algorithm::Algorithm;
use crate::state::Word;

/// Takes whole blocks into the state.
pub(super) fn compress(algorithm: Algorithm, state: &mut State, blocks: &[u8]) {
    match algorithm {
        Algorithm::Md5 => {
            with(state, |words| ::md5::block_api::compress(words, blocks.as_chunks().0))
        }
        Algorithm::Sha1 => {
            with(state, |words| ::sha1::block_api::compress(words, blocks.as_chunks().0))
        }
        Algorithm::Sha224 | Algorithm::Sha256 => {
            with(state, |words| ::sha2::block_api::compress256(words, blocks.as_chunks().0));
        }
        Algorithm::Sha384 | Algorithm::Sha512 => {
            with(state, |words| ::sha2::block_api::compress512(words, blocks.as_chunks().0));
        }
    }
}

/// Lends the first words of a state in their own size.
fn with<W: Word, const WORDS: usize>(state: &mut State, work: impl FnOnce(&mut [W; WORDS])) {
    let mut words = std::array::from_fn(|i| W::from_state(state.0[i]));
    work(&mut words);
    for (word, new) in state.0.iter_mut().zip(words) {
        *word = new.into_state();
    }
}
