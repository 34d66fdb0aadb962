//! The keys of `[replica.NAME]`.

use std::collections::BTreeMap;

use toml::Spanned;

use super::names::named_sections;
use super::{BucketConfig, ReplicaConfig, ReplicaUrl};
use crate::config::pick::{Explained, Key, Pick};
use crate::config::raw::RawReplica;
use crate::config::refusal::Refusal;
use crate::config::rule::{
    Class, Endpoint, FreeText, KeySource, Region, Rule, Switch, Target, Url, whole,
};

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
    let from = pick.explained.len();
    let reach = reach(pick, &mut raw, name);
    let url = match target {
        Target::Bucket { bucket, prefix } => {
            ReplicaUrl::Bucket(BucketConfig { bucket, prefix, ..reach })
        }
        Target::Folder(path) => {
            pick.explained.iter_mut().skip(from).for_each(Explained::unset);
            ReplicaUrl::Folder(path)
        }
    };
    let class = "Whether it is read at once, or must be asked for first, as Glacier must.";
    let place = "Which building or provider it is in. What shares a place can be lost together.";
    let days = "Days before its provider lets a file be deleted without a fee.";
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
    }
}

/// Reads how a bucket is reached; which bucket it is, the url says.
fn reach(pick: &mut Pick<'_>, raw: &mut RawReplica, name: &str) -> BucketConfig {
    let key = |key: &str| format!("{SECTION}{name}.{key}");
    let endpoint = "Of a bucket: where it is served, unless at AWS itself.";
    let region = "Of a bucket: its region; us-east-1 unless set.";
    let style =
        "Of a bucket: named in the path, not in the host; true with an endpoint unless set.";
    let http = "Of a bucket: lets its endpoint be one that is not encrypted.";
    let credentials = "Of a bucket: where its key is; unless set, where AWS tools look for one.";
    let endpoint = pick.maybe(
        raw.endpoint.take(),
        &Key::unset(&key("endpoint"), Endpoint, "https://s3.example.org", endpoint),
    );
    let usual_style = endpoint.is_some().to_string();
    BucketConfig {
        bucket: String::new(),
        prefix: String::new(),
        endpoint,
        region: pick.one(raw.region.take(), &Key::new(&key("region"), Region, "us-east-1", region)),
        path_style: pick
            .one(raw.path_style.take(), &Key::new(&key("path_style"), Switch, &usual_style, style)),
        allow_http: pick
            .one(raw.allow_http.take(), &Key::new(&key("allow_http"), Switch, "false", http)),
        credentials: pick.one(
            raw.credentials.take(),
            &Key::new(&key("credentials"), KeySource, "environment", credentials),
        ),
    }
}

/// The place of a replica whose section names none.
fn usual_place(url: &ReplicaUrl) -> String {
    match url {
        ReplicaUrl::Folder(_) => "this machine".to_owned(),
        ReplicaUrl::Bucket(BucketConfig { endpoint: Some(endpoint), .. }) => {
            let host = endpoint.split_once("://").map_or(endpoint.as_str(), |(_, host)| host);
            host.to_owned()
        }
        ReplicaUrl::Bucket(BucketConfig { endpoint: None, region, .. }) => format!("AWS {region}"),
    }
}
