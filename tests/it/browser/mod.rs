//! The pages in headless Chromium: this side serves a house, `tests/browser` drives the browser.

// A house with full lists, for those who look at every page.
mod furnished;
// One long life of an archive, from the first start on.
mod journey;
// Every page there is, by the table of doors.
mod walk;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use storage::registry::{Month, ParkedItem, Role};
use strongroom::alerts::{item_parked, raise};

use crate::house::{House, PASSWORD, until};
use crate::ingest::{LETTERS, bag, write_tar};
use crate::researcher::{Shelf, add, hold_back, sound};

/// The first of these programs that is on the path.
fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<_> = std::env::split_paths(&path).collect();
    let files = names.iter().flat_map(|name| folders.iter().map(move |it| it.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// Runs one file of tests against a house, signed in as somebody who looks after it.
fn drive_as_keeper(file: &str, house: &House, told: &[(&str, serde_json::Value)]) {
    house.person("keeper@archive.example", Role::Admin);
    let session = json!(house.sign_in("keeper@archive.example"));
    let told: Vec<_> = told.iter().cloned().chain([("STRONGROOM_SESSION", session)]).collect();
    drive(file, house, &told);
}

/// Runs one file of tests against a house.
fn drive(file: &str, house: &House, told: &[(&str, serde_json::Value)]) {
    drive_at(file, (house.address(), &house.key()), told);
}

/// Runs one file of tests against what serves at an address, whose key this is; says why when that
/// is not possible here.
fn drive_at(file: &str, (address, key): (SocketAddr, &str), told: &[(&str, serde_json::Value)]) {
    let Some((node, chromium)) = equipment() else { return };
    let output = Command::new(node)
        .args(["--test", file])
        .current_dir(folder())
        .env("STRONGROOM_URL", format!("http://{address}"))
        .envs(told.iter().map(|(name, value)| (name, value.to_string())))
        .env("STRONGROOM_KEY", key)
        .env("STRONGROOM_CHROMIUM", chromium)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success());
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser")
}

/// What runs the tests, and the browser.
fn equipment() -> Option<(PathBuf, PathBuf)> {
    let (Some(node), Some(chromium)) =
        (find(&["node"]), find(&["chromium", "chromium-browser", "google-chrome"]))
    else {
        println!("skipped: there is no node or no Chromium on the path");
        return None;
    };
    if !folder().join("node_modules/playwright-core").is_dir() {
        println!("skipped: `npm ci --prefix tests/browser` was not run");
        return None;
    }
    Some((node, chromium))
}

#[test]
fn browser_pauses_requeues_and_finds_every_page_in_order() {
    if equipment().is_none() {
        return;
    }
    let house = House::ingesting();
    let mut files: Vec<(String, Vec<u8>)> =
        (0..70).map(|n| (format!("scans/folio-{n:03}.txt"), n.to_string().into_bytes())).collect();
    files.push(("<b>markup</b> \u{202E}txt.exe".into(), b"x".to_vec()));
    files.push((format!("{}/x", "long-folder_".repeat(15)), b"x".to_vec()));
    let borrowed: Vec<(&str, &[u8])> =
        files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
    house.receive("letters", &bag(&borrowed), 1);
    house.receive("letters", &bag(&[("scans/folio-000.txt", b"changed")]), 2);
    let listed = |path: &str, rows: &str, key: &str| {
        let list = house.get(path).is(200).json();
        list[rows][0][key].as_str().unwrap().to_owned()
    };
    let held = json!({
        "file": listed("/api/v1/files?identifier=archive.local/letters/data/scans/folio-000.txt", "files", "uuid"),
        "odd": listed("/api/v1/files?object_identifier=archive.local/letters&path__starts_with=data/%3Cb", "files", "uuid"),
        "event": listed("/api/v1/events?scope=files", "events", "identifier"),
    });
    let items = json!({
        "finished": house.bring("ok parish-registers-1790.tar", "finished"),
        "rejected": house.bring("reject-county-maps.tar", "parked"),
        "mendable": [
            house.bring("mendable-letters-1.tar", "parked"),
            house.bring("mendable-letters-2.tar", "parked"),
        ],
        "long": house.bring(&format!("fatal-{}.tar", "long-name-without-a-space_".repeat(12)), "parked"),
        // Half an hour, unless the test ends first.
        "running": house.push("slow-newspapers-100000"),
    });
    house.bring("retry-صور-الأرشيف.tar", "parked");
    house.bring("panic-&-<b>markup</b>.tar", "parked");
    for n in 0..60 {
        house.push(&format!("ok bag-{n:03}.tar"));
    }
    until("all but one are at rest and listed", || {
        let done = house.get("/api/v1/items?status=Success").json()["count"].as_u64();
        done == Some(63) && house.get("/api/v1/items?status=Started").json()["count"] == 1
    });

    let told = [("STRONGROOM_ITEMS", items), ("STRONGROOM_HELD", held)];
    drive_as_keeper("pages.test.js", &house, &told);
}

#[test]
fn browser_keeps_the_house_and_saves_filters() {
    if equipment().is_none() {
        return;
    }
    let house = House::ingesting();
    house.receive("letters", &bag(LETTERS), 1);
    drive_as_keeper("keeping.test.js", &house, &[]);
}

#[test]
fn browser_reads_alerts_by_mouse_and_by_keyboard() {
    if equipment().is_none() {
        return;
    }
    let house = House::configured("[mail]\nspool = \"mail\"\n");
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let ann = house.app().registry.user_by_email("ann@archive.example").unwrap().unwrap();
    for (n, name) in
        ["letters.tar", &"long-name-without-a-space_".repeat(9), "صور-الأرشيف.tar", "<b>x</b>"]
            .into_iter()
            .enumerate()
    {
        let id = i64::try_from(n).unwrap() + 1;
        let item = ParkedItem {
            id,
            name: name.into(),
            action: "Ingest".into(),
            stage: "Validate".into(),
            since: storage::clock::Timestamp(1_794_813_641_000),
            happened: "The bag is not valid: 3 findings.".into(),
            kept: "The bag stays where it is.".into(),
            advice: "Send the report to the depositor.".into(),
        };
        let alert = item_parked(&item, Some(ann.institution_id));
        raise(house.app(), &alert).unwrap().unwrap();
        // Older ones are over.
        if n == 0 {
            let now = house.app().shop.clock.now();
            assert!(house.app().registry.end_alert(&alert.name, now).unwrap());
        }
    }
    let person = json!({"email": "ann@archive.example", "password": PASSWORD});
    drive("alerts.test.js", &house, &[("STRONGROOM_PERSON", person)]);
}

#[test]
fn browser_sends_bags_and_sees_them_preserved() {
    if equipment().is_none() {
        return;
    }
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nstill_s = 1\n");
    let bags = house.dir.path().join("bags");
    std::fs::create_dir(&bags).unwrap();
    let at = |name: &str| bags.join(name).to_str().unwrap().to_owned();
    let make = |name: &str, files: &[(String, Vec<u8>)]| {
        let file = at(&format!("{name}.tar"));
        write_tar(Path::new(&file), name, files);
        file
    };
    let mut broken = bag(LETTERS);
    broken.retain(|(path, _)| path != "data/empty");
    std::fs::File::create(at("notes.txt")).unwrap();
    std::fs::File::create(at("large.tar")).unwrap().set_len(40_000_000).unwrap();
    let told = json!({
        "first": make("first", &bag(LETTERS)),
        "second": make("second", &bag(LETTERS)),
        "third": make("third", &bag(LETTERS)),
        "broken": make("broken", &broken),
        "large": at("large.tar"),
        "notes": at("notes.txt"),
    });
    drive_as_keeper("deposits.test.js", &house, &[("STRONGROOM_BAGS", told)]);
}

#[test]
fn browser_sees_two_people_delete() {
    if equipment().is_none() {
        return;
    }
    let toml = "[ingest]\nsweep_s = 1\n[deletion]\ncooling_off_h = 0\n";
    two_people("deletions.test.js", &House::of_the_program(toml));
}

#[test]
fn browser_counts_down_to_the_erasure_and_cancels_it() {
    if equipment().is_none() {
        return;
    }
    two_people("cooling.test.js", &House::of_the_program("[ingest]\nsweep_s = 1\n"));
}

/// Drives a house that holds two objects and has two administrators.
fn two_people(test: &str, house: &House) {
    house.receive("letters", &bag(LETTERS), 1);
    house.receive("maps", &bag(LETTERS), 1);
    let people = ["ann@archive.example", "bea@archive.example"];
    for email in people {
        house.person(email, Role::InstitutionalAdmin);
    }
    let told = json!({
        "first": people[0],
        "second": people[1],
        "password": PASSWORD,
        "welcome": house.appliance().welcome(),
    });
    drive(test, house, &[("STRONGROOM_PEOPLE", told)]);
}

#[test]
fn browser_asks_for_a_restoration_and_follows_it_to_its_path() {
    if equipment().is_none() {
        return;
    }
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nstill_s = 1\n");
    house.receive("letters", &bag(LETTERS), 1);
    house.receive("letters", &bag(&[("a.txt", b"changed\n")]), 2);
    drive_as_keeper("restorations.test.js", &house, &[]);
}

#[test]
fn browser_needs_no_mouse() {
    if equipment().is_none() {
        return;
    }
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nstill_s = 1\n");
    house.receive("letters", &bag(LETTERS), 1);
    house.person("una@archive.example", Role::InstitutionalUser);
    let told = json!({ "email": "una@archive.example", "password": PASSWORD });
    drive("keyboard.test.js", &house, &[("STRONGROOM_PERSON", told)]);
}

#[test]
fn browser_reads_reports_and_declares() {
    if equipment().is_none() {
        return;
    }
    let house = House::ingesting();
    house.receive("letters", &bag(LETTERS), 1);
    house.person("ann@archive.example", Role::Admin);
    let registry = &house.app().registry;
    let mut month = Month::parse("2025-11");
    for _ in 0..12 {
        let next = month.unwrap();
        registry
            .record_month(next, next < Month::parse("2026-02").unwrap(), next.begins())
            .unwrap();
        month = next.next();
    }
    let told = json!({ "email": "ann@archive.example", "password": PASSWORD });
    drive("reports.test.js", &house, &[("STRONGROOM_PERSON", told)]);
}

#[test]
fn browser_adds_an_episode_hears_what_was_found_and_revokes_a_lease() {
    if equipment().is_none() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::of_the_program(&shelf.toml("researchers = 1\n[ingest]\nsweep_s = 1"));
    let episode = sound::episode(1, 30.0, &[(1, 3.0), (1, 21.5)]);
    house.receive("show", &bag(&[("tape.wav", &episode), ("notes.txt", b"x")]), 1);
    add(&house, "clips", &[shelf.put("jingle.wav", &sound::clip(1))]);
    // Whoever takes it first: the house is never asked before us, as it looks every two seconds.
    let lease = hold_back(&house, &shelf.put("held-back.wav", &episode));
    shelf.put("new.wav", &episode);
    let told = json!({
        "folder": shelf.folder,
        "lease": lease,
        "object": "archive.local/show",
        "offset": 21.5,
    });
    drive_as_keeper("research.test.js", &house, &[("STRONGROOM_RESEARCH", told)]);
}
