//! The six digest algorithms that manifests may name, and sets of them.

use std::fmt;
use std::str::FromStr;

/// A digest algorithm, in the order in which everything here lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// A name that is none of [`Algorithm::ALL`].
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a digest algorithm known here")]
pub struct UnknownAlgorithm(pub String);

impl Algorithm {
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Md5,
        Algorithm::Sha1,
        Algorithm::Sha224,
        Algorithm::Sha256,
        Algorithm::Sha384,
        Algorithm::Sha512,
    ];

    /// The name as in `manifest-<name>.txt`.
    pub const fn name(self) -> &'static str {
        match self {
            Algorithm::Md5 => "md5",
            Algorithm::Sha1 => "sha1",
            Algorithm::Sha224 => "sha224",
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha384 => "sha384",
            Algorithm::Sha512 => "sha512",
        }
    }

    /// The bytes of one digest; its hexadecimal form is twice as long.
    pub const fn digest_len(self) -> usize {
        match self {
            Algorithm::Md5 => 16,
            Algorithm::Sha1 => 20,
            Algorithm::Sha224 => 28,
            Algorithm::Sha256 => 32,
            Algorithm::Sha384 => 48,
            Algorithm::Sha512 => 64,
        }
    }

    /// The bytes taken by one step of the compression function.
    pub(super) const fn block_len(self) -> usize {
        match self {
            Algorithm::Md5 | Algorithm::Sha1 | Algorithm::Sha224 | Algorithm::Sha256 => 64,
            Algorithm::Sha384 | Algorithm::Sha512 => 128,
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Reads a name as RFC 8493 normalises it: in any case, with or without hyphens.
impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let plain = |name: &str| {
            let letters = name.bytes().filter(u8::is_ascii_alphanumeric);
            letters
                .map(|b| b.to_ascii_lowercase())
                .eq(text.bytes().filter(|b| *b != b'-').map(|b| b.to_ascii_lowercase()))
        };
        Self::ALL
            .into_iter()
            .find(|algorithm| plain(algorithm.name()))
            .ok_or_else(|| UnknownAlgorithm(text.to_owned()))
    }
}

/// A set of algorithms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AlgorithmSet(u8);

impl AlgorithmSet {
    pub const EMPTY: AlgorithmSet = AlgorithmSet(0);

    /// What ingest keeps of every file: md5, sha1, sha256 and sha512.
    pub const FOUR: AlgorithmSet = AlgorithmSet::EMPTY
        .with(Algorithm::Md5)
        .with(Algorithm::Sha1)
        .with(Algorithm::Sha256)
        .with(Algorithm::Sha512);

    /// This set and one more.
    pub const fn with(self, algorithm: Algorithm) -> AlgorithmSet {
        AlgorithmSet(self.0 | (1 << algorithm as u8))
    }

    pub const fn contains(self, algorithm: Algorithm) -> bool {
        self.0 & (1 << algorithm as u8) != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Its members in the order of [`Algorithm::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Algorithm> {
        Algorithm::ALL.into_iter().filter(move |algorithm| self.contains(*algorithm))
    }
}

impl FromIterator<Algorithm> for AlgorithmSet {
    fn from_iter<I: IntoIterator<Item = Algorithm>>(algorithms: I) -> Self {
        algorithms.into_iter().fold(AlgorithmSet::EMPTY, AlgorithmSet::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_case_with_or_without_hyphens() {
        for algorithm in Algorithm::ALL {
            let name = algorithm.name();
            assert_eq!(name.parse::<Algorithm>().unwrap(), algorithm);
            assert_eq!(name.to_uppercase().parse::<Algorithm>().unwrap(), algorithm);
            assert_eq!(algorithm.to_string(), name);
        }
        assert_eq!("SHA-256".parse::<Algorithm>().unwrap(), Algorithm::Sha256);
        for strange in ["", "sha", "sha3", "sha2560", "md 5", "crc32"] {
            assert!(strange.parse::<Algorithm>().is_err(), "{strange}");
        }
    }

    #[test]
    fn a_set_lists_its_members_in_order() {
        let set: AlgorithmSet = [Algorithm::Sha512, Algorithm::Md5].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Algorithm::Md5, Algorithm::Sha512]);
        assert!(!set.contains(Algorithm::Sha1) && !set.is_empty());
        assert_eq!(AlgorithmSet::FOUR.iter().count(), 4);
    }
}
