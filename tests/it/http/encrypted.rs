//! Encrypted connections: a certificate made here, renewed while the appliance runs, and everything
//! that may be wrong with one.

use std::io::{Read, Write};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertificateParams, CertifiedKey, KeyPair, date_time_ymd};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use crate::house::{House, until};
use crate::wire::{self, get};

type Pair = CertifiedKey<KeyPair>;

fn made(years: (i32, i32)) -> Pair {
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.not_before = date_time_ymd(years.0, 1, 1);
    params.not_after = date_time_ymd(years.1, 1, 1);
    let signing_key = KeyPair::generate().unwrap();
    CertifiedKey { cert: params.self_signed(&signing_key).unwrap(), signing_key }
}

/// A house that looks for its certificate beside its data directory.
fn closed() -> House {
    let dir = tempfile::Builder::new().prefix("strongroom-it-").tempdir().unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|name| dir.path().join(name));
    let toml =
        format!("[http]\nheader_timeout_s = 1\ntls_certificate = {cert:?}\ntls_key = {key:?}\n");
    House::at(dir, &toml, &[])
}

fn put(house: &House, name: &str, text: &str) {
    byteio::durable::write(&house.dir.path().join(name), text.as_bytes(), true).unwrap();
}

fn put_pair(house: &House, pair: &Pair) {
    put(house, "cert.pem", &pair.cert.pem());
    put(house, "key.pem", &pair.signing_key.serialize_pem());
}

fn house(pair: &Pair) -> House {
    let mut house = closed();
    put_pair(&house, pair);
    house.start();
    house
}

/// Asks over an encrypted connection, as one who knows this certificate and no other.
fn ask(house: &House, known: &CertificateDer<'static>, request: &str) -> Result<String, String> {
    let mut roots = RootCertStore::empty();
    roots.add(known.clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS12, &rustls::version::TLS13])
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let connection = ClientConnection::new(Arc::new(config), name).unwrap();
    let mut stream = StreamOwned::new(connection, wire::connect(house.address()));
    let said = |error: std::io::Error| error.to_string();
    let head = format!("{request} HTTP/1.1\r\nhost: archive.example\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).map_err(said)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).map_err(said)?;
    Ok(answer)
}

#[test]
fn pages_are_served_encrypted_and_say_so() {
    let pair = made((2020, 2120));
    let house = house(&pair);
    assert!(house.appliance().origin().starts_with("https://127.0.0.1:"));
    let answer = ask(&house, pair.cert.der(), "GET /sign-in").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("strict-transport-security: max-age="), "{answer}");
    let stranger = made((2020, 2120));
    ask(&house, stranger.cert.der(), "GET /sign-in").unwrap_err();
    // Commands on the machine itself go on in the clear.
    house.get("/version").is(200);
}

#[test]
fn slow_handshakes_leave_others_answered_and_are_cut_off() {
    let pair = made((2020, 2120));
    let house = house(&pair);
    let rounds = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|it| it.parse().ok());
    let count = rounds.map_or(20, |rounds: usize| rounds.clamp(20, 200));
    let begin = |_| {
        let mut stream = wire::connect(house.address());
        // The beginning of a record of the handshake, whose rest does not come.
        stream.write_all(&[0x16, 0x03, 0x01]).unwrap();
        stream
    };
    let slow: Vec<_> = (0..count).map(begin).collect();
    let answer = ask(&house, pair.cert.der(), "GET /sign-in").unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    for mut stream in slow {
        // An alert may come before the end.
        drop(stream.read_to_end(&mut Vec::new()));
    }
    ask(&house, pair.cert.der(), "GET /sign-in").unwrap();
}

#[test]
fn a_renewed_certificate_is_taken_up_and_half_a_pair_is_not() {
    let old = made((2020, 2120));
    let house = house(&old);
    let new = made((2020, 2121));
    put(&house, "cert.pem", &new.cert.pem());
    // Long enough for a look at it.
    std::thread::park_timeout(Duration::from_secs(3));
    ask(&house, old.cert.der(), "GET /version").unwrap();
    put(&house, "key.pem", &new.signing_key.serialize_pem());
    until("the new one is shown", || ask(&house, new.cert.der(), "GET /version").is_ok());
    ask(&house, old.cert.der(), "GET /version").unwrap_err();
}

#[test]
fn what_is_wrong_with_the_files_is_said_at_the_start() {
    let (one, two) = (made((2020, 2120)), made((2020, 2120)));
    let key = one.signing_key.serialize_pem();
    for (cert, key, words) in [
        (None, Some(key.clone()), "cannot read"),
        (Some(one.cert.pem()), None, "cannot read"),
        (Some("nothing".to_owned()), Some(key.clone()), "holds no certificate in PEM"),
        (Some(key.clone()), Some(key.clone()), "holds no certificate in PEM"),
        (Some(one.cert.pem()), Some("nothing".to_owned()), "holds no key in PEM"),
        (Some(two.cert.pem()), Some(key.clone()), "does not belong to the certificate"),
    ] {
        let mut house = closed();
        for (name, text) in [("cert.pem", cert), ("key.pem", key)] {
            if let Some(text) = text {
                put(&house, name, &text);
            }
        }
        let said = house.try_start("127.0.0.1:0").unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
        assert!(!house.data().join("registry.sqlite").is_file(), "nothing was made");
    }
}

#[test]
fn a_certificate_that_is_out_of_date_is_shown_and_told_of() {
    for (years, words) in
        [((2000, 2001), "out of date since 2001-01-01"), ((2100, 2101), "good only from 2100")]
    {
        let pair = made(years);
        let house = house(&pair);
        let refused = ask(&house, pair.cert.der(), "GET /version").unwrap_err();
        assert!(refused.contains("certificate"), "{refused}");
        let found = house.app().desk().doctor(false).unwrap().findings;
        assert!(found.iter().any(|it| it.sentence.contains(words)), "{found:?}");
    }
    let sound = house(&made((2020, 2120)));
    assert!(sound.app().desk().doctor(false).unwrap().findings.is_empty());
}

#[test]
fn who_never_ends_the_handshake_is_cut_off() {
    let pair = made((2020, 2120));
    let house = house(&pair);
    for bytes in [
        &b""[..],
        b"\x16",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"\x16\x03\x01\x00\x05hello",
    ] {
        let mut stream = wire::connect(house.address());
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok();
        assert!(!answer.starts_with(b"HTTP"), "{bytes:?}");
    }
    ask(&house, pair.cert.der(), "GET /version").unwrap();
}

#[test]
fn who_speaks_in_the_clear_on_this_machine_is_answered() {
    let Some(own) = super::slow::own_address() else { return println!("loopback only") };
    let mut house = closed();
    put_pair(&house, &made((2020, 2120)));
    house.try_start("0.0.0.0:0").unwrap();
    // An address of this machine is this machine: asked so, it answers.
    let address = (own, house.address().port()).into();
    assert_eq!(wire::send(address, &get("/version")).status, 200);
}

#[test]
fn a_key_that_others_can_read_is_told_of() {
    use std::os::unix::fs::PermissionsExt;
    let house = house(&made((2020, 2120)));
    let key = house.dir.path().join("key.pem");
    for (mode, told) in [(0o600, false), (0o640, false), (0o644, true)] {
        std::fs::set_permissions(&key, std::fs::Permissions::from_mode(mode)).unwrap();
        let found = house.app().desk().doctor(false).unwrap().findings;
        let is_told = found.iter().any(|it| {
            it.code == "readable-by-others"
                && it.sentence.contains("key.pem")
                && it.sentence.contains("http.tls_key")
        });
        assert_eq!(is_told, told, "{mode:o}: {found:?}");
    }
}
