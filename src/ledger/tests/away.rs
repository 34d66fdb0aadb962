//! Replicas that are away while the program runs: the others are written to, and read no more often.

use ocfl::Replica;
use storage::registry::JournalPhase;

use super::{comes_back, end_items, forged, id, keeper, numbers, registry, replica};

#[test]
fn lines_are_written_to_the_replicas_that_are_there_whichever_goes_away() {
    for is_reversed in [false, true] {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
        let both: [&Replica; 2] = if is_reversed { [&b, &a] } else { [&a, &b] };
        let registry = registry(dir.path(), "registry.sqlite");
        let mut keeper = keeper(dir.path());
        end_items(&registry, 1..3, "first");
        assert_eq!(keeper.keep(&registry, &both).unwrap(), 2);
        let (place, away) = (dir.path().join("a"), dir.path().join("away"));
        byteio::durable::rename(&place, &away).unwrap();
        for id in 3..6 {
            end_items(&registry, id..id + 1, "while a is away");
            assert_eq!(keeper.keep(&registry, &both).unwrap(), 1, "reversed: {is_reversed}");
            comes_back(dir.path(), &b, &registry);
        }
        assert!(!place.try_exists().unwrap(), "a disk that is not mounted is not filled");
        byteio::durable::rename(&away, &place).unwrap();
        assert_eq!(keeper.keep(&registry, &both).unwrap(), 0);
        comes_back(dir.path(), &a, &registry);
        assert_eq!(keeper.take_alarms(), []);
    }
}

/// An older page that was read would be noticed, because it was changed.
#[test]
fn while_a_replica_is_away_older_pages_of_the_others_are_not_read_again_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    let mut keeper = keeper(dir.path());
    end_items(&registry, 1..2500, "first");
    keeper.keep(&registry, &[&a, &b]).unwrap();
    assert!(numbers(&a).len() > 2, "{:?}", numbers(&a));
    let (place, away) = (dir.path().join("b"), dir.path().join("away"));
    byteio::durable::rename(&place, &away).unwrap();
    let good = a.journal_page(id(1)).unwrap().unwrap();
    a.put_journal_page(id(1), &forged(&good)).unwrap();
    for round in 0..10 {
        end_items(&registry, 3000 + round..3001 + round, "while b is away");
        assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 1);
        assert_eq!(keeper.take_alarms(), [], "round {round}");
    }
    assert_eq!(a.journal_page(id(1)).unwrap(), Some(forged(&good)));
    // Once b is back, every page of both is looked at.
    byteio::durable::rename(&away, &place).unwrap();
    keeper.keep(&registry, &[&a, &b]).unwrap();
    assert_eq!(keeper.take_alarms().len(), 1);
    for replica in [&a, &b] {
        comes_back(dir.path(), replica, &registry);
    }
}

/// A folder that can be listed and not be written to, as a full disk.
#[test]
fn a_replica_that_is_there_and_takes_nothing_does_not_have_the_others_read_again_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    let mut keeper = keeper(dir.path());
    end_items(&registry, 1..2500, "first");
    keeper.keep(&registry, &[&a, &b]).unwrap();
    // A file where parts of files are made keeps every file from being written.
    let parts = dir.path().join("b/extensions/strongroom-replica/parts");
    drop(std::fs::remove_dir_all(&parts));
    byteio::durable::write(&parts, b"in the way", false).unwrap();
    let good = a.journal_page(id(1)).unwrap().unwrap();
    a.put_journal_page(id(1), &forged(&good)).unwrap();
    for round in 0..10 {
        end_items(&registry, 3000 + round..3001 + round, "while b takes nothing");
        assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 1);
        assert_eq!(keeper.take_alarms(), [], "round {round}");
    }
    std::fs::remove_file(&parts).unwrap();
    b.prepare().unwrap();
    keeper.keep(&registry, &[&a, &b]).unwrap();
    assert_eq!(keeper.take_alarms().len(), 1);
    for replica in [&a, &b] {
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn a_journal_that_was_begun_while_a_replica_was_away_becomes_whole_when_it_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), super::replica_away(dir.path()));
    let registry = registry(dir.path(), "registry.sqlite");
    let mut keeper = keeper(dir.path());
    end_items(&registry, 1..1500, "first");
    assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 1499);
    comes_back(dir.path(), &a, &registry);
    b.prepare().unwrap();
    keeper.keep(&registry, &[&a, &b]).unwrap();
    while keeper.rewrite(&registry, &[&a, &b]).unwrap() {
        keeper.keep(&registry, &[&a, &b]).unwrap();
    }
    assert_eq!(registry.journal().unwrap().unwrap().phase, JournalPhase::Whole);
    assert_eq!(keeper.take_alarms(), []);
    for replica in [&a, &b] {
        comes_back(dir.path(), replica, &registry);
    }
}
