//! Institutions as a report names them, and which of them it is about.

use std::collections::BTreeMap;

use storage::registry::{self, InstitutionName, Registry, Sight};

/// The institutions that whoever asks may read figures of.
pub(super) struct Names {
    known: BTreeMap<i64, InstitutionName>,
}

impl Names {
    /// Those within sight: all, or one with its accounts.
    pub(super) fn seen_by(registry: &Registry, sight: Sight) -> Result<Names, registry::Error> {
        let seen = |it: &InstitutionName| match sight {
            Sight::All => true,
            Sight::Own { institution, .. } => {
                it.id == institution || it.member_institution_id == Some(institution)
            }
            Sight::Shared { .. } => false,
        };
        let all = registry.institution_names()?.into_iter().filter(seen);
        Ok(Names { known: all.map(|it| (it.id, it)).collect() })
    }

    pub(super) fn of(&self, id: i64) -> (String, String) {
        let found = self.known.get(&id).map(|it| (it.identifier.clone(), it.name.clone()));
        found.unwrap_or_else(|| (id.to_string(), String::new()))
    }

    /// The institution that was asked for and its accounts; none when all were. One that is not in
    /// sight is not there.
    pub(super) fn chosen(&self, asked: Option<&str>) -> Result<Option<Vec<i64>>, registry::Error> {
        let Some(asked) = asked else { return Ok(None) };
        let number: Option<i64> = asked.parse().ok();
        let is_it = |it: &&InstitutionName| {
            it.identifier.eq_ignore_ascii_case(asked) || number == Some(it.id)
        };
        let missing = || registry::Error::NotFound { what: format!("institution {asked:?}") };
        let chosen = self.known.values().find(is_it).ok_or_else(missing)?.id;
        let is_of =
            |it: &&InstitutionName| it.id == chosen || it.member_institution_id == Some(chosen);
        Ok(Some(self.known.values().filter(is_of).map(|it| it.id).collect()))
    }

    /// Identifier and name of each, by name, to choose from.
    pub(super) fn choices(&self) -> Vec<(String, String)> {
        let mut all: Vec<_> =
            self.known.values().map(|it| (it.identifier.clone(), it.name.clone())).collect();
        all.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
        all
    }
}
