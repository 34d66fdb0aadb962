//! A chronicle is read as it was written, whole or not at all.

use std::io::BufReader;

use storage::clock::Timestamp;
use storage::registry::{DepositFacts, NewDeposit, OBJECTS, Query, Registry, Version};

use super::lines::{Heading, Line};
use super::{tell, write};
use crate::fault::Fault;

/// A chronicle of the first format, as it lies in vaults since the first version of the program.
const GOLDEN: &str = include_str!("golden.jsonl");

fn registry() -> (tempfile::TempDir, Registry) {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::open(&dir.path().join("registry.sqlite"), Timestamp(0)).unwrap();
    (dir, registry)
}

fn told(text: &str, registry: &Registry) -> Result<String, String> {
    match tell(BufReader::new(text.as_bytes()), registry, || Ok(())) {
        Ok(object) => Ok(object.identifier),
        Err(Fault::Failed(failure)) => Err(failure.code.to_owned()),
        Err(other) => panic!("{other:?}"),
    }
}

fn export(registry: &Registry) -> Vec<String> {
    let mut rows = Vec::new();
    let exported: Result<(), storage::registry::Error> = registry.export_all(&mut |table, row| {
        rows.push(format!("{table} {row}"));
        Ok(())
    });
    exported.unwrap();
    rows
}

fn objects(registry: &Registry) -> usize {
    registry.list_objects(&Query::all(&OBJECTS)).unwrap().rows.len()
}

#[test]
fn the_first_format_is_understood_for_ever() {
    let (dir, registry) = registry();
    assert_eq!(told(GOLDEN, &registry).unwrap(), "archive.local/letters");
    let once = export(&registry);
    assert!(once.iter().any(|row| row.starts_with("copies") && row.contains("5de580fd")));
    told(GOLDEN, &registry).unwrap();
    assert_eq!(export(&registry), once, "telling again changes nothing");
    // Written again from what was read, it is the same bytes.
    let (mut heading, mut files, mut events) = (None, Vec::new(), Vec::new());
    for line in GOLDEN.lines() {
        match serde_json::from_str(line).unwrap() {
            Line::Heading(it) => heading = Some(*it),
            Line::File(it) => files.push(*it),
            Line::Event(it) => events.push(*it),
            Line::Kept(_) | Line::End(_) => {}
        }
    }
    let (path, heading): (_, Heading) = (dir.path().join("again.jsonl"), heading.unwrap());
    let written = write(&path, heading, files.into_iter(), std::iter::empty(), events.into_iter());
    let written = written.unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), GOLDEN);
    assert_eq!(written.size_bytes, GOLDEN.len() as u64);
}

#[test]
fn what_is_cut_off_or_not_understood_is_never_seen() {
    let lines: Vec<&str> = GOLDEN.lines().collect();
    let newer = GOLDEN.replacen("\"format\":1", "\"format\":3", 1);
    let half = &GOLDEN[..GOLDEN.len() - 9];
    for (text, code) in [
        (lines[..4].join("\n"), "record-malformed"),
        (lines[1..].join("\n"), "record-malformed"),
        ([lines[0], lines[0], lines[4]].join("\n"), "record-malformed"),
        ([lines[0], lines[4]].join("\n"), "record-malformed"),
        (half.to_owned(), "record-malformed"),
        (String::new(), "record-malformed"),
        (newer, "record-newer"),
    ] {
        let (_dir, registry) = registry();
        assert_eq!(told(&text, &registry), Err(code.to_owned()), "{text}");
        assert_eq!(objects(&registry), 0, "{text}");
        told(GOLDEN, &registry).unwrap();
        assert_eq!(objects(&registry), 1);
    }
}

#[test]
fn what_a_lost_item_began_gives_way() {
    let (_dir, registry) = registry();
    let mut other = GOLDEN.lines();
    let heading = other.next().unwrap();
    let Line::Heading(heading) = serde_json::from_str(heading).unwrap() else { panic!() };
    registry.adopt_institution(&heading.institutions[0]).unwrap();
    let lost = NewDeposit {
        object_identifier: "archive.local/letters".into(),
        version: Version(1),
        facts: DepositFacts { item_id: 77, ..heading.deposit.facts.clone() },
    };
    registry.begin_deposit(&lost).unwrap();
    told(GOLDEN, &registry).unwrap();
    let object = registry.object_by_identifier("archive.local/letters").unwrap().unwrap();
    assert_eq!(registry.deposits(object.id, 9).unwrap()[0].facts.item_id, 1);
    assert!(registry.unsealed_deposits(9).unwrap().is_empty());
}

/// A chronicle of the second format, as it was first written: its bag did not have a file of version 1.
const GOLDEN_OF_KEPT: &str = include_str!("golden_kept.jsonl");

#[test]
fn the_second_format_names_files_that_stay_and_is_understood_for_ever() {
    let (_dir, registry) = registry();
    told(GOLDEN, &registry).unwrap();
    told(GOLDEN_OF_KEPT, &registry).unwrap();
    let file = registry.file_by_identifier("archive.local/letters/data/a.txt").unwrap().unwrap();
    assert_eq!(registry.kept_from(file.id, Version(2)).unwrap(), Some(Version(1)));
    assert_eq!(registry.kept_from(file.id, Version(1)).unwrap(), None);
    let once = export(&registry);
    told(GOLDEN_OF_KEPT, &registry).unwrap();
    assert_eq!(export(&registry), once, "telling again changes nothing");
    // What is not true of the object, or was cut off, is never seen.
    for (from, to) in [("data/a.txt", "data/never-there"), ("\"kept\":1", "\"kept\":2")] {
        let (_dir, registry) = super::tests::registry();
        told(GOLDEN, &registry).unwrap();
        assert!(told(&GOLDEN_OF_KEPT.replacen(from, to, 1), &registry).is_err(), "{from}");
        let object = registry.object_by_identifier("archive.local/letters").unwrap().unwrap();
        assert_eq!(object.version, Version(1), "{from}");
    }
}
