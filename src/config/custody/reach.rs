//! The keys that say how a bucket is reached: of a replica, and of `[receiving]`.

use super::{BucketConfig, Location};
use crate::config::pick::{Explained, Key, Pick};
use crate::config::raw::RawReach;
use crate::config::rule::{Endpoint, KeySource, Region, Switch, Target};

/// The section that says how the bucket of `ingest.receiving` is reached.
pub(in crate::config) const RECEIVING: &str = "receiving";

/// A folder, or a bucket with how it is reached; beside a folder these keys mean nothing.
pub(super) fn location(
    pick: &mut Pick<'_>,
    target: Target,
    raw: RawReach,
    section: &str,
) -> Location {
    let from = pick.explained.len();
    let reach = reach(pick, raw, section);
    match target {
        Target::Bucket { bucket, prefix } => {
            Location::Bucket(BucketConfig { bucket, prefix, ..reach })
        }
        Target::Folder(path) => {
            pick.explained.iter_mut().skip(from).for_each(Explained::unset);
            Location::Folder(path)
        }
    }
}

/// Reads how a bucket is reached; which bucket it is, the url says.
fn reach(pick: &mut Pick<'_>, raw: RawReach, section: &str) -> BucketConfig {
    let key = |key: &str| format!("{section}.{key}");
    let endpoint = "Of a bucket: where it is served, unless at AWS itself.";
    let region = "Of a bucket: its region; us-east-1 unless set.";
    let style =
        "Of a bucket: named in the path, not in the host; true with an endpoint unless set.";
    let http = "Of a bucket: lets its endpoint be one that is not encrypted.";
    let credentials = "Of a bucket: where its key is; unless set, where AWS tools look for one.";
    let endpoint = pick.maybe(
        raw.endpoint,
        &Key::unset(&key("endpoint"), Endpoint, "https://s3.example.org", endpoint),
    );
    let usual_style = endpoint.is_some().to_string();
    BucketConfig {
        bucket: String::new(),
        prefix: String::new(),
        endpoint,
        region: pick.one(raw.region, &Key::new(&key("region"), Region, "us-east-1", region)),
        path_style: pick
            .one(raw.path_style, &Key::new(&key("path_style"), Switch, &usual_style, style)),
        allow_http: pick.one(raw.allow_http, &Key::new(&key("allow_http"), Switch, "false", http)),
        credentials: pick.one(
            raw.credentials,
            &Key::new(&key("credentials"), KeySource, "environment", credentials),
        ),
    }
}
