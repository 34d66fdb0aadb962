//! What manifests say of every file, against what was computed of it: nine bytes for each file and
//! algorithm. A digest is kept as a fingerprint under a key of this process, eight bytes; whichever
//! comes first, the listed or the computed one, waits for the other. A damaged file would have to
//! meet its fingerprint by a chance of one in 2^64, and nobody outside knows the key.

use std::hash::{BuildHasher, Hasher, RandomState};

use digests::{Algorithm, AlgorithmSet, Digests};

use super::ledger::PathId;

/// Which kind of manifest lists a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Payload,
    Tag,
}

impl Kind {
    fn bit(self) -> u8 {
        match self {
            Kind::Payload => IN_PAYLOAD,
            Kind::Tag => IN_TAG,
        }
    }
}

/// What came of listing a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    First,
    /// The same manifest lists it already, with the same digest.
    Again,
    /// The same manifest lists it already, with another digest.
    Otherwise,
}

const LISTED: u8 = 1;
const COMPUTED: u8 = 2;
const DIFFERS: u8 = 4;
const IN_PAYLOAD: u8 = 8;
const IN_TAG: u8 = 16;

#[derive(Default)]
struct Column {
    prints: Vec<u64>,
    states: Vec<u8>,
}

/// The marks of all files under all algorithms.
#[derive(Default)]
pub(crate) struct Marks {
    columns: [Column; 6],
    path_count: usize,
    state: RandomState,
}

impl Marks {
    /// Notes that a manifest lists a path with this digest.
    pub(crate) fn list(
        &mut self,
        id: PathId,
        algorithm: Algorithm,
        kind: Kind,
        digest: &[u8],
    ) -> Listed {
        let print = self.print(algorithm, digest);
        let (slot, state) = self.mark(id, algorithm);
        let known = *state & (LISTED | COMPUTED) != 0;
        let agrees = !known || *slot == print;
        if *state & kind.bit() != 0 && known {
            *state |= if agrees { 0 } else { DIFFERS };
            return if agrees { Listed::Again } else { Listed::Otherwise };
        }
        if !known || *state & LISTED == 0 {
            // From here on the slot is what is listed; whether that was computed is in the state.
            *slot = print;
        }
        *state |= kind.bit() | LISTED | if agrees { 0 } else { DIFFERS };
        Listed::First
    }

    /// Notes that a manifest lists a path with something that is no digest.
    pub(crate) fn list_unread(&mut self, id: PathId, algorithm: Algorithm, kind: Kind) {
        *self.mark(id, algorithm).1 |= kind.bit();
    }

    /// Notes what was computed of a file, and says by which algorithms it is not the one listed.
    pub(crate) fn compute(&mut self, id: PathId, digests: &Digests) -> AlgorithmSet {
        let mut differing = AlgorithmSet::EMPTY;
        for (algorithm, digest) in digests.iter() {
            let print = self.print(algorithm, digest);
            let (slot, state) = self.mark(id, algorithm);
            if *state & LISTED == 0 {
                *slot = print;
            } else if *slot != print {
                *state |= DIFFERS;
            }
            *state |= COMPUTED;
            if *state & DIFFERS != 0 {
                differing = differing.with(algorithm);
            }
        }
        differing
    }

    /// Whether a manifest of this algorithm and kind lists the path.
    pub(crate) fn is_listed(&self, id: PathId, algorithm: Algorithm, kind: Kind) -> bool {
        self.state(id, algorithm) & kind.bit() != 0
    }

    /// The algorithms by which a file is listed and has not been computed.
    pub(crate) fn lacking(&self, id: PathId) -> AlgorithmSet {
        let lacks = |algorithm| self.state(id, algorithm) & (LISTED | COMPUTED) == LISTED;
        Algorithm::ALL.into_iter().filter(|algorithm| lacks(*algorithm)).collect()
    }

    /// Whether a file, listed and computed, is not the one listed by some algorithm.
    pub(crate) fn differs(&self, id: PathId) -> bool {
        Algorithm::ALL.into_iter().any(|algorithm| {
            let state = self.state(id, algorithm);
            state & COMPUTED != 0 && state & DIFFERS != 0
        })
    }

    fn state(&self, id: PathId, algorithm: Algorithm) -> u8 {
        self.columns[algorithm as usize].states.get(id as usize).copied().unwrap_or(0)
    }

    /// Makes room for so many paths, where there is any.
    pub(crate) fn expect_paths(&mut self, count: usize) {
        self.path_count = count;
    }

    fn mark(&mut self, id: PathId, algorithm: Algorithm) -> (&mut u64, &mut u8) {
        let column = &mut self.columns[algorithm as usize];
        let at = id as usize;
        if column.states.len() <= at {
            let len = self.path_count.max(at + 1);
            // Grown in steps: doubling would hold half as much again for nothing.
            let step = len - column.states.len() + (len / 8).min(1 << 20);
            if column.states.capacity() < len {
                column.states.reserve_exact(step);
                column.prints.reserve_exact(step);
            }
            column.states.resize(len, 0);
            column.prints.resize(len, 0);
        }
        (&mut column.prints[at], &mut column.states[at])
    }

    fn print(&self, algorithm: Algorithm, digest: &[u8]) -> u64 {
        let mut hasher = self.state.build_hasher();
        hasher.write_u8(algorithm as u8);
        hasher.write(digest);
        hasher.finish()
    }
}

#[cfg(test)]
mod tests {
    use digests::digest_buffers;

    use super::*;

    const MD5: Algorithm = Algorithm::Md5;

    fn digests(text: &str) -> Digests {
        digest_buffers(AlgorithmSet::EMPTY.with(MD5), &[text.as_bytes()]).remove(0)
    }

    fn digest(text: &str) -> Vec<u8> {
        digests(text).get(MD5).unwrap().to_vec()
    }

    #[test]
    fn listed_and_computed_meet_in_either_order() {
        for (listed, same) in [("a", true), ("b", false)] {
            let mut marks = Marks::default();
            assert_eq!(marks.list(0, MD5, Kind::Payload, &digest(listed)), Listed::First);
            assert!(marks.lacking(0).contains(MD5));
            assert_eq!(marks.compute(0, &digests("a")).is_empty(), same);
            assert_eq!(marks.differs(0), !same);

            let mut marks = Marks::default();
            assert!(marks.compute(5, &digests("a")).is_empty());
            assert_eq!(marks.list(5, MD5, Kind::Tag, &digest(listed)), Listed::First);
            assert_eq!(marks.differs(5), !same);
            assert!(marks.is_listed(5, MD5, Kind::Tag) && !marks.is_listed(5, MD5, Kind::Payload));
        }
    }

    #[test]
    fn a_path_listed_twice_is_told_and_a_contradiction_never_agrees() {
        let mut marks = Marks::default();
        marks.list(0, MD5, Kind::Payload, &digest("a"));
        assert_eq!(marks.list(0, MD5, Kind::Payload, &digest("a")), Listed::Again);
        assert_eq!(marks.list(0, MD5, Kind::Payload, &digest("b")), Listed::Otherwise);
        assert!(!marks.compute(0, &digests("a")).is_empty());

        let mut marks = Marks::default();
        marks.list(0, MD5, Kind::Payload, &digest("a"));
        marks.list(0, MD5, Kind::Tag, &digest("b"));
        assert!(!marks.compute(0, &digests("a")).is_empty());
    }

    #[test]
    fn what_was_never_listed_never_differs() {
        let mut marks = Marks::default();
        marks.compute(0, &digests("a"));
        marks.compute(0, &digests("b"));
        assert!(!marks.differs(0) && marks.lacking(0).is_empty());
    }
}
