//! The wanted entries of a zip.
//!
//! Read by hand: the usual crate keeps the whole central directory in memory, which a file of
//! some megabytes can make as large as it likes. Here the directory passes by once and only
//! wanted entries stay. An entry is unpacked just as far as it is asked for, so a bomb costs no
//! more than any other entry.

use std::collections::HashMap;
use std::io::{self, BufReader, ErrorKind, Read};

use byteio::little_endian::u16_at;
use byteio::read_at::{Extent, Range};
use byteio::zip_directory::{self, Entries, Entry};
use flate2::bufread::DeflateDecoder;

use super::damage::Damage;
use crate::bounds::Bounds;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED: u16 = 1;
const LOCAL_HEADER_BYTES: u64 = 30;
/// Most wanted entries are small, so the reader takes little at a time.
const READER_BYTES: usize = 8 << 10;

pub(super) struct Zip<'s> {
    source: &'s dyn Extent,
    /// The wanted entries, by their names in the zip.
    entries: HashMap<String, Entry>,
    pub(super) damage: Option<Damage>,
}

impl<'s> Zip<'s> {
    pub(super) fn open(
        source: &'s dyn Extent,
        wanted: &dyn Fn(&str) -> bool,
        bounds: &Bounds,
    ) -> Result<Zip<'s>, Damage> {
        let found = zip_directory::find(source).map_err(|error| fault(error, Damage::ZipEnd))?;
        let place = found.ok_or(Damage::ZipEnd)?;
        if place.most_entries() > bounds.entry_count {
            return Err(Damage::EntryLimit(bounds.entry_count));
        }
        let mut listed = Entries::new(source, &place);
        let mut zip = Zip { source, entries: HashMap::new(), damage: None };
        loop {
            match listed.next_entry().map_err(|error| fault(error, Damage::ZipDirectory)) {
                Ok(Some(entry)) => zip.keep_if(wanted, entry),
                Ok(None) => return Ok(zip),
                // Entries before the damage are as good as ever.
                Err(damage) if damage.is_of_the_file() && !zip.entries.is_empty() => {
                    zip.damage = Some(damage);
                    return Ok(zip);
                }
                Err(damage) => return Err(damage),
            }
        }
    }

    /// Signatures name folders with or without the slash at their end. A name that is not UTF-8
    /// cannot be what a signature asks for.
    fn keep_if(&mut self, wanted: &dyn Fn(&str) -> bool, entry: Entry) {
        let Ok(name) = std::str::from_utf8(&entry.name) else { return };
        if wanted(name) || name.strip_suffix('/').is_some_and(wanted) {
            let name = name.to_owned();
            // Of several entries with one name the first is the one that is read.
            self.entries.entry(name).or_insert(entry);
        }
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.find(path).is_some()
    }

    fn find(&self, path: &str) -> Option<&Entry> {
        self.entries.get(path).or_else(|| self.entries.get(&format!("{path}/")))
    }

    /// Adds the first bytes of an entry, `most` of them; true if there are no more.
    pub(super) fn read(
        &self,
        path: &str,
        most: usize,
        bytes: &mut Vec<u8>,
    ) -> Result<bool, Damage> {
        let entry = self.find(path).ok_or_else(|| Damage::Missing(path.to_owned()))?;
        if entry.flags & ENCRYPTED != 0 {
            return Err(Damage::Encrypted(path.to_owned()));
        }
        let damaged = || Damage::ZipEntry(path.to_owned());
        let start = self.data_start(entry)?.ok_or_else(damaged)?;
        let packed = Range::new(self.source, start, entry.packed_bytes);
        let whole = match entry.method {
            STORED => read_most(packed, most, bytes),
            DEFLATED => {
                let packed = BufReader::with_capacity(READER_BYTES, packed);
                read_most(DeflateDecoder::new(packed), most, bytes)
            }
            method => return Err(Damage::Method { path: path.to_owned(), method }),
        };
        let whole = whole.map_err(|error| fault(error, damaged()))?;
        // Packed bytes that stop halfway look like an end, but then the length is wrong.
        if whole && bytes.len() as u64 != entry.size_bytes {
            return Err(damaged());
        }
        Ok(whole)
    }

    /// Where the bytes of an entry start. Names and extra fields before them need not be as long
    /// as the directory says. None if there is no entry.
    fn data_start(&self, entry: &Entry) -> Result<Option<u64>, Damage> {
        let mut header = [0; 30];
        let filled = self.source.fill_at(&mut header, entry.header_at).map_err(Damage::Source)?;
        if filled < header.len() || !header.starts_with(b"PK\x03\x04") {
            return Ok(None);
        }
        let lens = u16_at(&header, 26).zip(u16_at(&header, 28));
        Ok(lens.and_then(|(name, extra)| {
            let skipped = LOCAL_HEADER_BYTES + u64::from(name) + u64::from(extra);
            entry.header_at.checked_add(skipped)
        }))
    }
}

/// Reads up to `most` bytes; true if there are no more.
fn read_most(mut reader: impl Read, most: usize, bytes: &mut Vec<u8>) -> io::Result<bool> {
    reader.by_ref().take(most as u64).read_to_end(bytes)?;
    let more = io::copy(&mut reader.take(1), &mut io::sink())?;
    Ok(more == 0)
}

/// Tells damage, which the readers report by these kinds, from a source that fails.
fn fault(error: io::Error, damage: Damage) -> Damage {
    let by_content = [ErrorKind::InvalidData, ErrorKind::InvalidInput, ErrorKind::UnexpectedEof];
    if by_content.contains(&error.kind()) { damage } else { Damage::Source(error) }
}
