//! The central directory of a zip, read entry by entry.
//!
//! Read by hand: the usual crate keeps the whole directory in memory, some hundred bytes for each
//! entry, and takes the central names on trust.

use std::io::{self, BufReader, Read};

use crate::little_endian::{u16_at, u32_at, u64_at};
use crate::read_at::{Extent, Range};

const END_BYTES: u64 = 22;
const COMMENT_BYTES_MAX: u64 = 65_535;
const ENTRY_BYTES_MIN: u64 = 46;
const UNKNOWN: u64 = 0xffff_ffff;

/// Where the central directory is.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    start: u64,
    len: u64,
    pub entry_count: u64,
}

/// One entry of the central directory.
#[derive(Debug)]
pub struct Entry {
    pub name: Vec<u8>,
    pub flags: u16,
    pub method: u16,
    pub crc: u32,
    pub packed_bytes: u64,
    pub size_bytes: u64,
    pub header_at: u64,
    /// The kind of file, if a Unix made the archive: the upper four bits of its mode.
    pub unix_kind: u32,
    pub modified_seconds: Option<i64>,
}

/// Finds the central directory from the end of the file. None if there is none.
pub fn find<S: Extent + ?Sized>(source: &S) -> io::Result<Option<Place>> {
    let file_len = source.size_bytes();
    let tail_len = file_len.min(END_BYTES + COMMENT_BYTES_MAX + 20);
    let tail_at = file_len - tail_len;
    let mut tail = vec![0; usize::try_from(tail_len).unwrap_or(0)];
    fill_exactly(source, &mut tail, tail_at)?;
    // The comment after the record may hold the mark too: the right one is as long as it says.
    let marks = || (0..tail.len()).rev().filter(|at| tail[*at..].starts_with(b"PK\x05\x06"));
    let fits = |at: &usize| {
        let comment = u16_at(&tail[*at..], 20).map(usize::from);
        comment.is_some_and(|comment| at + 22 + comment == tail.len())
    };
    let Some(end) = marks().find(fits).or_else(|| marks().next()) else { return Ok(None) };
    let record = &tail[end..];
    let (Some(count), Some(len), Some(start)) =
        (u16_at(record, 10), u32_at(record, 12), u32_at(record, 16))
    else {
        return Ok(None);
    };
    let mut place = Place { start: start.into(), len: len.into(), entry_count: count.into() };
    if count == 0xffff || u64::from(len) == UNKNOWN || u64::from(start) == UNKNOWN {
        let locator = end.checked_sub(20).and_then(|at| tail.get(at..end));
        let at = locator.filter(|l| l.starts_with(b"PK\x06\x07")).and_then(|l| u64_at(l, 8));
        if let Some(at) = at {
            let mut wide = [0; 56];
            if at.checked_add(56).is_none_or(|end| end > file_len) {
                return Ok(None);
            }
            fill_exactly(source, &mut wide, at)?;
            let fields = (u64_at(&wide, 32), u64_at(&wide, 40), u64_at(&wide, 48));
            let ((Some(entry_count), Some(len), Some(start)), true) =
                (fields, wide.starts_with(b"PK\x06\x06"))
            else {
                return Ok(None);
            };
            place = Place { start, len, entry_count };
        }
    }
    let fits = place.start.checked_add(place.len).is_some_and(|end| end <= file_len);
    Ok(fits.then_some(place))
}

impl Place {
    /// How many entries may come: no more than are counted, nor than have room.
    pub fn most_entries(&self) -> u64 {
        self.entry_count.min(self.len / ENTRY_BYTES_MIN)
    }
}

/// A file that became shorter while it was read is an error, not a shorter buffer.
fn fill_exactly<S: Extent + ?Sized>(source: &S, buffer: &mut [u8], at: u64) -> io::Result<()> {
    let filled = source.fill_at(buffer, at)?;
    if filled < buffer.len() { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// The entries of a central directory.
pub struct Entries<'s, S: ?Sized> {
    reader: BufReader<Range<'s, S>>,
    left: u64,
}

impl<'s, S: Extent + ?Sized> Entries<'s, S> {
    pub fn new(source: &'s S, place: &Place) -> Entries<'s, S> {
        let reader = BufReader::with_capacity(64 << 10, Range::new(source, place.start, place.len));
        Entries { reader, left: place.entry_count }
    }

    /// The next entry; none after the last. An error if the directory is not in form.
    pub fn next_entry(&mut self) -> io::Result<Option<Entry>> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        let mut fixed = [0; 46];
        self.reader.read_exact(&mut fixed)?;
        let broken = || io::Error::from(io::ErrorKind::InvalidData);
        if !fixed.starts_with(b"PK\x01\x02") {
            return Err(broken());
        }
        let half = |at| u16_at(&fixed, at).unwrap_or(0);
        let word = |at| u32_at(&fixed, at).unwrap_or(0);
        let mut name = vec![0; usize::from(half(28))];
        let mut extra = vec![0; usize::from(half(30))];
        self.reader.read_exact(&mut name)?;
        self.reader.read_exact(&mut extra)?;
        let comment_len = u64::from(half(32));
        if io::copy(&mut self.reader.by_ref().take(comment_len), &mut io::sink())? < comment_len {
            return Err(broken());
        }
        let mut entry = Entry {
            name,
            flags: half(8),
            method: half(10),
            crc: word(16),
            packed_bytes: word(20).into(),
            size_bytes: word(24).into(),
            header_at: word(42).into(),
            // The upper byte of "made by" tells the system; 3 is Unix, 19 is macOS.
            unix_kind: if matches!(half(4) >> 8, 3 | 19) { word(38) >> 28 } else { 0 },
            modified_seconds: dos_seconds(half(14), half(12)),
        };
        entry.widen(&extra).ok_or_else(broken)?;
        Ok(Some(entry))
    }
}

impl Entry {
    /// Takes long sizes and exact times from the extra fields.
    fn widen(&mut self, mut extra: &[u8]) -> Option<()> {
        while extra.len() >= 4 {
            let (tag, len) = (u16_at(extra, 0)?, usize::from(u16_at(extra, 2)?));
            // Some programs pad with garbage; what does not fit is no field.
            let Some(field) = extra.get(4..4 + len) else { break };
            extra = &extra[4 + len..];
            match tag {
                0x0001 => {
                    let mut at = 0;
                    for value in [&mut self.size_bytes, &mut self.packed_bytes, &mut self.header_at]
                    {
                        if *value == UNKNOWN {
                            *value = u64_at(field, at)?;
                            at += 8;
                        }
                    }
                }
                0x5455 if field.first().is_some_and(|flags| flags & 1 != 0) => {
                    let seconds = u32_at(field, 1).map(|seconds| i64::from(seconds.cast_signed()));
                    self.modified_seconds = seconds.or(self.modified_seconds);
                }
                _ => {}
            }
        }
        Some(())
    }
}

/// The date and time of DOS, which has no time zone: taken as UTC.
fn dos_seconds(date: u16, time: u16) -> Option<i64> {
    let (year, month, day) =
        (1980 + i64::from(date >> 9), i64::from(date >> 5 & 15), i64::from(date & 31));
    if !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    // Days since 1970 by counting years from March, so that the leap day comes last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days =
        365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    let clock =
        i64::from(time >> 11) * 3600 + i64::from(time >> 5 & 63) * 60 + i64::from(time & 31) * 2;
    Some(days * 86_400 + clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dos_dates_are_counted_from_1970() {
        assert_eq!(dos_seconds(1 << 5 | 1, 0), Some(315_532_800), "1980-01-01");
        assert_eq!(
            dos_seconds(44 << 9 | 2 << 5 | 29, 1),
            Some(1_709_164_802),
            "2024-02-29 0:00:02"
        );
        assert_eq!(dos_seconds(0, 0), None);
    }
}
