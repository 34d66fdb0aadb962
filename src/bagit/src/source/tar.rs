//! The members of a tar, one after another, from a file or from a stream.
//!
//! Read by hand rather than by a crate, because every length must be bounded before it is
//! believed, members must be placed by position, and what is odd must become a finding.

use std::io;

use super::tar_header::{Attributes, BLOCK_BYTES, Header, Kind};
use crate::ledger::Held;

/// Attributes and long names beyond this are not believed.
const EXTRA_BYTES_MAX: u64 = 1 << 20;

/// What lies after the end and is looked at: more than any blocking factor pads.
const AFTER_END_BYTES: usize = 1 << 20;

/// Something that is read forward.
pub(crate) trait Tape {
    /// Fills the buffer as far as there is something.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize>;
    /// Goes forward; says how far that was possible.
    fn pass(&mut self, count: u64) -> io::Result<u64>;
}

/// An entry that is a file, folder, link or device.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: Vec<u8>,
    pub(crate) kind: Kind,
    pub(crate) held: Held,
}

/// Why there is no further member.
#[derive(Debug)]
pub(crate) enum Stop {
    /// The end, as it should be; whether something comes after it.
    End {
        trailing: bool,
    },
    /// The file ends after a whole member, without the zero blocks that mark the end. Some programs
    /// write tars like this; whether a member is missing, only the manifests of the bag can tell.
    Unmarked,
    /// The archive is shorter than it says.
    Truncated,
    /// A header is none.
    Damaged(&'static str),
    Read(io::Error),
}

/// All members of a tar.
pub(crate) struct Members<T> {
    tape: T,
    position: u64,
    /// What is left of the content of the last member.
    unread: u64,
    /// What fills its last block.
    padding: u64,
    /// Whether there was a member at all: an empty file is not a tar.
    has_members: bool,
}

impl<T: Tape> Members<T> {
    pub(crate) fn new(tape: T) -> Members<T> {
        Members { tape, position: 0, unread: 0, padding: 0, has_members: false }
    }

    /// The next member; the tape then stands at its first byte.
    pub(crate) fn next(&mut self) -> Result<Member, Stop> {
        let mut attributes = Attributes::default();
        let mut long_name = None;
        // Whether a header was read that belongs to the next member.
        let mut is_begun = false;
        loop {
            self.pass_unread()?;
            let mut block = [0; BLOCK_BYTES];
            let got = self.fill(&mut block)?;
            if got < BLOCK_BYTES {
                let is_empty = block[..got].iter().all(|byte| *byte == 0);
                let is_end = is_empty && self.has_members && !is_begun;
                return Err(if is_end { Stop::Unmarked } else { Stop::Truncated });
            }
            if block.iter().all(|byte| *byte == 0) {
                return Err(Stop::End { trailing: self.something_follows()? });
            }
            let header = Header::new(&block).ok_or(Stop::Damaged("a header is damaged"))?;
            let kind = header.kind();
            let size = header.size_bytes().ok_or(Stop::Damaged("a size is no number"))?;
            is_begun |= matches!(kind, Kind::LongName | Kind::LongLink | Kind::Attributes);
            match kind {
                Kind::LongName => {
                    let mut name = self.extra(size)?;
                    while name.last() == Some(&0) {
                        name.pop();
                    }
                    long_name = Some(name);
                }
                Kind::Attributes => {
                    let bytes = self.extra(size)?;
                    attributes = Attributes::parse(&bytes)
                        .ok_or(Stop::Damaged("extended attributes are not in form"))?;
                }
                Kind::LongLink | Kind::GlobalAttributes | Kind::Label => self.owe(size),
                Kind::File
                | Kind::Folder
                | Kind::Link
                | Kind::Device
                | Kind::Sparse
                | Kind::Volume => {
                    return Ok(self.member(&header, kind, size, attributes, long_name));
                }
            }
        }
    }

    /// Reads from the member that is at hand.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.tape.fill(buffer)?;
        self.position += got as u64;
        self.unread = self.unread.saturating_sub(got as u64);
        Ok(got)
    }

    fn member(
        &mut self,
        header: &Header<'_>,
        kind: Kind,
        size: u64,
        attributes: Attributes,
        long_name: Option<Vec<u8>>,
    ) -> Member {
        let size_bytes = match kind {
            Kind::File | Kind::Sparse | Kind::Volume => attributes.size_bytes.unwrap_or(size),
            // POSIX: a link or folder has no content, whatever its size says.
            Kind::Link | Kind::Device | Kind::Folder => 0,
            Kind::LongName
            | Kind::LongLink
            | Kind::Attributes
            | Kind::GlobalAttributes
            | Kind::Label => size,
        };
        self.owe(size_bytes);
        self.has_members = true;
        let whole =
            header.modified_seconds().and_then(|seconds| seconds.checked_mul(1_000_000_000));
        let modified_ns = attributes.modified_ns.or(whole).unwrap_or(Held::NO_TIME);
        let name = attributes.name.or(long_name).unwrap_or_else(|| header.name());
        let folder = kind == Kind::File && name.ends_with(b"/") && size_bytes == 0;
        let kind = match (attributes.sparse, folder) {
            (true, _) => Kind::Sparse,
            (false, true) => Kind::Folder,
            (false, false) => kind,
        };
        Member { name, kind, held: Held { size_bytes, position: self.position, modified_ns } }
    }

    /// Remembers what follows a header, padded to whole blocks.
    fn owe(&mut self, size: u64) {
        self.unread = size;
        let block = BLOCK_BYTES as u64;
        self.padding = (block - size % block) % block;
    }

    fn pass_unread(&mut self) -> Result<(), Stop> {
        let passed = self.tape.pass(self.unread).map_err(Stop::Read)?;
        self.position += passed;
        if passed < self.unread {
            return Err(Stop::Truncated);
        }
        // The last member of an archive may lack its padding: its content is whole.
        self.position += self.tape.pass(self.padding).map_err(Stop::Read)?;
        (self.unread, self.padding) = (0, 0);
        Ok(())
    }

    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize, Stop> {
        let got = self.tape.fill(buffer).map_err(Stop::Read)?;
        self.position += got as u64;
        Ok(got)
    }

    /// Reads a long name or attributes.
    fn extra(&mut self, size: u64) -> Result<Vec<u8>, Stop> {
        let len = usize::try_from(size).ok().filter(|_| size <= EXTRA_BYTES_MAX);
        let len = len.ok_or(Stop::Damaged("a name or attribute is too long to be one"))?;
        let mut bytes = vec![0; len];
        if self.fill(&mut bytes)? < len {
            return Err(Stop::Truncated);
        }
        self.owe(size);
        self.unread = 0;
        Ok(bytes)
    }

    fn something_follows(&mut self) -> Result<bool, Stop> {
        let mut block = [0; 8 * BLOCK_BYTES];
        let mut seen = 0;
        while seen < AFTER_END_BYTES {
            let got = self.fill(&mut block)?;
            if got == 0 {
                return Ok(false);
            }
            if block[..got].iter().any(|byte| *byte != 0) {
                return Ok(true);
            }
            seen += got;
        }
        Ok(false)
    }
}
