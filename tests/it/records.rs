//! Every record that is stored has golden bytes of every version it ever had, and a test that reads
//! them. A record without them could change its shape, and nobody would see it before an old data
//! directory is opened.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Which golden bytes a record has: its type, the name of its files, and the test that reads them.
/// The files are `<name>.v<version>.bin` in the folder `tests/it/golden` of the test's crate.
const GOLDEN: &[(&str, &str, &str)] = &[
    ("()", "expiry", STORAGE),
    ("Assignment", "assignment", STORAGE),
    ("Attempt", "attempt", STORAGE),
    ("BagRecord", "ingest-bag", INGEST),
    ("FileRecord", "ingest-file-new", INGEST),
    ("ItemId", "place", STORAGE),
    ("KeyLease", "lease", STORAGE),
    ("Meta", "meta", STORAGE),
    ("Pace", "pace", STORAGE),
    ("Schedule", "schedule", STORAGE),
    ("SignatureSet", "signature-set", "src/pronom/src/signature/set.rs"),
    ("String", "lease-key", STORAGE),
    ("Topic", "topic", STORAGE),
    ("WorkItem", "item-bare", STORAGE),
    ("u64", "number", STORAGE),
];
const STORAGE: &str = "storage/tests/it/golden.rs";
const INGEST: &str = "src/ingest/records/golden.rs";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn sources(folder: PathBuf, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(path, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            found.push(path);
        }
    }
}

/// Every record that a text declares, with its version; and those that are earlier shapes of others.
fn declared(text: &str, records: &mut BTreeMap<String, u8>, older: &mut BTreeSet<String>) {
    // Records of unit tests are not stored.
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    for (at, _) in text.match_indices("Record for ") {
        let is_trait = text[..at].ends_with("impl ") || text[..at].ends_with("::");
        let rest = &text[at + "Record for ".len()..];
        let name = rest.split(" {").next().unwrap().trim();
        if !is_trait || name == "NoOlder" || name.starts_with('$') {
            continue;
        }
        let after = |mark: &str| rest.split(mark).nth(1).unwrap().split(';').next().unwrap();
        let version = after("const VERSION: u8 = ").parse().unwrap();
        older.insert(after("type Older = ").to_owned());
        records.insert(name.to_owned(), version);
    }
    // The two macros that declare records of one version.
    for mark in ["first_version!(", "\nrecord!("] {
        for (at, _) in text.match_indices(mark) {
            let list = text[at + mark.len()..].split(");").next().unwrap();
            let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
            records.extend(names.map(|name| (name.to_owned(), 1)));
        }
    }
}

#[test]
fn every_stored_record_has_golden_bytes_of_every_version() {
    let mut files = Vec::new();
    sources(root().join("src"), &mut files);
    sources(root().join("storage/src"), &mut files);
    let (mut records, mut older) = (BTreeMap::new(), BTreeSet::new());
    for file in &files {
        declared(&fs::read_to_string(file).unwrap(), &mut records, &mut older);
    }
    // An earlier shape is read by way of the record that it became.
    records.retain(|name, _| !older.contains(name));
    let mut lacking = Vec::new();
    for (name, version) in &records {
        let Some((_, stem, test)) = GOLDEN.iter().find(|(record, ..)| record == name) else {
            lacking.push(format!(
                "{name}: add its golden bytes, a test that reads them, and a line here"
            ));
            continue;
        };
        let text = fs::read_to_string(root().join(test)).unwrap();
        if !text.contains(&format!("\"{stem}\"")) {
            lacking.push(format!("{name}: {test} does not read {stem}"));
        }
        let folder = if test.starts_with("storage/") { "storage/tests/it" } else { "tests/it" };
        for version in 1..=*version {
            let file = format!("{folder}/golden/{stem}.v{version}.bin");
            if !root().join(&file).try_exists().unwrap() {
                lacking.push(format!("{name}: there is no {file}"));
            }
        }
    }
    let gone = GOLDEN.iter().filter(|(name, ..)| !records.contains_key(*name));
    lacking.extend(gone.map(|(name, ..)| format!("{name} is no record any more")));
    assert!(lacking.is_empty(), "{lacking:#?}");
    assert!(records.len() > 10, "the sources were not read: {records:?}");
}
