//! A replica is away: what it may have intact is waited for, and is not called lost.

use std::path::Path;
use std::sync::{Arc, Mutex};

use storage::registry::CopyState;
use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::config::ProfileChoice;
use strongroom::fixity::FixityDue;
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::{DAY, object, pass, place, states, told, vault, write};
use crate::harness::{Rig, lock, secs};
use crate::ingest::{deposit_letters, open, rig};

const FILE: &str = "letters/data/a.txt";
const PLACE: &str = "v1/content/data/a.txt";

fn held() -> Rig<App> {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    rig
}

/// Looks for what is due after a quarter of a year, and does what can be done now.
fn check(rig: &Rig<App>) -> ItemId {
    pass(rig, 91 * DAY);
    FixityDue.sweep(rig.app(), 10).unwrap();
    let id = rig.items().iter().map(|item| item.id).max().unwrap();
    rig.drain();
    id
}

/// Lets the waiting items look again.
fn look_again(rig: &Rig<App>) {
    rig.clock.advance(secs(600));
    rig.drain();
}

fn take_away(rig: &Rig<App>, replica: &str) {
    byteio::durable::rename(&vault(rig, replica), &vault(rig, "elsewhere")).unwrap();
}

fn bring_back(rig: &Rig<App>, replica: &str) {
    byteio::durable::rename(&vault(rig, "elsewhere"), &vault(rig, replica)).unwrap();
}

fn alerts(rig: &Rig<App>, kind: &str) -> usize {
    rig.app().registry.open_alerts(kind, 100).unwrap().len()
}

#[track_caller]
fn waits_for(rig: &Rig<App>, id: ItemId, replica: &str) {
    let wait = rig.item(id).waiting.unwrap_or_else(|| panic!("{:#?}", rig.history(id)));
    assert_eq!((wait.cause.as_str(), wait.what.as_str()), ("replica-away", replica));
}

/// Whether the object counts as looked at in a replica since the item was made.
fn is_looked_at(rig: &Rig<App>, replica: &str, id: ItemId) -> bool {
    let registry = &rig.app().registry;
    let rows = registry.replicas(10).unwrap();
    let row = rows.iter().find(|row| row.replica.name == replica).unwrap();
    let at = registry.object_check(object(rig, "letters").id, row.id).unwrap();
    at >= Some(rig.item(id).created)
}

#[test]
fn what_a_replica_that_is_away_has_intact_is_not_lost_and_is_repaired_from_it() {
    let rig = held();
    write(&place(&rig, "a", PLACE), b"alphA\n");
    let damaged = place(&rig, "a", PLACE);
    take_away(&rig, "b");
    let id = check(&rig);
    waits_for(&rig, id, "b");
    assert_eq!((alerts(&rig, "file-lost"), alerts(&rig, "copy-failed")), (0, 1));
    let registry = &rig.app().registry;
    let unsound = registry.unsound_copies(None, 10).unwrap();
    assert_eq!(unsound.len(), 2, "two files have these bytes: {unsound:#?}");
    assert!(unsound.iter().all(|copy| !copy.is_lost && copy.replica == "a"), "{unsound:#?}");
    assert!(registry.lost_files(object(&rig, "letters").id, None, 10).unwrap().is_empty());
    assert!(!is_looked_at(&rig, "a", id), "it is read again when b is back");

    // While it is away nothing is read again, and nothing is told again.
    let before = told(&rig);
    write(&place(&rig, "a", "v1/content/data/deep/er/b.xml"), b"other");
    look_again(&rig);
    waits_for(&rig, id, "b");
    assert_eq!(told(&rig), before);
    assert_eq!(registry.unsound_copies(None, 10).unwrap().len(), 2);

    bring_back(&rig, "b");
    look_again(&rig);
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(std::fs::read(damaged).unwrap(), b"alpha\n");
    assert_eq!(states(&rig, FILE), [CopyState::Sound; 2]);
    assert!(is_looked_at(&rig, "a", id) && is_looked_at(&rig, "b", id));
    assert_eq!((alerts(&rig, "file-lost"), alerts(&rig, "copy-failed")), (0, 0));
    let repaired = told(&rig).into_iter().filter(|it| it.starts_with("repair Success"));
    assert_eq!(repaired.count(), 3);
    assert_eq!(rig.app().registry.check().unwrap(), []);
}

#[test]
fn a_known_loss_stays_told_while_something_else_waits_for_a_replica() {
    let rig = held();
    for replica in ["a", "b"] {
        write(&place(&rig, replica, PLACE), b"alphA\n");
    }
    let first = check(&rig);
    assert_eq!(rig.word(first), "failed", "{:#?}", rig.history(first));
    take_away(&rig, "b");
    // And something that b has intact.
    write(&place(&rig, "a", "v1/content/data/deep/er/b.xml"), b"other");
    let id = check(&rig);
    waits_for(&rig, id, "b");
    assert!(alerts(&rig, "file-lost") > 0, "what is lost stays told");
    bring_back(&rig, "b");
    look_again(&rig);
    assert_eq!(rig.word(id), "failed", "{:#?}", rig.history(id));
    assert!(rig.reason(id).happened.contains("data/a.txt"), "{:?}", rig.reason(id));
    assert_eq!(states(&rig, "letters/data/deep/er/b.xml"), [CopyState::Sound; 2]);
}

#[test]
fn a_loss_that_is_known_is_told_while_a_replica_is_away() {
    let rig = held();
    for replica in ["a", "b"] {
        write(&place(&rig, replica, PLACE), b"alphA\n");
    }
    check(&rig);
    take_away(&rig, "b");
    let id = check(&rig);
    assert_eq!(rig.word(id), "failed", "{:#?}", rig.history(id));
    assert_eq!(rig.reason(id).code, "no-intact-copy");
    assert!(alerts(&rig, "file-lost") > 0);
}

#[test]
fn an_inventory_that_only_a_replica_that_is_away_may_have_is_waited_for() {
    let rig = held();
    let root = vault(&rig, "a");
    let inventories: Vec<_> = crate::ingest::tree(&root)
        .into_iter()
        .filter(|it| it.ends_with("inventory.json"))
        .map(|it| root.join(it))
        .collect();
    assert_eq!(inventories.len(), 2, "{inventories:#?}");
    inventories.iter().for_each(|path| write(path, b"{}"));
    take_away(&rig, "b");
    let id = check(&rig);
    waits_for(&rig, id, "b");
    bring_back(&rig, "b");
    look_again(&rig);
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    crate::ingest::ocfl::validate(&[&vault(&rig, "a"), &vault(&rig, "b")]);
}

#[test]
fn a_replica_that_is_not_configured_any_more_counts_as_away() {
    let both = "[replica.a]\nurl = \"vault/a\"\n[replica.b]\nurl = \"vault/b\"\n\
        [option.Standard]\nreplicas = [\"a\", \"b\"]\n";
    let one = "[replica.a]\nurl = \"vault/a\"\n[option.Standard]\nreplicas = [\"a\"]\n";
    let chosen = Arc::new(Mutex::new(both));
    let toml = Arc::clone(&chosen);
    let mut rig = Rig::around(FLOWS, move |dir: &Path, clock| {
        let data = dir.join("data");
        Box::new(move || open(FLOWS, &data, clock.clone(), (*lock(&toml), &ProfileChoice::Named)))
    });
    deposit_letters(&rig);
    rig.drain_all();
    write(&place(&rig, "a", PLACE), b"alphA\n");
    *lock(&chosen) = one;
    rig.restart();
    let id = check(&rig);
    waits_for(&rig, id, "b");
    assert_eq!(alerts(&rig, "file-lost"), 0);
    *lock(&chosen) = both;
    rig.restart();
    look_again(&rig);
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    assert_eq!(states(&rig, FILE), [CopyState::Sound; 2]);
}
