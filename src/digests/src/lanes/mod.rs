//! Many streams hashed side by side.
//!
//! md5 and the sha family are chains: each step waits for the one before, so one stream leaves most
//! of a core idle. Here word `i` of up to sixteen streams sits in one register. The compression
//! functions are written once, over [`vector::Vector`]; [`drive`] seats streams in lanes and keeps
//! these full; [`engine`] picks the widest instructions the processor has; [`scalar`] is what
//! remains where it has none, or one stream is left. All `unsafe` of the program is in this folder.

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod drive;
#[cfg(target_arch = "x86_64")]
mod engine;
#[cfg(target_arch = "x86_64")]
mod md5;
mod scalar;
#[cfg(target_arch = "x86_64")]
mod sha1;
#[cfg(target_arch = "x86_64")]
mod sha2;
#[cfg(target_arch = "x86_64")]
mod shani;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod vector;

use super::algorithm::Algorithm;
use super::state::State;

/// The next bytes of one stream: whole blocks, and the padded end if this is the end.
pub(super) struct Run<'a> {
    pub(super) state: &'a mut State,
    pub(super) body: &'a [u8],
    pub(super) tail: &'a [u8],
}

/// Takes every run into its state, the quickest way this processor has. The runs change places.
pub(super) fn advance(algorithm: Algorithm, runs: &mut [Run<'_>]) {
    // Without optimisation lanes are far slower than RustCrypto, which the dev profile optimises;
    // the tests of this folder take every engine by name.
    #[cfg(target_arch = "x86_64")]
    if !cfg!(debug_assertions)
        && let Some(engine) = engine::Engine::choose(algorithm, runs.len())
        && engine.advance(algorithm, runs)
    {
        return;
    }
    for run in runs {
        scalar::compress(algorithm, run.state, run.body);
        scalar::compress(algorithm, run.state, run.tail);
    }
}
