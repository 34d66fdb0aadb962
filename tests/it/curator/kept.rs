//! Feeds that are kept: by the API, on the page, read by the flow, and one at once by a command.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use storage::clock::Timestamp;
use storage::registry::Role;

use super::page;
use super::site::{Says, Site};
use crate::command::{folder, open, program, ran};
use crate::house::{House, until};
use crate::wire::{get, post};

pub(super) const OPEN: &str = "[research]\nresearchers = 0\nfeed_pace_ms = 0\nfeed_pace_spread_ms = 0\n\
    own_networks = [\"127.0.0.1\"]\n";

/// A feed of two pages under a tag.
pub(super) fn site() -> Site {
    Site::open(|_, path| match path {
        "/feed" => {
            let two = "/feed?paged=2".to_owned();
            Says::Tagged(page(1, &[("next", two.clone()), ("last", two)]))
        }
        "/feed?paged=2" => Says::Page(page(2, &[])),
        _ => Says::Status(404),
    })
}

fn feed(house: &House) -> Value {
    house.get("/api/v1/research/feeds").is(200).json()[0].clone()
}

/// Has what is due read, and waits until something else came of it than before.
fn read_now(house: &House, before: &str) -> Value {
    until("the feed was read", || {
        house.command("/api/v1/schedules/feeds_due/run", "").is(200);
        feed(house)["outcome"] != before
    });
    feed(house)
}

#[test]
fn a_feed_that_is_added_is_read_again_and_again_until_it_is_removed() {
    let site = site();
    let house = House::of_the_program(OPEN);
    let wish = |kind: &str, url: &str| json!({"kind": kind, "url": url, "every_h": 24}).to_string();
    let add = |body: &str| house.command("/api/v1/research/feeds", body);
    add(&wish("episode", &site.url("/feed"))).is(200);
    let first = read_now(&house, "");
    let told = "2 pages: 2 new episodes, 0 changed, 0 as before";
    assert_eq!((&first["outcome"], &first["is_well"]), (&json!(told), &json!(true)), "{first}");
    let episodes = || house.get("/api/v1/research/episodes").is(200).json()["results"].clone();
    let known = episodes();
    assert_eq!(known.as_array().unwrap().len(), 2, "{known}");

    // Nothing has changed: one call, and nothing else.
    site.forget();
    house.command("/api/v1/research/feeds/1/read", "").is(200);
    let second = read_now(&house, told);
    assert_eq!(second["outcome"], "nothing has changed since it was last read");
    assert_eq!(site.asked(), ["/feed"]);
    assert_eq!(episodes()[0]["first_curated_at"], known[0]["first_curated_at"]);

    // Looked at, added to and removed on its page.
    house.person("ann@archive.example", Role::Admin);
    let ann = house.sign_in("ann@archive.example");
    let look = || house.ask(&get("/research/feeds").with("cookie", &*ann)).is(200).text();
    let send = |path: &str, body: &str| house.ask(&post(path, body).with("cookie", &*ann));
    assert!(look().contains("nothing has changed since"), "{}", look());
    let bad = send("/research/feeds", "url=ftp://a.org/x&kind=clip&every_h=1").is(422).text();
    assert!(bad.contains("value=\"ftp://a.org/x\"") && bad.contains("http://"), "{bad}");
    send("/research/feeds/1/remove", "").is(303);
    assert_eq!(house.get("/api/v1/research/feeds").json(), json!([]));
    send("/research/feeds/1/remove", "").is(404);
    assert_eq!(episodes().as_array().unwrap().len(), 2, "what it has listed stays");
    for (body, status) in [
        (wish("episode", "nowhere"), 422),
        (wish("film", "https://a.org/"), 400),
        (json!({"kind": "clip", "url": "https://a.org/", "every_h": 0}).to_string(), 422),
    ] {
        add(&body).is(status);
    }
}

#[test]
fn a_feed_that_cannot_be_read_is_told_with_its_reason_and_blocks_nothing() {
    let site = site();
    let house = House::of_the_program("[research]\nresearchers = 0\n");
    let wish = json!({"kind": "clip", "url": site.url("/feed?key=secret"), "every_h": 1});
    house.command("/api/v1/research/feeds", &wish.to_string()).is(200);
    let told = read_now(&house, "");
    assert_eq!(told["is_well"], false, "{told}");
    let outcome = told["outcome"].as_str().unwrap();
    assert!(outcome.contains("research.own_networks") && !outcome.contains("secret"), "{outcome}");
    assert_eq!(site.asked(), [""; 0]);
    let items = house.get("/api/v1/items?flow=curate").is(200).text();
    assert!(!items.contains("Suspended") && !items.contains("Failed"), "{items}");
}

#[test]
fn a_feed_of_which_something_was_left_out_is_not_well_until_that_is_put_right() {
    let is_whole = Arc::new(AtomicBool::new(false));
    let whole = Arc::clone(&is_whole);
    let silent = "<item><title>Silent</title></item></channel>";
    let sloppy = "Sun, 28 Feb 2021 8:00 am";
    let site = Site::open(move |_, _| {
        let good = page(1, &[]).replace("Sun, 28 Feb 2021 08:00:00 GMT", sloppy);
        match whole.load(Ordering::Relaxed) {
            true => Says::Page(good),
            false => Says::Tagged(good.replace("</channel>", silent)),
        }
    });
    let house = House::of_the_program(OPEN);
    let wish = json!({"kind": "episode", "url": site.url("/feed"), "every_h": 24}).to_string();
    house.command("/api/v1/research/feeds", &wish).is(200);
    let first = read_now(&house, "");
    let outcome = first["outcome"].as_str().unwrap().to_owned();
    assert_eq!(first["is_well"], false, "{first}");
    assert!(
        outcome.contains("1 new episode") && outcome.contains("; 1 entry was left out"),
        "{outcome}"
    );
    assert!(outcome.contains("the item has no enclosure"), "{outcome}");
    assert!(outcome.contains("put right: 1") && outcome.contains(sloppy), "{outcome}");
    let episode = house.get("/api/v1/research/episodes").is(200).json()["results"][0].clone();
    assert_eq!(episode["date_aired"], "2021-02-28T08:00:00.000Z");
    // What has not changed is not read again, and is no better for that.
    house.command("/api/v1/research/feeds/1/read", "").is(200);
    let second = read_now(&house, &outcome);
    let told = second["outcome"].as_str().unwrap();
    assert_eq!(second["is_well"], false, "{second}");
    assert_eq!(told, format!("nothing has changed since it was last read: {outcome}"));
    house.person("ann@archive.example", Role::Admin);
    let ann = house.sign_in("ann@archive.example");
    let look = house.ask(&get("/research/feeds").with("cookie", &*ann)).is(200).text();
    assert!(look.contains("Incomplete") && look.contains("1 entry was left out"), "{look}");
    is_whole.store(true, Ordering::Relaxed);
    house.command("/api/v1/research/feeds/1/read", "").is(200);
    let third = read_now(&house, told);
    assert_eq!(third["is_well"], true, "{third}");
}

#[test]
fn a_feed_is_read_again_when_its_site_asks_and_not_before() {
    let site = Site::open(|_, _| Says::Later(503, "7200"));
    let house = House::of_the_program(OPEN);
    let wish = json!({"kind": "episode", "url": site.url("/feed"), "every_h": 24}).to_string();
    house.command("/api/v1/research/feeds", &wish).is(200);
    let told = read_now(&house, "");
    assert!(told["outcome"].as_str().unwrap().contains("asks to wait 2 hours"), "{told}");
    let moment = |key: &str| Timestamp::parse(told[key].as_str().unwrap()).unwrap();
    assert_eq!(moment("next_at").since(moment("read_at")), Duration::from_secs(7200));
}

#[test]
fn a_feed_is_read_at_once_by_a_command() {
    let site = site();
    let (folder, data) = folder();
    drop(open(&data));
    let config = folder.path().join("strongroom.toml");
    byteio::durable::write(&config, OPEN.as_bytes(), false).unwrap();
    let config = config.to_str().unwrap();
    let add = |url: &str, more: &[&str]| {
        let command = ["research", "add-episodes", url, "--config", config];
        ran(program(&data, &[&command[..], more].concat()))
    };
    let told = add(&site.url("/feed"), &[]).is(0);
    assert!(told.out.contains("2 pages: 2 new episodes, 0 changed"), "{told:?}");
    let again = add(&site.url("/feed"), &["--json"]).is(0).json();
    assert_eq!((&again["pages"], &again["same"]), (&json!(2), &json!(2)), "{again}");
    add(&site.url("/nothing"), &[]).is(2).refused("the other side answered 404");
    // The same where it is served: what is read here is added there.
    let house = House::configured(OPEN);
    let there = ["research", "add-clips", &site.url("/feed"), "--config", config];
    let told = ran(program(&house.data(), &there)).is(0);
    assert!(told.out.contains("2 new clips"), "{told:?}");
    let clips = house.get("/api/v1/research/clips").is(200).json();
    assert_eq!(clips["results"].as_array().unwrap().len(), 2, "{clips}");
    let closed = ["research", "add-clips", &site.url("/feed")];
    ran(program(&data, &closed)).is(2).refused("research.own_networks");
}
