//! Loads of reference data that are refused, mended, replaced and cancelled on the way.

use std::sync::atomic::{AtomicU64, Ordering};

use strongroom::assess::{Wanted, ask_load, last_load};

use super::*;
use crate::harness::secs;

fn wanted(folder: &Path, version: &str) -> Wanted {
    Wanted {
        folder: folder.to_str().unwrap().to_owned(),
        data_version: version.to_owned(),
        force: false,
        strict: false,
        by: "the test".to_owned(),
    }
}

/// Layers of which one has a row without its name.
fn flawed(folder: &Path) {
    delivered(folder);
    name_authority(folder, Value::Null);
}

fn name_authority(folder: &Path, name: Value) {
    let path = folder.join("lpa_boundaries.gpkg");
    std::fs::remove_file(&path).unwrap();
    layer(&path, "NAME TEXT", vec![name]);
}

/// The version in use, if there is one.
fn version(rig: &Rig<App>) -> Option<String> {
    Some(rig.app().atlas.reference().ok()?.version().to_owned())
}

#[test]
fn a_refused_load_is_parked_with_its_report_and_goes_on_when_its_files_are_mended() {
    let rig = crate::ingest::rig_configured(FLOWS, String::new());
    let folder = rig.dir().join("layers");
    flawed(&folder);
    let asked = ask_load(rig.app(), &wanted(&folder, "one")).unwrap();
    let item = ItemId(asked.item);
    rig.drain_all();
    assert_eq!(rig.word(item), "parked");
    let reason = rig.reason(item);
    assert!(reason.happened.contains("the name is missing"), "{reason:?}");
    assert!(!reason.advice.is_empty());
    let findings = rig.history(item).pop().unwrap().findings;
    assert!(findings.iter().any(|it| it.place == "lpa_boundaries"), "{findings:?}");
    let last = last_load(rig.app()).unwrap().unwrap();
    assert!(last.trouble.is_some() && last.report.contains("refused: lpa_boundaries"), "{last:?}");
    assert_eq!(version(&rig), None);
    name_authority(&folder, Value::from("Broadland".to_owned()));
    rig.controls().requeue(item, None, "the test").unwrap();
    rig.drain_all();
    assert_eq!(version(&rig).as_deref(), Some("one"));
    assert_eq!(last_load(rig.app()).unwrap().unwrap().trouble, None);
}

#[test]
fn another_load_takes_the_place_of_one_that_waits_for_a_person_and_of_no_other() {
    let rig = crate::ingest::rig_configured(FLOWS, String::new());
    let (bad, good) = (rig.dir().join("bad"), rig.dir().join("good"));
    flawed(&bad);
    delivered(&good);
    let first = ask_load(rig.app(), &wanted(&bad, "one")).unwrap();
    let joined = ask_load(rig.app(), &wanted(&good, "two")).unwrap();
    assert!(!joined.new && joined.item == first.item, "one that is in line goes first");
    rig.drain_all();
    assert_eq!(rig.word(ItemId(first.item)), "parked");
    let second = ask_load(rig.app(), &wanted(&good, "two")).unwrap();
    assert!(second.new && second.item != first.item);
    rig.drain_all();
    assert_eq!(version(&rig).as_deref(), Some("two"));
}

#[test]
fn a_load_shows_signs_of_life_and_ends_soon_when_it_is_cancelled() {
    let rig = crate::ingest::rig_configured(FLOWS, String::new());
    let folder = rig.dir().join("layers");
    delivered(&folder);
    let item = ItemId(ask_load(rig.app(), &wanted(&folder, "one")).unwrap().item);
    let (clock, shop) = (Arc::clone(&rig.clock), Arc::clone(rig.shop()));
    let signs = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&signs);
    rig.shop().at_every_checkpoint(move || {
        // The first is shown before it begins; the third is in the middle of a table.
        if counted.fetch_add(1, Ordering::SeqCst) == 2 {
            shop.controls().cancel(item, "the test").unwrap();
        }
        clock.advance(secs(3));
    });
    rig.drain_all();
    assert_eq!(signs.load(Ordering::SeqCst), 3, "it went no further");
    assert_eq!(version(&rig), None);
    let left = std::fs::read_dir(rig.app().atlas.folder()).unwrap();
    let left: Vec<_> = left.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!left.iter().any(|name| name.starts_with("staged-")), "{left:?}");
}
