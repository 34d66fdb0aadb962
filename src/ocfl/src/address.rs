//! Where an object and its files lie in a storage root.
//!
//! Both are computed, never looked up: layout extension 0004 with its defaults hashes the object's
//! id by sha256 into three folders of three digits, and a file lies under its own logical path
//! where every disk and bucket can hold that name. Other names are replaced by the file's sha512,
//! because a disk that strips a trailing dot or folds a `?` would silently hold another name; the
//! inventory maps them.

use std::fmt;

use digests::{Algorithm, AlgorithmSet, Digests, Hasher};

/// The layout written into every storage root.
pub(super) const LAYOUT: &str = "0004-hashed-n-tuple-storage-layout";

/// Our own corner of a storage root; other tools leave extensions alone.
pub(super) const CORNER: &str = "extensions/strongroom-replica";

/// Tells which replica a storage root is; without it the place counts as not mounted.
pub(super) const MARKER: &str = "extensions/strongroom-replica/replica.json";

/// Under this name lie files whose own name no medium is sure to hold.
const BY_DIGEST: &str = "by-sha512";

/// Disks allow names of 255 bytes.
const SEGMENT_LEN_MAX: usize = 255;

/// S3 allows keys of 1,024 bytes: 90 for object and version, the rest for the bucket's prefix.
const LOGICAL_LEN_MAX: usize = 700;

pub type Sha512 = [u8; 64];

/// `institution/bag`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(String);

impl ObjectId {
    pub fn new(id: impl Into<String>) -> ObjectId {
        ObjectId(id.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder of the object, relative to the storage root.
    pub fn root(&self) -> String {
        let hash = self.hash();
        format!("{}/{}/{}/{hash}", &hash[..3], &hash[3..6], &hash[6..9])
    }

    /// What stands for the object in the names of its drafts.
    pub(super) fn hash(&self) -> String {
        hash_of(Algorithm::Sha256, self.0.as_bytes())
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Where new content of a version lies, relative to the object's folder. Half of the digest names
/// it: 256 bits are as good as unique, and some servers stumble over very long keys.
pub fn content_path(version: u32, logical: &str, sha512: &Sha512) -> String {
    if is_safe_everywhere(logical) {
        format!("v{version}/content/{logical}")
    } else {
        format!("v{version}/content/{BY_DIGEST}/{}", hex(&sha512[..32]))
    }
}

/// Whether OCFL allows this logical path: relative, no empty, `.` or `..` part.
pub(super) fn is_logical_path(path: &str) -> bool {
    path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

/// The folders above a path, from the outermost on.
pub(super) fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

fn is_safe_everywhere(logical: &str) -> bool {
    logical.len() <= LOGICAL_LEN_MAX
        && logical.split('/').next() != Some(BY_DIGEST)
        && logical.split('/').all(is_safe_part)
}

fn is_safe_part(part: &str) -> bool {
    let forbidden = |c: char| c.is_control() || r#"\:*?"<>|"#.contains(c);
    !part.is_empty()
        && part.len() <= SEGMENT_LEN_MAX
        && !part.ends_with(['.', ' '])
        && !part.starts_with(' ')
        && !part.contains(forbidden)
}

/// Lower-case hexadecimal.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |nibble: u8| char::from(DIGITS[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// Reads hexadecimal of either case into exactly as many bytes.
pub(super) fn unhex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let text = text.as_bytes();
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    let mut bytes = [0; N];
    if text.len() != 2 * N {
        return None;
    }
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::try_from(digit(2 * at)? * 16 + digit(2 * at + 1)?).ok()?;
    }
    Some(bytes)
}

/// The sha512 among some digests.
pub(super) fn sha512_of(digests: &Digests) -> Option<Sha512> {
    digests.get(Algorithm::Sha512)?.try_into().ok()
}

fn hash_of(algorithm: Algorithm, bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(algorithm));
    hasher.update(bytes);
    hasher.finish().hex(algorithm).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_lie_where_the_extension_says() {
        // The examples of the extension's own text.
        let check = |id: &str, root: &str| assert_eq!(ObjectId::new(id).root(), root);
        check(
            "object-01",
            "3c0/ff4/240/3c0ff4240c1e116dba14c7627f2319b58aa3d77606d0d90dfc6161608ac987d4",
        );
        check(
            "..hor/rib:le-$id",
            "487/326/d8c/487326d8c2a3c0b885e23da1469b4d6671fd4e76978924b4443e9e3c316cda6d",
        );
    }

    #[test]
    fn a_name_some_medium_cannot_hold_is_replaced() {
        let check = |logical: &str, kept: bool| {
            let path = content_path(3, logical, &[0xab; 64]);
            let expected = if kept {
                format!("v3/content/{logical}")
            } else {
                format!("v3/content/by-sha512/{}", "ab".repeat(32))
            };
            assert_eq!(path, expected, "{logical}");
        };
        check("data/Übersicht 1901.txt", true);
        check("inventory.json", true);
        check(&format!("data/{}", "x".repeat(255)), true);
        for odd in ["data/a.", "data/a ", "data/a?b", "data/a\nb", "by-sha512/x", "data/ a/b"] {
            check(odd, false);
        }
        check(&format!("data/{}", "x".repeat(256)), false);
        check(&"x/".repeat(400), false);
    }

    #[test]
    fn hexadecimal_goes_there_and_back() {
        assert_eq!(unhex(&hex(&[0, 0x7f, 0xff])), Some([0, 0x7f, 0xff]));
        assert_eq!(unhex::<2>("ABCD"), Some([0xab, 0xcd]));
        for wrong in ["abc", "abcde", "abcg", "+1+1", "äää", ""] {
            assert_eq!(unhex::<2>(wrong), None);
        }
    }

    #[test]
    fn logical_paths_follow_ocfl() {
        assert!(is_logical_path("data/a..b/c"));
        for wrong in ["", "/a", "a/", "a//b", "./a", "a/../b"] {
            assert!(!is_logical_path(wrong));
        }
        assert_eq!(ancestors("a/b/c").collect::<Vec<_>>(), ["a", "a/b"]);
    }
}
