//! Who is let in, and what every answer bears.

use std::io::{BufReader, Read, Write};
use std::time::Duration;

use storage::clock::{Clock, SystemClock};

use crate::house::House;
use crate::wire::{self, Ask, get, post, read_head};

#[test]
fn a_foreign_host_name_is_not_answered() {
    let house = House::configured("[http]\nhosts = [\"archive.example\"]\n");
    for host in ["evil.example", "10.0.0.7:8600", "127.0.0.1.evil.example", ""] {
        let page = house.ask(&get("/").with("host", host)).is(421);
        assert!(page.text().contains("not known by the host name"), "{host}");
        let api = house.ask(&get("/api/v1/queues").with("host", host)).is(421);
        assert_eq!(api.code(), "unknown-host", "{host}");
    }
    for host in ["localhost:8600", "127.0.0.1", "[::1]:1", "Archive.Example:80"] {
        house.ask(&get("/").with("host", host)).is(200);
    }
    let bare = house.ask(&get("/").without("host"));
    assert!([400, 421].contains(&bare.status), "{}", bare.status);
}

#[test]
fn only_our_own_pages_and_our_own_command_line_change_anything() {
    let house = House::new();
    let before = house.everything();
    let plain = |path: &str| post(path, "").without("sec-fetch-site");
    let asks = |path: &str| -> Vec<Ask> {
        vec![
            plain(path),
            plain(path).with("sec-fetch-site", "cross-site"),
            plain(path).with("sec-fetch-site", "same-site"),
            plain(path).with("origin", "https://evil.example"),
            plain(path).with("origin", "null"),
            plain(path).with("origin", "http://localhost:1"),
            plain(path).with("cookie", format!("key={}", house.key())),
        ]
    };
    for ask in asks("/queues/pause") {
        assert!(
            house.ask_as_stranger(&ask).is(403).text().contains("did not come from a page"),
            "{ask:?}"
        );
    }
    for ask in asks("/api/v1/queues/pause") {
        assert_eq!(house.ask_as_stranger(&ask).is(403).code(), "foreign-origin", "{ask:?}");
    }
    for method in ["PUT", "DELETE", "PATCH", "TRACE"] {
        house.ask_as_stranger(&get("/queues/pause").method(method)).is(403);
    }
    for wrong in ["Bearer wrong".to_owned(), format!("Basic {}", house.key())] {
        house.ask(&plain("/api/v1/queues/pause").with("authorization", wrong)).is(401);
    }
    assert_eq!(house.everything(), before);

    house.ask(&plain("/queues/pause").with("origin", "http://localhost")).is(303);
    house.ask(&plain("/queues/resume").with("sec-fetch-site", "same-origin")).is(303);
    let bearer = format!("Bearer {}", house.key());
    house.ask(&plain("/api/v1/queues/pause").with("authorization", bearer)).is(200);
}

#[test]
fn every_answer_bears_the_headers_that_keep_a_page_ours() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut house = House::closed("", &[("HEALTH_PORT", port.to_string())]);
    house.start();
    let id = house.bring("fatal", "parked");
    let front: Vec<Ask> = [
        "/",
        "/queues",
        "/items",
        "/nowhere",
        "/items?page=0",
        "/health",
        "/metrics",
        "/version",
        "/api/v1/queues",
        "/api/v1/nowhere",
        "/api/v1/export/work",
        "/fragments/queues",
        "/assets/nothing",
        "/queues/pause",
        "/items/%FF",
    ]
    .into_iter()
    .map(get)
    .chain([
        get("/").with("host", "evil.example"),
        post("/queues/pause", "").without("sec-fetch-site"),
        post(format!("/items/{id}/requeue"), ""),
        get("/").method("OPTIONS"),
    ])
    .collect();
    let health = house.appliance().health_address().unwrap();
    let second = ["/health", "/nowhere", "/health/live"].map(get);
    let replies = front.iter().map(|ask| (ask, house.ask(ask)));
    let replies = replies.chain(second.iter().map(|ask| (ask, wire::send(health, ask))));
    for (ask, reply) in replies {
        let header = |name: &str| reply.header(name).unwrap_or_default().to_owned();
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'self';"), "{ask:?}: {policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{ask:?}: {policy}");
        assert!(!policy.contains("unsafe"), "{ask:?}: {policy}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{ask:?}");
        assert_eq!(header("x-frame-options"), "DENY", "{ask:?}");
        assert_eq!(header("referrer-policy"), "same-origin", "{ask:?}");
        assert_eq!(header("cross-origin-resource-policy"), "same-origin", "{ask:?}");
        assert_eq!(header("cache-control"), "no-store", "{ask:?}");
        if reply.status == 405 {
            assert!(!header("allow").is_empty(), "{ask:?} does not say what is allowed");
        }
    }
}

#[test]
fn a_body_over_the_limit_is_refused_in_our_own_form() {
    let house = House::configured("[http]\nbody_limit_mb = 1\n");
    let id = house.bring("fatal", "parked");
    let before = house.everything();
    let big = vec![b'x'; (1 << 20) + 1];
    let page = house.ask(&post(format!("/items/{id}/requeue"), big.clone())).is(413);
    assert!(page.text().contains("larger than is taken here"), "{}", page.text());
    let api = house.ask(&post(format!("/api/v1/items/{id}/requeue"), big)).is(413);
    assert_eq!(api.code(), "too-large");
    assert_eq!(house.everything(), before);
}

#[test]
fn a_client_that_dawdles_over_its_headers_is_cut_off() {
    let house = House::configured("[http]\nheader_timeout_s = 1\n");
    let clock = SystemClock::start();
    let mut slow = wire::connect(house.address());
    slow.write_all(b"GET / HTTP/1.1\r\nhost: local").unwrap();
    let mut rest = Vec::new();
    // Cut off with an answer or without one: either way the connection ends.
    slow.read_to_end(&mut rest).ok();
    assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    assert!(clock.steady() >= Duration::from_millis(900), "{:?}", clock.steady());
    house.get("/").is(200);
}

#[test]
fn more_connections_than_allowed_wait_and_are_served() {
    let house = House::configured("[http]\nmax_connections = 4\nheader_timeout_s = 60\n");
    // These are accepted and say nothing yet.
    let idle: Vec<_> = (0..4).map(|_| wire::connect(house.address())).collect();
    let address = house.address();
    let waiting: Vec<_> = (0..12)
        .map(|_| std::thread::spawn(move || wire::send(address, &get("/health/live")).status))
        .collect();
    // The four that were let in first are served too, whenever they ask.
    for mut stream in idle {
        stream
            .write_all(b"GET /version HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
            .unwrap();
        assert_eq!(read_head(&mut BufReader::new(stream)).status, 200);
    }
    for thread in waiting {
        assert_eq!(thread.join().unwrap(), 200);
    }
}
