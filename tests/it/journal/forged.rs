//! Whoever can write to one replica changes nothing in another, whatever is done to its pages.

use std::collections::BTreeMap;
use std::path::Path;

use digests::{Algorithm, AlgorithmSet, Hasher};
use fastrand::Rng;
use ocfl::{PageId, Replica, ReplicaSettings};
use storage::clock::{SystemClock, Timestamp};
use storage::home::Home;
use storage::registry::{ItemRow, Registry};
use strongroom::chronicle::rebuild;
use strongroom::flows::FLOWS;
use strongroom::ledger::{Keeper, Key};

use crate::house::config;

/// Attacks; more in a soak.
const ATTACKS: usize = 60;

type Pages = BTreeMap<PageId, Vec<u8>>;

fn replica(data: &Path, name: &str) -> Replica {
    let root = data.join("vault").join(name);
    let settings = ReplicaSettings::folder(name, root.to_str().unwrap());
    let replica = Replica::new(settings, None, data).unwrap();
    replica.prepare().unwrap();
    replica
}

fn pages(replica: &Replica) -> Pages {
    let read = |page| (page, replica.journal_page(page).unwrap().unwrap());
    replica.journal_pages().unwrap().into_iter().map(read).collect()
}

fn sha512(text: &str) -> String {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    hasher.update(text.as_bytes());
    hasher.finish().hex(Algorithm::Sha512).unwrap()
}

/// A page with other lines and the digest that belongs to them, and the rest of its last line.
pub(super) fn with_lines(bytes: &[u8], change: impl FnOnce(&mut Vec<String>)) -> Vec<u8> {
    let text = std::str::from_utf8(bytes).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let mut last: serde_json::Value = serde_json::from_str(&lines.pop().unwrap()).unwrap();
    change(&mut lines);
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    last["end"]["lines"] = lines.len().into();
    last["end"]["sha512"] = sha512(&body).into();
    format!("{body}{last}\n").into_bytes()
}

/// A page with these lines as an earlier program wrote it, which everybody can make.
pub(super) fn earlier_page(lines: &[&str]) -> Vec<u8> {
    let body: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let last = serde_json::json!({ "end": { "lines": lines.len(), "sha512": sha512(&body) } });
    format!("{body}{last}\n").into_bytes()
}

/// Every item that a registry knows.
fn items(registry: &Registry) -> Vec<String> {
    let mut lines = Vec::new();
    let mut each = |row: serde_json::Value| {
        lines.push(row.to_string());
        Ok::<_, storage::registry::Error>(())
    };
    registry.export_rows("work_items", &mut each).unwrap();
    lines
}

/// Rebuilds a registry from a replica; the items it has, unless the rebuild says that something is wrong.
fn rebuilt(data: &Path, from: &Replica) -> Option<Vec<String>> {
    let config = config(data, "127.0.0.1:0", "", &[], FLOWS);
    let told = rebuild(&config, (from.name(), false), &SystemClock::start(), &mut |_| {}).unwrap();
    if told.damage_count > 0 {
        return None;
    }
    let path = data.join("registry.sqlite");
    let again = Registry::open(&path, Timestamp(1)).unwrap();
    assert!(again.user(66).unwrap().is_none(), "nobody forged comes in");
    let items = items(&again);
    drop(again);
    std::fs::remove_file(path).unwrap();
    Some(items)
}

const FORGED: &str = r#"{"row":{"id":66,"name":"Mallory","role":"admin"},"table":"users"}"#;

/// Does something to the pages of one replica. Says what, and whether it must be noticed: what is missing
/// or was there earlier looks as if the replica had been away.
fn attack(random: &mut Rng, victim: &Replica, earlier: &[Pages]) -> (&'static str, bool) {
    let now = pages(victim);
    let ids: Vec<PageId> = now.keys().copied().collect();
    let id = ids[random.usize(..ids.len())];
    let newest = *ids.last().unwrap();
    let put = |id, bytes: &[u8]| victim.put_journal_page(id, bytes).unwrap();
    match random.u32(..10) {
        0 => {
            put(id, &with_lines(&now[&id], |lines| lines.push(FORGED.into())));
            ("lines added", true)
        }
        1 => {
            put(
                id,
                &with_lines(&now[&id], |lines| {
                    let at = random.usize(..lines.len());
                    lines[at] = FORGED.into();
                }),
            );
            ("a line replaced", true)
        }
        2 => {
            put(id, &with_lines(&now[&id], |lines| lines.truncate(lines.len() / 2)));
            ("lines cut off", true)
        }
        3 => {
            put(id, &now[&id][..random.usize(..now[&id].len())]);
            ("bytes cut off", true)
        }
        4 => {
            let mut bytes = now[&id].clone();
            let at = random.usize(..bytes.len());
            bytes[at] ^= 1 << random.u32(..8);
            put(id, &bytes);
            ("a bit flipped", true)
        }
        5 => {
            let other = ids[random.usize(..ids.len())];
            put(id, &now[&other]);
            put(other, &now[&id]);
            ("two pages swapped", id != other)
        }
        6 => {
            victim.remove_journal_page(id).unwrap();
            ("a page removed", false)
        }
        7 => {
            // All of it as it once was.
            let state = &earlier[random.usize(..earlier.len())];
            for (id, bytes) in state {
                put(*id, bytes);
            }
            ("an earlier state", false)
        }
        8 => {
            let next = PageId { number: newest.number + 1 + random.u32(..9), ..newest };
            put(next, &with_lines(&now[&newest], |lines| lines.push(FORGED.into())));
            ("a page added", true)
        }
        _ => {
            let series = newest.series + 1 + random.u32(..1000);
            put(PageId { series, number: 1 }, &now[&ids[0]]);
            ("a series added", true)
        }
    }
}

#[test]
fn forged_swapped_and_truncated_pages_are_never_copied_and_are_kept_aside() {
    let seed = std::env::var("STRONGROOM_SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..100_000));
    println!("STRONGROOM_SEED={seed} replays this");
    let rounds = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|it| it.parse().ok());
    let mut random = Rng::with_seed(seed);
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    drop(Home::open(&data).unwrap());
    let (a, b) = (replica(&data, "a"), replica(&data, "b"));
    let registry = Registry::open(&dir.path().join("registry.sqlite"), Timestamp(1)).unwrap();
    let start = || Keeper::new(Key::open(&data.join("journal.key")).unwrap());
    let (mut count, mut earlier) = (0, Vec::new());
    for round in 0..rounds.unwrap_or(ATTACKS) {
        let item = |id| ItemRow { id, state: "finished".into(), ..ItemRow::default() };
        let more = random.i64(1..120);
        let rows: Vec<ItemRow> = (count + 1..=count + more).map(item).collect();
        count += more;
        registry.record_items(&rows, &[], &[]).unwrap();
        start().keep(&registry, &[&a, &b]).unwrap();
        let whole = pages(&a);
        assert_eq!(whole, pages(&b), "seed {seed} round {round}");
        earlier.push(whole.clone());
        let (victim, other) = if random.bool() { (&a, &b) } else { (&b, &a) };
        let (what, is_noticed) = attack(&mut random, victim, &earlier);
        let was = pages(victim);
        let about = format!("seed {seed} round {round}: {what} in {}", victim.name());
        // A rebuild takes everything, or says what is wrong.
        let known = items(&registry);
        assert!(rebuilt(&data, victim).is_none_or(|it| it == known), "{about}: rebuilt");
        if round % 4 == 0 {
            assert_eq!(rebuilt(&data, other), Some(known), "{about}: rebuilt from the other");
        }
        let mut keeper = start();
        assert_eq!(keeper.keep(&registry, &[&a, &b]).unwrap(), 0, "{about}");
        let alarms = keeper.take_alarms();
        assert_eq!(!alarms.is_empty(), is_noticed, "{about}: {alarms:?}");
        for replica in [&a, &b] {
            assert!(pages(replica) == whole, "{about}: {} is another one", replica.name());
        }
        for alarm in &alarms {
            assert_eq!(alarm.replica.as_deref(), Some(victim.name()), "{about}");
            let kept = data.join("vault").join(victim.name()).join(alarm.kept.as_ref().unwrap());
            let kept = std::fs::read(kept).unwrap();
            assert!(was.values().any(|bytes| *bytes == kept), "{about}: it is kept as it was");
        }
    }
    println!("{} attacks on pages, {count} items", earlier.len());
}
