//! Deposits over the wire: what is taken, what is refused, and that nothing is ever left behind.

use std::fs;
use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::PathBuf;
use std::time::Duration;

use storage::clock::{Clock, SystemClock};

use crate::house::{DEADLINE, House, until};
use crate::ingest::{LETTERS, bag, write_tar};
use crate::wire::{self, Ask, get, read_head};

pub(super) const AREA: &str = "archive.local";
pub(super) const QUIET: &str = "[ingest]\nsweep_s = 3600\n";

pub(super) fn area(house: &House) -> PathBuf {
    house.data().join("receiving").join(AREA)
}

/// The names in the receiving area, drafts included.
pub(super) fn lying(house: &House) -> Vec<String> {
    let entries = fs::read_dir(area(house)).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(super) fn letters() -> Vec<u8> {
    tar("letters", &bag(LETTERS))
}

pub(super) fn tar(top: &str, files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let file = tempfile::NamedTempFile::new().unwrap();
    write_tar(file.path(), top, files);
    fs::read(file.path()).unwrap()
}

pub(super) fn put(house: &House, name: &str, body: &[u8]) -> Ask {
    let path = format!("/api/v1/deposits/{AREA}/{name}");
    let ask = Ask { body: body.to_vec(), ..get(path).method("PUT") };
    ask.with("authorization", format!("Bearer {}", house.key()))
}

/// A form as a browser sends it.
fn form(parts: &[(&str, Option<&str>, &[u8])]) -> Ask {
    form_to("/deposits", parts)
}

pub(super) fn form_to(path: &str, parts: &[(&str, Option<&str>, &[u8])]) -> Ask {
    let mut body = Vec::new();
    for (name, file, bytes) in parts {
        let file = file.map(|file| format!("; filename=\"{file}\"")).unwrap_or_default();
        let head =
            format!("--XyZ\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend(head.as_bytes());
        body.extend(*bytes);
        body.extend(b"\r\n");
    }
    body.extend(b"--XyZ--\r\n");
    wire::post(path, body).with("content-type", "multipart/form-data; boundary=XyZ")
}

fn upload(name: &str, body: &[u8]) -> Ask {
    form(&[("institution", None, AREA.as_bytes()), ("file", Some(name), body)])
}

/// Begins an upload of so many bytes and sends some of them.
fn begin(house: &House, name: &str, announced: u64, body: &[u8]) -> TcpStream {
    let mut stream = wire::connect(house.address());
    let head = format!(
        "PUT /api/v1/deposits/{AREA}/{name} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         authorization: Bearer {}\r\ncontent-length: {announced}\r\n\r\n",
        house.key()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    stream
}

fn draft_appears(house: &House, name: &str) {
    until("the upload has begun", || lying(house) == [format!(".upload-{name}.part")]);
}

#[test]
fn a_deposit_is_preserved_by_form_and_by_api_without_waiting_for_the_sweep() {
    let house = House::of_the_program(QUIET);
    let reply = house.ask(&upload("letters.tar", &letters())).is(303);
    let page = reply.header("location").unwrap().to_owned();
    let id: u64 = page.strip_prefix("/items/").unwrap().parse().unwrap();
    house.until_state(id, "finished");
    assert_eq!(lying(&house), Vec::<String>::new(), "what is preserved goes");

    let again = house.ask(&put(&house, "letters.tar", &letters())).is(201).json();
    assert_eq!(again["size_bytes"], letters().len());
    assert_eq!(again["page"], format!("/items/{}", again["item"]));
    house.until_state(again["item"].as_u64().unwrap(), "finished");

    let object = house.get("/api/v1/objects/archive.local/letters").is(200).json();
    let replicas = object["replicas"].as_array().unwrap();
    assert_eq!(replicas.len(), 2, "{object}");
    let text = house.get(page).is(200).text();
    assert_eq!(text.matches("class=\"step-name\"").count(), 9);
    assert_eq!(text.matches(">Done</span>").count(), 9, "{text}");
    assert!(text.contains("href=\"/objects/archive.local/letters\""), "{text}");
}

#[test]
fn a_deposit_beyond_the_quota_is_refused_by_form_and_by_api() {
    let house = House::configured("[ingest]\nsweep_s = 3600\nreceiving_max_gb = 1\n");
    house.get("/deposits").is(200);
    fs::create_dir_all(area(&house)).unwrap();
    let notes = area(&house).join("notes.bin");
    fs::File::create(&notes).unwrap().set_len(1 << 30).unwrap();
    let check = format!("/api/v1/deposits/{AREA}/letters.tar/check?size_bytes=1000");
    for reply in [house.ask(&put(&house, "letters.tar", &letters())), house.get(check.as_str())] {
        let reply = reply.is(507);
        assert_eq!(reply.code(), "over-quota");
        assert!(reply.text().contains("ingest.receiving_max_gb"), "{}", reply.text());
    }
    let page = house.ask(&upload("letters.tar", &letters())).is(507).text();
    assert!(page.contains("1.1 GB of the 1.1 GB that it may have"), "{page}");
    assert_eq!(lying(&house), ["notes.bin"]);
    assert!(house.get("/deposits").is(200).text().contains("Used: 1.1 GB of 1.1 GB"));
    fs::remove_file(&notes).unwrap();
    house.get(check).is(200);
    house.ask(&put(&house, "letters.tar", &letters())).is(201);
}

#[test]
fn a_large_body_goes_to_the_disk_whole_whatever_the_limit_of_other_requests() {
    let house = House::configured("[http]\nbody_limit_mb = 1\n[ingest]\nsweep_s = 3600\n");
    let body: Vec<u8> = (0..5_000_000_u32).flat_map(u32::to_le_bytes).collect();
    house.ask(&put(&house, "large.tar", &body)).is(201);
    assert!(fs::read(area(&house).join("large.tar")).unwrap() == body);
    house.ask(&upload("form.tar", &body)).is(303);
    assert!(fs::read(area(&house).join("form.tar")).unwrap() == body);
    // In pieces of unknown number.
    let mut stream = wire::connect(house.address());
    let head = format!(
        "PUT /api/v1/deposits/{AREA}/pieces.tar HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         authorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n",
        house.key()
    );
    stream.write_all(head.as_bytes()).unwrap();
    for piece in body.chunks(300_000) {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).unwrap();
        stream.write_all(piece).unwrap();
        stream.write_all(b"\r\n").unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(read_head(&mut BufReader::new(stream)).status, 201);
    assert!(fs::read(area(&house).join("pieces.tar")).unwrap() == body);
}

#[test]
fn names_that_cannot_be_deposits_are_refused_with_why() {
    let house = House::configured(QUIET);
    let long = format!("{}.tar", "x".repeat(300));
    for (name, words) in [
        ("notes.txt", "ends in"),
        ("a.TAR", "ends in"),
        ("a.tar.part", "ends in"),
        (".a.tar", "begin with a dot"),
        (".tar", "begin with a dot"),
        ("..", "begin with a dot"),
        ("a%2Fb.tar", "names a folder"),
        ("..%2F..%2Fa.tar", "names a folder"),
        ("a%5Cb.tar", "names a folder"),
        ("a%00.tar", "control character"),
        ("a%0A.tar", "control character"),
        (&long, "at most"),
    ] {
        let reply = house.ask(&put(&house, name, b"x")).is(400);
        assert_eq!(reply.code(), "bad-name", "{name}");
        assert!(reply.text().contains(words), "{name}: {}", reply.text());
        let check = house.get(format!("/api/v1/deposits/{AREA}/{name}/check?size_bytes=1")).is(400);
        assert_eq!(check.code(), "bad-name", "{name}");
    }
    house.ask(&put(&house, "a%FF.tar", b"x")).is(400);
    for name in ["../a.tar", "/etc/a.tar", "a\\b.tar", "", "notes.txt", "a\u{7}.tar", ".a.tar"] {
        let page = house.ask(&upload(name, b"x")).is(400).text();
        assert!(page.contains("is not a name for a deposit"), "{name}: {page}");
        assert!(page.contains("Nothing was changed."), "{name}: {page}");
    }
    let foreign = form(&[("institution", None, b"nobody.example"), ("file", Some("a.tar"), b"x")]);
    assert!(house.ask(&foreign).is(404).text().contains("There is no institution"));
    let path = "/api/v1/deposits/nobody.example/a.tar".to_owned();
    let foreign = house.ask(&Ask { path, ..put(&house, "a.tar", b"x") }).is(404);
    assert_eq!(foreign.code(), "no-such-institution");
    assert_eq!(lying(&house), Vec::<String>::new());
    assert_eq!(house.get("/api/v1/items").json()["count"], 0);
}

#[test]
fn what_is_there_already_is_never_replaced() {
    let house = House::configured(QUIET);
    house.ask(&put(&house, "a.tar", b"first")).is(201);
    let refused = house.ask(&put(&house, "a.tar", b"second")).is(409);
    assert_eq!(refused.code(), "already-there");
    let page = house.ask(&upload("a.tar", b"third")).is(409).text();
    assert!(page.contains("is in the receiving area already"), "{page}");
    assert_eq!(fs::read(area(&house).join("a.tar")).unwrap(), b"first");
    assert_eq!(lying(&house), ["a.tar"]);

    // Put there by another way while an upload is under way.
    let mut slow = begin(&house, "b.tar", 6, b"abc");
    until("the upload has begun", || lying(&house).len() == 2);
    fs::File::create(area(&house).join("b.tar")).unwrap().write_all(b"theirs").unwrap();
    slow.write_all(b"def").unwrap();
    assert_eq!(read_head(&mut BufReader::new(slow)).status, 409);
    assert_eq!(fs::read(area(&house).join("b.tar")).unwrap(), b"theirs");
    assert_eq!(lying(&house), ["a.tar", "b.tar"]);
}

#[test]
fn two_uploads_of_one_name_are_one_upload_and_a_refusal() {
    let house = House::configured(QUIET);
    let mut first = begin(&house, "a.tar", 6, b"abc");
    draft_appears(&house, "a.tar");
    let refused = house.ask(&put(&house, "a.tar", b"other")).is(409);
    assert_eq!(refused.code(), "being-sent");
    let check = house.get(format!("/api/v1/deposits/{AREA}/a.tar/check")).is(409);
    assert_eq!(check.code(), "being-sent");
    let page = house.get("/deposits").is(200).text();
    assert!(page.contains("still being uploaded") && page.contains(">a.tar<"), "{page}");
    first.write_all(b"def").unwrap();
    assert_eq!(read_head(&mut BufReader::new(first)).status, 201);
    assert_eq!(fs::read(area(&house).join("a.tar")).unwrap(), b"abcdef");
    assert_eq!(lying(&house), ["a.tar"]);
}

#[test]
fn only_so_many_are_received_at_once() {
    let house = House::configured(QUIET);
    let open: Vec<_> = (0..8).map(|n| begin(&house, &format!("{n}.tar"), 6, b"abc")).collect();
    until("all have begun", || lying(&house).len() == 8);
    assert_eq!(house.ask(&put(&house, "more.tar", b"x")).is(503).code(), "crowded");
    house.get("/health").is(200);
    drop(open);
    until("all is gone", || lying(&house).is_empty());
    house.ask(&put(&house, "more.tar", b"x")).is(201);
}

#[test]
fn an_upload_that_is_cut_off_leaves_nothing() {
    let house = House::configured(QUIET);
    let big = vec![7; 3 << 20];
    for how in [None, Some(Shutdown::Write)] {
        let stream = begin(&house, "a.tar", 50 << 20, &big);
        draft_appears(&house, "a.tar");
        match how {
            None => drop(stream),
            Some(how) => {
                stream.shutdown(how).unwrap();
                let reply = read_head(&mut BufReader::new(stream));
                assert!([0, 400].contains(&reply.status), "{}", reply.status);
            }
        }
        until("nothing is left", || lying(&house).is_empty());
    }
    // A form without its end, though its length is right.
    let whole = upload("a.tar", &big);
    let body = whole.body[..whole.body.len() - 9].to_vec();
    let page = house.ask(&Ask { body, ..whole }).is(400).text();
    assert!(page.contains("ended before all of it was sent"), "{page}");
    assert_eq!(lying(&house), Vec::<String>::new());
    assert_eq!(house.get("/api/v1/items").json()["count"], 0);
}

#[test]
fn an_upload_that_falls_silent_is_given_up_and_a_slow_one_is_not() {
    let house = House::configured("[http]\nupload_idle_s = 5\n[ingest]\nsweep_s = 3600\n");
    let clock = SystemClock::start();
    let silent = begin(&house, "silent.tar", 10, b"abc");
    let mut answer = String::new();
    BufReader::new(silent).read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("upload_idle_s"), "{answer}");
    assert!(clock.steady() >= Duration::from_millis(4900));
    until("nothing is left", || lying(&house).is_empty());
    let mut slow = begin(&house, "slow.tar", 4, b"");
    // Longer in all than one may be silent, and no pause nearly as long.
    for byte in b"slow" {
        std::thread::park_timeout(Duration::from_millis(1300));
        slow.write_all(&[*byte]).unwrap();
    }
    assert_eq!(read_head(&mut BufReader::new(slow)).status, 201);
    assert_eq!(lying(&house), ["slow.tar"]);
}

#[test]
fn what_is_too_large_or_has_no_room_is_refused() {
    let house = House::tuned(QUIET, |config| config.ingest.max_bag_bytes = 2_000_000);
    let over = vec![1; 2_000_001];
    let refused = house.ask(&put(&house, "a.tar", &over)).is(413);
    assert_eq!(refused.code(), "too-large");
    assert!(refused.text().contains("2.0 MB"), "{}", refused.text());
    assert!(house.ask(&upload("a.tar", &vec![1; 3_000_000])).is(413).text().contains("2.0 MB"));
    // A form that announces little more than is allowed is stopped by what it brings.
    house.ask(&upload("a.tar", &over)).is(413);
    let check = house.get(format!("/api/v1/deposits/{AREA}/a.tar/check?size_bytes=2000001"));
    assert_eq!(check.is(413).code(), "too-large");
    // Nothing announced: counted as it comes.
    let mut stream = wire::connect(house.address());
    let head = format!(
        "PUT /api/v1/deposits/{AREA}/a.tar HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         authorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n",
        house.key()
    );
    stream.write_all(head.as_bytes()).unwrap();
    for _ in 0..3 {
        stream.write_all(b"f4240\r\n").unwrap();
        stream.write_all(&vec![1; 1_000_000]).unwrap();
        stream.write_all(b"\r\n").unwrap();
    }
    stream.write_all(b"0\r\n\r\n").unwrap();
    assert_eq!(read_head(&mut BufReader::new(stream)).status, 413);
    assert_eq!(house.ask(&put(&house, "a.tar", b"")).is(400).code(), "empty");
    assert_eq!(house.ask(&upload("a.tar", b"")).is(400).status, 400);
    assert_eq!(lying(&house), Vec::<String>::new());
    house.ask(&put(&house, "a.tar", &over[1..])).is(201);

    let full = House::configured("[work]\nroom_floor_mb = 900000000\n");
    assert_eq!(full.ask(&put(&full, "a.tar", b"x")).is(507).code(), "no-room");
    assert!(full.ask(&upload("a.tar", b"x")).is(507).text().contains("There is no room for it"));
    assert_eq!(lying(&full), Vec::<String>::new());
}

#[test]
fn what_is_no_form_of_ours_is_refused() {
    let house = House::configured(QUIET);
    let plain = wire::post("/deposits", "institution=archive.local&file=a.tar");
    assert!(house.ask(&plain).is(400).text().contains("not the form"));
    let file = ("file", Some("a.tar"), &b"x"[..]);
    let institution = ("institution", None, AREA.as_bytes());
    for parts in [
        &[("colour", None, &b"red"[..]), institution, file][..],
        &[institution],
        &[institution, file, ("more", None, b"x")],
        &[("institution", None, &[b'x'; 5000]), file],
    ] {
        house.ask(&form(parts)).is(400);
    }
    house.ask(&form(&[file, institution])).is(404);
    for foreign in ["cross-site", "same-site"] {
        house.ask_as_stranger(&upload("a.tar", b"x").with("sec-fetch-site", foreign)).is(403);
    }
    let stranger = put(&house, "a.tar", b"x").with("authorization", "Bearer wrong");
    assert_eq!(house.ask(&stranger).is(401).code(), "not-signed-in");
    assert_eq!(lying(&house), Vec::<String>::new());
    assert_eq!(house.get("/api/v1/items").json()["count"], 0);
}

#[test]
fn curl_is_told_no_before_it_sends() {
    let house = House::configured(QUIET);
    house.ask(&put(&house, "a.tar", b"x")).is(201);
    let mut stream = wire::connect(house.address());
    let head = format!(
        "PUT /api/v1/deposits/{AREA}/a.tar HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n\
         authorization: Bearer {}\r\ncontent-length: 1000000000\r\n\r\n",
        house.key()
    );
    stream.write_all(head.as_bytes()).unwrap();
    assert_eq!(read_head(&mut BufReader::new(stream)).status, 409);
}

#[test]
fn a_stop_ends_uploads_and_the_next_start_clears_what_a_kill_left() {
    // Longer than the test: a stop that waited for the upload would be seen.
    let mut house = House::configured(&format!("{QUIET}[http]\nupload_idle_s = 3600\n"));
    let mut open = begin(&house, "a.tar", 1 << 20, b"abc");
    draft_appears(&house, "a.tar");
    // A draft of a process that was killed: nobody announced it.
    let killed = area(&house).join(".upload-killed.tar.part");
    fs::File::create(&killed).unwrap().write_all(&[0; 100]).unwrap();
    let took = house.stop();
    assert!(took < DEADLINE, "a silent upload holds nobody up: {took:?}");
    let mut answer = String::new();
    open.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 503") && answer.contains("is stopping"), "{answer}");
    house.start();
    assert_eq!(lying(&house), Vec::<String>::new());
    house.ask(&put(&house, "a.tar", b"x")).is(201);
}

#[test]
fn the_sweep_leaves_uploads_alone_and_clears_what_nobody_writes() {
    let house = House::of_the_program("[ingest]\nsweep_s = 1\nstill_s = 0\n");
    let bytes = letters();
    let (most, last) = bytes.split_at(bytes.len() - 100);
    let mut slow = begin(&house, "letters.tar", bytes.len() as u64, most);
    draft_appears(&house, "letters.tar");
    let stale = area(&house).join(".upload-stale.tar.part");
    fs::File::create(&stale).unwrap().write_all(b"x").unwrap();
    until("the sweep has cleared it", || !lying(&house).iter().any(|it| it.contains("stale")));
    assert_eq!(lying(&house), [".upload-letters.tar.part"]);
    slow.write_all(last).unwrap();
    assert_eq!(read_head(&mut BufReader::new(slow)).status, 201);
    let count = |status: &str| {
        house.get(format!("/api/v1/items?action=Ingest{status}")).json()["count"].clone()
    };
    until("it is preserved", || count("&status=Success") == 1);
    // The sweep looks every second, and makes no second item of it.
    let looks = || {
        let sweeps = house.app().shop.queue.store().schedules().unwrap();
        sweeps.into_iter().find(|(name, _)| name == "receiving").unwrap().1.last_run
    };
    let before = looks();
    until("it has looked again", || looks() > before);
    assert_eq!(count(""), 1);
}
