//! The shift of a researcher stands the conformance exercise.

use std::path::Path;
use std::sync::Arc;

use storage::registry::RecordingKind;
use storage::work::item::ItemId;
use strongroom::app::{App, OnDamage};
use strongroom::config::{Config, Flags, Surroundings};
use strongroom::desk::CatalogueWish;
use strongroom::researcher::{RESEARCH, ResearchDue, ShiftsDue};
use strongroom::work::{Chart, Flow, Sweep};

use super::{Shelf, found, sound};
use crate::exercise::{Case, exercise};
use crate::harness::{Rig, until_unlocked};

/// One episode and two clips on a shelf, and one shift in line.
fn prepare(flows: &'static [Flow<App>]) -> (Rig<App>, ItemId) {
    let rig = Rig::around(flows, |dir, clock| {
        let data = dir.join("data");
        let toml = Shelf::at(dir).toml("researchers = 1");
        Box::new(move || {
            let asked = Flags { data: Some(data.clone()), ..Flags::default() };
            let read = |_: &Path| Ok(toml.clone());
            let around = Surroundings { read: &read, ..Surroundings::BARE };
            let config = Config::load(&asked, &around, &Chart::known_stages(flows)).unwrap();
            let app = Arc::new(until_unlocked(|| {
                App::open(config.clone(), flows, clock.clone(), OnDamage::Refuse)
            }));
            let shop = Arc::clone(&app.shop);
            (app, shop)
        })
    });
    let shelf = Shelf::at(rig.dir());
    let episode = sound::episode(1, 5.0, &[(1, 1.0), (2, 2.5)]);
    let clips = [
        shelf.put("a.wav", &sound::clip(1)),
        shelf.put("b.wav", &sound::clip(2)),
        shelf.put("c.wav", &sound::clip(3)),
    ];
    let app = rig.app();
    let kinds = [
        (RecordingKind::Clip, clips.to_vec()),
        (RecordingKind::Episode, vec![shelf.put("show.wav", &episode)]),
    ];
    for (kind, recordings) in kinds {
        let recordings = serde_json::from_value(recordings.into()).unwrap();
        app.desk().add_recordings(kind, &CatalogueWish { recordings }).unwrap();
    }
    ResearchDue.sweep(app, 10).unwrap();
    assert_eq!(ShiftsDue.sweep(app, 10).unwrap().made, 1);
    let id = rig.items()[0].id;
    (rig, id)
}

/// What was found, and how many clips were searched for.
fn end(rig: &Rig<App>, _: ItemId) -> String {
    let episode = serde_json::to_value(rig.app().desk().episode(1).unwrap()).unwrap();
    format!("{:?} {}", found(&episode), episode["searched_count"])
}

#[test]
fn a_shift_stands_the_exercise() {
    exercise(&Case {
        flows: &[RESEARCH],
        topic: "research01_search",
        prepare: &prepare,
        end: &end,
    });
}
