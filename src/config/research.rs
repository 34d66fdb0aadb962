//! How work is given to researchers: `[research]`.

use std::path::PathBuf;
use std::time::Duration;

use super::meant::Config;
use super::pick::{Key, Pick};
use super::raw::{RawResearch, Written};
use super::refusal::Refusal;
use super::rule::{Folders, Switch, megabytes, seconds, whole};

/// How work is given to researchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResearchConfig {
    /// How long a lease stands from the last sign of life on.
    pub lease: Duration,
    /// How long an offer stands that nobody takes; shorter than the lease.
    pub offer: Duration,
    /// Most clips of one piece of work.
    pub clips: usize,
    /// Pieces of work kept on offer beyond what the researchers have.
    pub spare: u32,
    /// A researcher that was not heard of for longer does not count.
    pub present: Duration,
    /// How often something may fail before a person has to ask for another try.
    pub tries: u32,
    /// Whether episodes aired last come before those first known of last.
    pub aired_first: bool,
}

pub(super) fn research(pick: &mut Pick<'_>, raw: RawResearch) -> ResearchConfig {
    let lease = "How long work stays with a researcher from the last sign of life on.";
    let offer = "How long work is on offer; it must be less than the lease.";
    let clips = "The most clips that are looked for in an episode at a time.";
    let spare = "How many pieces of work are on offer beyond what the researchers have.";
    let present = "A researcher that was not heard of for this long does not count.";
    let tries = "How often a recording may fail before a person has to ask for another try.";
    let aired = "Among episodes of the same priority, takes those aired last first, instead of \
        those first known of last.";
    ResearchConfig {
        lease: pick
            .one(raw.lease_s, &Key::new("research.lease_s", seconds(10, 604_800), "7200", lease)),
        offer: pick
            .one(raw.offer_s, &Key::new("research.offer_s", seconds(5, 604_800), "5400", offer)),
        clips: pick.one(raw.clips, &Key::new("research.clips", whole(1, 1000), "100", clips)),
        spare: pick.one(raw.spare, &Key::new("research.spare", whole(0, 1000), "1", spare)),
        present: pick.one(
            raw.present_s,
            &Key::new("research.present_s", seconds(5, 86_400), "300", present),
        ),
        tries: pick.one(raw.tries, &Key::new("research.tries", whole(1, 100), "5", tries)),
        aired_first: pick
            .one(raw.aired_first, &Key::new("research.aired_first", Switch, "false", aired)),
    }
}

/// What the appliance does of it itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResearchingConfig {
    /// Researchers that are built in; none when zero.
    pub researchers: u32,
    /// Folders that recordings may be read from by their paths.
    pub media_folders: Vec<PathBuf>,
    /// The largest recording that is fetched.
    pub media_limit_bytes: u64,
    /// How long a recording may take to fetch.
    pub media_timeout: Duration,
}

/// The keys of it, taken out of the section that they share.
pub(super) fn take_researching(raw: &mut RawResearch) -> [Written; 4] {
    let keys = [
        &mut raw.researchers,
        &mut raw.media_folders,
        &mut raw.media_limit_mb,
        &mut raw.media_timeout_s,
    ];
    keys.map(std::mem::take)
}

pub(super) fn researching(pick: &mut Pick<'_>, raw: [Written; 4]) -> ResearchingConfig {
    let [researchers, folders, limit, timeout] = raw;
    let many = "How many researchers this appliance has itself; each uses every core while it \
        searches.";
    let below = "Folders on this machine that episodes and clips may be read from by their paths; \
        nothing is read elsewhere.";
    let most = "The largest recording that is fetched from the network.";
    let long = "How long it may take to fetch a recording from the network.";
    ResearchingConfig {
        researchers: pick
            .one(researchers, &Key::new("research.researchers", whole(0, 4), "1", many)),
        media_folders: pick.one(folders, &Key::new("research.media_folders", Folders, "", below)),
        media_limit_bytes: pick
            .one(limit, &Key::new("research.media_limit_mb", megabytes(1, 65_536), "2048", most)),
        media_timeout: pick
            .one(timeout, &Key::new("research.media_timeout_s", seconds(1, 86_400), "1800", long)),
    }
}

/// Refuses what is fine alone but not together: an offer that outlives its lease could be taken
/// when its pairs are somebody else's already.
pub(super) fn agree(pick: &mut Pick<'_>, config: &Config) {
    let ResearchConfig { lease, offer, .. } = config.research;
    if offer >= lease {
        let place = pick.place_of("research.offer_s");
        let (offer_s, lease_s) = (offer.as_secs(), lease.as_secs());
        pick.refusals.push(Refusal::OfferOutlivesLease { place, offer_s, lease_s });
    }
}
