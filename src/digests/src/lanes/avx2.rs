//! Eight narrow or four wide words in a register of 256 bits.
#![expect(unsafe_code, reason = "vector instructions; tested against RustCrypto")]

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

use super::vector::{Compression, Vector, compress_blocks};

/// Proof that the processor has AVX2.
#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn detect() -> Option<Avx2> {
        is_x86_feature_detected!("avx2").then_some(Avx2(()))
    }

    /// Takes blocks from every lane into the states.
    pub(super) fn compress<C, V, const LANES: usize>(
        self,
        states: &mut [[C::Word; LANES]; 8],
        lanes: &[&[u8]; LANES],
        blocks: usize,
    ) where
        C: Compression,
        V: Vector<LANES, Word = C::Word, Cpu = Avx2>,
    {
        #[target_feature(enable = "avx2")]
        fn enabled<C: Compression, V, const LANES: usize>(
            cpu: Avx2,
            states: &mut [[C::Word; LANES]; 8],
            lanes: &[&[u8]; LANES],
            blocks: usize,
        ) where
            V: Vector<LANES, Word = C::Word, Cpu = Avx2>,
        {
            compress_blocks::<C, V, LANES>(cpu, states, lanes, blocks);
        }
        // SAFETY: this value exists only where AVX2 was detected.
        unsafe { enabled::<C, V, LANES>(self, states, lanes, blocks) }
    }
}

/// Eight words of 32 bits.
#[derive(Clone, Copy)]
pub(super) struct U32x8(__m256i);

/// Four words of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct U64x4(__m256i);

super::vector::operators!(
    U32x8,
    _mm256_add_epi32,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_xor_si256,
    _mm256_set1_epi32
);
super::vector::operators!(
    U64x4,
    _mm256_add_epi64,
    _mm256_and_si256,
    _mm256_or_si256,
    _mm256_xor_si256,
    _mm256_set1_epi64x
);

impl Vector<8> for U32x8 {
    type Word = u32;
    type Cpu = Avx2;

    #[inline(always)]
    fn splat(_: Avx2, word: u32) -> Self {
        // SAFETY: the argument is proof of AVX2.
        Self(unsafe { _mm256_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(_: Avx2, words: &[u32; 8]) -> Self {
        // SAFETY: the argument is proof of AVX2; the array has 256 bits.
        Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u32; 8]) {
        // SAFETY: a vector is proof of AVX2; the array has 256 bits.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn block(_: Avx2, lanes: &[&[u8]; 8], at: usize) -> [Self; 16] {
        // SAFETY: the argument is proof of AVX2.
        let halves = unsafe { [columns32(rows(lanes, at)), columns32(rows(lanes, at + 32))] };
        let mut block = [Self(halves[0][0]); 16];
        for (words, column) in block.iter_mut().zip(halves.as_flattened()) {
            words.0 = *column;
        }
        block
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: a vector is proof of AVX2.
        Self(unsafe {
            _mm256_shuffle_epi8(
                self.0,
                _mm256_broadcastsi128_si256(_mm_set_epi8(
                    12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
                )),
            )
        })
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        self.rotate_right(32 - bits)
    }

    #[inline(always)]
    fn rotate_right(self, bits: u32) -> Self {
        // SAFETY: a vector is proof of AVX2.
        let left =
            unsafe { _mm256_sllv_epi32(self.0, _mm256_set1_epi32((32 - bits).cast_signed())) };
        Self(left) | self.shift_right(bits)
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SAFETY: a vector is proof of AVX2.
        Self(unsafe { _mm256_srlv_epi32(self.0, _mm256_set1_epi32(bits.cast_signed())) })
    }
}

impl Vector<4> for U64x4 {
    type Word = u64;
    type Cpu = Avx2;

    #[inline(always)]
    fn splat(_: Avx2, word: u64) -> Self {
        // SAFETY: the argument is proof of AVX2.
        Self(unsafe { _mm256_set1_epi64x(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(_: Avx2, words: &[u64; 4]) -> Self {
        // SAFETY: the argument is proof of AVX2; the array has 256 bits.
        Self(unsafe { _mm256_loadu_si256(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; 4]) {
        // SAFETY: a vector is proof of AVX2; the array has 256 bits.
        unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn block(_: Avx2, lanes: &[&[u8]; 4], at: usize) -> [Self; 16] {
        // SAFETY: the argument is proof of AVX2.
        let quarters = unsafe {
            [
                columns64(rows(lanes, at)),
                columns64(rows(lanes, at + 32)),
                columns64(rows(lanes, at + 64)),
                columns64(rows(lanes, at + 96)),
            ]
        };
        let mut block = [Self(quarters[0][0]); 16];
        for (words, column) in block.iter_mut().zip(quarters.as_flattened()) {
            words.0 = *column;
        }
        block
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: a vector is proof of AVX2.
        Self(unsafe {
            _mm256_shuffle_epi8(
                self.0,
                _mm256_broadcastsi128_si256(_mm_set_epi8(
                    8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
                )),
            )
        })
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        self.rotate_right(64 - bits)
    }

    #[inline(always)]
    fn rotate_right(self, bits: u32) -> Self {
        // SAFETY: a vector is proof of AVX2.
        let left = unsafe { _mm256_sllv_epi64(self.0, _mm256_set1_epi64x(i64::from(64 - bits))) };
        Self(left) | self.shift_right(bits)
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SAFETY: a vector is proof of AVX2.
        Self(unsafe { _mm256_srlv_epi64(self.0, _mm256_set1_epi64x(i64::from(bits))) })
    }
}

/// 32 bytes of every lane.
#[inline]
#[target_feature(enable = "avx2")]
fn rows<const LANES: usize>(lanes: &[&[u8]; LANES], at: usize) -> [__m256i; LANES] {
    let mut rows = [_mm256_setzero_si256(); LANES];
    for (row, lane) in rows.iter_mut().zip(lanes) {
        // SAFETY: the slice has 32 bytes.
        *row = unsafe { _mm256_loadu_si256(lane[at..at + 32].as_ptr().cast()) };
    }
    rows
}

/// Eight rows of eight narrow words become columns.
#[inline]
#[target_feature(enable = "avx2")]
fn columns32(rows: [__m256i; 8]) -> [__m256i; 8] {
    let mut fours = [[rows[0]; 4]; 2];
    for (four, r) in fours.iter_mut().zip(rows.as_chunks::<4>().0) {
        let (low, low2) = (_mm256_unpacklo_epi32(r[0], r[1]), _mm256_unpacklo_epi32(r[2], r[3]));
        let (high, high2) = (_mm256_unpackhi_epi32(r[0], r[1]), _mm256_unpackhi_epi32(r[2], r[3]));
        // Word 4q + j of the four rows at j, for the halves q = 0 and 1.
        *four = [
            _mm256_unpacklo_epi64(low, low2),
            _mm256_unpackhi_epi64(low, low2),
            _mm256_unpacklo_epi64(high, high2),
            _mm256_unpackhi_epi64(high, high2),
        ];
    }
    let mut columns = rows;
    for j in 0..4 {
        [columns[j], columns[4 + j]] = halves(fours[0][j], fours[1][j]);
    }
    columns
}

/// Four rows of four wide words become columns.
#[inline]
#[target_feature(enable = "avx2")]
fn columns64([r0, r1, r2, r3]: [__m256i; 4]) -> [__m256i; 4] {
    let even = halves(_mm256_unpacklo_epi64(r0, r1), _mm256_unpacklo_epi64(r2, r3));
    let odd = halves(_mm256_unpackhi_epi64(r0, r1), _mm256_unpackhi_epi64(r2, r3));
    [even[0], odd[0], even[1], odd[1]]
}

/// The two low halves together, and the two high halves.
#[inline]
#[target_feature(enable = "avx2")]
fn halves(x: __m256i, y: __m256i) -> [__m256i; 2] {
    [_mm256_permute2x128_si256::<0x20>(x, y), _mm256_permute2x128_si256::<0x31>(x, y)]
}
