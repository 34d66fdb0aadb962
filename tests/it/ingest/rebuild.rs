//! The registry is lost and made again from a vault: what is held is the same, line by line.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::Signal;
use storage::registry::EXPORTED_TABLES;

use super::{INSTITUTION, LETTERS, bag, write_tar};
use crate::command::{Server, run};
use crate::house::until;

/// Every table of an export, as it was written.
fn exported(data: &Path, name: &str) -> Vec<(&'static str, String)> {
    let to = data.parent().unwrap().join(name);
    run(data, &["export", "--to", to.to_str().unwrap()]).is(0);
    let read = |part| fs::read_to_string(to.join(format!("{part}.jsonl"))).unwrap();
    EXPORTED_TABLES.iter().map(|part| (*part, read(part))).collect()
}

/// A deposit: its name, and the payload.
type Deposit<'d> = (&'d str, &'d [(&'d str, &'d [u8])]);

/// Serves until every deposit that was put there is preserved.
fn preserve(data: &Path, deposits: &[Deposit<'_>]) {
    let area = data.join("receiving").join(INSTITUTION);
    byteio::durable::create_folder(&area).unwrap();
    for (name, payload) in deposits {
        write_tar(&area.join(format!("{name}.tar")), name, &bag(payload));
    }
    let mut server = Server::start(data);
    let is_empty = |folder: &Path| fs::read_dir(folder).map_or(0, Iterator::count) == 0;
    until("the deposits are preserved, and nothing is left of the work", || {
        is_empty(&area) && is_empty(&data.join("staging"))
    });
    server.signal(Signal::TERM);
    server.ended();
}

/// A data directory whose deposits are taken at once.
fn quick(dir: &Path) -> PathBuf {
    let data = dir.join("data");
    byteio::durable::create_folder(&data).unwrap();
    let quick = b"[ingest]\nsweep_s = 1\nstill_s = 0\n";
    byteio::durable::write(&data.join("strongroom.toml"), quick, false).unwrap();
    data
}

fn filled(dir: &Path) -> PathBuf {
    let data = quick(dir);
    preserve(&data, &[("letters", LETTERS), ("maps", &[("m.txt", b"a map\n")])]);
    let changed: &[(&str, &[u8])] = &[("a.txt", b"beta\n"), ("new.txt", b"alpha\n")];
    preserve(&data, &[("letters", changed)]);
    // One that is turned away and called off: its findings are kept as well.
    let area = data.join("receiving").join(INSTITUTION);
    byteio::durable::write(&area.join("broken.tar"), b"no bag", false).unwrap();
    let mut server = Server::start(&data);
    let ask =
        |status: &str| run(&data, &["items", "list", "--status", status, "--json"]).is(0).json();
    until("the broken bag is turned away", || ask("Suspended")["count"] == 1);
    let id = ask("Suspended")["items"][0]["id"].to_string();
    run(&data, &["items", "cancel", &id]).is(0);
    until("its item is called off", || ask("Cancelled")["count"] == 1);
    fs::remove_file(area.join("broken.tar")).unwrap();
    server.signal(Signal::TERM);
    server.ended();
    data
}

fn lose_registry(data: &Path) {
    for name in ["registry.sqlite", "registry.sqlite-wal", "registry.sqlite-shm"] {
        drop(fs::remove_file(data.join(name)));
    }
    fs::remove_dir_all(data.join("work")).unwrap();
}

#[test]
fn a_lost_registry_comes_back_from_either_replica() {
    let dir = tempfile::tempdir().unwrap();
    let data = filled(dir.path());
    let before = exported(&data, "before");
    let told = ["institutions", "work_items", "work_attempts", "work_findings", "events"];
    for (part, lines) in before.iter().filter(|(part, _)| told.contains(part)) {
        assert!(!lines.is_empty(), "{part}");
    }
    let refused = run(&data, &["rebuild", "--from", "a"]).is(1);
    assert!(refused.err.contains("holds 2 objects"), "{}", refused.err);
    for replica in ["a", "b"] {
        lose_registry(&data);
        let refused = run(&data, &["objects", "list"]).is(2);
        assert!(refused.err.contains("strongroom rebuild"), "{}", refused.err);
        let told = run(&data, &["rebuild", "--from", replica]).is(0);
        assert!(told.out.contains("2 objects in 3 versions"), "{}", told.out);
        for ((part, was), (_, is)) in before.iter().zip(exported(&data, replica)) {
            assert_eq!(*was, is, "{part} from {replica}");
        }
        crate::command::finds_nothing_wrong(&data);
        // Every deposit still leads to its item.
        let items = run(&data, &["items", "list", "--status", "Success", "--json"]).is(0).json();
        assert_eq!(items["count"], 4, "three deposits and a snapshot: {items:#}");
        let id = items["items"][0]["id"].to_string();
        run(&data, &["items", "show", &id]).is(0);
    }
    // A ledger that lacks pages is not taken for a whole one.
    lose_registry(&data);
    let corner = "extensions/strongroom-replica/journal";
    for replica in ["a", "b"] {
        fs::remove_dir_all(data.join("vault").join(replica).join(corner)).unwrap();
        let told = run(&data, &["rebuild", "--from", "a"]).is(1);
        let words = if replica == "a" { "that of b ends with" } else { "has no ledger" };
        assert!(told.out.contains(words), "{}", told.out);
    }
    run(&data, &["rebuild", "--from", "a", "--incomplete"]).is(1);
    // Work goes on, with numbers that were never given before.
    preserve(&data, &[("maps", &[("m.txt", b"another map\n")])]);
    let items = run(&data, &["items", "list", "--json"]).is(0).json();
    let newest = items["items"][0]["id"].as_u64().unwrap();
    assert!(newest > 3, "{items:#}");
    let map = run(&data, &["objects", "show", &format!("{INSTITUTION}/maps"), "--json"]).is(0);
    assert_eq!(map.json()["object"]["version"], 2);
}

#[test]
fn what_was_on_its_way_when_everything_was_lost_is_found_again() {
    let seed = fastrand::u64(..100_000);
    println!("seed {seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    for round in 0..8 {
        let dir = tempfile::tempdir().unwrap();
        let data = quick(dir.path());
        preserve(&data, &[("maps", &[("m.txt", b"a map\n")])]);
        let area = data.join("receiving").join(INSTITUTION);
        for name in ["one", "two", "three", "maps"] {
            let text = format!("{name} {round}\n");
            let payload: &[(&str, &[u8])] = &[("a.txt", text.as_bytes()), ("m.txt", b"new\n")];
            write_tar(&area.join(format!("{name}.tar")), name, &bag(payload));
        }
        let mut server = Server::start(&data);
        std::thread::park_timeout(Duration::from_millis(random.u64(1..900)));
        server.signal(Signal::KILL);
        server.ended();
        lose_registry(&data);
        run(&data, &["rebuild", "--from", if round % 2 == 0 { "a" } else { "b" }]).is(0);
        preserve(&data, &[]);
        let held = run(&data, &["objects", "list", "--json"]).is(0).json();
        let versions: Vec<String> = held["objects"]
            .as_array()
            .unwrap()
            .iter()
            .map(|object| format!("{} {}", object["bag_name"], object["version"]))
            .collect();
        for wanted in ["\"one\" 1", "\"two\" 1", "\"three\" 1", "\"maps\" 2"] {
            assert!(versions.iter().any(|it| it == wanted), "seed {seed} {round}: {versions:?}");
        }
        crate::command::finds_nothing_wrong(&data);
    }
}

#[test]
fn a_damaged_record_is_told_and_nothing_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let data = filled(dir.path());
    let unknown = run(&data, &["rebuild", "--from", "c"]).is(1);
    assert!(unknown.err.contains("there are: a, b"), "{}", unknown.err);
    lose_registry(&data);
    let find = format!("find {} -name v1.jsonl", data.join("vault/a").display());
    let found = std::process::Command::new("sh").args(["-c", &find]).output().unwrap();
    let records = String::from_utf8(found.stdout).unwrap();
    let record = Path::new(records.lines().next().unwrap());
    let mut text = fs::read(record).unwrap();
    text.truncate(text.len() / 2);
    byteio::durable::write(record, &text, false).unwrap();
    let told = run(&data, &["rebuild", "--from", "a"]).is(1);
    assert!(told.out.contains("damaged record"), "{}", told.out);
    assert!(!data.join("registry.sqlite").is_file());
    assert!(!data.join("registry.rebuilt.sqlite").is_file());
    let told = run(&data, &["rebuild", "--from", "a", "--incomplete", "--json"]).is(1).json();
    assert_eq!((told["damage_count"].as_u64(), told["objects"].as_u64()), (Some(1), Some(1)));
    assert!(data.join("registry.sqlite").is_file());
}
