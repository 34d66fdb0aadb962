//! For whom a request is made: proxies that are trusted, and everybody who says they are one.

use storage::registry::Role;

use crate::house::House;
use crate::wire::{Ask, get, post};

const TRUSTING: &str = "[http]\ntrusted_proxies = [\"127.0.0.1\"]\nhosts = [\"archive.example\"]\n";

fn signing_in() -> Ask {
    post("/sign-in", "email=ann@archive.example&password=wrong")
}

#[test]
fn headers_of_strangers_are_not_believed() {
    let house =
        House::configured("[http]\nhosts = [\"archive.example\"]\nrequests_per_minute = 1\n");
    for (name, value) in [
        ("x-forwarded-proto", "https"),
        ("x-forwarded-for", "203.0.113.5"),
        ("forwarded", "for=203.0.113.5;proto=https;host=evil.example"),
        ("x-forwarded-host", "evil.example"),
    ] {
        for _ in 0..3 {
            let ask = get("/version").with("host", "archive.example").with(name, value);
            let reply = house.ask(&ask).is(200);
            assert_eq!(reply.header("strict-transport-security"), None, "{name}");
        }
    }
    let ask = get("/version").with("host", "evil.example").with("x-forwarded-host", "localhost");
    house.ask(&ask).is(421);
}

#[test]
fn a_trusted_proxy_says_under_what_name_and_how_it_was_asked() {
    let house = House::configured(TRUSTING);
    let ask = |host: &str| {
        let ask = get("/sign-in").with("host", "127.0.0.1:8600").with("x-forwarded-host", host);
        house.ask(&ask.with("x-forwarded-proto", "https"))
    };
    let reply = ask("archive.example").is(200);
    let strict = reply.header("strict-transport-security").unwrap();
    assert!(strict.starts_with("max-age="), "{strict}");
    ask("evil.example").is(421);
    ask("archive.example, evil.example").is(421);
    let local = ask("localhost").is(200);
    assert_eq!(local.header("strict-transport-security"), None, "other programs are there too");
    let plain = get("/version").with("x-forwarded-proto", "http");
    assert_eq!(house.ask(&plain).is(200).header("strict-transport-security"), None);
}

#[test]
fn one_address_is_limited_and_others_are_not() {
    let house = House::configured(&format!("{TRUSTING}requests_per_minute = 5\n"));
    let from = |path: &str, chain: &str| house.ask(&get(path).with("x-forwarded-for", chain));
    for number in 0..5 {
        // What stands before the last address was written by the client itself.
        from("/version", &format!("198.51.100.{number}, 203.0.113.5")).is(200);
    }
    let page = from("/sign-in", "203.0.113.5").is(429);
    let wait: u64 = page.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert!(page.text().contains("Too many requests came from your address."), "{}", page.text());
    assert_eq!(page.header("x-frame-options"), Some("DENY"), "hardened like every answer");
    assert_eq!(
        from("/api/v1/items", "198.51.100.9, 203.0.113.5").is(429).code(),
        "too-many-requests"
    );
    from("/version", "203.0.113.6").is(200);
    for number in 0..5 {
        from("/version", &format!("2001:db8::{number}")).is(200);
    }
    from("/version", "2001:db8::ffff").is(429);
    from("/version", "2001:db8:0:1::1").is(200);
    house.get("/version").is(200);
}

#[test]
fn an_address_that_guesses_is_stopped_whatever_it_guesses() {
    let house = House::configured(&format!("{TRUSTING}address_failures_per_hour = 4\n"));
    let handed_on = |ask: Ask, chain: &str| {
        let ask = ask.with("x-forwarded-for", chain).with("x-forwarded-proto", "https");
        house.ask_as_stranger(&ask)
    };
    let from = |ask: Ask| handed_on(ask, "203.0.113.5");
    let (cookie, mark) = house.unknown_browser();
    let signing_in = || signing_in().with("cookie", &*cookie).with("x-csrf-token", &*mark);
    from(signing_in()).is(401);
    from(get("/password?token=00")).is(410);
    from(get("/api/v1/users").with("authorization", "Bearer 00")).is(401);
    from(get("/api/v1/users").with("authorization", "Basic YTpi")).is(401);
    let stopped = from(signing_in()).is(429);
    assert!(stopped.text().contains("Too many wrong passwords"), "{}", stopped.text());
    assert!(stopped.header("retry-after").is_some());
    let program = get("/api/v1/users").with("authorization", "Bearer 00");
    assert_eq!(from(program).is(429).code(), "too-many-failures");
    // Whoever guesses nothing is served, and so are others.
    from(get("/sign-in")).is(200);
    house.person("bea@archive.example", Role::InstitutionalAdmin);
    let bea = super::accounts::basic("bea@archive.example", crate::house::PASSWORD);
    let right = get("/api/v1/users").with("authorization", bea);
    handed_on(right.clone(), "203.0.113.6").is(200);
    for _ in 0..10 {
        handed_on(right.clone(), "203.0.113.7").is(200);
    }
}

#[test]
fn an_account_is_guessed_at_so_often_and_no_more() {
    let house = House::configured("[http]\naccount_failures_per_hour = 3\n");
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let guess =
        |email: &str| house.ask_by_form(&post("/sign-in", format!("email={email}&password=wrong")));
    for email in ["ann@archive.example", "Ann@Archive.Example", "+ann@archive.example"] {
        guess(email).is(401);
        // Whether there is such an account is told by nothing.
        guess(&email.replace("nn", "nnn")).is(401);
    }
    // Where somebody has signed in before, their own wrong passwords are counted apart.
    guess("ann@archive.example").is(401);
    let said = guess("annn@archive.example").is(429).text();
    assert!(said.contains("Too many wrong passwords were tried for this account."), "{said}");
    let program = get("/api/v1/items")
        .with("authorization", super::accounts::basic("annn@archive.example", "x"));
    assert_eq!(house.ask_as_stranger(&program).is(429).code(), "too-many-failures");
    guess("bea@archive.example").is(401);
}
