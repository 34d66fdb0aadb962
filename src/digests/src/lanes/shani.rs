//! sha1 and sha256 with the SHA instructions, several streams at once: each instruction waits four
//! or more cycles for the one before, and another stream fills the wait.
#![expect(unsafe_code, reason = "SHA instructions; tested against RustCrypto")]

use std::arch::x86_64::*;

use super::sha2::K256;
use super::vector::unrolled;

/// Proof that the processor has the SHA instructions and SSE4.1.
#[derive(Clone, Copy)]
pub(super) struct ShaNi(());

impl ShaNi {
    pub(super) fn detect() -> Option<ShaNi> {
        let found = is_x86_feature_detected!("sha")
            && is_x86_feature_detected!("ssse3")
            && is_x86_feature_detected!("sse4.1");
        found.then_some(ShaNi(()))
    }

    /// Takes blocks from every lane into the sha1 states.
    pub(super) fn sha1<const LANES: usize>(
        self,
        states: &mut [[u32; LANES]; 8],
        lanes: &[&[u8]; LANES],
        blocks: usize,
    ) {
        // SAFETY: this value exists only where the instructions were detected.
        unsafe { sha1(states, lanes, blocks) }
    }

    /// Takes blocks from every lane into the sha256 states.
    pub(super) fn sha256<const LANES: usize>(
        self,
        states: &mut [[u32; LANES]; 8],
        lanes: &[&[u8]; LANES],
        blocks: usize,
    ) {
        // SAFETY: this value exists only where the instructions were detected.
        unsafe { sha256(states, lanes, blocks) }
    }
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn sha1<const LANES: usize>(states: &mut [[u32; LANES]; 8], lanes: &[&[u8]; LANES], blocks: usize) {
    let mut abcd: [__m128i; LANES] = std::array::from_fn(|s| four(states, s, [3, 2, 1, 0]));
    let mut e: [__m128i; LANES] =
        std::array::from_fn(|s| _mm_set_epi32(states[4][s].cast_signed(), 0, 0, 0));
    for at in (0..blocks).map(|block| block * 64) {
        let mut w = words(lanes, at, [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
        let (abcd_before, e_before) = (abcd, e);
        // Four rounds at a time; `before` is where the next e comes from.
        let mut before = abcd;
        unrolled!(r in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19] {
            for s in 0..LANES {
                let now = w[s][r % 4];
                let e = if r == 0 { _mm_add_epi32(e[s], now) } else { _mm_sha1nexte_epu32(before[s], now) };
                before[s] = abcd[s];
                abcd[s] = match r / 5 {
                    0 => _mm_sha1rnds4_epu32::<0>(abcd[s], e),
                    1 => _mm_sha1rnds4_epu32::<1>(abcd[s], e),
                    2 => _mm_sha1rnds4_epu32::<2>(abcd[s], e),
                    _ => _mm_sha1rnds4_epu32::<3>(abcd[s], e),
                };
                if r < 16 {
                    let mixed = _mm_sha1msg1_epu32(now, w[s][(r + 1) % 4]);
                    let mixed = _mm_xor_si128(mixed, w[s][(r + 2) % 4]);
                    w[s][r % 4] = _mm_sha1msg2_epu32(mixed, w[s][(r + 3) % 4]);
                }
            }
        });
        for s in 0..LANES {
            abcd[s] = _mm_add_epi32(abcd[s], abcd_before[s]);
            e[s] = _mm_sha1nexte_epu32(before[s], e_before[s]);
        }
    }
    for s in 0..LANES {
        put(states, s, [3, 2, 1, 0], abcd[s]);
        states[4][s] = _mm_extract_epi32::<3>(e[s]).cast_unsigned();
    }
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn sha256<const LANES: usize>(
    states: &mut [[u32; LANES]; 8],
    lanes: &[&[u8]; LANES],
    blocks: usize,
) {
    // The order the instructions want, lowest first: f e b a, and h g d c.
    let mut abef: [__m128i; LANES] = std::array::from_fn(|s| four(states, s, [5, 4, 1, 0]));
    let mut cdgh: [__m128i; LANES] = std::array::from_fn(|s| four(states, s, [7, 6, 3, 2]));
    for at in (0..blocks).map(|block| block * 64) {
        let mut w = words(lanes, at, [3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]);
        let (abef_before, cdgh_before) = (abef, cdgh);
        unrolled!(r in [0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15] {
            // SAFETY: there are sixteen times four constants.
            let k = unsafe { _mm_loadu_si128(K256[4 * r..4 * r + 4].as_ptr().cast()) };
            for s in 0..LANES {
                let now = w[s][r % 4];
                let sum = _mm_add_epi32(now, k);
                cdgh[s] = _mm_sha256rnds2_epu32(cdgh[s], abef[s], sum);
                abef[s] = _mm_sha256rnds2_epu32(abef[s], cdgh[s], _mm_shuffle_epi32::<0x0e>(sum));
                if r < 12 {
                    let last = w[s][(r + 3) % 4];
                    let mixed = _mm_sha256msg1_epu32(now, w[s][(r + 1) % 4]);
                    let mixed = _mm_add_epi32(mixed, _mm_alignr_epi8::<4>(last, w[s][(r + 2) % 4]));
                    w[s][r % 4] = _mm_sha256msg2_epu32(mixed, last);
                }
            }
        });
        for s in 0..LANES {
            abef[s] = _mm_add_epi32(abef[s], abef_before[s]);
            cdgh[s] = _mm_add_epi32(cdgh[s], cdgh_before[s]);
        }
    }
    for s in 0..LANES {
        put(states, s, [5, 4, 1, 0], abef[s]);
        put(states, s, [7, 6, 3, 2], cdgh[s]);
    }
}

/// Four words of one state, lowest first.
#[inline]
#[target_feature(enable = "sse4.1")]
fn four<const LANES: usize>(states: &[[u32; LANES]; 8], lane: usize, at: [usize; 4]) -> __m128i {
    let [w0, w1, w2, w3] = at.map(|word| states[word][lane].cast_signed());
    _mm_set_epi32(w3, w2, w1, w0)
}

#[inline]
#[target_feature(enable = "sse4.1")]
fn put<const LANES: usize>(
    states: &mut [[u32; LANES]; 8],
    lane: usize,
    at: [usize; 4],
    words: __m128i,
) {
    states[at[0]][lane] = _mm_extract_epi32::<0>(words).cast_unsigned();
    states[at[1]][lane] = _mm_extract_epi32::<1>(words).cast_unsigned();
    states[at[2]][lane] = _mm_extract_epi32::<2>(words).cast_unsigned();
    states[at[3]][lane] = _mm_extract_epi32::<3>(words).cast_unsigned();
}

/// The block `at` bytes into every lane, its bytes moved within each quarter.
#[inline]
#[target_feature(enable = "ssse3")]
fn words<const LANES: usize>(
    lanes: &[&[u8]; LANES],
    at: usize,
    order: [i8; 16],
) -> [[__m128i; 4]; LANES] {
    let mut words = [[_mm_setzero_si128(); 4]; LANES];
    // SAFETY: the array has 16 bytes.
    let order = unsafe { _mm_loadu_si128(order.as_ptr().cast()) };
    for (block, lane) in words.iter_mut().zip(lanes) {
        for (quarter, bytes) in block.iter_mut().zip(lane[at..at + 64].as_chunks::<16>().0) {
            // SAFETY: the array has 16 bytes.
            *quarter = _mm_shuffle_epi8(unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }, order);
        }
    }
    words
}
