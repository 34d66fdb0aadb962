//! What is the same in all six algorithms: eight words that swallow blocks, and a last block that
//! tells the length (RFC 1321, FIPS 180-4).

use super::algorithm::Algorithm;

/// Every whole chunk of a stream but the last is a multiple of this, so that it is a whole number
/// of blocks for every algorithm.
pub(super) const BLOCK_LEN_MAX: usize = 128;

/// The chaining value of a stream under one algorithm. Words of 32 bits sit in the low halves;
/// md5 uses four words and sha1 five.
#[derive(Clone, Copy, Debug)]
pub(super) struct State(pub(super) [u64; 8]);

impl State {
    /// The chaining value before the first byte.
    pub(super) const fn new(algorithm: Algorithm) -> State {
        State(match algorithm {
            Algorithm::Md5 => [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0, 0, 0, 0],
            Algorithm::Sha1 => {
                [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0, 0, 0, 0]
            }
            Algorithm::Sha224 => [
                0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7,
                0xbefa4fa4,
            ],
            Algorithm::Sha256 => [
                0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                0x5be0cd19,
            ],
            Algorithm::Sha384 => [
                0xcbbb9d5dc1059ed8,
                0x629a292a367cd507,
                0x9159015a3070dd17,
                0x152fecd8f70e5939,
                0x67332667ffc00b31,
                0x8eb44a8768581511,
                0xdb0c2e0d64f98fa7,
                0x47b5481dbefa4fa4,
            ],
            Algorithm::Sha512 => [
                0x6a09e667f3bcc908,
                0xbb67ae8584caa73b,
                0x3c6ef372fe94f82b,
                0xa54ff53a5f1d36f1,
                0x510e527fade682d1,
                0x9b05688c2b3e6c1f,
                0x1f83d9abfb41bd6b,
                0x5be0cd19137e2179,
            ],
        })
    }

    /// Appends the digest, once the last block is in.
    pub(super) fn digest(&self, algorithm: Algorithm, out: &mut Vec<u8>) {
        let end = out.len() + algorithm.digest_len();
        for word in self.0 {
            match algorithm {
                Algorithm::Md5 => out.extend_from_slice(&word.to_le_bytes()[..4]),
                Algorithm::Sha1 | Algorithm::Sha224 | Algorithm::Sha256 => {
                    out.extend_from_slice(&word.to_be_bytes()[4..]);
                }
                Algorithm::Sha384 | Algorithm::Sha512 => out.extend_from_slice(&word.to_be_bytes()),
            }
        }
        out.truncate(end);
    }
}

/// A word of 32 or 64 bits, and its place in a [`State`].
pub(super) trait Word: Copy + Default + 'static {
    fn from_state(word: u64) -> Self;
    fn into_state(self) -> u64;
}

impl Word for u32 {
    #[expect(clippy::cast_possible_truncation, reason = "a narrow word sits in the low half")]
    fn from_state(word: u64) -> u32 {
        word as u32
    }

    fn into_state(self) -> u64 {
        self.into()
    }
}

impl Word for u64 {
    fn from_state(word: u64) -> u64 {
        word
    }

    fn into_state(self) -> u64 {
        self
    }
}

/// The end of a stream: what is left after its last whole block, a one bit, zeros, and the length
/// in bits. One or two blocks.
#[derive(Clone, Copy)]
pub(super) struct Tail {
    bytes: [u8; 2 * BLOCK_LEN_MAX],
    len: usize,
}

impl Tail {
    /// The tail of a stream that was `stream_len` bytes long and ends in `rest`, which is shorter
    /// than a block of this algorithm.
    pub(super) fn new(algorithm: Algorithm, rest: &[u8], stream_len: u64) -> Tail {
        let block_len = algorithm.block_len();
        // The length field is an eighth of the block.
        let blocks = if rest.len() + 1 + block_len / 8 > block_len { 2 } else { 1 };
        let mut tail = Tail { bytes: [0; 2 * BLOCK_LEN_MAX], len: blocks * block_len };
        tail.bytes[..rest.len()].copy_from_slice(rest);
        tail.bytes[rest.len()] = 0x80;
        let bit_len = stream_len.wrapping_mul(8);
        let field = &mut tail.bytes[tail.len - 8..tail.len];
        field.copy_from_slice(&match algorithm {
            Algorithm::Md5 => bit_len.to_le_bytes(),
            Algorithm::Sha1
            | Algorithm::Sha224
            | Algorithm::Sha256
            | Algorithm::Sha384
            | Algorithm::Sha512 => bit_len.to_be_bytes(),
        });
        if block_len == BLOCK_LEN_MAX {
            // The field of the wide ones has 128 bits: what the shift by three lost belongs there.
            tail.bytes[tail.len - 9] = stream_len.to_be_bytes()[0] >> 5;
        }
        tail
    }

    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}
