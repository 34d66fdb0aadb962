//! A bag in a zip: the central directory is read first, then every file on its own, in any order
//! and by any thread.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;

use byteio::little_endian::u16_at;
use byteio::read_at::{Extent, FilePart, Range};
use byteio::zip_directory::{Entries, Entry, find};
use flate2::Crc;
use flate2::read::DeflateDecoder;

use super::intake::Intake;
use super::kind::sentence;
use crate::code::Code;
use crate::error::BagError;
use crate::ledger::{Held, PathId};
use crate::names::rules::shown;

const HEADER_BYTES: usize = 30;
const STORED: u16 = 0;
const DEFLATED: u16 = 8;
const ENCRYPTED: u16 = 1;

/// An open zip.
pub(crate) struct ZipFile {
    pub(crate) file: File,
    pub(crate) size_bytes: u64,
    /// What the ledger does not keep, by the number of the file.
    packed: Vec<Packed>,
}

#[derive(Clone, Copy, Default)]
struct Packed {
    packed_bytes: u64,
    crc: u32,
    method: u16,
}

impl ZipFile {
    pub(crate) fn new(file: File, size_bytes: u64) -> ZipFile {
        ZipFile { file, size_bytes, packed: Vec::new() }
    }

    pub(crate) fn walk(&mut self, intake: &mut Intake<'_>) -> Result<(), BagError> {
        let again = "Make the archive again, or send it again.";
        let whole = FilePart::new(&self.file, 0, self.size_bytes);
        let Ok(Some(place)) = find(&whole) else {
            let sentence =
                format!("The zip has no directory at its end, or it is cut off. {again}");
            intake.broken(Code::ArchiveTruncated, sentence);
            return Ok(());
        };
        if place.entry_count > intake.limits.entry_count {
            intake.limit("the archive has too many entries");
            return Ok(());
        }
        if let Some((code, name)) = unreadable(Entries::new(&whole, &place)) {
            intake.broken(code, sentence(code, name));
            return Ok(());
        }
        let mut packed = Vec::new();
        let mut entries = Entries::new(&whole, &place);
        let (mut packed_sum, mut size_sum) = (0_u64, 0_u64);
        let mut count = 0_u64;
        while intake.open {
            if count.is_multiple_of(1024) {
                intake.pause()?;
            }
            count += 1;
            let entry = match entries.next_entry() {
                Ok(Some(entry)) => entry,
                Ok(None) => break,
                Err(error) => {
                    let sentence = format!("The directory of the zip is damaged: {error}. {again}");
                    intake.broken(Code::ArchiveDamaged, sentence);
                    break;
                }
            };
            packed_sum = packed_sum.saturating_add(entry.packed_bytes);
            size_sum = size_sum.saturating_add(entry.size_bytes);
            let swollen = size_sum > intake.limits.unpacked_free
                && size_sum / intake.limits.unpack_ratio.max(1) > packed_sum;
            // Entries that share bytes are how the worst bombs are made.
            let shared = packed_sum > self.size_bytes;
            if swollen || shared || size_sum > intake.limits.unpacked_bytes {
                let sentence = "The archive unpacks to far more than its own size; it was not \
                                read. Send the bag as a plain tar.";
                intake.broken(Code::ArchiveBomb, sentence.to_owned());
                break;
            }
            self.take(intake, &entry, &mut packed);
        }
        self.packed = packed;
        Ok(())
    }

    fn take(&self, intake: &mut Intake<'_>, entry: &Entry, packed: &mut Vec<Packed>) {
        const LINK: u32 = 0o12;
        const FILES: [u32; 2] = [0, 0o10];
        if entry.name.ends_with(b"/") {
            return intake.folder(&entry.name);
        }
        if entry.unix_kind == LINK {
            return intake.odd(Code::LinkInBag, &entry.name);
        }
        if !FILES.contains(&entry.unix_kind) {
            return intake.odd(Code::DeviceInBag, &entry.name);
        }
        if entry.flags & ENCRYPTED != 0 || ![STORED, DEFLATED].contains(&entry.method) {
            return intake.odd(Code::EntryUnsupported, &entry.name);
        }
        let local = self.local_name(entry);
        match local {
            Err(_) => {
                let name = shown(&String::from_utf8_lossy(&entry.name));
                return intake.findings.add(Code::ArchiveDamaged, name.clone(), || {
                    format!("`{name}` is not where the directory of the zip says. Make it again.")
                });
            }
            Ok(local) if local != entry.name => {
                let name = shown(&String::from_utf8_lossy(&entry.name));
                let other = shown(&String::from_utf8_lossy(&local));
                intake.findings.add(Code::ZipNamesDiffer, name.clone(), || {
                    format!(
                        "The zip calls the same file `{name}` and `{other}`, so that programs \
                         unpack different things. Make the archive again."
                    )
                });
            }
            Ok(_) => {}
        }
        let seconds = entry.modified_seconds.and_then(|s| s.checked_mul(1_000_000_000));
        let held = Held {
            size_bytes: entry.size_bytes,
            position: entry.header_at,
            modified_ns: seconds.unwrap_or(Held::NO_TIME),
        };
        if let Some(id) = intake.file(&entry.name, held) {
            packed.resize(id as usize, Packed::default());
            packed.push(Packed {
                packed_bytes: entry.packed_bytes,
                crc: entry.crc,
                method: entry.method,
            });
        }
    }

    /// The name in the header that stands before the content.
    fn local_name(&self, entry: &Entry) -> io::Result<Vec<u8>> {
        let mut header = vec![0; HEADER_BYTES + entry.name.len()];
        self.file.read_exact_at(&mut header, entry.header_at)?;
        if !header.starts_with(b"PK\x03\x04") {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let len = usize::from(u16_at(&header, 26).unwrap_or(0));
        let mut name = header.split_off(HEADER_BYTES);
        if len != name.len() {
            name.resize(len, 0);
            self.file.read_exact_at(&mut name, entry.header_at + HEADER_BYTES as u64)?;
        }
        Ok(name)
    }

    /// Opens a file. What comes out must have the length and the checksum that the zip says.
    pub(crate) fn open(&self, id: PathId, held: &Held) -> io::Result<Box<dyn Read + Send + '_>> {
        let packed = self.packed.get(id as usize).copied().unwrap_or_default();
        let mut header = [0; HEADER_BYTES];
        self.file.read_exact_at(&mut header, held.position)?;
        let lengths = u16_at(&header, 26).zip(u16_at(&header, 28));
        let (name_len, extra_len) = lengths.unwrap_or_default();
        let start =
            held.position + HEADER_BYTES as u64 + u64::from(name_len) + u64::from(extra_len);
        let range = Range::new(&self.file, start, packed.packed_bytes);
        let left = held.size_bytes;
        Ok(if packed.method == STORED {
            Box::new(Checked { reader: range, crc: Crc::new(), expected: packed.crc, left })
        } else {
            let reader = DeflateDecoder::new(range);
            Box::new(Checked { reader, crc: Crc::new(), expected: packed.crc, left })
        })
    }
}

/// Why not one file of the zip can be read, if that is so: it is said once, not of every file.
fn unreadable<S: Extent>(mut entries: Entries<'_, S>) -> Option<(Code, &'static str)> {
    let mut why = None;
    // Where the directory is damaged, the walk comes there too and tells.
    while let Ok(Some(entry)) = entries.next_entry() {
        if entry.size_bytes == 0 || entry.name.ends_with(b"/") {
            continue;
        }
        why = match entry.method {
            _ if entry.flags & ENCRYPTED != 0 => Some((Code::ArchiveEncrypted, "zip")),
            STORED | DEFLATED => return None,
            9 => Some((Code::ArchiveCompression, "Deflate64")),
            12 => Some((Code::ArchiveCompression, "bzip2")),
            14 => Some((Code::ArchiveCompression, "LZMA")),
            93 => Some((Code::ArchiveCompression, "Zstandard")),
            95 => Some((Code::ArchiveCompression, "xz")),
            _ => Some((Code::ArchiveCompression, "a rare method of zip")),
        };
    }
    why
}

/// A stream that must have a certain length and checksum.
struct Checked<R> {
    reader: R,
    crc: Crc,
    expected: u32,
    left: u64,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.reader.read(buffer)?;
        self.crc.update(&buffer[..got]);
        let wrong = |what| Err(io::Error::new(io::ErrorKind::InvalidData, what));
        match self.left.checked_sub(got as u64) {
            None => return wrong("the entry is longer than the zip says"),
            Some(left) => self.left = left,
        }
        if got == 0 && self.left > 0 && !buffer.is_empty() {
            return wrong("the entry is shorter than the zip says");
        }
        // Whoever knows the length does not read on to see the end.
        if self.left == 0 && self.crc.sum() != self.expected {
            return wrong("the checksum of the entry is wrong");
        }
        Ok(got)
    }
}
