//! Clients that read what they asked for slowly, or not at all: whatever streams, pages still answer,
//! and the clients get the right bytes in the end.

use std::collections::BTreeSet;
use std::io::{BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;
use storage::registry::Role;
use storage::work::item::Subject;
use storage::work::queue::NewItem;
use strongroom::http::DOORS;

use crate::house::{House, TOPICS, until};
use crate::ingest::bag;
use crate::researcher::{Shelf, add, recording};
use crate::wire::{self, Ask, Reply, get};

/// More than the threads that pages have. A soak asks for more.
fn client_count() -> usize {
    let rounds = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|it| it.parse().ok());
    rounds.map_or(20, |rounds: usize| rounds.clamp(20, 200))
}

/// Longer than any test: no client is cut off for being slow.
const PATIENT: &str = "[http]\nanswer_idle_s = 3600\nstreams_per_user = 0\n[ingest]\nsweep_s = 1\n\
    still_s = 0\n";

/// More than every buffer between the server and a client that does not read.
const LARGE: usize = 8 << 20;
/// Enough files for lists, tables and a PREMIS document of some hundred kilobytes.
const FILES: usize = 300;

/// An appliance that has something large behind every route that streams.
struct Furnished {
    house: House,
    restored: u64,
    _folder: tempfile::TempDir,
}

impl Furnished {
    fn new() -> Furnished {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::at(folder.path());
        let research = shelf.toml("researchers = 0");
        let house = House::of_the_program(&format!("{PATIENT}{research}"));
        let large: Vec<u8> = (0..LARGE).map(|at| (at / 1000).to_le_bytes()[0]).collect();
        let names: Vec<String> = (0..FILES).map(|at| format!("scans/folio-{at:04}.txt")).collect();
        let mut files: Vec<(&str, &[u8])> =
            names.iter().map(|name| (name.as_str(), name.as_bytes())).collect();
        files.push(("large.bin", &large));
        house.receive("letters", &bag(&files), 1);
        let asked = house.command("/api/v1/objects/archive.local/letters/restore", "").is(202);
        let restored = asked.json()["item"]["id"].as_u64().unwrap();
        house.until_state(restored, "finished");
        for kind in ["episodes", "clips"] {
            add(&house, kind, &[shelf.put(&format!("{kind}.wav"), &large)]);
        }
        Furnished { house, restored, _folder: folder }
    }

    /// The addresses to ask for at a door; none where it does not lead to anything here.
    fn addresses(&self, path: &str) -> Vec<String> {
        let letters = "archive.local/letters";
        let filled = match path {
            "/objects/{*which}" | "/api/v1/objects/{*which}" => {
                let object = path.replace("{*which}", letters);
                return vec![object.clone(), format!("{object}/premis")];
            }
            "/api/v1/export/{part}" => {
                let parts = strongroom::desk::Desk::tables().iter().copied().chain(["work"]);
                return parts.map(|part| path.replace("{part}", part)).collect();
            }
            "/files/{*which}" | "/api/v1/files/{*which}" => path.replace("{*which}", "1"),
            "/member-api/v3/files/show/{*which}" | "/admin-api/v3/files/show/{*which}" => {
                path.replace("{*which}", "1")
            }
            _ if path.ends_with("objects/show/{*which}") => path.replace("{*which}", "1"),
            _ if path.ends_with("events/show/{*which}") => {
                let list = path.replace("/show/{*which}", "?per_page=1");
                let first = &self.house.get(list.as_str()).is(200).json()["results"][0]["id"];
                path.replace("{*which}", &first.as_u64().unwrap().to_string())
            }
            "/assets/{name}" => "/assets/icon.svg".into(),
            "/queues/{topic}/empty" => "/queues/ingest01_prefetch/empty".into(),
            "/search" | "/api/v1/search" => format!("{path}?q=letters"),
            "/reports/ndsa/declare" => "/reports/ndsa/declare?requirement=storage-needs".into(),
            _ => {
                let restored = self.restored.to_string();
                let filled =
                    path.replace("{item}", &restored).replace("{institution}", "archive.local");
                filled.replace("{name}", "a.tar").replace("{id}", "1").replace("{which}", "1")
            }
        };
        let list = filled.starts_with("/api/v1/") && !filled.contains('?');
        let all = |format| format!("{filled}?format={format}");
        match list {
            true => vec![filled.clone(), all("csv"), all("jsonl")],
            false => vec![filled],
        }
    }

    /// How many answers were ever sent piece by piece.
    fn streamed(&self) -> u64 {
        let text = self.house.get("/metrics").is(200).text();
        let line = text.lines().find_map(|it| it.strip_prefix("strongroom_http_streams_total "));
        line.expect("the number of streams is told").parse().unwrap()
    }

    /// Every address that answers piece by piece, found by asking at every door.
    fn streaming(&self) -> Vec<(&'static str, String)> {
        let mut found = Vec::new();
        let mut unreached = Vec::new();
        for (method, path, _) in DOORS {
            // Live events do not end; they have places of their own.
            if *method != "GET" || *path == "/live" {
                continue;
            }
            let mut statuses = Vec::new();
            for address in self.addresses(path) {
                let before = self.streamed();
                let status = self.house.get(address.as_str()).status;
                statuses.push(status);
                if status == 200 && self.streamed() > before {
                    found.push((*path, address));
                }
            }
            let reached = statuses.iter().any(|status| [200, 303].contains(status));
            if !reached && !NOT_HERE.contains(path) {
                unreached.push(format!("{path}: {statuses:?}"));
            }
        }
        assert!(
            unreached.is_empty(),
            "say where these lead, or that they do not stream: {unreached:#?}"
        );
        found
    }
}

/// Routes to things that are not in this house. None of them streams: their answers are one page, or
/// one document that is made before it is sent.
const NOT_HERE: &[&str] = &[
    "/items/{id}/report.txt",
    "/items/{id}/cancel",
    "/events/{*which}",
    "/api/v1/events/{*which}",
    "/api/v1/items/{id}/report",
    "/deletions/new",
    "/deletions/{id}",
    "/fragments/deletions/{id}",
    "/deletions/{id}/certificate.txt",
    "/deletions/{id}/certificate.json",
    "/api/v1/deletions/{id}",
    "/api/v1/deletions/{id}/certificate",
    "/alerts/{id}",
    "/api/v1/alerts/{id}",
    "/research/leases/{lease}/revoke",
    "/assessments/{which}",
    "/fragments/assessments/{which}",
    "/api/v1/assessments/{which}",
    "/api/v1/assessments/{which}/poll",
    "/api/v1/assessments/{which}/result.json",
    "/api/v1/assessments/{which}/result.csv",
    "/api/v1/assessments/{which}/result.geojson",
    "/reference-data/roll-back",
    "/users/{which}",
    "/api/v1/users/{which}",
    "/api/v1/users/{which}/tokens",
    "/password",
    "/welcome",
    "/sign-in/code",
    "/account",
    "/account/email",
    "/account/second-factor",
    "/api/v1/tokens",
    "/api/v1/sessions",
    "/member-api/v3/alerts",
    "/member-api/v3/alerts/show/{id}/{user}",
    "/member-api/v3/checksums/show/{id}",
    "/member-api/v3/deletions/show/{id}",
    "/admin-api/v3/alerts/show/{id}/{user}",
    "/admin-api/v3/checksums/show/{id}",
    "/admin-api/v3/deletions/show/{id}",
    "/admin-api/v3/storage_records/show/{id}",
];

/// The kinds that must be among what streams, or the test has looked at nothing.
const KINDS: &[&str] = &[
    "/restorations/{item}/download",
    "/api/v1/restorations/{item}/content",
    "/api/v1/research/episodes/{id}/media",
    "/api/v1/research/clips/{id}/media",
    "/api/v1/objects/{*which}",
    "/api/v1/export/{part}",
    "/api/v1/fixity/report.csv",
    "/api/v1/fixity/unsound.csv",
    "/api/v1/reports/deposits.csv",
    "/api/v1/objects",
    "/api/v1/files",
    "/api/v1/events",
    "/api/v1/items",
    "/api/v1/audit",
];

/// How an answer that was read slowly is compared with one that was read at once.
fn compare(house: &House, address: &str, slow: &[u8], known: &[u8]) {
    if address == "/api/v1/export/work" {
        // Scheduled tasks change the work state at any moment; what was sent is whole all the same.
        assert_eq!(slow.last(), Some(&b'\n'), "{address}");
        for line in std::str::from_utf8(slow).unwrap().lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{address}: {line}");
        }
    } else if address.contains("/reports/") || address.contains("/fixity/") {
        // These bear the time of the request.
        assert_eq!(lines(slow), lines(known), "{address}");
    } else if slow != known {
        // What happens by itself in between is in later answers.
        let now = house.get(address).body;
        assert!(slow == now, "{address}: {} bytes", slow.len());
    }
}

fn lines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte == b'\n').count()
}

#[test]
fn slow_clients_of_every_streaming_route_leave_pages_answering_and_get_the_right_bytes() {
    let furnished = Furnished::new();
    let house = &furnished.house;
    until("all is at rest", || {
        let rows = house.get("/api/v1/queues").json();
        rows.as_array().unwrap().iter().all(|row| row["in_flight"] == 0 && row["ready"] == 0)
    });
    let streaming = furnished.streaming();
    let doors: BTreeSet<&str> = streaming.iter().map(|(path, _)| *path).collect();
    for kind in KINDS {
        assert!(doors.contains(kind), "{kind} does not stream any more: {doors:?}");
    }
    // The largest first: they fill the buffers on the way.
    let mut known: Vec<(String, Vec<u8>)> = streaming
        .into_iter()
        .map(|(_, address)| (address.clone(), house.get(address).is(200).body))
        .collect();
    known.sort_by_key(|(_, body)| std::cmp::Reverse(body.len()));
    println!("{} addresses stream, the largest {:?}", known.len(), known[0].0);
    for (address, body) in &known {
        let ask = house.with_key(&get(address.as_str()));
        let mut slow: Vec<(Reply, BufReader<TcpStream>)> = Vec::new();
        for client in 0..client_count() {
            let (head, rest) = wire::open(house.address(), &ask);
            assert_eq!(head.status, 200, "client {client} of {address} was not answered");
            slow.push((head, rest));
        }
        for page in ["/objects", "/api/v1/items"] {
            assert_eq!(house.get(page).status, 200, "{page} beside slow clients of {address}");
        }
        until("it is ready beside slow clients", || house.get("/health/ready").status == 200);
        for (mut head, mut rest) in slow {
            wire::read_body(&mut rest, &mut head);
            compare(house, address, &head.body, body);
        }
    }
}

#[test]
fn recordings_from_a_server_that_does_not_answer_leave_pages_answering() {
    let research =
        "[research]\nresearchers = 0\nmedia_timeout_s = 600\nown_networks = [\"127.0.0.1\"]\n";
    let house = House::configured(research);
    // Connections are taken by the system, and nobody ever answers on them.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let count = client_count();
    let recordings: Vec<_> = (0..count)
        .map(|at| {
            let url = format!("http://{address}/{at}.mp3");
            recording(&at.to_string(), &json!({"kind": "url", "url": url}))
        })
        .collect();
    add(&house, "episodes", &recordings);
    let waiting: Vec<TcpStream> = (1..=count)
        .map(|id| begin(&house, &get(format!("/api/v1/research/episodes/{id}/media"))))
        .collect();
    silent.accept().expect("somebody asks for a recording");
    house.get("/objects").is(200);
    drop(waiting);
}

/// A server elsewhere sends a recording byte by byte, without end. When its listener has gone, so has
/// the connection to that server.
#[test]
fn a_recording_is_not_fetched_on_when_its_request_has_ended() {
    let research =
        "[research]\nresearchers = 0\nmedia_timeout_s = 600\nown_networks = [\"127.0.0.1\"]\n";
    let house = House::configured(research);
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/endless.mp3", elsewhere.local_addr().unwrap());
    add(&house, "episodes", &[recording("endless", &json!({"kind": "url", "url": url}))]);
    let listener = begin(&house, &get("/api/v1/research/episodes/1/media"));
    let (mut fetching, _) = elsewhere.accept().unwrap();
    let asked = wire::read_head(&mut BufReader::new(fetching.try_clone().unwrap()));
    assert_eq!(asked.status, 0, "a request has no status");
    fetching.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: audio/mpeg\r\n\r\n").unwrap();
    let mut goes_on = || fetching.write_all(b"x").is_ok();
    for _ in 0..20 {
        assert!(goes_on(), "it is fetched while somebody waits for it");
        std::thread::park_timeout(Duration::from_millis(10));
    }
    drop(listener);
    until("the recording is no longer fetched", || !goes_on());
}

/// Sends a request and reads nothing of the answer.
fn begin(house: &House, ask: &Ask) -> TcpStream {
    let mut stream = wire::connect(house.address());
    stream.write_all(&house.with_key(ask).bytes()).unwrap();
    stream
}

const LIMITED: &str = "[http]\ntrusted_proxies = [\"127.0.0.1\"]\nanswer_idle_s = 3600\n\
    streams_per_user = 2\nstreams_per_address = 3\n";

#[test]
fn a_user_and_an_address_have_so_many_downloads_at_once_and_pages_beside_them() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(folder.path());
    let house = House::configured(&format!("{LIMITED}{}", shelf.toml("researchers = 0")));
    add(&house, "clips", &[shelf.put("a.wav", &vec![7; LARGE])]);
    let people = ["ann@archive.example", "bea@archive.example", "cid@archive.example"];
    let [ann, bea, cid] = people.map(|email| {
        house.person(email, Role::Admin);
        house.sign_in(email)
    });
    let media = "/api/v1/research/clips/1/media";
    let ask = |cookie: &str, from: &str, path: &str| {
        get(path).with("cookie", cookie).with("x-forwarded-for", from)
    };
    let listen = |cookie: &str, from: &str| wire::open(house.address(), &ask(cookie, from, media));
    let refused = |cookie: &str, from: &str| {
        let reply = house.ask(&ask(cookie, from, media)).is(429);
        assert_eq!(reply.code(), "too-many-streams");
        assert!(reply.header("retry-after").is_some());
        reply.json()["detail"].as_str().unwrap().to_owned()
    };
    let home = "203.0.113.5";
    let mut open = vec![listen(&ann, home), listen(&ann, home)];
    assert!(
        refused(&ann, home).contains("Your account has 2 downloads"),
        "{}",
        refused(&ann, home)
    );
    assert!(refused(&ann, "203.0.113.9").contains("Your account"), "wherever she is");
    house.ask(&ask(&ann, home, "/objects")).is(200);
    open.push(listen(&bea, home));
    assert!(
        refused(&cid, home).contains("Your address has 3 downloads"),
        "{}",
        refused(&cid, home)
    );
    open.push(listen(&cid, "203.0.113.7"));
    assert!(open.iter().all(|(head, _)| head.status == 200));
    // Who has read to the end may begin another.
    let (mut head, mut rest) = open.remove(0);
    wire::read_body(&mut rest, &mut head);
    assert_eq!(head.body.len(), LARGE);
    until("her place is free", || house.ask(&ask(&ann, "203.0.113.8", media)).status == 200);
    // And so may who has gone without reading.
    drop(open);
    until("all places are free", || {
        let text = house.get("/metrics").is(200).text();
        text.contains("strongroom_http_streams 0\n")
    });
}

/// Beside every other route, exports are shorter than the buffers on the way: a thread that sends one is
/// free before anybody reads.
#[test]
fn slow_clients_of_an_export_larger_than_all_buffers_leave_pages_answering_and_get_all_of_it() {
    let house = House::tuned("[http]\nanswer_idle_s = 3600\nstreams_per_user = 0\n", |_| ());
    house.post("/queues/pause", "").is(303);
    let long = "x".repeat(20_000);
    for n in 0..LARGE / long.len() + 1 {
        let subject = Subject { name: format!("ok-{n}"), user: long.clone(), ..Subject::default() };
        let (flow, topic) = ("test".into(), TOPICS[0].into());
        house.queue().push(NewItem { flow, topic, subject, ..NewItem::default() }).unwrap();
    }
    let ask = house.with_key(&get("/api/v1/export/work"));
    let mut slow = Vec::new();
    for client in 0..client_count() {
        let (head, rest) = wire::open(house.address(), &ask);
        assert_eq!(head.status, 200, "client {client} was not answered");
        slow.push((head, rest));
    }
    for page in ["/objects", "/api/v1/items"] {
        assert_eq!(house.get(page).status, 200, "{page} beside slow clients of an export");
    }
    for (mut head, mut rest) in slow {
        wire::read_body(&mut rest, &mut head);
        assert!(head.body.len() > LARGE, "{} bytes", head.body.len());
        compare(&house, "/api/v1/export/work", &head.body, &[]);
    }
    nothing_is_left_in_staging(&house);
}

#[test]
fn an_export_larger_than_the_disk_space_for_exports_is_refused_and_leaves_nothing() {
    let house = House::tuned("", |config| config.http.streams.spool_bytes = 2_000);
    house.post("/queues/pause", "").is(303);
    for n in 0..200 {
        house.push(&format!("ok-{n}-{}", "x".repeat(400)));
    }
    let reply = house.get("/api/v1/export/work").is(503);
    assert_eq!(reply.code(), "no-room-for-export");
    assert!(reply.text().contains("http.export_spool_mb"), "{}", reply.text());
    house.get("/api/v1/export/institutions").is(200);
    nothing_is_left_in_staging(&house);
}

#[test]
fn an_export_that_outgrows_its_disk_space_on_the_way_ends_without_its_end() {
    let house = House::tuned("", |config| config.http.streams.spool_bytes = 100_000);
    house.post("/queues/pause", "").is(303);
    for n in 0..400 {
        house.push(&format!("ok-{n}-{}", "x".repeat(400)));
    }
    let ask = house.with_key(&get("/api/v1/export/work"));
    let (head, mut rest) = wire::open(house.address(), &ask);
    assert_eq!((head.status, head.header("transfer-encoding")), (200, Some("chunked")));
    let mut body = Vec::new();
    // A connection that is cut off may say so, or only end.
    rest.read_to_end(&mut body).ok();
    assert!(!body.ends_with(b"\r\n0\r\n\r\n"), "it looks whole with {} bytes", body.len());
    house.get("/api/v1/export/institutions").is(200);
    nothing_is_left_in_staging(&house);
}

fn nothing_is_left_in_staging(house: &House) {
    let staging = house.app().config.staging();
    let left: Vec<PathBuf> =
        std::fs::read_dir(staging).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(left, [] as [&Path; 0]);
}
