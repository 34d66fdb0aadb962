//! Which rules a bag is judged by: commands name them, and so does the configuration of ingest.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::{AsNamed, Profile, ProfileError, select};
use crate::code::Code;
use crate::facts::{BagFacts, ProfileRules};
use crate::finding::Finding;

/// Larger files are no profiles.
const SIZE_LIMIT: u64 = 16 << 20;

/// Rules beyond those of BagIt.
pub enum Rules {
    /// None.
    BagIt,
    /// Those of the profile that a bag names, as deposits are judged.
    AsNamed,
    /// One profile for all.
    One(Box<Profile>),
}

/// Why a file is no profile.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is something else.
    #[error(transparent)]
    Profile(#[from] ProfileError),
}

impl Rules {
    /// A profile of ours, by its short name.
    pub fn builtin(name: &str) -> Option<Rules> {
        Profile::builtin(name).map(|profile| Rules::One(Box::new(profile.clone())))
    }

    /// The profile in a file.
    pub fn load(path: &Path) -> Result<Rules, LoadError> {
        Ok(Rules::One(Box::new(Profile::parse(&read(path)?)?)))
    }

    /// The profile whose tags say what a depositor asks for.
    pub fn profile(&self, facts: &BagFacts) -> &Profile {
        match self {
            Rules::BagIt | Rules::AsNamed => select(facts),
            Rules::One(profile) => profile,
        }
    }

    /// The one profile, if it does not depend on the bag.
    pub fn one(&self) -> Option<&Profile> {
        match self {
            Rules::One(profile) => Some(profile),
            Rules::BagIt | Rules::AsNamed => None,
        }
    }

    /// The name shown with a verdict.
    pub fn name(&self, facts: &BagFacts) -> String {
        match self {
            Rules::BagIt => "bagit".into(),
            Rules::AsNamed | Rules::One(_) => self.profile(facts).identity.name().to_owned(),
        }
    }
}

impl ProfileRules for Rules {
    fn judge(&self, facts: &BagFacts) -> Vec<Finding> {
        match self {
            Rules::BagIt => Vec::new(),
            Rules::AsNamed => AsNamed.judge(facts),
            Rules::One(profile) => profile.judge(facts),
        }
    }

    fn raises(&self, facts: &BagFacts, code: Code) -> bool {
        match self {
            Rules::BagIt => false,
            Rules::AsNamed => AsNamed.raises(facts, code),
            Rules::One(profile) => profile.raises(facts, code),
        }
    }
}

/// The text of a file that may be a profile, and no more of it than a profile needs.
fn read(path: &Path) -> io::Result<String> {
    // Before it is opened: a pipe would keep us waiting for its writer.
    if !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not a file"));
    }
    let mut text = String::new();
    let size = File::open(path)?.take(SIZE_LIMIT + 1).read_to_string(&mut text)?;
    if size as u64 > SIZE_LIMIT {
        return Err(io::Error::other("it is too large for a profile"));
    }
    Ok(text)
}
