//! Researchers that are late, double, in others' shoes, or live in another hour.

use std::time::Duration;

use serde_json::{Value, json};
use soundmatch::ANALYST_VERSION;
use storage::clock::{Clock, SystemClock, Timestamp};
use strongroom::researcher::{Bench, InHouse, Office, Wish, research};

use super::{Shelf, add, found, sound};
use crate::house::House;

fn furnished(shelf: &Shelf, clips: u64) -> House {
    let house = House::configured(&shelf.toml(""));
    let clip = |number: u64| shelf.put(&format!("clip-{number}.wav"), &sound::clip(number));
    add(&house, "clips", &(1..=clips).map(clip).collect::<Vec<_>>());
    let bytes = sound::episode(1, 6.0, &[(1, 2.0)]);
    add(&house, "episodes", &[shelf.put("show.wav", &bytes)]);
    house
}

fn claim(house: &House, name: &str) -> Value {
    let wish = json!({"researcher": name, "analyst": ANALYST_VERSION}).to_string();
    house.command("/api/v1/research/work", &wish).is(200).json()["work"].clone()
}

/// Tells that a clip is not in the episode; what became of the result and of the lease.
fn tell(house: &House, name: &str, lease: &Value, clip: u32) -> (Value, Value) {
    let report = json!({
        "lease": lease, "episode": 1, "clip": clip, "analyst": ANALYST_VERSION,
        "result": {"outcome": "searched", "occurrences": []},
    });
    let wish = json!({"researcher": name, "report": report}).to_string();
    let told = house.command("/api/v1/research/results", &wish).is(200).json();
    (told["recorded"].clone(), told["lease"]["state"].clone())
}

#[test]
fn results_that_come_twice_or_under_the_lease_of_another_are_kept_and_disturb_nobody() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()), 3);
    let lease = claim(&house, "ann")["lease"].clone();
    let out = || house.get("/api/v1/research/leases").is(200).json()[0].clone();
    let words = |recorded: &str, state: &str| (json!(recorded), json!(state));
    assert_eq!(tell(&house, "ann", &lease, 1), words("new", "extended"));
    assert_eq!(tell(&house, "ann", &lease, 1), words("again", "extended"), "told twice");
    let before = out();
    // Bob says something under Ann's lease: it is recorded, and the lease stays Ann's as it was.
    assert_eq!(tell(&house, "bob", &lease, 2), words("new", "not-theirs"));
    assert_eq!(tell(&house, "bob", &json!("r9-9-9"), 2), words("again", "not-theirs"));
    assert_eq!(out(), before);
    let finish = |name: &str| {
        let path = format!("/api/v1/research/leases/{}/finish", lease.as_str().unwrap());
        house.command(&path, &json!({"researcher": name}).to_string()).is(200).json()
    };
    assert_eq!(finish("bob"), json!({"ended": false}));
    let beat = json!({"researcher": "bob", "lease": lease}).to_string();
    let beat = house.command("/api/v1/research/heartbeat", &beat).is(200).json();
    assert_eq!(beat["expires"], Value::Null, "{beat}");
    assert_eq!(out(), before);
    // Taken away from her, her results are still wanted.
    let path = format!("/api/v1/research/leases/{}/revoke", lease.as_str().unwrap());
    house.command(&path, "").is(200);
    assert_eq!(tell(&house, "ann", &lease, 3), words("new", "not-theirs"));
    let told = house.get("/api/v1/research/episodes/1").is(200).json();
    assert_eq!(told["searched_count"], 3, "{told}");
    assert_eq!(claim(&house, "bob"), Value::Null, "nothing is left to do");
}

/// A clock that is wrong by an hour.
struct Wrong {
    clock: SystemClock,
    fast: bool,
}

impl Clock for Wrong {
    fn now(&self) -> Timestamp {
        let hour = 3_600_000;
        let now = self.clock.now().0;
        Timestamp(if self.fast { now + hour } else { now - hour })
    }

    fn steady(&self) -> Duration {
        self.clock.steady()
    }
}

#[test]
fn a_researcher_whose_clock_is_an_hour_off_does_its_work_all_the_same() {
    for fast in [true, false] {
        let dir = tempfile::tempdir().unwrap();
        let house = furnished(&Shelf::at(dir.path()), 2);
        let (office, bench) = (InHouse::new(house.app(), "elsewhere"), Bench::new(1));
        let clock = Wrong { clock: SystemClock::start(), fast };
        let work = office.next_work().unwrap().unwrap();
        let done = research(&office, (&bench, &clock), &work, &|| Wish::GoOn);
        assert_eq!((done.searched, done.lost, done.delivered.taken), (2, false, 2), "{done:?}");
        let told = house.get("/api/v1/research/episodes/1").is(200).json();
        assert_eq!(found(&told), [(1, 2.0)], "{told}");
        // What is written down is the time of the house.
        let at = told["found"][0]["recorded_at"].as_str().unwrap().to_owned();
        let off = house.app().shop.clock.now().since(Timestamp::parse(&at).unwrap());
        assert!(off < Duration::from_secs(600), "{at}");
    }
}

#[test]
fn results_that_heard_another_recording_or_are_from_another_house_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = furnished(&shelf, 1);
    super::search_all(&house);
    let before = house.get("/api/v1/research/episodes/1").is(200).json();
    assert_eq!(found(&before), [(1, 2.0)], "{before}");
    let facts = json!({"duration_ns": 5, "sha256": "ab".repeat(32), "peaks": [-1, 1]});
    let report = json!({
        "lease": "r9-9-9", "episode": 1, "clip": 1, "analyst": ANALYST_VERSION + 1,
        "result": {"outcome": "searched", "occurrences": []},
        "episode_facts": facts, "clip_facts": facts,
    });
    let mut wish = json!({"researcher": "mallory", "report": report});
    let refused = |wish: &Value, words: &str| {
        let told = house.command("/api/v1/research/results", &wish.to_string());
        let text = told.text();
        assert!((400..500).contains(&told.status) && text.contains(words), "{text}");
        assert_eq!(house.get("/api/v1/research/episodes/1").is(200).json(), before);
    };
    refused(&wish, "another recording");
    wish["report"]["episode_facts"]["sha256"] = before["episode"]["sha256"].clone();
    refused(&wish, "another recording");
    wish["report"]["house"] = json!("elsewhere");
    refused(&wish, "another house");
}

#[test]
fn search_again_searches_whatever_has_searched_it_before() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = furnished(&shelf, 2);
    super::search_all(&house);
    for path in ["episodes/1", "clips/2"] {
        assert_eq!(claim(&house, "ann"), Value::Null, "nothing is left to do");
        house.command(&format!("/api/v1/research/{path}/again"), "{}").is(200);
        let told = house.get("/api/v1/research/episodes/1").is(200).json();
        assert_eq!(found(&told), [(1, 2.0)], "it stays until then: {told}");
        let work = claim(&house, "ann");
        let count = if path == "clips/2" { 1 } else { 2 };
        assert_eq!(work["clips"].as_array().map(Vec::len), Some(count), "{work}");
        let lease = work["lease"].as_str().unwrap();
        house.command(&format!("/api/v1/research/leases/{lease}/revoke"), "").is(200);
        super::search_all(&house);
    }
}
