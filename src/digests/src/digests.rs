//! The digests of one stream of bytes.

use std::fmt;

use super::algorithm::{Algorithm, AlgorithmSet};

/// Some digests of the same bytes, each by its algorithm. Kept in one allocation, because a bag of
/// a million files keeps a million of these.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Digests {
    algorithms: AlgorithmSet,
    /// The digests one after another, in the order of the set.
    bytes: Box<[u8]>,
}

impl Digests {
    /// Joins digests that `digest_of` appends one by one, in the order of the set.
    pub(super) fn gather(
        algorithms: AlgorithmSet,
        mut digest_of: impl FnMut(Algorithm, &mut Vec<u8>),
    ) -> Digests {
        let mut bytes = Vec::with_capacity(algorithms.iter().map(Algorithm::digest_len).sum());
        for algorithm in algorithms.iter() {
            digest_of(algorithm, &mut bytes);
        }
        Digests { algorithms, bytes: bytes.into_boxed_slice() }
    }

    /// Digests that were kept elsewhere; none if one has not the length of its algorithm.
    pub fn of_parts(parts: &[(Algorithm, &[u8])]) -> Option<Digests> {
        let algorithms: AlgorithmSet = parts.iter().map(|(algorithm, _)| *algorithm).collect();
        let whole = parts.iter().all(|(algorithm, bytes)| bytes.len() == algorithm.digest_len());
        let find = |wanted: Algorithm| parts.iter().find(|(algorithm, _)| *algorithm == wanted);
        whole.then(|| {
            Digests::gather(algorithms, |algorithm, bytes| {
                bytes.extend(find(algorithm).into_iter().flat_map(|(_, digest)| digest.iter()));
            })
        })
    }

    /// Which digests are here.
    pub fn algorithms(&self) -> AlgorithmSet {
        self.algorithms
    }

    /// The digest by one algorithm, if it was asked for.
    pub fn get(&self, algorithm: Algorithm) -> Option<&[u8]> {
        self.iter().find(|(candidate, _)| *candidate == algorithm).map(|(_, bytes)| bytes)
    }

    /// The digest by one algorithm in lower-case hexadecimal, if it was asked for.
    pub fn hex(&self, algorithm: Algorithm) -> Option<String> {
        self.get(algorithm).map(to_hex)
    }

    /// Whether the digest by this algorithm is the one written in hexadecimal of either case;
    /// `None` if it was not asked for.
    pub fn agrees(&self, algorithm: Algorithm, hex: &str) -> Option<bool> {
        let digits = |byte: &u8| [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
        let theirs = || hex.bytes().map(|digit| digit.to_ascii_lowercase());
        self.get(algorithm).map(|ours| ours.iter().flat_map(digits).eq(theirs()))
    }

    /// Every digest with its algorithm, in the order of [`Algorithm::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (Algorithm, &[u8])> {
        let mut rest = &*self.bytes;
        self.algorithms.iter().map(move |algorithm| {
            let (digest, after) = rest.split_at(algorithm.digest_len());
            rest = after;
            (algorithm, digest)
        })
    }
}

impl fmt::Debug for Digests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(name, bytes)| (name, to_hex(bytes)))).finish()
    }
}

fn to_hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(HEX[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

const HEX: &[u8; 16] = b"0123456789abcdef";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_found_by_algorithm_and_compared_in_any_case() {
        let digests = Digests::gather(AlgorithmSet::FOUR, |algorithm, bytes| {
            bytes.extend(std::iter::repeat_n(0xa0 + algorithm as u8, algorithm.digest_len()));
        });
        assert_eq!(digests.hex(Algorithm::Md5).unwrap(), "a0".repeat(16));
        assert_eq!(digests.hex(Algorithm::Sha512).unwrap(), "a5".repeat(64));
        assert_eq!(digests.get(Algorithm::Sha224), None);
        assert_eq!(digests.agrees(Algorithm::Sha1, &"A1".repeat(20)), Some(true));
        assert_eq!(digests.agrees(Algorithm::Sha1, &"A1".repeat(19)), Some(false));
        assert_eq!(digests.agrees(Algorithm::Sha384, ""), None);
        assert_eq!(digests.iter().count(), 4);
    }
}
