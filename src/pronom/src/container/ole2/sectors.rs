//! The sectors of a compound file and the chains they form.
//!
//! The table that links sectors to chains is itself spread over sectors, and a second table says
//! where. Both are read one sector at a time, with a few kept. A walk along a chain notices loops
//! without remembering where it was, and a sector that the file does not have is never read.

use byteio::little_endian::{u16_at, u32_at};
use byteio::read_at::Extent;

use super::super::damage::Damage;

/// The end of a chain.
pub(super) const END: u32 = 0xffff_fffe;
/// Numbers from here on are marks: an end, a free sector, a sector of a table.
const FIRST_MARK: u32 = 0xffff_fffa;
const HEADER_BYTES: usize = 512;
const TABLE_SECTORS_IN_HEADER: u32 = 109;
const KEPT_SECTORS: usize = 16;

pub(super) fn is_sector(number: u32) -> bool {
    number < FIRST_MARK
}

pub(super) struct Sectors<'s> {
    source: &'s dyn Extent,
    /// The binary logarithm of the size of a sector: 9 or 12.
    shift: u32,
    count: u32,
    header: [u8; HEADER_BYTES],
    /// The sectors that list the sectors of the table, beyond those in the header: as far as
    /// they were needed.
    lists: Vec<u32>,
    /// Sectors that were read, the latest first.
    kept: Vec<(u32, Vec<u8>)>,
}

/// Where the chains start that the header names.
pub(super) struct Starts {
    pub(super) directory: u32,
    pub(super) small_table: u32,
}

impl<'s> Sectors<'s> {
    pub(super) fn open(source: &'s dyn Extent) -> Result<(Sectors<'s>, Starts), Damage> {
        let mut header = [0; HEADER_BYTES];
        let filled = source.fill_at(&mut header, 0).map_err(Damage::Source)?;
        let is_compound = header.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
        let shift = u16_at(&header, 30).map(u32::from).filter(|shift| matches!(shift, 9 | 12));
        let starts = u32_at(&header, 48).zip(u32_at(&header, 60));
        let (Some(shift), Some((directory, small_table)), true) =
            (shift, starts, is_compound && filled == HEADER_BYTES)
        else {
            return Err(Damage::CompoundHeader);
        };
        // The header takes the place of a sector; the last sector may be cut short.
        let count = source.size_bytes().div_ceil(1 << shift).saturating_sub(1);
        let count = u32::try_from(count).unwrap_or(FIRST_MARK).min(FIRST_MARK);
        let sectors = Sectors { source, shift, count, header, lists: Vec::new(), kept: Vec::new() };
        Ok((sectors, Starts { directory, small_table }))
    }

    pub(super) fn count(&self) -> u32 {
        self.count
    }

    pub(super) fn sector_bytes(&self) -> usize {
        1 << self.shift
    }

    /// Files with long sectors came with programs that knew long sizes.
    pub(super) fn has_long_sizes(&self) -> bool {
        self.shift > 9
    }

    /// In which sector of a chain an item is, when items of this size fill the chain, and where
    /// in that sector.
    pub(super) fn place(&self, item: u32, item_bytes: usize) -> (u64, usize) {
        let at = u64::from(item) * item_bytes as u64;
        let in_sector = at & ((1 << self.shift) - 1);
        (at >> self.shift, usize::try_from(in_sector).unwrap_or(0))
    }

    fn start(&self, sector: u32) -> Result<u64, Damage> {
        let start = (u64::from(sector) + 1) << self.shift;
        if sector < self.count { Ok(start) } else { Err(Damage::Chain) }
    }

    /// The bytes of a sector, fewer if the file ends in it.
    pub(super) fn sector(&mut self, sector: u32) -> Result<&[u8], Damage> {
        if let Some(at) = self.kept.iter().position(|(kept, _)| *kept == sector) {
            self.kept[..=at].rotate_right(1);
        } else {
            let start = self.start(sector)?;
            let mut bytes = vec![0; self.sector_bytes()];
            let filled = self.source.fill_at(&mut bytes, start).map_err(Damage::Source)?;
            bytes.truncate(filled);
            self.kept.truncate(KEPT_SECTORS - 1);
            self.kept.insert(0, (sector, bytes));
        }
        Ok(self.kept.first().map_or(&[], |(_, bytes)| bytes))
    }

    /// A number in a sector of a table.
    pub(super) fn word(&mut self, sector: u32, at: usize) -> Result<u32, Damage> {
        u32_at(self.sector(sector)?, at).ok_or(Damage::Chain)
    }

    /// Fills the buffer from a place in a sector; false if the file ends before.
    pub(super) fn fill(&self, sector: u32, at: usize, buffer: &mut [u8]) -> Result<bool, Damage> {
        let start = self.start(sector)?;
        let filled = self.source.fill_at(buffer, start + at as u64).map_err(Damage::Source)?;
        Ok(filled == buffer.len())
    }

    /// Adds the first bytes of a sector. If the file ends before, what it has is added.
    pub(super) fn append(
        &self,
        sector: u32,
        count: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<(), Damage> {
        let (start, before) = (self.start(sector)?, bytes.len());
        bytes.resize(before + count, 0);
        let filled = self.source.fill_at(&mut bytes[before..], start);
        bytes.truncate(before + filled.as_ref().copied().unwrap_or(0));
        if filled.map_err(Damage::Source)? < count { Err(Damage::Short) } else { Ok(()) }
    }

    /// The sector after this one in its chain; none if it is the last. Any mark counts as an
    /// end: whoever wants more than the chain has will notice.
    fn next(&mut self, sector: u32) -> Result<Option<u32>, Damage> {
        let (index, at) = self.place(sector, size_of::<u32>());
        let index = u32::try_from(index).map_err(|_| Damage::Chain)?;
        let table = self.table_sector(index)?;
        let next = self.word(table, at)?;
        if next < self.count {
            Ok(Some(next))
        } else if is_sector(next) {
            Err(Damage::Chain)
        } else {
            Ok(None)
        }
    }

    /// Which sector is the one with this index of the table. The lists of those sectors are a
    /// chain too, but only the index says how far it is followed, so its loops do no harm.
    fn table_sector(&mut self, index: u32) -> Result<u32, Damage> {
        let Some(index) = index.checked_sub(TABLE_SECTORS_IN_HEADER) else {
            return u32_at(&self.header, 76 + 4 * index as usize).ok_or(Damage::CompoundHeader);
        };
        let listed = (1 << (self.shift - 2)) - 1;
        let (list, item) = ((index / listed) as usize, (index % listed) as usize);
        while self.lists.len() <= list {
            let next = match self.lists.last() {
                Some(last) => self.word(*last, 4 * listed as usize)?,
                None => u32_at(&self.header, 68).ok_or(Damage::CompoundHeader)?,
            };
            self.start(next)?;
            self.lists.push(next);
        }
        let list = *self.lists.get(list).ok_or(Damage::Chain)?;
        self.word(list, 4 * item)
    }
}

/// A walk along a chain, which goes on where it stood when it can.
pub(super) struct Chain {
    start: u32,
    sector: u32,
    index: u64,
    watch: LoopWatch,
}

impl Chain {
    pub(super) fn new(start: u32) -> Chain {
        Chain { start, sector: start, index: 0, watch: LoopWatch::new(start) }
    }

    /// The sector with this index in the chain; none if the chain ends before.
    pub(super) fn at(
        &mut self,
        sectors: &mut Sectors<'_>,
        index: u64,
    ) -> Result<Option<u32>, Damage> {
        if index < self.index {
            *self = Chain::new(self.start);
        }
        if !is_sector(self.start) {
            return Ok(None);
        }
        while self.index < index {
            let Some(next) = sectors.next(self.sector)? else { return Ok(None) };
            self.watch.pass(next)?;
            self.sector = next;
            self.index += 1;
        }
        Ok(Some(self.sector))
    }
}

/// Notices when a walk goes in circles: it keeps one sector in mind, and another one after each
/// time twice as many steps. The first that comes again is in a loop.
pub(super) struct LoopWatch {
    mark: u32,
    steps: u64,
    left: u64,
}

impl LoopWatch {
    pub(super) fn new(start: u32) -> LoopWatch {
        LoopWatch { mark: start, steps: 1, left: 1 }
    }

    pub(super) fn pass(&mut self, sector: u32) -> Result<(), Damage> {
        if sector == self.mark {
            return Err(Damage::Loop);
        }
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            self.steps = self.steps.saturating_mul(2);
            *self = LoopWatch { mark: sector, steps: self.steps, left: self.steps };
        }
        Ok(())
    }
}
