//! What a deletion waits for, visibly, and that it then goes on by itself.

use std::fs;
use std::path::Path;

use storage::registry::{ALERTS, HeldState, Query, Version};
use storage::work::item::{ItemId, State, Subject};
use storage::work::queue::NewItem;
use strongroom::alerts::AlertWatch;
use strongroom::app::App;
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::refused::agree_in_the_registry;
use super::{
    LETTERS, agree, ask, declined, is_somewhere, state_of, sweep, vaults, with_letters, word,
};
use crate::harness::{Rig, secs};
use crate::ingest::{bag, deposit, held, ocfl, rig, rig_configured, write_tar};

const DAY: u64 = 24 * 60 * 60;

fn note(rig: &Rig<App>, id: ItemId) -> String {
    rig.item(id).note
}

fn only_item(rig: &Rig<App>) -> ItemId {
    let items = rig.items();
    let live = items.iter().filter(|item| item.flow == "delete" && !item.state.is_terminal());
    let ids: Vec<ItemId> = live.map(|item| item.id).collect();
    assert_eq!(ids.len(), 1);
    ids[0]
}

#[test]
fn what_was_promised_to_be_kept_is_kept_so_long() {
    let toml = "[replica.a]\nurl = \"vault/a\"\n[replica.b]\nurl = \"vault/b\"\n\
        [option.Standard]\nreplicas = [\"a\", \"b\"]\nminimum_retention_days = 10\n";
    let rig = rig_configured(FLOWS, toml.to_owned());
    with_letters(&rig);
    let before = held(&rig);
    declined(ask(rig.app(), &[LETTERS], &[]), "is kept by storage option Standard until");
    let file = format!("{LETTERS}/data/a.txt");
    declined(ask(rig.app(), &[], &[&file]), "is kept by storage option Standard until");
    // Agreed on all the same, the item waits.
    agree_in_the_registry(&rig);
    assert_eq!(sweep(&rig), 1);
    let item = only_item(&rig);
    rig.drain();
    assert!(note(&rig, item).contains("keeps it until"), "{}", note(&rig, item));
    assert_eq!(held(&rig), before);
    rig.clock.advance(secs(9 * DAY));
    rig.drain();
    assert_eq!(held(&rig), before);
    rig.clock.advance(secs(DAY + 1));
    rig.drain();
    assert_eq!(rig.word(item), "finished", "{:#?}", rig.history(item));
}

#[test]
fn a_deletion_that_retention_holds_back_says_for_what_it_waits_and_raises_no_alert() {
    let toml = "[replica.a]\nurl = \"vault/a\"\n[replica.b]\nurl = \"vault/b\"\n\
        [option.Standard]\nreplicas = [\"a\", \"b\"]\nminimum_retention_days = 30\n";
    let rig = rig_configured(FLOWS, toml.to_owned());
    with_letters(&rig);
    agree_in_the_registry(&rig);
    assert_eq!(sweep(&rig), 1);
    let item = only_item(&rig);
    rig.drain();
    let waiting_alerts = || {
        AlertWatch.sweep(rig.app(), 100).unwrap();
        let rows = rig.app().registry.list_alerts(&Query::all(&ALERTS)).unwrap().rows;
        rows.into_iter().filter(|alert| alert.kind == "item-waiting").count()
    };
    for _ in 0..2 {
        rig.clock.advance(secs(25 * 3600));
        rig.drain();
        let waits = rig.item(item).waiting.unwrap();
        assert_eq!((&*waits.cause, &*waits.what), ("retention", "Standard"));
        assert!(note(&rig, item).contains("keeps it until"), "{}", note(&rig, item));
        assert_eq!(waiting_alerts(), 0, "its end is known");
    }
    rig.clock.advance(secs(30 * DAY));
    rig.drain();
    assert_eq!(rig.word(item), "finished");
}

#[test]
fn work_on_the_object_ends_first() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let make = |path: &Path| write_tar(path, "letters", &bag(&[("new.txt", b"new\n")]));
    let ingest = deposit(&rig, "letters.tar", make).unwrap();
    while rig.item(ingest).topic != "ingest06_storage" {
        rig.step();
    }
    declined(ask(rig.app(), &[LETTERS], &[]), &format!("item {ingest} (Ingest"));
    agree_in_the_registry(&rig);
    sweep(&rig);
    let item = only_item(&rig);
    rig.controls().pause(Some("ingest06_storage"), true).unwrap();
    let before = held(&rig);
    rig.drain();
    assert!(note(&rig, item).contains(&format!("item {ingest} (Ingest")), "{}", note(&rig, item));
    assert_eq!(held(&rig), before);
    rig.controls().pause(Some("ingest06_storage"), false).unwrap();
    rig.drain_all();
    assert_eq!([word(&rig, ingest), word(&rig, item)], ["finished", "finished"]);
    // What came in meanwhile was of the object when it was deleted.
    let object = rig.app().desk().held_object(LETTERS).unwrap();
    assert_eq!((object.state, object.version), (HeldState::Deleted, Version(2)));
}

#[test]
fn a_replica_that_is_away_keeps_its_part_waiting_and_new_deposits_too() {
    let mut rig = rig(FLOWS);
    with_letters(&rig);
    let [a, b] = vaults(&rig);
    let aside = b.with_extension("unmounted");
    byteio::durable::rename(&b, &aside).unwrap();
    fs::create_dir(&b).unwrap();
    rig.restart();
    let (request, items) = agree(&rig, &[LETTERS], &[]);
    rig.drain();
    assert!(matches!(rig.item(items[0]).state, State::Delayed { .. }));
    let told = note(&rig, items[0]);
    assert!(told.contains("replica `b` is away") && told.contains("gone from a"), "{told}");
    assert_eq!(rig.app().vaults.standings().iter().map(|it| it.waiting).sum::<u64>(), 1);
    assert!(!is_somewhere(&a, b"alpha\n") && is_somewhere(&aside, b"alpha\n"));
    assert_eq!(state_of(&rig, request), "approved");
    // Until it is gone from everywhere the registry does not say that it is gone.
    let object = rig.app().desk().held_object(LETTERS).unwrap();
    assert_eq!(object.state, HeldState::Active);
    // But everybody who looks is told that it is on its way, and it is not given back.
    let desk = rig.app().desk();
    assert_eq!(desk.object(LETTERS).unwrap().deletion_request, Some(request));
    let file = desk.file(&format!("{LETTERS}/data/a.txt")).unwrap();
    assert_eq!(file.deletion_request, Some(request));
    let under_way = desk.deletion(request).unwrap().under_way;
    assert_eq!(under_way[0].gone_from, ["a"]);
    assert!(under_way[0].note.contains("replica `b` is away"), "{}", under_way[0].note);
    let refused = desk.restore_object(LETTERS, None).unwrap_err();
    assert!(refused.to_string().contains("is being deleted"), "{refused}");
    let make = |path: &Path| write_tar(path, "letters", &bag(&[("new.txt", b"new\n")]));
    let ingest = deposit(&rig, "letters.tar", make).unwrap();
    rig.drain();
    assert!(note(&rig, ingest).contains("was approved and has to end first"));

    fs::remove_dir(&b).unwrap();
    byteio::durable::rename(&aside, &b).unwrap();
    // A check that comes first does not bring back from one replica what is gone from another.
    let check = NewItem {
        flow: "fixity".into(),
        topic: "fixity_check".into(),
        subject: Subject {
            action: "Fixity Check".into(),
            name: "letters".into(),
            object_identifier: Some(LETTERS.into()),
            user: "ann@example.edu".into(),
            ..Subject::default()
        },
        ..NewItem::default()
    };
    let check = rig.queue().push(check).unwrap().id;
    rig.drain();
    assert!(note(&rig, check).contains("it is being deleted"), "{}", note(&rig, check));
    assert!(!is_somewhere(&a, b"alpha\n"));
    rig.drain_all();
    assert_eq!(state_of(&rig, request), "completed");
    assert_eq!(rig.word(ingest), "finished", "{:#?}", rig.history(ingest));
    let object = rig.app().desk().held_object(LETTERS).unwrap();
    assert_eq!((object.state, object.version), (HeldState::Active, Version(2)));
    assert!(!is_somewhere(&b, b"alpha\n") && is_somewhere(&b, b"new\n"));
    ocfl::validate(&[&a, &b]);
    assert_eq!(rig.app().desk().doctor(false).unwrap().findings, []);
}

#[test]
fn a_wish_to_cancel_the_item_does_not_undo_the_agreement() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let (request, items) = agree(&rig, &[LETTERS], &[]);
    rig.controls().cancel(items[0], "the test").unwrap();
    rig.drain_all();
    assert_eq!(rig.word(items[0]), "cancelled");
    assert_eq!(state_of(&rig, request), "approved");
    assert_eq!(sweep(&rig), 1);
    rig.drain_all();
    assert_eq!(state_of(&rig, request), "completed");
}
