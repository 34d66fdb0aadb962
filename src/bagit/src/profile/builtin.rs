//! The profiles that come with the program, and which of them a bag is judged by.

use std::sync::LazyLock;

use super::deposit::Deposit;
use super::rules::Profile;
use crate::code::Code;
use crate::facts::{BagFacts, ProfileRules};
use crate::finding::Finding;

/// The name of the APTrust profile, version 2.3, for [`Profile::builtin`].
pub const APTRUST: &str = "aptrust";

/// The name of the Beyond the Repository profile, version 1.0, for [`Profile::builtin`].
pub const BTR: &str = "btr";

/// Addresses under which the BTR profile was known before its first release.
const BTR_FORMER: [&str; 2] = [
    "https://raw.githubusercontent.com/APTrust/dart/master/profiles/btr-v0.1.json",
    "https://raw.githubusercontent.com/dpscollaborative/btr_bagit_profile/master/btr-bagit-profile.json",
];

static APTRUST_PROFILE: LazyLock<Profile> =
    LazyLock::new(|| built_in(include_str!("aptrust-2.3.json")));
static BTR_PROFILE: LazyLock<Profile> = LazyLock::new(|| built_in(include_str!("btr-1.0.json")));

impl Profile {
    /// A profile that comes with the program, by its short name: [`APTRUST`] or [`BTR`].
    pub fn builtin(name: &str) -> Option<&'static Profile> {
        match name {
            APTRUST => Some(&APTRUST_PROFILE),
            BTR => Some(&BTR_PROFILE),
            _ => None,
        }
    }

    /// The names of all profiles that come with the program.
    pub const BUILTIN: [&'static str; 2] = [APTRUST, BTR];
}

/// The profile that a bag asks for: BTR if it names that one, else APTrust.
pub fn select(facts: &BagFacts) -> &'static Profile {
    let identifier = identifier(facts);
    if ["/btr_bagit_profile", "/btr-bagit-profile"].iter().any(|part| identifier.contains(part)) {
        &BTR_PROFILE
    } else {
        &APTRUST_PROFILE
    }
}

/// The profile identifier to record for a bag: what it says first, normalised.
pub fn identifier(facts: &BagFacts) -> &str {
    normalise(facts.values("bag-info.txt", "BagIt-Profile-Identifier").next().unwrap_or_default())
}

/// The present address for a former one of the BTR profile, the APTrust address for none at all,
/// and any other as it is.
pub fn normalise(identifier: &str) -> &str {
    let identifier = identifier.trim();
    if BTR_FORMER.contains(&identifier) {
        &BTR_PROFILE.identity.identifier
    } else if identifier.is_empty() {
        &APTRUST_PROFILE.identity.identifier
    } else {
        identifier
    }
}

/// Rules for a deposit: those of the profile that the bag names, and that what it asks for exists.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsNamed;

impl ProfileRules for AsNamed {
    fn judge(&self, facts: &BagFacts) -> Vec<Finding> {
        let profile = select(facts);
        let mut findings = profile.judge(facts);
        findings.extend(Deposit::read(profile, facts).1);
        findings
    }

    fn raises(&self, facts: &BagFacts, code: Code) -> bool {
        select(facts).raises(facts, code)
    }
}

fn built_in(text: &str) -> Profile {
    Profile::parse(text).expect("the documents in this folder are loaded by a test")
}
