//! Events: one row for many files, and told about each of them.

use storage::registry::{
    About, Counting, DeletionTarget, EVENTS, EachEvent, Error, EventRow, EventType, FileId,
    NewEvent, Outcome, Query, Rows, Scope,
};

use super::archive::{Archive, NOW, ingest_events, later, new_deposit, new_file, seal, uuid};
use super::query;

fn of_file(archive: &Archive, identifier: &str) -> Vec<EventRow> {
    let file = archive.registry.file_by_identifier(identifier).unwrap().unwrap();
    let all = query(&EVENTS, &[("per_page", "1000"), ("sort", "date_time__asc")]);
    archive.registry.list_file_events(file.id, all.counting(Counting::Exact)).unwrap().rows
}

/// How many there are besides validation and format identification, which the described system
/// does not have.
fn described(events: &[EventRow]) -> usize {
    let ours = [EventType::Validation, EventType::FormatIdentification];
    events.iter().filter(|event| !ours.contains(&event.event_type)).count()
}

#[test]
fn a_file_has_as_many_events_as_in_the_described_system() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let id = registry.begin_deposit(&new_deposit("bag", 1)).unwrap();
    let files =
        [new_file(&archive, "bag", "data/a.txt", "a"), new_file(&archive, "bag", "info", "i")];
    registry.put_files(id, &files).unwrap();
    let object = registry.deposit(id).unwrap().unwrap().object_id;
    let events = ingest_events("bag", (id, object), 1, &["md5", "sha256"]);
    assert_eq!(registry.put_events(&events).unwrap(), events.len() as u64);
    assert_eq!(registry.put_events(&events).unwrap(), 0);
    assert!(registry.list_events(&Query::all(&EVENTS)).unwrap().rows.is_empty(), "not sealed");
    assert_eq!(registry.event_by_identifier(events[0].identifier).unwrap(), None);
    registry.seal(id, &seal(2)).unwrap();
    assert_eq!(registry.put_events(&events).unwrap(), 0);

    let payload = of_file(&archive, "lib.example.edu/bag/data/a.txt");
    assert_eq!((described(&payload), payload.len()), (10, 12));
    let tag = of_file(&archive, "lib.example.edu/bag/info");
    assert_eq!((described(&tag), tag.len()), (8, 10));
    let stored = query(&EVENTS, &[("per_page", "1000")]);
    assert_eq!(
        registry.list_events(&stored).unwrap().rows.len(),
        16,
        "rows for both and the object"
    );
    let object_events = query(&EVENTS, &[("scope", "object"), ("intellectual_object_id", "1")]);
    assert_eq!(registry.list_events(&object_events).unwrap().rows.len(), 4);
}

#[test]
fn an_event_of_many_files_is_told_about_one() {
    let archive = Archive::new();
    archive.deposit("bag", 1, &[("data/a.txt", "a"), ("data/b", "b")]);
    let file =
        archive.registry.file_by_identifier("lib.example.edu/bag/data/a.txt").unwrap().unwrap();
    let md5: String = file.digests.md5.iter().map(|byte| format!("{byte:02x}")).collect();
    let events = of_file(&archive, &file.identifier);
    let told = |event_type: EventType| -> Vec<&str> {
        let of_type = events.iter().filter(|event| event.event_type == event_type);
        of_type.map(|event| event.outcome_detail.as_str()).collect()
    };
    assert_eq!(told(EventType::FixityCheck), [format!("md5:{md5}")]);
    assert_eq!(
        told(EventType::IdentifierAssignment),
        ["lib.example.edu/bag/data/a.txt", "file:///vault/a/x/v1/content/data/a.txt"]
    );
    assert_eq!(told(EventType::Validation), ["data/a.txt of 1 bytes"]);
    assert_eq!(told(EventType::FormatIdentification), ["x-fmt/111 Plain Text File"]);
    let ingestion = events.iter().find(|event| event.event_type == EventType::Ingestion).unwrap();
    assert!(ingestion.detail.ends_with(&format!("({})", file.uuid)), "{}", ingestion.detail);
    assert!(events.iter().all(|event| event.generic_file_id == Some(file.id)));
    let json = serde_json::to_value(ingestion).unwrap();
    assert_eq!(json["generic_file_identifier"], "lib.example.edu/bag/data/a.txt");
    assert_eq!((&json["outcome"], &json["event_type"]), (&"Success".into(), &"ingestion".into()));
}

#[test]
fn an_event_of_many_files_is_told_about_each_of_them() {
    let archive = Archive::new();
    let object = archive.deposit("bag", 1, &[("data/a.txt", "a"), ("data/b", "b")]);
    let mut events: Vec<EventRow> = Vec::new();
    let mut each = |event| {
        events.push(event);
        Ok::<_, Error>(())
    };
    archive.registry.walk_events(object, &mut each).unwrap();
    let stored = query(&EVENTS, &[("per_page", "1000"), ("sort", "date_time__asc")]);
    assert_eq!(events, archive.registry.list_events(&stored).unwrap().rows);
    let told = |event_type: EventType| {
        let event =
            events.iter().find(|it| it.event_type == event_type && it.scope != Scope::Object);
        event.unwrap().about_each()
    };
    assert_eq!(told(EventType::FixityCheck).outcome_detail, "md5:[its md5]");
    assert_eq!(told(EventType::Validation).outcome_detail, "[its path] of [its size] bytes");
    let ingestion = told(EventType::Ingestion);
    assert_eq!(ingestion.detail, "completed copy to preservation storage ([its UUID])");
    assert_eq!(ingestion.generic_file_identifier, None);

    // A format that nobody knows is something to know, of this file alone.
    let format = |path: &str| {
        let events = of_file(&archive, &format!("lib.example.edu/bag/{path}"));
        let of_type = |it: &EventRow| it.event_type == EventType::FormatIdentification;
        let event = events.into_iter().find(of_type).unwrap();
        (event.outcome, event.outcome_detail)
    };
    assert_eq!(format("data/a.txt"), (Outcome::Success, "x-fmt/111 Plain Text File".to_owned()));
    let unknown = "unknown no format was recognised".to_owned();
    assert_eq!(format("data/b"), (Outcome::Warning, unknown));
}

#[test]
fn a_long_story_is_walked_to_its_end() {
    let archive = Archive::new();
    let object = archive.deposit("bag", 1, &[("data/a", "a")]);
    let file = archive.registry.file_by_identifier("lib.example.edu/bag/data/a").unwrap().unwrap();
    let about = About::File { file: file.id, deposit: None };
    // All at the same moment, so that only the number tells them apart.
    let checks: Vec<_> = (0..2_500).map(|at| own_event(&format!("check {at}"), about)).collect();
    for batch in checks.chunks(1000) {
        archive.registry.put_events(batch).unwrap();
    }
    let mut seen = std::collections::BTreeSet::new();
    let mut each = |event: EventRow| {
        assert!(seen.insert(event.identifier));
        Ok::<_, Error>(())
    };
    archive.registry.walk_events(object, &mut each).unwrap();
    assert!(checks.iter().all(|check| seen.contains(&check.identifier)));
}

#[test]
fn a_changed_file_has_the_events_of_both_its_versions() {
    let archive = Archive::new();
    archive.deposit("bag", 1, &[("data/a", "1"), ("data/b", "1"), ("info", "1")]);
    archive.deposit("bag", 2, &[("data/a", "2"), ("info", "2"), ("data/new", "2")]);
    let count = |path: &str| described(&of_file(&archive, &format!("lib.example.edu/bag/{path}")));
    assert_eq!([count("data/a"), count("info")], [16, 14]);
    assert_eq!([count("data/b"), count("data/new")], [9, 9], "unchanged, and new in the second");
    let a = of_file(&archive, "lib.example.edu/bag/data/a");
    let fixity = a.iter().filter(|event| event.event_type == EventType::FixityCheck);
    let digests: std::collections::BTreeSet<_> =
        fixity.map(|event| &event.outcome_detail).collect();
    assert_eq!(digests.len(), 2, "each version with its own digest: {digests:?}");
}

fn own_event(name: &str, about: About) -> NewEvent {
    NewEvent {
        identifier: uuid(name),
        event_type: EventType::FixityCheck,
        date_time: later(5000),
        detail: "{md5} stays as it is".to_owned(),
        outcome: Outcome::Failure,
        outcome_detail: "sha256:00".to_owned(),
        outcome_information: "did not match".to_owned(),
        object: "Strongroom".to_owned(),
        agent: "Strongroom".to_owned(),
        about,
    }
}

#[test]
fn events_about_one_file_and_about_what_is_not_there() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let one = archive.deposit("one", 1, &[("data/a", "1")]);
    archive.deposit("two", 1, &[("data/a", "1")]);
    let file = registry.file_by_identifier("lib.example.edu/one/data/a").unwrap().unwrap();
    let about = About::File { file: file.id, deposit: None };
    registry.put_events(&[own_event("own", about)]).unwrap();
    let events = of_file(&archive, "lib.example.edu/one/data/a");
    let own = events.last().unwrap();
    assert_eq!((own.scope, own.detail.as_str()), (Scope::File, "{md5} stays as it is"));
    assert_eq!(own.generic_file_identifier.as_deref(), Some("lib.example.edu/one/data/a"));
    assert_eq!(of_file(&archive, "lib.example.edu/two/data/a").len(), events.len() - 1);

    let two = registry
        .deposits(registry.object_by_identifier("lib.example.edu/two").unwrap().unwrap().id, 1)
        .unwrap();
    for astray in [
        About::File { file: FileId(99), deposit: None },
        About::File { file: file.id, deposit: Some(two[0].id) },
        About::Object { object: one, deposit: Some(two[0].id) },
    ] {
        let refused = registry.put_events(&[own_event("good", about), own_event("bad", astray)]);
        assert!(matches!(refused, Err(Error::NotFound { .. })), "{refused:?}");
    }
    assert_eq!(registry.event_by_identifier(uuid("good")).unwrap(), None, "all or nothing");

    let count = |pairs: &[(&str, &str)]| {
        let asked = query(&EVENTS, pairs).counting(Counting::Exact);
        registry.list_events(&asked).unwrap().count.unwrap().value
    };
    assert_eq!(count(&[("outcome", "Failure")]), 1);
    assert_eq!(count(&[("event_type", "creation")]), 2);
    assert_eq!(count(&[("intellectual_object_identifier", "lib.example.edu/two")]), 15);
    assert_eq!(count(&[("generic_file_id__not_null", "true")]), 1);
    assert_eq!(count(&[("identifier", &uuid("own").to_string())]), 1);
    assert_eq!(count(&[("date_time__gteq", &later(5000).to_string())]), 1);
    assert_eq!(count(&[("date_time__lt", &NOW.to_string())]), 0);
    let mut seen = Vec::new();
    let mut token: Option<String> = None;
    loop {
        let mut pairs = vec![("per_page", "4")];
        pairs.extend(token.as_deref().map(|token| ("cursor", token)));
        let page = registry.list_events(&query(&EVENTS, &pairs)).unwrap();
        seen.extend(page.rows.iter().map(|event| event.id));
        let Some(next) = page.next_cursor else { break };
        token = Some(next);
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 31);
}

fn each(archive: &Archive, rows: Rows, pairs: &[(&str, &str)]) -> Vec<EachEvent> {
    let all = [&[("per_page", "1000")], pairs].concat();
    let page = archive.registry.list_each_event(&query(&EVENTS, &all), rows).unwrap();
    assert_eq!((page.count.value, page.has_more), (page.rows.len() as u64, false));
    page.rows
}

/// Two objects with versions, a check of all that was held, a deletion, and an event of one file.
fn with_a_past() -> Archive {
    let archive = Archive::new();
    let object = archive.deposit("bag", 1, &[("data/a", "1"), ("data/b", "1"), ("info", "1")]);
    archive.deposit("bag", 2, &[("data/a", "2"), ("data/new", "2")]);
    archive.deposit("other", 1, &[("data/c", "3")]);
    let registry = &archive.registry;
    let b = registry.file_by_identifier("lib.example.edu/bag/data/b").unwrap().unwrap();
    let own = own_event("own", About::File { file: b.id, deposit: None });
    let held = own_event("held", About::Held(object));
    registry.put_events(&[own, held]).unwrap();
    assert!(archive.delete(DeletionTarget::File(b.id), later(6000)));
    let after = NewEvent { date_time: later(7000), ..own_event("after", About::Held(object)) };
    registry.put_events(&[after]).unwrap();
    archive
}

#[test]
fn an_event_is_a_row_for_each_file_that_it_is_about() {
    let archive = with_a_past();
    let registry = &archive.registry;
    let rows = each(&archive, Rows::ALL, &[]);
    // What each file's own view tells, and what is told of objects, is all there is.
    let mut expected = 0;
    for path in ["bag/data/a", "bag/data/b", "bag/info", "bag/data/new", "other/data/c"] {
        let file =
            registry.file_by_identifier(&format!("lib.example.edu/{path}")).unwrap().unwrap();
        let own: Vec<&EachEvent> =
            rows.iter().filter(|row| row.event.generic_file_id == Some(file.id)).collect();
        let view = of_file(&archive, &file.identifier);
        assert_eq!(own.len(), view.len(), "{path}");
        for row in own {
            assert!(view.contains(&row.event), "{path}: {row:?}");
            let told = format!("{}{}", row.event.detail, row.event.outcome_detail);
            assert!(row.event.scope == Scope::File || !told.contains('{'), "{told}");
        }
        let number = file.id.to_string();
        let narrowed = each(&archive, Rows::ALL.of_file(file.id), &[("generic_file_id", &number)]);
        assert_eq!(narrowed.len(), view.len(), "{path}");
        expected += view.len();
    }
    let about_objects = each(&archive, Rows::ALL.of_objects(), &[("scope", "object")]);
    assert!(about_objects.iter().all(|row| row.event.generic_file_id.is_none()));
    assert_eq!(rows.len(), expected + about_objects.len());
    assert_eq!(each(&archive, Rows::ALL.of_files(), &[]).len(), expected);
    assert!(each(&archive, Rows::ALL.of_files().of_objects(), &[]).is_empty());
    // A file that is deleted is not among those that were held after that.
    let checked = |name: &str| {
        let event = registry.event_by_identifier(uuid(name)).unwrap().unwrap().id.to_string();
        each(&archive, Rows::ALL, &[("id", &event)]).len()
    };
    assert_eq!((checked("held"), checked("after")), (4, 3));
}

#[test]
fn rows_of_events_have_numbers_and_identifiers_that_lead_back_to_them() {
    let archive = with_a_past();
    let registry = &archive.registry;
    let rows = each(&archive, Rows::ALL, &[]);
    let numbers: std::collections::BTreeSet<_> = rows.iter().map(|row| row.id).collect();
    let names: std::collections::BTreeSet<_> = rows.iter().map(|row| row.identifier).collect();
    assert_eq!((numbers.len(), names.len()), (rows.len(), rows.len()));
    for row in &rows {
        assert_eq!(registry.each_event(row.id).unwrap().as_ref(), Some(row));
        assert_eq!(registry.each_event_number(row.identifier).unwrap(), Some(row.id));
    }
    let many = registry.event_by_identifier(uuid("held")).unwrap().unwrap();
    assert_eq!(registry.each_event_number(many.identifier).unwrap(), None, "it is many rows");
    let stray = registry.file_by_identifier("lib.example.edu/other/data/c").unwrap().unwrap();
    for nothing in [0, -1, i64::MAX, many.id, many.id << 32, many.id << 32 | stray.id.0] {
        assert_eq!(registry.each_event(nothing).unwrap(), None, "{nothing}");
    }
    assert_eq!(registry.each_event_number(uuid("nobody's")).unwrap(), None);
}

#[test]
fn rows_of_events_are_paged_without_gaps_in_both_directions() {
    let archive = with_a_past();
    let registry = &archive.registry;
    for (sort, by_number) in [
        ("date_time__desc", false),
        ("date_time__asc", false),
        ("id__asc", true),
        ("id__desc", true),
    ] {
        let all = each(&archive, Rows::ALL, &[("sort", sort)]);
        if by_number {
            let ordered = all.is_sorted_by(|a, b| (a.id < b.id) == (sort == "id__asc"));
            assert!(ordered, "{sort}");
        }
        for per_page in [1_usize, 3, 7] {
            let mut seen = Vec::new();
            for page in 1.. {
                let asked = [
                    ("sort", sort),
                    ("per_page", &*per_page.to_string()),
                    ("page", &*page.to_string()),
                ];
                let found = registry.list_each_event(&query(&EVENTS, &asked), Rows::ALL).unwrap();
                assert_eq!(found.count.value, all.len() as u64, "{sort} {per_page}");
                assert_eq!(found.has_more, seen.len() + found.rows.len() < all.len());
                seen.extend(found.rows);
                if !found.has_more {
                    break;
                }
            }
            assert_eq!(seen, all, "{sort} {per_page}");
        }
    }
    let beyond = query(&EVENTS, &[("page", "1000")]);
    let beyond = registry.list_each_event(&beyond, Rows::ALL).unwrap();
    assert!(beyond.rows.is_empty() && !beyond.has_more);
    let few = query(&EVENTS, &[("per_page", "2")]).counting(Counting::UpTo(5));
    let few = registry.list_each_event(&few, Rows::ALL).unwrap();
    assert_eq!((few.rows.len(), few.count.value, few.count.exact), (2, 5, false));
}
