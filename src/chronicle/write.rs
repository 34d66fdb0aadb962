//! Writes a chronicle, with flat memory however many files it tells of.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use digests::{Algorithm, AlgorithmSet, Hasher};
use ocfl::Sha512;
use storage::registry::NewFileVersion;

use super::lines::{End, Heading, Line, Told};

/// A chronicle on this machine, to be put into replicas.
pub(crate) struct Written {
    pub(crate) size_bytes: u64,
    pub(crate) sha512: Sha512,
}

/// Writes a chronicle to a file that is only needed on the way: nothing is synced here.
pub(crate) fn write(
    path: &Path,
    heading: Heading,
    files: impl Iterator<Item = NewFileVersion>,
    kept: impl Iterator<Item = String>,
    events: impl Iterator<Item = Told>,
) -> io::Result<Written> {
    let sum = Sum {
        file: File::create(path)?,
        size_bytes: 0,
        hasher: Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512)),
    };
    let mut out = BufWriter::with_capacity(256 << 10, sum);
    let mut end = End { files: 0, kept: 0, events: 0 };
    put(&mut out, &Line::Heading(Box::new(heading)))?;
    for file in files {
        put(&mut out, &Line::File(Box::new(file)))?;
        end.files += 1;
    }
    for path in kept {
        put(&mut out, &Line::Kept(path))?;
        end.kept += 1;
    }
    for event in events {
        put(&mut out, &Line::Event(Box::new(event)))?;
        end.events += 1;
    }
    put(&mut out, &Line::End(end))?;
    let sum = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    let digests = sum.hasher.finish();
    let sha512 = digests.get(Algorithm::Sha512).and_then(|digest| digest.try_into().ok());
    let sha512 = sha512.ok_or_else(|| io::Error::other("no sha512 was computed"))?;
    Ok(Written { size_bytes: sum.size_bytes, sha512 })
}

fn put(out: &mut impl Write, line: &Line) -> io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

/// Bytes on their way to a file, counted and digested.
struct Sum {
    file: File,
    size_bytes: u64,
    hasher: Hasher,
}

impl Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.file.write(bytes)?;
        self.hasher.update(&bytes[..count]);
        self.size_bytes += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
