//! The real program, killed at random while it assesses: resumed, no result twice, and each told once
//! to a program that fails the first times.

use std::collections::BTreeMap;
use std::time::Duration;

use fastrand::Rng;
use rustix::process::Signal;

use super::*;
use crate::alerts::servers::hook_server;
use crate::command::{Server, open, run};
use crate::wire;

/// Sites of the batch.
const SITES: usize = 12;

#[test]
fn kills_at_random_lose_no_result_and_tell_none_twice() {
    let seed = std::env::var("STRONGROOM_SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..100_000));
    println!("STRONGROOM_SEED={seed} replays this");
    let mut random = Rng::with_seed(seed);
    let receiver = hook_server(&[500, 500, 503, 200]);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    byteio::durable::create_folder(&data).unwrap();
    let toml = format!(
        "[assess]\ncallback_url = \"http://{}\"\ncallback_allow_http = true\n\
         levy_tables = \"levy.json\"\n",
        receiver.address
    );
    byteio::durable::write(&data.join("strongroom.toml"), toml.as_bytes(), false).unwrap();
    drop(Server::start(&data));
    let app = open(&data);
    supply(&app, folder.path());
    drop(app);
    let mut ids = Vec::new();
    let (mut server, mut address, mut key) = started(&data);
    for number in 0..SITES {
        let reference = format!("NRF-{number:06}");
        let message = message(&reference, 100.0 + 10.0 * number as f64);
        let ask = wire::post("/api/v1/assessments", message)
            .with("content-type", "application/json")
            .with("authorization", format!("Bearer {key}"));
        ids.push(wire::send(address, &ask).is(202).json()["id"].as_str().unwrap().to_owned());
        if random.u8(..3) == 0 {
            // What was answered with 202 survives.
            server.signal(Signal::KILL);
            server.ended();
            (server, address, key) = started(&data);
            std::thread::park_timeout(Duration::from_millis(random.u64(..300)));
        }
    }
    let get = |path: &str, address, key: &str| {
        let ask = wire::get(path).with("authorization", format!("Bearer {key}"));
        wire::send(address, &ask)
    };
    until("all are assessed and told", || {
        run(&data, &["requeue", "--reason", "process-died"]);
        ids.iter().all(|id| {
            let told = get(&format!("/api/v1/assessments/{id}"), address, &key).json();
            told["assessment"]["state"] == "assessed"
                && told["deliveries"][0]["sent_at"].is_string()
        })
    });
    let list = get("/api/v1/assessments", address, &key).is(200).json();
    assert_eq!(list["count"], SITES, "seed {seed}");
    // A call that was taken and not noted is made once more under the same key: by its key it is one.
    let mut taken: BTreeMap<String, usize> = BTreeMap::new();
    for call in receiver.told() {
        let key = call.lines().find(|line| line.starts_with("idempotency-key")).unwrap();
        *taken.entry(key.to_owned()).or_default() += 1;
    }
    assert_eq!(taken.len(), SITES, "seed {seed}: {taken:?}");
    drop(server);
    crate::command::finds_nothing_wrong(&data);
}

/// The program, where it listens, and its key.
fn started(data: &Path) -> (Server, std::net::SocketAddr, String) {
    let server = Server::start(data);
    let plate = strongroom::appliance::Doorplate::read(data).unwrap();
    (server, plate.address, plate.key)
}
