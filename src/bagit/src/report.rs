//! What is told of every file while a bag is judged, so that nobody has to read it again.

use digests::Digests;

/// What a file is to its bag, by its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Under `data/`.
    Payload,
    /// Anything else that is none of the following.
    TagFile,
    /// `manifest-*.txt`
    Manifest,
    /// `tagmanifest-*.txt`
    TagManifest,
    /// `fetch.txt`
    Fetch,
}

impl Class {
    /// The class of a path inside the bag.
    pub fn of(path: &[u8]) -> Class {
        if path.starts_with(b"data/") {
            Class::Payload
        } else if path == b"fetch.txt" {
            Class::Fetch
        } else if path.contains(&b'/') || !path.ends_with(b".txt") {
            Class::TagFile
        } else if path.starts_with(b"tagmanifest-") {
            Class::TagManifest
        } else if path.starts_with(b"manifest-") {
            Class::Manifest
        } else {
            Class::TagFile
        }
    }
}

/// One file of a bag, read to its end.
#[derive(Clone, Debug)]
pub struct FileReport<'a> {
    /// Where it is in the bag.
    pub path: &'a str,
    /// Its bytes.
    pub size_bytes: u64,
    /// Its digests: by all algorithms of manifests, and all that were asked for.
    pub digests: &'a Digests,
    /// What it is to the bag.
    pub class: Class,
    /// Where its bytes begin in a plain tar, for reading that range alone.
    pub tar_position: Option<u64>,
    /// When it was last modified, in seconds since 1970, if that is known.
    pub modified: Option<i64>,
}

/// Someone who wants to know of every file.
pub trait Survey {
    /// Is told of a file, in no particular order, as soon as its digests are known. A file that
    /// cannot be read, or whose name is not Unicode, is not told of: there is a finding instead.
    fn file(&mut self, file: &FileReport<'_>);
}

/// A survey that nobody reads.
impl Survey for () {
    fn file(&mut self, _: &FileReport<'_>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_the_class() {
        let check = |path: &str, class| assert_eq!(Class::of(path.as_bytes()), class, "{path}");
        check("data/manifest-md5.txt", Class::Payload);
        check("data", Class::TagFile);
        check("fetch.txt", Class::Fetch);
        check("tagmanifest-md5.txt", Class::TagManifest);
        check("manifest-sha3-256.txt", Class::Manifest);
        check("manifest-md5.txt.bak", Class::TagFile);
        check("tags/manifest-md5.txt", Class::TagFile);
        check(".DS_Store", Class::TagFile);
    }
}
