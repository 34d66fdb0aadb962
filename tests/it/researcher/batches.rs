//! Results go together, so that many researchers behind one address ask little of the appliance.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};

use serde_json::{Value, json};
use soundmatch::ANALYST_VERSION;
use storage::registry::Role;

use super::{Shelf, add, found, sound, tokens};
use crate::command::{folder, program, ran};
use crate::house::House;
use crate::wire::post;

const CLIPS: u64 = 30;
const BATCH: &str = "/api/v1/research/results/batch";
const SINGLE: &str = "/api/v1/research/results";

/// A way to an appliance that remembers what was asked for, and may refuse to know an address.
struct Relay {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Relay {
    fn open(to: SocketAddr, unknown: &'static str) -> Relay {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, closed) = (Arc::<Mutex<Vec<String>>>::default(), Arc::<AtomicBool>::default());
        let (log, over) = (Arc::clone(&asked), Arc::clone(&closed));
        let thread = spawn(move || {
            while let Ok((stream, _)) = listener.accept() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                let log = Arc::clone(&log);
                // Either side may go away at any time.
                spawn(move || pass(stream, (to, unknown), &log).ok());
            }
        });
        Relay { address, asked, closed, thread: Some(thread) }
    }

    fn count(&self, path: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|it| *it == path).count()
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Relaxed);
        drop(TcpStream::connect(self.address));
        self.thread.take().map(JoinHandle::join);
    }
}

/// Passes one call on: whoever calls opens a connection for each.
fn pass(
    mut from: TcpStream,
    (to, unknown): (SocketAddr, &str),
    log: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut first = vec![0; 1 << 16];
    let read = from.read(&mut first)?;
    let line = String::from_utf8_lossy(&first[..read]);
    let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
    log.lock().unwrap().push(path.clone());
    if path == unknown {
        return from.write_all(
            b"HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
        );
    }
    let mut there = TcpStream::connect(to)?;
    there.write_all(&first[..read])?;
    let (mut up, mut down) = (from.try_clone()?, there.try_clone()?);
    let upward = spawn(move || {
        std::io::copy(&mut up, &mut there).ok();
        there.shutdown(Shutdown::Write).ok();
    });
    std::io::copy(&mut down, &mut from).ok();
    from.shutdown(Shutdown::Both).ok();
    upward.join().ok();
    Ok(())
}

/// An appliance with one episode and many clips, of which two occur in it.
fn furnished(shelf: &Shelf) -> House {
    let house = House::configured(&shelf.toml("researchers = 0"));
    let clip = |number: u64| shelf.put(&format!("clip-{number}.wav"), &sound::clip(number));
    add(&house, "clips", &(1..=CLIPS).map(clip).collect::<Vec<_>>());
    let bytes = sound::episode(1, 6.0, &[(1, 1.0), (3, 3.5)]);
    add(&house, "episodes", &[shelf.put("show.wav", &bytes)]);
    house
}

/// Has all of it searched by a researcher in a process of its own, over a relay.
fn worked(house: &House, unknown: &'static str) -> Relay {
    let relay = Relay::open(house.address(), unknown);
    let (_folder, data) = folder();
    let server = format!("http://{}", relay.address);
    let mut command =
        program(&data, &["research", "work", "--once", "--server", &server, "--threads", "1"]);
    command.env("STRONGROOM_TOKEN", house.key());
    let said = ran(command).is(0);
    assert!(said.out.contains(&format!("searched {CLIPS} clips, found 2, 0 failed")), "{said:?}");
    assert_eq!(house.get("/api/v1/research").json()["searched_pairs"], CLIPS);
    let told = house.get("/api/v1/research/episodes/1").json();
    assert_eq!(found(&told), [(1, 1.0), (3, 3.5)], "{told}");
    let history = house.get("/api/v1/research/history").json();
    assert_eq!(history["results"][0]["ending"], "finished", "{history}");
    relay
}

#[test]
fn a_researcher_elsewhere_tells_its_results_together() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()));
    let relay = worked(&house, "nothing is unknown");
    let (batches, singles) = (relay.count(BATCH), relay.count(SINGLE));
    assert!((1..=10).contains(&(batches + singles)), "{batches} batches and {singles} singles");
}

#[test]
fn an_appliance_that_takes_results_one_by_one_gets_them_so() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()));
    let relay = worked(&house, BATCH);
    assert_eq!(relay.count(BATCH), 1, "asked once");
    assert_eq!(relay.count(SINGLE), usize::try_from(CLIPS).unwrap());
}

/// A report that a clip is not in the episode.
fn report(lease: &Value, clip: u64) -> Value {
    json!({"lease": lease, "episode": 1, "clip": clip, "analyst": ANALYST_VERSION,
        "result": {"outcome": "searched", "occurrences": []}})
}

fn claim(house: &House, name: &str) -> Value {
    let wish = json!({"researcher": name, "analyst": ANALYST_VERSION}).to_string();
    house.command("/api/v1/research/work", &wish).is(200).json()["work"]["lease"].clone()
}

fn batch(name: &str, reports: &[Value]) -> String {
    json!({"researcher": name, "reports": reports}).to_string()
}

#[test]
fn each_result_of_a_batch_is_recorded_or_rejected_for_itself() {
    let dir = tempfile::tempdir().unwrap();
    let house = furnished(&Shelf::at(dir.path()));
    let lease = claim(&house, "ann");
    let send = |reports: &[Value]| house.command(BATCH, &batch("ann", reports));
    let reports = [report(&lease, 1), report(&lease, 999), report(&lease, 2), report(&lease, 1)];
    let told = send(&reports).is(200).json();
    let words = |at: usize, key: &str| told["results"][at][key].clone();
    assert_eq!((words(0, "outcome"), words(0, "recorded")), (json!("recorded"), json!("new")));
    assert_eq!(words(1, "outcome"), "rejected");
    assert!(words(1, "why").as_str().unwrap().contains("clip 999"), "{told}");
    assert_eq!(
        (words(2, "recorded"), words(2, "lease")["state"].clone()),
        (json!("new"), json!("extended"))
    );
    assert_eq!(words(3, "recorded"), "again", "{told}");
    // All of it once more, as when the answer was lost.
    let again = send(&reports).is(200).json();
    assert_eq!(again["results"][0]["recorded"], "again", "{again}");
    assert_eq!(house.get("/api/v1/research").json()["searched_pairs"], 2);
    let many: Vec<Value> = (0..101).map(|_| report(&lease, 3)).collect();
    for (body, status) in [
        (batch("ann", &[]), 422),
        (batch("ann", &many), 422),
        (batch("", &[report(&lease, 3)]), 422),
        ("{\"researcher\": \"ann\"}".into(), 400),
        (batch("ann", &[json!({"lease": 7})]), 400),
    ] {
        let refused = house.command(BATCH, &body).is(status);
        assert!(!refused.json()["detail"].as_str().unwrap().is_empty(), "{}", refused.text());
    }
    assert_eq!(house.get("/api/v1/research").json()["searched_pairs"], 2, "nothing else was kept");
    // The last one ends the lease.
    let mut rest: Vec<Value> = (3..=CLIPS).map(|clip| report(&lease, clip)).collect();
    rest.last_mut().unwrap()["is_final"] = json!(true);
    let told = send(&rest).is(200).json();
    assert_eq!(told["results"].as_array().unwrap().last().unwrap()["lease"]["state"], "ended");
}

#[test]
fn researchers_behind_one_address_tell_more_results_a_minute_than_it_may_ask_requests() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let limits = "researchers = 0\nclips = 10\n[http]\ntrusted_proxies = [\"127.0.0.1\"]\n\
        requests_per_minute = 3\n";
    let house = House::configured(&shelf.toml(limits));
    let clip = |number: u64| shelf.put(&format!("clip-{number}.wav"), b"never opened");
    add(&house, "clips", &(1..=CLIPS).map(clip).collect::<Vec<_>>());
    add(&house, "episodes", &[shelf.put("show.wav", b"never opened")]);
    house.person(tokens::ANN, Role::Admin);
    let (_, token) = tokens::token(&house, "research");
    let behind = |path: &str, body: String| {
        let ask = post(path, body).with("x-forwarded-for", "203.0.113.5");
        tokens::ask(&house, &token, ask.with("x-forwarded-proto", "https"))
    };
    let names = ["ann", "bob", "cyd"];
    let leases = names.map(|name| tokens::claim(&house, &token, name)["lease"].clone());
    for ((at, name), lease) in (0..).zip(names).zip(&leases) {
        let clips = at * 10 + 1..=at * 10 + 10;
        let reports: Vec<Value> = clips.map(|clip| report(lease, clip)).collect();
        behind(BATCH, batch(name, &reports)).is(200);
    }
    assert_eq!(house.get("/api/v1/research").json()["searched_pairs"], CLIPS);
    let one = json!({"researcher": "ann", "report": report(&leases[0], 1)}).to_string();
    let is_limited = (0..100).any(|_| behind(SINGLE, one.clone()).status == 429);
    assert!(is_limited, "the address may ask no more than others");
}
