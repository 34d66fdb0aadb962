//! Research over the wire: a catalogue, two researchers, results that come late, a restart.

use serde_json::{Value, json};
use storage::registry::Role;

use crate::house::{House, until};
use crate::wire::{get, post};

fn recordings(word: &str, count: usize) -> String {
    let made = |number| {
        json!({
            "title": format!("{word} {number}"),
            "location": {"kind": "url", "url": format!("https://example.org/{word}/{number}.mp3")},
        })
    };
    json!({"recordings": (1..=count).map(made).collect::<Vec<_>>()}).to_string()
}

fn furnished() -> House {
    let house = House::new();
    let added =
        house.command("/api/v1/research/episodes", &recordings("episode", 2)).is(200).json();
    let told = json!({"new": 2, "changed": 0, "same": 0, "left_out": 0, "findings": []});
    assert_eq!(added, told);
    house.command("/api/v1/research/clips", &recordings("clip", 3)).is(200);
    house
}

fn work(house: &House, name: &str) -> Value {
    let wish = json!({"researcher": name, "analyst": 1}).to_string();
    house.command("/api/v1/research/work", &wish).is(200).json()["work"].clone()
}

fn result(name: &str, work: &Value, clip: usize, offsets: &[i64]) -> String {
    let at = |offset: &i64| json!({"offset_ns": offset, "extent_ns": 5, "confidence_ppm": 900_000});
    json!({"researcher": name, "report": {
        "lease": work["lease"], "episode": work["episode"]["id"],
        "clip": work["clips"][clip]["id"], "analyst": 1,
        "result": {"outcome": "searched", "occurrences": offsets.iter().map(at).collect::<Vec<_>>()},
    }})
    .to_string()
}

#[test]
fn researchers_claim_tell_and_go_on_after_a_restart() {
    let mut house = furnished();
    let ann = work(&house, "ann");
    assert_eq!(ann["clips"].as_array().unwrap().len(), 3);
    let bob = work(&house, "bob");
    assert_ne!(ann["episode"]["id"], bob["episode"]["id"]);
    let told = house.command("/api/v1/research/results", &result("ann", &ann, 0, &[7, 3])).is(200);
    assert_eq!(told.json()["recorded"], "new");
    assert_eq!(told.json()["lease"]["state"], "extended");

    house.stop();
    house.start();
    let again = work(&house, "ann");
    assert_eq!((&again["lease"], again["clips"].as_array().unwrap().len()), (&ann["lease"], 2));
    let beat = json!({"researcher": "bob", "lease": bob["lease"]}).to_string();
    let beat = house.command("/api/v1/research/heartbeat", &beat).is(200).json();
    assert!(beat["expires"].is_string(), "{beat}");
    let out = house.get("/api/v1/research/leases").is(200).json();
    let holders: Vec<_> = out.as_array().unwrap().iter().map(|it| it["holder"].clone()).collect();
    assert!(holders.contains(&json!("ann")) && holders.contains(&json!("bob")), "{out}");

    // A person takes bob's away; what he tells is recorded all the same.
    let lease = bob["lease"].as_str().unwrap();
    house.command(&format!("/api/v1/research/leases/{lease}/revoke"), "").is(200);
    house.command(&format!("/api/v1/research/leases/{lease}/revoke"), "").is(404);
    let late =
        house.command("/api/v1/research/results", &result("bob", &bob, 1, &[])).is(200).json();
    assert_eq!((&late["recorded"], &late["lease"]["state"]), (&json!("new"), &json!("not-theirs")));
    for clip in 0..2 {
        house.command("/api/v1/research/results", &result("ann", &again, clip, &[])).is(200);
    }
    let path = format!("/api/v1/research/episodes/{}", ann["episode"]["id"]);
    let episode = house.get(&path).is(200).json();
    assert_eq!((&episode["searched_count"], &episode["clip_count"]), (&json!(3), &json!(3)));
    assert_eq!(episode["found"][0]["occurrences"][0]["offset_ns"], 3);
    let history = house.get("/api/v1/research/history").is(200).json();
    assert_eq!(history["results"].as_array().unwrap().len(), 2, "{history}");
    let log = house.get("/api/v1/audit.csv").is(200).text();
    assert!(log.contains("curate-research") && log.contains("revoke-lease"), "{log}");
}

/// Numbers of research out of one answer for graphs.
fn metrics<const N: usize>(house: &House, names: [&str; N]) -> [u64; N] {
    let text = house.get("/metrics").is(200).text();
    names.map(|name| {
        let name = format!("strongroom_research_{name} ");
        let value = text.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok());
        value.unwrap_or_else(|| panic!("no {name} in {text}"))
    })
}

#[test]
fn an_autoscaler_reads_how_many_researchers_are_of_use() {
    let house = furnished();
    let pairs = || metrics(&house, ["pairs_left", "pairs_searched", "pairs_failed"]);
    assert_eq!(pairs(), [6, 0, 0]);
    assert_eq!(metrics(&house, ["leases", "researchers"]), [0, 0]);
    let ann = work(&house, "ann");
    house.command("/api/v1/research/results", &result("ann", &ann, 0, &[7])).is(200);
    until("the count of pairs is made anew", || pairs() == [5, 1, 0]);
    assert_eq!(metrics(&house, ["leases", "researchers"]), [1, 1]);
    let demand = house.get("/api/v1/research/demand").is(200).json();
    assert_eq!(demand["pairs"], json!({"left": 5, "searched": 1, "failed": 0}));
    assert_eq!((&demand["load"]["leases"], &demand["load"]["researchers"]), (&json!(1), &json!(1)));
}

#[test]
fn an_autoscaler_reads_what_is_on_offer_and_how_old_it_is() {
    let house = House::configured("[research]\nspare = 5\n");
    house.command("/api/v1/research/episodes", &recordings("episode", 6)).is(200);
    house.command("/api/v1/research/clips", &recordings("clip", 3)).is(200);
    let names = ["oldest_offer_seconds", "oldest_lease_seconds", "offers", "leases", "researchers"];
    let load = || metrics(&house, names);
    assert_eq!(load(), [0; 5]);
    assert_eq!(house.app().research.keep().unwrap().offered, 5);
    until("the offers are a second old", || load()[0] > 0);
    let (_, bob) = (work(&house, "ann"), work(&house, "bob"));
    let lease = bob["lease"].as_str().unwrap();
    house.command(&format!("/api/v1/research/leases/{lease}/revoke"), "").is(200);
    let [offer_s, lease_s, offers, leases, researchers] = load();
    assert_eq!([offers, leases, researchers], [3, 1, 2], "each is a number of its own");
    // The offers were a second old when the first was taken, and so they stay however long it takes.
    assert!(lease_s < offer_s, "{lease_s} s and {offer_s} s");
    until("the lease is a second old", || load()[1] > 0);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_sentence() {
    let house = furnished();
    let ann = work(&house, "ann");
    let strange = result("ann", &ann, 0, &[]).replace("\"episode\":1", "\"episode\":99");
    let refused = house.command("/api/v1/research/results", &strange);
    assert!([200, 404].contains(&refused.status));
    for (path, body, status) in [
        ("/api/v1/research/work", r#"{"researcher": "", "analyst": 1}"#, 422),
        ("/api/v1/research/work", r#"{"researcher": "a"}"#, 400),
        ("/api/v1/research/clips", r#"{"recordings": [{"title": "x"}]}"#, 400),
        ("/api/v1/research/episodes/77/again", "", 404),
        ("/api/v1/research/episodes/x/retry", "", 400),
    ] {
        house.command(path, body).is(status);
    }
    house.get("/api/v1/research/clips/9").is(404);
    house.get("/api/v1/research/clips?limit=0").is(400);
    let page = house.get("/api/v1/research/clips?limit=2").is(200).json();
    assert_eq!(page["next"], 2);
}

#[test]
fn recordings_that_break_a_rule_are_told_and_the_others_taken_with_places_in_words_or_parts() {
    let house = House::new();
    let add = |recordings: Value| {
        let wish = json!({"recordings": recordings}).to_string();
        house.command("/api/v1/research/clips", &wish)
    };
    let title = "t".repeat(251);
    let told = add(json!([
        {"title": "a", "location": "https://example.org/a.mp3"},
        {"title": title, "location": "/srv/b.wav"},
        {"title": "c", "location": "vault:example.org/bag#data/c.wav"},
        {"title": "d", "location": {"kind": "file", "path": "srv/d.wav"}},
    ]))
    .is(200)
    .json();
    assert_eq!((&told["new"], &told["left_out"]), (&json!(2), &json!(2)), "{told}");
    let findings = told["findings"].as_array().unwrap();
    let lines: Vec<&Value> = findings.iter().map(|it| &it["line"]).collect();
    assert_eq!(lines, [2, 4], "{told}");
    assert!(findings[1]["sentence"].as_str().unwrap().contains("the location must be"), "{told}");
    let listed = house.get("/api/v1/research/clips").is(200).json();
    let place = json!({"kind": "vault", "object": "example.org/bag", "path": "data/c.wav"});
    assert_eq!(listed["results"][1]["location"], place, "{listed}");
    // Nothing of use is refused as a whole, and so is what is no place at all.
    add(json!([{"title": "", "location": "/srv/b.wav"}])).is(422);
    for place in [json!("srv/b.wav"), json!("ftp://a.org/b"), json!(7), json!({"kind": "x"})] {
        add(json!([{"title": "e", "location": place}])).is(400);
    }
}

#[test]
fn what_was_added_by_mistake_goes_with_its_results_and_leases_and_comes_back_when_added_again() {
    let house = furnished();
    let (ann, bob) = (work(&house, "ann"), work(&house, "bob"));
    for clip in [0, 1] {
        house.command("/api/v1/research/results", &result("ann", &ann, clip, &[7])).is(200);
    }
    let removed = house.command("/api/v1/research/clips/1/remove", "").is(200).json();
    assert_eq!(removed["title"], "clip 1");
    house.command("/api/v1/research/clips/1/remove", "").is(404);
    house.get("/api/v1/research/clips/1").is(404);
    house.get("/research/clips/1/remove").is(404);
    assert_eq!(house.get("/api/v1/research/clips").json()["results"].as_array().unwrap().len(), 2);
    let path = format!("/api/v1/research/episodes/{}", ann["episode"]["id"]);
    let episode = house.get(&path).is(200).json();
    assert_eq!((&episode["searched_count"], &episode["clip_count"]), (&json!(1), &json!(2)));
    assert_eq!(episode["found"].as_array().unwrap().len(), 1, "{episode}");
    // Both had it: their leases are over, and what else they were for is offered again.
    assert_eq!(house.get("/api/v1/research/leases").json(), json!([]));
    let history = house.get("/api/v1/research/history").json();
    assert_eq!(history["results"][0]["ending"], "revoked", "{history}");
    let late = house.command("/api/v1/research/results", &result("bob", &bob, 0, &[])).is(404);
    assert!(late.text().contains("Clip 1 is not in the registry"), "{}", late.text());
    assert_eq!(work(&house, "bob")["clips"][0]["title"], "clip 3", "what ann had not told of");
    // Under its name it is the same one again, with nothing searched.
    let again = house.command("/api/v1/research/clips", &recordings("clip", 1)).is(200).json();
    assert_eq!(again["new"], 1, "{again}");
    let clip = house.get("/api/v1/research/clips/1").is(200).json();
    assert_eq!(clip["found"], json!([]), "{clip}");

    let asked = house.get("/research/episodes/2/remove").is(200).text();
    assert!(asked.contains("Remove this episode?"), "{asked}");
    house.command("/research/episodes/2/remove", "").is(303);
    house.get("/research/episodes/2").is(404);
    let progress = house.get("/api/v1/research").json();
    assert_eq!((&progress["episodes"], &progress["clips"]), (&json!(1), &json!(3)), "{progress}");
    let log = house.get("/api/v1/audit.csv").is(200).text();
    assert!(log.contains("removed clip 1") && log.contains("removed episode 2"), "{log}");
}

#[test]
fn only_administrators_take_part() {
    let house = furnished();
    house.person("ann@archive.example", Role::InstitutionalAdmin);
    let ann = house.sign_in("ann@archive.example");
    house.ask(&get("/api/v1/research/episodes").with("cookie", &*ann)).is(403);
    let wish = r#"{"researcher": "ann", "analyst": 1}"#;
    house.ask(&post("/api/v1/research/work", wish).with("cookie", &*ann)).is(403);
}
