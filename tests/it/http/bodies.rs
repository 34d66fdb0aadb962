//! How much a request may bring: little from somebody who has not signed in, little in a form that
//! has no file, and the memory for it is given back.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use storage::registry::Role;
use strongroom::appliance::Doorplate;
use strongroom::http::{DOORS, Door};

use crate::command::{Server, folder, open};
use crate::crowd::resident_mb;
use crate::house::{House, until};
use crate::wire::{self, Ask, get, post, read_head};

/// One more than an anonymous caller may send, and one more than a form without a file may have.
const ANONYMOUS: usize = (16 << 10) + 1;
const FORM: usize = (64 << 10) + 1;

/// An address of this door.
fn filled(path: &str) -> String {
    let mut words = path.split('{');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |all, word| all + "1" + word.split_once('}').unwrap().1)
}

fn request(method: &'static str, path: &str) -> Ask {
    post(filled(path), "").method(method)
}

/// Sends a head that announces a body, and nothing of the body; the status of the answer.
fn announced(address: SocketAddr, ask: &Ask, length: usize) -> u16 {
    let text = String::from_utf8(ask.bytes()).unwrap();
    let text = text.replace("content-length: 0\r\n", &format!("content-length: {length}\r\n"));
    let mut stream = wire::connect(address);
    stream.write_all(text.as_bytes()).unwrap();
    read_head(&mut BufReader::new(stream)).status
}

/// Sends a body in pieces, one byte more than allowed and not its end; the status of the answer.
fn in_pieces(address: SocketAddr, ask: &Ask, length: usize) -> u16 {
    let text = String::from_utf8(ask.bytes()).unwrap();
    let text = text.replace("content-length: 0\r\n", "transfer-encoding: chunked\r\n");
    let mut stream = wire::connect(address);
    stream.write_all(text.as_bytes()).unwrap();
    // It may be refused before all of it is written.
    write!(stream, "{length:x}\r\n{}\r\n", "x".repeat(length)).ok();
    read_head(&mut BufReader::new(stream)).status
}

#[test]
fn every_door_that_is_open_to_anonymous_callers_refuses_17_kb_before_reading_it() {
    let house = House::new();
    let (cookie, mark) = house.unknown_browser();
    let mut offences = Vec::new();
    for (method, path, door) in DOORS {
        let bare = request(method, path).with("cookie", cookie.as_str());
        let marked = bare.clone().with("x-csrf-token", mark.as_str());
        let address = house.address();
        let mut statuses = vec![announced(address, &marked, ANONYMOUS)];
        if *method != "GET" {
            statuses.push(in_pieces(address, &marked, ANONYMOUS));
            statuses.push(in_pieces(address, &bare, ANONYMOUS));
        }
        // Who has not signed in is sent away from the others before anything is read.
        let expected: &[u16] = match door {
            // To sign out takes no form: nothing of it is read.
            Door::Open if *path == "/sign-out" => &[303, 413],
            Door::Open => &[413],
            Door::Local | Door::Asks(_) => &[200, 303, 401, 403, 413],
        };
        if !statuses.iter().all(|status| expected.contains(status)) {
            offences.push(format!("{method} {path}: {statuses:?}"));
        }
    }
    assert!(offences.is_empty(), "{offences:#?}");
    // What is within the bound is read.
    let form = format!("email=ann@archive.example&password={}", "x".repeat(15 << 10));
    assert_ne!(house.ask_by_form(&post("/sign-in", form)).status, 413);
}

#[test]
fn a_form_without_a_file_refuses_65_kb_before_reading_it() {
    let house = House::new();
    house.person("ann@archive.example", Role::Admin);
    let cookie = house.sign_in("ann@archive.example");
    let mark = house.mark(&cookie).unwrap();
    let programs = ["/api/", "/member-api/", "/admin-api/"];
    let mut offences = Vec::new();
    for (method, path, door) in DOORS {
        // These bring a file, with bounds of its own.
        let is_upload = ["/deposits", "/fixity/files/{id}/replacement"].contains(path);
        let is_page = !programs.iter().any(|it| path.starts_with(it));
        if *method != "POST" || !is_page || is_upload || *door == Door::Open {
            continue;
        }
        let ask = request(method, path).with("cookie", cookie.as_str());
        let ask = ask.with("x-csrf-token", mark.as_str());
        let status = announced(house.address(), &ask, FORM);
        if status != 413 {
            offences.push(format!("{method} {path}: {status}"));
        }
    }
    assert!(offences.is_empty(), "{offences:#?}");
    // A file is no such form: a catalogue of some hundred kilobytes is looked at.
    let file = "x".repeat(300 << 10);
    let body = format!(
        "--b\r\nContent-Disposition: form-data; name=\"csrf\"\r\n\r\n{mark}\r\n--b\r\n\
         Content-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n{file}\r\n--b--\r\n"
    );
    let ask = post("/research/episodes/import", body).with("cookie", cookie.as_str());
    let ask = ask.with("content-type", "multipart/form-data; boundary=b");
    assert_ne!(house.ask(&ask).status, 413);
}

#[test]
fn a_form_of_very_many_parts_is_refused() {
    let house = House::new();
    let parts = |count: usize| {
        let part = "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\ny\r\n";
        let body = format!("{}--b--\r\n", part.repeat(count));
        let ask = post("/api/v1/check-boundary", body).without("sec-fetch-site");
        house.ask(&ask.with("content-type", "multipart/form-data; boundary=b"))
    };
    assert_ne!(parts(50).text(), parts(5000).text());
    assert_eq!(parts(5000).is(400).code(), "not-a-form");
}

/// Opens so many connections that each send a head and as much of a body as is taken, and never end.
fn unfinished(address: SocketAddr, count: usize, head: &str, bytes: usize) -> Vec<TcpStream> {
    let piece = vec![b'x'; 64 << 10];
    let send = || {
        let mut stream = wire::connect(address);
        stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut sent = 0;
        while sent < bytes && stream.write_all(&piece).is_ok() {
            sent += piece.len();
        }
        stream
    };
    (0..count).map(|_| send()).collect()
}

#[test]
fn a_crowd_of_anonymous_bodies_takes_little_memory_and_what_a_load_took_is_given_back() {
    let (_room, data) = folder();
    drop(open(&data));
    let server = Server::start(&data);
    until("it is ready", || wire::send(server.address, &get("/health/ready")).status == 200);
    let page = wire::send(server.address, &get("/sign-in")).is(200);
    let cookies = page.all("set-cookie").concat();
    let cookie = cookies.split(';').next().unwrap();
    let before = resident_mb(server.id());

    let form = "content-type: application/x-www-form-urlencoded\r\nsec-fetch-site: same-origin\r\n";
    let head = format!(
        "POST /sign-in HTTP/1.1\r\nhost: localhost\r\ncookie: {cookie}\r\n{form}\
         content-length: 8000000\r\n\r\n"
    );
    let crowd = unfinished(server.address, 120, &head, 7_900_000);
    let during = resident_mb(server.id());
    println!("{before} MB before, {during} MB with 120 anonymous bodies");
    assert!(during < before + 64.0, "{before} MB before, {during} MB with 120 anonymous bodies");
    drop(crowd);

    // Programs may send more, and that is memory while it comes.
    let key = Doorplate::read(&data).unwrap().key;
    let head = format!(
        "POST /api/v1/research/episodes HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\
         \r\ncontent-type: application/json\r\ncontent-length: 8000000\r\n\r\n"
    );
    let load = unfinished(server.address, 40, &head, 7_900_000);
    let during = resident_mb(server.id());
    println!("{during} MB with 40 bodies of programs");
    assert!(during > before + 150.0, "no load: {before} MB before, {during} MB during");
    drop(load);
    until("the memory is given back", || resident_mb(server.id()) < before + 48.0);
}
