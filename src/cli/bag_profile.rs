//! Which rules a bag is judged by, as named on the command line.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::Failure;
use super::print::plain;
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
        let unable = |why: String| {
            let known = "the built-in ones are aptrust and btr, `named` takes what each bag names";
            Failure::Unable(plain(&format!("profile {name}: {why}; {known}")))
        };
        let text = read(Path::new(name)).map_err(|error| unable(error.to_string()))?;
        let profile = Profile::parse(&text).map_err(|error| unable(chain(&error)))?;
        Ok(Rules::One(Box::new(profile)))
    }

    /// Reads rules to make a bag by: it names no profile yet.
    pub(super) fn read_for_making(asked: Option<&str>) -> Result<Rules, Failure> {
        let rules = Rules::read(asked)?;
        if matches!(rules, Rules::AsNamed) {
            let why = "--profile named is for bags that are there; name aptrust, btr or a file";
            return Err(Failure::Unable(why.into()));
        }
        Ok(rules)
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

impl ProfileRules for Rules {
    fn judge(&self, facts: &BagFacts) -> Vec<Finding> {
        match self {
            Rules::BagIt => Vec::new(),
            Rules::AsNamed => AsNamed.judge(facts),
            Rules::One(profile) => profile.judge(facts),
        }
    }
}
