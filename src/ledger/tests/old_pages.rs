//! Pages of earlier programs: bloated, at odds with each other, or unknown to the registry.

use storage::registry::{LedgerPage, Registry};

use super::{
    comes_back, end_items, forged, keeper, key, numbers, rebuilt, registry, replica, replica_away,
};
use crate::vault::{PageId, Replica};

/// Pages as an earlier program left them, with every line of an event written again and again.
fn bloat(registry: &Registry, replicas: &[&Replica]) -> usize {
    let (mut lines, mut pages) = (Vec::new(), Vec::new());
    loop {
        let untold = registry.untold(100).unwrap();
        if untold.upto == 0 {
            break;
        }
        lines.extend(untold.lines);
        let newest = LedgerPage { number: 1, line_count: 0, sha512: [0; 64] };
        registry.told(untold.upto, &newest).unwrap();
        pages.push(lines.iter().map(|line| format!("{line}\n")).collect::<String>());
    }
    let mut len = 0;
    for (number, body) in (1..).zip(&pages) {
        let sha512 = crate::ledger::key::sha512(&[body.as_bytes()]);
        let line_count = u32::try_from(body.lines().count()).unwrap();
        let hex = crate::ledger::key::hex(&sha512);
        let bytes = format!("{body}{{\"end\":{{\"lines\":{line_count},\"sha512\":\"{hex}\"}}}}\n");
        len += bytes.len();
        for replica in replicas {
            let id = PageId { series: 0, number };
            replica.put_journal_page(id, bytes.as_bytes()).unwrap();
        }
        let newest = LedgerPage { number, line_count, sha512 };
        registry.note_old_ledger_page(&newest).unwrap();
    }
    len
}

#[test]
fn a_bloated_journal_is_rewritten_and_comes_back_whole_from_every_state_in_between() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..1500, "first");
    let before = bloat(&registry, &[&a, &b]);
    let key = key(dir.path());
    let whole = |replica: &Replica| {
        assert_eq!(rebuilt(dir.path(), replica, &registry, Some(&key)), [""; 0]);
        assert_eq!(rebuilt(dir.path(), replica, &registry, None), [""; 0], "also without the key");
    };
    whole(&a);
    // One replica is away at first. Between any two steps the program is killed.
    end_items(&registry, 1500..1502, "while it is rewritten");
    for _ in 0..3 {
        let mut keeper = keeper(dir.path());
        keeper.keep(&registry, &[&a, &replica_away(dir.path())]).unwrap();
        whole(&a);
        keeper.rewrite(&registry, &[&a, &replica_away(dir.path())]).unwrap();
        whole(&a);
    }
    assert!(
        numbers(&a).contains(&(0, 1)),
        "old pages are kept until every replica has the new ones"
    );
    let mut alarms = Vec::new();
    for round in 0.. {
        let mut keeper = keeper(dir.path());
        keeper.keep(&registry, &[&a, &b]).unwrap();
        whole(&a);
        whole(&b);
        keeper.rewrite(&registry, &[&a, &b]).unwrap();
        alarms.extend(keeper.take_alarms());
        whole(&a);
        whole(&b);
        if !registry.journal().unwrap().unwrap().has_older {
            break;
        }
        assert!(round < 20, "it comes to an end");
    }
    assert_eq!(alarms, []);
    for replica in [&a, &b] {
        assert!(numbers(replica).iter().all(|(series, _)| *series == 1), "{:?}", numbers(replica));
        let sizes = replica
            .journal_pages()
            .unwrap()
            .into_iter()
            .map(|page| replica.journal_page(page).unwrap().unwrap().len());
        let after: usize = sizes.sum();
        assert!(after * 5 < before, "{before} bytes became {after}");
    }
    // Once.
    let mut keeper = keeper(dir.path());
    keeper.keep(&registry, &[&a, &b]).unwrap();
    assert!(!keeper.rewrite(&registry, &[&a, &b]).unwrap());
}

#[test]
fn old_pages_that_disagree_are_an_alarm_and_are_kept_aside() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..300, "first");
    bloat(&registry, &[&a, &b]);
    let old = PageId { series: 0, number: 2 };
    let good = a.journal_page(old).unwrap().unwrap();
    a.put_journal_page(old, &forged(&good)[..good.len() / 2]).unwrap();
    let mut keeper = keeper(dir.path());
    keeper.keep(&registry, &[&a, &b]).unwrap();
    while keeper.rewrite(&registry, &[&a, &b]).unwrap() {
        keeper.keep(&registry, &[&a, &b]).unwrap();
    }
    let alarms = keeper.take_alarms();
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    let kept = dir.path().join("a").join(alarms[0].kept.as_ref().unwrap());
    assert_eq!(std::fs::read(kept).unwrap(), forged(&good)[..good.len() / 2]);
    for replica in [&a, &b] {
        assert!(numbers(replica).iter().all(|(series, _)| *series == 1));
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn a_registry_that_is_older_than_the_journal_removes_nothing_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..1000, "first");
    bloat(&registry, &[&a, &b]);
    let fresh = self::registry(dir.path(), "fresh.sqlite");
    end_items(&fresh, 2000..2002, "of a registry that knows nothing");
    let mut keeper = keeper(dir.path());
    keeper.keep(&fresh, &[&a, &b]).unwrap();
    while keeper.rewrite(&fresh, &[&a, &b]).unwrap() {
        keeper.keep(&fresh, &[&a, &b]).unwrap();
    }
    assert_eq!(keeper.take_alarms().len(), 1);
    assert!(numbers(&a).contains(&(0, 10)), "{:?}", numbers(&a));
    end_items(&registry, 2000..2002, "of a registry that knows nothing");
    assert_eq!(rebuilt(dir.path(), &b, &registry, Some(&key(dir.path()))), [""; 0]);
}
