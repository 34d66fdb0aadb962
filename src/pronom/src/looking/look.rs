//! A file under the glass: its first and its last bytes, read when somebody asks for them, and a
//! budget for all of it together.

use std::cell::Cell;
use std::io;
use std::time::Duration;

use byteio::read_at::{Extent, ReadAt};

use super::matching::View;
use crate::bounds::Bounds;

/// How to look at files.
#[derive(Default)]
pub struct Looking<'c> {
    pub bounds: Bounds,
    /// A clock that only goes forward; without one there is no bound on time.
    pub steady: Option<&'c (dyn Fn() -> Duration + Sync)>,
}

/// Why looking ended before it was done.
#[derive(Debug)]
pub(crate) enum Halt {
    /// A bound was reached; the sentence says which.
    Limit(String),
    /// The file cannot be read.
    Unreadable(io::Error),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Halt {
        match error.get_ref().and_then(|inner| inner.downcast_ref::<ReadBound>()) {
            Some(bound) => Halt::Limit(bound.to_string()),
            None => Halt::Unreadable(error),
        }
    }
}

/// What is left of the bounds.
pub(crate) struct Budget<'a> {
    looking: &'a Looking<'a>,
    deadline: Option<Duration>,
    compared_bytes: u64,
}

/// An open file, as far as it was looked at.
pub(crate) struct Look<'a> {
    source: Metered<'a>,
    size_bytes: u64,
    head: Vec<u8>,
    /// The last bytes; empty while the head holds the whole file.
    tail: Vec<u8>,
    pub(crate) budget: Budget<'a>,
}

/// A source that counts, and refuses to read more than the bounds allow.
struct Metered<'a> {
    source: &'a dyn Extent,
    left_bytes: Cell<u64>,
    bound: u64,
}

impl<'a> Budget<'a> {
    pub(crate) fn new(looking: &'a Looking<'a>) -> Budget<'a> {
        let deadline = looking.steady.map(|now| now().saturating_add(looking.bounds.time));
        Budget { looking, deadline, compared_bytes: 0 }
    }

    pub(crate) fn bounds(&self) -> &'a Bounds {
        &self.looking.bounds
    }

    /// Pays for comparing so many bytes.
    pub(crate) fn pay(&mut self, compared_bytes: usize) -> Result<(), Halt> {
        self.compared_bytes = self.compared_bytes.saturating_add(compared_bytes as u64);
        if self.compared_bytes > self.bounds().compared_bytes {
            let most = self.bounds().compared_bytes;
            return Err(Halt::Limit(format!("more than {most} bytes were compared")));
        }
        Ok(())
    }

    /// Looks at the clock: for those who are about to do something slow.
    pub(crate) fn be_in_time(&self) -> Result<(), Halt> {
        let late = self.looking.steady.zip(self.deadline).is_some_and(|(now, end)| now() > end);
        if late {
            let seconds = self.bounds().time.as_secs();
            return Err(Halt::Limit(format!("looking took more than {seconds} seconds")));
        }
        Ok(())
    }
}

impl<'a> Look<'a> {
    pub(crate) fn new(source: &'a dyn Extent, looking: &'a Looking<'a>) -> Look<'a> {
        let bound = looking.bounds.read_bytes;
        Look {
            size_bytes: source.size_bytes(),
            source: Metered { source, left_bytes: Cell::new(bound), bound },
            head: Vec::new(),
            tail: Vec::new(),
            budget: Budget::new(looking),
        }
    }

    pub(crate) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// The file itself, for those who know where to look, and the budget to do it on. Reading ends
    /// with an error when the bounds are reached.
    pub(crate) fn source(&mut self) -> (&dyn Extent, &mut Budget<'a>) {
        (&self.source, &mut self.budget)
    }

    /// Reads until at least the first `wanted` bytes are there, or the whole file.
    pub(crate) fn read_head(&mut self, wanted: usize) -> Result<(), Halt> {
        let wanted = self.no_more_than_all(wanted);
        let have = self.head.len();
        if have < wanted {
            self.budget.be_in_time()?;
            self.head.resize(wanted, 0);
            let filled = self.source.fill_at(&mut self.head[have..], have as u64)?;
            if have + filled < wanted {
                return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
            }
        }
        Ok(())
    }

    /// Reads until at least the last `wanted` bytes are there, or the whole file.
    pub(crate) fn read_tail(&mut self, wanted: usize) -> Result<(), Halt> {
        let wanted = self.no_more_than_all(wanted);
        if self.has_all() || self.tail.len() >= wanted {
            return Ok(());
        }
        // What the head has already need not be read again.
        if self.head.len() as u64 + wanted as u64 >= self.size_bytes {
            return self.read_head(usize::try_from(self.size_bytes).unwrap_or(usize::MAX));
        }
        self.budget.be_in_time()?;
        let missing = wanted - self.tail.len();
        let mut tail = vec![0; wanted];
        let at = self.size_bytes - wanted as u64;
        let filled = self.source.fill_at(&mut tail[..missing], at)?;
        if filled < missing {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        tail[missing..].copy_from_slice(&self.tail);
        self.tail = tail;
        Ok(())
    }

    /// What was read of the start.
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// What was read of the end.
    pub(crate) fn tail(&self) -> &[u8] {
        if self.has_all() { &self.head } else { &self.tail }
    }

    pub(crate) fn has_all(&self) -> bool {
        self.head.len() as u64 == self.size_bytes
    }

    /// Reads the first and the last bytes, and shows so many of them and no more: what is found
    /// must not depend on what else was read.
    pub(crate) fn view(
        &mut self,
        first: usize,
        last: usize,
    ) -> Result<(View<'_>, &mut Budget<'a>), Halt> {
        self.read_head(first)?;
        self.read_tail(last)?;
        let tail = if self.head.len() as u64 == self.size_bytes { &self.head } else { &self.tail };
        let view = View {
            head: &self.head[..self.head.len().min(first)],
            tail: &tail[tail.len() - tail.len().min(last)..],
            size_bytes: self.size_bytes,
        };
        Ok((view, &mut self.budget))
    }

    fn no_more_than_all(&self, wanted: usize) -> usize {
        usize::try_from(self.size_bytes).map_or(wanted, |all| wanted.min(all))
    }
}

/// Marks an error as a bound that was reached.
#[derive(Debug, thiserror::Error)]
#[error("more than {0} bytes would have to be read")]
struct ReadBound(u64);

impl Extent for Metered<'_> {
    fn size_bytes(&self) -> u64 {
        self.source.size_bytes()
    }
}

impl ReadAt for Metered<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.left_bytes.get();
        if buffer.len() as u64 > left {
            return Err(io::Error::other(ReadBound(self.bound)));
        }
        let count = self.source.read_at(buffer, offset)?;
        self.left_bytes.set(left - count as u64);
        Ok(count)
    }
}
