//! Coming in over the wire: the forms, the cookie, the key, and everybody who is kept out.

use storage::registry::Role;

use crate::house::{House, PASSWORD};
use crate::wire::{Ask, Reply, get, post};

impl House {
    /// Signs in; the cookie to bear.
    pub(crate) fn sign_in(&self, email: &str) -> String {
        session(&self.ask(&signing_in(email, PASSWORD)).is(303)).unwrap()
    }
}

fn signing_in(email: &str, password: &str) -> Ask {
    post("/sign-in", format!("email={email}&password={password}").replace(' ', "+"))
}

/// The session that an answer gives.
pub(super) fn session(reply: &Reply) -> Option<String> {
    let cookies = reply.all("set-cookie");
    let cookie = cookies.iter().find(|it| it.starts_with("strongroom_session="))?;
    Some(cookie.split(';').next()?.to_owned())
}

pub(super) fn basic(email: &str, password: &str) -> String {
    let bytes = format!("{email}:{password}").into_bytes();
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let three = [0, 1, 2].map(|at| u32::from(chunk.get(at).copied().unwrap_or(0)));
        let all = three[0] << 16 | three[1] << 8 | three[2];
        for at in 0..=chunk.len() {
            text.push(char::from(letters[(all >> (18 - 6 * at) & 63) as usize]));
        }
    }
    format!("Basic {text}")
}

#[test]
fn a_cookie_is_strict_and_says_who_it_is_until_signing_out() {
    let house = House::new();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let stranger = house.ask_as_stranger(&get("/")).is(303);
    assert_eq!(stranger.header("location"), Some("/sign-in?to=%2F"));
    let reply = house.ask(&signing_in("ann@archive.example", PASSWORD)).is(303);
    let cookies = reply.all("set-cookie");
    let cookie = cookies.iter().find(|it| it.starts_with("strongroom_session=")).unwrap();
    for part in ["HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=604800"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Secure"), "{cookie}");
    let bearer = session(&reply).unwrap();
    let page = |cookie: &str| house.ask(&get("/").with("cookie", cookie));
    let text = page(&bearer).is(200).text();
    assert!(text.contains("<bdi>ann</bdi>") && text.contains("/sign-out"), "{text}");
    house.ask(&get("/sign-out").with("cookie", &*bearer)).is(405);
    house.ask(&post("/sign-out", "").with("cookie", &*bearer)).is(303);
    house.ask(&get("/").with("cookie", &*bearer)).is(303);
}

#[test]
fn a_name_on_the_network_gets_a_cookie_for_encrypted_connections_only() {
    let house = House::configured("[http]\nhosts = [\"archive.example\"]\n");
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let ask = signing_in("ann@archive.example", PASSWORD).with("host", "archive.example");
    let reply = house.ask(&ask.clone().with("origin", "https://archive.example")).is(303);
    assert!(reply.all("set-cookie").iter().any(|it| it.ends_with("; Secure")));
    let clear = house.ask(&ask.with("origin", "http://archive.example")).is(403);
    assert!(clear.text().contains("could be read on its way") && session(&clear).is_none());
}

#[test]
fn nobody_is_let_in_and_nobody_is_sent_elsewhere() {
    let house = House::new();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let same = "do not go together, or there were too many tries";
    for (email, password) in [
        ("ann@archive.example", "wrong horse battery"),
        ("nobody@archive.example", PASSWORD),
        ("", ""),
        ("<b>@archive.example", "x"),
    ] {
        let reply = house.ask_by_form(&signing_in(email, password)).is(401);
        let text = reply.text();
        assert!(text.contains(same) && session(&reply).is_none(), "{email}: {text}");
        assert!(!text.contains("<b>@") && !text.contains(password) || password.len() < 2);
    }
    house.post("/sign-in", "email=ann").is(422);
    let foreign = signing_in("ann@archive.example", PASSWORD);
    house.ask_as_stranger(&foreign.with("sec-fetch-site", "cross-site")).is(403);
    let body = format!("email=ann@archive.example&password={PASSWORD}&to=").replace(' ', "+");
    for (to, place) in [("/queues", "/queues"), ("//evil.example", "/"), ("https://e.example", "/")]
    {
        let reply = house.post("/sign-in", &format!("{body}{to}")).is(303);
        assert_eq!(reply.header("location"), Some(place), "{to}");
    }
}

#[test]
fn a_password_is_set_by_a_link_or_by_who_knows_the_old_one() {
    let house = House::new();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let to_form = house.get("/password").is(303);
    assert_eq!(to_form.header("location"), Some("/sign-in?to=%2Fpassword"));
    house.get("/password?token=nothing").is(410);
    house.post("/password", "token=nothing&password=a&again=a").is(410);
    house.post("/password", "old=a&password=a&again=a").is(401);

    let path = house.app().desk().reset_user("ann@archive.example").unwrap().path.unwrap();
    assert!(house.get(&*path).is(200).text().contains("ann@archive.example"));
    let token = path.split_once('=').unwrap().1;
    for (form, words) in [
        ("password=another+horse+battery&again=different+horse+battery", "not the same"),
        ("password=short&again=short", "too short"),
        ("password=password1234&again=password1234", "guess first"),
    ] {
        let said = house.post("/password", &format!("token={token}&{form}")).is(422).text();
        assert!(said.contains(words), "{said}");
    }
    let cookie = house.sign_in("ann@archive.example");
    let change = |form: &str| house.ask(&post("/password", form).with("cookie", &*cookie));
    let new = "password=another+horse+battery&again=another+horse+battery";
    change(&format!("old=wrong&{new}")).is(422);
    let changed = change(&format!("old={PASSWORD}&{new}").replace(' ', "+")).is(303);
    assert!(session(&changed).is_some());
    let old = house.ask(&get("/").with("cookie", &*cookie)).text();
    assert!(!old.contains("/sign-out"), "the session before it has ended");
    house.get(&*path).is(410);
}

#[test]
fn the_first_administrator_is_welcomed_once() {
    let house = House::new();
    let path = house.appliance().welcome().unwrap().to_owned();
    house.get("/welcome").is(410);
    house.get("/welcome?token=00").is(410);
    assert!(house.get(&*path).is(200).text().contains("Become the administrator"));
    let form = |rest: &str| format!("token={}&{rest}", path.split_once('=').unwrap().1);
    let both = "password=correct+horse+battery&again=correct+horse+battery";
    for (rest, words) in [
        (format!("name=A&email=ann@archive.example&{both}"), "2 to 200"),
        (format!("name=Ann&email=ann&{both}"), "must be an e-mail"),
        ("name=Ann&email=ann@archive.example&password=a&again=b".to_owned(), "not the same"),
    ] {
        let said = house.post("/welcome", &form(&rest)).is(422).text();
        assert!(said.contains(words), "{said}");
    }
    let body = form(&format!("name=Ann&email=ann@archive.example&{both}"));
    assert!(session(&house.post("/welcome", &body).is(303)).is_some());
    house.post("/welcome", &body).is(410);
    house.get(&*path).is(410);
}

#[test]
fn people_are_looked_after_by_the_key_and_by_administrators() {
    let house = House::new();
    house.person("root@archive.example", Role::Admin);
    house.person("bob@archive.example", Role::InstitutionalUser);
    let bob = basic("bob@archive.example", PASSWORD);
    let root = basic("root@archive.example", PASSWORD);
    let wish = r#"{"name":"Bea","email":"bea@archive.example","role":"institutional_user",
        "institution":"archive.local"}"#;
    let program = |path: &str, body: &str| post(path, body).without("sec-fetch-site");
    for ask in [
        get("/api/v1/users"),
        get("/api/v1/users/1"),
        post("/api/v1/users", wish),
        post("/api/v1/users/1/reset", ""),
        post("/api/v1/users/1/deactivate", ""),
        post("/api/v1/users/1/reactivate", ""),
        post("/api/v1/institutions", "{}"),
        post("/api/v1/institutions/1/deactivate", ""),
    ] {
        assert_eq!(house.ask_as_stranger(&ask).is(401).code(), "not-signed-in", "{ask:?}");
        let ask = ask.without("sec-fetch-site");
        let as_bob = ask.clone().with("authorization", &*bob);
        assert_eq!(house.ask(&as_bob).is(403).code(), "not-allowed", "{ask:?}");
        let wrong = ask.with("authorization", basic("root@archive.example", "x"));
        assert_eq!(house.ask(&wrong).is(401).code(), "not-known", "{wrong:?}");
        // The right password from the same place sets its count of wrong ones back.
        house.ask(&get("/api/v1/users").with("authorization", &*root)).is(200);
    }
    let as_root = |ask: Ask| house.ask(&ask.with("authorization", &*root));
    assert_eq!(as_root(get("/api/v1/users")).is(200).json()["count"], 2);
    let made = as_root(program("/api/v1/users", wish)).is(200).json();
    assert!(made["path"].as_str().unwrap().starts_with("/password?token="), "{made}");
    assert_eq!(as_root(program("/api/v1/users", wish)).is(409).code(), "taken");
    for (body, status, code) in [
        ("{}", 400, "bad-body"),
        ("[", 400, "bad-body"),
        (
            r#"{"name":"B","email":"b@b.example","role":"admin","institution":"1"}"#,
            422,
            "bad-field",
        ),
        (r#"{"name":"Bo","email":"b@b.example","role":"king","institution":"1"}"#, 400, "bad-body"),
        (
            r#"{"name":"Bo","email":"b@b.example","role":"admin","institution":"no.example"}"#,
            404,
            "no-such-account",
        ),
    ] {
        let reply = as_root(program("/api/v1/users", body)).is(status);
        assert_eq!(reply.code(), code, "{body}");
    }
    assert_eq!(as_root(program("/api/v1/users/1/deactivate", "")).is(409).code(), "refused");
    as_root(program("/api/v1/users/2/deactivate", "")).is(200);
    let shut_out = get("/api/v1/items").with("authorization", &*bob);
    assert_eq!(house.ask(&shut_out).is(401).code(), "not-known");
    house.command("/api/v1/users/2/reactivate", "").is(200);
    let library = r#"{"name":"Town library","identifier":"library.example"}"#;
    house.command("/api/v1/institutions", library).is(200);
    assert_eq!(house.command("/api/v1/institutions", library).is(409).code(), "taken");
}

/// A token of somebody who has signed in, as a program sends it.
fn token_of(house: &House, email: &str, scope: &str) -> String {
    let cookie = house.sign_in(email);
    let wish = format!(r#"{{"name":"loader","scope":"{scope}"}}"#);
    let made = house.ask(&post("/api/v1/tokens", wish).with("cookie", &*cookie)).is(200).json();
    format!("Bearer {}", made["text"].as_str().unwrap())
}

#[test]
fn a_password_is_changed_by_a_session_and_by_no_token_or_basic() {
    let house = House::new();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let new = "password=another+horse+battery&again=another+horse+battery";
    let form = format!("old={PASSWORD}&{new}").replace(' ', "+");
    let ways = [
        token_of(&house, "ann@archive.example", "read"),
        token_of(&house, "ann@archive.example", "write"),
        basic("ann@archive.example", PASSWORD),
    ];
    for way in ways {
        let ask = post("/password", form.as_str()).without("sec-fetch-site");
        let reply = house.ask_as_stranger(&ask.with("authorization", &*way)).is(403);
        assert!(session(&reply).is_none(), "{way}");
        assert!(reply.text().contains("was not changed"), "{}", reply.text());
    }
    house.sign_in("ann@archive.example");
}

#[test]
fn tokens_end_when_a_password_is_reset_by_a_link_and_by_nothing_less() {
    let house = House::new();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    house.person("bob@archive.example", Role::InstitutionalAdmin);
    let anns = [0, 1].map(|_| token_of(&house, "ann@archive.example", "write"));
    let bobs = token_of(&house, "bob@archive.example", "write");
    let works = |bearer: &str| house.ask(&get("/api/v1/objects").with("authorization", bearer));
    let path = house.app().desk().reset_user("ann@archive.example").unwrap().path.unwrap();
    let token = path.split_once('=').unwrap().1;
    house.post("/password", &format!("token={token}&password=short&again=short")).is(422);
    for bearer in &anns {
        works(bearer).is(200);
    }
    let form = format!("token={token}&password={PASSWORD}&again={PASSWORD}").replace(' ', "+");
    let set = house.post("/password", &form).is(303);
    let said = set.all("set-cookie").concat();
    assert!(said.contains("2%20tokens%20stopped%20working"), "{said}");
    for bearer in &anns {
        assert_eq!(works(bearer).is(401).code(), "bad-token");
    }
    works(&bobs).is(200);
    let log = house.get("/api/v1/audit?deed=set-password").json();
    assert!(log.to_string().contains("tokens revoked: 2"), "{log}");
}
