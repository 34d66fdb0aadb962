//! Every address for every role, and whose things are found: own, shared by others, restricted.

use storage::registry::Role;
use strongroom::alerts::{raise, restoration_ready};
use strongroom::http::{DOORS, Door};

use crate::house::{House, PASSWORD, until};
use crate::ingest::bag;
use crate::wire::{self, Ask, Reply, get, post};

pub(super) const USER: &str = "user@archive.example";
pub(super) const KEEPER: &str = "keeper@archive.example";
pub(super) const READER: &str = "user@library.example";
pub(super) const LIBRARIAN: &str = "keeper@library.example";
pub(super) const ROOT: &str = "root@archive.example";

const PEOPLE: [(&str, &str, Role); 5] = [
    (USER, "archive.local", Role::InstitutionalUser),
    (KEEPER, "archive.local", Role::InstitutionalAdmin),
    (READER, "library.example", Role::InstitutionalUser),
    (LIBRARIAN, "library.example", Role::InstitutionalAdmin),
    (ROOT, "archive.local", Role::Admin),
];

/// A house, and how its people say who they are.
pub(super) struct Peopled {
    pub(super) house: House,
    cookies: Vec<(&'static str, String)>,
}

impl Peopled {
    pub(super) fn new(house: House) -> Peopled {
        let library = r#"{"name":"Town library","identifier":"library.example"}"#;
        let cookies = PEOPLE.map(|(email, institution, role)| {
            // The house's own institution is made with its first person.
            if email == READER {
                house.command("/api/v1/institutions", library).is(200);
            }
            house.person_of(institution, email, role);
            (email, house.sign_in(email))
        });
        Peopled { house, cookies: cookies.to_vec() }
    }

    pub(super) fn ask(&self, email: &str, ask: Ask) -> Reply {
        let (_, cookie) = self.cookies.iter().find(|(known, _)| *known == email).unwrap();
        self.house.ask(&ask.with("cookie", cookie.as_str()))
    }
}

impl Peopled {
    /// How a request is answered, whatever comes after: an export of nothing is cut off.
    fn status(&self, email: &str, ask: &Ask) -> u16 {
        let (_, cookie) = self.cookies.iter().find(|(known, _)| *known == email).unwrap();
        let ask = self.house.with_mark(&ask.clone().with("cookie", cookie.as_str()));
        wire::open(self.house.address(), &ask).0.status
    }
}

/// The request that a row of the table is about, for things that are not there.
fn request(method: &str, path: &str) -> Ask {
    let path = path
        .replace("{*which}", "999999/check")
        .replace("{institution}", "archive.local")
        .replace("{name}", "nothing.tar")
        .replace("{topic}", "nowhere")
        .replace("{part}", "nothing.jsonl");
    let mut bare = String::new();
    let mut inside = false;
    for letter in path.chars() {
        match letter {
            '{' => {
                inside = true;
                bare.push_str("999999");
            }
            '}' => inside = false,
            _ if inside => {}
            _ => bare.push(letter),
        }
    }
    match method {
        "GET" => get(bare),
        "POST" => post(bare, ""),
        "PUT" => post(bare, "x").method("PUT"),
        "DELETE" => post(bare, "").method("DELETE"),
        "PATCH" => post(bare, "").method("PATCH"),
        other => panic!("{other}: teach this test the method"),
    }
}

#[test]
fn every_address_opens_to_those_who_have_the_right_and_to_nobody_else() {
    let people = Peopled::new(House::new());
    let mut offences = Vec::new();
    for (method, path, door) in DOORS {
        let ask = request(method, path);
        let stranger = people.house.ask_as_stranger(&ask).status;
        let Door::Asks(right) = door else {
            if stranger == 401 && *path != "/sign-in" && *path != "/password" {
                offences.push(format!("{method} {path} is open and yet asks who it is"));
            }
            continue;
        };
        let is_page = *method == "GET" && !path.contains("api/") && !path.contains("fragments/");
        let kept_out = if is_page && *path != "/live" { 303 } else { 401 };
        if stranger != kept_out {
            offences.push(format!("{method} {path} answers {stranger} to a stranger"));
        }
        for (email, _, role) in PEOPLE {
            // Streams do not end, and what is somebody's own is looked at below.
            let is_somebodys = path.contains("{institution}") || path.contains("{user}");
            if *path == "/live" || is_somebodys {
                continue;
            }
            let status = people.status(email, &ask);
            let may = right.held_by(role);
            let let_in = ![401, 403].contains(&status) && status < 500;
            if let_in != may {
                let said = people.ask(email, ask.clone()).text();
                let said: String = said.chars().take(300).collect();
                offences.push(format!(
                    "{method} {path} answers {status} to {email} ({right:?}): {said}"
                ));
            }
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

/// A house in which archive.local holds an object of each access.
/// The files of a bag with this access.
fn accessed(name: &str, access: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = bag(&[("letter.txt", name.as_bytes())]);
    for (path, bytes) in &mut files {
        if path == "aptrust-info.txt" {
            let text = String::from_utf8(bytes.clone()).unwrap();
            *bytes = text.replace("Institution", access).into_bytes();
        }
    }
    files
}

fn holding() -> Peopled {
    let house = House::ingesting();
    for (name, access) in
        [("shared", "Consortia"), ("own", "Institution"), ("secret", "Restricted")]
    {
        house.receive(name, &accessed(name, access), 1);
    }
    // The registry's copy of the items comes a moment after them.
    until("they are listed", || house.get("/api/v1/items?status=Success").json()["count"] == 3);
    Peopled::new(house)
}

#[test]
fn people_find_what_is_theirs_and_what_is_shared_and_nothing_else() {
    let people = holding();
    let file_of = |name: &str| {
        let path =
            format!("/api/v1/files?object_identifier=archive.local/{name}&path=data/letter.txt");
        people.house.get(path).json()["files"][0]["uuid"].as_str().unwrap().to_owned()
    };
    for (name, seen_by) in [
        ("shared", vec![USER, KEEPER, READER, LIBRARIAN, ROOT]),
        ("own", vec![USER, KEEPER, ROOT]),
        ("secret", vec![KEEPER, ROOT]),
    ] {
        let object = format!("archive.local/{name}");
        let file = file_of(name);
        let events = format!("/api/v1/events?intellectual_object_identifier={object}");
        let event = people.house.get(events.as_str()).json()["events"][0]["identifier"].clone();
        let event = event.as_str().unwrap().to_owned();
        for (email, ..) in PEOPLE {
            let sees = seen_by.contains(&email);
            let expected = if sees { 200 } else { 404 };
            for path in [
                format!("/api/v1/objects/{object}"),
                format!("/api/v1/objects/{object}/premis"),
                format!("/api/v1/files/{file}"),
                format!("/api/v1/events/{event}"),
                format!("/objects/{object}"),
                format!("/files/{file}"),
                format!("/events/{event}"),
            ] {
                let status = people.ask(email, get(path.as_str())).status;
                assert_eq!(status, expected, "{path} for {email}");
            }
            for (path, rows) in [
                (events.clone(), "events"),
                (format!("/api/v1/files?object_identifier={object}"), "files"),
            ] {
                let rows = people.ask(email, get(path.as_str())).is(200).json()[rows].clone();
                assert_eq!(!rows.as_array().unwrap().is_empty(), sees, "{path} for {email}");
            }
            for path in [format!("/objects?find={file}"), format!("/search?q={file}")] {
                let sought = people.ask(email, get(path.as_str())).is(200).text();
                assert_eq!(sought.contains(&format!("/files/{file}")), sees, "{path} for {email}");
            }
            let found = people.ask(email, get(format!("/api/v1/search?q={name}"))).is(200).json();
            let rows = |key: &str| found[key].as_array().unwrap().len();
            assert_eq!(rows("objects"), usize::from(sees), "{name} for {email}");
            let own = !email.contains("library");
            let knows = own && (sees || name != "secret");
            assert_eq!(rows("items") > 0, knows, "the item of {name} for {email}");
        }
    }
}

#[test]
fn who_is_refused_keeps_the_navigation() {
    let people = holding();
    for (path, status) in [("/objects/archive.local/secret", 404), ("/settings", 403)] {
        let told = people.ask(USER, get(path)).is(status);
        let length = told.header("content-length").map(str::to_owned);
        let page = told.text();
        assert!(page.contains("Sign out") && page.contains("Holdings"), "{page}");
        assert!(length.is_none_or(|it| it == page.len().to_string()), "{path}");
    }
    let page = people.house.ask_as_stranger(&get("/password?token=dead")).text();
    assert!(!page.contains("Holdings"), "{page}");
}

#[test]
fn lists_show_what_is_within_sight() {
    let people = holding();
    let listed = |email: &str, path: &str, key: &str| {
        let list = people.ask(email, get(path)).is(200).json()[key].clone();
        let mut names: Vec<_> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["identifier"].as_str().unwrap().replace("archive.local/", ""))
            .collect();
        names.sort();
        names.join(" ")
    };
    let objects = "/api/v1/objects";
    assert_eq!(listed(USER, objects, "objects"), "own shared");
    assert_eq!(listed(KEEPER, objects, "objects"), "own secret shared");
    assert_eq!(listed(ROOT, objects, "objects"), "own secret shared");
    assert_eq!(listed(READER, objects, "objects"), "");
    assert_eq!(listed(READER, "/api/v1/objects?shared=true", "objects"), "shared");
    assert_eq!(listed(READER, "/api/v1/objects?institution_id=1", "objects"), "");
    let institutions = "/api/v1/institutions";
    assert_eq!(listed(LIBRARIAN, institutions, "institutions"), "library.example");
    assert_eq!(people.ask(READER, get("/api/v1/items")).json()["count"], 0);
    assert_eq!(people.ask(USER, get("/api/v1/items")).json()["count"], 2);
    assert_eq!(people.ask(KEEPER, get("/api/v1/items")).json()["count"], 3);
    let secret = people.house.get("/api/v1/items?name=secret.tar").json()["items"][0]["id"].clone();
    let secret = format!("/api/v1/items/{secret}");
    people.ask(USER, get(secret.as_str())).is(404);
    people.ask(KEEPER, get(secret.as_str())).is(200);
    people.ask(READER, get("/api/v1/items/1")).is(404);
    people.ask(READER, get("/items/1/report.txt")).is(404);
    let overview = people.ask(READER, get("/")).is(200).text();
    assert!(!overview.contains("own.tar"), "{overview}");
    // What was sent and turned away is as restricted as it would have been.
    let mut broken = accessed("hidden", "Restricted");
    broken.retain(|(name, _)| name != "data/letter.txt");
    people.house.lay("hidden", &broken, 1);
    until("it is turned away", || {
        let list = people.house.get("/api/v1/items?name=hidden.tar&status=Suspended").json();
        list["count"] == 1
    });
    for (email, sees) in [(USER, false), (KEEPER, true)] {
        let listed = people.ask(email, get("/api/v1/items?name=hidden.tar")).json();
        assert_eq!(listed["count"], u8::from(sees), "{email}");
        let id = people.house.get("/api/v1/items?name=hidden.tar").json()["items"][0]["id"].clone();
        for path in [format!("/api/v1/items/{id}"), format!("/items/{id}/report.txt")] {
            let status = people.ask(email, get(path)).status;
            assert_eq!(status, if sees { 200 } else { 404 }, "{email}");
        }
        let lying = people.ask(email, get("/api/v1/deposits")).is(200).text();
        assert_eq!(lying.contains("hidden.tar"), sees, "{email}: {lying}");
    }
}

#[test]
fn what_is_restricted_is_named_to_administrators_only() {
    let people = holding();
    let ask = |name: &str| {
        let wish = format!(r#"{{"reason":"sent twice","objects":["archive.local/{name}"]}}"#);
        people.ask(KEEPER, post("/api/v1/deletions", wish)).is(200).json()["deletion"]["id"].clone()
    };
    let (secret, own) = (ask("secret"), ask("own"));
    for (email, sees) in [(USER, 404), (KEEPER, 200), (ROOT, 200)] {
        for path in ["/deletions/", "/api/v1/deletions/"] {
            let status =
                |id: &serde_json::Value| people.ask(email, get(format!("{path}{id}"))).status;
            assert_eq!(status(&secret), sees, "{path}{secret} for {email}");
            assert_eq!(status(&own), 200, "{path}{own} for {email}");
        }
        let listed = people.ask(email, get("/api/v1/deletions")).json()["count"].clone();
        assert_eq!(listed, if sees == 200 { 2 } else { 1 }, "{email}");
    }
    let app = people.house.app();
    for name in ["secret", "own"] {
        let list = people.house.get(format!("/api/v1/items?name={name}.tar").as_str()).json();
        let item = app.registry.item(list["items"][0]["id"].as_i64().unwrap()).unwrap().unwrap();
        raise(app, &restoration_ready(&item)).unwrap().unwrap();
    }
    let told = |email: &str| {
        let list = people.ask(email, get("/api/v1/alerts?kind=restoration-ready")).is(200).json();
        let list = list["alerts"].as_array().unwrap().clone();
        let mut told: Vec<_> =
            list.iter().map(|it| it["subject"].as_str().unwrap().to_owned()).collect();
        told.sort();
        (told, list)
    };
    assert_eq!(told(KEEPER).0.len(), 2);
    assert_eq!(told(USER).0, ["Restored: archive.local/own"]);
    let (_, list) = told(KEEPER);
    for alert in list {
        let secret = alert["subject"].as_str().unwrap().contains("secret");
        let path = format!("/api/v1/alerts/{}", alert["id"]);
        assert_eq!(people.ask(USER, get(path)).status, if secret { 404 } else { 200 });
    }
    // The steps of deletions are told to administrators.
    let all = people.ask(USER, get("/api/v1/alerts")).is(200).json();
    assert_eq!(all["count"], 1, "{all}");
}

#[test]
fn people_change_only_what_is_their_own() {
    let people = holding();
    let restore = |name: &str| format!("/api/v1/objects/archive.local/{name}/restore");
    let check = |name: &str| format!("/api/v1/objects/archive.local/{name}/check");
    for (email, path, status) in [
        (READER, restore("shared"), 403),
        (LIBRARIAN, restore("shared"), 403),
        (LIBRARIAN, restore("own"), 404),
        (USER, restore("secret"), 404),
        (LIBRARIAN, check("shared"), 403),
        (USER, check("own"), 403),
        (KEEPER, check("own"), 202),
        (KEEPER, check("secret"), 202),
        (ROOT, check("shared"), 202),
    ] {
        let reply = people.ask(email, post(path.as_str(), ""));
        assert_eq!(reply.status, status, "{email} {path}: {}", reply.text());
    }
    let put = |email: &str, institution: &str| {
        let path = format!("/api/v1/deposits/{institution}/{}.tar", email.replace('@', "-"));
        people.ask(email, post(path, "no bag").method("PUT")).status
    };
    assert_eq!(put(USER, "archive.local"), 201);
    // A new version could open what they may not see.
    let over = || post("/api/v1/deposits/archive.local/secret.tar", "no bag").method("PUT");
    assert_eq!(people.ask(USER, over()).status, 403);
    assert_eq!(people.ask(KEEPER, over()).status, 201);
    let sent = people.house.get("/api/v1/audit?deed=deposit").json();
    assert!(sent["audit"].to_string().contains(KEEPER), "{sent}");
    assert_eq!(put(USER, "library.example"), 403);
    assert_eq!(put(LIBRARIAN, "archive.local"), 403);
    assert_eq!(put(READER, "library.example"), 201);
    assert_eq!(put(ROOT, "library.example"), 201);
    let areas = |email: &str| people.ask(email, get("/api/v1/deposits")).json()["areas"].clone();
    let reader = areas(READER);
    assert_eq!(reader.as_array().unwrap().len(), 1, "{reader}");
    assert_eq!(reader[0]["institution"], "library.example");
    until("who asked is written down", || {
        let items = people.house.get("/api/v1/items?action=Fixity%20Check").json();
        items["items"].as_array().is_some_and(|it| it.iter().any(|it| it["user"] == KEEPER))
    });
}

#[test]
fn users_are_looked_after_within_the_institution_and_by_nobody_below_them() {
    let people = Peopled::new(House::new());
    let number = |email: &str| {
        people.house.app().registry.user_by_email(email).unwrap().unwrap().id.to_string()
    };
    let users = |email: &str| people.ask(email, get("/api/v1/users")).is(200).json();
    assert_eq!((&users(KEEPER)["count"], &users(LIBRARIAN)["count"]), (&3.into(), &2.into()));
    assert_eq!(users(ROOT)["count"], 5);
    for (email, target, status) in [
        (LIBRARIAN, USER, 404),
        (LIBRARIAN, ROOT, 404),
        (KEEPER, ROOT, 403),
        (KEEPER, USER, 200),
        (ROOT, LIBRARIAN, 200),
    ] {
        for deed in ["reset", "deactivate", "reactivate"] {
            let path = format!("/api/v1/users/{}/{deed}", number(target));
            let reply = people.ask(email, post(path.as_str(), ""));
            assert_eq!(reply.status, status, "{email} {path}: {}", reply.text());
        }
    }
    let wish = |institution: &str, role: &str| {
        let email = format!("new-{role}@{institution}");
        format!(
            r#"{{"name":"New","email":"{email}","role":"{role}","institution":"{institution}"}}"#
        )
    };
    let add = |email: &str, institution: &str, role: &str| {
        people.ask(email, post("/api/v1/users", wish(institution, role))).status
    };
    assert_eq!(add(KEEPER, "archive.local", "institutional_user"), 200);
    assert_eq!(add(KEEPER, "archive.local", "admin"), 403);
    assert_eq!(add(KEEPER, "library.example", "institutional_user"), 404);
    assert_eq!(add(READER, "library.example", "institutional_user"), 403);
    assert_eq!(add(ROOT, "archive.local", "admin"), 200);
    people.ask(READER, get("/api/v1/institutions/archive.local")).is(404);
}

/// An administrator that another one makes, as whom the maker can come.
fn puppet(people: &Peopled, maker: &str, name: &str) -> String {
    let email = format!("{name}@archive.example");
    let user = format!(
        r#"{{"name":"Puppet Show","email":"{email}","role":"institutional_admin",
            "institution":"archive.local"}}"#
    );
    let made = people.house.ask(&post("/api/v1/users", user).with("cookie", maker)).is(200).json();
    people.house.redeem(made["path"].as_str().unwrap());
    people.house.sign_in(&email)
}

#[test]
fn one_person_does_not_delete_with_two_accounts() {
    let people = holding();
    let ask = |cookie: &str, object: &str| {
        let wish = format!(r#"{{"objects":["archive.local/{object}"],"reason":"not wanted"}}"#);
        let ask = post("/api/v1/deletions", wish).with("cookie", cookie);
        people.house.ask(&ask).is(200).json()["deletion"]["id"].clone()
    };
    let approve = |cookie: &str, id: &serde_json::Value| {
        let path = format!("/api/v1/deletions/{id}/approve");
        let own = format!(r#"{{"password":"{PASSWORD}"}}"#);
        people.house.ask(&post(path, own).with("cookie", cookie))
    };
    let refused = |cookie: &str, id: &serde_json::Value| {
        let text = approve(cookie, id).is(409).text();
        assert!(text.contains("seven days"), "{text}");
    };
    let keeper = people.house.sign_in(KEEPER);
    let own = ask(&keeper, "own");
    let first = puppet(&people, &keeper, "first");
    let second = puppet(&people, &first, "second");
    for cookie in [&first, &second] {
        refused(cookie, &own);
    }
    // The other way round, and as a colleague whose password one set.
    let secret = ask(&second, "secret");
    refused(&keeper, &secret);
    people.house.person_of("archive.local", "other@archive.example", Role::InstitutionalAdmin);
    let other = people.house.sign_in("other@archive.example");
    approve(&other, &own).is(200);
    let reset = post("/api/v1/users/other@archive.example/reset", "");
    people.house.ask(&reset.with("cookie", keeper.as_str())).is(200);
    refused(&other, &secret);
}

#[test]
fn who_shuts_out_the_others_does_not_delete_alone() {
    let people = holding();
    people.house.person_of("archive.local", "other@archive.example", Role::InstitutionalAdmin);
    let shut_out = post("/api/v1/users/other@archive.example/deactivate", "");
    people.ask(KEEPER, shut_out).is(200);
    let wish = r#"{"objects":["archive.local/own"],"reason":"alone"}"#;
    let made = people.ask(KEEPER, post("/api/v1/deletions", wish)).is(200).json();
    let path = format!("/api/v1/deletions/{}/approve", made["deletion"]["id"]);
    let own = format!(r#"{{"password":"{PASSWORD}"}}"#);
    let text = people.ask(KEEPER, post(path, own)).is(409).text();
    assert!(text.contains("seven days"), "{text}");
}

#[test]
fn a_token_does_not_become_its_owner() {
    let people = holding();
    let wish = r#"{"name":"loader","scope":"manage"}"#;
    let made = people.ask(KEEPER, post("/api/v1/tokens", wish)).is(200).json();
    let bearer = format!("Bearer {}", made["text"].as_str().unwrap());
    let own = people.house.get("/api/v1/users?email=keeper@archive.example").json();
    let own = own["users"][0]["id"].to_string();
    let ask = |ask: Ask| people.house.ask(&ask.with("authorization", bearer.as_str())).status;
    assert_eq!(ask(get("/api/v1/objects")), 200);
    assert_eq!(ask(post(format!("/api/v1/users/{own}/reset"), "")), 403);
    let edit = post(format!("/api/v1/users/{own}"), r#"{"name":"Somebody Else"}"#);
    assert_eq!(ask(edit.method("PATCH")), 403);
}
