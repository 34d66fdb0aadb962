//! The md5 compression function (RFC 1321).

use super::vector::{Compression, Vector, unrolled};

pub(super) struct Md5;

impl Compression for Md5 {
    type Word = u32;
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V, const LANES: usize>(cpu: V::Cpu, state: &mut [V; 8], block: [V; 16])
    where
        V: Vector<LANES, Word = u32>,
    {
        let [mut a, mut b, mut c, mut d, ..] = *state;
        let w = &block;
        unrolled!(i in [0 4 8 12] {
            a = step(a, b, b.choose(c, d), (cpu, w, i, i), 7);
            d = step(d, a, a.choose(b, c), (cpu, w, i + 1, i + 1), 12);
            c = step(c, d, d.choose(a, b), (cpu, w, i + 2, i + 2), 17);
            b = step(b, c, c.choose(d, a), (cpu, w, i + 3, i + 3), 22);
        });
        unrolled!(i in [16 20 24 28] {
            a = step(a, b, d.choose(b, c), (cpu, w, 5 * i + 1, i), 5);
            d = step(d, a, c.choose(a, b), (cpu, w, 5 * i + 6, i + 1), 9);
            c = step(c, d, b.choose(d, a), (cpu, w, 5 * i + 11, i + 2), 14);
            b = step(b, c, a.choose(c, d), (cpu, w, 5 * i + 16, i + 3), 20);
        });
        unrolled!(i in [32 36 40 44] {
            a = step(a, b, b ^ c ^ d, (cpu, w, 3 * i + 5, i), 4);
            d = step(d, a, a ^ b ^ c, (cpu, w, 3 * i + 8, i + 1), 11);
            c = step(c, d, d ^ a ^ b, (cpu, w, 3 * i + 11, i + 2), 16);
            b = step(b, c, c ^ d ^ a, (cpu, w, 3 * i + 14, i + 3), 23);
        });
        unrolled!(i in [48 52 56 60] {
            a = step(a, b, c ^ (b | !d), (cpu, w, 7 * i, i), 6);
            d = step(d, a, b ^ (a | !c), (cpu, w, 7 * i + 7, i + 1), 10);
            c = step(c, d, a ^ (d | !b), (cpu, w, 7 * i + 14, i + 2), 15);
            b = step(b, c, d ^ (c | !a), (cpu, w, 7 * i + 21, i + 3), 21);
        });
        state[0] = state[0] + a;
        state[1] = state[1] + b;
        state[2] = state[2] + c;
        state[3] = state[3] + d;
    }
}

/// One step, which takes word `at` of the block and constant `i`. What does not wait for the step
/// before is added first.
#[inline(always)]
fn step<V, const LANES: usize>(
    a: V,
    b: V,
    mixed: V,
    (cpu, block, at, i): (V::Cpu, &[V; 16], usize, usize),
    bits: u32,
) -> V
where
    V: Vector<LANES, Word = u32>,
{
    (a + (block[at % 16] + V::splat(cpu, K[i])) + mixed).rotate_left(bits) + b
}

/// The integer part of 2^32 times the sine of 1, 2, 3 ... 64.
#[rustfmt::skip]
const K: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];
