//! The compression functions of sha256 and sha512 (FIPS 180-4, 6.2 and 6.4): one algorithm in two
//! word sizes. sha224 and sha384 are the same with other first words and shorter digests.

use super::vector::{Compression, Vector, unrolled};
use crate::state::Word;

pub(super) struct Sha256;
pub(super) struct Sha512;

impl Compression for Sha256 {
    type Word = u32;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V, const LANES: usize>(cpu: V::Cpu, state: &mut [V; 8], block: [V; 16])
    where
        V: Vector<LANES, Word = u32>,
    {
        rounds::<Sha256, V, LANES>(cpu, state, block);
    }
}

impl Compression for Sha512 {
    type Word = u64;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V, const LANES: usize>(cpu: V::Cpu, state: &mut [V; 8], block: [V; 16])
    where
        V: Vector<LANES, Word = u64>,
    {
        rounds::<Sha512, V, LANES>(cpu, state, block);
    }
}

/// Where the two differ.
trait Sha2 {
    type Word: Word;
    /// Turns of the big sigmas, 0 and 1.
    const BIG: [[u32; 3]; 2];
    /// Two turns and a shift of the small sigmas, 0 and 1.
    const SMALL: [[u32; 3]; 2];
    const K: &[Self::Word];
}

#[inline(always)]
fn rounds<S, V, const LANES: usize>(cpu: V::Cpu, state: &mut [V; 8], mut w: [V; 16])
where
    S: Sha2,
    V: Vector<LANES, Word = S::Word>,
{
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for k in S::K.chunks_exact(16) {
        unrolled!(i in [0 8] {
            round::<S, V, LANES>((a, b, c, &mut d), (e, f, g, &mut h), w[i] + V::splat(cpu, k[i]));
            round::<S, V, LANES>((h, a, b, &mut c), (d, e, f, &mut g), w[i + 1] + V::splat(cpu, k[i + 1]));
            round::<S, V, LANES>((g, h, a, &mut b), (c, d, e, &mut f), w[i + 2] + V::splat(cpu, k[i + 2]));
            round::<S, V, LANES>((f, g, h, &mut a), (b, c, d, &mut e), w[i + 3] + V::splat(cpu, k[i + 3]));
            round::<S, V, LANES>((e, f, g, &mut h), (a, b, c, &mut d), w[i + 4] + V::splat(cpu, k[i + 4]));
            round::<S, V, LANES>((d, e, f, &mut g), (h, a, b, &mut c), w[i + 5] + V::splat(cpu, k[i + 5]));
            round::<S, V, LANES>((c, d, e, &mut f), (g, h, a, &mut b), w[i + 6] + V::splat(cpu, k[i + 6]));
            round::<S, V, LANES>((b, c, d, &mut e), (f, g, h, &mut a), w[i + 7] + V::splat(cpu, k[i + 7]));
        });
        unrolled!(i in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] {
            schedule::<S, V, LANES>(&mut w, i);
        });
    }
    for (old, new) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *old = *old + new;
    }
}

/// One round: the words change places by name instead of being moved.
#[inline(always)]
fn round<S, V, const LANES: usize>(
    (a, b, c, d): (V, V, V, &mut V),
    (e, f, g, h): (V, V, V, &mut V),
    addend: V,
) where
    S: Sha2,
    V: Vector<LANES, Word = S::Word>,
{
    let [turn0, turn1] = S::BIG;
    let sum = (*h + addend)
        + e.choose(f, g)
        + (e.rotate_right(turn1[0]) ^ e.rotate_right(turn1[1]) ^ e.rotate_right(turn1[2]));
    *d = *d + sum;
    *h = sum
        + a.majority(b, c)
        + (a.rotate_right(turn0[0]) ^ a.rotate_right(turn0[1]) ^ a.rotate_right(turn0[2]));
}

/// Replaces word `i` of the message schedule by the one sixteen further on; `w` is a ring.
#[inline(always)]
fn schedule<S, V, const LANES: usize>(w: &mut [V; 16], i: usize)
where
    S: Sha2,
    V: Vector<LANES, Word = S::Word>,
{
    let [turn0, turn1] = S::SMALL;
    let (near, far) = (w[(i + 1) % 16], w[(i + 14) % 16]);
    w[i] = (w[i] + w[(i + 9) % 16])
        + (near.rotate_right(turn0[0]) ^ near.rotate_right(turn0[1]) ^ near.shift_right(turn0[2]))
        + (far.rotate_right(turn1[0]) ^ far.rotate_right(turn1[1]) ^ far.shift_right(turn1[2]));
}

impl Sha2 for Sha256 {
    type Word = u32;
    const BIG: [[u32; 3]; 2] = [[2, 13, 22], [6, 11, 25]];
    const SMALL: [[u32; 3]; 2] = [[7, 18, 3], [17, 19, 10]];
    const K: &[u32] = &K256;
}

impl Sha2 for Sha512 {
    type Word = u64;
    const BIG: [[u32; 3]; 2] = [[28, 34, 39], [14, 18, 41]];
    const SMALL: [[u32; 3]; 2] = [[1, 8, 7], [19, 61, 6]];
    const K: &[u64] = &K512;
}

/// The first halves of the words of sha512: cube roots of the primes, after the point.
pub(super) const K256: [u32; 64] = {
    let mut halves = [0; 64];
    let mut i = 0;
    while i < 64 {
        halves[i] = (K512[i] >> 32) as u32;
        i += 1;
    }
    halves
};

#[rustfmt::skip]
const K512: [u64; 80] = [
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
];
