//! Which replicas share a place.
//!
//! What a replica's settings call its place is believed, unless the house can see better: two folders
//! on one disk are one place, and so are two buckets of one provider and region, whatever they are
//! called.

use std::os::unix::fs::MetadataExt;

use storage::registry::{self, Registry, ReplicaClass, ReplicaId};

use crate::config::{Config, Location};

/// Replicas that a registry may know.
const REPLICAS: u32 = 1000;

/// A replica that has something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Store {
    pub(super) id: ReplicaId,
    pub(super) name: String,
    /// What its settings call its place.
    pub(super) place: String,
    pub(super) class: ReplicaClass,
    pub(super) medium: Medium,
    /// The number of its place; those that share one have the same.
    pub(super) at: usize,
}

/// What a replica is kept on, as far as can be seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    /// A folder, on the disk of this number if it is there.
    Folder(Option<u64>),
    /// A bucket, by its provider and region.
    Bucket(String),
    /// It is no longer configured.
    Unknown,
}

/// Every replica that was ever used, with its place.
pub(super) fn stores(registry: &Registry, config: &Config) -> Result<Vec<Store>, registry::Error> {
    let mut stores: Vec<Store> = Vec::new();
    for row in registry.replicas(REPLICAS)? {
        let (id, replica) = (row.id, row.replica);
        let medium = medium(config, &replica.name);
        let new = Store {
            id,
            name: replica.name,
            place: replica.place,
            class: replica.class,
            medium,
            at: 0,
        };
        stores.push(new);
    }
    number(&mut stores);
    Ok(stores)
}

/// Gives every place its number.
fn number(stores: &mut [Store]) {
    for at in 0..stores.len() {
        stores[at].at = at;
        // All that share a place with it, also by way of another, are there.
        for other in 0..at {
            if share(&stores[at], &stores[other]) && stores[at].at != stores[other].at {
                // The first of them names the place.
                let (a, b) = (stores[at].at, stores[other].at);
                let (from, to) = (a.max(b), a.min(b));
                stores[..=at].iter_mut().filter(|it| it.at == from).for_each(|it| it.at = to);
            }
        }
    }
}

fn share(a: &Store, b: &Store) -> bool {
    let words =
        |place: &str| place.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    let called_alike = words(&a.place) == words(&b.place);
    let on_one = match (&a.medium, &b.medium) {
        (Medium::Folder(Some(a)), Medium::Folder(Some(b))) => a == b,
        (Medium::Bucket(a), Medium::Bucket(b)) => a == b,
        (Medium::Folder(_) | Medium::Bucket(_) | Medium::Unknown, _) => false,
    };
    called_alike || on_one
}

fn medium(config: &Config, name: &str) -> Medium {
    let Some(replica) = config.replicas.iter().find(|it| it.name == name) else {
        return Medium::Unknown;
    };
    match &replica.url {
        Location::Folder(path) => {
            let found = std::fs::metadata(path.within(&config.data));
            Medium::Folder(found.ok().map(|it| it.dev()))
        }
        Location::Bucket(bucket) => {
            let endpoint = bucket.endpoint.as_deref().unwrap_or("AWS");
            Medium::Bucket(format!("{endpoint} {}", bucket.region).to_lowercase())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(stores: &[(&str, Medium)]) -> Vec<usize> {
        let store = |(at, (place, medium)): (usize, &(&str, Medium))| Store {
            id: ReplicaId(i64::try_from(at).unwrap()),
            name: at.to_string(),
            place: (*place).to_owned(),
            class: ReplicaClass::Hot,
            medium: medium.clone(),
            at: 0,
        };
        let mut stores: Vec<Store> = stores.iter().enumerate().map(store).collect();
        number(&mut stores);
        stores.iter().map(|it| it.at).collect()
    }

    #[test]
    fn one_disk_is_one_place_whatever_it_is_called() {
        let disk = |number| Medium::Folder(Some(number));
        let bucket = |name: &str| Medium::Bucket(name.to_owned());
        assert_eq!(places(&[("cellar", disk(1)), ("attic", disk(1))]), [0, 0]);
        assert_eq!(places(&[("cellar", disk(1)), ("attic", disk(2))]), [0, 1]);
        assert_eq!(places(&[("The  Cellar", disk(1)), ("the cellar", disk(2))]), [0, 0]);
        assert_eq!(places(&[("a", bucket("aws x")), ("b", bucket("aws x"))]), [0, 0]);
        assert_eq!(places(&[("a", bucket("aws x")), ("b", bucket("aws y"))]), [0, 1]);
        // Two disks that are away cannot be told apart by their numbers.
        assert_eq!(places(&[("a", Medium::Folder(None)), ("b", Medium::Folder(None))]), [0, 1]);
        // By way of a third.
        let all = [("a", disk(1)), ("b", disk(2)), ("B", disk(1)), ("c", Medium::Unknown)];
        assert_eq!(places(&all), [0, 0, 0, 3]);
    }
}
