//! The conformance exercise for the stage that reads feeds.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use storage::registry::{NewFeed, RecordingKind};
use storage::work::item::ItemId;
use strongroom::app::{App, OnDamage};
use strongroom::config::{Config, Flags, Surroundings};
use strongroom::curator::{CURATE, FeedsDue};
use strongroom::work::{Chart, Flow, Sweep};

use super::kept::{OPEN, site};
use super::site::Site;
use crate::exercise::{Case, exercise};
use crate::harness::{Rig, until_unlocked};

/// One site for all runs.
static SITE: OnceLock<Site> = OnceLock::new();

fn prepare(flows: &'static [Flow<App>]) -> (Rig<App>, ItemId) {
    let rig = Rig::around(flows, |dir, clock| {
        let data = dir.join("data");
        Box::new(move || {
            let asked = Flags { data: Some(data.clone()), ..Flags::default() };
            let read = |_: &Path| Ok(OPEN.to_owned());
            let around = Surroundings { read: &read, ..Surroundings::BARE };
            let config = Config::load(&asked, &around, &Chart::known_stages(flows)).unwrap();
            let app = Arc::new(until_unlocked(|| {
                App::open(config.clone(), flows, clock.clone(), OnDamage::Refuse)
            }));
            let shop = Arc::clone(&app.shop);
            (app, shop)
        })
    });
    let url = SITE.get_or_init(site).url("/feed");
    let feed = NewFeed { kind: RecordingKind::Episode, url, every_h: 1 };
    let app = rig.app();
    app.registry.add_feed(&feed, "ann", app.shop.clock.now()).unwrap();
    assert_eq!(FeedsDue.sweep(app, 10).unwrap().made, 1);
    assert_eq!(FeedsDue.sweep(app, 10).unwrap().made, 0, "one is in line");
    let id = rig.items()[0].id;
    (rig, id)
}

/// What is in the catalogue, and how the feed is.
fn end(rig: &Rig<App>, _: ItemId) -> String {
    let registry = &rig.app().registry;
    let episodes = registry.recordings(RecordingKind::Episode, 0, 100).unwrap();
    let mut titles: Vec<_> = episodes.into_iter().map(|it| it.title).collect();
    titles.sort();
    let feed = registry.feed(1).unwrap().unwrap();
    format!("{titles:?} {:?} {}", feed.etag, feed.is_well)
}

#[test]
fn reading_a_feed_stands_the_exercise() {
    exercise(&Case { flows: &[CURATE], topic: "curate01_read", prepare: &prepare, end: &end });
}
