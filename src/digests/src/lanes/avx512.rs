//! Sixteen narrow or eight wide words in a register of 512 bits, with turns and three-way logic in
//! one instruction each.
#![expect(unsafe_code, reason = "vector instructions; tested against RustCrypto")]

use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

use super::avx2::Avx2;
use super::vector::{Compression, Vector, compress_blocks};

/// Proof that the processor has AVX2 and AVX-512 F, BW and VL.
#[derive(Clone, Copy)]
pub(super) struct Avx512(Avx2);

impl Avx512 {
    pub(super) fn detect() -> Option<Avx512> {
        let found = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl");
        Avx2::detect().filter(|_| found).map(Avx512)
    }

    pub(super) fn avx2(self) -> Avx2 {
        self.0
    }

    /// Takes blocks from every lane into the states. Narrower vectors gain from being compiled
    /// here, too: the compiler uses the turns and the three-way logic.
    pub(super) fn compress<C, V, const LANES: usize>(
        self,
        cpu: V::Cpu,
        states: &mut [[C::Word; LANES]; 8],
        lanes: &[&[u8]; LANES],
        blocks: usize,
    ) where
        C: Compression,
        V: Vector<LANES, Word = C::Word>,
    {
        #[target_feature(enable = "avx2,avx512f,avx512bw,avx512vl")]
        fn enabled<C: Compression, V, const LANES: usize>(
            cpu: V::Cpu,
            states: &mut [[C::Word; LANES]; 8],
            lanes: &[&[u8]; LANES],
            blocks: usize,
        ) where
            V: Vector<LANES, Word = C::Word>,
        {
            compress_blocks::<C, V, LANES>(cpu, states, lanes, blocks);
        }
        // SAFETY: this value exists only where all of these were detected.
        unsafe { enabled::<C, V, LANES>(cpu, states, lanes, blocks) }
    }
}

/// Sixteen words of 32 bits.
#[derive(Clone, Copy)]
pub(super) struct U32x16(__m512i);

/// Eight words of 64 bits.
#[derive(Clone, Copy)]
pub(super) struct U64x8(__m512i);

super::vector::operators!(
    U32x16,
    _mm512_add_epi32,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_xor_si512,
    _mm512_set1_epi32
);
super::vector::operators!(
    U64x8,
    _mm512_add_epi64,
    _mm512_and_si512,
    _mm512_or_si512,
    _mm512_xor_si512,
    _mm512_set1_epi64
);

impl Vector<16> for U32x16 {
    type Word = u32;
    type Cpu = Avx512;

    #[inline(always)]
    fn splat(_: Avx512, word: u32) -> Self {
        // SAFETY: the argument is proof of AVX-512.
        Self(unsafe { _mm512_set1_epi32(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(_: Avx512, words: &[u32; 16]) -> Self {
        // SAFETY: the argument is proof of AVX-512; the array has 512 bits.
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u32; 16]) {
        // SAFETY: a vector is proof of AVX-512; the array has 512 bits.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn block(_: Avx512, lanes: &[&[u8]; 16], at: usize) -> [Self; 16] {
        // SAFETY: the argument is proof of AVX-512.
        let columns = unsafe { columns32(rows(lanes, at)) };
        let mut block = [Self(columns[0]); 16];
        for (words, column) in block.iter_mut().zip(columns) {
            words.0 = column;
        }
        block
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe {
            _mm512_shuffle_epi8(
                self.0,
                _mm512_broadcast_i32x4(_mm_set_epi8(
                    12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3,
                )),
            )
        })
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe { _mm512_rolv_epi32(self.0, _mm512_set1_epi32(bits.cast_signed())) })
    }

    #[inline(always)]
    fn rotate_right(self, bits: u32) -> Self {
        self.rotate_left(32 - bits)
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe { _mm512_srlv_epi32(self.0, _mm512_set1_epi32(bits.cast_signed())) })
    }

    #[inline(always)]
    fn choose(self, one: Self, zero: Self) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi32::<CHOOSE>(self.0, one.0, zero.0) })
    }

    #[inline(always)]
    fn majority(self, second: Self, third: Self) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi32::<MAJORITY>(self.0, second.0, third.0) })
    }
}

impl Vector<8> for U64x8 {
    type Word = u64;
    type Cpu = Avx512;

    #[inline(always)]
    fn splat(_: Avx512, word: u64) -> Self {
        // SAFETY: the argument is proof of AVX-512.
        Self(unsafe { _mm512_set1_epi64(word.cast_signed()) })
    }

    #[inline(always)]
    fn load(_: Avx512, words: &[u64; 8]) -> Self {
        // SAFETY: the argument is proof of AVX-512; the array has 512 bits.
        Self(unsafe { _mm512_loadu_si512(words.as_ptr().cast()) })
    }

    #[inline(always)]
    fn store(self, words: &mut [u64; 8]) {
        // SAFETY: a vector is proof of AVX-512; the array has 512 bits.
        unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), self.0) }
    }

    #[inline(always)]
    fn block(_: Avx512, lanes: &[&[u8]; 8], at: usize) -> [Self; 16] {
        // SAFETY: the argument is proof of AVX-512.
        let halves = unsafe { [columns64(rows(lanes, at)), columns64(rows(lanes, at + 64))] };
        let mut block = [Self(halves[0][0]); 16];
        for (words, column) in block.iter_mut().zip(halves.as_flattened()) {
            words.0 = *column;
        }
        block
    }

    #[inline(always)]
    fn swap_bytes(self) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe {
            _mm512_shuffle_epi8(
                self.0,
                _mm512_broadcast_i32x4(_mm_set_epi8(
                    8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7,
                )),
            )
        })
    }

    #[inline(always)]
    fn rotate_left(self, bits: u32) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe { _mm512_rolv_epi64(self.0, _mm512_set1_epi64(i64::from(bits))) })
    }

    #[inline(always)]
    fn rotate_right(self, bits: u32) -> Self {
        self.rotate_left(64 - bits)
    }

    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe { _mm512_srlv_epi64(self.0, _mm512_set1_epi64(i64::from(bits))) })
    }

    #[inline(always)]
    fn choose(self, one: Self, zero: Self) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi64::<CHOOSE>(self.0, one.0, zero.0) })
    }

    #[inline(always)]
    fn majority(self, second: Self, third: Self) -> Self {
        // SAFETY: a vector is proof of AVX-512.
        Self(unsafe { _mm512_ternarylogic_epi64::<MAJORITY>(self.0, second.0, third.0) })
    }
}

/// Truth tables: bit `4a + 2b + c` is the answer for bits a, b and c.
const CHOOSE: i32 = 0b1100_1010;
const MAJORITY: i32 = 0b1110_1000;

/// 64 bytes of every lane.
#[inline]
#[target_feature(enable = "avx512f")]
fn rows<const LANES: usize>(lanes: &[&[u8]; LANES], at: usize) -> [__m512i; LANES] {
    let mut rows = [_mm512_setzero_si512(); LANES];
    for (row, lane) in rows.iter_mut().zip(lanes) {
        // SAFETY: the slice has 64 bytes.
        *row = unsafe { _mm512_loadu_si512(lane[at..at + 64].as_ptr().cast()) };
    }
    rows
}

/// Sixteen rows of sixteen narrow words become columns.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns32(rows: [__m512i; 16]) -> [__m512i; 16] {
    let mut fours = [[rows[0]; 4]; 4];
    for (four, r) in fours.iter_mut().zip(rows.as_chunks::<4>().0) {
        let (low, low2) = (_mm512_unpacklo_epi32(r[0], r[1]), _mm512_unpacklo_epi32(r[2], r[3]));
        let (high, high2) = (_mm512_unpackhi_epi32(r[0], r[1]), _mm512_unpackhi_epi32(r[2], r[3]));
        // Word 4q + j of the four rows at j, for the quarters q = 0 to 3.
        *four = [
            _mm512_unpacklo_epi64(low, low2),
            _mm512_unpackhi_epi64(low, low2),
            _mm512_unpacklo_epi64(high, high2),
            _mm512_unpackhi_epi64(high, high2),
        ];
    }
    let mut columns = rows;
    for j in 0..4 {
        let words = quarters(fours[0][j], fours[1][j], fours[2][j], fours[3][j]);
        for q in 0..4 {
            columns[4 * q + j] = words[q];
        }
    }
    columns
}

/// Eight rows of eight wide words become columns.
#[inline]
#[target_feature(enable = "avx512f")]
fn columns64(r: [__m512i; 8]) -> [__m512i; 8] {
    let even = quarters(
        _mm512_unpacklo_epi64(r[0], r[1]),
        _mm512_unpacklo_epi64(r[2], r[3]),
        _mm512_unpacklo_epi64(r[4], r[5]),
        _mm512_unpacklo_epi64(r[6], r[7]),
    );
    let odd = quarters(
        _mm512_unpackhi_epi64(r[0], r[1]),
        _mm512_unpackhi_epi64(r[2], r[3]),
        _mm512_unpackhi_epi64(r[4], r[5]),
        _mm512_unpackhi_epi64(r[6], r[7]),
    );
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}

/// The four first quarters together, then the second ones, the third and the fourth.
#[inline]
#[target_feature(enable = "avx512f")]
fn quarters(a: __m512i, b: __m512i, c: __m512i, d: __m512i) -> [__m512i; 4] {
    let (ab_even, cd_even) =
        (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0x88>(c, d));
    let (ab_odd, cd_odd) = (_mm512_shuffle_i32x4::<0xdd>(a, b), _mm512_shuffle_i32x4::<0xdd>(c, d));
    [
        _mm512_shuffle_i32x4::<0x88>(ab_even, cd_even),
        _mm512_shuffle_i32x4::<0x88>(ab_odd, cd_odd),
        _mm512_shuffle_i32x4::<0xdd>(ab_even, cd_even),
        _mm512_shuffle_i32x4::<0xdd>(ab_odd, cd_odd),
    ]
}
