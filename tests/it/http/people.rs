//! Users, institutions, tokens, second factors and the log, over the wire: what works, and everybody
//! who tries what is not theirs.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::Role;

use super::accounts::{basic, session};
use crate::device::code;
use crate::house::{House, PASSWORD, until};
use crate::wire::{Ask, Reply, get, post};

const ROOT: &str = "root@archive.example";
const ANN: &str = "ann@archive.example";
const BOB: &str = "bob@archive.example";
const LIL: &str = "lil@library.example";

/// A house with an administrator, an institution's administrator, a user, and somebody elsewhere.
fn peopled(toml: &str) -> House {
    let house = House::configured(toml);
    house.person(ROOT, Role::Admin);
    house.person(ANN, Role::InstitutionalAdmin);
    house.person(BOB, Role::InstitutionalUser);
    let library = r#"{"name":"Town library","identifier":"library.example"}"#;
    house.command("/api/v1/institutions", library).is(200);
    house.person_of("library.example", LIL, Role::InstitutionalAdmin);
    house
}

fn now(house: &House) -> Timestamp {
    house.app().shop.clock.now()
}

fn soon(house: &House) -> Timestamp {
    now(house).after(Duration::from_secs(30))
}

/// What stands in a page between two pieces of it.
fn between<'t>(text: &'t str, before: &str, after: &str) -> &'t str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no {before} in {text}")).1;
    rest.split_once(after).unwrap().0
}

fn cookie(reply: &Reply, name: &str) -> Option<String> {
    let cookies = reply.all("set-cookie");
    let found = cookies.iter().find(|it| it.starts_with(&format!("{name}=")))?;
    Some(found.split(';').next()?.to_owned())
}

/// Sets up a second factor in a browser; the letters, and the backup codes.
pub(super) fn enrol(house: &House, cookie: &str) -> (String, Vec<String>) {
    let send = |path: &str, body: &str| house.ask(&post(path, body).with("cookie", cookie));
    let given = |given: &str| format!("password={given}").replace(' ', "+");
    send("/account/second-factor/begin", &given("wrong horse battery")).is(422);
    let page = send("/account/second-factor/begin", &given(PASSWORD)).is(200).text();
    assert!(page.contains("<svg class=\"qr\"") && page.contains("otpauth://totp/"), "{page}");
    let letters = between(&page, "The letters: <code class=\"secret\">", "<").to_owned();
    let waits = send("/account/second-factor/confirm", "code=000000").is(422).text();
    assert!(waits.contains("Begin to use it") && !waits.contains(&letters), "shown once: {waits}");
    let right = format!("code={}", code(&letters, now(house)));
    let shown = send("/account/second-factor/confirm", &right).is(200).text();
    let codes = shown.split("<code class=\"secret\">").skip(1);
    let codes: Vec<_> = codes.map(|it| it.split('<').next().unwrap().to_owned()).collect();
    assert_eq!(codes.len(), 10, "{shown}");
    let again = house.ask(&get("/account/second-factor").with("cookie", cookie)).is(200).text();
    assert!(!again.contains(&codes[0]) && !again.contains(&letters), "shown once");
    (letters, codes)
}

fn first_step(house: &House, email: &str) -> Reply {
    let form = format!("email={email}&password={PASSWORD}&to=/items").replace(' ', "+");
    house.ask_by_form(&post("/sign-in", form)).is(303)
}

#[test]
fn with_a_second_factor_signing_in_takes_two_steps() {
    let house = peopled("");
    let browser = house.sign_in(ANN);
    let (letters, codes) = enrol(&house, &browser);
    let reply = first_step(&house, ANN);
    assert_eq!(reply.header("location"), Some("/sign-in/code?to=%2Fitems"));
    assert!(session(&reply).is_none(), "the password alone begins no session");
    let half = cookie(&reply, "strongroom_half").unwrap();
    let whole = half.replace("strongroom_half", "strongroom_session");
    assert_eq!(house.ask_as_stranger(&get("/items").with("cookie", whole)).status, 303);
    let step = |code: &str| {
        let form = format!("code={code}&to=/items");
        house.ask_by_form(&post("/sign-in/code", form).with("cookie", &*half))
    };
    let form = house.ask_as_stranger(&get("/sign-in/code").with("cookie", &*half)).is(200);
    assert!(form.text().contains("one-time-code"));
    assert!(step("123456").is(401).text().contains("The code is not right"));
    let next = code(&letters, soon(&house));
    let entered = step(&next).is(303);
    assert_eq!(entered.header("location"), Some("/items"));
    let second = session(&entered).unwrap();
    house.ask(&get("/items").with("cookie", &*second)).is(200);
    let replayed = step(&next).is(303);
    assert!(session(&replayed).is_none(), "a half-open sign-in works once");

    let other = cookie(&first_step(&house, ANN), "strongroom_half").unwrap();
    let send =
        |form: String| house.ask_by_form(&post("/sign-in/code", form).with("cookie", &*other));
    send(format!("code={next}")).is(401);
    let elsewhere = format!("code={}&to=//evil.example", codes[0]);
    assert_eq!(send(elsewhere).is(303).header("location"), Some("/"));
    house.ask_as_stranger(&get("/sign-in/code")).is(303);
    house.ask_by_form(&post("/sign-in/code", "code=1")).is(303);
    house.ask_by_form(&post("/sign-in/code", "")).is(422);

    let program = get("/api/v1/items").with("authorization", basic(ANN, PASSWORD));
    let refused = house.ask(&program).is(401);
    assert_eq!(refused.code(), "needs-token");
    assert!(refused.text().contains("token"), "{}", refused.text());

    // A link sets the password and does not leave the second step out.
    let path = house.app().desk().reset_user(ANN).unwrap().path.unwrap();
    let token = path.split_once('=').unwrap().1;
    let set = format!("token={token}&password={PASSWORD}&again={PASSWORD}").replace(' ', "+");
    let set = house.ask_by_form(&post("/password", set)).is(303);
    assert!(session(&set).is_none() && cookie(&set, "strongroom_half").is_some());
    house.ask(&get("/items").with("cookie", &*second)).is(303);
}

#[test]
fn who_must_have_a_second_factor_reaches_nothing_else_until_they_do() {
    let house = peopled("");
    let browser = house.sign_in(BOB);
    let ask = |ask: Ask| house.ask(&ask.with("cookie", &*browser));
    ask(get("/items")).is(200);
    let wish = r#"{"otp_enabled":true}"#;
    let change = post("/api/v1/institutions/archive.local", wish).method("PATCH");
    house.ask(&change.without("sec-fetch-site")).is(200);
    let led = ask(get("/items")).is(303);
    assert_eq!(led.header("location"), Some("/account/second-factor"));
    assert_eq!(ask(get("/account")).is(303).header("location"), Some("/account/second-factor"));
    assert_eq!(ask(get("/api/v1/items")).is(403).code(), "second-factor-owed");
    ask(post("/restorations", "object=1")).is(403);
    let program = get("/api/v1/items").with("authorization", basic(BOB, PASSWORD));
    assert_eq!(house.ask(&program).is(403).code(), "second-factor-owed");
    assert!(ask(get("/account/second-factor")).is(200).text().contains("Set it up to go on"));
    enrol(&house, &browser);
    ask(get("/items")).is(200);
}

#[test]
fn administrators_must_have_one_when_the_house_says_so() {
    let house = peopled("[accounts]\nrequire_second_factor = true\n");
    let root = house.sign_in(ROOT);
    house.ask(&get("/").with("cookie", &*root)).is(303);
    let ann = house.sign_in(ANN);
    house.ask(&get("/").with("cookie", &*ann)).is(200);
    let (_, codes) = enrol(&house, &root);
    house.ask(&get("/").with("cookie", &*root)).is(200);
    let end = |password: &str, code: &str| {
        let form = format!("password={password}&end_code={code}").replace(' ', "+");
        let ask = post("/account/second-factor/end", form);
        house.ask(&ask.with("cookie", &*root))
    };
    end("wrong horse battery", &codes[0]).is(422);
    end(PASSWORD, "1234").is(422);
    end(PASSWORD, &codes[0]).is(303);
    house.ask(&get("/").with("cookie", &*root)).is(303);
    // Somebody who lost it is helped by an administrator, and by nobody of another institution.
    enrol(&house, &house.sign_in(BOB));
    let lil = house.sign_in(LIL);
    house.ask(&post("/users/3/reset-factor", "").with("cookie", &*lil)).is(404);
    house.ask(&post("/users/3/reset-factor", "").with("cookie", &*ann)).is(303);
    house.ask(&post("/users/3/reset-factor", "").with("cookie", &*ann)).is(409);
    assert!(session(&first_step(&house, BOB)).is_some());
}

#[test]
fn a_token_reads_or_writes_for_its_owner_and_dies_with_them() {
    let house = peopled("");
    let ann = house.sign_in(ANN);
    let form = |form: &str| house.ask(&post("/account/tokens", form).with("cookie", &*ann));
    let page = form("token_name=report&scope=read&days=30").is(200).text();
    let read = between(&page, "<code class=\"secret\">", "<").to_owned();
    assert!(read.starts_with("strongroom_"), "{read}");
    let account = house.ask(&get("/account").with("cookie", &*ann)).is(200).text();
    assert!(account.contains("report") && !account.contains(&read), "shown once");
    for bad in
        ["", "token_name=x", "token_name=x&scope=all&days=1", "token_name=x&scope=read&days=y"]
    {
        form(bad).is(422);
    }
    form("token_name=x&scope=read&days=400").is(422);
    form(&format!("token_name={}&scope=read&days=4", "x".repeat(101))).is(422);
    let body = r#"{"name":"writer","scope":"manage","days":7}"#;
    let program = |path: &str, body: &str| post(path, body).without("sec-fetch-site");
    let made =
        house.ask(&program("/api/v1/tokens", body).with("authorization", basic(ANN, PASSWORD)));
    let write = made.is(200).json()["text"].as_str().unwrap().to_owned();

    let bears =
        |ask: Ask, token: &str| house.ask(&ask.with("authorization", format!("Bearer {token}")));
    bears(get("/api/v1/items"), &read).is(200);
    let change = || program("/api/v1/users/3/deactivate", "");
    assert_eq!(bears(change(), &read).is(403).code(), "read-only-token");
    bears(change(), &write).is(200);
    bears(program("/api/v1/users/3/reactivate", ""), &write).is(200);
    for path in ["/api/v1/tokens", "/api/v1/sessions", "/account"] {
        assert_eq!(
            bears(get(path), &write).status,
            403,
            "{path}: who found a token makes no other"
        );
    }
    let forged = format!("{}0", &read[..read.len() - 1]);
    for bad in ["strongroom_", &forged, &read.to_uppercase()] {
        let status = bears(get("/api/v1/items"), bad).status;
        assert!(status == 401 || *bad == read, "{bad}: {status}");
    }
    let pharos = |email: &str, key: &str| {
        let ask = get("/api/v1/items").with("x-pharos-api-user", email);
        house.ask(&ask.with("x-pharos-api-key", key)).status
    };
    assert_eq!((pharos(ANN, &read), pharos(BOB, &read), pharos(ANN, "x")), (200, 401, 401));

    let bob = house.sign_in(BOB);
    house.ask(&post("/account/tokens/1/revoke", "").with("cookie", &*bob)).is(404);
    house.ask(&post("/account/tokens/x/revoke", "").with("cookie", &*bob)).is(404);
    house.ask(&post("/account/tokens/1/revoke", "").with("cookie", &*ann)).is(303);
    assert_eq!(bears(get("/api/v1/items"), &read).is(401).code(), "bad-token");

    // Shut out, all ways close at once.
    house.command("/api/v1/users/2/deactivate", "").is(200);
    assert_eq!(bears(get("/api/v1/items"), &write).status, 401);
    assert_eq!(house.ask(&get("/items").with("cookie", &*ann)).status, 303);
    let basic = get("/api/v1/items").with("authorization", basic(ANN, PASSWORD));
    assert_eq!(house.ask(&basic).status, 401);
    house.command("/api/v1/users/2/reactivate", "").is(200);
    bears(get("/api/v1/items"), &write).is(200);
    house.ask(&get("/items").with("cookie", &*ann)).is(303);
    house.command("/api/v1/institutions/library.example/deactivate", "").is(200);
    assert!(house.ask_by_form(&post("/sign-in", format!("email={LIL}&password=x"))).status == 401);
}

#[test]
fn sessions_are_listed_and_ended_one_by_one() {
    let house = peopled("");
    let here = house.sign_in(ANN);
    let there = house.sign_in(ANN);
    let ask = |ask: Ask| house.ask(&ask.with("cookie", &*here));
    let list = ask(get("/api/v1/sessions")).is(200).json();
    let rows = list["sessions"].as_array().unwrap().clone();
    assert!(rows.iter().all(|row| row["address"] == "127.0.0.1"), "{list}");
    assert_eq!(rows.iter().filter(|row| row["is_this"] == true).count(), 1, "{list}");
    let other =
        house.app().registry.list_audit(&storage::registry::Query::all(&storage::registry::AUDIT));
    assert!(other.unwrap().rows.iter().any(|row| row.address == "127.0.0.1"));
    // Which number the other session has, is told by the page of the other one.
    let of_there = house.ask(&get("/api/v1/sessions").with("cookie", &*there)).json();
    let this = |list: &serde_json::Value| {
        let rows = list["sessions"].as_array().unwrap().clone();
        rows.iter().find(|row| row["is_this"] == true).unwrap()["id"].to_string()
    };
    let number = this(&of_there);
    let bob = house.sign_in(BOB);
    let end = format!("/account/sessions/{number}/end");
    house.ask(&post(&*end, "").with("cookie", &*bob)).is(404);
    ask(post(&*end, "")).is(303);
    house.ask(&get("/items").with("cookie", &*there)).is(303);
    ask(get("/items")).is(200);
    ask(post(&*end, "")).is(404);
}

#[test]
fn an_institutions_administrator_keeps_its_users_and_no_others() {
    let house = peopled("");
    let ann = house.sign_in(ANN);
    let ask = |ask: Ask| house.ask(&ask.with("cookie", &*ann));
    let listed = ask(get("/users")).is(200).text();
    assert!(listed.contains(BOB) && !listed.contains(LIL), "{listed}");
    for path in ["/users/4", "/users/lil@library.example", "/users/99", "/institutions/2"] {
        ask(get(path)).is(404);
    }
    let form = "name=Bob+Bookman&email=bob@archive.example&phone_number=%2B1+(434)+555-1234&role=";
    let edit = |id: &str, role: &str| ask(post(format!("/users/{id}"), format!("{form}{role}")));
    edit("4", "institutional_user").is(404);
    edit("3", "admin").is(403);
    edit("3", "king").is(422);
    edit("3", "institutional_admin").is(303);
    let bob = house.app().registry.user(3).unwrap().unwrap();
    assert_eq!(
        (bob.phone_number.as_deref(), bob.role),
        (Some("+14345551234"), Role::InstitutionalAdmin)
    );
    // An administrator of the appliance who belongs here is not theirs to take over.
    edit("1", "institutional_user").is(403);
    for deed in ["reset", "deactivate", "reset-factor"] {
        ask(post(format!("/users/1/{deed}"), "")).is(403);
    }
    let add = |name: &str, email: &str, role: &str, institution: &str| {
        let form = format!("name={name}&email={email}&role={role}&institution={institution}");
        ask(post("/users", form))
    };
    add("Cy", "cy@archive.example", "admin", "archive.local").is(403);
    add("Cy", "cy@archive.example", "institutional_user", "library.example").is(404);
    add("C", "cy@archive.example", "institutional_user", "archive.local").is(422);
    add(&"x".repeat(201), "cy@archive.example", "institutional_user", "archive.local").is(422);
    add("Cy", "no-mail", "institutional_user", "archive.local").is(422);
    add("Cy", BOB, "institutional_user", "archive.local").is(422);
    let added =
        add("Cy", "cy@archive.example", "institutional_user", "archive.local").is(200).text();
    let link = between(&added, "<code class=\"secret\">", "<").to_owned();
    assert!(link.starts_with("/password?token="), "{link}");
    house.ask_as_stranger(&get(link)).is(200);
    ask(get("/users/3/deactivate")).is(405);
    ask(post("/institutions/1/deactivate", "")).is(403);
    ask(post("/institutions", "name=Another&identifier=another.example")).is(403);
}

#[test]
fn the_last_administrator_stays_and_only_the_house_has_any() {
    let house = peopled("");
    let root = house.sign_in(ROOT);
    let ask = |ask: Ask| house.ask(&ask.with("cookie", &*root));
    let form = "name=Root&email=root@archive.example&role=institutional_user";
    let said = ask(post("/users/1", form)).is(422).text();
    assert!(said.contains("the last administrator"), "{said}");
    ask(post("/users/1/deactivate", "")).is(409);
    ask(post("/institutions/1/deactivate", "")).is(409);
    let lil = "name=Lil&email=lil@library.example&role=admin";
    let said = ask(post("/users/4", lil)).is(422).text();
    assert!(said.contains("can be admin only at archive.local"), "{said}");
    ask(post("/users/4", lil.replace("admin", "none"))).is(303);
    assert_eq!(house.app().registry.user(4).unwrap().unwrap().role, Role::None);
}

#[test]
fn an_institution_chooses_what_is_its_own_to_choose_and_nothing_else() {
    let house = peopled("");
    let (root, ann) = (house.sign_in(ROOT), house.sign_in(ANN));
    let as_ann = |ask: Ask| house.ask(&ask.with("cookie", &*ann));
    let before = house.app().registry.institution(1).unwrap().unwrap();
    as_ann(post("/institutions/1", "spot_restore_frequency=30")).is(303);
    for (form, status) in [
        ("spot_restore_frequency=-1", 422),
        ("spot_restore_frequency=x", 422),
        ("", 422),
        ("spot_restore_frequency=1&identifier=evil.example", 422),
        ("spot_restore_frequency=1&receiving_bucket=elsewhere", 422),
        ("spot_restore_frequency=1&state=D", 422),
        ("spot_restore_frequency=1&name=Another+name", 403),
    ] {
        as_ann(post("/institutions/1", form)).is(status);
    }
    as_ann(post("/institutions/2", "spot_restore_frequency=1")).is(404);
    let after = house.app().registry.institution(1).unwrap().unwrap();
    let wanted = storage::registry::Institution {
        spot_restore_frequency: 30,
        updated_at: after.updated_at,
        ..before
    };
    assert_eq!(after, wanted);
    let as_root = |ask: Ask| house.ask(&ask.with("cookie", &*root));
    let page = as_root(post("/institutions/2", "name=New+name&spot_restore_frequency=0")).is(303);
    assert_eq!(page.header("location"), Some("/institutions/2"));
    as_root(get("/institutions/2/deactivate")).is(405);
    as_root(post("/institutions/2/deactivate", "")).is(303);
    assert!(as_root(get("/institutions")).text().contains("Shut out"));
    as_root(post("/institutions/2/reactivate", "")).is(303);
    as_root(post(
        "/institutions",
        "name=Map+room&identifier=maps.library.example&member=library.example",
    ))
    .is(303);
    assert!(as_root(get("/institutions/2")).is(200).text().contains("Map room"));
    as_root(post("/institutions", "name=Map+room&identifier=Not+A+Name")).is(422);
}

#[test]
fn a_forgotten_password_is_answered_the_same_whoever_asks() {
    let house = peopled("");
    let mut answers: Vec<_> = [BOB, "nobody@archive.example", "", &"x".repeat(1000)]
        .map(|email| {
            let reply = house.ask_by_form(&post("/forgotten", format!("email={email}"))).is(303);
            (reply.header("location").map(str::to_owned), cookie(&reply, "strongroom-flash"))
        })
        .into();
    answers.dedup();
    assert_eq!(answers.len(), 1, "{answers:?}");
    let ann = house.sign_in(ANN);
    let seen = |path: &str| house.ask(&get(path).with("cookie", &*ann)).is(200).text();
    assert!(seen("/users").contains("wait for a link") && seen("/users/3").contains("Waits for"));
    let lil = house.sign_in(LIL);
    let elsewhere = house.ask(&get("/users").with("cookie", &*lil)).text();
    assert!(!elsewhere.contains("wait for a link"));
    house.ask(&post("/users/3/reset", "").with("cookie", &*ann)).is(200);
    assert!(!seen("/users").contains("wait for a link"), "somebody has helped");
    house.ask_by_form(&post("/forgotten", "")).is(422);
}

#[test]
fn with_mail_the_link_is_mailed_and_nobody_else_sees_it() {
    let mut house = House::closed(
        "[http]\npublic_url = \"https://archive.example\"\n[mail]\nspool = \"mail\"\n",
        &[],
    );
    house.start();
    let wish = r#"{"name":"Bob","email":"bob@archive.example","role":"institutional_user",
        "institution":"archive.local"}"#;
    house.command("/api/v1/users", wish).is(200);
    let spool = house.data().join("mail");
    let letters = || {
        house.app().outbox.send_due();
        let mut paths: Vec<_> =
            std::fs::read_dir(&spool).unwrap().map(|it| it.unwrap().path()).collect();
        paths.sort();
        paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect::<Vec<_>>()
    };
    let welcome = letters().pop().unwrap();
    assert!(welcome.contains("Subject: Welcome to Strongroom"), "{welcome}");
    let token = between(&welcome, "https://archive.example/password?token=", "\r").to_owned();
    let set = format!("token={token}&password={PASSWORD}&again={PASSWORD}").replace(' ', "+");
    house.ask_by_form(&post("/password", &*set)).is(303);
    assert_eq!(house.ask_by_form(&post("/password", &*set)).status, 410);
    assert!(letters().iter().any(|it| it.contains("Your password was changed")));
    let count = letters().len();
    house.ask_by_form(&post("/forgotten", "email=bob@archive.example")).is(303);
    house.ask_by_form(&post("/forgotten", "email=bob@archive.example")).is(303);
    house.ask_by_form(&post("/forgotten", "email=nobody@archive.example")).is(303);
    assert_eq!(letters().len(), count + 1, "one letter, to who exists, and not two at once");
    let nobody = wish.replace("institutional_user", "none").replace("bob@", "cy@");
    let made = house.command("/api/v1/users", &nobody).is(200).json();
    assert_eq!((&made["path"], &made["mailed"]), (&serde_json::Value::Null, &false.into()));
}

#[test]
fn the_log_says_who_did_what_to_those_who_may_read_it() {
    let house = peopled("");
    let (root, ann) = (house.sign_in(ROOT), house.sign_in(ANN));
    let lil = house.sign_in(LIL);
    house.ask(&get("/queues").with("cookie", &*ann)).is(403);
    house.ask(&post("/users/3/deactivate", "").with("cookie", &*ann)).is(303);
    house.ask_by_form(&post("/sign-in", format!("email={ANN}&password=x"))).is(401);
    let rows = |cookie: &str, query: &str| {
        let reply = house.ask(&get(format!("/api/v1/audit{query}")).with("cookie", cookie)).is(200);
        reply.json()["audit"].as_array().unwrap().clone()
    };
    let shut = rows(&root, "?deed=shut-out-user");
    assert_eq!(shut.len(), 1, "{shut:?}");
    assert_eq!((&shut[0]["who"], &shut[0]["about"]), (&ANN.into(), &BOB.into()));
    assert_eq!((&shut[0]["how"], &shut[0]["address"]), (&"session".into(), &"127.0.0.1".into()));
    let refused = rows(&ann, "?deed=enter&outcome=refused");
    assert_eq!(refused[0]["about"], "GET /queues", "{refused:?}");
    assert!(!rows(&ann, "?deed=sign-in&outcome=failed").is_empty());
    let own =
        house.app().registry.institution_by_identifier("library.example").unwrap().unwrap().id;
    let theirs = rows(&lil, "");
    assert!(
        !theirs.is_empty() && theirs.iter().all(|row| row["institution_id"] == own),
        "{theirs:?}"
    );
    assert!(rows(&lil, &format!("?institution_id={}", own - 1)).is_empty());
    let page = house.ask(&get("/audit?deed=shut-out-user").with("cookie", &*root)).is(200).text();
    assert!(page.contains("Shut out user") && page.contains(BOB), "{page}");
    let csv =
        house.ask(&get("/api/v1/audit.csv?deed=shut-out-user").with("cookie", &*root)).is(200);
    let lines: Vec<_> = csv.text().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines[0].starts_with("id,at,user_id,who") && lines[1].contains(BOB), "{lines:?}");
    for bad in ["?deed=king", "?nothing=1", "?at__gteq=yesterday"] {
        let status = house.ask(&get(format!("/api/v1/audit{bad}")).with("cookie", &*root)).status;
        assert_eq!(status, 400, "{bad}");
    }
    let bob = get("/api/v1/audit").with("authorization", basic(BOB, PASSWORD));
    assert_eq!(house.ask(&bob).status, 401, "shut out");
    // Who knocks and knocks is counted, not written down each time.
    let before = rows(&root, "?per_page=1000").len();
    for _ in 0..30 {
        assert_eq!(house.ask_as_stranger(&get("/api/v1/items")).status, 401);
    }
    until("the refusals are written", || rows(&root, "?per_page=1000").len() > before);
    assert_eq!(rows(&root, "?per_page=1000").len(), before + 1);
}
