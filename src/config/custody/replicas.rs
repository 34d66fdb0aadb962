//! The keys of `[replica.NAME]`.

use std::collections::BTreeMap;

use toml::Spanned;

use super::names::named_sections;
use super::reach::location;
use super::{BucketConfig, Location, ReplicaConfig};
use crate::config::pick::{Key, Pick};
use crate::config::raw::{RawReach, RawReplica};
use crate::config::refusal::Refusal;
use crate::config::rule::{Class, FreeText, Rule, Url, days as spans, whole};

/// How the keys of every replica begin.
pub(in crate::config) const SECTION: &str = "replica.";

/// The replicas of an appliance whose file has none, with their urls. Two, so that a damaged copy
/// can be mended from the other; both on one disk, because a fresh appliance knows no other place.
pub(in crate::config) const DEFAULT_REPLICAS: [(&str, &str); 2] =
    [("a", "vault/a"), ("b", "vault/b")];

pub(in crate::config) fn read(
    pick: &mut Pick<'_>,
    raw: BTreeMap<Spanned<String>, RawReplica>,
) -> Vec<ReplicaConfig> {
    if raw.is_empty() {
        let both = DEFAULT_REPLICAS.into_iter().zip(1..);
        return both
            .map(|((name, url), at)| replica(pick, RawReplica::default(), (name, Some(url)), at))
            .collect();
    }
    let mut replicas = Vec::new();
    for (name, section) in named_sections(pick, "replica", raw) {
        if let Some(place) = pick.place_in_file(&name.span()).filter(|_| section.url.is_none()) {
            let (section, key) = (format!("{SECTION}{}", name.get_ref()), "url");
            let allowed = Url.allowed();
            pick.refusals.push(Refusal::Missing { place, section, key, allowed });
        }
        replicas.push(replica(pick, section, (name.get_ref(), None), replicas.len() + 1));
    }
    replicas
}

/// Reads the section at this position; `named` is its name and, if it need not say one, its url.
fn replica(
    pick: &mut Pick<'_>,
    mut raw: RawReplica,
    named: (&str, Option<&str>),
    at: usize,
) -> ReplicaConfig {
    let (name, builtin) = named;
    let key = |key: &str| format!("{SECTION}{name}.{key}");
    let about = "A folder, relative to the data directory, or a bucket that speaks S3.";
    let written = raw.url.take();
    let target = match builtin {
        Some(url) => pick.one(written, &Key::new(&key("url"), Url, url, about)),
        // A section without a url is refused: what it reads as only lets the walk go on.
        None => pick.or(written, &Key::unset(&key("url"), Url, "vault/a", about), "vault/a"),
    };
    let reach = RawReach {
        endpoint: raw.endpoint.take(),
        region: raw.region.take(),
        path_style: raw.path_style.take(),
        allow_http: raw.allow_http.take(),
        credentials: raw.credentials.take(),
    };
    let url = location(pick, target, reach, &format!("{SECTION}{name}"));
    let class = "Whether it is read at once, or must be asked for first, as Glacier must.";
    let place = "Which building or provider it is in. What shares a place can be lost together.";
    let days = "Days before its provider lets a file be deleted without a fee.";
    let checks = "How often its copies are read; fixity.every_days unless set.";
    let order = "The lowest is read from first; the order of the file unless set.";
    let (usual, at) = (usual_place(&url), at.to_string());
    ReplicaConfig {
        name: name.to_owned(),
        url,
        class: pick.one(raw.class, &Key::new(&key("class"), Class, "hot", class)),
        place: pick.one(raw.place, &Key::new(&key("place"), FreeText, &usual, place)),
        minimum_retention_days: pick.one(
            raw.minimum_retention_days,
            &Key::new(&key("minimum_retention_days"), whole(0, 36_500), "0", days),
        ),
        restore_priority: pick.one(
            raw.restore_priority,
            &Key::new(&key("restore_priority"), whole(1, 1_000_000), &at, order),
        ),
        fixity_every: pick.maybe(
            raw.fixity_every_days,
            &Key::unset(&key("fixity_every_days"), spans(1, 36_500), "90", checks),
        ),
    }
}

/// The place of a replica whose section names none.
fn usual_place(url: &Location) -> String {
    match url {
        Location::Folder(_) => "this machine".to_owned(),
        Location::Bucket(BucketConfig { endpoint: Some(endpoint), .. }) => {
            let host = endpoint.split_once("://").map_or(endpoint.as_str(), |(_, host)| host);
            host.to_owned()
        }
        Location::Bucket(BucketConfig { endpoint: None, region, .. }) => format!("AWS {region}"),
    }
}
