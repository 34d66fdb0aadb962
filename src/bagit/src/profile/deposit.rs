//! What a depositor asks for, read from the tags of a bag.

use serde::Serialize;

use super::rules::Profile;
use super::tags::quote;
use crate::code::Code;
use crate::facts::BagFacts;
use crate::finding::Finding;

/// What the registry records about a bag from its tags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Deposit {
    /// Where to keep it. `None` if the bag asks for what does not exist: never a silent default.
    pub storage_option: Option<StorageOption>,
    /// The same in the bag's own words; `None` if it does not say. An archive may have options of
    /// its own, which no list of ours knows.
    #[serde(skip)]
    pub asked_option: Option<String>,
    /// Who may see it. `None` if the bag asks for what does not exist.
    pub access: Option<Access>,
    /// Never empty: at least the name of the bag.
    pub title: String,
    /// What is in it; may be empty.
    pub description: String,
    /// The depositor's own name for it.
    pub alt_identifier: Option<String>,
    /// The depositor's own name for it, as its tag says.
    pub internal_sender_identifier: Option<String>,
    /// The depositor's own description.
    pub internal_sender_description: Option<String>,
    /// What it belongs to.
    pub bag_group: Option<String>,
    /// Who sent it.
    pub source_organization: Option<String>,
    /// The profile it names, normalised, or the default.
    pub profile_identifier: String,
}

const BAG_INFO: &str = "bag-info.txt";
const APTRUST_INFO: &str = "aptrust-info.txt";

impl Deposit {
    /// Reads a bag that was judged by `profile`, with what is wrong beyond the profile's own rules.
    pub fn read(profile: &Profile, facts: &BagFacts) -> (Deposit, Vec<Finding>) {
        let mut findings = Vec::new();
        let storage_option = wish(STORAGE_OPTION, profile, facts, &mut findings);
        let access = wish(ACCESS, profile, facts, &mut findings);
        let bag_info = |name| first(facts, BAG_INFO, name);
        let title = first(facts, APTRUST_INFO, "Title")
            .or_else(|| bag_info("Internal-Identifier"))
            .or_else(|| bag_info("External-Identifier"));
        let description = first(facts, APTRUST_INFO, "Description")
            .or_else(|| bag_info("Internal-Sender-Description"))
            .or_else(|| bag_info("External-Description"));
        let deposit = Deposit {
            storage_option,
            asked_option: said(&STORAGE_OPTION, facts).map(|(_, _, value)| value),
            access,
            title: title.unwrap_or_else(|| facts.name.clone()),
            description: description.unwrap_or_default(),
            alt_identifier: bag_info("Internal-Sender-Identifier"),
            internal_sender_identifier: bag_info("Internal-Sender-Identifier"),
            internal_sender_description: bag_info("Internal-Sender-Description"),
            bag_group: bag_info("Bag-Group-Identifier"),
            source_organization: bag_info("Source-Organization"),
            profile_identifier: super::identifier(facts).to_owned(),
        };
        (deposit, findings)
    }
}

/// The first value of a tag that says something.
fn first(facts: &BagFacts, file: &str, name: &str) -> Option<String> {
    let mut values = facts.values(file, name).map(str::trim);
    values.find(|value| !value.is_empty()).map(str::to_owned)
}

/// Something with a closed list of answers.
struct Wish<T: 'static> {
    /// Tags that may hold it, the weightiest first.
    tags: &'static [(&'static str, &'static str)],
    all: &'static [T],
    name: fn(T) -> &'static str,
    default: T,
    unknown: Code,
}

/// Bags of the APTrust profile say it in their own tag file, bags of BTR have no such file. One
/// chain serves both, as it does for the title.
const STORAGE_OPTION: Wish<StorageOption> = Wish {
    tags: &[(APTRUST_INFO, "Storage-Option"), (BAG_INFO, "APTrust-Storage-Option")],
    all: &StorageOption::ALL,
    name: StorageOption::name,
    default: StorageOption::Standard,
    unknown: Code::StorageOptionUnknown,
};

const ACCESS: Wish<Access> = Wish {
    tags: &[(APTRUST_INFO, "Access")],
    all: &Access::ALL,
    name: Access::name,
    default: Access::Institution,
    unknown: Code::AccessUnknown,
};

/// The weightiest tag that says something, with its file, its name and its value.
fn said<T>(wish: &Wish<T>, facts: &BagFacts) -> Option<(&'static str, &'static str, String)> {
    wish.tags.iter().find_map(|(file, name)| Some((*file, *name, first(facts, file, name)?)))
}

fn wish<T: Copy>(
    wish: Wish<T>,
    profile: &Profile,
    facts: &BagFacts,
    findings: &mut Vec<Finding>,
) -> Option<T> {
    let Some((file, name, value)) = said(&wish, facts) else { return Some(wish.default) };
    let known = wish.all.iter().copied().find(|one| (wish.name)(*one).eq_ignore_ascii_case(&value));
    // Where the profile has a list for this tag, it has already said that the value is not in it.
    let told = profile.tag(file, name).is_some_and(|rule| !rule.values.is_empty());
    if known.is_none() && !told {
        let all: Vec<&str> = wish.all.iter().map(|one| (wish.name)(*one)).collect();
        let sentence = format!("{name} says {}. Write one of: {}.", quote(&value), all.join(", "));
        findings.push(Finding::new(wish.unknown, format!("{file} {name}"), sentence));
    }
    known
}

macro_rules! names {
    ($type:ident, $($variant:ident = $name:literal),* $(,)?) => {
        impl $type {
            /// All of them, in the order they are offered.
            pub const ALL: [$type; [$($name),*].len()] = [$($type::$variant),*];

            /// The one spelling in which it is stored.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name),* }
            }
        }

        impl Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }
    };
}

/// Where an object is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageOption {
    /// Two copies, in Virginia and Oregon.
    Standard,
    /// Cold, in Ohio.
    GlacierOh,
    /// Cold, in Oregon.
    GlacierOr,
    /// Cold, in Virginia.
    GlacierVa,
    /// Coldest, in Ohio.
    GlacierDeepOh,
    /// Coldest, in Oregon.
    GlacierDeepOr,
    /// Coldest, in Virginia.
    GlacierDeepVa,
    /// At Wasabi, in Oregon.
    WasabiOr,
    /// At Wasabi, in Texas.
    WasabiTx,
    /// At Wasabi, in Virginia.
    WasabiVa,
}

names! {
    StorageOption,
    Standard = "Standard",
    GlacierOh = "Glacier-OH",
    GlacierOr = "Glacier-OR",
    GlacierVa = "Glacier-VA",
    GlacierDeepOh = "Glacier-Deep-OH",
    GlacierDeepOr = "Glacier-Deep-OR",
    GlacierDeepVa = "Glacier-Deep-VA",
    WasabiOr = "Wasabi-OR",
    WasabiTx = "Wasabi-TX",
    WasabiVa = "Wasabi-VA",
}

/// Who may see that an object exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Everyone in the consortium.
    Consortia,
    /// Everyone in the institution.
    Institution,
    /// Its administrators.
    Restricted,
}

names! {
    Access,
    Consortia = "consortia",
    Institution = "institution",
    Restricted = "restricted",
}
