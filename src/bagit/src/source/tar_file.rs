//! A bag in a plain tar: its headers are read first, by jumping from one to the next; then every
//! file can be read on its own, in any order and by any thread.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use byteio::read_at::{Range, fill};

use super::intake::Intake;
use super::tar::{Member, Members, Stop, Tape};
use super::tar_header::Kind;
use crate::code::Code;
use crate::error::BagError;
use crate::ledger::{Held, PathId};

/// One read covers a header, the short file after it and the next header.
const WINDOW_BYTES: usize = 2048;

/// An open tar.
pub(crate) struct TarFile {
    pub(crate) file: File,
    pub(crate) size_bytes: u64,
}

impl TarFile {
    pub(crate) fn walk(&self, intake: &mut Intake<'_>) -> Result<(), BagError> {
        let tape = FileTape {
            file: &self.file,
            at: 0,
            len: self.size_bytes,
            window: [0; WINDOW_BYTES],
            window_at: 0,
            window_len: 0,
        };
        let mut members = Members::new(tape);
        for count in 0_u64.. {
            if count % 1024 == 0 {
                intake.pause()?;
            }
            if count >= intake.limits.entry_count {
                intake.limit("the archive has too many entries");
            }
            if !intake.open {
                break;
            }
            match members.next() {
                Ok(member) => {
                    let end = member.held.position.saturating_add(member.held.size_bytes);
                    if end > self.size_bytes {
                        tell_stop(intake, Stop::Truncated);
                        break;
                    }
                    take(intake, &member);
                }
                Err(stop) => {
                    tell_stop(intake, stop);
                    break;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn open(&self, held: &Held) -> Range<'_, File> {
        Range::new(&self.file, held.position, held.size_bytes)
    }
}

/// Puts a member where it belongs; its number if it is a file of the bag.
pub(crate) fn take(intake: &mut Intake<'_>, member: &Member) -> Option<PathId> {
    match member.kind {
        Kind::File => return intake.file(&member.name, member.held),
        Kind::Folder => intake.folder(&member.name),
        Kind::Link => intake.odd(Code::LinkInBag, &member.name),
        Kind::Device => intake.odd(Code::DeviceInBag, &member.name),
        Kind::Sparse => intake.odd(Code::SparseEntry, &member.name),
        Kind::Volume
        | Kind::LongName
        | Kind::LongLink
        | Kind::Attributes
        | Kind::GlobalAttributes
        | Kind::Label => intake.odd(Code::EntryUnsupported, &member.name),
    }
    None
}

/// Tells how the archive ended, if that is not as it should be.
pub(crate) fn tell_stop(intake: &mut Intake<'_>, stop: Stop) {
    let again = "Make the archive again, or send it again.";
    match stop {
        Stop::End { trailing: false } => {}
        Stop::End { trailing: true } => {
            intake.findings.add(Code::ArchiveTrailing, "the archive", || {
                "Something follows after the end of the archive; it was not read. Check whether \
                 two archives were joined."
                    .to_owned()
            });
        }
        Stop::Unmarked => {
            intake.findings.add(Code::ArchiveEndMissing, "the archive", || {
                "The archive ends after a whole entry, but without the two zero blocks that mark \
                 the end. It was read to its end, and the manifests say whether a file is \
                 missing. DART 2.0.5 to 2.0.19 write such archives; newer versions do not."
                    .to_owned()
            });
        }
        Stop::Truncated => {
            let sentence = format!("The archive ends in the middle of an entry. {again}");
            intake.broken(Code::ArchiveTruncated, sentence);
        }
        Stop::Damaged(what) => {
            let sentence = format!("The archive is damaged: {what}. {again}");
            intake.broken(Code::ArchiveDamaged, sentence);
        }
        Stop::Read(error) => {
            let sentence = format!("The archive cannot be read: {error}. {again}");
            intake.broken(Code::ArchiveDamaged, sentence);
        }
    }
}

/// A file read by position, through a small window, so that jumping over content costs nothing.
struct FileTape<'f> {
    file: &'f File,
    at: u64,
    len: u64,
    window: [u8; WINDOW_BYTES],
    window_at: u64,
    window_len: usize,
}

impl Tape for FileTape<'_> {
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let inside = usize::try_from(self.at.wrapping_sub(self.window_at)).unwrap_or(usize::MAX);
        let in_window = inside <= self.window_len && self.window_len - inside >= buffer.len();
        if !in_window && buffer.len() <= WINDOW_BYTES {
            let mut range = Range::new(self.file, self.at, self.len.saturating_sub(self.at));
            self.window_len = fill(&mut range, &mut self.window)?;
            self.window_at = self.at;
        }
        let got = if buffer.len() <= WINDOW_BYTES {
            let start = usize::try_from(self.at - self.window_at).unwrap_or(0);
            let got = buffer.len().min(self.window_len.saturating_sub(start));
            buffer[..got].copy_from_slice(&self.window[start..start + got]);
            got
        } else {
            self.read_through(buffer)?
        };
        self.at += got as u64;
        Ok(got)
    }

    fn pass(&mut self, count: u64) -> io::Result<u64> {
        let passed = count.min(self.len.saturating_sub(self.at));
        self.at += passed;
        Ok(passed)
    }
}

impl FileTape<'_> {
    fn read_through(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.file.read_at(&mut buffer[filled..], self.at + filled as u64)? {
                0 => break,
                count => filled += count,
            }
        }
        Ok(filled)
    }
}
