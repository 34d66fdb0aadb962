//! Input nobody meant well: the right status, no crash, nothing changed.

use std::io::{Read, Write};

use crate::house::House;
use crate::wire::{self, get, post};

#[test]
fn hostile_addresses_are_refused_and_change_nothing() {
    let house = House::new();
    house.bring("fatal", "parked");
    let before = house.everything();
    let long = "9".repeat(5000);
    for (path, statuses) in [
        (format!("/items/{long}"), &[404][..]),
        (format!("/api/v1/items/{long}"), &[400]),
        ("/items/18446744073709551615".into(), &[404]),
        ("/items/18446744073709551616".into(), &[404]),
        ("/api/v1/items/9223372036854775808".into(), &[404]),
        ("/items/%FF%FE".into(), &[400]),
        ("/api/v1/items/%FF".into(), &[400]),
        ("/items/1%00".into(), &[404]),
        ("/items/%00".into(), &[404]),
        ("/queues/%00/empty".into(), &[404]),
        ("/queues/..%2F..%2Fetc/empty".into(), &[404]),
        ("/assets/..%2F..%2FCargo.toml".into(), &[404]),
        ("/assets/%2e%2e/app.css".into(), &[404]),
        ("/../../etc/passwd".into(), &[404]),
        ("//items".into(), &[404]),
        ("/items/1/../2".into(), &[404]),
        ("/api/v1/export/..%2Fwork".into(), &[404]),
        (format!("/objects/{long}"), &[404]),
        ("/objects/%FF".into(), &[400]),
        ("/objects/..%2F..%2Fetc".into(), &[404]),
        ("/objects/a/%00?folder=%00".into(), &[404]),
        (format!("/objects?find={long}"), &[200, 400]),
        ("/objects?find=%25%5F'%22%3Cb%3E".into(), &[200]),
        ("/objects?find=%00".into(), &[200, 400]),
        ("/objects?find=d41d8cd98f00b204e9800998ecf8427e".into(), &[200]),
        (format!("/objects?page={}", u32::MAX), &[200]),
        ("/objects?per_page=1000000".into(), &[200]),
        (format!("/files/{long}"), &[404]),
        ("/files/%E2%80%AE/x".into(), &[404]),
        (format!("/events/{long}"), &[404]),
        ("/events?generic_file_id=x".into(), &[400]),
        (format!("/events?page={}", u32::MAX), &[200]),
        ("/items?%FF=1".into(), &[400]),
        ("/items?name=%FF%00".into(), &[200, 400]),
        ("/items?name='%20OR%201=1;--".into(), &[200]),
        ("/api/v1/items?name__contains=%25%5F".into(), &[200]),
        ("/api/v1/items?sort=id__asc;DROP TABLE work_items".replace(' ', "%20"), &[400]),
        (format!("/api/v1/items?{}", "id__in=1&".repeat(2000)), &[400]),
        (format!("/api/v1/items?{}", "name__contains=a&".repeat(60)), &[400]),
        (format!("/items?name__contains={}", "a".repeat(20_000)), &[200, 400]),
        (format!("/items?q={}", "a".repeat(70_000)), &[414, 431, 400]),
        (format!("/items?page={}", u64::MAX), &[400]),
        (format!("/items?page={}", u32::MAX), &[200]),
        ("/items?per_page=1000000".into(), &[200]),
        ("/items?per_page=-5".into(), &[400]),
    ] {
        let reply = house.get(path.as_str());
        let shown: String = path.chars().take(80).collect();
        assert!(statuses.contains(&reply.status), "{shown}: {} {}", reply.status, reply.text());
        if reply.status == 400 && reply.header("content-type").is_some() {
            let kind = if path.starts_with("/api/") {
                "application/problem+json"
            } else {
                "text/html; charset=utf-8"
            };
            assert_eq!(reply.header("content-type"), Some(kind), "{shown}");
        }
        assert!(reply.body.len() < 100 << 10, "{shown}: {} bytes", reply.body.len());
    }
    assert_eq!(house.everything(), before);
    house.get("/health").is(200);
}

#[test]
fn hostile_bodies_are_refused_and_change_nothing() {
    let house = House::new();
    let id = house.bring("fatal", "parked");
    let before = house.everything();
    let deep = "[".repeat(100_000);
    for (body, status) in [
        (b"\xFF\xFE".to_vec(), 400),
        (deep.into_bytes(), 400),
        (b"{\"stage\": \"\\u0000\"}".to_vec(), 404),
        (b"{\"stage\": \"../x\"}".to_vec(), 404),
        (b"{\"stage\": 7}".to_vec(), 400),
        (b"null".to_vec(), 400),
        (b"{\"stage\":null,\"stage\":null}".to_vec(), 400),
    ] {
        let reply = house.ask(&post(format!("/api/v1/items/{id}/requeue"), body.clone()));
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
        assert_eq!(reply.status, status, "{shown}: {}", reply.text());
        reply.code();
    }
    for body in ["stage=%FF", "stage=%00", "stage=a&stage=b", "stage=%2e%2e%2f"] {
        let reply = house.post(format!("/items/{id}/requeue"), body);
        assert!([400, 404, 422].contains(&reply.status), "{body}: {}", reply.status);
        assert!(reply.text().contains("<html"), "{body}");
    }
    assert_eq!(house.everything(), before);
}

#[test]
fn what_is_not_even_http_is_cut_off_and_others_are_served() {
    let house = House::new();
    let many_headers =
        format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(500));
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01".as_slice(),
        b"GET /\x00 HTTP/1.1\r\nhost: localhost\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nhost: localhost\r\n bad: folded\r\n\r\n",
        many_headers.as_bytes(),
    ] {
        let mut stream = wire::connect(house.address());
        stream.write_all(bytes).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4"), "{bytes:?}: {answer}");
    }
    house.ask(&get("/")).is(200);
}

#[test]
fn names_with_markup_and_control_characters_are_shown_not_obeyed() {
    let house = House::new();
    let name = "fatal-<script>alert(1)</script>\"'&\u{202e}\u{7}";
    let id = house.bring(name, "parked");
    for path in ["/", "/items", "/queues", &format!("/items/{id}"), &format!("/items/{id}/cancel")]
    {
        let page = house.get(path).is(200).text();
        assert!(!page.contains("<script>alert") && !page.contains("\"'&\u{202e}"), "{path}");
    }
    assert_eq!(house.get(format!("/api/v1/items/{id}")).json()["item"]["name"], name);
}
