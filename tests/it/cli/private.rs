//! Files that nobody else on the machine can read, and what is said where they can be.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Signal;

use super::formats::files as signature_files;
use crate::command::{Server, folder, furnish, program, run};
use crate::ingest::{LETTERS, bag, write_tar};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// The program, started by a shell that lets everybody read what is made.
fn careless(data: &Path, arguments: &[&str]) -> Command {
    let inner = program(data, arguments);
    let mut command = Command::new("/bin/sh");
    command.env_clear().stdin(Stdio::null()).args(["-c", "umask 000; exec \"$@\"", "sh"]);
    command.arg(inner.get_program()).args(inner.get_args());
    command
}

/// Everything below a folder, and the folder.
fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut at = 0;
    while at < found.len() {
        if found[at].is_dir() {
            found.extend(fs::read_dir(&found[at]).unwrap().map(|entry| entry.unwrap().path()));
        }
        at += 1;
    }
    found
}

fn assert_private(data: &Path) {
    let wide: Vec<_> = all(data)
        .iter()
        .filter(|path| mode(path) & 0o077 != 0)
        .map(|path| format!("{:o} {}", mode(path), path.display()))
        .collect();
    assert!(wide.is_empty(), "{}", wide.join("\n"));
    assert_eq!(mode(data), 0o700);
}

#[test]
fn everything_that_the_program_makes_is_readable_by_its_owner_only() {
    let (room, data) = folder();
    let mut server = Server::started(careless(&data, &["serve", "--listen", "127.0.0.1:0"]));
    let tar = room.path().join("letters.tar");
    write_tar(&tar, "letters", &bag(LETTERS));
    run(&data, &["ingest", tar.to_str().unwrap(), "--wait"]).is(0);
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, Some(0));
    let found = all(&data);
    assert!(found.iter().any(|it| it.ends_with("registry.sqlite")), "{found:?}");
    assert!(found.len() > 30, "{found:?}");
    assert_private(&data);
    assert_eq!(mode(&data.join("registry.sqlite")), 0o600);
}

#[test]
fn what_rebuild_and_new_signatures_leave_is_readable_by_its_owner_only() {
    let (room, data) = folder();
    let [droid, container] = signature_files(&data, 200, 20_400_101);
    let update = ["formats", "update", &droid, &container];
    let mut server = Server::start(&data);
    let tar = room.path().join("letters.tar");
    write_tar(&tar, "letters", &bag(LETTERS));
    run(&data, &["ingest", tar.to_str().unwrap(), "--wait"]).is(0);
    server.signal(Signal::TERM);
    assert_eq!(server.ended().0, Some(0));
    drop(fs::remove_dir_all(data.join("staging")));
    for name in ["registry.sqlite", "registry.sqlite-wal", "registry.sqlite-shm"] {
        drop(fs::remove_file(data.join(name)));
    }
    for arguments in [&update[..], &["rebuild", "--from", "a"]] {
        let ran = careless(&data, arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {ran:?}");
    }
    assert!(data.join("formats").is_dir() && data.join("staging").is_dir());
    assert_private(&data);
}

/// The commands that a text advises.
fn advice(text: &str) -> Vec<String> {
    let parts: Vec<&str> = text.split('`').collect();
    parts.iter().skip(1).step_by(2).map(|it| (*it).to_owned()).collect()
}

#[test]
fn doctor_start_and_storage_say_what_others_can_read_and_the_advice_works() {
    let (_room, data) = folder();
    furnish(&data);
    run(&data, &["doctor"]).is(0);
    // As a version before has left them.
    set(&data, 0o755);
    for path in all(&data).into_iter().skip(1) {
        set(&path, if path.is_dir() { 0o755 } else { 0o644 });
    }
    let ran = run(&data, &["doctor", "--json"]).is(1);
    let findings = ran.json()["findings"].as_array().unwrap().clone();
    let found: Vec<&str> = findings
        .iter()
        .filter(|it| it["code"] == "readable-by-others")
        .map(|it| it["sentence"].as_str().unwrap())
        .collect();
    for name in ["registry.sqlite", "work"] {
        assert!(found.iter().any(|it| it.contains(name)), "{name}: {found:?}");
    }
    let mut server = Server::start(&data);
    let said = server.says("other users of this machine read");
    assert!(said.contains("chmod"), "{said}");
    let key = fs::read_to_string(data.join("appliance.json")).unwrap();
    let key: serde_json::Value = serde_json::from_str(&key).unwrap();
    let bearer = format!("Bearer {}", key["key"].as_str().unwrap());
    let page = crate::wire::get("/storage").with("authorization", bearer);
    let page = crate::wire::send(server.address, &page).is(200).text();
    assert!(page.contains("other users of this machine read"), "{page}");
    server.signal(Signal::TERM);
    server.ended();

    // Nothing was changed behind the back of who shared it.
    assert_eq!(mode(&data), 0o755);
    for sentence in found {
        for command in advice(sentence) {
            let ran = Command::new("/bin/sh").args(["-c", &command]).output().unwrap();
            assert!(ran.status.success(), "{command}: {ran:?}");
        }
    }
    run(&data, &["doctor"]).is(0);
}

#[test]
fn a_data_directory_that_others_only_pass_through_is_well_when_its_files_are_private() {
    let (_room, data) = folder();
    furnish(&data);
    // Other users put deposits into the receiving folder.
    set(&data, 0o711);
    let receiving = data.join("receiving/archive.local");
    byteio::durable::create_folder(&receiving).unwrap();
    set(&data.join("receiving"), 0o711);
    set(&receiving, 0o1733);
    run(&data, &["doctor"]).is(0);
    let mut server = Server::start(&data);
    server.signal(Signal::TERM);
    server.ended();
    assert_eq!((mode(&data), mode(&receiving)), (0o711, 0o1733), "they are left as they were");
    set(&data.join("registry.sqlite"), 0o640);
    let ran = run(&data, &["doctor"]).is(1);
    assert!(ran.out.contains("registry.sqlite"), "{}", ran.out);
}

#[test]
fn files_of_secrets_that_the_configuration_names_are_told_when_others_can_read_them() {
    let (room, data) = folder();
    furnish(&data);
    let (config, secret) = (room.path().join("strongroom.toml"), room.path().join("hook.secret"));
    let text = format!("[webhook]\nurl = \"https://hooks.example/in\"\nsecret = {secret:?}\n");
    byteio::durable::write(&config, text.as_bytes(), true).unwrap();
    byteio::durable::write(&secret, b"correct horse battery staple\n", true).unwrap();
    let doctor = || run(&data, &["doctor", "--config", config.to_str().unwrap()]);
    // A group that was given the file is nobody who reads along.
    for mode in [0o600, 0o400, 0o640] {
        set(&secret, mode);
        doctor().is(0);
    }
    for mode in [0o644, 0o604] {
        set(&secret, mode);
        let ran = doctor().is(1);
        assert!(ran.out.contains("hook.secret") && ran.out.contains("webhook.secret"), "{ran:?}");
        let command = advice(&ran.out).remove(0);
        assert!(Command::new("/bin/sh").args(["-c", &command]).status().unwrap().success());
        doctor().is(0);
    }
}
