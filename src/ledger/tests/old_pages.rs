//! Pages of earlier programs: bloated, at odds with each other, or unknown to the registry.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ocfl::{PageId, Replica};
use storage::registry::{Journal, JournalPhase, LedgerPage, Registry};

use super::{
    Keeper, comes_back, end_items, forged, id, keeper, key, numbers, rebuilt, registry, replica,
    replica_away, retell,
};

/// A page as an earlier program wrote it: the digest of its lines is all that vouches for them.
fn old_page(body: &str) -> Vec<u8> {
    let sha512 = crate::ledger::key::hex(&crate::ledger::key::sha512(&[body.as_bytes()]));
    let lines = body.lines().count();
    format!("{body}{{\"end\":{{\"lines\":{lines},\"sha512\":\"{sha512}\"}}}}\n").into_bytes()
}

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
        let bytes = old_page(body);
        len += bytes.len();
        for replica in replicas {
            let id = PageId { series: 0, number };
            replica.put_journal_page(id, &bytes).unwrap();
        }
        let page = super::page::read(&bytes).unwrap();
        let newest = LedgerPage { number, line_count: page.line_count, sha512: page.sha512 };
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
    // Often enough for every row to be written, the new pages read back and the old ones removed.
    for _ in 0..7 {
        let mut keeper = keeper(dir.path());
        keeper.keep(&registry, &[&a, &replica_away(dir.path())]).unwrap();
        keeper.rewrite(&registry, &[&a, &replica_away(dir.path())]).unwrap();
    }
    let journal = registry.journal().unwrap().unwrap();
    assert_eq!((journal.phase, journal.has_older), (JournalPhase::Whole, true));
    assert!(
        numbers(&a).contains(&(0, 1)),
        "old pages are kept until every replica has the new ones"
    );
    whole(&a);
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
fn old_pages_are_kept_while_a_new_page_in_one_replica_is_not_what_was_written() {
    type Damage = fn(&[u8]) -> Vec<u8>;
    let damages: [(&str, Damage); 2] =
        [("cut", |bytes| bytes[..bytes.len() / 2].to_vec()), ("forged", forged)];
    for (how, damage) in damages {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
        let registry = registry(dir.path(), "registry.sqlite");
        end_items(&registry, 1..1500, "first");
        bloat(&registry, &[&a, &b]);
        let mut keeper = keeper(dir.path());
        let journal = || registry.journal().unwrap();
        while journal().is_none_or(|it| it.phase != JournalPhase::Whole) {
            keeper.keep(&registry, &[&a, &b]).unwrap();
            keeper.rewrite(&registry, &[&a, &b]).unwrap();
        }
        // Not the newest page, which is read before it is written once more.
        assert!(journal().unwrap().page.number > 1);
        let good = a.journal_page(id(1)).unwrap().unwrap();
        b.put_journal_page(id(1), &damage(&good)).unwrap();
        let old = (0, 1);
        for round in 0.. {
            keeper.keep(&registry, &[&a, &b]).unwrap();
            keeper.rewrite(&registry, &[&a, &b]).unwrap();
            let is_good = b.journal_page(id(1)).unwrap().as_ref() == Some(&good);
            let is_kept = [&a, &b].iter().all(|replica| numbers(replica).contains(&old));
            assert!(is_good || is_kept, "{how}: nothing else has what stood on this page");
            if !journal().unwrap().has_older {
                break;
            }
            assert!(round < 20, "{how}: it comes to an end");
        }
        let alarms = keeper.take_alarms();
        assert_eq!(alarms.len(), 1, "{how}: {alarms:?}");
        assert_eq!(alarms[0].replica.as_deref(), Some("b"));
        for replica in [&a, &b] {
            assert!(numbers(replica).iter().all(|(series, _)| *series == 1));
            comes_back(dir.path(), replica, &registry);
        }
    }
}

fn is_an_alarm_and_is_kept_aside(change: impl Fn(&[u8]) -> Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..300, "first");
    bloat(&registry, &[&a, &b]);
    let old = PageId { series: 0, number: 2 };
    let good = a.journal_page(old).unwrap().unwrap();
    let bad = change(&good);
    a.put_journal_page(old, &bad).unwrap();
    let mut keeper = keeper(dir.path());
    keeper.keep(&registry, &[&a, &b]).unwrap();
    while keeper.rewrite(&registry, &[&a, &b]).unwrap() {
        keeper.keep(&registry, &[&a, &b]).unwrap();
    }
    let alarms = keeper.take_alarms();
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    let kept = dir.path().join("a").join(alarms[0].kept.as_ref().unwrap());
    assert_eq!(std::fs::read(kept).unwrap(), bad);
    for replica in [&a, &b] {
        assert!(numbers(replica).iter().all(|(series, _)| *series == 1));
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn old_pages_that_disagree_are_an_alarm_and_are_kept_aside() {
    is_an_alarm_and_is_kept_aside(|good| forged(good)[..good.len() / 2].to_vec());
}

/// Everybody can make the digest of other lines right: a shorter page must be the beginning of the
/// longer one.
#[test]
fn an_old_page_that_is_whole_and_is_no_beginning_of_the_longer_is_kept_aside() {
    is_an_alarm_and_is_kept_aside(|good| {
        let body = super::page::read(good).unwrap().body;
        let half = body.lines().count() / 2;
        let begin: String = body.split_inclusive('\n').take(half).collect();
        let changed = begin.replacen("finished", "finishes", 1);
        assert_ne!(changed, begin);
        let bad = old_page(&changed);
        assert!(super::page::read(&bad).is_some_and(|page| page.body == changed));
        bad
    });
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

/// Keeps and rewrites until there is nothing more to do now.
fn rest(keeper: &mut Keeper, registry: &Registry, replicas: &[&Replica]) {
    keeper.keep(registry, replicas).unwrap();
    while keeper.rewrite(registry, replicas).unwrap() {
        keeper.keep(registry, replicas).unwrap();
    }
}

#[test]
fn what_was_written_before_the_update_is_copied_although_its_replica_is_away_at_the_first_start() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..300, "first");
    bloat(&registry, &[&a]);
    let (place, away) = (dir.path().join("a"), dir.path().join("away"));
    byteio::durable::rename(&place, &away).unwrap();
    let mut keeper = keeper(dir.path());
    rest(&mut keeper, &registry, &[&a, &b]);
    comes_back(dir.path(), &b, &registry);
    byteio::durable::rename(&away, &place).unwrap();
    for _ in 0..2 {
        rest(&mut keeper, &registry, &[&a, &b]);
        for replica in [&a, &b] {
            comes_back(dir.path(), replica, &registry);
        }
    }
    assert_eq!(keeper.take_alarms(), []);
    let journal = registry.journal().unwrap().unwrap();
    assert_eq!((journal.phase, journal.has_older), (JournalPhase::Whole, false));
}

#[test]
fn what_was_written_before_the_update_is_copied_to_a_replica_that_replaced_the_only_one() {
    let dir = tempfile::tempdir().unwrap();
    let (lost, new) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..300, "first");
    bloat(&registry, &[&lost]);
    let mut keeper = keeper(dir.path());
    rest(&mut keeper, &registry, &[&new]);
    comes_back(dir.path(), &new, &registry);
    assert_eq!(registry.journal().unwrap().unwrap().phase, JournalPhase::Whole);
}

#[test]
fn pages_in_a_replica_that_was_away_when_a_new_registry_began_are_kept_and_are_an_alarm() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..1000, "first");
    bloat(&registry, &[&a]);
    let (place, away) = (dir.path().join("a"), dir.path().join("away"));
    byteio::durable::rename(&place, &away).unwrap();
    let fresh = self::registry(dir.path(), "fresh.sqlite");
    end_items(&fresh, 2000..2002, "of a registry that knows nothing");
    let mut keeper = keeper(dir.path());
    rest(&mut keeper, &fresh, &[&a, &b]);
    assert_eq!(keeper.take_alarms(), []);
    byteio::durable::rename(&away, &place).unwrap();
    rest(&mut keeper, &fresh, &[&a, &b]);
    let alarms = keeper.take_alarms();
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert!(alarms[0].what.contains("that the registry does not know"), "{alarms:?}");
    end_items(&registry, 2000..2002, "of a registry that knows nothing");
    comes_back(dir.path(), &a, &registry);
}

#[test]
fn a_keeper_that_is_stopped_takes_no_more_pages_away_and_goes_on_later() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..90, "first");
    bloat(&registry, &[&a, &b]);
    let all = 120;
    for replica in [&a, &b] {
        let page = replica.journal_page(PageId { series: 0, number: 1 }).unwrap().unwrap();
        for number in 2..=all {
            replica.put_journal_page(PageId { series: 0, number }, &page).unwrap();
        }
    }
    let newest = registry.ledger_page().unwrap().unwrap();
    registry.note_old_ledger_page(&LedgerPage { number: all, ..newest }).unwrap();
    let all = all as usize;
    let old =
        |replica: &Replica| numbers(replica).iter().filter(|(series, _)| *series == 0).count();
    let asked = Arc::new(AtomicUsize::new(usize::MAX));
    let left = Arc::clone(&asked);
    // It is stopped after so many questions.
    let stops = move || {
        let spend = |left: usize| left.checked_sub(1);
        left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend).is_err()
    };
    let mut keeper = keeper(dir.path()).stopped_by(stops);
    while old(&a) == all {
        keeper.keep(&registry, &[&a, &b]).unwrap();
        keeper.rewrite(&registry, &[&a, &b]).unwrap();
    }
    assert_eq!(old(&a), all - 50);
    asked.store(3, Ordering::SeqCst);
    assert!(keeper.rewrite(&registry, &[&a, &b]).unwrap());
    assert_eq!(old(&a), all - 53, "it asked before each page");
    assert!(keeper.rewrite(&registry, &[&a, &b]).unwrap());
    assert_eq!(old(&a), all - 53);
    asked.store(usize::MAX, Ordering::SeqCst);
    rest(&mut keeper, &registry, &[&a, &b]);
    for replica in [&a, &b] {
        assert_eq!(old(replica), 0);
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn a_registry_from_before_the_update_has_a_whole_journal_again_after_the_rebuild_it_asks_for() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..300, "first");
    bloat(&registry, &[&a, &b]);
    registry.checkpoint().unwrap();
    let snapshot = dir.path().join("snapshot.sqlite");
    std::fs::copy(dir.path().join("registry.sqlite"), &snapshot).unwrap();
    let mut keeper = keeper(dir.path());
    keeper.keep(&registry, &[&a, &b]).unwrap();
    keeper.rewrite(&registry, &[&a, &b]).unwrap();
    end_items(&registry, 300..310, "after the update");
    keeper.keep(&registry, &[&a, &b]).unwrap();
    // The snapshot is put back.
    let older = self::registry(dir.path(), "snapshot.sqlite");
    let mut keeper = self::keeper(dir.path());
    rest(&mut keeper, &older, &[&a, &b]);
    assert_eq!(keeper.take_alarms().len(), 1);
    assert_eq!(older.journal().unwrap().unwrap().phase, JournalPhase::Partial);
    // As the alarm advises.
    let again = self::registry(dir.path(), "rebuilt.sqlite");
    let key = key(dir.path());
    let replayed = retell(&a, &[&b], (&again, Some(&key)), &mut |it| panic!("{it}")).unwrap();
    assert!(replayed.journal.is_none());
    let series = replayed.highest_series + 1;
    let begun = Journal::begun(series, &key.id(), JournalPhase::Copying, true);
    again.begin_journal(&begun).unwrap();
    let mut keeper = self::keeper(dir.path());
    rest(&mut keeper, &again, &[&a, &b]);
    assert_eq!(keeper.take_alarms(), []);
    let journal = again.journal().unwrap().unwrap();
    assert_eq!((journal.phase, journal.has_older), (JournalPhase::Whole, false));
    for replica in [&a, &b] {
        assert!(numbers(replica).iter().all(|(it, _)| *it == series), "{:?}", numbers(replica));
        comes_back(dir.path(), replica, &registry);
    }
}
