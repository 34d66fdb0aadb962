//! Which instructions take how many streams at once: the choice, and the way there.

use super::Run;
use super::avx2::{Avx2, U32x8, U64x4};
use super::avx512::{Avx512, U32x16, U64x8};
use super::drive::drive;
use super::md5::Md5;
use super::sha1::Sha1;
use super::sha2::{Sha256, Sha512};
use super::shani::ShaNi;
use super::vector::Compression;
use crate::algorithm::Algorithm;

/// A way to take streams side by side, with the proof that this processor can.
#[derive(Clone, Copy)]
pub(super) enum Engine {
    /// Sixteen narrow or eight wide lanes.
    Whole(Avx512),
    /// Eight narrow or four wide lanes with the better instructions of AVX-512.
    Half(Avx512),
    /// Eight narrow or four wide lanes.
    Avx2(Avx2),
    /// Two streams of sha1 or sha256.
    Pair(ShaNi),
}

impl Engine {
    /// The quickest way for this many streams. Measured on Sapphire Rapids: half the lanes cost
    /// sha1 and the sha2 less than half-empty ones; up to four streams of sha1 and sha256 are
    /// quicker in pairs; without AVX-512, pairs win for any number.
    pub(super) fn choose(algorithm: Algorithm, streams: usize) -> Option<Engine> {
        if streams < 2 {
            return None;
        }
        let lanes = if algorithm.block_len() == 128 { 4 } else { 8 };
        let pairs = match algorithm {
            Algorithm::Sha1 | Algorithm::Sha224 | Algorithm::Sha256 => ShaNi::detect(),
            Algorithm::Md5 | Algorithm::Sha384 | Algorithm::Sha512 => None,
        };
        match (Avx512::detect(), pairs, Avx2::detect()) {
            (Some(avx512), _, _) if streams > lanes => Some(Engine::Whole(avx512)),
            (Some(avx512), None, _) => Some(Engine::Half(avx512)),
            (Some(avx512), Some(_), _) if streams > lanes / 2 => Some(Engine::Half(avx512)),
            (_, Some(sha_ni), _) => Some(Engine::Pair(sha_ni)),
            (None, None, Some(avx2)) => Some(Engine::Avx2(avx2)),
            (None, None, None) => None,
        }
    }

    /// Takes every run into its state. False where this way does not know the algorithm.
    pub(super) fn advance(self, algorithm: Algorithm, runs: &mut [Run<'_>]) -> bool {
        match algorithm {
            Algorithm::Md5 => self.narrow::<Md5>(algorithm, runs),
            Algorithm::Sha1 => self.narrow::<Sha1>(algorithm, runs),
            Algorithm::Sha224 | Algorithm::Sha256 => self.narrow::<Sha256>(algorithm, runs),
            Algorithm::Sha384 | Algorithm::Sha512 => self.wide::<Sha512>(algorithm, runs),
        }
    }

    fn narrow<C>(self, algorithm: Algorithm, runs: &mut [Run<'_>]) -> bool
    where
        C: Compression<Word = u32>,
    {
        match self {
            Engine::Whole(cpu) => drive(algorithm, runs, |states, lanes, blocks| {
                cpu.compress::<C, U32x16, 16>(cpu, states, lanes, blocks);
            }),
            Engine::Half(cpu) => drive(algorithm, runs, |states, lanes, blocks| {
                cpu.compress::<C, U32x8, 8>(cpu.avx2(), states, lanes, blocks);
            }),
            Engine::Avx2(cpu) => drive(algorithm, runs, |states, lanes, blocks| {
                cpu.compress::<C, U32x8, 8>(states, lanes, blocks);
            }),
            Engine::Pair(cpu) => match algorithm {
                Algorithm::Sha1 => drive(algorithm, runs, |states, lanes, blocks| {
                    cpu.sha1::<2>(states, lanes, blocks);
                }),
                Algorithm::Sha224 | Algorithm::Sha256 => {
                    drive(algorithm, runs, |states, lanes, blocks| {
                        cpu.sha256::<2>(states, lanes, blocks);
                    });
                }
                Algorithm::Md5 | Algorithm::Sha384 | Algorithm::Sha512 => return false,
            },
        }
        true
    }

    fn wide<C>(self, algorithm: Algorithm, runs: &mut [Run<'_>]) -> bool
    where
        C: Compression<Word = u64>,
    {
        match self {
            Engine::Whole(cpu) => drive(algorithm, runs, |states, lanes, blocks| {
                cpu.compress::<C, U64x8, 8>(cpu, states, lanes, blocks);
            }),
            Engine::Half(cpu) => drive(algorithm, runs, |states, lanes, blocks| {
                cpu.compress::<C, U64x4, 4>(cpu.avx2(), states, lanes, blocks);
            }),
            Engine::Avx2(cpu) => drive(algorithm, runs, |states, lanes, blocks| {
                cpu.compress::<C, U64x4, 4>(states, lanes, blocks);
            }),
            Engine::Pair(_) => return false,
        }
        true
    }

    /// Every way this processor has, so that tests can take each of them.
    #[cfg(test)]
    pub(super) fn all() -> Vec<Engine> {
        [
            Avx512::detect().map(Engine::Whole),
            Avx512::detect().map(Engine::Half),
            Avx2::detect().map(Engine::Avx2),
            ShaNi::detect().map(Engine::Pair),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
