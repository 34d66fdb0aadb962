//! Researchers in processes of their own, against a server in one: who dies, who waits, who lies.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use soundmatch::ANALYST_VERSION;
use storage::clock::{Clock, SystemClock};
use strongroom::accounts::redeem_link;

use super::{Shelf, add, found, sound, wish};
use crate::command::{Server, folder, open, program, ran, run};
use crate::house::{House, PASSWORD, until};
use crate::wire::{self, get, post};

/// A server in a process of its own, with the token of somebody who looks after it.
struct Bureau {
    data: PathBuf,
    config: PathBuf,
    server: Server,
    token: String,
}

impl Bureau {
    fn open(folder: &Path, data: &Path, toml: &str) -> Bureau {
        drop(open(data));
        let add =
            ["user", "add", "eve@archive.local", "--name", "Eve", "--role", "admin", "--json"];
        let added = run(data, &add).is(0).out;
        let link = added.split("/password?token=").nth(1).unwrap();
        let link = link.split('"').next().unwrap();
        let app = open(data);
        redeem_link(&app.registry, (link, PASSWORD), "", SystemClock::start().now()).unwrap();
        drop(app);
        let make = ["token", "create", "--user", "eve@archive.local", "--name", "research"];
        let made = run(data, &[&make[..], &["--scope", "write", "--json"]].concat()).is(0).json();
        let token = made["text"].as_str().unwrap().to_owned();
        let config = folder.join("strongroom.toml");
        byteio::durable::write(&config, toml.as_bytes(), false).unwrap();
        let server = serve(data, &config, "127.0.0.1:0");
        Bureau { data: data.into(), config, server, token }
    }

    fn address(&self) -> SocketAddr {
        self.server.address
    }

    /// Ends without a word, and comes back at the same address.
    fn dies_and_returns(&mut self) {
        let address = self.address().to_string();
        self.server.signal(Signal::KILL);
        self.server.ended();
        self.server = serve(&self.data, &self.config, &address);
    }

    fn ask(&self, ask: wire::Ask) -> wire::Reply {
        let ask = ask.with("authorization", format!("Bearer {}", self.token));
        wire::send(self.address(), &ask.without("sec-fetch-site"))
    }

    fn get(&self, path: &str) -> Value {
        self.ask(get(format!("/api/v1/research{path}"))).is(200).json()
    }

    fn add(&self, kind: &str, recordings: &[Value]) {
        self.ask(post(format!("/api/v1/research/{kind}"), wish(recordings))).is(200);
    }

    fn researcher(&self, name: &str) -> Researcher {
        let server = format!("http://{}", self.address());
        let arguments = ["research", "work", "--server", &server, "--name", name, "--threads", "1"];
        let mut command = program(&self.data, &arguments);
        command.env("STRONGROOM_TOKEN", &self.token);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Researcher { name: name.into(), child, out }
    }

    /// Stops a researcher while it has work; the name of its lease.
    fn catch(&self, researcher: &mut Researcher) -> String {
        loop {
            let lease = researcher.takes();
            researcher.signal(Signal::STOP);
            let leases = self.get("/leases");
            let held = leases.as_array().unwrap().iter().find(|it| it["lease"] == lease.as_str());
            if held.is_some_and(|it| it["holder"] == researcher.name.as_str() && it["left"] != 0) {
                return lease;
            }
            researcher.signal(Signal::CONT);
        }
    }
}

fn serve(data: &Path, config: &Path, listen: &str) -> Server {
    let config = config.to_str().unwrap();
    Server::started(program(data, &["serve", "--config", config, "--listen", listen]))
}

/// A researcher in a process of its own.
struct Researcher {
    name: String,
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Researcher {
    /// Waits until it takes work; the name of its lease.
    fn takes(&mut self) -> String {
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "{} has ended", self.name);
            if let Some((_, lease)) = line.split_once("under lease ") {
                return lease.trim().to_owned();
            }
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Asks it to end, and waits until it has; what it said.
    fn ends(mut self) -> String {
        self.signal(Signal::INT);
        let mut said = String::new();
        self.out.read_to_string(&mut said).unwrap();
        assert!(self.child.wait().unwrap().success(), "{said}");
        said
    }
}

impl Drop for Researcher {
    fn drop(&mut self) {
        // Already ended in most tests.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn work_goes_on_when_a_researcher_dies_and_when_the_appliance_does() {
    let (folder, data) = folder();
    let shelf = Shelf::at(folder.path());
    let rules = "lease_s = 15\noffer_s = 5\nclips = 3\nresearchers = 0\n[ingest]\nsweep_s = 3600";
    let mut bureau = Bureau::open(folder.path(), &data, &shelf.toml(rules));
    let clip = |number: u64| shelf.put(&format!("clip-{number}.wav"), &sound::clip(number));
    bureau.add("clips", &(1..=6).map(clip).collect::<Vec<_>>());
    let episode = |number: u64| {
        let planted = [(number, 2.0), (number + 1, 7.5)];
        let bytes = sound::episode(number, 12.0, &planted);
        shelf.put(&format!("episode-{number}.wav"), &bytes)
    };
    bureau.add("episodes", &(1..=4).map(episode).collect::<Vec<_>>());

    // One dies with work in its hands, without a word.
    let mut dying = bureau.researcher("dying");
    let lost = bureau.catch(&mut dying);
    dying.signal(Signal::KILL);
    // Another one is at work when the appliance dies, and goes on under the same lease.
    let mut steady = bureau.researcher("steady");
    let kept = bureau.catch(&mut steady);
    assert_ne!(lost, kept);
    bureau.dies_and_returns();
    let leases = bureau.get("/leases");
    let still = leases.as_array().unwrap().iter().find(|it| it["lease"] == kept.as_str());
    assert_eq!(still.map(|it| &it["holder"]), Some(&json!("steady")), "{leases}");
    steady.signal(Signal::CONT);

    until("every pair was searched", || bureau.get("")["searched_pairs"] == 24);
    for number in 1..=4_u64 {
        let told = bureau.get(&format!("/episodes/{number}"));
        let expected = [(number, 2.0), (number + 1, 7.5)];
        assert_eq!(found(&told), expected, "{told}");
    }
    let said = steady.ends();
    assert!(said.contains("searched 3 clips"), "{said}");
    let history = bureau.get("/history");
    let ending = |lease: &str| {
        let rows = history["results"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == lease);
        row.map(|row| (row["researcher"].clone(), row["ending"].clone()))
    };
    assert_eq!(ending(&lost), Some((json!("dying"), json!("expired"))), "{history}");
    assert_eq!(ending(&kept), Some((json!("steady"), json!("finished"))), "{history}");
    assert_eq!(bureau.get("/leases").as_array().unwrap().len(), 0);
}

#[test]
fn who_is_not_welcome_or_not_there_is_told_so() {
    let (_folder, data) = folder();
    let house = House::configured("");
    let work = |server: &str, token: &str| {
        let arguments = ["research", "work", "--once", "--server", server, "--token", token];
        ran(program(&data, &arguments))
    };
    let server = format!("http://{}", house.address());
    let unknown = work(&server, "strongroom_no_such_token").is(1);
    assert!(unknown.err.lines().count() == 1, "{unknown:?}");
    let idle = work(&server, &house.key()).is(0);
    assert!(idle.out.contains("There is nothing to do."), "{idle:?}");
    work("archive.example", "x").refused("is not the address of an appliance");
    ran(program(&data, &["research", "work", "--server", &server])).refused("STRONGROOM_TOKEN");
    ran(program(&data, &["research", "work"])).refused("name one elsewhere with --server");
}

#[test]
fn garbage_from_a_researcher_is_refused_with_a_sentence_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let shelf = Shelf::at(dir.path());
    let house = House::configured(&shelf.toml(""));
    add(&house, "clips", &[shelf.put("a.wav", &sound::clip(1))]);
    add(&house, "episodes", &[shelf.put("b.wav", &sound::episode(1, 5.0, &[(1, 1.0)]))]);
    let told = |wish: Value| house.command("/api/v1/research/work", &wish.to_string());
    let work = told(json!({"researcher": "liar", "analyst": ANALYST_VERSION})).is(200).json();
    let lease = work["work"]["lease"].as_str().unwrap().to_owned();
    let report = |changed: Value| {
        let mut report = json!({
            "lease": lease, "episode": 1, "clip": 1, "analyst": ANALYST_VERSION,
            "result": {"outcome": "searched", "occurrences": []},
        });
        for (name, value) in changed.as_object().unwrap() {
            report[name] = value.clone();
        }
        json!({"researcher": "liar", "report": report}).to_string()
    };
    let send = |body: &str| house.command("/api/v1/research/results", body);
    let far = json!({"outcome": "searched", "occurrences": [
        {"offset_ns": i64::MAX, "extent_ns": 1, "confidence_ppm": 1}]});
    for body in [
        "not json at all".to_owned(),
        "[]".into(),
        report(json!({"clip": 99})),
        report(json!({"episode": 0})),
        report(json!({"result": far})),
        report(json!({"result": {"outcome": "eaten"}})),
        report(json!({"episode_facts": {"duration_ns": -1, "sha256": "0"}})),
    ] {
        let refused = send(&body);
        assert!((400..500).contains(&refused.status), "{body}: {}", refused.text());
        assert!(!refused.json()["detail"].as_str().unwrap().is_empty(), "{}", refused.text());
    }
    assert_eq!(house.get("/api/v1/research").json()["searched_pairs"], 0);
    // It is still theirs, and the truth is taken.
    let receipt = send(&report(json!({"is_final": true}))).is(200).json();
    assert_eq!(
        (&receipt["recorded"], &receipt["lease"]["state"]),
        (&json!("new"), &json!("ended"))
    );
}
