//! The work folder is lost: what people asked for and what they paused comes back from the registry.

use std::collections::BTreeSet;

use strongroom::app::COME_BACK;
use strongroom::flows::SWEEPS;

use super::*;

/// Removes the work folder while nobody has it open, and starts again as the appliance does.
fn lose_work(rig: &mut Rig<App>) {
    rig.app().copy().unwrap();
    let work = rig.app().home.work();
    rig.reopen_after(|| fs::remove_dir_all(work).unwrap());
}

fn reconcile(rig: &Rig<App>) {
    rig.app().mirror.reconcile(rig.app().shop.clock.now()).unwrap();
}

fn is_paused(rig: &Rig<App>, topic: &str) -> bool {
    rig.queue().topic(topic).unwrap().counts.paused
}

#[test]
fn restorations_checks_and_pauses_come_back_when_the_work_folder_was_lost() {
    let mut rig = letters();
    for topic in ["restore_object", "restore_file", "fixity_check", "ingest01_prefetch"] {
        rig.controls().pause(Some(topic), true).unwrap();
    }
    let object = ask(&rig, None);
    let desk = rig.app().desk();
    let file = desk.restore_file(&format!("{LETTERS_ID}/data/a.txt"), None).unwrap().item.id;
    let check = desk.check_object(LETTERS_ID).unwrap().item.id;
    let asked = [object.0, file.unsigned_abs(), check.unsigned_abs()];
    let before: Vec<_> = asked.iter().map(|id| rig.item(ItemId(*id))).collect();
    let highest = rig.app().registry.max_item_id().unwrap().unsigned_abs();

    lose_work(&mut rig);
    for topic in ["restore_object", "restore_file", "fixity_check", "ingest01_prefetch"] {
        assert!(is_paused(&rig, topic), "{topic} is paused before anything is claimed");
    }
    reconcile(&rig);
    // Once more, and after another start, nothing else happens.
    reconcile(&rig);
    rig.restart();
    reconcile(&rig);
    let after = rig.items();
    assert_eq!(after.iter().map(|item| item.id.0).collect::<Vec<_>>(), asked);
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(
            (&before.topic, &before.subject, &before.unique, before.priority, before.created),
            (&after.topic, &after.subject, &after.unique, after.priority, after.created)
        );
        assert_eq!(after.state.word(), "ready");
        assert!(after.revision > before.revision);
    }
    assert_eq!(ask(&rig, None), object, "asked for again, it is the same item");

    // Lost before it was begun a second time, too.
    lose_work(&mut rig);
    reconcile(&rig);
    for topic in ["restore_object", "restore_file", "fixity_check"] {
        rig.controls().pause(Some(topic), false).unwrap();
    }
    rig.drain_all();
    for id in asked {
        assert_eq!(rig.word(ItemId(id)), "finished", "{:#?}", rig.history(ItemId(id)));
    }
    assert_eq!(payload(&unpacked(&area(&rig).join("letters.tar"))), expected(LETTERS));
    rig.app().copy().unwrap();
    let row = rig.app().registry.item(i64::try_from(object.0).unwrap()).unwrap().unwrap();
    assert_eq!((&*row.status, row.needs_admin_review), ("Success", false));

    // What is new has a number of its own, and waits where somebody has paused.
    let more = deposit(&rig, "more.tar", |path| write_tar(path, "more", &bag(CHANGED))).unwrap();
    assert!(more.0 > highest, "{more} is not above {highest}");
    rig.drain_all();
    assert_eq!(rig.at(more), ("ready", "ingest01_prefetch".to_owned()));
    // A pause that was lifted is not brought back.
    lose_work(&mut rig);
    assert!(is_paused(&rig, "ingest01_prefetch") && !is_paused(&rig, "restore_object"));
}

#[test]
fn an_item_that_another_one_already_replaces_does_not_come_back() {
    let mut rig = letters();
    let lost = ask(&rig, None);
    lose_work(&mut rig);
    let again = ask(&rig, None);
    assert!(again.0 > lost.0, "the number of the lost one is not given again");
    reconcile(&rig);
    assert_eq!(rig.items().len(), 1);
    let row = rig.app().registry.item(i64::try_from(lost.0).unwrap()).unwrap().unwrap();
    assert_eq!((&*row.status, &*row.outcome), ("Cancelled", "lost"));
    assert!(row.advice.unwrap().contains(&format!("item {again}")));
    rig.drain_all();
    assert_eq!(rig.word(again), "finished");
}

/// Who makes the items of a flow when there is none.
const MADE_BY: &[(&str, &str)] = &[
    ("ingest", "receiving"),
    ("delete", "deletions_due"),
    ("research", "research_shifts"),
    ("curate", "feeds_due"),
    ("upkeep", "upkeep_due"),
    ("assess", "assessments_due"),
];

#[test]
fn every_flow_is_made_again_by_a_scheduled_task_or_comes_back_from_the_registry() {
    let sweeps: BTreeSet<_> = SWEEPS.iter().map(|sweep| sweep.name()).collect();
    for flow in FLOWS {
        let made_by = MADE_BY.iter().find(|(name, _)| *name == flow.name);
        match made_by {
            Some((_, sweep)) => assert!(sweeps.contains(sweep), "there is no task {sweep}"),
            None => assert!(
                COME_BACK.contains(&flow.name),
                "items of {} are lost with the work folder",
                flow.name
            ),
        }
    }
}
