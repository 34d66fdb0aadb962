//! Refuses deposits, replicas and options that are fine alone but not together.

use std::path::{Component, Path, PathBuf};

use super::{BucketConfig, Location, options, reach, replicas};
use crate::config::Config;
use crate::config::nearest::nearest;
use crate::config::pick::{Explained, Pick};
use crate::config::refusal::{Hint, Lies, Origin, Refusal};
use crate::config::rule::quoted;

/// What the appliance keeps for itself in the data directory; see the storage crate's `Home`.
const OWN: [&str; 4] = ["work", "snapshots", "formats", "restored"];

pub(in crate::config) fn agree(pick: &mut Pick<'_>, config: &Config) {
    options_name_replicas(pick, config);
    the_default_option_is_one(pick, config);
    folders_are_no_buckets(pick);
    endpoints_are_encrypted(pick, config);
    everything_stands_apart(pick, config);
}

fn options_name_replicas(pick: &mut Pick<'_>, config: &Config) {
    let known = || config.replicas.iter().map(|replica| replica.name.as_str());
    for option in &config.options {
        let key = format!("{}{}.replicas", options::SECTION, option.name);
        for replica in option.replicas.iter().filter(|name| config.replica(name).is_none()) {
            let (place, hint) = (pick.place_of(&key), hint(replica, known));
            let (key, replica) = (key.clone(), replica.clone());
            pick.refusals.push(Refusal::UnknownReplica { place, key, replica, hint });
        }
    }
}

fn the_default_option_is_one(pick: &mut Pick<'_>, config: &Config) {
    let option = &config.ingest.default_option;
    if config.option(option).is_none() {
        let known = || config.options.iter().map(|option| option.name.as_str());
        let (place, hint) = (pick.place_of("ingest.default_option"), hint(option, known));
        let option = option.clone();
        pick.refusals.push(Refusal::DefaultOption { place, option, hint });
    }
}

fn hint<'a, I: Iterator<Item = &'a str>>(word: &str, known: impl Fn() -> I) -> Hint {
    match nearest(word, known()) {
        Some(near) => Hint::Near(near.to_owned()),
        None => Hint::OneOf(known().map(str::to_owned).collect()),
    }
}

/// Whoever says how a bucket is reached meant one: the copy would quietly land on this disk.
fn folders_are_no_buckets(pick: &mut Pick<'_>) {
    let section = |row: &Explained| {
        let (home, _) = row.key.rsplit_once('.').unwrap_or_default();
        match home {
            reach::RECEIVING => Some("ingest.receiving".to_owned()),
            home if home.starts_with(replicas::SECTION) => Some(format!("{home}.url")),
            _ => None,
        }
    };
    let idle = |row: &&Explained| row.is_unset() && row.origin != Origin::Default;
    let refusals: Vec<_> = (pick.explained.iter().filter(idle))
        .filter_map(|row| {
            let (place, key, url) = (row.place(), row.key.clone(), section(row)?);
            Some(Refusal::OnlyForBuckets { place, key, url })
        })
        .collect();
    pick.refusals.extend(refusals);
}

fn endpoints_are_encrypted(pick: &mut Pick<'_>, config: &Config) {
    let section = |name: &str| format!("{}{name}", replicas::SECTION);
    let replicas = config.replicas.iter().map(|replica| (section(&replica.name), &replica.url));
    let receiving = (reach::RECEIVING.to_owned(), &config.ingest.receiving);
    for (section, location) in std::iter::once(receiving).chain(replicas) {
        let Location::Bucket(bucket) = location else { continue };
        let BucketConfig { endpoint: Some(endpoint), allow_http: false, .. } = bucket else {
            continue;
        };
        if endpoint.starts_with("http:") {
            let place = pick.place_of(&format!("{section}.endpoint"));
            let endpoint = endpoint.clone();
            pick.refusals.push(Refusal::PlainHttp { place, section, endpoint });
        }
    }
}

/// Where something is, as far as can be told without looking at a disk.
struct Spot {
    key: String,
    /// Endpoint and bucket; `None` is this machine.
    bucket: Option<(String, String)>,
    path: PathBuf,
}

impl Spot {
    fn folder(key: &str, path: &Path) -> Spot {
        Spot { key: key.to_owned(), bucket: None, path: folded(path) }
    }

    fn touches(&self, other: &Spot) -> bool {
        self.bucket == other.bucket
            && (self.path.starts_with(&other.path) || other.path.starts_with(&self.path))
    }

    fn lies(&self, other: &Spot) -> Lies {
        if self.path == other.path {
            Lies::At
        } else if self.path.starts_with(&other.path) {
            Lies::Inside
        } else {
            Lies::Around
        }
    }
}

/// Receiving, staging and restoration are emptied, and a storage root holds nothing but its own: where one lies
/// in another, a clean sweep of the one would take the other with it.
fn everything_stands_apart(pick: &mut Pick<'_>, config: &Config) {
    let home = Spot::folder("the data directory", &config.data);
    let own = OWN.map(|name| {
        let path = home.path.join(name);
        Spot::folder(&format!("{}, which is the appliance's own", quoted(name)), &path)
    });
    let spots = spots(config);
    for (at, spot) in spots.iter().enumerate() {
        // Around the data directory is around all that is in it: said once.
        if spot.touches(&home) && home.path.starts_with(&spot.path) {
            refuse(pick, spot, &home);
            continue;
        }
        for other in own.iter().filter(|other| spot.touches(other)) {
            refuse(pick, spot, other);
        }
        for before in spots[..at].iter().filter(|before| spot.touches(before)) {
            // Said about the one that somebody wrote, if only one of them was written.
            match pick.place_of(&spot.key).origin {
                Origin::Default => refuse(pick, before, spot),
                Origin::File(_) | Origin::Env(_) | Origin::Flag(_) => refuse(pick, spot, before),
            }
        }
    }
}

fn spots(config: &Config) -> Vec<Spot> {
    let spot = |key: &str, location: &Location| match location {
        Location::Folder(path) => Spot::folder(key, &path.within(&config.data)),
        Location::Bucket(BucketConfig { endpoint, bucket, prefix, .. }) => {
            let bucket = Some((endpoint.clone().unwrap_or_default(), bucket.clone()));
            Spot { key: key.to_owned(), bucket, path: PathBuf::from(prefix) }
        }
    };
    let mut spots = vec![
        spot("ingest.receiving", &config.ingest.receiving),
        Spot::folder("ingest.staging", &config.staging()),
        Spot::folder("restore.area", &config.restoration_folder()),
    ];
    spots.extend(
        config.replicas.iter().map(|replica| {
            spot(&format!("{}{}.url", replicas::SECTION, replica.name), &replica.url)
        }),
    );
    spots
}

fn refuse(pick: &mut Pick<'_>, spot: &Spot, other: &Spot) {
    let (key, other, lies) = (spot.key.clone(), other.key.clone(), spot.lies(other));
    let row = pick.explained.iter().find(|row| row.key == key);
    let Some((place, value)) = row.map(|row| (row.place(), row.value.clone())) else { return };
    pick.refusals.push(Refusal::Overlap { place, key, value, lies, other });
}

/// The path without `.` and `..`, by its letters alone.
fn folded(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if folded.file_name().is_some() => {
                folded.pop();
            }
            Component::Prefix(_)
            | Component::RootDir
            | Component::ParentDir
            | Component::Normal(_) => folded.push(part),
        }
    }
    folded
}
