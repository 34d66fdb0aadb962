//! The real program, killed at random while deposits are on their way: in the end every deposit is
//! what it is when nobody disturbs it, once and whole.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use rustix::process::Signal;
use serde_json::Value;

use super::site::{self, Place};
use super::{Files, INSTITUTION, bag, export, ocfl, write_tar};
use crate::command::{Server, run};
use crate::house::until;
use crate::s3;

/// Deaths with deposits on their way, in each of four tests so that none takes long; more in a soak.
const KILLS: usize = 25;
/// Of these, most in one wave: all who are under way in too many of them wait for a person.
const KILLS_IN_A_WAVE: usize = 6;

/// The deposits of every history: what each is called, and its files. Two waves, so that some of the
/// second are further deposits of the first, one of them the same as before.
fn waves() -> [Vec<(&'static str, Files)>; 2] {
    let letters = |from: usize, count: usize| {
        let text = |n: usize| format!("letter {n}\n").repeat(1 + n * 40).into_bytes();
        let texts: Files =
            (from..from + count).map(|n| (format!("{}/{n}.txt", n % 3), text(n))).collect();
        let payload: Vec<(&str, &[u8])> =
            texts.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        bag(&payload)
    };
    let mut invalid = letters(0, 5);
    invalid.retain(|(path, _)| path != "data/0/3.txt");
    [
        vec![("one", letters(0, 30)), ("two", letters(5, 3)), ("bad", invalid)],
        vec![("one", letters(10, 30)), ("two", letters(5, 3)), ("three", letters(0, 12))],
    ]
}

/// A data directory that takes deposits as soon as they are there.
struct History {
    data: PathBuf,
    area: PathBuf,
    folder: tempfile::TempDir,
    /// Ends with the history.
    _buckets: Option<s3::Server>,
}

impl History {
    fn begin(places: [Place; 2]) -> History {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let area = data.join("receiving").join(INSTITUTION);
        byteio::durable::create_folder(&area).unwrap();
        let place = folder.path().join("s3");
        let buckets = places
            .contains(&Place::Bucket)
            .then(|| s3::Server::start(&place, &["bucket-a", "bucket-b"], Arc::default()));
        s3::write_keys(&site::keys(folder.path()), s3::SECRET);
        let replicas = site::toml(folder.path(), places, buckets.as_ref());
        let toml = format!("[ingest]\nsweep_s = 1\nstill_s = 0\n{replicas}");
        byteio::durable::write(&data.join("strongroom.toml"), toml.as_bytes(), false).unwrap();
        History { data, area, folder, _buckets: buckets }
    }

    /// Deposits a wave, each whole at once.
    fn deposit(&self, wave: &[(&str, Files)]) {
        for (name, files) in wave {
            let part = self.area.join(format!("{name}.tar.part"));
            write_tar(&part, name, files);
            byteio::durable::rename(&part, &self.area.join(format!("{name}.tar"))).unwrap();
        }
    }

    /// Kills the program a moment after it has started.
    fn kill(&self, random: &mut Rng) {
        let mut server = Server::start(&self.data);
        std::thread::park_timeout(Duration::from_millis(random.u64(0..250)));
        server.signal(Signal::KILL);
        server.ended();
    }

    /// Deposits that are neither preserved nor turned away.
    fn waiting(&self) -> usize {
        let names = fs::read_dir(&self.area).unwrap().map(|entry| entry.unwrap().file_name());
        names.filter(|name| name != "bad.tar").count()
    }

    /// Lets the program come to rest; a person puts back who was under way in too many deaths.
    fn rest(&self) {
        let server = Server::start(&self.data);
        let mut last = Value::Null;
        until("every deposit is at its end", || {
            run(&self.data, &["requeue", "--reason", "process-died"]);
            last = run(&self.data, &["items", "list", "--json"]).is(0).json()["items"].take();
            let ended = |item: &Value| {
                let is_bad = item["name"] == "bad.tar";
                item["status"] == if is_bad { "Suspended" } else { "Success" }
            };
            self.waiting() == 0 && last.as_array().unwrap().iter().all(ended)
        });
        drop(server);
    }

    /// What is held in the end, and that nothing else is there.
    fn end(&self) -> Vec<String> {
        crate::command::finds_nothing_wrong(&self.data);
        let left = fs::read_dir(self.data.join("staging")).unwrap().count();
        assert_eq!(left, 0, "nothing is left in staging");
        let left: Vec<_> = fs::read_dir(&self.area).unwrap().map(|it| it.unwrap().path()).collect();
        assert_eq!(left, [self.area.join("bad.tar")], "what is not valid stays");
        let mut told = export::of_program(&self.data);
        told.extend(super::tree(&self.data.join("vault")));
        told.extend(super::tree_of_server(&self.folder.path().join("s3")));
        told
    }
}

/// The two waves, with this done after each.
fn history(places: [Place; 2], mut disturb: impl FnMut(&History)) -> (History, Vec<String>) {
    let history = History::begin(places);
    for wave in waves() {
        history.deposit(&wave);
        disturb(&history);
        history.rest();
    }
    let end = history.end();
    (history, end)
}

#[test]
fn kills_at_random_lose_and_double_nothing_first_share() {
    kill(site::FOLDERS, KILLS);
}

#[test]
fn kills_at_random_lose_and_double_nothing_second_share() {
    kill(site::FOLDERS, KILLS);
}

#[test]
fn kills_at_random_lose_and_double_nothing_third_share() {
    kill(site::FOLDERS, KILLS);
}

#[test]
fn kills_at_random_lose_and_double_nothing_fourth_share() {
    kill(site::FOLDERS, KILLS);
}

#[test]
fn kills_at_random_with_a_bucket_lose_and_double_nothing() {
    kill(site::MIXED, KILLS);
}

/// Kills the program this often while deposits are on their way into replicas in these places.
fn kill(places: [Place; 2], wanted: usize) {
    let seed = std::env::var("STRONGROOM_SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..100_000));
    println!("STRONGROOM_SEED={seed} replays this");
    let rounds = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|it| it.parse().ok());
    let wanted = rounds.unwrap_or(wanted);
    let mut random = Rng::with_seed(seed);
    let (_, calm) = history(places, |_| {});
    let objects = calm.iter().filter(|line| line.starts_with("objects ")).count();
    assert_eq!(objects, 3, "{calm:#?}");
    let (mut kills, mut histories) = (0, 0);
    while kills < wanted {
        let (history, end) = history(places, |history| {
            for _ in 0..KILLS_IN_A_WAVE {
                if history.waiting() > 0 {
                    history.kill(&mut random);
                    kills += usize::from(history.waiting() > 0);
                }
            }
        });
        compare(&end, &calm, seed);
        histories += 1;
        if histories % 3 == 1 && places == site::FOLDERS {
            ocfl::validate(&[&history.data.join("vault/a"), &history.data.join("vault/b")]);
        }
    }
    println!("{kills} kills with deposits on their way, in {histories} histories");
}

/// Fails with the lines that differ: all of them would be a wall of text.
fn compare(end: &[String], calm: &[String], seed: u64) {
    let more = left_over(end, calm);
    let less = left_over(calm, end);
    assert!(more.is_empty() && less.is_empty(), "seed {seed}: more {more:#?}, less {less:#?}");
}

/// The lines of one that the other does not have, or not as often.
fn left_over<'l>(lines: &'l [String], others: &[String]) -> Vec<&'l String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for line in others {
        *counts.entry(line).or_default() += 1;
    }
    let mut left = Vec::new();
    for line in lines {
        match counts.get_mut(line) {
            Some(count) if *count > 0 => *count -= 1,
            _ => left.push(line),
        }
    }
    left
}

#[test]
fn a_comparison_shows_the_lines_that_differ() {
    let lines = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(left_over(&lines("a b b c"), &lines("a b c")), ["b"]);
    assert_eq!(left_over(&lines("a b c"), &lines("a b b c")), Vec::<&String>::new());
    let differ = std::panic::catch_unwind(|| compare(&lines("a b d"), &lines("a b"), 7));
    let said = differ.unwrap_err();
    let said = said.downcast_ref::<String>().unwrap();
    assert!(said.contains("\"d\""), "{said}");
}
