//! One long life of an archive in the real program, from the link that its first start prints on an
//! empty data directory: with script, and once more without.

use std::path::Path;

use serde_json::json;

use super::{drive_at, equipment};
use crate::command::{Server, folder, program};
use crate::ingest::{LETTERS, bag, write_tar};

#[test]
fn browser_lives_a_whole_life_from_the_first_start_on() {
    live(true);
}

#[test]
fn browser_lives_a_whole_life_without_script() {
    live(false);
}

fn live(with_script: bool) {
    if equipment().is_none() {
        return;
    }
    let (room, data) = folder();
    let file = room.path().join("hasty.toml");
    byteio::durable::write(&file, b"[ingest]\nsweep_s = 1\nstill_s = 1\n", true).unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--config", file.to_str().unwrap()];
    let mut server = Server::started(program(&data, &serve));
    let welcome = server.says("/welcome?token=");
    let bags = room.path().join("bags");
    byteio::durable::create_folder(&bags).unwrap();
    let told = json!({
        "letters": make(&bags, "letters", &bag(LETTERS)),
        "broken": make(&bags, "broken", &bag(LETTERS)[1..]),
    });
    let told = [
        ("STRONGROOM_BAGS", told),
        ("STRONGROOM_WELCOME", json!(welcome)),
        ("STRONGROOM_SCRIPT", json!(with_script)),
    ];
    drive_at("journey.test.js", (server.address, ""), &told);
    assert!(server.is_running(), "it is still there");
}

/// Writes a bag as a tar; where it lies.
fn make(folder: &Path, name: &str, files: &[(String, Vec<u8>)]) -> String {
    let path = folder.join(format!("{name}.tar"));
    write_tar(&path, name, files);
    path.to_str().unwrap().to_owned()
}
