//! Pages grow, fill up, are caught up with, and come back as the rows they were told from.

use std::path::Path;

use storage::clock::Timestamp;
use storage::registry::{EXPORTED_TABLES, Error, ItemRow, Registry};

use super::Keeper;
use super::retell::retell;
use crate::vault::{Replica, ReplicaSettings};

fn replica(dir: &Path, name: &str) -> Replica {
    let settings = ReplicaSettings::folder(name, dir.join(name).to_str().unwrap());
    let replica = Replica::new(settings, None, dir).unwrap();
    replica.prepare().unwrap();
    replica
}

fn registry(dir: &Path, name: &str) -> Registry {
    Registry::open(&dir.join(name), Timestamp(1)).unwrap()
}

fn end_items(registry: &Registry, ids: std::ops::Range<i64>, note: &str) {
    let item = |id| ItemRow {
        id,
        state: "finished".into(),
        note: note.into(),
        revision: i64::try_from(note.len()).unwrap(),
        ..ItemRow::default()
    };
    registry.record_items(&ids.map(item).collect::<Vec<_>>(), &[], &[]).unwrap();
}

fn exported(registry: &Registry) -> Vec<String> {
    let mut lines = Vec::new();
    for table in EXPORTED_TABLES {
        registry
            .export_rows(table, &mut |row| {
                lines.push(format!("{table} {row}"));
                Ok::<_, Error>(())
            })
            .unwrap();
    }
    lines
}

/// A registry made again from a replica says the same as the one that was lost.
fn comes_back(dir: &Path, from: &Replica, original: &Registry) {
    let path = dir.join("again.sqlite");
    drop(std::fs::remove_file(&path));
    let again = Registry::open(&path, Timestamp(1)).unwrap();
    let mut damage = Vec::new();
    let retold = retell(from, &again, &mut |sentence| damage.push(sentence)).unwrap();
    assert_eq!((retold.left_out, damage.len()), (0, 0), "{damage:?}");
    assert_eq!(exported(&again), exported(original), "from {}", from.name());
    assert_eq!(again.ledger_page().unwrap(), original.ledger_page().unwrap());
    assert_eq!(again.untold(10).unwrap().lines.len(), 0, "what came from a page is not told again");
}

#[test]
fn pages_grow_fill_up_and_are_caught_up_with() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    let mut keeper = Keeper::default();
    assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 0);
    end_items(&registry, 1..3, "first");
    assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 2);
    assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 0, "told once");
    assert_eq!(a.ledger_pages().unwrap(), [1]);
    comes_back(dir.path(), &b, &registry);

    // One is away while the page grows, and the next, and an item ends once more.
    end_items(&registry, 3..1500, "second one");
    assert_eq!(keeper.keep(&registry, &[&a]).unwrap(), 1497);
    end_items(&registry, 1..2, "ended once more");
    assert_eq!(keeper.keep(&registry, &[&a]).unwrap(), 1);
    assert_eq!((a.ledger_pages().unwrap(), b.ledger_pages().unwrap()), (vec![1, 2], vec![1]));
    comes_back(dir.path(), &a, &registry);
    // Back again, also to a program that was started anew.
    assert_eq!(Keeper::default().keep(&registry, &[&a, &b]).unwrap(), 0);
    for number in 1..=2 {
        assert_eq!(a.ledger_page(number).unwrap(), b.ledger_page(number).unwrap());
    }
    comes_back(dir.path(), &b, &registry);
    // A page that was damaged is mended from another replica at the next start.
    b.put_ledger_page(1, b"{\"torn\": ").unwrap();
    assert_eq!(Keeper::default().keep(&registry, &[&a, &b]).unwrap(), 0);
    comes_back(dir.path(), &b, &registry);
}

#[test]
fn nothing_is_told_while_nobody_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let a = replica(dir.path(), "a");
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..3, "first");
    let (place, away) = (dir.path().join("a"), dir.path().join("away"));
    storage::durable::rename(&place, &away).unwrap();
    let mut keeper = Keeper::default();
    assert_eq!(keeper.keep(&registry, &[&a]).unwrap(), 0);
    assert!(!place.try_exists().unwrap(), "a disk that is not mounted is not filled");
    storage::durable::rename(&away, &place).unwrap();
    assert_eq!(keeper.keep(&registry, &[&a]).unwrap(), 2);
    comes_back(dir.path(), &a, &registry);
}

#[test]
fn a_damaged_page_is_told_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let a = replica(dir.path(), "a");
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..3, "first");
    Keeper::default().keep(&registry, &[&a]).unwrap();
    a.put_ledger_page(1, b"{\"torn\": ").unwrap();
    end_items(&registry, 3..4, "second");
    Keeper::default().keep(&registry, &[&a]).unwrap();
    assert_eq!(a.ledger_pages().unwrap(), [1, 2]);
    let again = self::registry(dir.path(), "again.sqlite");
    let mut damage = Vec::new();
    let retold = retell(&a, &again, &mut |sentence| damage.push(sentence)).unwrap();
    assert_eq!(retold.taken, 1);
    assert_eq!(damage, ["page 1 of the ledger is damaged"]);
}
