//! How episodes and clips come in from the network: the rest of `[research]`.

use std::time::Duration;

use super::pick::{Key, Pick};
use super::raw::{RawResearch, Written};
use super::rule::{Network, Networks, Switch, megabytes, seconds, whole};

/// How feeds are read, and where they and recordings may lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CuratingConfig {
    /// Networks that are reached though they are not public.
    pub own_networks: Vec<Network>,
    /// The mean time between two pages of a feed, in milliseconds.
    pub pace_ms: u32,
    /// How far it is spread.
    pub pace_spread_ms: u32,
    /// The largest page of a feed.
    pub feed_limit_bytes: u64,
    /// How long a page may take to fetch.
    pub feed_timeout: Duration,
    /// Whether feeds are read only where the `robots.txt` of their site lets programs.
    pub feed_robots: bool,
}

/// The keys of it, taken out of the section that they share.
pub(super) fn take(raw: &mut RawResearch) -> [Written; 6] {
    let keys = [
        &mut raw.own_networks,
        &mut raw.feed_pace_ms,
        &mut raw.feed_pace_spread_ms,
        &mut raw.feed_limit_mb,
        &mut raw.feed_timeout_s,
        &mut raw.feed_robots,
    ];
    keys.map(std::mem::take)
}

pub(super) fn curating(pick: &mut Pick<'_>, raw: [Written; 6]) -> CuratingConfig {
    let [networks, pace, spread, limit, timeout, robots] = raw;
    let own = "Addresses that recordings and feeds may be fetched from though they are not public: \
        this machine, and networks of the house.";
    let mean = "The mean time between two pages of a feed, in milliseconds.";
    let wide = "How far that time is spread, as a standard deviation in milliseconds.";
    let most = "The largest page of a feed that is read.";
    let long = "How long it may take to fetch a page of a feed.";
    let heeds =
        "Whether feeds are read only where the robots.txt of their site lets programs read.";
    CuratingConfig {
        own_networks: pick.one(networks, &Key::new("research.own_networks", Networks, "", own)),
        pace_ms: pick
            .one(pace, &Key::new("research.feed_pace_ms", whole(0, 3_600_000), "4000", mean)),
        pace_spread_ms: pick.one(
            spread,
            &Key::new("research.feed_pace_spread_ms", whole(0, 3_600_000), "2000", wide),
        ),
        feed_limit_bytes: pick
            .one(limit, &Key::new("research.feed_limit_mb", megabytes(1, 64), "16", most)),
        feed_timeout: pick
            .one(timeout, &Key::new("research.feed_timeout_s", seconds(1, 3600), "60", long)),
        feed_robots: pick.one(robots, &Key::new("research.feed_robots", Switch, "true", heeds)),
    }
}
