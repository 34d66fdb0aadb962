//! Answers that come piece by piece: live events and exports.

use std::io::BufRead;

use storage::clock::{Clock, SystemClock};

use crate::house::{DEADLINE, House};
use crate::wire::{self, get};

/// Reads events until one satisfies; its data.
fn event(stream: &mut impl BufRead, name: &str, fits: impl Fn(&serde_json::Value) -> bool) {
    let clock = SystemClock::start();
    let (mut line, mut current) = (String::new(), String::new());
    while clock.steady() < DEADLINE {
        line.clear();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended before {name}");
        if let Some(event) = line.trim().strip_prefix("event:") {
            current = event.trim().to_owned();
        }
        if let Some(data) = line.trim().strip_prefix("data:")
            && current == name
            && fits(&serde_json::from_str(data.trim()).unwrap())
        {
            return;
        }
    }
    panic!("no {name} in time");
}

#[test]
fn the_live_stream_tells_progress_and_changes() {
    let house = House::new();
    let (head, mut stream) = wire::open(house.address(), &house.with_key(&get("/live")));
    assert_eq!(head.status, 200);
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
    let id = house.push("slow-20000");
    event(&mut stream, "changed", |_| true);
    let of_item = |told: &serde_json::Value, fits: &dyn Fn(&serde_json::Value) -> bool| {
        told.as_array().unwrap().iter().any(|it| it["item"] == id && fits(it))
    };
    event(&mut stream, "progress", |told| {
        of_item(told, &|it| it["total"] == 20_000 && it["done"].as_u64() > Some(0))
    });
    house.command(&format!("/api/v1/items/{id}/cancel"), "").is(200);
    event(&mut stream, "progress", |told| told.as_array().unwrap().is_empty());
    event(&mut stream, "changed", |_| true);
}

#[test]
fn pages_that_watch_beyond_the_limit_are_told_to_refresh_by_themselves() {
    let house = House::new();
    let watching: Vec<_> =
        (0..64).map(|_| wire::open(house.address(), &house.with_key(&get("/live")))).collect();
    assert!(watching.iter().all(|(head, _)| head.status == 200));
    house.get("/live").is(503);
    // The rest of the house is not in their way.
    house.get("/health").is(200);
    drop(watching);
    crate::house::until("a place is free again", || {
        wire::open(house.address(), &house.with_key(&get("/live"))).0.status == 200
    });
}

#[test]
fn an_export_is_what_the_desk_has_line_by_line() {
    let house = House::new();
    for name in ["reject", "fatal", "ok"] {
        house.bring(name, if name == "ok" { "finished" } else { "parked" });
    }
    for n in 0..300 {
        house.push(&format!("ok-{n}-{}", "x".repeat(400)));
    }
    house.post("/queues/pause", "").is(303);
    crate::house::until("all is at rest", || {
        house.app().mirror.copy().unwrap();
        let queues = house.get("/api/v1/queues").json();
        queues.as_array().unwrap().iter().all(|row| row["in_flight"] == 0)
    });
    let desk = house.app().desk();
    for part in strongroom::desk::Desk::tables().iter().copied().chain(["work"]) {
        let reply = house.get(format!("/api/v1/export/{part}")).is(200);
        assert_eq!(reply.header("content-type"), Some("application/jsonl"));
        let mut known = Vec::new();
        let lines = match part {
            "work" => desk.export_work(&mut known),
            table => desk.export_table(table, &mut known),
        };
        let lines = lines.unwrap();
        assert_eq!(reply.text(), String::from_utf8(known).unwrap(), "{part}");
        let parsed = reply.text().lines().map(serde_json::from_str::<serde_json::Value>).count();
        assert_eq!(parsed as u64, lines, "{part}");
        println!("{part}: {lines} lines, {} bytes", reply.body.len());
    }
}
