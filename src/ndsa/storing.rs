//! Storage: how many copies, and where.

use std::collections::BTreeSet;

use super::facts::Facts;
use super::place::{Medium, Store};
use super::requirement::{Cost, Requirement, Seen, declared, live};

pub(super) const REQUIREMENTS: &[Requirement] = &[
    live("storage-two-copies", 1, "Two complete copies in separate places", |facts| {
        copies(facts, 2)
    }),
    declared(
        "storage-media-list",
        1,
        "A list of all storage media that hold content",
        "Say where the list of disks, tapes and accounts is kept, and who keeps it.",
    )
    .shown(stores),
    live("storage-stable", 1, "Content is put into stable storage", stable),
    declared(
        "storage-elsewhere",
        2,
        "Three complete copies, one of them in another geographic region",
        "Say which place is far from the others, and how far.",
    )
    .both(|facts| copies(facts, 3)),
    declared(
        "storage-needs",
        2,
        "It is written down what the storage needs in order to work",
        "Say where it is written down what the disks, accounts and keys need.",
    ),
    declared(
        "storage-other-threat",
        3,
        "One copy under a different disaster threat",
        "Say which disaster (flood, fire, failure of a provider) could reach one place and not \
         another.",
    )
    .both(|facts| copies(facts, 2)),
    declared(
        "storage-other-medium",
        3,
        "One copy on another type of medium",
        "Say which types of media the replicas are on.",
    )
    .shown(stores),
    declared(
        "storage-age",
        3,
        "The ageing of storage and media is watched",
        "Say who looks at the age of disks and media, how often, and when last.",
    )
    .every_year(),
    declared(
        "storage-three-threats",
        4,
        "Three copies, each under a different disaster threat",
        "Say which disaster each of three places is exposed to.",
    )
    .both(|facts| copies(facts, 3)),
    declared(
        "storage-no-single-point",
        4,
        "No single point of failure",
        "Say that no one host, provider, key or person can take all copies down.",
    )
    .both(apart),
    declared(
        "storage-migration",
        4,
        "There is a plan for ageing storage, and it is carried out",
        "Say where the plan is, and when media were last replaced by it.",
    ),
];

/// Whether every object is whole and sound in so many places.
pub(super) fn copies(facts: &Facts, wanted: usize) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let places: BTreeSet<usize> = facts.stores.iter().map(|store| store.at).collect();
    let few = facts.in_fewer_places(wanted);
    let next = if places.len() < wanted {
        let more = wanted - places.len();
        let which = if more == 1 { "a replica" } else { "two replicas" };
        (Cost::Money, format!("Configure {which} in another place, then deposit into it."))
    } else {
        (Cost::Work, "Mend or deposit again what is not whole in enough places.".to_owned())
    };
    let mut seen = Seen { holds: few == 0, evidence: Vec::new(), next };
    for (places, objects) in &facts.by_places {
        let sentence = format!("{} in {}.", objects_are(*objects), counted(*places, "place"));
        seen = seen.told(sentence, Some("/reports/storage"));
    }
    for missing in &facts.missing {
        seen = seen.told(missing.sentence(), Some("/fixity"));
    }
    for sentence in shared(&facts.stores) {
        seen = seen.told(sentence, None);
    }
    seen
}

fn objects_are(objects: u64) -> String {
    match objects {
        1 => "1 object is whole and sound".to_owned(),
        many => format!("{many} objects are whole and sound"),
    }
}

fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Which replicas count as one place.
fn shared(stores: &[Store]) -> Vec<String> {
    let numbers: BTreeSet<usize> = stores.iter().map(|store| store.at).collect();
    let sentence = |number: usize| {
        let there: Vec<&str> =
            stores.iter().filter(|it| it.at == number).map(|it| it.name.as_str()).collect();
        (there.len() > 1)
            .then(|| format!("Replicas {} share a place and count as one.", there.join(", ")))
    };
    numbers.into_iter().filter_map(sentence).collect()
}

/// Names every replica, with what can be seen of its medium.
fn stores(facts: &Facts) -> Seen {
    let mut seen = Seen::unseen();
    for store in &facts.stores {
        let medium = match &store.medium {
            Medium::Folder(_) => "a folder",
            Medium::Bucket(_) => "a bucket",
            Medium::Unknown => "no longer configured",
        };
        let (name, class, place) = (&store.name, store.class.name(), &store.place);
        let sentence = format!("Replica {name}: {medium}, {class}, {place}.");
        seen = seen.told(sentence, Some("/reports/storage"));
    }
    seen
}

/// Deposits count as held when they are sealed in every replica, and not before.
fn stable(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let nowhere = facts.in_fewer_replicas(1);
    let next = "Mend what is whole in no replica: the page Fixity says which.";
    let all = format!("{} of {} in a replica.", facts.object_count - nowhere, facts.object_count);
    Seen::new(nowhere == 0, Cost::Work, next)
        .told(format!("Objects that are whole and sound: {all}"), Some("/fixity"))
}

/// Not all on this machine, and not all of one provider.
fn apart(facts: &Facts) -> Seen {
    if facts.holds_nothing() {
        return Seen::nothing_held();
    }
    let is_folder = |store: &Store| matches!(store.medium, Medium::Folder(_));
    let folders = facts.stores.iter().filter(|store| is_folder(store)).count();
    let here = folders == facts.stores.len();
    let one = facts.in_fewer_places(2) > 0;
    let next = "Configure a replica that is not on this machine.";
    let sentence =
        format!("Replicas in folders of this machine: {folders} of {}.", facts.stores.len());
    Seen::new(!here && !one, Cost::Money, next).told(sentence, Some("/reports/storage"))
}
