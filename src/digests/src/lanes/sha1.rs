//! The sha1 compression function (FIPS 180-4, 6.1).

use super::vector::{Compression, Vector, unrolled};

pub(super) struct Sha1;

impl Compression for Sha1 {
    type Word = u32;
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V, const LANES: usize>(cpu: V::Cpu, state: &mut [V; 8], mut block: [V; 16])
    where
        V: Vector<LANES, Word = u32>,
    {
        let mut words = [state[0], state[1], state[2], state[3], state[4]];
        twenty(&mut words, &mut block, (0, V::splat(cpu, K[0])), |b, c, d| b.choose(c, d));
        twenty(&mut words, &mut block, (20, V::splat(cpu, K[1])), |b, c, d| b ^ c ^ d);
        twenty(&mut words, &mut block, (40, V::splat(cpu, K[2])), |b, c, d| b.majority(c, d));
        twenty(&mut words, &mut block, (60, V::splat(cpu, K[3])), |b, c, d| b ^ c ^ d);
        for (old, new) in state.iter_mut().zip(words) {
            *old = *old + new;
        }
    }
}

/// Twenty rounds from round `from` on, which share a constant and a way to mix.
#[inline(always)]
fn twenty<V, const LANES: usize>(
    [a, b, c, d, e]: &mut [V; 5],
    w: &mut [V; 16],
    (from, k): (usize, V),
    mix: impl Fn(V, V, V) -> V,
) where
    V: Vector<LANES, Word = u32>,
{
    unrolled!(i in [0 5 10 15] {
        let i = from + i;
        round(*a, b, e, next(w, i) + k + mix(*b, *c, *d));
        round(*e, a, d, next(w, i + 1) + k + mix(*a, *b, *c));
        round(*d, e, c, next(w, i + 2) + k + mix(*e, *a, *b));
        round(*c, d, b, next(w, i + 3) + k + mix(*d, *e, *a));
        round(*b, c, a, next(w, i + 4) + k + mix(*c, *d, *e));
    });
}

/// One round: the words change places by name instead of being moved.
#[inline(always)]
fn round<V, const LANES: usize>(a: V, b: &mut V, e: &mut V, addend: V)
where
    V: Vector<LANES, Word = u32>,
{
    *e = (*e + addend) + a.rotate_left(5);
    *b = b.rotate_left(30);
}

/// Word `i` of the message schedule; the block is a ring of the last sixteen.
#[inline(always)]
fn next<V, const LANES: usize>(block: &mut [V; 16], i: usize) -> V
where
    V: Vector<LANES, Word = u32>,
{
    if i >= 16 {
        let mixed =
            block[i % 16] ^ block[(i + 2) % 16] ^ block[(i + 8) % 16] ^ block[(i + 13) % 16];
        block[i % 16] = mixed.rotate_left(1);
    }
    block[i % 16]
}

const K: [u32; 4] = [0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6];
