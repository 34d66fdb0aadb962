//! How the appliance serves a crowd: the real binary on a registry of thousands of objects, 200
//! clients that are signed in and ask for pages and lists, and beside them clients that send headers
//! in drops and bodies without an end; before that, every page by one client alone. Prints figures
//! against their goals; asserts nothing. The second argument is how many seconds it lasts;
//! STRONGROOM_OBJECTS is how many objects there are, each with ten files.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a bench for eyes")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

mod crowd;
mod running;

use crowd::{Crowd, resident_mb};
use running::{Running, get_as, now, start, stop};
use storage::clock::Timestamp;
use storage::home::Home;
use storage::registry::Registry;

const CLIENTS: usize = 200;
const HOSTILE: usize = 10;
const EMAIL: &str = "keeper@inst1.org";
const PASSWORD: &str = "correct+horse+battery";

const PATHS: [&str; 10] = [
    "/objects",
    "/api/v1/objects?per_page=25",
    "/items",
    "/api/v1/items?status=Success&per_page=25",
    "/objects/inst2.org/bag-1",
    "/events",
    "/api/v1/files?per_page=25",
    "/",
    "/objects?find=letters",
    "/api/v1/events?per_page=25",
];

/// Every other page that grows with what is held or done.
const PAGES: [&str; 17] = [
    "/files",
    "/files?puid=fmt%2F1",
    "/search?q=letters",
    "/deposits",
    "/fixity",
    "/restorations",
    "/deletions",
    "/alerts",
    "/reports",
    "/reports/deposits",
    "/reports/growth",
    "/reports/formats",
    "/reports/storage",
    "/reports/ndsa",
    "/storage",
    "/queues",
    "/audit",
];

fn main() {
    let given = std::env::args().nth(1).filter(|it| !it.starts_with('-'));
    let place = given.map_or_else(|| PathBuf::from("."), PathBuf::from);
    let seconds = std::env::args().nth(2).and_then(|it| it.parse().ok()).unwrap_or(60);
    let room = tempfile::Builder::new().prefix("bench-http-").tempdir_in(place).unwrap();
    let data = room.path().join("data");
    let began = now();
    let objects = std::env::var("STRONGROOM_OBJECTS").ok().and_then(|it| it.parse().ok());
    let objects: u32 = objects.unwrap_or(5000);
    fill(&data, objects);
    println!("filled in {:.0?}", began.elapsed());
    let link = invite(&data);
    let running = start(&data);
    let cookie = sign_in(&running, &link);
    println!("## A crowd (release binary, {objects} objects, {CLIENTS} clients for {seconds} s)");
    let mut crowd = Crowd {
        address: running.address,
        cookie,
        paths: PATHS.map(str::to_owned).to_vec(),
        clients: 1,
        hostile: 0,
        lasting: Duration::from_secs(2),
        pause: Duration::ZERO,
    };
    tell("one client alone", &crowd, &running);
    for path in PATHS.into_iter().chain(PAGES) {
        let one = Crowd { paths: vec![path.to_owned()], ..crowd.clone() };
        tell(path, &Crowd { lasting: Duration::from_millis(500), ..one }, &running);
    }
    crowd.lasting = Duration::from_secs(seconds);
    (crowd.clients, crowd.hostile) = (CLIENTS, HOSTILE);
    tell("all, without a pause", &crowd, &running);
    crowd.pause = Duration::from_millis(500);
    tell("all, half a second between two requests", &crowd, &running);
    stop(running);
}

fn tell(name: &str, crowd: &Crowd, running: &Running) {
    let before = resident_mb(running.child.id());
    let went = crowd.come();
    let after = resident_mb(running.child.id());
    let [half, most, all] = [0.5, 0.99, 1.0].map(|share| went.share(share).as_secs_f64() * 1e3);
    let rate = went.took.len() as f64 / crowd.lasting.as_secs_f64();
    if crowd.clients == 1 {
        println!("{name}: {rate:.0} requests/s, p50 {half:.1} ms, slowest {all:.1} ms (goal: 50)");
    } else {
        println!("{name}: {rate:.0} requests/s, p50 {half:.1} ms, p99 {most:.1} ms (goal: 250)");
        println!(
            "  errors {} (goal: none), resident {before:.0} to {after:.0} MB",
            went.errors.len()
        );
        println!(
            "  slow clients cut off {} times, endless bodies {} times after {:.1} MB at most",
            went.slow_cut,
            went.large_cut,
            went.most_taken as f64 / 1e6
        );
    }
    for error in went.errors.iter().take(5) {
        println!("  {error}");
    }
}

/// A data directory whose registry is as after years; no bytes are behind it, so nothing is checked.
fn fill(data: &Path, objects: u32) {
    let mut home = Home::open(data).unwrap();
    home.stamp().unwrap();
    let path = home.registry();
    let then = Timestamp(1_700_000_000_000);
    drop(Registry::open(&path, then).unwrap());
    let conn = rusqlite::Connection::open(&path).unwrap();
    let made = format!(
        "PRAGMA synchronous = OFF; CREATE TEMP TABLE made AS SELECT {objects} AS objects, \
         10 AS files, {objects} AS items, 10 AS events"
    );
    conn.execute_batch(&made).unwrap();
    conn.execute_batch(include_str!("../../storage/benches/fill.sql")).unwrap();
    drop(conn);
    let registry = Registry::open(&path, then).unwrap();
    registry.derive_anew().unwrap();
    registry.refresh_statistics().unwrap();
    let quiet = "[fixity]\nquiet_hours = \"00:00-23:59\"\n[restore]\nrehearse_every_days = 0\n";
    byteio::durable::write(&data.join("strongroom.toml"), quiet.as_bytes(), true).unwrap();
}

/// Adds somebody; the link that sets a password.
fn invite(data: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_strongroom"))
        .args(["user", "add", EMAIL, "--name", "Keeper", "--role", "admin"])
        .args(["--institution", "inst1.org", "--json", "--data"])
        .arg(data)
        .output()
        .unwrap();
    let said: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let link = said["link"].as_str().unwrap();
    link[link.find("/password").unwrap()..].to_owned()
}

/// Sets the password as a browser does; the cookie of the session that begins.
fn sign_in(running: &Running, link: &str) -> String {
    let page = get_as(running, link, "");
    let form = cookie(&page, "strongroom_form=");
    let mark = page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let token = link.split_once('=').unwrap().1;
    let body = format!("csrf={mark}&token={token}&password={PASSWORD}&again={PASSWORD}");
    let head = format!(
        "cookie: {form}\r\nsec-fetch-site: same-origin\r\n\
         content-type: application/x-www-form-urlencoded\r\n"
    );
    let answer = running::send(running, "POST /password", &head, &body);
    cookie(&answer, "strongroom_session=")
}

fn cookie(answer: &str, name: &str) -> String {
    let at = answer.find(name).unwrap_or_else(|| panic!("no {name} in {answer}"));
    answer[at..].split(';').next().unwrap().to_owned()
}
