//! The directory of a compound file: entries of 128 bytes, linked as a tree of siblings and
//! children.
//!
//! Each entry is given out once, so a tree with loops ends. Memory is a bit for each entry and a
//! number for each sector of the directory, both bounded by the entries that may be looked at.

use byteio::little_endian::{u16_at, u32_at, u64_at};

use super::super::damage::Damage;
use super::sectors::{Chain, Sectors};
use crate::bounds::Bounds;

pub(super) const ROOT: u32 = 0;
/// The link of an entry that has no such sibling or child.
pub(super) const NO_ENTRY: u32 = 0xffff_ffff;
const ENTRY_BYTES: usize = 128;
const NAME_BYTES_MAX: usize = 64;

pub(super) struct Directory {
    chain: Chain,
    /// The sectors of the chain, as far as it was followed: siblings jump back and forth.
    sectors: Vec<u32>,
    given: Vec<u64>,
    entry_count: u64,
    /// How many folders inside folders are looked at.
    pub(super) depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Storage,
    Stream,
    Root,
    Unused,
}

#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) left: u32,
    pub(super) right: u32,
    pub(super) child: u32,
    pub(super) start: u32,
    pub(super) size_bytes: u64,
}

impl Directory {
    pub(super) fn new(start: u32, bounds: &Bounds) -> Directory {
        Directory {
            chain: Chain::new(start),
            sectors: Vec::new(),
            given: Vec::new(),
            entry_count: bounds.entry_count,
            depth: bounds.depth,
        }
    }

    /// The entry with this number; none if it was given out before.
    pub(super) fn entry(
        &mut self,
        sectors: &mut Sectors<'_>,
        id: u32,
    ) -> Result<Option<Entry>, Damage> {
        let (index, at) = sectors.place(id, ENTRY_BYTES);
        if index >= u64::from(sectors.count()) {
            return Err(Damage::CompoundDirectory);
        }
        if u64::from(id) >= self.entry_count {
            return Err(Damage::EntryLimit(self.entry_count));
        }
        if !self.is_new(id) {
            return Ok(None);
        }
        while self.sectors.len() as u64 <= index {
            let next = self.chain.at(sectors, self.sectors.len() as u64)?;
            self.sectors.push(next.ok_or(Damage::CompoundDirectory)?);
        }
        let sector = usize::try_from(index).ok().and_then(|index| self.sectors.get(index));
        let sector = *sector.ok_or(Damage::CompoundDirectory)?;
        // Not by way of the kept sectors: entries come in no order, and each just once.
        let mut bytes = [0; ENTRY_BYTES];
        let is_there = sectors.fill(sector, at, &mut bytes)?;
        let entry = Entry::parse(&bytes, sectors.has_long_sizes()).filter(|_| is_there);
        entry.map(Some).ok_or(Damage::CompoundDirectory)
    }

    fn is_new(&mut self, id: u32) -> bool {
        let (word, bit) = ((id / 64) as usize, 1 << (id % 64));
        if self.given.len() <= word {
            self.given.resize(word + 1, 0);
        }
        let Some(given) = self.given.get_mut(word) else { return false };
        let is_new = *given & bit == 0;
        *given |= bit;
        is_new
    }
}

impl Entry {
    fn parse(bytes: &[u8; ENTRY_BYTES], long_sizes: bool) -> Option<Entry> {
        let kind = match bytes[66] {
            1 => Kind::Storage,
            2 => Kind::Stream,
            5 => Kind::Root,
            _ => Kind::Unused,
        };
        let size_bytes = u64_at(bytes, 120)?;
        Some(Entry {
            name: name(bytes)?,
            kind,
            left: u32_at(bytes, 68)?,
            right: u32_at(bytes, 72)?,
            child: u32_at(bytes, 76)?,
            start: u32_at(bytes, 116)?,
            // Programs that knew only short sizes left garbage in the upper half.
            size_bytes: if long_sizes { size_bytes } else { size_bytes & 0xffff_ffff },
        })
    }
}

/// The name without the control character that marks streams of the system: signatures leave it
/// out, as DROID does.
fn name(bytes: &[u8; ENTRY_BYTES]) -> Option<String> {
    let len = usize::from(u16_at(bytes, NAME_BYTES_MAX)?).min(NAME_BYTES_MAX);
    let (pairs, _) = bytes.get(..len)?.as_chunks();
    let units = pairs.iter().map(|pair| u16::from_le_bytes(*pair)).take_while(|unit| *unit != 0);
    let chars = char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
    let mut chars = chars.peekable();
    chars.next_if(|first| *first < ' ');
    Some(chars.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(units: &[u16], len: u16) -> Option<String> {
        let mut bytes = [0; ENTRY_BYTES];
        for (pair, unit) in bytes.chunks_exact_mut(2).zip(units) {
            pair.copy_from_slice(&unit.to_le_bytes());
        }
        bytes[64..66].copy_from_slice(&len.to_le_bytes());
        name(&bytes)
    }

    #[test]
    fn names_lose_one_control_character_and_what_follows_the_end() {
        assert_eq!(named(&[5, 0x53, 0x75], 8).as_deref(), Some("Su"));
        assert_eq!(named(&[1, 1, 0x53], 8).as_deref(), Some("\u{1}S"));
        assert_eq!(named(&[0x53, 0, 0x75], 8).as_deref(), Some("S"));
        assert_eq!(named(&[0x53, 0x75], 2).as_deref(), Some("S"), "the length counts");
        assert_eq!(named(&[0x53; 32], 0xffff).map(|name| name.len()), Some(32));
        assert_eq!(named(&[0xd800, 0x53], 6).as_deref(), Some("\u{fffd}S"));
        assert_eq!(named(&[1], 4).as_deref(), Some(""));
        assert_eq!(named(&[0x53], 0).as_deref(), Some(""));
    }
}
