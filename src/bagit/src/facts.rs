//! What a bag says of itself: the part of it that profiles judge and registries record.

use serde::Serialize;

use super::code::Code;
use super::finding::Finding;

/// The face of a bag, without its payload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BagFacts {
    /// The file or folder name without its archive suffix.
    pub name: String,
    /// How it came.
    pub serialization: Serialization,
    /// The one top folder inside an archive.
    pub top_folder: Option<String>,
    /// `BagIt-Version`, as written.
    pub version: Option<String>,
    /// `Tag-File-Character-Encoding`, as written.
    pub encoding: Option<String>,
    /// Algorithms of payload manifests, lower case, as in their names.
    pub manifests: Vec<String>,
    /// Algorithms of tag manifests.
    pub tag_manifests: Vec<String>,
    /// Paths of tag files: everything outside `data/` but manifests, tag manifests and fetch.txt.
    pub tag_files: Vec<String>,
    /// Tags of every parsed tag file, in order, repeated ones included.
    pub tags: Vec<Tag>,
    /// Whether there is a fetch.txt, and how many files it names.
    pub fetch_count: Option<u64>,
    /// Payload files and their bytes.
    pub payload_count: u64,
    /// Bytes of all payload files.
    pub payload_bytes: u64,
}

/// One line of a tag file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tag {
    /// The file it stands in.
    pub file: String,
    /// Its label, as written.
    pub name: String,
    /// Its value, unfolded.
    pub value: String,
}

/// How a bag is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Serialization {
    /// Not at all.
    #[default]
    Folder,
    /// `.tar`
    Tar,
    /// `.tar.gz`, `.tgz`
    TarGz,
    /// `.zip`
    Zip,
}

impl BagFacts {
    /// The values of a tag, in order; names of files and labels regardless of case.
    pub fn values<'a>(&'a self, file: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.tags
            .iter()
            .filter(move |tag| {
                tag.file.eq_ignore_ascii_case(file) && tag.name.eq_ignore_ascii_case(name)
            })
            .map(|tag| tag.value.as_str())
    }
}

/// Rules beyond those of BagIt itself.
pub trait ProfileRules {
    /// Everything in these facts that breaks them.
    fn judge(&self, facts: &BagFacts) -> Vec<Finding>;

    /// Whether they make an error of what BagIt itself only warns of.
    fn raises(&self, _facts: &BagFacts, _code: Code) -> bool {
        false
    }
}
