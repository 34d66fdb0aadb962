//! How a layer file is laid out.
//!
//! `SRLAYER1`, blocks of records, the index (one entry for each block), and a tail that says where
//! the index is and what its checksum is. All numbers have the least byte first.

use byteio::little_endian::{u32_at, u64_at};

use crate::shape::Bounds;

pub(super) const MAGIC: &[u8; 8] = b"SRLAYER1";

/// Records of a block: a site of a hectare needs one block or two.
pub(super) const RECORDS: u32 = 64;
/// A block is closed early past this, so that large shapes do not make large blocks.
pub(super) const BLOCK_BYTES: usize = 64 << 10;

pub(super) const ENTRY_BYTES: usize = 56;
pub(super) const TAIL_BYTES: usize = 40;

/// One block in the index.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Block {
    pub(super) at: u64,
    pub(super) len: u32,
    pub(super) records: u32,
    pub(super) crc: u32,
    pub(super) bounds: Bounds,
}

impl Block {
    pub(super) fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.at.to_le_bytes());
        for number in [self.len, self.records, self.crc, 0] {
            out.extend(number.to_le_bytes());
        }
        let Bounds { min_x, min_y, max_x, max_y } = self.bounds;
        for number in [min_x, min_y, max_x, max_y] {
            out.extend(number.to_le_bytes());
        }
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Block> {
        let number = |at| u64_at(bytes, at).map(f64::from_bits);
        Some(Block {
            at: u64_at(bytes, 0)?,
            len: u32_at(bytes, 8)?,
            records: u32_at(bytes, 12)?,
            crc: u32_at(bytes, 16)?,
            bounds: Bounds {
                min_x: number(24)?,
                min_y: number(32)?,
                max_x: number(40)?,
                max_y: number(48)?,
            },
        })
    }
}

/// The end of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    pub(super) index_at: u64,
    pub(super) blocks: u64,
    pub(super) records: u64,
    pub(super) index_crc: u32,
}

impl Tail {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for number in [self.index_at, self.blocks, self.records] {
            out.extend(number.to_le_bytes());
        }
        out.extend(self.index_crc.to_le_bytes());
        let crc = crc(&out);
        out.extend(crc.to_le_bytes());
        out.extend(MAGIC);
        out
    }

    pub(super) fn decode(bytes: &[u8]) -> Option<Tail> {
        let sound = crc(bytes.get(..28)?) == u32_at(bytes, 28)? && bytes.get(32..)? == MAGIC;
        let tail = Tail {
            index_at: u64_at(bytes, 0)?,
            blocks: u64_at(bytes, 8)?,
            records: u64_at(bytes, 16)?,
            index_crc: u32_at(bytes, 24)?,
        };
        sound.then_some(tail)
    }
}

pub(super) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}
