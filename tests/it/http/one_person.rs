//! What one person with a leaked token, a stolen session or a mailbox does not manage: to delete.

use std::time::Duration;

use storage::registry::Role;
use strongroom::accounts::{confirm_factor, offer_factor};
use strongroom::rights::{Person, Proof};

use crate::device::code;
use crate::house::{House, PASSWORD, until};
use crate::ingest::{LETTERS, bag};
use crate::wire::{Ask, Reply, get, post};

const ANN: &str = "ann@archive.example";
const BEA: &str = "bea@archive.example";
const BOB: &str = "bob@archive.example";
const ROOT: &str = "root@archive.example";

const WISH: &str = r#"{"objects":["archive.local/letters"],"reason":"sent twice"}"#;
const APPROVE: &str = "/api/v1/deletions/1/approve";

fn peopled(house: House) -> House {
    for (email, role) in [
        (ANN, Role::InstitutionalAdmin),
        (BEA, Role::InstitutionalAdmin),
        (BOB, Role::InstitutionalUser),
        (ROOT, Role::Admin),
    ] {
        house.person(email, role);
    }
    house
}

/// The same, and it holds one object that Ann has asked to be deleted.
pub(super) fn asked(toml: &str) -> House {
    let house = House::of_the_program(&format!("[ingest]\nsweep_s = 1\n{toml}"));
    house.receive("letters", &bag(LETTERS), 1);
    let house = peopled(house);
    // An object is seen before the last of its ingest is done.
    let ann = house.sign_in(ANN);
    until("nothing works on it", || {
        let ask = post("/api/v1/deletions", WISH).with("cookie", ann.as_str());
        house.ask(&ask).status == 200
    });
    house
}

fn password(given: &str) -> String {
    format!(r#"{{"password":"{given}"}}"#)
}

impl House {
    /// Asks in a session of its own.
    fn by(&self, email: &str, ask: Ask) -> Reply {
        self.ask(&ask.with("cookie", self.sign_in(email)))
    }

    /// A token that somebody makes for themselves.
    fn own_token(&self, email: &str, scope: &str) -> String {
        let wish = format!(r#"{{"name":"a program","scope":"{scope}"}}"#);
        let made = self.by(email, post("/api/v1/tokens", wish)).is(200).json();
        made["text"].as_str().unwrap().to_owned()
    }

    fn bearing(&self, token: &str, ask: Ask) -> Reply {
        let ask = ask.without("sec-fetch-site");
        self.ask(&ask.with("authorization", format!("Bearer {token}")))
    }

    /// Letters to this address that were not sent yet.
    fn letters(&self, to: &str) -> Vec<String> {
        let now = self.app().shop.clock.now();
        let due = self.app().registry.due_letters(now, 1000).unwrap();
        due.into_iter().filter(|it| it.recipient == to).map(|it| it.content).collect()
    }
}

#[test]
fn a_token_deletes_and_changes_users_only_when_it_was_made_for_that() {
    let house = asked("[deletion]\ncooling_off_h = 0\n");
    let added = r#"{"name":"Eve","email":"eve@archive.example","role":"institutional_admin",
        "institution":"archive.local"}"#;
    let (one, own) = ("/api/v1/users/bob@archive.example", password(PASSWORD));
    let asks = || {
        [
            post("/api/v1/deletions", WISH),
            post(APPROVE, own.as_str()),
            post("/api/v1/users", added),
            post(one, r#"{"name":"Robert"}"#).method("PATCH"),
            post(format!("{one}/reset"), ""),
            post(format!("{one}/reset-factor"), ""),
            post(format!("{one}/deactivate"), ""),
            post(format!("{one}/reactivate"), ""),
        ]
    };
    for scope in ["read", "write"] {
        let token = house.own_token(BEA, scope);
        for ask in asks() {
            let reply = house.bearing(&token, ask.clone());
            let expected = if scope == "read" { "read-only-token" } else { "token-scope" };
            assert_eq!((reply.status, reply.code().as_str()), (403, expected), "{scope} {ask:?}");
        }
        house.bearing(&token, get("/api/v1/users")).is(200);
        house.bearing(&token, get("/api/v1/deletions/1")).is(200);
    }
    assert_eq!(house.get("/api/v1/users").json()["count"], 4, "nobody was added");
    assert_eq!(house.get("/api/v1/deletions/1").json()["deletion"]["state"], "requested");

    let token = house.own_token(BEA, "manage");
    let page = house.by(BEA, get("/account")).is(200).text();
    assert!(page.contains("bad\">") && page.contains("Deleting, changing users"), "{page}");
    house.bearing(&token, post(format!("{one}/deactivate"), "")).is(200);
    // Also a token that may approve needs the password: it may have leaked.
    assert_eq!(house.bearing(&token, post(APPROVE, "")).is(422).code(), "confirmation-missing");
    house.bearing(&token, post(APPROVE, own.as_str())).is(200);
}

#[test]
fn an_approval_takes_the_password_again_and_wrong_ones_count_as_failed_sign_ins() {
    let house = asked("");
    let bea = house.sign_in(BEA);
    let approve = |body: &str| house.ask(&post(APPROVE, body).with("cookie", bea.as_str()));
    assert_eq!(approve("").is(422).code(), "confirmation-missing");
    for _ in 0..5 {
        assert_eq!(approve(&password("wrong horse battery")).is(401).code(), "not-confirmed");
    }
    let user = house.get(format!("/api/v1/users/{BEA}")).json();
    assert!(user["locked_until"].is_string(), "{user}");
    assert_eq!(approve(&password(PASSWORD)).is(401).code(), "not-confirmed", "it is locked");
    assert_eq!(house.get("/api/v1/deletions/1").json()["deletion"]["state"], "requested");
}

#[test]
fn an_account_with_a_second_factor_approves_with_a_code_and_not_with_the_password() {
    let house = asked("");
    let bea = house.sign_in(BEA);
    let codes = enrolled_long_ago(&house, BEA);
    let approve = |body: String| house.ask(&post(APPROVE, body).with("cookie", bea.as_str()));
    assert_eq!(approve(password(PASSWORD)).is(422).code(), "confirmation-missing");
    let code = |code: &str| format!(r#"{{"code":"{code}"}}"#);
    assert_eq!(approve(code("000000")).is(401).code(), "not-confirmed");
    let page = house.ask(&get("/deletions/1").with("cookie", bea.as_str())).is(200).text();
    assert!(page.contains("name=\"code\"") && !page.contains("name=\"password\""), "{page}");
    assert_eq!(approve(code(&codes[0])).is(200).json()["deletion"]["state"], "approved");
}

/// Gives somebody a second factor that counts since eight days ago; the backup codes.
fn enrolled_long_ago(house: &House, email: &str) -> Vec<String> {
    let registry = &house.app().registry;
    let then = house.app().shop.clock.now().before(Duration::from_secs(8 * 86_400));
    let user = registry.user_by_email(email).unwrap().unwrap();
    let person = Person { user, proof: Proof::Session, address: String::new() };
    let letters = offer_factor(registry, &person, (PASSWORD, "House"), then).unwrap().secret;
    confirm_factor(registry, &person, &code(&letters, then), then).unwrap()
}

#[test]
fn a_stolen_session_that_enrols_a_second_factor_approves_nothing() {
    let house = asked("");
    let stolen = house.sign_in(BEA);
    let send = |path: &str, body: &str| house.ask(&post(path, body).with("cookie", &*stolen));
    let own_page = || house.ask(&get("/account/second-factor").with("cookie", &*stolen)).text();
    // Whoever has the session has no password, and enrols no device of their own.
    let refused = send("/account/second-factor/begin", "");
    assert_eq!(refused.status, 422, "{}", refused.text());
    send("/account/second-factor/begin", "password=wrong+horse+battery").is(422);
    assert!(!own_page().contains("Begin to use it"));
    // Nor is the secret shown that the owner's device is told.
    let begun = format!("password={PASSWORD}").replace(' ', "+");
    let told = house.by(BEA, post("/account/second-factor/begin", begun)).is(200).text();
    let letters = told.split_once("<code class=\"secret\">").unwrap().1.split('<').next().unwrap();
    let page = own_page();
    assert!(page.contains("Begin to use it") && !page.contains(letters), "{page}");
    // A factor that is younger than the request, or than a week, proves nothing alone.
    let first = code(letters, house.app().shop.clock.now());
    let confirm = post("/account/second-factor/confirm", format!("code={first}"));
    let shown = house.ask(&confirm.with("cookie", &*stolen)).is(200).text();
    let backup = shown.split("<code class=\"secret\">").nth(1).unwrap().split('<').next().unwrap();
    let page = house.ask(&get("/deletions/1").with("cookie", &*stolen)).is(200).text();
    assert!(page.contains("name=\"code\"") && page.contains("name=\"password\""), "{page}");
    let only_code = format!(r#"{{"code":"{backup}"}}"#);
    assert_eq!(send(APPROVE, &only_code).is(422).code(), "confirmation-missing");
    let guessed = format!(r#"{{"code":"{backup}","password":"wrong horse battery"}}"#);
    assert_eq!(send(APPROVE, &guessed).is(401).code(), "not-confirmed");
    let only_password = password(PASSWORD);
    assert_eq!(send(APPROVE, &only_password).is(422).code(), "confirmation-missing");
    assert_eq!(house.get("/api/v1/deletions/1").json()["deletion"]["state"], "requested");
    let both = format!(r#"{{"code":"{backup}","password":"{PASSWORD}"}}"#);
    send(APPROVE, &both).is(200);
}

#[test]
fn an_approved_deletion_counts_down_and_the_appliance_s_administrator_cancels_it() {
    let house = asked("");
    let approved = house.by(BEA, post(APPROVE, password(PASSWORD))).is(200).json();
    assert_eq!(approved["deletion"]["state"], "approved");
    assert!(approved["deletion"]["erase_after"].is_string(), "{approved}");
    assert!(approved["parts"][0]["item_id"].is_null(), "nothing is queued yet");
    for email in [ANN, BEA, ROOT] {
        let page = house.by(email, get("/deletions/1")).is(200).text();
        let counted = page.contains("(in 72 hours)") || page.contains("(in 71 hours)");
        assert!(page.contains("Erased no earlier than") && counted, "{page}");
        assert!(page.contains("Cancel the deletion"), "{page}");
    }
    let bystander = house.by(BOB, get("/deletions/1")).is(200).text();
    assert!(!bystander.contains("Cancel the deletion"), "{bystander}");
    house.by(BOB, post("/api/v1/deletions/1/cancel", "")).is(403);
    let cancelled = house.by(ROOT, post("/api/v1/deletions/1/cancel", "")).is(200).json();
    assert_eq!(cancelled["deletion"]["state"], "cancelled");
    assert_eq!(cancelled["deletion"]["cancelled_by_email"], ROOT);
    assert_eq!(house.by(BEA, post(APPROVE, password(PASSWORD))).is(409).code(), "declined");
}

const MAIL: &str = "[http]\npublic_url = \"https://archive.example\"\n[mail]\nspool = \"mail\"\n";

#[test]
fn an_own_e_mail_changes_only_with_the_link_that_is_mailed_to_the_old_address() {
    let house = peopled(House::configured(MAIL));
    let ann = house.sign_in(ANN);
    let email = || house.get("/api/v1/users?name=ann").json()["users"][0]["email"].clone();
    let send = |path: &str, body: &str| house.ask(&post(path, body).with("cookie", ann.as_str()));
    send("/account", "name=ann&phone_number=&email=new%40archive.example").is(303);
    assert_eq!(email(), ANN, "the old one stays");
    let own = house.get("/api/v1/users?name=ann").json()["users"][0]["id"].to_string();
    // On the page of users one's own is no other way.
    let edit = post(format!("/api/v1/users/{own}"), r#"{"email":"newer@archive.example"}"#);
    house.ask(&edit.method("PATCH").with("cookie", ann.as_str())).is(200);
    assert_eq!(email(), ANN);
    let page = house.ask(&get("/account").with("cookie", ann.as_str())).is(200).text();
    assert!(page.contains("newer@archive.example"), "{page}");

    let links: Vec<String> = house
        .letters(ANN)
        .iter()
        .filter_map(|text| text.split_once("/account/email?token="))
        .map(|(_, rest)| rest.split_whitespace().next().unwrap().to_owned())
        .collect();
    let [old, new] = links.as_slice() else { panic!("{links:?}") };
    let confirm = |cookie: &str, token: &str| {
        house.ask(&post("/account/email", format!("token={token}")).with("cookie", cookie))
    };
    confirm(&ann, old).is(410);
    confirm(&house.sign_in(BEA), new).is(410);
    house.ask_as_stranger(&post("/account/email", format!("token={new}"))).is(401);
    let form = get(format!("/account/email?token={new}")).with("cookie", ann.as_str());
    assert!(house.ask(&form).is(200).text().contains("newer@archive.example"));
    assert_eq!(email(), ANN, "looking changes nothing");
    confirm(&ann, new).is(303);
    assert_eq!(email(), "newer@archive.example");
    confirm(&ann, new).is(410);
    let told = house.letters(ANN);
    assert!(told.iter().any(|it| it.contains("was changed from ann@")), "{told:?}");
}

#[test]
fn an_administrator_changes_another_s_e_mail_and_the_old_address_is_told() {
    let house = peopled(House::configured(MAIL));
    let edit = post(format!("/api/v1/users/{BOB}"), r#"{"email":"robert@archive.example"}"#);
    let after = house.by(ANN, edit.method("PATCH")).is(200).json();
    assert_eq!(after["user"]["email"], "robert@archive.example");
    let told = house.letters(BOB);
    assert!(told.iter().any(|it| it.contains("to robert@archive.example by ann@")), "{told:?}");
}

#[test]
fn without_mail_only_an_administrator_changes_an_e_mail() {
    let house = peopled(House::new());
    let form = "name=bob&phone_number=&email=new%40archive.example";
    let refused = house.by(BOB, post("/account", form)).is(422).text();
    assert!(refused.contains("ask another administrator"), "{refused}");
    let page = house.by(BOB, get("/account")).is(200).text();
    assert!(page.contains("An administrator can change your e-mail"), "{page}");
    let own = post(format!("/api/v1/users/{ANN}"), r#"{"email":"new@archive.example"}"#);
    house.by(ANN, own.method("PATCH")).is(409);
    let edit = post(format!("/api/v1/users/{ANN}"), r#"{"email":"new@archive.example"}"#);
    house.by(BEA, edit.method("PATCH")).is(200);
}
