//! What each command says and how it ends: the same whether the directory is served or not.

use std::path::Path;

use serde_json::Value;

use crate::command::{Server, folder, furnish, listing, open, program, ran, run};

/// Runs a test on a furnished directory, first with nobody there, then with one that is served.
fn both(test: impl Fn(&Path)) {
    let (_folder, data) = folder();
    furnish(&data);
    test(&data);
    let (_folder, data) = folder();
    furnish(&data);
    let mut server = Server::start(&data);
    test(&data);
    assert!(server.is_running());
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

const ITEM_LIST: [&str; 4] = ["count", "count_is_exact", "items", "next_cursor"];
const ITEM_DETAIL: [&str; 8] = [
    "attempts",
    "cancellable",
    "findings",
    "item",
    "kept_until",
    "removable",
    "requeue_to",
    "takeable",
];
const ATTEMPT: [&str; 7] =
    ["finished_at", "item_id", "note", "number", "outcome", "started_at", "topic"];
const FINDING: [&str; 7] =
    ["attempt", "code", "item_id", "ordinal", "place", "sentence", "severity"];
const QUEUE: [&str; 21] = [
    "action",
    "buffer",
    "cancelled",
    "claimed",
    "delayed",
    "done",
    "expired",
    "failed",
    "flow",
    "healthy",
    "in_flight",
    "label",
    "max_attempts",
    "oldest_seconds",
    "parked",
    "paused",
    "pushed",
    "ready",
    "retried",
    "topic",
    "workers",
];

#[test]
fn items_are_listed_and_shown() {
    both(|data| {
        let list = run(data, &["items", "list", "--json"]).is(0).json();
        assert_eq!(keys(&list), ITEM_LIST);
        let row = &list["items"][0];
        for key in ["id", "name", "status", "stage", "topic", "state", "note", "reason", "size"] {
            assert!(row.get(key).is_some(), "no {key} in {row}");
        }
        let of = |filter: &[&str]| {
            let arguments = [&["items", "list", "--json", "--sort", "id__asc"], filter].concat();
            let list = run(data, &arguments).is(0).json();
            let rows = list["items"].as_array().unwrap();
            rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of(&["--status", "Suspended"]), ["bag-one"]);
        assert_eq!(
            of(&["--topic", "upkeep01_snapshot", "--name", "BAG"]),
            ["bag-two", "bag-three"]
        );
        assert_eq!(of(&["--reason", "disk-full"]), ["bag-one"]);
        assert_eq!(
            of(&["--filter", "id__gt=1", "--filter", "size=7", "--per-page", "1"]),
            ["bag-two"]
        );
        assert_eq!(of(&["--name", "nothing"]), [""; 0]);
        let table = run(data, &["items", "list", "--name", "bag"]).is(0).out;
        assert!(table.starts_with("ITEM ") && table.ends_with("3 of 3 items\n"), "{table}");
        assert_eq!(run(data, &["items", "list", "--name", "nothing"]).is(0).out, "No items.\n");

        let item = run(data, &["items", "show", "1", "--json"]).is(0).json();
        assert_eq!(keys(&item), ITEM_DETAIL);
        assert_eq!(keys(&item["attempts"][0]), ATTEMPT);
        assert_eq!(keys(&item["findings"][0]), FINDING);
        let text = run(data, &["items", "show", "1"]).is(0).out;
        for words in ["Item 1: bag-one", "What to do next: Make room.", "digest-differs", "parked"]
        {
            assert!(text.contains(words), "no {words:?} in {text}");
        }
        assert!(!text.contains('\u{7}'), "a terminal must not be steered by a file's name");
        assert!(text.contains("May be requeued to: upkeep01_snapshot, upkeep02_prove"), "{text}");
        let missing = run(data, &["items", "show", "99"]).is(1);
        assert!(missing.err.to_lowercase().contains("there is no item 99"), "{missing:?}");
    });
}

#[test]
fn items_are_cancelled_and_requeued() {
    both(|data| {
        let cancelled = run(data, &["items", "cancel", "2", "--json"]).is(0).json();
        assert_eq!(keys(&cancelled), ITEM_DETAIL);
        assert_eq!(cancelled["item"]["status"], "Cancelled");
        let again = run(data, &["items", "cancel", "2"]).is(1);
        assert!(again.err.contains("has ended (Cancelled)"), "{again:?}");

        run(data, &["requeue", "1", "--stage", "nowhere"]).is(2);
        let refused = run(data, &["requeue", "3", "--stage", "upkeep02_prove"]).is(1);
        assert!(refused.err.contains("it may go back to upkeep01_snapshot"), "{refused:?}");
        let requeued = run(data, &["requeue", "1", "--stage", "upkeep01_snapshot"]).is(0);
        assert_eq!(requeued.out, "Item 1 (bag-one) is back in line for Snapshot.\n");
        let item = run(data, &["items", "show", "1", "--json"]).json();
        assert_eq!(
            (&item["item"]["state"], &item["item"]["topic"]),
            (&"ready".into(), &"upkeep01_snapshot".into())
        );
        run(data, &["requeue", "99"]).is(1);
        run(data, &["requeue"]).is(2);
        run(data, &["requeue", "1", "--reason", "x"]).is(2);
    });
}

#[test]
fn everything_of_one_reason_is_requeued() {
    both(|data| {
        let none = run(data, &["requeue", "--reason", "nothing"]).is(1);
        assert!(none.err.contains("othing is parked for the reason"), "{}", none.err);
        run(data, &["requeue", "--reason", "disk-full", "--stage", "nowhere"]).is(2);
        let requeued = run(data, &["requeue", "--reason", "disk-full", "--json"]).is(0).json();
        assert_eq!(requeued, serde_json::json!({"requeued": 1}));
        let item = run(data, &["items", "show", "1", "--json"]).json();
        assert_eq!(item["item"]["state"], "ready");
    });
}

#[test]
fn queues_are_listed_paused_resumed_and_emptied() {
    both(|data| {
        let rows = run(data, &["queues", "list", "--json"]).is(0).json();
        let topics = strongroom::flows::FLOWS.iter().map(|flow| flow.stages.len()).sum::<usize>();
        assert_eq!(rows.as_array().unwrap().len(), topics);
        assert_eq!(keys(&rows[0]), QUEUE);
        let one = run(data, &["queues", "list", "upkeep02_prove"]).is(0).out;
        assert!(one.starts_with("TOPIC ") && one.lines().count() == 2, "{one}");
        assert!(one.contains("paused"), "{one}");

        let rows = run(data, &["queues", "resume", "upkeep02_prove", "--json"]).is(0).json();
        let paused = |topic: &str| {
            let found = rows.as_array().unwrap().iter().find(|row| row["topic"] == topic);
            found.unwrap()["paused"].clone()
        };
        assert_eq!(
            (paused("upkeep01_snapshot"), paused("upkeep02_prove")),
            (true.into(), false.into())
        );
        run(data, &["queues", "pause"]).is(0);

        let asked = run(data, &["queues", "empty", "upkeep01_snapshot"]).is(1);
        assert!(asked.err.contains("say --yes"), "{asked:?}");
        run(data, &["queues", "empty", "upkeep02_prove", "--yes"]).is(0);
        let emptied = run(data, &["queues", "empty", "upkeep01_snapshot", "--yes", "--json"]).is(0);
        // Two of ours, and the one that a served house makes for itself.
        assert!([2, 3].map(Value::from).contains(&emptied.json()["cancelled"]), "{emptied:?}");
        assert_eq!(
            run(data, &["items", "list", "--status", "Suspended", "--json"]).json()["count"],
            1
        );
    });
}

#[test]
fn the_doctor_is_content_and_says_so() {
    both(|data| {
        assert_eq!(run(data, &["doctor"]).is(0).out, "All is well.\n");
        let diagnosis = run(data, &["doctor", "--mend", "--json"]).is(0).json();
        assert_eq!(diagnosis, serde_json::json!({"findings": []}));
    });
}

#[test]
fn an_export_holds_everything_and_is_the_same_either_way() {
    let (folder, data) = folder();
    furnish(&data);
    let to = |name: &str| folder.path().join(name);
    let closed = to("closed").display().to_string();
    let said = run(&data, &["export", "--to", &closed]).is(0).out;
    let tables = storage::registry::EXPORTED_TABLES;
    let parts: Vec<&str> = tables.iter().copied().chain(["work"]).collect();
    assert_eq!(said.lines().count(), parts.len(), "{said}");
    let app = open(&data);
    for part in parts {
        let mut known = Vec::new();
        match part {
            "work" => app.desk().export_work(&mut known).unwrap(),
            table => app.desk().export_table(table, &mut known).unwrap(),
        };
        let written = std::fs::read(to("closed").join(format!("{part}.jsonl"))).unwrap();
        if part != "work" {
            assert_eq!(String::from_utf8(written).unwrap(), String::from_utf8(known).unwrap());
        } else {
            // The number of the run is in it, and this is another run.
            assert_eq!(
                written.split(|byte| *byte == b'\n').count(),
                known.split(|byte| *byte == b'\n').count()
            );
        }
    }
    drop(app);
    let server = Server::start(&data);
    let served = to("served").display().to_string();
    run(&data, &["export", "--to", &served]).is(0);
    for part in ["work_attempts", "work_findings"] {
        let of = |name: &str| std::fs::read(to(name).join(format!("{part}.jsonl"))).unwrap();
        assert_eq!(of("closed"), of("served"), "{part}");
    }
    assert!(listing(&to("served")).keys().all(|path| path.extension().unwrap() == "jsonl"));
    drop(server);
    let file = to("a-file");
    byteio::durable::write(&file, b"in the way", false).unwrap();
    run(&data, &["export", "--to", &file.display().to_string()]).refused("cannot write to");
}

#[test]
fn completions_need_no_directory() {
    let (_folder, data) = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&data, &["completions", shell]).is(0).out;
        assert!(script.contains("strongroom") && script.contains("doctor"), "{shell}");
    }
    run(&data, &["completions", "tcsh"]).is(2);
    assert!(!data.try_exists().unwrap());
}

#[test]
fn the_help_of_every_command_has_an_example() {
    let (_folder, data) = folder();
    for command in [
        "",
        "serve",
        "items",
        "items list",
        "items show",
        "items cancel",
        "queues",
        "queues list",
        "queues pause",
        "queues resume",
        "queues empty",
        "requeue",
        "identify",
        "formats",
        "formats show",
        "formats update",
        "formats revert",
        "doctor",
        "export",
        "completions",
    ] {
        let words: Vec<_> = command.split(' ').filter(|word| !word.is_empty()).collect();
        let help = run(&data, &[&words[..], &["--help"]].concat()).is(0).out;
        let example = format!("  strongroom {command}");
        assert!(help.contains("Example") && help.contains(&example), "{command}: {help}");
    }
    assert!(!data.try_exists().unwrap());
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let (_folder, data) = folder();
    furnish(&data);
    for arguments in
        [&["items", "list", "--json"][..], &["queues", "list"], &["completions", "bash"]]
    {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = program(&data, arguments);
        command.stdout(writer).stderr(std::process::Stdio::piped());
        let output = command.spawn().unwrap().wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn logs_go_to_standard_error_and_answers_to_standard_output() {
    let (_folder, data) = folder();
    furnish(&data);
    let mut command = program(&data, &["items", "list", "--json"]);
    command.env("STRONGROOM_LOG", "trace");
    ran(command).is(0).json();
}
