//! The rules of the house that a program can check. Each test lists every offence, so that they
//! are mended in one round.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use strongroom::flows::FLOWS;
use strongroom::work::Chart;

/// Which room stands on which floor, in tenths. A room uses lower floors only, never its own.
///
/// Where rooms of the plan's second and third floor use one another there is a landing between:
/// `work` is told its sizes by `config`, `app` answers with `health`, and `desk` stands between
/// the lists and those who come to it, http and the command line.
const FLOORS: &[(&str, u32)] = &[
    ("heap", 5),
    ("fault", 10),
    ("signature_store", 10),
    ("config", 15),
    ("rights", 15),
    ("work", 20),
    ("certificate", 20),
    // Addresses that others name are reached by one way, with one rule for where it may lead.
    ("outside", 20),
    ("telemetry", 20),
    ("exposure", 20),
    ("premis", 25),
    ("health", 25),
    ("rights", 26),
    ("accounts", 27),
    ("arrivals", 27),
    ("maintenance", 27),
    ("vaults", 27),
    ("outbox", 27),
    ("atlas", 27),
    // A bucket is reached as a replica is.
    ("doorstep", 28),
    // Research needs the registry and the work state only; `app` opens it.
    ("research", 28),
    ("custody", 29),
    ("app", 30),
    ("checkup", 31),
    ("ledger", 32),
    ("chronicle", 35),
    // Stages raise alerts, so these stand below every flow.
    ("alerts", 36),
    // Deposits and people supply what copies are repaired with.
    ("replacement", 38),
    ("upkeep", 40),
    ("fixity", 40),
    ("ingest", 40),
    ("deletion", 40),
    ("restore", 40),
    ("researcher", 40),
    ("curator", 40),
    ("assess", 40),
    // They read what the flows leave behind.
    ("reports", 45),
    ("ndsa", 45),
    ("flows", 50),
    ("desk", 55),
    // Messages are handed to the desk, as whoever calls hands them over.
    ("sqs", 58),
    ("http", 60),
    ("appliance", 70),
    ("cli", 80),
    ("main", 90),
];

/// The crates below the application, which know nothing of it.
const ENGINES: [&str; 7] =
    ["bagit", "byteio", "digests", "nutrients", "ocfl", "pronom", "soundmatch"];

/// Which crates are named where, and nowhere else.
const NAMED_IN: &[(&str, &[&str])] = &[
    ("sled", &["storage/src/error.rs", "storage/src/work/"]),
    // Boundaries and reference layers come as GeoPackages, which are SQLite files.
    (
        "rusqlite",
        &["storage/src/registry/", "src/nutrients/src/input/", "src/nutrients/src/reference/"],
    ),
    ("bincode", &["src/byteio/src/record.rs"]),
    ("chacha20poly1305", &["storage/src/registry/account/seal.rs"]),
    ("roaring", &["storage/src/registry/research/clip_set.rs"]),
    ("axum", &["src/http/"]),
    // The command line has a small client of its own.
    ("hyper", &["src/http/", "src/cli/client.rs", "src/ocfl/src/tests/"]),
    ("hyper_util", &["src/http/", "src/cli/client.rs", "src/ocfl/src/tests/"]),
    // Stages are plain functions: async lives at the edge and with those who start it.
    ("tokio", &["src/http/", "src/cli/", "src/appliance", "src/ocfl/src/"]),
    ("object_store", &["src/ocfl/src/media/"]),
    (
        "reqwest",
        &[
            "src/outbox/hook.rs",
            "src/outbox/callback.rs",
            "src/ocfl/src/media/thaw.rs",
            "src/ocfl/src/media/aws.rs",
            "src/outside/",
        ],
    ),
    ("lettre", &["src/outbox/smtp.rs"]),
    (
        "rustls",
        &[
            "src/ocfl/src/media/",
            "src/outbox/hook.rs",
            "src/outside/",
            "src/certificate.rs",
            "src/http/server/tls.rs",
            "src/cli/server.rs",
        ],
    ),
    ("rustls_platform_verifier", &["src/cli/server.rs"]),
    ("tokio_rustls", &["src/http/server/tls.rs", "src/cli/server.rs"]),
    ("symphonia", &["src/soundmatch/src/hearing/"]),
    ("ruopus", &["src/soundmatch/src/hearing/opus.rs"]),
    ("realfft", &["src/soundmatch/src/"]),
    (
        "rayon",
        &[
            "src/work/",
            "src/digests/src/",
            "src/bagit/src/source/",
            "src/pronom/src/files/",
            "src/ocfl/src/",
            "src/ingest/identify.rs",
            "src/soundmatch/src/",
            "src/researcher/bench.rs",
            "src/nutrients/src/",
            "src/cli/assess.rs",
        ],
    ),
    ("clap", &["src/cli/"]),
    ("argon2", &["src/accounts/password.rs"]),
    ("getrandom", &["src/accounts/", "storage/src/registry/account/seal.rs"]),
    // What we write is read back by it, in a test.
    (
        "roxmltree",
        &[
            "src/pronom/src/signature/",
            "src/premis/xml.rs",
            "src/research/catalogue/",
            "src/nutrients/src/input/",
        ],
    ),
    ("aho_corasick", &["src/pronom/src/looking/"]),
    (
        "memchr",
        &[
            "src/pronom/src/looking/",
            "src/http/deposits/parts.rs",
            "src/http/csrf/",
            "src/byteio/src/xml_bounds.rs",
        ],
    ),
    ("maud", &["web/", "src/http/"]),
];

/// Lines of one file, blank ones and its tests at the end not counted.
const LINES: usize = 400;

const SOURCES: [&str; 3] = ["src", "storage/src", "web/src"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of ours below a folder, relative to the root.
fn files_below(folder: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(root().join(&folder)) else { continue };
        for entry in entries {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = folder.join(&name);
            let foreign = ["target", ".git", ".jj", "node_modules"].contains(&name.as_str());
            if entry.file_type().unwrap().is_dir() {
                folders.extend((!foreign).then_some(path));
            } else if entry.file_type().unwrap().is_file() {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn rust_files(folders: &[&str]) -> Vec<String> {
    let all = folders.iter().flat_map(|folder| files_below(folder));
    all.filter(|path| path.ends_with(".rs")).collect()
}

fn text(path: &str) -> String {
    let bytes = fs::read(root().join(path)).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The lines of a file that are code, with their numbers.
fn code(path: &str) -> Vec<(usize, String)> {
    let text = text(path);
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.to_owned()));
    lines.filter(|(_, line)| !line.trim_start().starts_with("//")).collect()
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

fn none(offences: Vec<String>, rule: &str) {
    assert!(offences.is_empty(), "{rule}:\n  {}", offences.join("\n  "));
}

/// The same lines, with every `use` that goes over several put into one.
fn whole_uses(lines: Vec<(usize, String)>) -> Vec<(usize, String)> {
    let mut whole: Vec<(usize, String)> = Vec::new();
    for (number, line) in lines {
        match whole.last_mut() {
            Some((_, last)) if last.starts_with("use ") && !last.ends_with(';') => {
                last.push_str(line.trim_start());
            }
            Some(_) | None => whole.push((number, line)),
        }
    }
    whole
}

/// The source files of the application itself.
fn own_files() -> Vec<String> {
    let is_own = |path: &String| !ENGINES.contains(&room(path));
    rust_files(&["src"]).into_iter().filter(is_own).collect()
}

/// The room a source file is in.
fn room(path: &str) -> &str {
    let inside = path.strip_prefix("src/").unwrap();
    inside.split(['/', '.']).next().unwrap()
}

/// The rooms named after `crate::`, alone or in braces.
fn rooms_used(line: &str, name: &str) -> Vec<String> {
    let mut used = Vec::new();
    for (at, _) in line.match_indices(name) {
        if line[..at].ends_with(|before: char| before.is_alphanumeric() || "_:\"$".contains(before))
        {
            continue;
        }
        let rest = &line[at + name.len()..];
        match rest.strip_prefix('{') {
            Some(list) => used.extend(list.split(',').map(first_word)),
            None => used.push(first_word(rest)),
        }
    }
    used
}

fn first_word(text: &str) -> String {
    words(text.trim_start()).next().unwrap_or_default().to_owned()
}

#[test]
fn a_room_uses_lower_floors_only() {
    let floor = |room: &str| FLOORS.iter().find(|(name, _)| *name == room).map(|(_, at)| *at);
    let mut offences = Vec::new();
    for path in own_files() {
        let own = room(&path);
        if own == "lib" {
            continue;
        }
        let Some(at) = floor(own) else {
            offences.push(format!("{path}: room {own} stands on no floor; give it one here"));
            continue;
        };
        let name = if own == "main" { "strongroom::" } else { "crate::" };
        for (number, line) in whole_uses(code(&path)) {
            for used in rooms_used(&line, name) {
                let lower = floor(&used).is_some_and(|used| used < at);
                // Names in capitals or macros are the crate's own, not a room's.
                if used != own && !lower && floor(&used).is_some() {
                    offences.push(format!("{path}:{number}: {own} uses {used}"));
                }
            }
        }
    }
    none(offences, "a room uses lower floors only, never its own");
}

#[test]
fn every_floor_has_its_room() {
    let rooms: BTreeSet<_> = own_files().iter().map(|path| room(path).to_owned()).collect();
    let gone = FLOORS.iter().filter(|(name, _)| !rooms.contains(*name));
    none(gone.map(|(name, _)| (*name).to_owned()).collect(), "these rooms are not there any more");
}

#[test]
fn crates_are_named_where_they_belong() {
    let mut offences = Vec::new();
    for path in rust_files(&SOURCES) {
        for (number, line) in code(&path) {
            for (name, places) in NAMED_IN {
                let path_of = format!("{name}::");
                let names = line.match_indices(&path_of).any(|(at, _)| {
                    !line[..at].ends_with(|it: char| it.is_alphanumeric() || it == '_' || it == ':')
                });
                let uses = line.trim_start().starts_with(&format!("use {name};"));
                if (names || uses) && !places.iter().any(|place| path.starts_with(place)) {
                    offences.push(format!("{path}:{number}: names {name}"));
                }
            }
        }
    }
    none(offences, "a crate is named in its own room only");
}

#[test]
fn what_ingest_and_vault_write_is_flushed_where_a_test_can_cut_the_power() {
    let mut offences = Vec::new();
    for path in rust_files(&["src/ingest", "src/ocfl/src"]) {
        if path.contains("/tests/") {
            continue;
        }
        for (number, line) in code(&path) {
            let flushes = ["sync_all(", "sync_data(", "syncfs("];
            let found = flushes.iter().filter(|word| line.contains(**word));
            offences.extend(found.map(|word| format!("{path}:{number}: {word}")));
        }
    }
    none(offences, "byteio::durable makes every flush");
}

#[test]
fn the_lower_crates_know_nothing_above_them() {
    let mut offences = Vec::new();
    for (folder, unknown) in [
        ("storage/src", ["strongroom::", "axum::", "web::"]),
        ("web/src", ["storage::", "strongroom::", "std::fs"]),
    ] {
        for path in rust_files(&[folder]) {
            for (number, line) in code(&path) {
                let named = unknown.iter().filter(|name| !rooms_used(&line, name).is_empty());
                offences.extend(named.map(|name| format!("{path}:{number}: {name}")));
            }
        }
    }
    none(offences, "storage and web stand on nothing of ours");
}

#[test]
fn an_engine_depends_on_nothing_of_the_appliance() {
    let mut offences = Vec::new();
    for engine in ENGINES {
        let manifest = text(&format!("src/{engine}/Cargo.toml"));
        let dependencies = manifest.split("[dependencies]\n").nth(1).unwrap();
        for line in dependencies.lines() {
            let name = line.split(['.', ' ']).next().unwrap_or_default();
            let foreign = ["axum", "clap", "sled", "storage", "strongroom", "tracing-subscriber"];
            // Boundaries come as GeoPackages, and buckets are reached over the network.
            let allowed = match engine {
                "nutrients" => &["rusqlite"][..],
                "ocfl" => &["object_store", "reqwest", "tokio"],
                _ => &[],
            };
            let outside = ["object_store", "reqwest", "rusqlite", "tokio"];
            if foreign.contains(&name) || outside.contains(&name) && !allowed.contains(&name) {
                offences.push(format!("{engine}: {name}"));
            }
        }
    }
    none(offences, "an engine is of use without the appliance");
}

#[test]
fn no_file_is_too_long() {
    let mut offences = Vec::new();
    for path in rust_files(&SOURCES) {
        if path.contains("/tests/") || path.ends_with("/tests.rs") {
            continue;
        }
        let text = text(&path);
        let own = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = own.lines().filter(|line| !line.trim().is_empty()).count();
        if lines > LINES {
            offences.push(format!("{path} has {lines} lines"));
        }
    }
    none(offences, "look for a seam");
}

#[test]
fn nothing_is_left_for_later() {
    // In pieces, so that this file may be read as well.
    let banned = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("FIX", "ME"),
        concat!("#[", "ignore"),
        concat!("#[", "should_panic"),
        concat!("XX", "X:"),
    ];
    let mut offences = Vec::new();
    for path in rust_files(&["src", "storage", "web", "tests"]) {
        for (at, line) in text(&path).lines().enumerate() {
            let found = banned.iter().filter(|word| line.contains(**word));
            offences.extend(found.map(|word| format!("{path}:{}: {word}", at + 1)));
        }
    }
    none(offences, "do it, or write an issue");
}

#[test]
fn everything_is_called_by_what_it_is() {
    let folders = ["util", "utils", "common", "helpers", "misc"];
    // Whole words of a name in capitals; `snake` ones whole as well.
    let banned = ["manager", "helper", "helpers", "util", "utils"];
    let kinds = ["struct", "enum", "trait", "type", "fn", "mod", "const", "static"];
    let mut offences = Vec::new();
    for path in rust_files(&["src", "storage", "web", "tests"]) {
        if path.split(['/', '.']).any(|part| folders.contains(&part)) {
            offences.push(path.clone());
        }
        for (number, line) in code(&path) {
            let mut words = words(&line).filter(|word| !word.is_empty());
            while let Some(word) = words.next() {
                let Some(name) = kinds.contains(&word).then(|| words.next()).flatten() else {
                    continue;
                };
                if parts(name).iter().any(|part| banned.contains(&part.as_str())) {
                    offences.push(format!("{path}:{number}: {name}"));
                }
            }
        }
    }
    none(offences, "name the thing");
}

/// The words a name is made of, in small letters.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for letter in name.chars() {
        if letter == '_' || letter.is_uppercase() {
            parts.push(String::new());
        }
        if letter != '_' {
            parts.last_mut().unwrap().extend(letter.to_lowercase());
        }
    }
    parts
}

#[test]
fn every_source_file_is_part_of_the_program() {
    let mut offences = Vec::new();
    let mut crates = vec![
        ("src".to_owned(), own_files(), &["lib.rs", "main.rs"][..]),
        ("storage/src".to_owned(), rust_files(&["storage/src"]), &["lib.rs"]),
        ("web/src".to_owned(), rust_files(&["web/src"]), &["lib.rs"]),
        ("tests/it".to_owned(), rust_files(&["tests/it"]), &["main.rs"]),
        ("storage/tests/it".to_owned(), rust_files(&["storage/tests/it"]), &["main.rs"]),
    ];
    for engine in ENGINES {
        let folder = format!("src/{engine}/src");
        let files = rust_files(&[&folder]);
        crates.push((folder, files, &["lib.rs"]));
    }
    for (folder, files, tops) in crates {
        for path in files {
            let inside = path.strip_prefix(&folder).unwrap().trim_start_matches('/');
            if !tops.contains(&inside) && !declared(&folder, inside, tops) {
                offences.push(path);
            }
        }
    }
    none(offences, "these files are in no module");
}

/// Whether the file above names this one.
fn declared(folder: &str, inside: &str, tops: &[&str]) -> bool {
    let module = inside.trim_end_matches(".rs").trim_end_matches("/mod");
    let (above, name) = module.rsplit_once('/').unwrap_or(("", module));
    let above = match above {
        "" => tops.iter().map(|top| format!("{folder}/{top}")).collect(),
        above => vec![format!("{folder}/{above}.rs"), format!("{folder}/{above}/mod.rs")],
    };
    let line = format!("mod {name};");
    let names = |path: &String| {
        let there = root().join(path).is_file();
        there && code(path).iter().any(|(_, code)| code.trim_start_matches("pub").ends_with(&line))
    };
    above.iter().any(names)
}

#[test]
fn no_file_knows_the_machine_it_was_written_on() {
    let places = [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/wo", "rk/main")];
    let mut offences = Vec::new();
    for path in files_below("") {
        for (at, line) in text(&path).lines().enumerate() {
            if places.iter().any(|place| line.contains(place)) {
                offences.push(format!("{path}:{}: {}", at + 1, line.trim()));
            }
        }
    }
    none(offences, "paths of one machine are in these files");
}

#[test]
fn the_check_judges_dependencies_and_installs_what_judges_them() {
    let check = text("scripts/check");
    // Whole lines: a comment calls nothing, and what is followed by `|| true` fails nothing.
    for call in [
        "set -o errexit -o nounset -o pipefail",
        "  target/tools/bin/cargo-deny --locked --config .deny.toml \"$@\"",
        "  CARGO_TARGET_DIR=target/tools cargo install cargo-deny --locked --debug --quiet \\",
        "deny --log-level error check bans licenses sources",
        "  deny --log-level error check --disable-fetch advisories",
    ] {
        assert!(check.lines().any(|line| line == call), "scripts/check has no line: {call}");
    }
    assert!(text("scripts/test").lines().any(|line| line == "scripts/check"));
}

#[test]
fn links_in_the_documents_lead_somewhere() {
    let mut offences = Vec::new();
    for path in files_below("").iter().filter(|path| path.ends_with(".md")) {
        let folder = Path::new(path).parent().unwrap();
        for link in links(&text(path)) {
            let target = link.split('#').next().unwrap_or_default();
            let outside = link.contains("://") || link.starts_with("mailto:");
            if !outside
                && !target.is_empty()
                && fs::metadata(root().join(folder).join(target)).is_err()
            {
                offences.push(format!("{path}: {link}"));
            }
        }
    }
    none(offences, "these links lead nowhere");
}

/// What stands in the brackets of every `[text](link)`.
fn links(text: &str) -> Vec<String> {
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(link, _)| link.split_whitespace().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn names_on_disk_are_unique_and_plain() {
    let mut seen = BTreeSet::new();
    let mut offences = Vec::new();
    for stage in Chart::known_stages(FLOWS) {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if !stage.topic.bytes().all(plain) || !seen.insert(stage.topic) {
            offences.push(stage.topic.to_owned());
        }
    }
    for flow in FLOWS {
        let own = |topic: &str| flow.stages.iter().any(|stage| stage.about().topic == topic);
        if !seen.insert(flow.name) || flow.cleanup.is_some_and(|cleanup| !own(cleanup)) {
            offences.push(flow.name.to_owned());
        }
    }
    none(offences, "topics and flows have names of their own, and clean up in their own flow");
}

/// The rules are worth as much as their readers: these must find what they look for.
#[test]
fn the_readers_read() {
    let used = |line: &str| rooms_used(line, "crate::");
    assert_eq!(used("use crate::http::Refusal;"), ["http"]);
    assert_eq!(used("    let text = crate::fault::chain(&crate::app::App);"), ["fault", "app"]);
    assert_eq!(used("use crate::{app::App, work::Job};"), ["app", "work"]);
    assert_eq!(used("$crate::work::record"), Vec::<String>::new());
    let split = ["use crate::{", "    app::App,", "};", "x"].map(|line| (1, line.to_owned()));
    assert_eq!(whole_uses(split.into())[0].1, "use crate::{app::App,};");
    assert_eq!(parts("JobManager_of_utils"), ["", "job", "manager", "of", "utils"]);
    assert_eq!(links("see [a](b.md#c) and [d](https://e)"), ["b.md#c", "https://e"]);
    assert!(declared("src", "work/job.rs", &["lib.rs"]));
    assert!(!declared("src", "work/no_such_file.rs", &["lib.rs"]));
    assert!(files_below("src").iter().any(|path| path == "src/work/mod.rs"));
}
