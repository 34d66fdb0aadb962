//! A bag in a compressed tar: one pass, in which every file is digested as it goes by and all that
//! is not payload is set aside, because a manifest may come after what it lists.

use std::fs::File;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use byteio::read_at::Range;
use digests::{AlgorithmSet, Digests, digest_buffers, digest_reader};

use super::inflate::{self, Bomb, InflatedTape};
use super::intake::{Intake, split};
use super::tar::{Members, Stop};
use super::tar_file::{take, tell_stop};
use crate::code::Code;
use crate::error::BagError;
use crate::ledger::{Held, PathId};

/// Files up to this size are gathered and digested side by side.
const SMALL_BYTES: u64 = 256 << 10;
const BATCH_BYTES: usize = 4 << 20;
const BATCH_COUNT: usize = 1024;

/// A `.tar.gz`, and what was set aside of it.
pub(crate) struct TarGz {
    /// Read by position, so that every pass begins at its first byte.
    pub(crate) packed: Arc<File>,
    pub(crate) size_bytes: u64,
    /// Nameless, so that it is gone whatever happens.
    pub(crate) spool: File,
    pub(crate) spool_bytes: u64,
}

/// A file that went by.
pub(crate) struct Passed<'p> {
    /// Its number, in the pass that takes files in.
    pub(crate) id: Option<PathId>,
    /// Its name in the archive.
    pub(crate) name: &'p [u8],
    pub(crate) held: Held,
    pub(crate) digests: Digests,
}

/// Who is told of digests, and what is digested.
pub(crate) struct Reading<'r> {
    pub(crate) algorithms: AlgorithmSet,
    /// Which files, by name, in a pass that takes none in.
    pub(crate) wanted: &'r dyn Fn(&[u8]) -> bool,
    pub(crate) deliver: &'r mut dyn FnMut(Passed<'_>),
    /// Told the compressed bytes read so far.
    pub(crate) progress: &'r (dyn Fn(u64) + Sync),
}

impl TarGz {
    /// Walks the archive, digests its files and sets aside what is not payload.
    pub(crate) fn walk(
        &mut self,
        intake: &mut Intake<'_>,
        reading: &mut Reading<'_>,
        set_aside: bool,
    ) -> Result<(), BagError> {
        let packed = Arc::clone(&self.packed);
        let file = Range::new(&*packed, 0, self.size_bytes);
        let consumed = AtomicU64::new(0);
        let limits = intake.limits.clone();
        std::thread::scope(|scope| {
            let (sender, tape) = inflate::channel();
            let (consumed, limits) = (&consumed, &limits);
            scope.spawn(move || inflate::run(file, consumed, limits, &sender));
            let mut pass = Pass {
                members: Members::new(tape),
                batch: Vec::new(),
                batched: Vec::new(),
                set_aside,
                gz: self,
                consumed,
            };
            pass.run(intake, reading)
        })
    }

    pub(crate) fn open(&self, held: &Held) -> Range<'_, File> {
        Range::new(&self.spool, held.position, held.size_bytes)
    }
}

struct Pass<'p> {
    members: Members<InflatedTape>,
    batch: Vec<u8>,
    batched: Vec<(Option<PathId>, Vec<u8>, Held, usize)>,
    set_aside: bool,
    gz: &'p mut TarGz,
    consumed: &'p AtomicU64,
}

impl Pass<'_> {
    fn run(&mut self, intake: &mut Intake<'_>, reading: &mut Reading<'_>) -> Result<(), BagError> {
        for count in 0_u64.. {
            intake.pause()?;
            (reading.progress)(self.consumed.load(Ordering::Relaxed));
            if count >= intake.limits.entry_count {
                intake.limit("the archive has too many entries");
            }
            if !intake.open {
                break;
            }
            let mut member = match self.members.next() {
                Ok(member) => member,
                Err(stop) => {
                    tell(intake, stop);
                    break;
                }
            };
            let aside = self.set_aside && !is_payload(&member.name);
            if aside {
                member.held.position = self.gz.spool_bytes;
            }
            let known = self.set_aside.then(|| take(intake, &member)).flatten();
            let wanted = member.kind == super::tar_header::Kind::File
                && (known.is_some() || !self.set_aside && (reading.wanted)(&member.name));
            if wanted && !self.read(intake, reading, known, (&member.name, member.held), aside)? {
                break;
            }
        }
        self.flush(reading);
        Ok(())
    }

    /// Reads one file; false if the archive ends in it.
    fn read(
        &mut self,
        intake: &mut Intake<'_>,
        reading: &mut Reading<'_>,
        id: Option<PathId>,
        (name, held): (&[u8], Held),
        aside: bool,
    ) -> Result<bool, BagError> {
        let room = intake.limits.spool_bytes.saturating_sub(self.gz.spool_bytes);
        if aside && held.size_bytes > room {
            intake.limit("there is too much in it outside data");
            return Ok(false);
        }
        let small =
            usize::try_from(held.size_bytes).ok().filter(|_| held.size_bytes <= SMALL_BYTES);
        if let Some(len) = small {
            if self.batch.len() + len > BATCH_BYTES || self.batched.len() == BATCH_COUNT {
                self.flush(reading);
            }
            let start = self.batch.len();
            self.batch.resize(start + len, 0);
            let got = match self.members.read(&mut self.batch[start..]) {
                Ok(got) => got,
                Err(error) => {
                    self.batch.truncate(start);
                    tell(intake, Stop::Read(error));
                    return Ok(false);
                }
            };
            if got < len {
                self.batch.truncate(start);
                tell_stop(intake, Stop::Truncated);
                return Ok(false);
            }
            if aside {
                let bytes = &self.batch[start..];
                self.gz.spool.write_all(bytes).map_err(|source| BagError::Scratch { source })?;
                self.gz.spool_bytes += held.size_bytes;
            }
            self.batched.push((id, name.to_vec(), held, len));
            return Ok(true);
        }
        let mut entry = Entry {
            members: &mut self.members,
            left: held.size_bytes,
            spool: aside.then_some(&self.gz.spool),
            spool_error: None,
        };
        let stop = intake.stop;
        let go_on = |_| if stop() { Err(BagError::Stopped) } else { Ok(()) };
        let outcome = digest_large(&mut entry, reading.algorithms, go_on)?;
        let (left, spool_error) = (entry.left, entry.spool_error.take());
        if let Some(source) = spool_error {
            return Err(BagError::Scratch { source });
        }
        if aside {
            self.gz.spool_bytes += held.size_bytes;
        }
        match outcome {
            Ok(_) if left > 0 => tell_stop(intake, Stop::Truncated),
            Err(error) => tell(intake, Stop::Read(error)),
            Ok(digests) => {
                (reading.deliver)(Passed { id, name, held, digests });
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Digests what was gathered, half on each of two threads or more.
    fn flush(&mut self, reading: &mut Reading<'_>) {
        let mut rest = &self.batch[..];
        let cut = |(.., len): &(_, _, _, usize)| {
            let (bytes, after) = rest.split_at(*len);
            rest = after;
            bytes
        };
        let buffers: Vec<&[u8]> = self.batched.iter().map(cut).collect();
        let digests = halved(reading.algorithms, &buffers, rayon::current_num_threads());
        for ((id, name, held, _), digests) in self.batched.drain(..).zip(digests) {
            (reading.deliver)(Passed { id, name: &name, held, digests });
        }
        self.batch.clear();
    }
}

/// Digests buffers on several threads, as long as each has enough to fill lanes.
fn halved(algorithms: AlgorithmSet, buffers: &[&[u8]], threads: usize) -> Vec<Digests> {
    if threads < 2 || buffers.len() < 32 {
        return digest_buffers(algorithms, buffers);
    }
    let (left, right) = buffers.split_at(buffers.len() / 2);
    let (mut left, right) = rayon::join(
        || halved(algorithms, left, threads / 2),
        || halved(algorithms, right, threads / 2),
    );
    left.extend(right);
    left
}

fn digest_large(
    entry: &mut Entry<'_>,
    algorithms: AlgorithmSet,
    go_on: impl Fn(u64) -> Result<(), BagError> + Sync,
) -> Result<io::Result<Digests>, BagError> {
    use digests::ReadError;
    Ok(match digest_reader(entry, algorithms, go_on)? {
        Ok(digested) => Ok(digested.digests),
        Err(ReadError::Open(source) | ReadError::Read { source, .. }) => Err(source),
        Err(ReadError::Shorter { .. } | ReadError::Longer { .. }) => {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    })
}

/// Whether a name in the archive is that of a payload file, whatever the top folder is called.
fn is_payload(name: &[u8]) -> bool {
    let mut name = name;
    while let Some(rest) = name.strip_prefix(b"./") {
        name = rest;
    }
    split(name).1.is_some_and(|rest| rest.starts_with(b"data/"))
}

/// Tells how the archive ended, also by a bomb.
fn tell(intake: &mut Intake<'_>, stop: Stop) {
    match stop {
        Stop::Read(ref error) if error.get_ref().is_some_and(|inner| inner.is::<Bomb>()) => {
            intake.broken(
                Code::ArchiveBomb,
                "The archive unpacks to far more than its own size; it was not read to its end. \
                 Send the bag as a plain tar."
                    .to_owned(),
            );
        }
        Stop::Read(ref error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            tell_stop(intake, Stop::Truncated);
        }
        Stop::Read(_) | Stop::End { .. } | Stop::Unmarked | Stop::Truncated | Stop::Damaged(_) => {
            tell_stop(intake, stop);
        }
    }
}

/// The entry at hand, as a stream that is set aside while it is read.
struct Entry<'e> {
    members: &'e mut Members<InflatedTape>,
    left: u64,
    spool: Option<&'e File>,
    spool_error: Option<io::Error>,
}

impl Read for Entry<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let got = self.members.read(&mut buffer[..most])?;
        self.left -= got as u64;
        if let Some(mut spool) = self.spool
            && let Err(error) = spool.write_all(&buffer[..got])
        {
            self.spool = None;
            self.spool_error = Some(error);
        }
        Ok(got)
    }
}
