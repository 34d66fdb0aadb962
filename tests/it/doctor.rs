//! `strongroom doctor` end to end: every kind of damage is planted behind the stores' backs, is
//! named with exit 1, and what is derived is mended.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use byteio::record::{Record, encode};
use storage::clock::SystemClock;
use storage::work::item::{ItemId, State, Subject, WorkItem};
use storage::work::key::{Key, Tail};
use storage::work::lease::KeyLeases;
use storage::work::place::{Place, Spot, place};
use storage::work::queue::{Meta, NewItem, Topic};
use tempfile::TempDir;

use crate::command::{Server, folder, furnish, listing, open, run};
use crate::house::House;

const HOLD: Duration = Duration::from_secs(600);

/// A stopped appliance's directory, and one of its items: in line, with a name and an end.
struct Patient {
    _folder: TempDir,
    data: PathBuf,
    item: WorkItem,
}

impl Patient {
    fn new() -> Patient {
        let (folder, data) = folder();
        furnish(&data);
        let app = open(&data);
        let queue = &app.shop.queue;
        let new = NewItem {
            flow: "upkeep".into(),
            topic: "upkeep01_snapshot".into(),
            subject: Subject { name: "bag-four".into(), ..Subject::default() },
            unique: Some("one of a kind".into()),
            expires: Some(app.shop.clock.now().after(HOLD)),
            ..NewItem::default()
        };
        let id = queue.push(new).unwrap().id;
        let leases = KeyLeases::new(Arc::clone(queue.store()), Arc::new(SystemClock::start()));
        leases.create("pages", "mine", "ann", vec![b"k".to_vec()], HOLD).unwrap();
        let item = queue.item(id).unwrap().unwrap();
        app.settle();
        Patient { _folder: folder, data, item }
    }

    fn plant(&self, tree: &str, key: &[u8], value: Option<&[u8]>) {
        let db = sled::open(self.data.join("work")).unwrap();
        let tree = db.open_tree(tree).unwrap();
        match value {
            Some(value) => tree.insert(key, value).unwrap(),
            None => tree.remove(key).unwrap(),
        };
        db.flush().unwrap();
    }

    fn put(&self, tree: &str, key: &impl Key, value: &impl Record) {
        self.plant(tree, &key.bytes(), Some(&encode(value).unwrap()));
    }

    fn remove(&self, tree: &str, key: &impl Key) {
        self.plant(tree, &key.bytes(), None);
    }

    fn sql(&self, sql: &str) {
        let registry = rusqlite::Connection::open(self.data.join("registry.sqlite")).unwrap();
        registry.execute_batch(sql).unwrap();
        registry.close().unwrap();
    }

    /// The codes of what is found, with what was mended of it.
    fn doctor(&self, arguments: &[&str], code: i32) -> Vec<(String, String, bool)> {
        let ran = run(&self.data, &[&["doctor", "--json"], arguments].concat()).is(code);
        let findings = ran.json()["findings"].as_array().unwrap().clone();
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        findings
            .iter()
            .map(|it| {
                assert!(!text(&it["sentence"]).is_empty());
                (text(&it["store"]), text(&it["code"]), it["mended"] == true)
            })
            .collect()
    }
}

/// Whether a kind of damage can be put right from what it is derived from.
#[derive(PartialEq)]
enum Fate {
    Mended,
    Left,
}

/// Plants, finds it with exit 1 and by name, mends, and looks again.
fn finds(store: &str, code: &str, fate: Fate, harm: impl FnOnce(&Patient)) {
    let patient = Patient::new();
    assert_eq!(patient.doctor(&[], 0), [], "well before {code}");
    harm(&patient);
    let found = patient.doctor(&[], 1);
    let named = |found: &[(String, String, bool)]| {
        found.iter().any(|it| (it.0.as_str(), it.1.as_str()) == (store, code))
    };
    assert!(named(&found) && found.iter().all(|it| !it.2), "{code}: {found:?}");
    let plain = run(&patient.data, &["doctor"]).is(1).out;
    assert!(plain.contains(&format!("{store} {code}: ")), "{plain}");
    if fate == Fate::Mended {
        let mended = patient.doctor(&["--mend"], 0);
        assert!(!mended.is_empty() && mended.iter().all(|it| it.2), "{code}: {mended:?}");
        assert_eq!(patient.doctor(&[], 0), [], "well after {code}");
    } else {
        patient.doctor(&["--mend"], 1);
        assert!(named(&patient.doctor(&[], 1)), "{code} is kept for a person");
    }
}

fn work(code: &str, fate: Fate, harm: impl FnOnce(&Patient)) {
    finds("work", code, fate, harm);
}

fn held(name: &str) -> (String, Tail) {
    ("pages".to_owned(), Tail(name.as_bytes().to_vec()))
}

#[test]
fn places_in_line() {
    work("missing-place", Fate::Mended, |it| it.remove("place", &place(&it.item).unwrap()));
    work("stray-place", Fate::Mended, |it| {
        let stray = Spot::Ready { rank: 0, seq: 0 };
        it.put("place", &Place { topic: "upkeep01_snapshot".into(), spot: stray }, &ItemId(77));
    });
    work("stray-place", Fate::Mended, |it| {
        let second = Spot::Parked(it.item.id);
        it.put("place", &Place { topic: "upkeep02_prove".into(), spot: second }, &it.item.id);
    });
    work("wrong-count", Fate::Mended, |it| {
        it.put("topic", &"upkeep01_snapshot".to_owned(), &Topic { ready: 9, ..Topic::default() });
    });
}

#[test]
fn ends_of_life_and_unique_names() {
    work("missing-expiry", Fate::Mended, |it| {
        it.remove("expiry", &(it.item.expires.unwrap().0, it.item.id));
    });
    work("stray-expiry", Fate::Mended, |it| it.put("expiry", &(5_u64, it.item.id), &()));
    work("missing-unique-name", Fate::Mended, |it| {
        it.remove("unique", &it.item.unique.clone().unwrap());
    });
    work("stray-unique-name", Fate::Mended, |it| {
        it.put("unique", &"another".to_owned(), &it.item.id);
    });
}

#[test]
fn what_belongs_to_no_item() {
    work("orphan-dossier", Fate::Mended, |it| it.put("dossier", &(ItemId(70), 0_u8), &1_u64));
    work("orphan-attempt", Fate::Mended, |it| {
        let attempt = storage::work::item::Attempt {
            topic: "upkeep01_snapshot".into(),
            started: Default::default(),
            finished: Default::default(),
            outcome: "finished".into(),
            note: String::new(),
            findings: Vec::new(),
        };
        it.put("history", &(ItemId(70), 1_u32), &attempt);
    });
}

#[test]
fn leases_over_keys() {
    work("lease-without-key", Fate::Mended, |it| it.remove("lease-key", &held("k")));
    work("stray-lease-key", Fate::Mended, |it| {
        it.put("lease-key", &held("z"), &"nobody".to_owned());
    });
}

#[test]
fn records_that_cannot_be_read_are_kept_for_a_person() {
    // An item, of which the registry's copy cannot be compared then; the rest is looked at.
    for (store, code) in [("work", "unreadable-record"), ("between", "not-compared")] {
        finds(store, code, Fate::Left, |it| {
            it.plant("item", &it.item.id.bytes(), Some(&[1, 255, 255]));
        });
    }
    work("unreadable-record", Fate::Left, |it| it.plant("schedule", b"z\0", Some(&[200])));
    work("misfiled-item", Fate::Left, |it| {
        let ended = WorkItem { state: State::Finished, ..it.item.clone() };
        it.put("item", &ItemId(0), &ended);
    });
}

/// Opening a directory numbers items above what the registry knows, so the item must be newer.
#[test]
fn numbers_that_would_be_given_twice() {
    let patient = Patient::new();
    let id = patient.item.id;
    patient.sql(&format!("PRAGMA foreign_keys = OFF; DELETE FROM work_items WHERE id >= {id}"));
    patient.put("meta", &0_u8, &Meta { epoch: 1, next_item: 1 });
    let found = patient.doctor(&[], 1);
    assert!(found.iter().any(|it| it.1 == "item-number-reused"), "{found:?}");
    // The rows that were missing are copied again, and new numbers start above them.
    assert_eq!(patient.doctor(&[], 0), []);
}

#[test]
fn rows_that_are_merely_behind_are_copied_and_not_complained_about() {
    let patient = Patient::new();
    patient.sql("UPDATE work_items SET revision = 0, note = 'old' WHERE id = 2");
    patient.sql("PRAGMA foreign_keys = OFF; DELETE FROM work_items WHERE id = 3");
    assert_eq!(patient.doctor(&[], 0), []);
    let item = run(&patient.data, &["items", "show", "2"]).is(0).out;
    assert!(!item.contains("old"), "{item}");
}

#[test]
fn a_lease_whose_time_is_over_is_seen_while_nobody_may_reap_it() {
    // With no room on the disk the keeper touches nothing, so the lease stays as it is.
    let house = House::configured("[work]\nroom_floor_mb = 1000000000\n");
    house.push("ok");
    house.queue().claim(crate::house::TOPICS[0], 1, Duration::ZERO).unwrap();
    let clean = run(&house.data(), &["doctor", "--json"]).is(1).json();
    assert_eq!(clean["findings"][0]["code"], "stale-lease", "{clean}");
}

#[test]
fn the_registry_file() {
    finds("registry", "structure", Fate::Left, |it| {
        it.sql(
            "PRAGMA ignore_check_constraints = ON; \
             CREATE TEMP TABLE ended AS SELECT * FROM work_items WHERE id = 1; \
             UPDATE ended SET id = 500, state = 'finished', retry = 5; \
             INSERT INTO work_items SELECT * FROM ended",
        );
    });
    finds("registry", "foreign-key", Fate::Left, |it| {
        it.sql(
            "PRAGMA foreign_keys = OFF; INSERT INTO work_attempts VALUES \
             (999, 1, 't', '2026-11-16T00:00:00.000Z', NULL, NULL, '')",
        );
    });
}

#[test]
fn a_page_of_the_registry_that_was_overwritten() {
    let patient = Patient::new();
    let path = patient.data.join("registry.sqlite");
    let registry = rusqlite::Connection::open(&path).unwrap();
    let number = |sql: &str| registry.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let root = number("SELECT rootpage FROM sqlite_schema WHERE name = 'work_items_by_etag'");
    let size = usize::try_from(number("PRAGMA page_size")).unwrap();
    registry.close().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let page = (usize::try_from(root).unwrap() - 1) * size;
    bytes[page..page + size].fill(0xA5);
    byteio::durable::write(&path, &bytes, false).unwrap();
    let found = patient.doctor(&[], 1);
    assert!(found.iter().any(|it| it.0 == "registry"), "{found:?}");
    println!("{found:?}");
}

#[test]
fn a_registry_of_another_program_is_not_touched() {
    let patient = Patient::new();
    patient.sql("PRAGMA application_id = 7");
    let before = listing(&patient.data);
    run(&patient.data, &["doctor"]).refused("it was made by another program");
    assert_eq!(listing(&patient.data), before);
}

#[test]
fn a_copy_that_differs() {
    finds("between", "copy-differs", Fate::Mended, |it| {
        it.sql("UPDATE work_items SET note = 'changed' WHERE id = 2");
    });
    // In progress, says the registry; the work state has never heard of it.
    finds("between", "copy-differs", Fate::Mended, |it| {
        it.sql("UPDATE work_items SET id = 77 WHERE id = 2");
    });
    // A copy that claims to be newer is not overwritten, and nobody says that it was.
    finds("between", "copy-differs", Fate::Left, |it| {
        it.sql("UPDATE work_items SET revision = 99, note = 'changed' WHERE id = 2");
    });
}

#[test]
fn a_work_state_that_cannot_be_opened_is_named_and_left_until_the_appliance_sets_it_aside() {
    let patient = Patient::new();
    overwrite(&patient.data.join("work"));
    let found = patient.doctor(&[], 1);
    assert_eq!(found, [("directory".to_owned(), "damaged".to_owned(), false)]);
    let refused = run(&patient.data, &["items", "list"]).is(2);
    assert!(refused.err.contains("is damaged"), "{}", refused.err);
    let aside = |path: &PathBuf| path.to_string_lossy().contains("work.damaged-");
    assert!(!listing(&patient.data).keys().any(aside), "looking moves nothing");

    let mut server = Server::start(&patient.data);
    server.signal(rustix::process::Signal::TERM);
    server.ended();
    let told = patient.doctor(&[], 1);
    assert!(told.iter().any(|it| it.1 == "set-aside"), "{told:?}");
    let item = run(&patient.data, &["items", "show", "2"]).is(0).out;
    assert!(item.contains("The work state was lost"), "{item}");
}

#[test]
fn a_registry_that_is_gone_is_not_quietly_made_anew() {
    for harm in [std::fs::remove_file as fn(PathBuf) -> std::io::Result<()>, |path| {
        std::fs::File::create(path).map(drop)
    }] {
        let patient = Patient::new();
        harm(patient.data.join("registry.sqlite")).unwrap();
        assert_eq!(patient.doctor(&[], 1)[0].1, "damaged");
        let refused = run(&patient.data, &["serve"]).is(2);
        assert!(refused.err.contains("is missing or empty"), "{}", refused.err);
    }
}

#[test]
fn a_lost_stamp_is_made_again() {
    let patient = Patient::new();
    std::fs::remove_file(patient.data.join("STRONGROOM")).unwrap();
    assert_eq!(patient.doctor(&[], 0), []);
    assert!(patient.data.join("STRONGROOM").is_file());
}

/// Writes nonsense over every file of a folder.
fn overwrite(folder: &Path) {
    for path in listing(folder).into_keys().filter(|path| path.is_file()) {
        let length = path.metadata().unwrap().len();
        let nonsense = vec![0xA5; usize::try_from(length).unwrap()];
        byteio::durable::write(&path, &nonsense, false).unwrap();
    }
}
