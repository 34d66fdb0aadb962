//! What is not taken over a connection that others can read: passwords, and the key of the data
//! directory from anywhere but the machine itself.

use std::io::{BufReader, Read, Write};
use std::net::{IpAddr, SocketAddr};

use storage::registry::Role;

use super::accounts::{basic, session};
use super::slow::own_address;
use crate::house::{House, PASSWORD};
use crate::wire::{Ask, Reply, get, post, read_head};

const TRUSTING: &str = "[http]\ntrusted_proxies = [\"127.0.0.1\"]\nhosts = [\"archive.example\"]\n";
const ANN: &str = "ann@archive.example";

/// Over what somebody elsewhere asks, as a trusted proxy on this machine tells it.
fn handed_on(ask: Ask, proto: Option<&str>) -> Ask {
    let ask = ask.with("x-forwarded-for", "203.0.113.5").with("host", "archive.example");
    match proto {
        Some(proto) => ask.with("x-forwarded-proto", proto),
        None => ask,
    }
}

/// Everything that brings a password, or asks for a form to type one into.
fn asks(house: &House) -> Vec<Ask> {
    let (cookie, mark) = house.unknown_browser();
    let form = |path: &str, body: &str| {
        let ask = post(path, body.replace(' ', "+")).with("cookie", cookie.as_str());
        ask.with("x-csrf-token", mark.as_str())
    };
    let program = |path: &str| get(path).with("authorization", basic(ANN, PASSWORD));
    vec![
        form("/sign-in", &format!("email={ANN}&password={PASSWORD}")),
        form("/sign-in/code", "code=123456"),
        form("/password", &format!("token=00&password={PASSWORD}&again={PASSWORD}")),
        form("/welcome", "token=00"),
        form("/account/second-factor/end", &format!("password={PASSWORD}&end_code=123456")),
        form("/account/second-factor/begin", &format!("password={PASSWORD}")),
        // What else it bears makes no difference.
        form("/sign-in", &format!("email={ANN}&password={PASSWORD}"))
            .with("authorization", "Bearer x"),
        post("/api/v1/deletions/1/approve", format!(r#"{{"password":"{PASSWORD}"}}"#))
            .without("sec-fetch-site")
            .with("authorization", "Bearer strongroom_x"),
        post("/api/v1/deletions/1/confirm", format!(r#"{{"password":"{PASSWORD}"}}"#))
            .without("sec-fetch-site")
            .with("authorization", "Bearer strongroom_x"),
        get("/sign-in"),
        get("/password?token=00"),
        get("/welcome?token=00"),
        program("/api/v1/items"),
        program("/member-api/v3/items"),
        program("/objects"),
    ]
}

#[track_caller]
fn is_refused(reply: Reply, what: &str) {
    assert_eq!(reply.status, 403, "{what}: {}", reply.text());
    assert!(session(&reply).is_none(), "{what}");
    let said = reply.text();
    for words in ["could be read on its way", "http.tls_certificate", "http.trusted_proxies"] {
        assert!(said.contains(words), "{what}: no {words:?} in {said}");
    }
}

#[test]
fn passwords_are_refused_over_plain_http_from_elsewhere() {
    let house = House::configured(TRUSTING);
    house.person(ANN, Role::InstitutionalAdmin);
    for ask in asks(&house) {
        let what = format!("{} {}", ask.method, ask.path);
        for proto in [None, Some("http"), Some("ftp")] {
            is_refused(house.ask_as_stranger(&handed_on(ask.clone(), proto)), &what);
        }
        let reply = house.ask_as_stranger(&handed_on(ask.clone(), Some("https")));
        assert!(!reply.text().contains("could be read"), "{what}: {}", reply.text());
        let reply = house.ask_as_stranger(&ask);
        assert!(!reply.text().contains("could be read"), "{what}: {}", reply.text());
    }
    // What bears no password is answered, and programs go on with their tokens.
    for path in ["/version", "/health", "/forgotten"] {
        house.ask_as_stranger(&handed_on(get(path), None)).is(200);
    }
    let cookie = house.sign_in(ANN);
    let wish = r#"{"name":"loader","scope":"write"}"#;
    let made = house.ask(&post("/api/v1/tokens", wish).with("cookie", &*cookie)).is(200).json();
    let bearer = format!("Bearer {}", made["text"].as_str().unwrap());
    let ask = get("/api/v1/objects").with("authorization", bearer);
    house.ask_as_stranger(&handed_on(ask, None)).is(200);
    let log = house.get("/api/v1/audit?deed=sign-in").json().to_string();
    assert!(!log.contains("wrong password"), "what was refused was not looked at: {log}");
}

#[test]
fn a_proxy_on_this_machine_that_is_not_trusted_is_elsewhere() {
    let house = House::new();
    house.person(ANN, Role::InstitutionalAdmin);
    let ask = || get("/api/v1/items").with("authorization", basic(ANN, PASSWORD));
    house.ask_as_stranger(&ask()).is(200);
    for (name, value) in [
        ("x-forwarded-for", "203.0.113.5"),
        ("x-forwarded-proto", "https"),
        ("forwarded", "for=203.0.113.5;proto=https"),
    ] {
        is_refused(house.ask_as_stranger(&ask().with(name, value)), name);
    }
}

#[test]
fn the_key_of_the_data_directory_works_on_this_machine_only() {
    let house = House::configured(TRUSTING);
    house.get("/api/v1/items").is(200);
    let keyed = house.with_key(&get("/api/v1/items"));
    for proto in [None, Some("http"), Some("https")] {
        let reply = house.ask_as_stranger(&handed_on(keyed.clone(), proto)).is(403);
        assert_eq!(reply.code(), "key-elsewhere");
        assert!(reply.text().contains("token"), "{}", reply.text());
    }
    let own = keyed.clone().with("x-forwarded-for", "127.0.0.1");
    assert_eq!(house.ask_as_stranger(&own).is(403).code(), "key-elsewhere");
    let reply = house.ask_as_stranger(&handed_on(house.with_key(&get("/metrics")), None));
    assert_ne!(reply.status, 200, "{}", reply.text());
    let drop = post("/api/v1/queues/pause", "").without("sec-fetch-site");
    let paused = house.ask_as_stranger(&handed_on(house.with_key(&drop), Some("https"))).is(403);
    assert_eq!(paused.code(), "key-elsewhere");
    let queues = house.get("/api/v1/queues").json();
    assert!(queues.as_array().unwrap().iter().all(|it| it["paused"] == false), "{queues}");
}

/// Asks over a connection whose other end is this address.
fn send_from(own: IpAddr, to: SocketAddr, ask: &Ask) -> Reply {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((own, 0).into()).unwrap();
        socket.connect(to).await.unwrap().into_std().unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    let mut text = format!("{} {} HTTP/1.1\r\nconnection: close\r\n", ask.method, ask.path);
    for (name, value) in &ask.headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut bytes = format!("{text}content-length: {}\r\n\r\n", ask.body.len()).into_bytes();
    bytes.extend_from_slice(&ask.body);
    (&stream).write_all(&bytes).unwrap();
    let mut stream = BufReader::new(stream);
    let mut reply = read_head(&mut stream);
    stream.read_to_end(&mut reply.body).unwrap();
    reply
}

#[test]
fn the_other_end_of_the_connection_counts_whatever_the_request_says() {
    let Some(own) = own_address().filter(IpAddr::is_ipv4) else { return println!("loopback only") };
    let house = House::new();
    house.person(ANN, Role::InstitutionalAdmin);
    // It asks at loopback from an address that is not: to the appliance that is somebody elsewhere.
    let asks = asks(&house);
    for ask in asks {
        let what = format!("{} {}", ask.method, ask.path);
        is_refused(send_from(own, house.address(), &ask), &what);
    }
    let keyed = house.with_key(&get("/api/v1/items"));
    let refused = send_from(own, house.address(), &keyed).is(403).text();
    assert!(refused.contains("key-elsewhere"), "{refused}");
    assert_eq!(send_from(own, house.address(), &get("/version")).status, 200);
    house.ask_as_stranger(&keyed).is(200);
}
