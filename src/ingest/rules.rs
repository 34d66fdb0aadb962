//! Which rules deposits are judged by, as configured.

use std::fs;

use crate::app::{App, FileFault};
use crate::bag::facts::{BagFacts, ProfileRules};
use crate::bag::finding::Finding;
use crate::bag::profile::{AsNamed, Profile, ProfileError, select};
use crate::config::ProfileChoice;
use crate::fault::{Classify, Fault, Kind};

/// Rules beyond those of BagIt.
pub(super) enum Rules {
    BagIt,
    /// Those of the profile that a bag names.
    AsNamed,
    One(Box<Profile>),
}

impl Rules {
    pub(super) fn of(app: &App) -> Result<Rules, Fault> {
        let builtin = |name: &str| {
            let found = Profile::builtin(name);
            found.map_or(Rules::AsNamed, |profile| Rules::One(Box::new(profile.clone())))
        };
        Ok(match &app.config.ingest.profile {
            ProfileChoice::Named => Rules::AsNamed,
            ProfileChoice::Aptrust => builtin("aptrust"),
            ProfileChoice::Btr => builtin("btr"),
            ProfileChoice::BagIt => Rules::BagIt,
            ProfileChoice::File(path) => {
                let path = path.within(&app.config.data);
                let text = fs::read_to_string(&path).map_err(FileFault::at("read", &path))?;
                Rules::One(Box::new(Profile::parse(&text)?))
            }
        })
    }

    /// The profile whose tags say what a depositor asks for.
    pub(super) fn profile<'r>(&'r self, facts: &BagFacts) -> &'r Profile {
        match self {
            Rules::BagIt | Rules::AsNamed => select(facts),
            Rules::One(profile) => profile,
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

impl Classify for ProfileError {
    fn kind(&self) -> Kind {
        Kind::Fatal
    }

    fn code(&self) -> &'static str {
        "profile-unusable"
    }

    fn advice(&self) -> String {
        "mend the profile that ingest.profile names, then requeue the item".into()
    }
}
