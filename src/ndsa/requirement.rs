//! What a level asks for, and what shows that it is so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::{content, control, integrity, metadata, storing};

/// The functional areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NdsaArea")]
#[serde(rename_all = "lowercase")]
pub enum Area {
    /// Where the bytes are.
    Storage,
    /// Whether they are as they were.
    Integrity,
    /// Who may do what.
    Control,
    /// What is known about them.
    Metadata,
    /// What they are.
    Content,
}

impl Area {
    /// In the order of the matrix.
    pub const ALL: [Area; 5] =
        [Area::Storage, Area::Integrity, Area::Control, Area::Metadata, Area::Content];

    /// The name in the matrix.
    pub fn title(self) -> &'static str {
        match self {
            Area::Storage => "Storage",
            Area::Integrity => "Integrity",
            Area::Control => "Control",
            Area::Metadata => "Metadata",
            Area::Content => "Content",
        }
    }

    /// What its levels ask for, by level.
    pub(super) fn requirements(self) -> &'static [Requirement] {
        match self {
            Area::Storage => storing::REQUIREMENTS,
            Area::Integrity => integrity::REQUIREMENTS,
            Area::Control => control::REQUIREMENTS,
            Area::Metadata => metadata::REQUIREMENTS,
            Area::Content => content::REQUIREMENTS,
        }
    }
}

/// The levels, each in a word of the matrix.
pub const LEVELS: [(u8, &str); 4] =
    [(1, "Know your content"), (2, "Protect"), (3, "Monitor"), (4, "Sustain")];

/// What a requirement rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RestsOn {
    /// On what the house can see.
    Live,
    /// On the word of a person.
    Declaration,
    /// On both.
    Both,
    /// On either of them.
    Either,
}

/// One thing that a level asks for.
pub struct Requirement {
    /// Its name in addresses and in declarations: forever.
    pub name: &'static str,
    /// At which level.
    pub level: u8,
    /// What is asked for.
    pub asks: &'static str,
    pub(super) rests_on: RestsOn,
    /// Looks whether it is so.
    pub(super) look: fn(&Facts) -> Seen,
    /// What a person would declare; empty where that does not help.
    pub declare: &'static str,
    /// Days for which a declaration counts.
    pub(super) fresh_days: u64,
}

/// Two years.
pub(super) const TWO_YEARS: u64 = 730;
/// What has to be done again and again is declared every year.
pub(super) const YEAR: u64 = 365;

/// Something that shows how it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// What is so.
    pub sentence: String,
    /// The page of ours that shows it.
    pub page: Option<String>,
}

/// What it takes, the cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cost {
    /// A sentence.
    Word,
    /// A setting, or some minutes at the pages.
    Minutes,
    /// Work with what is held.
    Work,
    /// Something that has to be bought or rented.
    Money,
}

/// How something stands, as far as the house can see.
pub(super) struct Seen {
    pub(super) holds: bool,
    pub(super) evidence: Vec<Evidence>,
    /// What to do if it does not hold, and what that takes.
    pub(super) next: (Cost, String),
}

impl Seen {
    pub(super) fn new(holds: bool, cost: Cost, next: impl Into<String>) -> Seen {
        Seen { holds, evidence: Vec::new(), next: (cost, next.into()) }
    }

    /// Nothing is held, so nothing can be shown.
    pub(super) fn nothing_held() -> Seen {
        Seen::new(false, Cost::Work, "Make a first deposit.")
            .told("Nothing is held yet, so nothing can be shown.", Some("/deposits"))
    }

    /// What the house cannot see at all.
    pub(super) fn unseen() -> Seen {
        Seen::new(false, Cost::Word, "")
    }

    pub(super) fn told(mut self, sentence: impl Into<String>, page: Option<&str>) -> Seen {
        let page = page.map(str::to_owned);
        self.evidence.push(Evidence { sentence: sentence.into(), page });
        self
    }
}

/// The requirement of this name.
pub fn requirement(name: &str) -> Option<&'static Requirement> {
    let all = Area::ALL.into_iter().flat_map(Area::requirements);
    all.into_iter().find(|known| known.name == name)
}

/// What the house sees by itself.
pub(super) const fn live(
    name: &'static str,
    level: u8,
    asks: &'static str,
    look: fn(&Facts) -> Seen,
) -> Requirement {
    let (rests_on, declare) = (RestsOn::Live, "");
    Requirement { name, level, asks, rests_on, look, declare, fresh_days: 0 }
}

/// What a person declares.
pub(super) const fn declared(
    name: &'static str,
    level: u8,
    asks: &'static str,
    declare: &'static str,
) -> Requirement {
    let rests_on = RestsOn::Declaration;
    let look = |_: &Facts| Seen::unseen();
    Requirement { name, level, asks, rests_on, look, declare, fresh_days: TWO_YEARS }
}

impl Requirement {
    /// With what the house can show besides.
    pub(super) const fn shown(mut self, look: fn(&Facts) -> Seen) -> Requirement {
        self.look = look;
        self
    }

    /// The house must see it, and a person declare it.
    pub(super) const fn both(mut self, look: fn(&Facts) -> Seen) -> Requirement {
        self.rests_on = RestsOn::Both;
        self.look = look;
        self
    }

    /// The house sees it, or a person declares it.
    pub(super) const fn either(mut self, look: fn(&Facts) -> Seen) -> Requirement {
        self.rests_on = RestsOn::Either;
        self.look = look;
        self
    }

    pub(super) const fn every_year(mut self) -> Requirement {
        self.fresh_days = YEAR;
        self
    }
}
