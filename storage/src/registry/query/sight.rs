//! How much of a list somebody may see.
//!
//! Whose a row is and whether it is restricted stand in the listing, so that nobody who writes a
//! handler has to remember either.

use rusqlite::types::Value;

use super::parse::{Filter, Query, Test};
use crate::registry::search::of_owner;

/// How much somebody may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sight {
    /// Everything: the house itself and its administrators.
    All,
    /// What one institution owns.
    Own {
        /// The institution.
        institution: i64,
        /// Whether what is restricted to its administrators is seen too.
        restricted: bool,
    },
    /// What other institutions share with all: objects of the access `consortia`.
    Shared {
        /// The institution that looks.
        institution: i64,
    },
}

impl Sight {
    /// Whether a row of this owner and access is seen.
    pub fn sees(self, owner: i64, access: &str) -> bool {
        match self {
            Sight::All => true,
            Sight::Own { institution, restricted } => {
                owner == institution && (restricted || access != "restricted")
            }
            Sight::Shared { institution } => owner != institution && access == "consortia",
        }
    }

    /// The institution whose eyes these are; none for those who see all.
    pub fn institution(self) -> Option<i64> {
        match self {
            Sight::All => None,
            Sight::Own { institution, .. } | Sight::Shared { institution } => Some(institution),
        }
    }
}

/// Whose the rows of a listing are.
#[derive(Clone, Copy, Debug)]
pub(in crate::registry) struct Owner {
    /// Holds for the rows of one institution, which is the `?`.
    pub(in crate::registry) own: &'static str,
    /// Holds for rows that are not restricted; none where nothing is.
    pub(in crate::registry) unrestricted: Option<&'static str>,
    /// Holds for what others share with the institution that is the `?`; none where nothing is.
    pub(in crate::registry) shared: Option<&'static str>,
}

impl Owner {
    /// Rows that name their institution, and of which none is restricted.
    pub(in crate::registry) const INSTITUTION: Owner =
        Owner { own: "institution_id = ?", unrestricted: None, shared: None };
    /// Rows that name their institution and have an access.
    pub(in crate::registry) const HELD: Owner = Owner {
        own: "institution_id = ?",
        unrestricted: Some("access <> 'restricted'"),
        shared: Some("access = 'consortia' AND institution_id <> ?"),
    };
}

impl Query {
    /// Says whose rows are looked for among those that have the words, where words are asked for.
    fn name_owner(&mut self, institution: i64) {
        for filter in self.filters.iter_mut().filter(|filter| filter.column.name == "named") {
            if let Test::Found(_, Value::Text(text)) = &mut filter.test {
                *text = of_owner(institution, text);
            }
        }
    }

    /// Narrows the query to what somebody may see, whatever else it asks.
    pub fn seen_by(mut self, sight: Sight) -> Query {
        let owner = self.listing.owner;
        let of = |institution| Value::Integer(institution);
        let tests = match sight {
            Sight::All => Vec::new(),
            Sight::Own { institution, restricted } => {
                self.name_owner(institution);
                let own = Test::Found(owner.own, of(institution));
                let rest = owner.unrestricted.filter(|_| !restricted).map(Test::Holds);
                std::iter::once(own).chain(rest).collect()
            }
            // Where nothing is shared, nothing is seen.
            Sight::Shared { institution } => match owner.shared {
                Some(shared) => vec![Test::Found(shared, of(institution))],
                None => vec![Test::Holds("0")],
            },
        };
        let column = |name| self.listing.column(name);
        let owner = column("institution_id").or_else(|| column(self.listing.key));
        let owner = owner.expect("a listing's own names are its columns");
        // The narrowest first; not counted among the filters that somebody asked for.
        let tests = tests.into_iter().map(|test| Filter::plain(owner, test));
        self.filters.splice(0..0, tests);
        self
    }
}
