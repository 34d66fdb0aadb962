//! Health over the wire: well, unwell in each of its forms, and in time while every core is busy.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use storage::clock::{Clock, SystemClock};

use crate::house::{House, TOPICS, push, until};
use crate::wire::{self, Reply, get};

/// What is promised of every answer.
const IN_TIME: Duration = Duration::from_millis(100);
const REQUESTS: usize = 50;

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Waits until `/health` says 503 and returns what it says.
fn unwell(house: &House) -> Value {
    until("/health says 503", || house.get("/health").status == 503);
    house.get("/health").is(503).json()
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn well_in_the_described_form() {
    let house = House::new();
    // Every stage has to show its first sign of life.
    until("it is ready", || house.get("/health/ready").status == 200);
    let reply = house.get("/health").is(200);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let (text, document) = (reply.text(), reply.json());
    assert_eq!(text, format!("{document}\n"), "compact, keys sorted, one line");
    assert_eq!(keys(&document), ["details", "service", "status"]);
    assert_eq!((&document["service"], &document["status"]), (&json!("strongroom"), &json!("ok")));
    let details = &document["details"];
    let mut expected = vec!["heartbeat_age_seconds", "is_long_task_running"];
    expected.extend(TOPICS);
    assert_eq!(keys(details), expected);
    let mine = ["healthy", "heartbeat_age_seconds", "is_long_task_running"];
    for topic in TOPICS {
        assert_eq!(keys(&details[topic]), mine);
        let age = details[topic]["heartbeat_age_seconds"].as_f64().unwrap();
        assert!((age * 100.0 - (age * 100.0).round()).abs() < 1e-6, "two decimals: {age}");
    }
    assert_eq!(house.get("/health/live").is(200).json(), json!({"status": "alive"}));
    let ready = house.get("/health/ready").json();
    assert_eq!(ready, json!({"status": "ready", "troubles": [], "waiting": []}));
    let pools = house.get("/health/pools").is(200).json();
    assert_eq!(pools["cpu"], json!({"saturation": 0.0, "threads": 2}));
    assert_eq!(keys(&pools), ["cpu", "disk", "geo", "net"]);
    assert_eq!(house.get("/version").json()["version"], env!("CARGO_PKG_VERSION"));
    house.ask(&get("/health").method("HEAD")).is(200);
}

#[test]
fn a_stage_that_hangs_is_overtime_after_its_patience_times_the_buffer() {
    let patience = "[stage.test02_check]\npatience_s = 1\n";
    let mut house = House::closed(patience, &[("TASK_TIMEOUT_BUFFER", "1.5".to_owned())]);
    house.start();
    let id = house.push("hang");
    house.until_held(1);
    let clock = SystemClock::start();
    let document = unwell(&house);
    assert!(clock.steady() > Duration::from_millis(1400), "not before its time");
    assert_eq!(
        (&document["status"], &document["reason"]),
        (&json!("unavailable"), &json!("worker is overtime"))
    );
    let details = &document["details"];
    for about in [details, &details[TOPICS[1]]] {
        assert_eq!(about["effective_timeout_seconds"].to_string(), "1.5");
        assert_eq!(about["is_long_task_running"], true);
        assert_eq!(about["is_overtime"], true);
        assert_eq!(about["healthy"], false);
        assert_eq!(about["ready"], true);
        assert_eq!(about["worker_status_flag"], 1);
    }
    assert_eq!(details[TOPICS[0]]["healthy"], true, "the others are well");
    assert!(house.get("/").text().contains("test02_check: worker is overtime"));
    assert!(house.get("/queues").text().contains("Not well"));
    // It is alive and ready all the same: a restart would not help the item.
    house.get("/health/live").is(200);
    house.get("/health/ready").is(200);
    assert_eq!(house.get("/health/pools").json()["cpu"]["saturation"], 0.5);
    assert!(house.get("/metrics").text().contains("\nstrongroom_healthy 0\n"));

    house.let_go();
    house.until_state(id, "finished");
    until("it is well again", || house.get("/health").status == 200);
}

#[test]
fn stopped_workers_are_named_and_after_the_heartbeat_timeout_overtime_too() {
    let vars = [("HEARTBEAT_TIMEOUT", "6".to_owned())];
    let mut house = House::closed("", &vars);
    house.start();
    // Every worker has shown a sign of life: one that never did would be overtime from the start.
    until("it is well", || house.get("/health").status == 200);
    house.app().shop.ask_to_stop();
    until("the workers have stopped", || {
        house.get("/health").json()["reason"] == "worker status is 0 (expected 1)"
    });
    until("they are silent for too long", || {
        house.get("/health").json()["reason"]
            == "worker status is 0 (expected 1), worker is overtime"
    });
    let details = house.get("/health").is(503).json()["details"].clone();
    assert_eq!(details["effective_timeout_seconds"].to_string(), "6");
    assert_eq!(
        (&details["worker_status_flag"], &details["is_overtime"]),
        (&json!(0), &json!(true))
    );
    assert!(details["heartbeat_age_seconds"].as_f64() >= Some(6.0), "{details}");
}

#[test]
fn the_health_port_serves_health_and_nothing_else() {
    let port = free_port();
    let mut house = House::closed("", &[("HEALTH_PORT", port.to_string())]);
    house.start();
    let address = house.appliance().health_address().unwrap();
    assert_eq!((address.port(), address.ip().is_loopback()), (port, true));
    let ask =
        |path: &str| wire::send(([127, 0, 0, 1], port).into(), &get(path).with("host", "10.1.2.3"));
    until("it is well", || ask("/health").status == 200);
    let document = ask("/health").is(200).json();
    assert_eq!(keys(&document["details"]), keys(&house.get("/health").json()["details"]));
    ask("/health/live").is(200);
    ask("/health/pools").is(200);
    for path in ["/", "/items", "/metrics", "/api/v1/queues", "/live"] {
        assert_eq!(ask(path).is(404).code(), "not-found");
    }
    let post = get("/health").method("POST");
    assert_eq!(wire::send(([127, 0, 0, 1], port).into(), &post).is(405).code(), "wrong-method");
}

#[test]
fn a_disk_without_room_stops_work_and_says_so() {
    let house = House::configured("[work]\nroom_floor_mb = 1000000000\n");
    until("that alone is wrong", || {
        house.get("/health").json()["reason"] == "the disk has no room, no work is taken"
    });
    assert_eq!(house.get("/health").is(503).json()["details"]["healthy"], false);
    let ready = house.get("/health/ready").is(503).json();
    assert_eq!(ready["troubles"], json!(["the disk has no room, no work is taken"]));
    house.get("/health/live").is(200);
    for page in ["/", "/queues", "/items"] {
        let text = house.get(page).is(200).text();
        assert!(text.contains("(work.room_floor_mb): no new work is taken"), "{page}");
    }
    // A second pair of eyes: the bell has rung for it, and nobody came.
    let id = house.push("ok");
    let beats = |reply: Reply| reply.json()["details"][TOPICS[0]]["heartbeat_age_seconds"].as_f64();
    until("the workers have looked", || beats(house.get("/health")) < Some(0.5));
    assert_eq!(house.state(id), "ready");
}

#[test]
fn metrics_are_prometheus_text() {
    let house = House::new();
    house.bring("ok", "finished");
    house.bring("fatal", "parked");
    let reply = house.get("/metrics").is(200);
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let text = reply.text();
    assert!(text.ends_with('\n'));
    let (mut kinds, mut series) = (BTreeSet::new(), BTreeSet::new());
    let mut current = String::new();
    for line in text.lines() {
        let words: Vec<_> = line.splitn(4, ' ').collect();
        match words[..] {
            ["#", "HELP", name, help] => {
                assert!(!help.is_empty() && kinds.insert(name.to_owned()), "{line}");
                current = name.to_owned();
            }
            ["#", "TYPE", name, kind] => {
                assert_eq!(name, current);
                assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
            }
            [key, value] => {
                let (name, labels) = key.split_once('{').unwrap_or((key, "}"));
                assert_eq!(name, current, "a sample stands under its own head");
                assert!(value.parse::<f64>().is_ok_and(f64::is_finite), "{line}");
                assert!(series.insert(key.to_owned()), "twice: {key}");
                let labels = labels.strip_suffix('}').unwrap();
                let quoted = |it: &str| {
                    it.split_once('=').is_some_and(|(_, v)| v.starts_with('"') && v.ends_with('"'))
                };
                assert!(labels.is_empty() || labels.split(',').all(quoted), "{line}");
            }
            _ => panic!("not Prometheus: {line}"),
        }
    }
    let parked = "strongroom_items_parked{flow=\"test\",topic=\"test02_check\"} 1\n";
    assert!(text.contains(parked) && text.contains("\nstrongroom_healthy 1\n"), "{text}");
}

/// Processes at normal priority that do nothing but use a core each; ended when dropped.
struct Spinners(Vec<Child>);

impl Spinners {
    fn start(count: usize) -> Spinners {
        let spin = || {
            Command::new("sh")
                .args(["-c", "while :; do :; done"])
                .stdin(Stdio::null())
                .spawn()
                .unwrap()
        };
        Spinners((0..count).map(|_| spin()).collect())
    }
}

impl Drop for Spinners {
    fn drop(&mut self) {
        for child in &mut self.0 {
            child.kill().ok();
            child.wait().ok();
        }
    }
}

#[test]
fn health_answers_in_time_while_spinners_to_be_killed_fill_every_core() {
    let cores = std::thread::available_parallelism().unwrap().get();
    let port = free_port();
    let toml = format!("[pool]\ncpu = {}\n", 2 * cores);
    let mut house = House::closed(&toml, &[("HEALTH_PORT", port.to_string())]);
    house.start();
    // Two attempts that fill a pool of twice as many threads as there are cores, other processes
    // that do the same at normal priority, and items that keep the work state writing.
    until("it is well", || house.get("/health").status == 200);
    let spinning = [house.push("spin-1"), house.push("spin-2")];
    house.until_held(2 * cores);
    let _others = Spinners::start(2 * cores);
    let queue = std::sync::Arc::clone(&house.app().shop.queue);
    let strings = std::sync::Arc::clone(&house.strings);
    let pusher = std::thread::spawn(move || {
        while !strings.let_go.load(std::sync::atomic::Ordering::SeqCst) {
            push(&queue, "ok");
        }
    });
    until("the pool is full", || house.get("/health/pools").json()["cpu"]["threads"] == 2 * cores);

    let clock = SystemClock::start();
    let mut took: Vec<_> = (0..REQUESTS)
        .map(|n| {
            // Spread over a second or two, to meet the machine in many moments.
            std::thread::park_timeout(Duration::from_millis(25));
            let ask = get("/health");
            let address = if n % 2 == 0 { house.address() } else { ([127, 0, 0, 1], port).into() };
            let before = clock.steady();
            wire::send(address, &ask).is(200);
            clock.steady().saturating_sub(before)
        })
        .collect();
    took.sort();
    let (worst, middle) = (took[REQUESTS - 1], took[REQUESTS / 2]);
    println!("{REQUESTS} answers while every core is busy: worst {worst:?}, middle {middle:?}");
    assert!(spinning.iter().all(|id| house.live(*id).is_some()), "they spun all the while");
    house.let_go();
    pusher.join().unwrap();
    // How long they took is the machine's; a soak has it to itself.
    let is_soak = std::env::var_os("STRONGROOM_SOAK_ROUNDS").is_some();
    assert!(!is_soak || worst < IN_TIME, "an answer took {worst:?}");
}
