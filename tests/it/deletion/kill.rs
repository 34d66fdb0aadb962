//! The real program, killed at random while deletions are on their way: in the end everything is as
//! if nobody had disturbed it, in the vaults, in the registry, and in one that is made again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use rustix::process::Signal;
use storage::clock::{SystemClock, Timestamp};
use storage::registry::{DeletionTarget, NewDeletion, Uuid};
use strongroom::app::{App, OnDamage};
use strongroom::flows::FLOWS;

use super::{LETTERS, People};
use crate::command::{Server, run};
use crate::harness::until_unlocked;
use crate::house::{config, until};
use crate::ingest::{INSTITUTION, bag, export, ocfl, tree, write_tar};

/// Deaths while deletions are under way; more in a soak.
const KILLS: usize = 12;
/// Most in one history: who is under way in too many of them waits for a person.
const KILLS_IN_A_HISTORY: usize = 4;

const TOML: &str = "[ingest]\nsweep_s = 1\nstill_s = 0\n[deletion]\ncooling_off_h = 0\n";

/// A data directory that holds three objects, the first in two versions.
pub(crate) fn begin(dir: &Path) -> PathBuf {
    let data = dir.join("data");
    let area = data.join("receiving").join(INSTITUTION);
    byteio::durable::create_folder(&area).unwrap();
    byteio::durable::write(&data.join("strongroom.toml"), TOML.as_bytes(), false).unwrap();
    let texts: Vec<(String, Vec<u8>)> = (0..60)
        .map(|n| (format!("{}/{n}.txt", n % 7), format!("letter {n}\n").repeat(200).into_bytes()))
        .collect();
    let payload: Vec<(&str, &[u8])> =
        texts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    for wave in [
        &[("letters", &payload[..30]), ("two", &payload[..9])][..],
        &[("letters", &payload[20..]), ("three", &payload[30..40])],
    ] {
        for (name, payload) in wave {
            write_tar(&area.join(format!("{name}.tar")), name, &bag(payload));
        }
        let mut server = Server::start(&data);
        until("the deposits are preserved", || fs::read_dir(&area).unwrap().count() == 0);
        let quiet = || {
            let live = |status| run(&data, &["items", "list", "--status", status, "--json"]);
            ["Pending", "Started"].iter().all(|status| live(status).is(0).json()["count"] == 0)
        };
        until("nothing is under way", quiet);
        server.signal(Signal::TERM);
        server.ended();
    }
    data
}

/// The application of a data directory that nobody else has open.
pub(crate) fn open(data: &Path) -> App {
    let config = config(data, "127.0.0.1:0", TOML, &[], FLOWS);
    until_unlocked(|| {
        App::open(config.clone(), FLOWS, Arc::new(SystemClock::start()), OnDamage::Refuse)
    })
}

/// Two people agree on an object and on three files of another.
pub(crate) fn agree(data: &Path) -> i64 {
    let app = open(data);
    let People { ann, bob } = People::of(&app);
    let files = ["3/10.txt", "4/25.txt", "1/50.txt"].map(|it| format!("{LETTERS}/data/{it}"));
    let file = |name: &String| DeletionTarget::File(app.desk().held_file(name).unwrap().id);
    let two = app.desk().held_object("archive.local/two").unwrap();
    let mut targets = vec![DeletionTarget::Object(two.id)];
    targets.extend(files.iter().map(file));
    let now = app.shop.clock.now();
    // Events are named by it, and must be the same in every history.
    let new = NewDeletion {
        uuid: Uuid([9; 16]),
        institution_id: two.institution_id,
        reason: "because".into(),
        requested_by: ann,
        entered_by: None,
        targets,
        expires_at: Timestamp(now.0 + 100_000),
    };
    let id = app.registry.request_deletion(&new, now).unwrap().id.0;
    super::approve(&app, id, bob).unwrap();
    app.settle();
    id
}

fn is_completed(data: &Path, id: i64) -> bool {
    open(data).desk().deletion(id).unwrap().deletion.completed_at.is_some()
}

/// Runs the program until the deletion has come to its end; what is held then.
fn rest(data: &Path, id: i64) -> Vec<String> {
    let mut server = Server::start(data);
    until("the deletion is at its end", || {
        run(data, &["requeue", "--reason", "process-died"]);
        let items = run(data, &["items", "list", "--json"]).is(0).json();
        let ours = items["items"].as_array().unwrap().iter().filter(|it| it["action"] == "Delete");
        ours.filter(|item| item["status"] == "Success").count() == 4
    });
    server.signal(Signal::TERM);
    server.ended();
    assert!(is_completed(data, id));
    crate::command::finds_nothing_wrong(data);
    end(data)
}

/// What is held. Names of records hold what was drawn, and their bytes times.
fn end(data: &Path) -> Vec<String> {
    let mut told = export::of_program(data);
    let plain = |line: String| match line.split_once("logs/deletion-") {
        Some((before, _)) => format!("{before}logs/deletion"),
        None => line,
    };
    told.extend(tree(&data.join("vault")).into_iter().map(plain));
    told.retain(|line| !line.contains("extensions/strongroom-replica"));
    told.sort();
    told
}

fn compare(end: &[String], calm: &[String], what: &str) {
    let more: Vec<_> = end.iter().filter(|line| !calm.contains(line)).collect();
    let less: Vec<_> = calm.iter().filter(|line| !end.contains(line)).collect();
    assert!(more.is_empty() && less.is_empty(), "{what}: more {more:#?}, less {less:#?}");
    assert_eq!(end.len(), calm.len(), "{what}");
}

#[test]
fn kills_at_random_leave_a_deletion_that_comes_to_its_end() {
    let seed = std::env::var("STRONGROOM_SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..100_000));
    println!("STRONGROOM_SEED={seed} replays this");
    let rounds = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|it| it.parse().ok());
    let wanted = rounds.unwrap_or(KILLS);
    let mut random = Rng::with_seed(seed);
    let dir = tempfile::tempdir().unwrap();
    let data = begin(dir.path());
    let id = agree(&data);
    let calm = rest(&data, id);
    assert_eq!(calm.iter().filter(|line| line.starts_with("objects ")).count(), 3, "{calm:#?}");
    assert!(calm.iter().any(|line| line.starts_with("objects ") && line.contains("\"D\"")));
    let (mut kills, mut histories) = (0, 0);
    while kills < wanted && histories < wanted {
        let dir = tempfile::tempdir().unwrap();
        let data = begin(dir.path());
        let id = agree(&data);
        for _ in 0..KILLS_IN_A_HISTORY {
            let mut server = Server::start(&data);
            std::thread::park_timeout(Duration::from_millis(random.u64(0..120)));
            server.signal(Signal::KILL);
            server.ended();
            if is_completed(&data, id) {
                break;
            }
            kills += 1;
        }
        compare(&rest(&data, id), &calm, &format!("seed {seed}"));
        histories += 1;
        if histories % 2 == 1 {
            ocfl::validate(&[&data.join("vault/a"), &data.join("vault/b")]);
        }
    }
    println!("{kills} kills with a deletion on its way, in {histories} histories");
}

#[test]
fn a_registry_that_is_made_again_resurrects_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let data = begin(dir.path());
    let id = agree(&data);
    let before = rest(&data, id);
    for replica in ["a", "b"] {
        for name in ["registry.sqlite", "registry.sqlite-wal", "registry.sqlite-shm"] {
            drop(fs::remove_file(data.join(name)));
        }
        fs::remove_dir_all(data.join("work")).unwrap();
        run(&data, &["rebuild", "--from", replica]).is(0);
        crate::command::finds_nothing_wrong(&data);
        compare(&end(&data), &before, replica);
        // Who asked and who agreed is known again, and the agreement is used up.
        assert!(is_completed(&data, id));
        let app = open(&data);
        let certificate = app.desk().deletion_certificate(id).unwrap();
        assert_eq!(certificate.request.confirmed_by_email.as_deref(), Some("bob@example.edu"));
        assert!(certificate.parts.iter().all(|part| part.replicas.len() == 2));
    }
}
