//! Strangers who try passwords, and the owner of the account who comes in all the same.

use storage::registry::Role;

use super::accounts::{basic, session};
use super::one_person::asked;
use crate::house::{House, PASSWORD};
use crate::wire::{Reply, get, post};

const ANN: &str = "ann@archive.example";
const OWN: &str = "198.51.100.7";

fn house(limits: &str) -> House {
    let house = House::configured(&format!(
        "[http]\ntrusted_proxies = [\"127.0.0.1\"]\naddress_failures_per_hour = 20\n{limits}"
    ));
    house.person(ANN, Role::InstitutionalAdmin);
    house
}

/// Signs in by the form, from an address, with what the browser bears.
fn sign_in(house: &House, from: &str, password: &str, browser: Option<&str>) -> Reply {
    sign_in_as(house, ANN, (from, password), browser)
}

fn sign_in_as(
    house: &House,
    email: &str,
    (from, password): (&str, &str),
    browser: Option<&str>,
) -> Reply {
    let (form, mark) = house.unknown_browser();
    let cookies = browser.map_or(form.clone(), |browser| format!("{form}; {browser}"));
    let body = format!("email={email}&password={password}").replace(' ', "+");
    let ask = post("/sign-in", body).with("cookie", cookies).with("x-csrf-token", mark);
    house.ask_as_stranger(&ask.with("x-forwarded-for", from).with("x-forwarded-proto", "https"))
}

/// What a browser is given to be known by.
fn known(reply: &Reply) -> String {
    let cookies = reply.all("set-cookie");
    let cookie = cookies.iter().find(|it| it.starts_with("strongroom_browser="));
    let cookie = cookie.unwrap_or_else(|| panic!("no cookie for the browser in {cookies:?}"));
    for part in ["HttpOnly", "SameSite=Strict", "Secure", "Path=/sign-in", "Max-Age=31536000"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    cookie.split(';').next().unwrap().to_owned()
}

#[test]
fn strangers_lock_out_neither_a_known_browser_nor_the_owners_address() {
    // With the limit of the program's memory, and by what the registry keeps alone.
    for limits in ["account_failures_per_hour = 10\n", "account_failures_per_hour = 0\n"] {
        let house = house(limits);
        let browser = known(&sign_in(&house, OWN, PASSWORD, None).is(303));
        for stranger in 0..70 {
            let from = format!("203.0.113.{stranger}");
            let reply = sign_in(&house, &from, "wrong horse battery", None);
            assert!([401, 429].contains(&reply.status), "{}", reply.text());
        }
        let bounded = sign_in(&house, "203.0.113.200", PASSWORD, None);
        assert!([401, 429].contains(&bounded.status), "many addresses together are bounded");
        let forged = format!("strongroom_browser={}", "0".repeat(64));
        let forged = sign_in(&house, "203.0.113.201", PASSWORD, Some(&forged));
        assert!([401, 429].contains(&forged.status), "a cookie that nobody gave is none");

        let elsewhere = sign_in(&house, "192.0.2.9", PASSWORD, Some(&browser)).is(303);
        assert!(session(&elsewhere).is_some(), "{limits}");
        sign_in(&house, OWN, PASSWORD, None).is(303);
        let program = get("/api/v1/items").with("authorization", basic(ANN, PASSWORD));
        let program = program.with("x-forwarded-for", OWN).with("x-forwarded-proto", "https");
        house.ask_as_stranger(&program).is(200);
    }
}

#[test]
fn a_stranger_at_one_address_keeps_the_owner_out_of_no_new_place() {
    let house = House::configured(
        "[http]\ntrusted_proxies = [\"127.0.0.1\"]\naddress_failures_per_hour = 1000\n",
    );
    house.person(ANN, Role::InstitutionalAdmin);
    // Addresses of one IPv6 network are one, and nothing tells whether there is such an account.
    for from in ["203.0.113.5", "2001:db8::"] {
        let answers = |email: &str| -> Vec<u16> {
            let address =
                |it: u8| if from.ends_with(':') { format!("{from}{it}") } else { from.into() };
            let guess =
                |it| sign_in_as(&house, email, (&address(it), "wrong horse battery"), None).status;
            (1..=60).map(guess).collect()
        };
        let told = answers(ANN);
        assert_eq!(told, answers("nobody@archive.example"), "{from}");
        assert_eq!(told.iter().filter(|it| **it == 401).count(), 10, "{told:?}");
        assert!(told[10..].iter().all(|it| *it == 429), "{told:?}");
    }
    let owner = sign_in(&house, "192.0.2.44", PASSWORD, None).is(303);
    assert!(session(&owner).is_some());
}

#[test]
fn strangers_keep_no_signed_in_administrator_from_approving_a_deletion() {
    const BEA: &str = "bea@archive.example";
    let house = asked(
        "[http]\ntrusted_proxies = [\"127.0.0.1\"]\naddress_failures_per_hour = 20\n\
         account_failures_per_hour = 10\n",
    );
    let bea = house.sign_in(BEA);
    let mut refused = 0;
    for stranger in 0..70 {
        let from = format!("203.0.113.{stranger}");
        let reply = sign_in_as(&house, BEA, (&from, "wrong horse battery"), None);
        refused += u32::from(reply.status == 429);
    }
    assert!(refused > 0, "the budget of the account is drained");
    let given = format!(r#"{{"password":"{PASSWORD}"}}"#);
    let approve = post("/api/v1/deletions/1/approve", given);
    house.ask(&approve.with("cookie", &*bea)).is(200);
}

#[test]
fn strangers_at_the_owners_own_address_do_not_lock_out_a_known_browser() {
    let house = house("");
    let browser = known(&sign_in(&house, OWN, PASSWORD, None).is(303));
    for _ in 0..30 {
        let reply = sign_in(&house, OWN, "wrong horse battery", None);
        assert!([401, 429].contains(&reply.status), "{}", reply.text());
    }
    let unknown = sign_in(&house, OWN, PASSWORD, None);
    assert!([401, 429].contains(&unknown.status), "the address has used its tries up");
    sign_in(&house, OWN, PASSWORD, Some(&browser)).is(303);
    // Its own budget is one, too.
    for _ in 0..6 {
        sign_in(&house, OWN, "wrong horse battery", Some(&browser)).is(401);
    }
    sign_in(&house, OWN, PASSWORD, Some(&browser)).is(401);
}
