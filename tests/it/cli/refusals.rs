//! What cannot run: one sentence on standard error, exit 2, and nothing is changed.

use std::path::Path;
use std::process::Command;

use byteio::durable;

use crate::command::{Server, folder, furnish, listing, open, program, ran, run};

const SERVE: &[&str] = &["serve", "--listen", "127.0.0.1:0"];

/// Every command that needs the directory is refused with these words and changes nothing.
#[track_caller]
fn all_refuse(data: &Path, words: &str) {
    let before = listing(data);
    for arguments in [
        SERVE,
        &["items", "list"],
        &["items", "cancel", "2"],
        &["queues", "pause"],
        &["queues", "empty", "--yes"],
        &["requeue", "1"],
        &["doctor", "--mend"],
    ] {
        run(data, arguments).refused(words);
        assert_eq!(listing(data), before, "{arguments:?}");
    }
}

#[test]
fn a_directory_of_someone_else_is_left_alone() {
    let (_folder, data) = folder();
    durable::create_folder(&data).unwrap();
    durable::write(&data.join("thesis.doc"), b"years of work", false).unwrap();
    run(&data, SERVE).refused("holds files that are not Strongroom's");
    run(&data, &["doctor"]).refused("is not a data directory");
    assert_eq!(listing(&data).len(), 1);
}

#[test]
fn a_directory_that_is_not_there_is_made_by_serve_only() {
    let (folder, data) = folder();
    for arguments in [&["items", "list"][..], &["queues", "list"], &["doctor"], &["requeue", "1"]] {
        run(&data, arguments).refused("is not a data directory");
    }
    assert!(!data.try_exists().unwrap());
    durable::write(&folder.path().join("file"), b"x", false).unwrap();
    run(&folder.path().join("file").join("data"), SERVE).refused("file");
}

#[test]
fn a_newer_directory_is_refused() {
    let (_folder, data) = folder();
    furnish(&data);
    durable::write(&data.join("STRONGROOM"), b"strongroom data, format 9\n", false).unwrap();
    all_refuse(&data, "written by a newer Strongroom (format 9, this one knows 1)");
}

#[test]
fn a_newer_registry_is_refused() {
    let (_folder, data) = folder();
    furnish(&data);
    let registry = rusqlite::Connection::open(data.join("registry.sqlite")).unwrap();
    registry.pragma_update(None, "user_version", 99).unwrap();
    registry.close().unwrap();
    all_refuse(&data, "the registry has schema version 99");
}

#[test]
fn an_unreadable_directory_is_refused() {
    let (_folder, data) = folder();
    furnish(&data);
    durable::write(&data.join("STRONGROOM"), b"\xFF\xFE", false).unwrap();
    all_refuse(&data, "holds files that are not Strongroom's");

    let (_folder, data) = folder();
    furnish(&data);
    durable::write(&data.join("registry.sqlite"), &[b'x'; 4096], false).unwrap();
    all_refuse(&data, "as a registry: it is not an SQLite file");
}

#[test]
fn a_second_process_is_refused() {
    let (_folder, data) = folder();
    furnish(&data);
    let app = open(&data);
    // Not an appliance: there is nobody to ask instead.
    let words = format!("is in use by another process (process {})", std::process::id());
    all_refuse(&data, &words);
    drop(app);
    let server = Server::start(&data);
    run(&data, SERVE).refused("is in use by another process");
    run(&data, &["items", "list"]).is(0);
    drop(server);
    // It was killed, so its doorplate still hangs there.
    assert!(data.join("appliance.json").try_exists().unwrap());
    run(&data, &["items", "list"]).is(0);
}

/// Takes the right to write away, from the superuser too; gives it back when dropped.
struct ReadOnly<'a>(&'a Path);

impl ReadOnly<'_> {
    fn make(dir: &Path) -> Option<ReadOnly<'_>> {
        let mount = |arguments: &[&str], paths: &[&Path]| {
            let done = Command::new("mount").args(arguments).args(paths).output();
            done.is_ok_and(|output| output.status.success())
        };
        if !mount(&["--bind"], &[dir, dir]) {
            return None;
        }
        let mounted = ReadOnly(dir);
        mount(&["-o", "remount,ro,bind"], &[dir]).then_some(mounted)
    }
}

impl Drop for ReadOnly<'_> {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(self.0).status());
    }
}

#[test]
fn a_read_only_directory_is_refused() {
    let (_folder, data) = folder();
    furnish(&data);
    let Some(read_only) = ReadOnly::make(&data) else {
        println!("skipped: mounting is not allowed here");
        return;
    };
    all_refuse(&data, "Read-only file system");
    drop(read_only);
    run(&data, &["doctor"]).is(0);
}

#[test]
fn a_full_disk_at_the_start_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = crate::room::SmallDisk::mount(folder.path(), "2m") else {
        println!("skipped: mounting a small file system is not allowed here");
        return;
    };
    let data = disk.path().join("data");
    disk.fill();
    let ran = run(&data, SERVE).is(2);
    assert_eq!(ran.err.lines().count(), 1, "{ran:?}");
    let said = ran.err.to_lowercase();
    assert!(said.contains("full") || said.contains("no space left"), "{ran:?}");
}

#[test]
fn a_bad_configuration_is_refused_with_its_place() {
    for (toml, words) in [
        (
            "[http]\nlisen = \"127.0.0.1:1\"\n",
            "line 2: there is no key `lisen` here; did you mean `listen`?",
        ),
        (
            "[work]\nstop_grace_s = \"soon\"\n",
            "line 2: work.stop_grace_s is \"soon\", but it must be",
        ),
        ("[http]\nmax_connections = 0\n", "a whole number from 1 to 65536"),
        ("[stage.nowhere]\nworkers = 1\n", "there is no stage `nowhere`"),
        ("[http\n", "this is not TOML"),
        ("[http]\nlisten = \"0.0.0.0:1\"\n", "which other machines can reach"),
    ] {
        let (_folder, data) = folder();
        furnish(&data);
        durable::write(&data.join("strongroom.toml"), toml.as_bytes(), false).unwrap();
        let before = listing(&data);
        for arguments in [&["serve"][..], &["items", "list"], &["queues", "pause"], &["doctor"]] {
            run(&data, arguments).refused(words);
        }
        assert_eq!(listing(&data), before, "{toml}");
    }
    let (folder, data) = folder();
    for (name, value, words) in [
        ("HEALTH_PORT", "many", "environment variable HEALTH_PORT"),
        ("HEARTBEAT_TIMEOUT", "0", "environment variable HEARTBEAT_TIMEOUT"),
        ("UPKEEP_PROVE_WORKERS", "1000", "environment variable UPKEEP_PROVE_WORKERS"),
    ] {
        let mut command = program(&data, &["serve"]);
        command.env(name, value);
        ran(command).refused(words);
    }
    run(&data, &["serve", "--listen", "nowhere"]).refused("flag --listen");
    let missing = folder.path().join("missing.toml").display().to_string();
    run(&data, &["serve", "--config", &missing]).refused("cannot read the configuration file");
    assert!(!data.try_exists().unwrap());
}

#[test]
fn a_port_in_use_is_refused_before_anything_is_made() {
    let (_folder, data) = folder();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    run(&data, &["serve", "--listen", &address]).refused("cannot listen on");
    assert!(!data.try_exists().unwrap());
}

#[test]
fn an_unknown_topic_or_filter_is_refused_here_and_there() {
    let check = |data: &Path| {
        for (arguments, words) in [
            (&["queues", "pause", "nowhere"][..], "here is no topic \"nowhere\""),
            (&["queues", "resume", "no/where"], "here is no topic \"no/where\""),
            (&["queues", "empty", "nowhere", "--yes"], "upkeep01_snapshot, upkeep02_prove"),
            (&["queues", "list", "nowhere"], "here is no topic \"nowhere\""),
            (&["requeue", "1", "--stage", "nowhere"], "here is no topic \"nowhere\""),
            (&["items", "list", "--filter", "colour=red"], "is not a filter here"),
            (&["items", "list", "--sort", "name"], "must end in __asc or __desc"),
            (&["items", "list", "--filter", "name"], "is not of the form column=value"),
        ] {
            run(data, arguments).refused(words);
        }
    };
    let (_folder, data) = folder();
    furnish(&data);
    check(&data);
    let state = || run(&data, &["items", "list", "--json"]).json();
    let before = state();
    assert_eq!(state(), before);
    let _server = Server::start(&data);
    check(&data);
}
