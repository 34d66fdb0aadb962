//! The events of the described system's tables, with validation and format identification, for a
//! first deposit and for a second.

use std::time::Duration;

use digests::Algorithm;
use storage::registry::{Counting, EVENTS, EventRow, EventType, FileRow, Query, Scope};
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::{LETTERS, bag, deposit, deposit_letters, hex, rig, rig_configured, write_tar};
use crate::harness::Rig;

const AGENT: &str = concat!("Strongroom ", env!("CARGO_PKG_VERSION"));

fn all(pairs: &[(&str, &str)]) -> Query {
    let mut asked =
        vec![("per_page".to_owned(), "1000".to_owned()), ("sort".to_owned(), "id__asc".to_owned())];
    asked.extend(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Query::parse(&EVENTS, &asked).unwrap().counting(Counting::No)
}

fn file(rig: &Rig<App>, path: &str) -> FileRow {
    let identifier = format!("archive.local/letters/{path}");
    rig.app().registry.file_by_identifier(&identifier).unwrap().unwrap()
}

/// What is told of a file, with the version that it happened in.
fn of_file(rig: &Rig<App>, path: &str) -> Vec<String> {
    let events = rig.app().registry.list_file_events(file(rig, path).id, all(&[])).unwrap().rows;
    events.iter().map(told).collect()
}

fn of_object(rig: &Rig<App>) -> Vec<String> {
    let asked = all(&[("scope", Scope::Object.name())]);
    rig.app().registry.list_events(&asked).unwrap().rows.iter().map(told).collect()
}

fn told(event: &EventRow) -> String {
    assert_eq!((event.agent.as_str(), event.object.as_str()), (AGENT, AGENT));
    let EventRow { event_type, outcome, outcome_detail, .. } = event;
    let version = event.version.unwrap();
    format!("v{version} {event_type}: {outcome}, {outcome_detail}")
}

/// The events of one file that every saving of it has.
fn saved(rig: &Rig<App>, version: u32, path: &str, bytes: &[u8], puid: &str) -> Vec<String> {
    let digest = |algorithm: Algorithm| format!("{algorithm}:{}", hex(algorithm, bytes));
    let mut events: Vec<String> =
        [Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512]
            .map(|it| format!("v{version} message digest calculation: Success, {}", digest(it)))
            .to_vec();
    if path.starts_with("data/") {
        for algorithm in [Algorithm::Md5, Algorithm::Sha256] {
            events.push(format!("v{version} fixity check: Success, {}", digest(algorithm)));
        }
    }
    let outcome = if puid == "unknown" { "Warning" } else { "Success" };
    events.push(format!("v{version} format identification: {outcome}, {puid}"));
    events.push(format!("v{version} ingestion: Success, {}", digest(Algorithm::Sha512)));
    let versions = rig.app().registry.file_versions(file(rig, path).id, 10).unwrap();
    let content = &versions.iter().find(|it| it.version.0 == version).unwrap().content_path;
    events.push(format!("v{version} replication: Success, {content}"));
    events
}

/// The events of a file that was not known before.
fn named(rig: &Rig<App>, version: u32, path: &str) -> Vec<String> {
    let file = file(rig, path);
    [file.identifier, file.uuid.to_string()]
        .map(|name| format!("v{version} identifier assignment: Success, {name}"))
        .to_vec()
}

#[test]
fn everything_that_happened_is_told_once() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    let profile = &rig.app().registry.object_by_identifier("archive.local/letters").unwrap();
    let profile = profile.as_ref().unwrap().bagit_profile_identifier.clone();
    let first = [
        format!("v1 validation: Success, {profile}"),
        "v1 creation: Success, intellectual object created".to_owned(),
        "v1 identifier assignment: Success, archive.local/letters".to_owned(),
        "v1 ingestion: Success, 6 files copied".to_owned(),
        "v1 access assignment: Success, institution".to_owned(),
    ];
    assert_eq!(of_object(&rig), first);
    let text = "x-fmt/111";
    for (path, bytes, puid) in [
        ("data/a.txt", &b"alpha\n"[..], text),
        ("data/deep/er/b.xml", b"<?xml version=\"1.0\"?>\n<b/>\n", "fmt/101"),
        ("data/empty", b"", "unknown"),
        ("bag-info.txt", b"Source-Organization: An archive\n", text),
    ] {
        let expected = [saved(&rig, 1, path, bytes, puid), named(&rig, 1, path)].concat();
        assert_eq!(of_file(&rig, path), expected, "{path}");
    }
    let before = of_file(&rig, "data/empty");

    let changed: &[(&str, &[u8])] = &[("a.txt", b"ALPHA\n"), ("new.txt", b"new\n"), ("empty", b"")];
    deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &bag(changed))).unwrap();
    rig.drain_all();
    let second = [
        format!("v2 validation: Success, {profile}"),
        "v2 ingestion: Success, 2 files copied".to_owned(),
        "v2 access assignment: Success, institution".to_owned(),
    ];
    assert_eq!(of_object(&rig), [&first[..], &second].concat());
    // Changed: as before and once more, but for the names, which it has already.
    let path = "data/a.txt";
    let once = [saved(&rig, 1, path, b"alpha\n", text), named(&rig, 1, path)].concat();
    assert_eq!(of_file(&rig, path), [once, saved(&rig, 2, path, b"ALPHA\n", text)].concat());
    // New.
    let path = "data/new.txt";
    let expected = [saved(&rig, 2, path, b"new\n", text), named(&rig, 2, path)].concat();
    assert_eq!(of_file(&rig, path), expected);
    // Unchanged, and not in the second bag at all.
    assert_eq!(of_file(&rig, "data/empty"), before);
    assert_eq!(of_file(&rig, "bag-info.txt").len(), 9);
    assert_eq!(of_file(&rig, "data/copy of a.txt").len(), 11);

    // The same once more is nothing that happened.
    let rows = |rig: &Rig<App>| rig.app().registry.list_events(&all(&[])).unwrap().rows.len();
    let count = rows(&rig);
    deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &bag(changed))).unwrap();
    rig.drain_all();
    assert_eq!(rows(&rig), count);
}

#[test]
fn events_happened_when_their_stage_was_done() {
    let rig = rig(FLOWS);
    let id = deposit_letters(&rig);
    while rig.word(id) != "finished" {
        rig.clock.advance(Duration::from_secs(1));
        rig.step();
    }
    let registry = &rig.app().registry;
    let object = registry.object_by_identifier("archive.local/letters").unwrap().unwrap();
    let facts = registry.deposits(object.id, 1).unwrap().remove(0).facts;
    let events = registry.list_events(&all(&[])).unwrap().rows;
    let at = |event_type: EventType, scope: Scope| {
        let fits = |it: &&EventRow| it.event_type == event_type && it.scope == scope;
        Some(events.iter().find(fits).unwrap().date_time)
    };
    let computed = at(EventType::MessageDigestCalculation, Scope::Files);
    assert_eq!(at(EventType::FixityCheck, Scope::Payload), computed);
    assert!(facts.received_at < computed && computed < facts.validated_at);
    assert_eq!(at(EventType::Validation, Scope::Object), facts.validated_at);
    assert_eq!(at(EventType::FormatIdentification, Scope::Files), facts.identified_at);
    assert_eq!(at(EventType::Ingestion, Scope::Files), facts.stored_at);
    assert_eq!(at(EventType::Replication, Scope::Files), facts.stored_at);
    // The object is there when every copy of it was read back.
    assert!(facts.verified_at > facts.stored_at);
    assert!(at(EventType::Ingestion, Scope::Object) >= facts.verified_at);
    assert_eq!(at(EventType::Creation, Scope::Object), Some(facts.recorded_at));
    assert_eq!(at(EventType::IdentifierAssignment, Scope::New), Some(facts.recorded_at));
}

#[test]
fn a_bag_that_is_valid_with_something_to_know_says_so() {
    let rig = rig_configured(FLOWS, "[ingest]\nprofile = \"bagit\"\n".into());
    let mut files = bag(LETTERS);
    files.retain(|(path, _)| path != "manifest-md5.txt" && path != "manifest-sha256.txt");
    let mut manifest = String::new();
    for (path, bytes) in LETTERS {
        manifest.push_str(&format!("{}  data/{path}\n", hex(Algorithm::Sha384, bytes)));
    }
    files.push(("manifest-SHA-384.txt".to_owned(), manifest.into_bytes()));
    deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &files)).unwrap();
    rig.drain_all();
    let object = of_object(&rig);
    assert_eq!(object[0], "v1 validation: Warning, bagit");
    // A digest that is not kept was compared all the same.
    let file = of_file(&rig, "data/a.txt");
    assert!(file.contains(&"v1 fixity check: Success, sha384".to_owned()), "{file:#?}");
}
