//! A look around: what is promised is there, nothing real is touched, and nothing is left.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use crate::house::until;

#[test]
fn a_house_for_a_look_around_is_open_and_then_gone() {
    let around = tempfile::tempdir().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_strongroom"))
        .args(["demo", "--listen", "127.0.0.1:0"])
        .env_clear()
        .env("TMPDIR", around.path())
        // Whoever has a real house here does not find a sample in it.
        .env("STRONGROOM_RECEIVING", around.path().join("real"))
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let told: Vec<String> = lines.by_ref().take(8).collect();
    let password = told.iter().find_map(|it| it.strip_prefix("The password of all of them: "));
    assert_eq!(password.map(str::len), Some(16), "{told:?}");
    assert!(told.iter().any(|it| it.contains("ines@library.example")), "{told:?}");
    assert!(told[0].contains("http://127.0.0.1:"), "{told:?}");
    let folder = std::fs::read_dir(around.path()).unwrap().next().unwrap().unwrap().path();
    let parked = folder.join("data/receiving/library.example/flood-reports");
    let preserved = folder.join("data/receiving/library.example/parish-letters.tar");
    until("the deposits are preserved", || !preserved.try_exists().unwrap());
    assert!(parked.try_exists().unwrap(), "what was damaged stays for a person");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(lines.last().as_deref(), Some("Stopped; the sample house is removed."));
    assert_eq!(std::fs::read_dir(around.path()).unwrap().count(), 0, "nothing is left");
}
