//! Rehearsals: objects restored that nobody asked for.

use storage::registry::{EVENTS, Query};
use strongroom::desk::InstitutionEdit;
use strongroom::restore::RehearsalsDue;
use strongroom::work::Sweep;

use super::*;
use crate::deletion::agree;
use crate::harness::secs;
use crate::ingest::rig_configured;

const DAY: u64 = 86_400;

fn sweep(rig: &Rig<App>) -> Option<ItemId> {
    rig.app().copy().unwrap();
    let before = rig.items();
    RehearsalsDue.sweep(rig.app(), 100).unwrap();
    let new = |item: &&storage::work::item::WorkItem| before.iter().all(|it| it.id != item.id);
    rig.items().iter().find(new).map(|item| item.id)
}

#[test]
fn an_object_is_rehearsed_every_week_and_nothing_of_it_is_left() {
    let rig = letters();
    assert_eq!(sweep(&rig), None, "there is nothing to rehearse yet");
    for week in 1..=4 {
        rig.clock.advance(secs(7 * DAY + 1));
        let id = sweep(&rig).expect("a rehearsal is due");
        assert_eq!(sweep(&rig), None, "it is under way");
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        assert!(rig.item(id).note.ends_with("came back as a valid bag of 6 files"));
        assert_eq!(sweep(&rig), None, "the last is not old");
        let figures = rig.app().desk().restorations().unwrap().rehearsals;
        assert_eq!((figures.tried, figures.succeeded), (week, week));
        assert_eq!(lying(&rig.app().config.staging()), Vec::<String>::new());
        assert_eq!(lying(&rig.app().config.restoration_folder()), Vec::<String>::new());
    }
    let figures = rig.app().desk().restorations().unwrap().rehearsals;
    assert!(figures.sentences[1].contains("at most 75 of 100"), "{figures:?}");
    let events = rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let told = events.iter().filter(|event| event.event_type.name() == "restoration").count();
    assert_eq!(told, 4);
}

#[test]
fn what_cannot_be_restored_is_found_before_somebody_needs_it() {
    let rig = letters();
    damage::alter(&rig, "a");
    damage::alter(&rig, "b");
    rig.clock.advance(secs(8 * DAY));
    let id = sweep(&rig).unwrap();
    rig.drain_all();
    assert_eq!((rig.word(id), rig.reason(id).code.as_str()), ("parked", "no-sound-copy"));
    rig.app().copy().unwrap();
    let figures = rig.app().desk().restorations().unwrap().rehearsals;
    assert_eq!((figures.tried, figures.succeeded), (1, 0));
    let events = rig.app().registry.list_events(&Query::all(&EVENTS)).unwrap().rows;
    let failed = |it: &&storage::registry::EventRow| {
        it.event_type.name() == "restoration" && it.outcome.name() == "Failure"
    };
    assert_eq!(events.iter().filter(failed).count(), 1);
    // It is not joined by another.
    rig.clock.advance(secs(8 * DAY));
    assert_eq!(sweep(&rig), None);
}

#[test]
fn no_rehearsals_where_none_are_wanted_or_none_fits() {
    for toml in ["[restore]\nrehearse_every_days = 0\n", "[restore]\nrehearse_every_days = 30\n"] {
        let rig = rig_configured(FLOWS, toml.into());
        let first = deposit_letters(&rig);
        rig.drain_all();
        assert_eq!(rig.word(first), "finished");
        rig.clock.advance(secs(20 * DAY));
        assert_eq!(sweep(&rig), None, "{toml}");
        rig.clock.advance(secs(20 * DAY));
        assert_eq!(sweep(&rig).is_some(), toml.contains("30"), "{toml}");
        rig.drain_all();
    }
}

#[test]
fn an_institution_that_asks_for_trials_gets_the_smallest_that_counts() {
    let rig = rig_configured(FLOWS, "[restore]\nrehearse_every_days = 0\n".into());
    for (name, size) in [("tiny", 100), ("middle", 20_000), ("large", 40_000), ("gone", 15_000)] {
        let files = bag(&[("scan.tif", &vec![7; size])]);
        deposit(&rig, &format!("{name}.tar"), |path| write_tar(path, name, &files)).unwrap();
        rig.drain_all();
    }
    assert_eq!(sweep(&rig), None, "nobody asked for trials");
    let edit = InstitutionEdit { spot_restore_frequency: Some(30), ..InstitutionEdit::default() };
    rig.app().desk().edit_institution("archive.local", &edit).unwrap();
    agree(&rig, &["archive.local/gone"], &[]);
    rig.drain_all();

    let trial = || {
        let id = sweep(&rig).expect("a trial is due");
        rig.drain_all();
        assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
        rig.item(id).subject.name
    };
    assert_eq!(trial(), "archive.local/middle", "at once, not tiny, and not what was deleted");
    rig.clock.advance(secs(29 * DAY));
    assert_eq!(sweep(&rig), None);
    rig.clock.advance(secs(2 * DAY));
    assert_eq!(trial(), "archive.local/middle", "30 days ago is not within 30 days");
    rig.app().desk().restore_object("archive.local/large", None).unwrap();
    rig.drain_all();
    rig.clock.advance(secs(31 * DAY));
    rig.app().desk().restore_object("archive.local/middle", None).unwrap();
    rig.drain_all();
    assert_eq!(trial(), "archive.local/large", "middle was restored within 30 days");
}
