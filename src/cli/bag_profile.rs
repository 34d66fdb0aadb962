//! Which rules a bag is judged by, as named on the command line.

use std::path::PathBuf;

use super::Failure;
use crate::bag::facts::{BagFacts, ProfileRules};
use crate::bag::finding::Finding;
use crate::bag::profile::{AsNamed, Profile};
use crate::fault::chain;

/// Larger files are no profiles.
const SIZE_LIMIT: u64 = 16 << 20;

/// The rules asked for.
pub(super) enum Rules {
    /// BagIt itself, nothing more.
    BagIt,
    /// The profile a bag names, as deposits are judged.
    AsNamed,
    /// One profile for all.
    One(Box<Profile>),
}

impl Rules {
    /// Reads what `--profile` names: `bagit`, `named`, a profile of ours, or a file.
    pub(super) fn read(asked: Option<&str>) -> Result<Rules, Failure> {
        let Some(name) = asked else { return Ok(Rules::BagIt) };
        match name {
            "bagit" => return Ok(Rules::BagIt),
            "named" => return Ok(Rules::AsNamed),
            _ => {}
        }
        if let Some(profile) = Profile::builtin(name) {
            return Ok(Rules::One(Box::new(profile.clone())));
        }
        let path = PathBuf::from(name);
        let known = "the built-in ones are aptrust and btr, `named` takes the one each bag names";
        let unable = |why: String| Failure::Unable(format!("profile {name}: {why}; {known}"));
        let size = path.metadata().map_err(|error| unable(error.to_string()))?.len();
        if size > SIZE_LIMIT {
            return Err(unable(format!("{size} bytes are too many for a profile")));
        }
        let text = std::fs::read_to_string(&path).map_err(|error| unable(error.to_string()))?;
        let profile = Profile::parse(&text).map_err(|error| unable(chain(&error)))?;
        Ok(Rules::One(Box::new(profile)))
    }

    /// The name shown with a verdict.
    pub(super) fn name(&self, facts: &BagFacts) -> String {
        match self {
            Rules::BagIt => "bagit".into(),
            Rules::AsNamed => crate::bag::profile::select(facts).identity.identifier.clone(),
            Rules::One(profile) => profile.identity.identifier.clone(),
        }
    }

    /// The one profile, for making a bag by it.
    pub(super) fn profile(&self) -> Option<&Profile> {
        match self {
            Rules::One(profile) => Some(profile),
            Rules::BagIt | Rules::AsNamed => None,
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
}
