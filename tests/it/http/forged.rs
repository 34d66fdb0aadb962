//! Forms that no page of ours has given out: refused, and nothing is changed.

use storage::registry::Role;

use crate::house::{House, PASSWORD};
use crate::wire::{Ask, Reply, get, post};

/// Sends as it stands: no key, no mark but the one it bears.
fn send(house: &House, ask: Ask) -> Reply {
    house.ask_as_stranger(&ask)
}

fn cookie_of(reply: &Reply, name: &str) -> String {
    let cookies = reply.all("set-cookie");
    let cookie = cookies.iter().find(|it| it.starts_with(name)).unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

fn forms(house: &House, path: &str, cookie: &str) -> String {
    send(house, get(path).with("cookie", cookie)).is(200).text()
}

#[test]
fn nothing_is_changed_without_the_mark_of_the_own_session() {
    let house = House::new();
    house.person("root@archive.example", Role::Admin);
    house.person("eve@archive.example", Role::Admin);
    let [root, eve] = ["root@archive.example", "eve@archive.example"].map(|it| house.sign_in(it));
    let (own, others) = (house.mark(&root).unwrap(), house.mark(&eve).unwrap());
    assert_ne!(own, others);
    let before = house.everything();
    let bad = [
        None,
        Some(String::new()),
        Some("00".repeat(32)),
        Some(others),
        Some(own[1..].to_owned()),
        Some(format!("{own}0")),
    ];
    for mark in &bad {
        let ask = |path: &str, body: String| post(path, body).with("cookie", &*root);
        let field = mark.as_ref().map(|mark| format!("csrf={mark}")).unwrap_or_default();
        let said = send(&house, ask("/queues/pause", field)).is(403).text();
        assert!(said.contains("does not bear the mark of your session"), "{mark:?}: {said}");
        let mut program = ask("/api/v1/queues/pause", String::new());
        if let Some(mark) = mark {
            program = program.with("x-csrf-token", &**mark);
        }
        assert_eq!(send(&house, program).is(403).code(), "forged-form", "{mark:?}");
        let put = ask("/api/v1/deposits/archive.local/a.tar", "bytes".into()).method("PUT");
        assert_eq!(send(&house, put).is(403).code(), "forged-form", "{mark:?}");
        send(&house, ask("/sign-out", String::new())).is(403);
    }
    assert_eq!(house.everything(), before);
    assert!(house.get("/api/v1/deposits").text().contains("[]"), "nothing was received");
    // A header that is wrong is not made good by a field that is right.
    let both = post("/queues/pause", format!("csrf={own}")).with("cookie", &*root);
    send(&house, both.clone().with("x-csrf-token", "00")).is(403);
    send(&house, both).is(303);
    let header = post("/queues/resume", "").with("cookie", &*root);
    send(&house, header.with("x-csrf-token", &*own)).is(303);
}

#[test]
fn a_mark_ends_with_its_session() {
    let house = House::new();
    house.person("root@archive.example", Role::Admin);
    let cookie = house.sign_in("root@archive.example");
    let mark = house.mark(&cookie).unwrap();
    let leave = post("/sign-out", format!("csrf={mark}")).with("cookie", &*cookie);
    send(&house, leave.clone()).is(303);
    let before = house.everything();
    let again = post("/queues/pause", format!("csrf={mark}"));
    send(&house, again.clone().with("cookie", &*cookie)).is(401);
    let next = house.sign_in("root@archive.example");
    send(&house, again.with("cookie", &*next)).is(403);
    assert_eq!(house.everything(), before);
}

#[test]
fn forms_before_the_session_are_marked_too() {
    let house = House::new();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let page = send(&house, get("/sign-in")).is(200);
    let cookie = cookie_of(&page, "strongroom_form=");
    assert!(page.all("set-cookie").iter().any(|it| it.contains("HttpOnly; SameSite=Strict")));
    let mark = house.mark(&cookie).unwrap();
    assert!(forms(&house, "/sign-in", &cookie).contains(&mark), "one mark for all pages");
    let body = format!("email=ann@archive.example&password={PASSWORD}").replace(' ', "+");
    send(&house, post("/sign-in", &*body)).is(403);
    send(&house, post("/sign-in", format!("{body}&csrf={mark}"))).is(403);
    let other = cookie_of(&send(&house, get("/sign-in")), "strongroom_form=");
    send(&house, post("/sign-in", format!("{body}&csrf={mark}")).with("cookie", other)).is(403);
    let signed_in = post("/sign-in", format!("{body}&csrf={mark}")).with("cookie", cookie);
    cookie_of(&send(&house, signed_in).is(303), "strongroom_session=");
    for (path, token) in [("/password", "00"), ("/welcome", "00")] {
        send(&house, post(path, format!("token={token}&password=a&again=a"))).is(403);
    }
}

#[test]
fn every_form_of_every_page_is_marked() {
    let house = House::new();
    let id = house.bring("fatal", "parked");
    house.person("root@archive.example", Role::Admin);
    let cookie = house.sign_in("root@archive.example");
    let mark = house.mark(&cookie).unwrap();
    for path in
        ["/", "/queues", "/items", "/fragments/queues", &format!("/items/{id}"), "/deposits"]
    {
        let page = forms(&house, path, &cookie);
        let field = format!("<input type=\"hidden\" name=\"csrf\" value=\"{mark}\">");
        assert_eq!(page.matches(&field).count(), page.matches("method=\"post\"").count(), "{path}");
    }
    assert!(forms(&house, "/queues", &cookie).contains(&mark));
}

#[test]
fn an_upload_by_form_bears_the_mark_first() {
    let house = House::new();
    house.person("root@archive.example", Role::Admin);
    let cookie = house.sign_in("root@archive.example");
    let mark = house.mark(&cookie).unwrap();
    let part = |name: &str, rest: &str, text: &str| {
        format!("--xyz\r\ncontent-disposition: form-data; name=\"{name}\"{rest}\r\n\r\n{text}\r\n")
    };
    let file = part("institution", "", "archive.local")
        + &part("file", "; filename=\"a.tar\"", "bytes")
        + "--xyz--\r\n";
    let upload = |start: String| {
        let ask = post("/deposits", start + &file).with("cookie", &*cookie);
        send(&house, ask.with("content-type", "multipart/form-data; boundary=xyz"))
    };
    for bad in [String::new(), part("csrf", "", "00"), part("x", "", &mark)] {
        upload(bad).is(403);
    }
    assert!(house.get("/api/v1/deposits").text().contains("[]"), "nothing was received");
    upload(part("csrf", "", &mark)).is(303);
}
