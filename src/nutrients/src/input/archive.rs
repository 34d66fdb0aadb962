//! A boundary in a zip: which entry it is, and its bytes, never on disk and never more of them
//! than allowed.

use std::io::Read;

use byteio::little_endian::u16_at;
use byteio::zip_directory::{Entries, Entry, find};

use super::open::ending;
use super::{Raw, geojson, kml, shapefile};
use crate::finding::{Code, Finding, Findings};
use crate::limits::Limits;

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// What an entry may grow to, whatever its packed size: small files pack very well.
const FREE_BYTES: u64 = 1 << 20;

pub(super) fn read(bytes: &[u8], inside: Option<&str>, limits: &Limits) -> Result<Raw, Findings> {
    let archive = Archive::open(bytes, limits)?;
    let chosen = archive.choose(inside)?;
    let name = archive.name(chosen);
    match ending(&name).as_str() {
        "shp" => {
            let part = |end: &str| archive.beside(&name, end);
            let (Some(table), Some(_)) = (part("dbf"), part("shx")) else {
                let sentence = "the zip has a .shp without its .dbf or .shx; put all parts of the \
                                shapefile into it";
                return Err(Finding::new(Code::ZipMissingShapefileParts, sentence).into());
            };
            let projection = match part("prj") {
                Some(entry) => Some(archive.unpack(entry)?),
                None => None,
            };
            let parts = shapefile::Parts {
                shapes: &archive.unpack(chosen)?,
                table: Some(&archive.unpack(table)?),
                projection: projection.as_deref(),
            };
            shapefile::read(&parts, limits)
        }
        "kml" => kml::read(&archive.unpack(chosen)?, limits),
        _ => geojson::read(&archive.unpack(chosen)?, limits),
    }
}

/// A count that is past its limit.
pub(super) fn too_many(what: &str, count: usize, most: usize) -> Finding {
    let sentence =
        format!("there are {count} {what}, and at most {most} are taken; split the file");
    Finding::new(Code::TooLarge, sentence)
}

struct Archive<'b> {
    bytes: &'b [u8],
    entries: Vec<Entry>,
    limits: &'b Limits,
}

impl<'b> Archive<'b> {
    fn open(bytes: &'b [u8], limits: &'b Limits) -> Result<Archive<'b>, Finding> {
        let place = find(bytes).ok().flatten().ok_or_else(|| damaged("it has no directory"))?;
        if place.entry_count > limits.zip_entries {
            let count = usize::try_from(place.entry_count).unwrap_or(usize::MAX);
            let most = usize::try_from(limits.zip_entries).unwrap_or(usize::MAX);
            let sentence = too_many("entries in the zip", count, most).sentence;
            return Err(Finding::new(Code::ZipTooLarge, sentence));
        }
        let mut reader = Entries::new(bytes, &place);
        let mut entries = Vec::new();
        while let Some(entry) = reader.next_entry().map_err(|_| damaged("its directory is cut"))? {
            if escapes(&entry) {
                let sentence =
                    "the zip has an entry with a path that leads out of it; pack it again";
                return Err(Finding::new(Code::ZipUnsafePath, sentence));
            }
            entries.push(entry);
        }
        Ok(Archive { bytes, entries, limits })
    }

    fn name(&self, entry: &Entry) -> String {
        String::from_utf8_lossy(&entry.name).into_owned()
    }

    fn files(&self) -> impl Iterator<Item = (&Entry, String)> {
        let named = self.entries.iter().map(|entry| (entry, self.name(entry)));
        // Copies of metadata that one system adds beside each file are nobody's boundary.
        named.filter(|(_, name)| !name.ends_with('/') && !name.starts_with("__MACOSX/"))
    }

    fn choose(&self, inside: Option<&str>) -> Result<&Entry, Finding> {
        let Some(wanted) = inside else {
            let first = |end| self.files().find(|(_, name)| ending(name) == end);
            let found = first("shp").or_else(|| first("geojson")).or_else(|| first("kml"));
            return found.map(|(entry, _)| entry).ok_or_else(|| {
                let sentence = "the zip has no .shp, .geojson or .kml; put one into it";
                Finding::new(Code::ZipMissingShapefile, sentence)
            });
        };
        let same = |name: &str| bare(name).eq_ignore_ascii_case(bare(wanted));
        let mut found = self.files().filter(|(_, name)| same(name)).map(|(entry, _)| entry);
        match (found.next(), found.next()) {
            (Some(entry), None) => Ok(entry),
            (None, _) => {
                let sentence = "the zip has no entry of the name that was given; check the name";
                Err(Finding::new(Code::BoundaryFileNotFoundInZip, sentence))
            }
            (Some(_), Some(_)) => {
                let sentence = "the zip has several entries of the name that was given; leave one";
                Err(Finding::new(Code::ZipAmbiguousFilename, sentence))
            }
        }
    }

    /// The part of a shapefile that has the same name up to its ending.
    fn beside(&self, name: &str, end: &str) -> Option<&Entry> {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let wanted = format!("{stem}.{end}");
        self.files().find(|(_, name)| name.eq_ignore_ascii_case(&wanted)).map(|(entry, _)| entry)
    }

    fn unpack(&self, entry: &Entry) -> Result<Vec<u8>, Finding> {
        let ratio = entry.packed_bytes.saturating_mul(self.limits.zip_ratio).max(FREE_BYTES);
        let most = self.limits.zip_entry_bytes.min(ratio);
        let too_large = || {
            let sentence = format!(
                "an entry of the zip unpacks to more than the {most} bytes that are allowed for it"
            );
            Finding::new(Code::ZipTooLarge, sentence)
        };
        if entry.size_bytes > most {
            return Err(too_large());
        }
        if entry.flags & 1 != 0 {
            return Err(damaged("it is encrypted"));
        }
        let packed = self.packed(entry).ok_or_else(|| damaged("an entry is cut"))?;
        let mut unpacked = Vec::new();
        let read = match entry.method {
            STORED => packed.take(most + 1).read_to_end(&mut unpacked),
            DEFLATED => {
                let inflate = flate2::read::DeflateDecoder::new(packed);
                inflate.take(most + 1).read_to_end(&mut unpacked)
            }
            _ => return Err(damaged("an entry is packed by a method that is not understood")),
        };
        read.map_err(|_| damaged("an entry cannot be unpacked"))?;
        if unpacked.len() as u64 > most {
            return Err(too_large());
        }
        let mut crc = flate2::Crc::new();
        crc.update(&unpacked);
        match crc.sum() == entry.crc {
            true => Ok(unpacked),
            false => Err(damaged("an entry is not what it was when it was packed")),
        }
    }

    fn packed(&self, entry: &Entry) -> Option<&'b [u8]> {
        let header = self.bytes.get(usize::try_from(entry.header_at).ok()?..)?;
        if !header.starts_with(b"PK\x03\x04") {
            return None;
        }
        let start = 30 + usize::from(u16_at(header, 26)?) + usize::from(u16_at(header, 28)?);
        let len = usize::try_from(entry.packed_bytes).ok()?;
        header.get(start..start.checked_add(len)?)
    }
}

fn bare(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

fn escapes(entry: &Entry) -> bool {
    let name = String::from_utf8_lossy(&entry.name);
    let drive = name.as_bytes().get(1) == Some(&b':');
    drive || name.starts_with(['/', '\\']) || name.split(['/', '\\']).any(|part| part == "..")
}

fn damaged(why: &str) -> Finding {
    let sentence = format!("the zip cannot be read: {why}; pack it again");
    Finding::new(Code::UnreadableGeometryFile, sentence)
}
