//! What a profile says, once it is loaded.

use super::glob;
use crate::finding::Finding;

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
    /// Whether names with control characters are errors, which are warnings in BagIt.
    pub plain_names: bool,
    /// What is odd about the document itself: for who wrote the profile, not for depositors.
    pub notes: Vec<Finding>,
}

/// `BagIt-Profile-Info`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The address that bags name in `BagIt-Profile-Identifier`; may be empty in DART's format.
    pub identifier: String,
    /// What people call it, in DART's format.
    pub title: String,
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
    /// May it be there without a value?
    pub empty: EmptyRule,
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

/// What a required tag without a value means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EmptyRule {
    /// Nothing.
    Allowed,
    /// Somebody should know: BagIt Profiles do not say.
    #[default]
    Doubtful,
    /// The bag does not follow the profile.
    Forbidden,
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

impl Identity {
    /// What to call the profile: its address, or else its title.
    pub fn name(&self) -> &str {
        if self.identifier.is_empty() { &self.title } else { &self.identifier }
    }
}

impl Profile {
    /// A profile that asks for nothing yet.
    pub(super) fn blank() -> Profile {
        Profile {
            identity: Identity::default(),
            tags: Vec::new(),
            manifests: Choice::default(),
            tag_manifests: Choice::default(),
            tag_files: Choice::default(),
            payload_files: Choice::default(),
            fetch: FetchRule::Allowed,
            data_empty: false,
            serialization: SerializationRule::Optional,
            accept_serialization: Vec::new(),
            accept_versions: Vec::new(),
            identifier_required: true,
            top_folder_is_name: false,
            plain_names: false,
            notes: Vec::new(),
        }
    }

    /// The rule for a tag, if there is one; names regardless of case.
    pub fn tag(&self, file: &str, name: &str) -> Option<&TagRule> {
        self.tags.iter().find(|rule| {
            rule.file.eq_ignore_ascii_case(file) && rule.name.eq_ignore_ascii_case(name)
        })
    }
}

impl TagRule {
    /// A tag that may be there and say anything.
    pub(super) fn free(file: String, name: String) -> TagRule {
        TagRule {
            file,
            name,
            required: false,
            empty: EmptyRule::default(),
            recommended: false,
            repeatable: true,
            values: Vec::new(),
            ignore_case: false,
            default: None,
            description: String::new(),
        }
    }

    /// Whether the tag may have this value.
    pub fn accepts(&self, value: &str) -> bool {
        self.values.is_empty()
            || value.is_empty() && self.empty == EmptyRule::Allowed
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
