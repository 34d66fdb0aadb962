//! What a profile says, once it is loaded.

use super::glob;
use crate::bag::finding::Finding;

/// The rules of one profile. Load it with [`Profile::parse`], or take one that is built in with
/// [`Profile::builtin`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    /// Who says so.
    pub identity: Identity,
    /// Rules for tags of `bag-info.txt` and other tag files, in the order of the document.
    pub tags: Vec<TagRule>,
    /// Algorithms of payload manifests.
    pub manifests: Choice,
    /// Algorithms of tag manifests.
    pub tag_manifests: Choice,
    /// Tag files: paths, or patterns in what is allowed.
    pub tag_files: Choice,
    /// Payload files: paths (a folder ends in a slash), or patterns in what is allowed.
    pub payload_files: Choice,
    /// Whether files may be left to be fetched.
    pub fetch: FetchRule,
    /// Whether the payload must be empty, or one file without a byte.
    pub data_empty: bool,
    /// Whether the bag may be an archive.
    pub serialization: SerializationRule,
    /// Kinds of archive that are accepted, as MIME types; empty: any.
    pub accept_serialization: Vec<String>,
    /// Versions of BagIt that are accepted; empty: any.
    pub accept_versions: Vec<String>,
    /// Whether a bag must name this profile.
    pub identifier_required: bool,
    /// Whether the top folder of an archive should be named like the archive.
    pub top_folder_is_name: bool,
    /// What is odd about the document itself: for who wrote the profile, not for depositors.
    pub notes: Vec<Finding>,
}

/// `BagIt-Profile-Info`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The address that bags name in `BagIt-Profile-Identifier`.
    pub identifier: String,
    /// The version of the profile.
    pub version: String,
    /// The minor version of the specification it is written to: 1 to 4.
    pub generation: u32,
    /// Who wrote it.
    pub source_organization: String,
    /// What it is for.
    pub description: String,
}

/// What is said about one tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRule {
    /// The tag file.
    pub file: String,
    /// The label.
    pub name: String,
    /// Must it be there?
    pub required: bool,
    /// Should it be there?
    pub recommended: bool,
    /// May it stand more than once?
    pub repeatable: bool,
    /// What it may say; empty: anything.
    pub values: Vec<String>,
    /// Whether `values` are meant in any case.
    pub ignore_case: bool,
    /// What its absence means.
    pub default: Option<String>,
    /// A hint for whoever fills it in.
    pub description: String,
}

/// What must be there and what may be there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// All of these must be there.
    pub required: Vec<String>,
    /// Nothing else may be there; empty or with a `*`: anything may.
    pub allowed: Vec<String>,
}

/// `Allow-Fetch.txt` and `Fetch.txt-Required`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FetchRule {
    /// There must be none.
    Forbidden,
    /// There may be one.
    #[default]
    Allowed,
    /// There must be one.
    Required,
}

/// `Serialization`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SerializationRule {
    /// Folders only.
    Forbidden,
    /// Archives only.
    Required,
    /// Either.
    #[default]
    Optional,
}

impl Profile {
    /// The rule for a tag, if there is one; names regardless of case.
    pub fn tag(&self, file: &str, name: &str) -> Option<&TagRule> {
        self.tags.iter().find(|rule| {
            rule.file.eq_ignore_ascii_case(file) && rule.name.eq_ignore_ascii_case(name)
        })
    }
}

impl TagRule {
    /// Whether the tag may have this value.
    pub fn accepts(&self, value: &str) -> bool {
        self.values.is_empty()
            || self.values.iter().any(|allowed| {
                allowed == value || (self.ignore_case && same_letters(allowed, value))
            })
    }
}

/// Whether two words differ at most in case, for letters beyond ASCII as well.
fn same_letters(one: &str, other: &str) -> bool {
    one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
}

impl Choice {
    /// Whether an algorithm is allowed; `SHA-256` is `sha256`.
    pub fn allows_algorithm(&self, name: &str) -> bool {
        self.allowed.is_empty()
            || self.allowed.iter().any(|allowed| allowed == "*" || plain(allowed) == plain(name))
    }

    /// Whether a path is allowed.
    pub fn allows_path(&self, path: &str) -> bool {
        self.allowed.is_empty() || self.allowed.iter().any(|pattern| glob::fits(pattern, path))
    }
}

/// The name of an algorithm as manifests are named after it.
pub(super) fn plain(algorithm: &str) -> String {
    let letters = algorithm.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}
