//! The replicas of an object: those that are there, and those that cannot be asked now though they may
//! have what the others lack.

use std::collections::BTreeSet;

use ocfl::{Class, Flaw, Part, Replica};
use storage::registry::{CopyState, ObjectRow, ReplicaClass, ReplicaId};

use crate::app::App;
use crate::fault::Fault;

/// Replicas that the registry is asked for; a configuration has far fewer.
const REPLICAS: u32 = 1000;

/// A replica that is there.
#[derive(Clone, Copy)]
pub(super) struct Present<'r> {
    pub(super) id: ReplicaId,
    pub(super) replica: &'r Replica,
    /// Whether it is known to hold copies of the object. One that is not is filled.
    pub(super) is_holder: bool,
}

/// The replicas of an object.
pub(super) struct Holders<'r> {
    /// Those that are there, the best first.
    pub(super) there: Vec<Present<'r>>,
    /// The names of those that are away.
    pub(super) away: Vec<String>,
    /// The names of those that cannot be asked now and are known to hold copies of the object.
    pub(super) unasked: BTreeSet<String>,
}

impl<'r> Holders<'r> {
    /// The hot replicas that hold something of the object or are asked for by its storage option, and
    /// cold ones that are asked for and lack copies of it.
    pub(super) fn of(app: &'r App, object: &ObjectRow) -> Result<Holders<'r>, Fault> {
        let registry = &app.registry;
        let held = registry.copy_counts(object.id, REPLICAS)?;
        let option = app.vaults.option(&object.storage_option);
        let wanted = option.map_or(&[][..], |option| option.replicas.as_slice());
        // A registry that was made again may know of no copies at all.
        let is_known = |name: &str| held.iter().any(|count| count.replica == name);
        let mut lacking = Vec::new();
        for name in wanted.iter().filter(|_| !held.is_empty()) {
            if registry.missing_in(object.id, name)? > 0 {
                lacking.push(name.as_str());
            }
        }
        let is_hot = |replica: &Replica| replica.settings().class == Class::Hot;
        let is_asked = |replica: &&Replica| {
            let name = replica.name();
            let is_wanted = wanted.iter().any(|it| it == name);
            match is_hot(replica) {
                true => is_wanted || is_known(name),
                false => is_wanted && lacking.contains(&name),
            }
        };
        let mut replicas: Vec<&Replica> = app.vaults.all().iter().filter(is_asked).collect();
        replicas.sort_by_key(|replica| (!is_hot(replica), replica.settings().restore_priority));
        let is_there = |replica: &&Replica| matches!(app.vaults.reach(replica.name()), Some(Ok(_)));
        let (there, away): (Vec<&Replica>, Vec<&Replica>) =
            replicas.into_iter().partition(is_there);
        // Asked for now: one that is new has just become known.
        let rows = registry.replicas(REPLICAS)?;
        let there = there.into_iter().filter_map(|replica| {
            let row = rows.iter().find(|row| row.replica.name == replica.name())?;
            let is_holder = is_hot(replica) && (held.is_empty() || is_known(replica.name()));
            Some(Present { id: row.id, replica, is_holder })
        });
        let is_holding =
            |replica: &&&Replica| is_hot(replica) && (held.is_empty() || is_known(replica.name()));
        let names = |replica: &&Replica| replica.name().to_owned();
        let holding: Vec<String> = away.iter().filter(is_holding).map(names).collect();
        let away: Vec<String> = away.iter().map(names).collect();
        // One that was taken out of the configuration counts as a holder until its copies are
        // forgotten.
        let is_gone = |name: &str| {
            let row = rows.iter().find(|row| row.replica.name == name);
            app.vaults.named(name).is_none()
                && row.is_some_and(|row| row.replica.class == ReplicaClass::Hot)
        };
        let gone = held.iter().map(|count| &count.replica).filter(|name| is_gone(name));
        let unasked = holding.iter().chain(gone).cloned().collect();
        Ok(Holders { there: there.collect(), away, unasked })
    }

    pub(super) fn replicas(&self) -> Vec<&'r Replica> {
        self.there.iter().map(|it| it.replica).collect()
    }

    /// The replicas that cannot be asked now and may have what none of the others has intact. Of a file
    /// it is those whose copy was intact when last read: the registry calls a file lost by the same rule.
    pub(super) fn may_have(
        &self,
        app: &App,
        object: &ObjectRow,
        flaw: &Flaw,
    ) -> Result<BTreeSet<String>, Fault> {
        if flaw.part != Part::Content || self.unasked.is_empty() {
            return Ok(self.unasked.clone());
        }
        let mut names = BTreeSet::new();
        for content in app.registry.contents_at(object.id, &flaw.path)? {
            let copies = app.registry.copies(content.file_id, content.version)?;
            if copies.is_empty() {
                return Ok(self.unasked.clone());
            }
            let intact = copies.into_iter().filter(|copy| copy.state == CopyState::Sound);
            names
                .extend(intact.map(|copy| copy.replica).filter(|name| self.unasked.contains(name)));
        }
        Ok(names)
    }
}
