//! The real program, killed at random while it restores: nothing half is ever seen, and in the end
//! the bag is what it is when nobody disturbs it.

use std::time::Duration;

use fastrand::Rng;
use rustix::process::Signal;

use super::*;
use crate::command::{Server, run};
use crate::house::until;

/// Deaths with a restoration on its way; more in a soak.
const KILLS: usize = 34;

#[test]
fn kills_at_random_leave_nothing_half() {
    let seed = std::env::var("STRONGROOM_SEED").ok().and_then(|it| it.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..100_000));
    println!("STRONGROOM_SEED={seed} replays this");
    let rounds = std::env::var("STRONGROOM_SOAK_ROUNDS").ok().and_then(|it| it.parse().ok());
    let wanted = rounds.unwrap_or(KILLS);
    let mut random = Rng::with_seed(seed);
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let receiving = data.join("receiving/archive.local");
    byteio::durable::create_folder(&receiving).unwrap();
    let toml = b"[ingest]\nsweep_s = 1\nstill_s = 0\n";
    byteio::durable::write(&data.join("strongroom.toml"), toml, false).unwrap();
    let large: Vec<u8> = (0..6 << 20).map(|_| random.u8(..)).collect();
    let mut letters = LETTERS.to_vec();
    letters.push(("large.bin", &large));
    write_tar(&receiving.join("letters.tar"), "letters", &bag(&letters));
    let server = Server::start(&data);
    until("it is preserved", || run(&data, &["objects", "show", LETTERS_ID]).code == Some(0));
    until("it is cleared", || fs::read_dir(&receiving).unwrap().count() == 0);
    drop(server);

    let area = data.join("restoration/archive.local");
    let status =
        || run(&data, &["items", "list", "--filter", "flow=restore", "--json"]).is(0).json();
    let mut kills = 0;
    while kills < wanted {
        run(&data, &["restore", LETTERS_ID]).is(0);
        for _ in 0..5 {
            let mut server = Server::start(&data);
            std::thread::park_timeout(Duration::from_millis(random.u64(0..400)));
            server.signal(Signal::KILL);
            server.ended();
            let seen = lying(&area);
            let whole: Vec<&String> = seen.iter().filter(|it| !it.starts_with('.')).collect();
            if !whole.is_empty() {
                assert_eq!(whole, ["letters.tar"], "seed {seed}");
                assert_eq!(payload(&unpacked(&area.join("letters.tar"))), expected(&letters));
            }
            if status()["items"][0]["status"] == "Success" {
                break;
            }
            kills += 1;
        }
        let server = Server::start(&data);
        until("it is restored", || {
            run(&data, &["requeue", "--reason", "process-died"]);
            status()["items"][0]["status"] == "Success"
        });
        drop(server);
        assert_eq!(lying(&area), ["letters.tar"], "seed {seed}");
        let tar = area.join("letters.tar");
        run(&data, &["bag", "validate", tar.to_str().unwrap(), "--profile", "aptrust"]).is(0);
        crate::command::finds_nothing_wrong(&data);
        fs::remove_file(&tar).unwrap();
    }
    println!("{kills} kills with a restoration on its way");
}
