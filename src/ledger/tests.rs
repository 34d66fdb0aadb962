//! Pages grow, fill up, are caught up with, and come back as the rows they were written from. What was
//! not written by us is believed by nobody.

mod away;
mod old_pages;

use std::path::Path;

use ocfl::{PageId, Replica, ReplicaSettings};
use storage::clock::Timestamp;
use storage::registry::{EXPORTED_TABLES, Error, ItemRow, JournalPhase, Registry};

use super::retell::retell;
use super::{Alarm, Keeper, Key, page};

fn replica(dir: &Path, name: &str) -> Replica {
    let settings = ReplicaSettings::folder(name, dir.join(name).to_str().unwrap());
    let replica = Replica::new(settings, None, dir).unwrap();
    replica.prepare().unwrap();
    replica
}

fn registry(dir: &Path, name: &str) -> Registry {
    Registry::open(&dir.join(name), Timestamp(1)).unwrap()
}

fn key(dir: &Path) -> Key {
    Key::open(&dir.join("journal.key")).unwrap()
}

fn keeper(dir: &Path) -> Keeper {
    Keeper::new(key(dir))
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

/// What a rebuild from a replica says is wrong; the registry it makes is compared with the original.
fn rebuilt(dir: &Path, from: &Replica, original: &Registry, key: Option<&Key>) -> Vec<String> {
    let path = dir.join("again.sqlite");
    drop(std::fs::remove_file(&path));
    let again = Registry::open(&path, Timestamp(1)).unwrap();
    let mut damage = Vec::new();
    let mut tell = |sentence| damage.push(sentence);
    let replayed = retell(from, &[], (&again, key), &mut tell).unwrap();
    assert_eq!(replayed.retold.left_out, 0);
    assert_eq!(exported(&again), exported(original), "from {}: {damage:?}", from.name());
    assert_eq!(again.untold(10).unwrap().lines.len(), 0, "what came from a page is not told again");
    if let Some(journal) = replayed.journal {
        assert_eq!(journal.page, original.journal().unwrap().unwrap().page);
    }
    damage
}

/// A registry made again from a replica says the same as the one that was lost.
fn comes_back(dir: &Path, from: &Replica, original: &Registry) {
    let damage = rebuilt(dir, from, original, Some(&key(dir)));
    assert_eq!(damage, [""; 0]);
}

fn numbers(replica: &Replica) -> Vec<(u32, u32)> {
    replica.journal_pages().unwrap().iter().map(|page| (page.series, page.number)).collect()
}

fn id(number: u32) -> PageId {
    PageId { series: 1, number }
}

/// Keeps as a program that was just started, and says what people are told.
fn start(dir: &Path, registry: &Registry, replicas: &[&Replica]) -> (usize, Vec<Alarm>) {
    let mut keeper = keeper(dir);
    let kept = keeper.keep(registry, replicas).unwrap();
    (kept, keeper.take_alarms())
}

#[test]
fn pages_grow_fill_up_and_are_caught_up_with() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    let mut keeper = keeper(dir.path());
    assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 0);
    end_items(&registry, 1..3, "first");
    assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 2);
    assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 0, "told once");
    assert_eq!(numbers(&a), [(1, 1)]);
    comes_back(dir.path(), &b, &registry);

    // One is away while the page grows, and the next, and an item ends once more.
    end_items(&registry, 3..1500, "second one");
    assert_eq!(keeper.keep(&registry, &[&a]).unwrap(), 1497);
    end_items(&registry, 1..2, "ended once more");
    assert_eq!(keeper.keep(&registry, &[&a]).unwrap(), 1);
    assert!(numbers(&a).len() > 2, "{:?}", numbers(&a));
    assert_eq!(numbers(&b), [(1, 1)]);
    comes_back(dir.path(), &a, &registry);
    // Back again, also to a program that was started anew.
    assert_eq!(start(dir.path(), &registry, &[&a, &b]), (0, vec![]));
    assert_eq!(numbers(&a), numbers(&b));
    for page in a.journal_pages().unwrap() {
        let bytes = a.journal_page(page).unwrap();
        assert!(bytes.as_ref().is_some_and(|bytes| bytes.len() <= page::PAGE_MAX));
        assert_eq!(bytes, b.journal_page(page).unwrap());
    }
    comes_back(dir.path(), &b, &registry);
    assert!(keeper.take_alarms().is_empty());
}

#[test]
fn nothing_is_told_while_nobody_is_there() {
    let dir = tempfile::tempdir().unwrap();
    let a = replica(dir.path(), "a");
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..3, "first");
    let (place, away) = (dir.path().join("a"), dir.path().join("away"));
    byteio::durable::rename(&place, &away).unwrap();
    let mut keeper = keeper(dir.path());
    assert_eq!(keeper.keep(&registry, &[&a]).unwrap(), 0);
    assert!(!place.try_exists().unwrap(), "a disk that is not mounted is not filled");
    byteio::durable::rename(&away, &place).unwrap();
    assert_eq!(keeper.keep(&registry, &[&a]).unwrap(), 2);
    comes_back(dir.path(), &a, &registry);
}

#[test]
fn bytes_written_for_one_event_do_not_grow_with_the_number_of_events() {
    let dir = tempfile::tempdir().unwrap();
    let a = replica(dir.path(), "a");
    let registry = registry(dir.path(), "registry.sqlite");
    let mut keeper = keeper(dir.path());
    let mut most = 0;
    for id in 1..1200 {
        end_items(&registry, id..id + 1, "one more");
        keeper.keep(&registry, &[&a]).unwrap();
        let newest = *a.journal_pages().unwrap().last().unwrap();
        most = most.max(a.journal_page(newest).unwrap().unwrap().len());
    }
    assert!(most < page::BYTES_FULL + 4096, "{most} bytes were written for one line");
    assert!(a.journal_pages().unwrap().len() > 2);
}

/// Lines that whoever can write to a replica adds to a page: the digest of the lines is right, because
/// everybody can make that.
fn forged(bytes: &[u8]) -> Vec<u8> {
    let page = page::read(bytes).unwrap();
    let line = r#"{"row":{"id":66,"name":"Mallory","role":"admin"},"table":"users"}"#;
    let body = format!("{}{line}\n", page.body);
    let digest = |text: &str| super::key::hex(&super::key::sha512(&[text.as_bytes()]));
    let last = std::str::from_utf8(bytes).unwrap().strip_prefix(page.body).unwrap();
    let last = last.replace(&digest(page.body), &digest(&body));
    let count = |lines: u32| format!("\"lines\":{lines}");
    let last = last.replace(&count(page.line_count), &count(page.line_count + 1));
    let forged = format!("{body}{last}").into_bytes();
    assert!(page::read(&forged).is_some(), "only the keyed digest is wrong");
    forged
}

#[test]
fn lines_forged_in_one_replica_are_kept_aside_and_never_copied() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..3, "first");
    start(dir.path(), &registry, &[&a, &b]);
    let good = a.journal_page(id(1)).unwrap().unwrap();
    a.put_journal_page(id(1), &forged(&good)).unwrap();
    // A rebuild from it does not take the page, and says why.
    let again = self::registry(dir.path(), "forged.sqlite");
    let mut damage = Vec::new();
    let key = key(dir.path());
    retell(&a, &[], (&again, Some(&key)), &mut |it| damage.push(it)).unwrap();
    assert!(damage[0].contains("not signed with the key of this appliance"), "{damage:?}");
    assert!(again.user(66).unwrap().is_none());
    // The program puts it aside and back in order.
    let (_, alarms) = start(dir.path(), &registry, &[&a, &b]);
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert_eq!(alarms[0].replica.as_deref(), Some("a"));
    let kept = dir.path().join("a").join(alarms[0].kept.as_ref().unwrap());
    assert_eq!(std::fs::read(kept).unwrap(), forged(&good));
    for replica in [&a, &b] {
        assert_eq!(replica.journal_page(id(1)).unwrap().as_ref(), Some(&good));
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn a_newest_page_that_is_forged_while_the_program_runs_is_kept_aside_before_it_is_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    let mut keeper = keeper(dir.path());
    end_items(&registry, 1..3, "first");
    keeper.keep(&registry, &[&a, &b]).unwrap();
    for (next, victim) in (3..).zip([&a, &b]) {
        let bad = forged(&victim.journal_page(id(1)).unwrap().unwrap());
        victim.put_journal_page(id(1), &bad).unwrap();
        end_items(&registry, next..next + 1, "while it is forged");
        assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 1);
        let alarms = keeper.take_alarms();
        assert_eq!(alarms.len(), 1, "{alarms:?}");
        assert_eq!(alarms[0].replica.as_deref(), Some(victim.name()));
        let kept = dir.path().join(victim.name()).join(alarms[0].kept.as_ref().unwrap());
        assert_eq!(std::fs::read(kept).unwrap(), bad);
        for replica in [&a, &b] {
            assert_eq!(numbers(replica), [(1, 1)]);
            comes_back(dir.path(), replica, &registry);
        }
    }
}

#[test]
fn a_newest_page_that_is_forged_everywhere_is_told_at_once_and_the_journal_written_anew() {
    for count in [1, 2] {
        let dir = tempfile::tempdir().unwrap();
        let made = [replica(dir.path(), "a"), replica(dir.path(), "b")];
        let replicas: Vec<&Replica> = made.iter().take(count).collect();
        let registry = registry(dir.path(), "registry.sqlite");
        let mut keeper = keeper(dir.path());
        end_items(&registry, 1..3, "first");
        keeper.keep(&registry, &replicas).unwrap();
        for replica in &replicas {
            let good = replica.journal_page(id(1)).unwrap().unwrap();
            replica.put_journal_page(id(1), &forged(&good)).unwrap();
        }
        end_items(&registry, 3..4, "while it is forged");
        assert_eq!(keeper.keep(&registry, &replicas).unwrap(), 1, "it is written all the same");
        let alarms = keeper.take_alarms();
        assert!(alarms.iter().all(|alarm| alarm.kept.is_some()), "{alarms:?}");
        assert_eq!(alarms.len(), count, "{alarms:?}");
        keeper.keep(&registry, &replicas).unwrap();
        while keeper.rewrite(&registry, &replicas).unwrap() {
            keeper.keep(&registry, &replicas).unwrap();
        }
        let alarms = keeper.take_alarms();
        assert_eq!(alarms.len(), 1, "{alarms:?}");
        assert!(alarms[0].what.contains("in no replica as they were written"), "{alarms:?}");
        for replica in &replicas {
            comes_back(dir.path(), replica, &registry);
        }
    }
}

#[test]
fn a_page_that_somebody_put_where_the_next_one_goes_is_kept_aside() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    let mut keeper = keeper(dir.path());
    end_items(&registry, 1..3, "first");
    keeper.keep(&registry, &[&a, &b]).unwrap();
    b.put_journal_page(id(2), b"{\"table\":\"users\"}\n").unwrap();
    end_items(&registry, 3..1500, "enough for another page");
    assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 1497);
    let alarms = keeper.take_alarms();
    assert_eq!(alarms.len(), 1, "{alarms:?}");
    assert_eq!(alarms[0].replica.as_deref(), Some("b"));
    for replica in [&a, &b] {
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn swapped_pages_and_pages_of_another_appliance_are_not_believed() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..1500, "first");
    start(dir.path(), &registry, &[&a, &b]);
    let page = |number| a.journal_page(id(number)).unwrap().unwrap();
    let (one, two) = (page(1), page(2));
    b.put_journal_page(id(1), &two).unwrap();
    b.put_journal_page(id(2), &one).unwrap();
    let other = tempfile::tempdir().unwrap();
    let newest = *a.journal_pages().unwrap().last().unwrap();
    let next = PageId { number: newest.number + 1, ..newest };
    let far = PageId { series: 4_000_000_000, number: 4_000_000_000 };
    for foreign in [next, far] {
        let (bytes, _) = page::write(&key(other.path()), (foreign, None, true), "{}\n");
        b.put_journal_page(foreign, &bytes).unwrap();
    }
    let (_, alarms) = start(dir.path(), &registry, &[&a, &b]);
    assert_eq!(alarms.len(), 4, "{alarms:?}");
    assert!(alarms.iter().all(|alarm| alarm.replica.as_deref() == Some("b")));
    assert_eq!(numbers(&a), numbers(&b));
    for replica in [&a, &b] {
        assert_eq!(replica.journal_page(id(1)).unwrap().as_ref(), Some(&one));
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn a_page_that_was_written_and_not_noted_is_continued() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    // The series is noted before its first page is written.
    start(dir.path(), &registry, &[&a, &b]);
    for (round, ids) in [1..3, 3..5, 5..700, 700..2500].into_iter().enumerate() {
        end_items(&registry, ids, "more");
        registry.checkpoint().unwrap();
        // What the registry was before it noted the page, as a kill leaves it.
        let killed = dir.path().join(format!("killed-{round}.sqlite"));
        std::fs::copy(dir.path().join("registry.sqlite"), &killed).unwrap();
        let reached: &[&Replica] = if round % 2 == 0 { &[&a] } else { &[&a, &b] };
        start(dir.path(), &registry, reached);
        let written = numbers(&a);
        let killed = Registry::open(&killed, Timestamp(1)).unwrap();
        let (_, alarms) = start(dir.path(), &killed, &[&a, &b]);
        assert_eq!(alarms, []);
        if round < 2 {
            assert_eq!(numbers(&a), written, "no other page is begun beside it");
        }
        assert_eq!(numbers(&a), numbers(&b));
        comes_back(dir.path(), &b, &killed);
        // The registry that was not killed goes on in the next round.
        start(dir.path(), &registry, &[&a, &b]);
    }
}

#[test]
fn a_page_of_ours_that_went_another_way_is_kept_aside_before_it_is_written_over() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    // The series is noted before its first page is written.
    start(dir.path(), &registry, &[&a, &b]);
    registry.checkpoint().unwrap();
    let copied = dir.path().join("copied.sqlite");
    std::fs::copy(dir.path().join("registry.sqlite"), &copied).unwrap();
    let copy = Registry::open(&copied, Timestamp(1)).unwrap();
    for (registry, reached, note) in [(&copy, &b, "told to b"), (&registry, &a, "told to a")] {
        end_items(registry, 1..3, note);
        assert_eq!(start(dir.path(), registry, &[reached]), (2, vec![]));
    }
    let [in_a, in_b] = [&a, &b].map(|it| it.journal_page(id(1)).unwrap().unwrap());
    assert_ne!(in_a, in_b);
    for bytes in [&in_a, &in_b] {
        assert!(page::read(bytes).unwrap().is_signed(&key(dir.path()), id(1)));
    }
    // Its lines are nowhere else: nobody did wrong, and nothing is thrown away.
    assert_eq!(start(dir.path(), &registry, &[&a, &b]), (0, vec![]));
    let aside = dir.path().join("b/extensions/strongroom-replica/set-aside/journal");
    let kept = std::fs::read_dir(aside).unwrap().map(|it| std::fs::read(it.unwrap().path()));
    assert_eq!(kept.map(Result::unwrap).collect::<Vec<_>>(), [in_b]);
    for replica in [&a, &b] {
        assert_eq!(replica.journal_page(id(1)).unwrap().as_ref(), Some(&in_a));
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn a_page_that_follows_from_other_lines_is_not_taken_for_the_newest() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let away = replica_away(dir.path());
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..3, "first");
    start(dir.path(), &registry, &[&a, &b]);
    let noted = || registry.journal().unwrap().unwrap().page;
    let first = noted();
    assert_eq!(first.number, 1);
    // Signed by us and for its place.
    let (stray, _) = page::write(&key(dir.path()), (id(2), Some(&[7; 64]), true), "{}\n");
    b.put_journal_page(id(2), &stray).unwrap();
    // While a replica is away, which may have what it follows from, nothing is decided.
    assert_eq!(start(dir.path(), &registry, &[&a, &b, &away]), (0, vec![]));
    assert_eq!(noted(), first);
    end_items(&registry, 3..4, "after it");
    assert_eq!(start(dir.path(), &registry, &[&a, &b, &away]), (1, vec![]));
    for replica in [&a, &b] {
        assert_eq!(replica.journal_page(id(2)).unwrap().as_ref(), Some(&stray), "it is kept");
        let next = replica.journal_page(id(3)).unwrap().unwrap();
        let seal = page::read(&next).unwrap().seal.unwrap();
        assert_eq!(seal.previous_digest(), Some(first.sha512), "the next one continues the noted");
    }
    // It cannot be gone on with such a series.
    let mut keeper = keeper(dir.path());
    keeper.keep(&registry, &[&a, &b]).unwrap();
    assert_eq!(keeper.take_alarms().len(), 1);
    while keeper.rewrite(&registry, &[&a, &b]).unwrap() {
        keeper.keep(&registry, &[&a, &b]).unwrap();
    }
    assert_eq!(keeper.take_alarms(), []);
    for replica in [&a, &b] {
        comes_back(dir.path(), replica, &registry);
    }
}

#[test]
fn a_journal_that_is_damaged_everywhere_is_written_anew_from_the_registry() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..1500, "first");
    start(dir.path(), &registry, &[&a, &b]);
    // Both replicas are set back to an earlier state of the page, which is signed.
    for replica in [&a, &b] {
        let bytes = replica.journal_page(id(1)).unwrap().unwrap();
        let body = page::read(&bytes).unwrap().body;
        let begin: String = body.split_inclusive('\n').take(3).collect();
        let (old, _) = page::write(&key(dir.path()), (id(1), None, true), &begin);
        replica.put_journal_page(id(1), &old).unwrap();
    }
    // While one is away, nothing is decided.
    let (_, alarms) = start(dir.path(), &registry, &[&a, &replica_away(dir.path())]);
    assert_eq!(alarms, []);
    let mut keeper = keeper(dir.path());
    keeper.keep(&registry, &[&a, &b]).unwrap();
    assert_eq!(keeper.take_alarms().len(), 1);
    assert_eq!(registry.journal().unwrap().unwrap().phase, JournalPhase::Copying);
    // Half written, both series together are everything but what was lost; then the new one is.
    while keeper.rewrite(&registry, &[&a, &b]).unwrap() {
        keeper.keep(&registry, &[&a, &b]).unwrap();
    }
    for replica in [&a, &b] {
        assert!(numbers(replica).iter().all(|(series, _)| *series == 2), "{:?}", numbers(replica));
        comes_back(dir.path(), replica, &registry);
    }
    assert!(!registry.journal().unwrap().unwrap().has_older);
}

fn replica_away(dir: &Path) -> Replica {
    let settings = ReplicaSettings::folder("c", dir.join("c").to_str().unwrap());
    Replica::new(settings, None, dir).unwrap()
}

#[test]
fn without_the_key_pages_are_read_and_not_vouched_for() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..1500, "first");
    start(dir.path(), &registry, &[&a, &b]);
    assert_eq!(rebuilt(dir.path(), &a, &registry, None), [""; 0]);
    let again = self::registry(dir.path(), "unsigned.sqlite");
    let replayed = retell(&a, &[&b], (&again, None), &mut |it| panic!("{it}")).unwrap();
    assert!(replayed.notices[0].contains("not authenticated"), "{:?}", replayed.notices);
    assert!(replayed.journal.is_none());
    // What was changed in one replica disagrees with the other, and the chain is broken.
    let bytes = a.journal_page(id(1)).unwrap().unwrap();
    let text = String::from_utf8(page::read(&bytes).unwrap().body.into()).unwrap();
    let other = tempfile::tempdir().unwrap();
    let text = text.replacen("finished", "finishes", 1);
    let (bytes, _) = page::write(&key(other.path()), (id(1), None, true), &text);
    a.put_journal_page(id(1), &bytes).unwrap();
    let again = self::registry(dir.path(), "changed.sqlite");
    let mut damage = Vec::new();
    retell(&a, &[&b], (&again, None), &mut |it| damage.push(it)).unwrap();
    assert!(damage.iter().any(|it| it.contains("does not follow")), "{damage:?}");
    assert!(damage.iter().any(|it| it.contains("another one in replica b")), "{damage:?}");
}

#[test]
fn with_a_new_key_the_journal_is_written_anew_and_nobody_is_alarmed() {
    let dir = tempfile::tempdir().unwrap();
    let (a, b) = (replica(dir.path(), "a"), replica(dir.path(), "b"));
    let registry = registry(dir.path(), "registry.sqlite");
    end_items(&registry, 1..1500, "first");
    start(dir.path(), &registry, &[&a, &b]);
    std::fs::remove_file(dir.path().join("journal.key")).unwrap();
    let mut keeper = keeper(dir.path());
    keeper.keep(&registry, &[&a, &b]).unwrap();
    while keeper.rewrite(&registry, &[&a, &b]).unwrap() {
        keeper.keep(&registry, &[&a, &b]).unwrap();
    }
    assert_eq!(keeper.take_alarms(), []);
    for replica in [&a, &b] {
        assert!(numbers(replica).iter().all(|(series, _)| *series == 2), "{:?}", numbers(replica));
        comes_back(dir.path(), replica, &registry);
    }
}
