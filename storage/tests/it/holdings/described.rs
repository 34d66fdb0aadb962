//! The described API's filters under its names, and the two lists that it has and pages have not.

use storage::registry::{
    ALERTS, CHECKSUMS, ChecksumRow, DELETIONS, DeletionTarget, EVENTS, FILES, INSTITUTIONS, ITEMS,
    ItemRow, Listing, NewAlert, OBJECTS, Query, Role, STORAGE_RECORDS, Sight, USERS,
};

use super::archive::{Archive, NOW, digests, later};
use super::query;

/// Every filter that the described API has, resource by resource.
const DESCRIBED: &[(&Listing, &str)] = &[
    (&ALERTS, "created_at__gteq created_at__lteq institution_id type user_id"),
    (
        &CHECKSUMS,
        "algorithm datetime__gteq datetime__lteq digest generic_file_id generic_file_identifier \
         institution_id intellectual_object_id state",
    ),
    (&DELETIONS, "institution_id requested_at__gteq requested_at__lteq stage status"),
    (
        &FILES,
        "identifier uuid intellectual_object_id institution_id state storage_option \
         storage_option__in size__gteq size__lteq created_at__gteq created_at__lteq \
         updated_at__gteq updated_at__lteq last_fixity_check__gteq last_fixity_check__lteq",
    ),
    (&INSTITUTIONS, "name__contains type"),
    (
        &OBJECTS,
        "access alt_identifier alt_identifier__starts_with bag_group_identifier \
         bag_group_identifier__starts_with bag_name bagit_profile_identifier created_at__gteq \
         created_at__lteq etag file_count__gteq file_count__lteq identifier \
         identifier__starts_with institution_id institution_parent_id \
         internal_sender_description internal_sender_identifier size__gteq size__lteq \
         source_organization state storage_option updated_at__gteq updated_at__lteq",
    ),
    (
        &EVENTS,
        "date_time__gteq date_time__lteq event_type generic_file_id generic_file_id__is_null \
         generic_file_identifier identifier institution_id intellectual_object_id \
         intellectual_object_identifier outcome",
    ),
    (&STORAGE_RECORDS, "generic_file_id"),
    (
        &ITEMS,
        "action action__in alt_identifier bag_date__gteq bag_date__lteq bag_group_identifier \
         bagit_profile_identifier bucket date_processed__gteq date_processed__lteq etag \
         generic_file_id generic_file_id__is_null generic_file_identifier institution_id \
         intellectual_object_id intellectual_object_id__is_null name needs_admin_review \
         node__is_null node__not_null object_identifier queued_at__is_null queued_at__not_null \
         retry size__gteq size__lteq stage stage__in status status__in storage_option user",
    ),
    (
        &USERS,
        "deactivated_at__is_null deactivated_at__is_not_null email__contains institution_id \
         name__contains role",
    ),
];

#[test]
fn every_filter_of_the_described_api_is_understood() {
    for (listing, filters) in DESCRIBED {
        for filter in filters.split_whitespace() {
            let values = ["true", "1", "2026-11-16T07:20:41Z"];
            let parse = |value: &&str| {
                Query::parse(listing, &[(filter.to_owned(), (*value).to_owned())]).is_ok()
            };
            assert!(values.iter().any(parse), "{filter}");
        }
    }
}

fn checksums(archive: &Archive, pairs: &[(&str, &str)]) -> Vec<ChecksumRow> {
    archive.registry.list_checksums(&query(&CHECKSUMS, pairs)).unwrap().rows
}

#[test]
fn a_digest_is_a_row_that_is_found_again() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("bag", 1, &[("data/a.txt", "1"), ("data/b.txt", "2")]);
    archive.deposit("bag", 2, &[("data/a.txt", "3")]);
    archive.begin("bag", 3, &[("data/a.txt", "4")]);
    let all = checksums(&archive, &[("per_page", "100")]);
    assert_eq!(all.len(), 12, "four of each sealed version");
    assert!(all.is_sorted_by_key(|row| (row.generic_file_id, row.id)));
    for row in &all {
        assert_eq!(registry.checksum(row.id).unwrap().as_ref(), Some(row));
        assert_eq!(checksums(&archive, &[("id", &row.id.to_string())]), std::slice::from_ref(row));
        let found = checksums(&archive, &[("digest", &row.digest.to_uppercase())]);
        assert_eq!(found, std::slice::from_ref(row));
    }
    assert_eq!(registry.checksum(all[11].id + 1).unwrap(), None);
    assert_eq!(registry.checksum(-1).unwrap(), None);

    let named = ("generic_file_identifier", "lib.example.edu/bag/data/a.txt");
    let of_a = checksums(&archive, &[named, ("algorithm", "sha256")]);
    let told: Vec<(u32, &str)> =
        of_a.iter().map(|row| (row.version.0, row.digest.as_str())).collect();
    let sha256 = |content: &str| digests(content).named()[2].1.clone();
    assert_eq!(told, [(1, sha256("1").as_str()), (2, sha256("3").as_str())]);
    assert!(of_a.iter().all(|row| row.intellectual_object_id == object));
    assert_eq!(of_a[0].generic_file_identifier, named.1);
    assert_eq!(of_a[1].datetime, later(1000));
    assert_eq!(checksums(&archive, &[("datetime__gteq", &later(1000).to_string())]).len(), 4);
    assert!(checksums(&archive, &[("state", "D")]).is_empty());
    for nothing in ["", "00", "not hex", &"00".repeat(32)] {
        assert!(checksums(&archive, &[("digest", nothing)]).is_empty(), "{nothing}");
    }
    archive.delete(DeletionTarget::Object(object), later(9000));
    assert_eq!(checksums(&archive, &[("state", "D")]).len(), 12);
}

#[test]
fn digests_and_copies_are_walked_page_by_page_within_sight() {
    let archive = Archive::new();
    let registry = &archive.registry;
    archive.deposit("one", 1, &[("data/a", "1"), ("data/b", "2")]);
    archive.deposit("two", 1, &[("data/c", "3")]);
    let mut seen = Vec::new();
    let mut token = None;
    loop {
        let mut pairs = vec![("per_page", "5")];
        pairs.extend(token.as_deref().map(|token| ("cursor", token)));
        let page = registry.list_checksums(&query(&CHECKSUMS, &pairs)).unwrap();
        seen.extend(page.rows.into_iter().map(|row| row.id));
        token = page.next_cursor;
        if token.is_none() {
            break;
        }
    }
    assert_eq!(seen.len(), 12);
    assert!(seen.is_sorted_by(|a, b| a < b), "{seen:?}");

    let copies = registry.list_storage_records(&Query::all(&STORAGE_RECORDS)).unwrap().rows;
    assert_eq!(copies.len(), 6, "two of each file");
    assert_eq!(copies[1].replica_url, "file:///vault/b");
    assert_eq!(copies[1].object_identifier, "lib.example.edu/one");
    assert_eq!(copies[1].content_path, "v1/content/data/a");
    for copy in &copies {
        assert_eq!(registry.storage_record(copy.id).unwrap().as_ref(), Some(copy));
    }
    let file = copies[2].generic_file_id.to_string();
    let of_file = query(&STORAGE_RECORDS, &[("generic_file_id", &file)]);
    assert_eq!(registry.list_storage_records(&of_file).unwrap().rows, copies[2..4]);

    let own = archive.institution();
    for (sight, some) in [
        (Sight::All, true),
        (Sight::Own { institution: own, restricted: false }, true),
        (Sight::Own { institution: own + 1, restricted: true }, false),
        (Sight::Shared { institution: own + 1 }, false),
    ] {
        let asked = Query::all(&CHECKSUMS).seen_by(sight);
        assert_eq!(!registry.list_checksums(&asked).unwrap().rows.is_empty(), some, "{sight:?}");
        let asked = Query::all(&STORAGE_RECORDS).seen_by(sight);
        let found = registry.list_storage_records(&asked).unwrap().rows;
        assert_eq!(!found.is_empty(), some, "{sight:?}");
    }
}

#[test]
fn events_are_found_by_the_identifier_of_a_file() {
    let archive = Archive::new();
    archive.deposit("bag", 1, &[("data/a.txt", "1"), ("bag-info.txt", "2")]);
    let listed = |name: &str, value: &str| {
        let asked = query(&EVENTS, &[(name, value), ("per_page", "100")]);
        archive.registry.list_events(&asked).unwrap().rows
    };
    let identifier = "lib.example.edu/bag/data/a.txt";
    let file = archive.registry.file_by_identifier(identifier).unwrap().unwrap().id.to_string();
    let found = listed("generic_file_identifier", identifier);
    assert!(!found.is_empty());
    assert_eq!(found, listed("generic_file_id", &file));
    assert!(listed("generic_file_identifier", "lib.example.edu/bag/data/b.txt").is_empty());
}

#[test]
fn alerts_are_found_by_type_and_reader_and_deletions_by_their_work() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let own = archive.institution();
    for (name, kind, institution_id) in [
        ("one", "item-parked", Some(own)),
        ("two", "fixity-failed", None),
        ("three", "restoration-ready", Some(own)),
    ] {
        let new = NewAlert {
            name: name.to_owned(),
            kind: kind.to_owned(),
            institution_id,
            subject: "s".to_owned(),
            content: "c".to_owned(),
            everyone: name == "three",
            ..NewAlert::default()
        };
        registry.raise_alert(&new, &[], NOW).unwrap();
    }
    let alerts = |name: &str, value: &str| -> Vec<String> {
        let page = registry.list_alerts(&query(&ALERTS, &[(name, value)])).unwrap();
        page.rows.into_iter().map(|row| row.name).collect()
    };
    let person = |name: &str, role| archive.user(name, role, own).to_string();
    assert_eq!(alerts("type", "fixity-failed"), ["two"]);
    assert_eq!(alerts("user_id", &person("uma", Role::InstitutionalUser)), ["three"]);
    let admin = person("ada", Role::InstitutionalAdmin);
    assert_eq!(alerts("user_id", &admin), ["three", "one"]);
    assert_eq!(alerts("user_id", &person("eve", Role::Admin)), ["three", "two", "one"]);
    assert!(alerts("user_id", &person("nil", Role::None)).is_empty());
    assert!(alerts("user_id", "99").is_empty());

    let object = archive.deposit("bag", 1, &[("data/a", "1")]);
    archive.delete(DeletionTarget::Object(object), later(9));
    let item = ItemRow {
        id: 7,
        stage: "Resolve".to_owned(),
        status: "Success".to_owned(),
        ..ItemRow::default()
    };
    registry.record_items(&[item], &[], &[]).unwrap();
    archive.sql().execute("UPDATE deletion_parts SET item_id = 7", []).unwrap();
    let deletions = |name: &str, value: &str| {
        registry.list_deletions(&query(&DELETIONS, &[(name, value)]), NOW).unwrap().rows.len()
    };
    assert_eq!((deletions("stage", "Resolve"), deletions("status", "Success")), (1, 1));
    assert_eq!((deletions("stage", "Store"), deletions("status", "Failed")), (0, 0));
}
