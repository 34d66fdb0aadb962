//! Clients that take their time, and more of everything than they should: each is cut off, and
//! nobody else notices.

use std::io::{BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use crate::house::{DEADLINE, House, until};
use crate::wire::{self, get, read_head};

const HASTY: &str = "[http]\nheader_timeout_s = 1\nanswer_idle_s = 1\nupload_idle_s = 1\n\
    body_limit_mb = 1\n";

const HEAD: &str = "POST /sign-in HTTP/1.1\r\nhost: localhost\r\nsec-fetch-site: same-origin\r\n\
    content-type: application/x-www-form-urlencoded\r\n";

/// Whether the other side has ended it, waiting for it as long as tests wait.
fn is_cut_off(stream: &mut TcpStream) -> bool {
    let mut all = Vec::new();
    match stream.read_to_end(&mut all) {
        Ok(_) => true,
        Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
    }
}

#[test]
fn drops_of_headers_are_cut_off() {
    let house = House::configured(HASTY);
    let mut slow: Vec<_> = (0..20).map(|_| wire::connect(house.address())).collect();
    let mut open = slow.len();
    // Each brings another header again and again, so that it is never silent.
    until("all are cut off", || {
        slow.retain_mut(|stream| stream.write_all(b"GET / HTTP/1.1\r\nx: y\r\n").is_ok());
        open = slow.len();
        house.get("/health/live").is(200);
        open == 0
    });
}

#[test]
fn a_connection_that_asks_nothing_more_is_closed() {
    let house = House::configured(HASTY);
    let mut idle = wire::connect(house.address());
    idle.write_all(b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
    assert!(is_cut_off(&mut idle));
    assert!(is_cut_off(&mut wire::connect(house.address())), "and so is one that never asks");
}

#[test]
fn an_endless_body_in_pieces_is_cut_off() {
    let house = House::configured(HASTY);
    let mut stream = wire::connect(house.address());
    stream.write_all(format!("{HEAD}transfer-encoding: chunked\r\n\r\n").as_bytes()).unwrap();
    let piece = format!("10000\r\n{}\r\n", "x".repeat(0x10000));
    let mut sent = 0_usize;
    // The server may only take what it allows, and what lies in buffers on the way.
    while sent < 256 << 20 && stream.write_all(piece.as_bytes()).is_ok() {
        sent += piece.len();
    }
    assert!(sent < 64 << 20, "{sent} bytes were taken");
    house.get("/health/live").is(200);
}

#[test]
fn a_body_larger_than_allowed_is_refused_before_it_is_sent() {
    let house = House::configured(HASTY);
    let mut stream = wire::connect(house.address());
    let head = format!("{HEAD}content-length: 99999999999\r\nexpect: 100-continue\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let reply = read_head(&mut BufReader::new(&mut stream));
    assert_eq!(reply.status, 413);
    assert!(is_cut_off(&mut stream));
}

#[test]
fn who_asks_before_sending_is_told_to_go_on() {
    let house = House::new();
    let mut stream = wire::connect(house.address());
    let body = "email=ann@archive.example&password=wrong";
    let (cookie, mark) = house.unknown_browser();
    let head = format!(
        "{HEAD}cookie: {cookie}\r\nx-csrf-token: {mark}\r\ncontent-length: {}\r\n\
         expect: 100-continue\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    assert_eq!(read_head(&mut reader).status, 100);
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(read_head(&mut reader).status, 401);
}

#[test]
fn an_upload_in_drops_is_cut_off() {
    let house = House::configured(HASTY);
    let mut stream = wire::connect(house.address());
    let head = format!(
        "PUT /api/v1/deposits/archive.local/drops.tar HTTP/1.1\r\nhost: localhost\r\n\
         authorization: Bearer {}\r\ncontent-length: 1000000\r\n\r\n",
        house.key()
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let mut answer = [0; 12];
    until("it is cut off", || {
        stream.write_all(b"x").ok();
        stream.read_exact(&mut answer).is_ok()
    });
    assert_eq!(&answer, b"HTTP/1.1 408");
}

#[test]
fn huge_headers_are_refused_and_cut_off() {
    let house = House::configured(HASTY);
    for head in [
        format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "y".repeat(1 << 20)),
        format!("GET /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "y".repeat(1 << 20)),
        format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "x: y\r\n".repeat(100_000)),
    ] {
        let mut stream = wire::connect(house.address());
        // It may close before all is sent.
        stream.write_all(head.as_bytes()).ok();
        stream.shutdown(Shutdown::Write).ok();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{answer}");
    }
    house.get("/health/live").is(200);
}

#[test]
fn who_sends_requests_and_reads_no_answers_is_cut_off() {
    let house = House::configured(HASTY);
    let mut stream = wire::connect(house.address());
    stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
    let request = "GET /assets/app.css HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(100);
    // First buffers fill up on both ways, then nothing is taken any more, then it is over.
    until("it is cut off", || {
        house.get("/health/live").is(200);
        match stream.write(request.as_bytes()) {
            Ok(taken) => taken == 0,
            Err(error) => !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut),
        }
    });
}

#[test]
fn requests_in_one_breath_are_answered_in_their_order() {
    let house = House::new();
    let mut stream = wire::connect(house.address());
    let paths = ["/version", "/nowhere", "/health/live", "/assets/nothing"];
    let all: String = paths
        .iter()
        .map(|path| format!("HEAD {path} HTTP/1.1\r\nhost: localhost\r\n\r\n"))
        .collect();
    stream.write_all(all.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream);
    let each = paths.map(|path| house.ask(&get(path).method("HEAD")).status);
    assert_eq!(paths.map(|_| read_head(&mut reader).status), each);
}

/// Everybody who sends slowly, more of each kind than there are threads: they get their answers when
/// they have sent all, and pages answer meanwhile.
#[test]
fn slow_senders_of_every_kind_leave_pages_answering_and_are_answered_in_the_end() {
    let patient = "[http]\nheader_timeout_s = 600\nupload_idle_s = 600\nbody_limit_mb = 1\n";
    let house = House::configured(patient);
    let key = format!("authorization: Bearer {}\r\n", house.key());
    let rounds = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|it| it.parse().ok());
    let count = rounds.map_or(20, |rounds: usize| rounds.clamp(20, 60));
    let sent = |head: &str, body: &str| {
        let length = body.len();
        format!("{head} HTTP/1.1\r\nhost: localhost\r\n{key}content-length: {length}\r\n\r\n{body}")
    };
    let part = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.kml\"\r\n\r\n<kml/>\r\n--b--\r\n";
    let form = sent("POST /api/v1/check-boundary", part).replace(
        "content-length",
        "content-type: multipart/form-data; boundary=b\r\ncontent-length",
    );
    let sign_in = "email=ann@archive.example&password=wrong";
    let (cookie, mark) = house.unknown_browser();
    let sign_in = format!(
        "{HEAD}cookie: {cookie}\r\nx-csrf-token: {mark}\r\ncontent-length: {}\r\n\r\n{sign_in}",
        sign_in.len()
    );
    for (what, text, status) in [
        ("headers", sent("GET /api/v1/items", ""), &[200][..]),
        ("JSON", sent("POST /api/v1/research/episodes", "{\"recordings\": []}"), &[200]),
        ("a form with a file", form, &[400]),
        // Too many wrong passwords are told so.
        ("a form", sign_in, &[401, 429]),
        // Each sends a deposit of its own: `{n}` is its number.
        ("an upload", sent("PUT /api/v1/deposits/archive.local/bag-{n}.tar", "no bag"), &[201]),
        ("the bytes of a file", sent("PUT /api/v1/files/1/replacement", "bytes"), &[404]),
    ] {
        let begin = |number: usize| {
            let text = text.replace("{n}", &number.to_string());
            let start = &text[..text.len() - 3];
            let mut stream = wire::connect(house.address());
            stream.write_all(start.as_bytes()).unwrap();
            stream
        };
        let end = &text[text.len() - 3..];
        // An institution sends eight deposits at a time.
        let most = if what == "an upload" { 8 } else { count };
        let slow: Vec<TcpStream> = (0..most).map(begin).collect();
        house.get("/objects").is(200);
        let answer = |mut stream: TcpStream| {
            stream.write_all(end.as_bytes()).unwrap();
            read_head(&mut BufReader::new(stream)).status
        };
        let answers: Vec<u16> = slow.into_iter().map(answer).collect();
        assert!(answers.iter().all(|it| status.contains(it)), "{what}: {answers:?}");
        assert!(answers.contains(&status[0]), "{what}: {answers:?}");
    }
}

#[test]
fn one_address_cannot_take_every_place() {
    let toml = "[http]\nheader_timeout_s = 600\nmax_connections = 20\n\
        max_connections_per_address = 3\n";
    // Loopback may have all places; an address of this machine that is none, three.
    let Some(own) = own_address() else { return println!("this machine has loopback only") };
    let mut house = House::closed(&format!("{toml}open_to_network = true\n"), &[]);
    house.try_start("0.0.0.0:0").unwrap();
    let port = house.address().port();
    let mut crowd: Vec<_> = (0..6).map(|_| wire::connect((own, port).into())).collect();
    for stream in &mut crowd {
        stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    }
    until("three are cut off", || {
        crowd.retain_mut(|stream| !is_cut_off(stream));
        crowd.len() <= 3
    });
    for mut stream in crowd {
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        stream.write_all(b"GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        assert_eq!(read_head(&mut BufReader::new(stream)).status, 200, "it has its place");
    }
    let address = ([127, 0, 0, 1], port).into();
    assert_eq!(wire::send(address, &get("/health/live")).status, 200);
}

/// An address of this machine that is not loopback.
pub(super) fn own_address() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent: the system only says from where it would be.
    socket.connect("192.0.2.1:9").ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then_some(own)
}
