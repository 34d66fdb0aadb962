//! Are the lists what the views show, and does SQLite use the indexes we pay for?

use rusqlite::params_from_iter;
use tempfile::TempDir;

use super::{
    CHECKSUMS, EVENTS, EventRow, EventType, FILES, OBJECTS, Outcome, STORAGE_RECORDS, Scope,
};
use crate::clock::Timestamp;
use crate::registry::query::{Listing, Query};
use crate::registry::{DELETIONS, Error, ObjectId, Registry, Uuid};

fn registry() -> (TempDir, Registry) {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::open(&dir.path().join("registry.sqlite"), Timestamp(0)).unwrap();
    (dir, registry)
}

fn plan(registry: &Registry, listing: &'static Listing, text: &str) -> Vec<String> {
    let pairs: Vec<(String, String)> = text
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let sql = Query::parse(listing, &pairs).unwrap().select();
    registry
        .read(|conn| {
            let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {}", sql.text))?;
            let lines = statement.query_map(params_from_iter(sql.values), |row| row.get(3))?;
            Ok::<_, Error>(lines.collect::<Result<_, _>>()?)
        })
        .unwrap()
}

#[test]
fn the_lists_are_the_views() {
    let (_dir, registry) = registry();
    for listing in [&OBJECTS, &FILES, &EVENTS, &DELETIONS, &CHECKSUMS, &STORAGE_RECORDS] {
        let columns: Vec<String> = registry
            .read(|conn| {
                let names = conn.prepare(&format!("SELECT * FROM {}", listing.view))?;
                Ok::<_, Error>(names.column_names().map(str::to_owned).collect())
            })
            .unwrap();
        let shown = listing.column_list();
        let shown: Vec<&str> = shown.split(", ").collect();
        assert_eq!(shown, columns[..shown.len()]);
    }
}

/// Filters with the index that each must be found by.
const FOUND_BY: &[(&Listing, &str, &str)] = &[
    (&OBJECTS, "", "objects_by_date"),
    (&OBJECTS, "institution_id=1", "objects_by_institution (institution_id=?"),
    (&OBJECTS, "institution_parent_id=1", "institutions_by_parent"),
    (&OBJECTS, "identifier=x", "(identifier=?"),
    (&OBJECTS, "identifier__starts_with=x", "objects_by_identifier (identifier>?"),
    (&OBJECTS, "alt_identifier=x", "objects_by_alt_identifier"),
    (&OBJECTS, "bag_group_identifier=x", "objects_by_bag_group"),
    (&OBJECTS, "bag_name=x", "objects_by_bag_name"),
    (&OBJECTS, "etag=x", "objects_by_etag"),
    (&OBJECTS, "named=x", "SCAN object_words VIRTUAL TABLE INDEX"),
    (&OBJECTS, "named=x", "SEARCH o USING INTEGER PRIMARY KEY (rowid=?"),
    (&OBJECTS, "storage_option=x", "objects_by_storage_option"),
    (&OBJECTS, "created_at__gteq=2026-01-01T00:00:00Z&sort=created_at__asc", "objects_by_creation"),
    (&OBJECTS, "sort=title__asc", "objects_by_title"),
    (&OBJECTS, "sort=size__desc", "objects_by_size"),
    (&OBJECTS, "sort=file_count__desc", "objects_by_file_count"),
    (&FILES, "intellectual_object_id=1", "sqlite_autoindex_files_2 (object_id=?"),
    (&FILES, "intellectual_object_id=1&path=x", "sqlite_autoindex_files_2 (object_id=? AND path=?"),
    (&FILES, "object_identifier=x", "sqlite_autoindex_objects_1 (identifier=?"),
    (&FILES, "identifier=x", "sqlite_autoindex_files_2 (object_id=? AND path=?"),
    (&FILES, "uuid=x", "sqlite_autoindex_files_1 (uuid=?"),
    (&FILES, "md5=x", "SEARCH s USING PRIMARY KEY (start=?"),
    (&FILES, "sha1=x", "SEARCH s USING PRIMARY KEY (start=?"),
    (&FILES, "sha256=x", "SEARCH s USING PRIMARY KEY (start=?"),
    (&FILES, "sha512=x", "SEARCH s USING PRIMARY KEY (start=?"),
    (&FILES, "puid=x", "file_versions_by_format"),
    (&FILES, "deposit_id=1", "file_versions_by_deposit"),
    (&EVENTS, "", "events_by_date"),
    (&EVENTS, "institution_id=1", "events_by_institution (institution_id=?"),
    (&EVENTS, "intellectual_object_id=1", "events_by_object (object_id=?"),
    (&EVENTS, "intellectual_object_identifier=x", "events_by_object (object_id=?"),
    (&EVENTS, "event_type=x", "events_by_type (event_type=?"),
    (&EVENTS, "identifier=x", "sqlite_autoindex_events_1 (identifier=?"),
    (&EVENTS, "generic_file_id=1", "events_by_file (file_id=?"),
    (&EVENTS, "generic_file_id=1", "events_by_deposit (deposit_id=?"),
    (&EVENTS, "deposit_id=1", "events_by_deposit (deposit_id=?"),
    (&EVENTS, "outcome=Failure", "events_by_outcome (outcome=?"),
    (&OBJECTS, "state=D", "objects_by_state (state=?"),
    (&OBJECTS, "access=x", "objects_by_access (access=?"),
];

#[test]
fn what_is_asked_often_has_its_index() {
    let (_dir, registry) = registry();
    for (listing, filter, index) in FOUND_BY {
        let plan = plan(&registry, listing, filter);
        assert!(plan.iter().any(|line| line.contains(index)), "{filter}: {index} in {plan:#?}");
    }
}

#[test]
fn only_words_that_are_known_are_told() {
    let (_dir, registry) = registry();
    let event = EventRow {
        id: 1,
        identifier: Uuid([7; 16]),
        event_type: EventType::Validation,
        date_time: Timestamp(0),
        detail: "{path} {path} {who} {} {md5".to_owned(),
        outcome: Outcome::Success,
        outcome_detail: "}{size}{".to_owned(),
        outcome_information: String::new(),
        object: "{path}".to_owned(),
        agent: String::new(),
        scope: Scope::Files,
        institution_id: 1,
        intellectual_object_id: ObjectId(1),
        intellectual_object_identifier: "lib.example.edu/bag".to_owned(),
        deposit_id: None,
        version: None,
        generic_file_id: None,
        generic_file_identifier: None,
    };
    // A path that looks like a word of ours is not told again.
    let values = "1, 1, 1, 'lib.example.edu/bag', 'institution', 'Standard', 'a{uuid}',
        zeroblob(16), 1, 1, 1, 'A', 5, NULL, NULL, NULL, '', '', '', '', '', NULL,
        zeroblob(16), zeroblob(20), zeroblob(32), zeroblob(64),
        '2026-11-16T07:20:41.000Z', '2026-11-16T07:20:41.000Z', NULL";
    let file = registry.one(&format!("SELECT {values}"), [], super::FileRow::read);
    let file = file.unwrap().unwrap();
    let told = event.about(&file);
    assert_eq!(told.detail, "a{uuid} a{uuid} {who} {} {md5");
    assert_eq!((told.outcome_detail.as_str(), told.object.as_str()), ("}5{", "{path}"));
    assert_eq!(told.generic_file_identifier.as_deref(), Some("lib.example.edu/bag/a{uuid}"));
    let alone = EventRow { scope: Scope::File, ..event.clone() };
    assert_eq!(alone.about(&file), alone);
}
