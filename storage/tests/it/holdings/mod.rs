//! What is held, seen from outside: deposits in, objects, files and events out.

/// What the other modules deposit with.
mod archive;
/// Requests, the rules of two people, and what they let go.
mod deletion;
/// What the described API lists, and by which filters.
mod described;
/// Events told about one file, and in lists.
mod events;
/// Rows out and in again, and what the doctor finds.
mod export;
/// Found by name, and added up beforehand.
mod finding;
/// Acts that put two accounts into one person's hands, and the time before anything is erased.
mod hands;
/// A process that records deposits and is killed.
mod kill;
/// Random deposits, deletions and restarts against a plain map.
mod model;
/// Search, by everybody and for anything.
mod searching;
/// Rows a second and bytes a file, printed.
mod size;
/// Figures of now and of every month, and declarations.
mod statistics;

use storage::registry::{
    BATCH_MAX, CheckedCopy, CopyState, DeletionTarget, DepositFacts, DigestPart, Error, FILES,
    FileRow, Folder, HeldState, NewDeposit, OBJECTS, ObjectId, Query, Registry, Version,
};

use self::archive::{Archive, NOW, digests, facts, later, new_deposit, new_file, seal, uuid};

fn paths(files: &[FileRow]) -> Vec<&str> {
    files.iter().map(|file| file.path.as_str()).collect()
}

fn at(registry: &Registry, object: ObjectId, version: u32) -> Vec<(String, u32)> {
    let files = registry.files_at(object, Version(version), "", 1000).unwrap();
    files.into_iter().map(|file| (file.path, file.version.0)).collect()
}

fn query(listing: &'static storage::registry::Listing, pairs: &[(&str, &str)]) -> Query {
    let pairs: Vec<_> =
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Query::parse(listing, &pairs).unwrap()
}

#[test]
fn a_first_deposit_is_seen_when_it_is_sealed_and_not_before() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let id = registry.begin_deposit(&new_deposit("bag", 1)).unwrap();
    let files = [
        new_file(&archive, "bag", "data/a.txt", "a"),
        new_file(&archive, "bag", "bag-info.txt", "i"),
    ];
    assert_eq!(registry.put_files(id, &files).unwrap(), 2);
    let object = registry.deposit(id).unwrap().unwrap().object_id;
    let unseen = |registry: &Registry| {
        assert_eq!(registry.object(object).unwrap(), None);
        assert_eq!(registry.object_by_identifier("lib.example.edu/bag").unwrap(), None);
        assert_eq!(registry.file_by_uuid(files[0].uuid).unwrap(), None);
        assert_eq!(registry.file_by_identifier("lib.example.edu/bag/data/a.txt").unwrap(), None);
        assert!(registry.files_at(object, Version(1), "", 10).unwrap().is_empty());
        assert!(registry.list_files(&Query::all(&FILES)).unwrap().rows.is_empty());
        assert!(registry.list_objects(&Query::all(&OBJECTS)).unwrap().rows.is_empty());
        assert!(registry.files_by_path(object, &["data/a.txt"]).unwrap().is_empty());
        assert!(registry.deposits(object, 10).unwrap().is_empty());
        assert!(registry.format_counts(object, 10).unwrap().is_empty());
        let root = Folder { object, version: Version(1), path: String::new(), from: String::new() };
        assert!(registry.folder(&root, 10).unwrap().entries.is_empty());
        let part = DigestPart::parse(&"00".repeat(4)).unwrap();
        assert!(registry.files_by_digest(&part, 10).unwrap().is_empty());
        assert!(registry.due_objects(archive.replicas[0], later(9), 9).unwrap().is_empty());
        assert_eq!(registry.unsealed_deposits(10).unwrap().len(), 1);
    };
    unseen(registry);

    let wrong = registry.seal(id, &seal(3));
    assert!(matches!(wrong, Err(Error::Refused { .. })), "{wrong:?}");
    unseen(registry);
    let sealed = registry.seal(id, &seal(2)).unwrap();
    assert_eq!((sealed.version, sealed.file_count, sealed.size), (Version(1), 2, 2));
    assert_eq!((sealed.payload_file_count, sealed.payload_size), (1, 1));
    assert_eq!(sealed.institution_identifier, "lib.example.edu");
    assert_eq!(registry.object(object).unwrap(), Some(sealed.clone()));
    let file = registry.file_by_identifier("lib.example.edu/bag/data/a.txt").unwrap().unwrap();
    assert_eq!(file.content_path, "v1/content/data/a.txt");
    assert_eq!((file.digests, file.state), (digests("a"), HeldState::Active));
    assert_eq!(file.last_fixity_check, Some(NOW));
    assert_eq!(registry.file(file.id).unwrap(), Some(file.clone()));
    assert_eq!(registry.file_by_uuid(file.uuid).unwrap(), Some(file.clone()));
    assert_eq!(
        paths(&registry.list_files(&Query::all(&FILES)).unwrap().rows),
        ["bag-info.txt", "data/a.txt"]
    );
    let copies = registry.copies(file.id, file.version).unwrap();
    let where_: Vec<_> = copies.iter().map(|copy| (copy.replica.as_str(), copy.state)).collect();
    assert_eq!(where_, [("a", CopyState::Sound), ("b", CopyState::Sound)]);
    let versions = registry.deposits(object, 10).unwrap();
    assert_eq!(versions[0].facts, facts(1));
    let json = serde_json::to_value(&file).unwrap();
    assert_eq!(json["md5"].as_str().unwrap().len(), 32);
    assert_eq!(json["state"], "A");
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn a_second_deposit_adds_changes_and_keeps() {
    let archive = Archive::new();
    let first = archive.deposit("bag", 1, &[("data/a", "1"), ("data/b", "22"), ("c.txt", "333")]);
    let registry = &archive.registry;
    let id = registry.begin_deposit(&new_deposit("bag", 2)).unwrap();
    // c.txt is not in the second bag, b is the same: neither is written.
    let changed = new_file(&archive, "bag", "data/a", "4444");
    let new = new_file(&archive, "bag", "data/d", "55555");
    registry.put_files(id, &[changed, new]).unwrap();
    let before = registry.object(first).unwrap().unwrap();
    assert_eq!((before.file_count, before.size, before.version), (3, 6, Version(1)));
    let old = [("c.txt", 1), ("data/a", 1), ("data/b", 1)].map(|(path, v)| (path.to_owned(), v));
    assert_eq!(at(registry, first, 1), old);
    assert!(at(registry, first, 2).is_empty());
    let a =
        |registry: &Registry| registry.files_by_path(first, &["data/a", "no"]).unwrap().remove(0);
    assert_eq!((a(registry).version, a(registry).size), (Version(1), 1));

    let sealed = registry.seal(id, &seal(2)).unwrap();
    assert_eq!((sealed.file_count, sealed.size), (4, 2 + 3 + 4 + 5));
    assert_eq!((sealed.payload_file_count, sealed.payload_size), (3, 11));
    let new = [("c.txt", 1), ("data/a", 2), ("data/b", 1), ("data/d", 2)];
    assert_eq!(at(registry, first, 2), new.map(|(path, v)| (path.to_owned(), v)));
    assert_eq!(at(registry, first, 1), old);
    let file = a(registry);
    assert_eq!((file.version, file.size, file.first_version), (Version(2), 4, Version(1)));
    let versions = registry.file_versions(file.id, 10).unwrap();
    assert_eq!(versions.iter().map(|it| it.size).collect::<Vec<_>>(), [4, 1]);
    assert!(versions.iter().all(|it| it.uuid == file.uuid));
    let listed = registry.list_files(&Query::all(&FILES)).unwrap();
    assert_eq!(listed.rows.len(), 4);
    assert_eq!(listed.count.unwrap().value, 4);
    let mut walked = Vec::new();
    let mut each = |file: FileRow| {
        walked.push((file.path, file.version.0));
        Ok::<_, Error>(())
    };
    registry.walk_files(first, Version(2), &mut each).unwrap();
    assert_eq!(walked, at(registry, first, 2));
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn every_call_repeated_changes_nothing() {
    let archive = Archive::new();
    let registry = &archive.registry;
    archive.deposit("bag", 1, &[("data/a", "1"), ("b", "2")]);
    let again = || {
        archive.deposit("bag", 1, &[("data/a", "1"), ("b", "2")]);
    };
    let before = archive.exported();
    again();
    assert_eq!(archive.exported(), before);
    let id = registry.begin_deposit(&new_deposit("bag", 2)).unwrap();
    let file = new_file(&archive, "bag", "data/a", "3");
    assert_eq!(registry.put_files(id, std::slice::from_ref(&file)).unwrap(), 1);
    assert_eq!(registry.begin_deposit(&new_deposit("bag", 2)).unwrap(), id);
    assert_eq!(registry.put_files(id, std::slice::from_ref(&file)).unwrap(), 0);
    // Before the seal a file may be put better; after it, only the same.
    let better = new_file(&archive, "bag", "data/a", "44");
    assert_eq!(registry.put_files(id, std::slice::from_ref(&better)).unwrap(), 0);
    let sealed = registry.seal(id, &seal(1)).unwrap();
    assert_eq!(sealed.size, 3);
    assert_eq!(registry.seal(id, &seal(1)).unwrap(), sealed);
    assert_eq!(registry.begin_deposit(&new_deposit("bag", 2)).unwrap(), id);
    assert_eq!(registry.put_files(id, std::slice::from_ref(&better)).unwrap(), 0);
    for other in [file, new_file(&archive, "bag", "new", "5")] {
        let refused = registry.put_files(id, &[other]);
        assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    }
    again();
    assert_eq!(registry.object(sealed.id).unwrap(), Some(sealed));
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn what_does_not_fit_is_refused_and_leaves_nothing() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let begin = |new: NewDeposit| registry.begin_deposit(&new);
    for bad in ["bag", "lib.example.edu/", "/bag", "lib.example.edu/a/b"] {
        let new = NewDeposit { object_identifier: bad.to_owned(), ..new_deposit("bag", 1) };
        assert!(matches!(begin(new), Err(Error::Invalid { .. })), "{bad}");
    }
    for nobody in ["else.example.edu/bag", "Lib.example.edu/bag"] {
        let new = NewDeposit { object_identifier: nobody.to_owned(), ..new_deposit("bag", 1) };
        assert!(matches!(begin(new), Err(Error::NotFound { .. })), "{nobody}");
    }
    assert!(matches!(begin(new_deposit("bag", 2)), Err(Error::Refused { .. })), "not the next");
    assert!(registry.unsealed_deposits(9).unwrap().is_empty());
    let id = begin(new_deposit("bag", 1)).unwrap();
    let facts = DepositFacts { item_id: 99, ..facts(1) };
    let rival = begin(NewDeposit { facts, ..new_deposit("bag", 1) });
    assert!(matches!(rival, Err(Error::Refused { .. })), "{rival:?}");
    let file = new_file(&archive, "bag", "a", "1");
    for path in ["", "/a", "a/", "a\0b", &"x".repeat(5000)] {
        let bad = storage::registry::NewFileVersion { path: path.to_owned(), ..file.clone() };
        let refused = registry.put_files(id, &[file.clone(), bad]);
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{path:?}: {refused:?}");
    }
    let many = vec![file.clone(); BATCH_MAX + 1];
    assert!(matches!(registry.put_files(id, &many), Err(Error::Invalid { .. })));
    registry.put_files(id, std::slice::from_ref(&file)).unwrap();
    let other = storage::registry::NewFileVersion { uuid: uuid("other"), ..file.clone() };
    assert!(matches!(registry.put_files(id, &[other]), Err(Error::Refused { .. })));
    let stolen = storage::registry::NewFileVersion { path: "b".to_owned(), ..file };
    assert!(matches!(registry.put_files(id, &[stolen]), Err(Error::Conflict(_))));
    registry.seal(id, &seal(1)).unwrap();
    assert!(matches!(registry.abandon(id), Err(Error::Refused { .. })));
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn an_abandoned_deposit_was_never_there() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let before = archive.exported();
    let id = archive.begin("bag", 1, &[("data/a", "1"), ("b", "2")]);
    assert_eq!(registry.abandon(id).unwrap(), 2);
    assert_eq!(registry.abandon(id).unwrap(), 0);
    assert_eq!(archive.exported(), before);
    assert_eq!(archive.count("objects"), 0);

    let object = archive.deposit("bag", 1, &[("data/a", "1"), ("b", "2")]);
    let before = archive.exported();
    // More than one step.
    let files: Vec<(String, String)> =
        (0..2500).map(|n| (format!("data/{n}"), n.to_string())).collect();
    let mut files: Vec<(&str, &str)> =
        files.iter().map(|(path, content)| (path.as_str(), content.as_str())).collect();
    files.push(("data/a", "changed"));
    let id = archive.begin("bag", 2, &files);
    assert_eq!(archive.exported(), before, "what is not sealed is not exported");
    assert_eq!(registry.abandon(id).unwrap(), 2501);
    assert_eq!(archive.exported(), before);
    for table in ["files", "file_versions", "copies"] {
        assert_eq!(archive.count(table), if table == "copies" { 4 } else { 2 }, "{table}");
    }
    assert_eq!(registry.check().unwrap(), []);
    archive.deposit("bag", 2, &[("data/a", "changed")]);
    assert_eq!(registry.object(object).unwrap().unwrap().version, Version(2));
}

#[test]
fn files_are_found_by_digest_in_every_version() {
    let archive = Archive::new();
    let registry = &archive.registry;
    archive.deposit("one", 1, &[("data/a", "same"), ("data/b", "other")]);
    archive.deposit("two", 1, &[("data/c", "same")]);
    archive.deposit("one", 2, &[("data/a", "new")]);
    let digests = digests("same");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    for bytes in [&digests.md5[..], &digests.sha1, &digests.sha256, &digests.sha512] {
        for length in [4, 8, 9, bytes.len()] {
            let part = DigestPart::parse(&hex(&bytes[..length])).unwrap();
            let found = registry.files_by_digest(&part, 10).unwrap();
            assert_eq!(paths(&found), ["data/a", "data/c"], "{length}");
            assert_eq!(registry.files_by_digest(&part, 1).unwrap().len(), 1);
        }
    }
    for (name, bytes) in [("md5", &digests.md5[..]), ("sha512", &digests.sha512)] {
        // The list shows current versions; the file had that digest once.
        let page =
            registry.list_files(&query(&FILES, &[(name, &hex(bytes).to_uppercase())])).unwrap();
        assert_eq!(paths(&page.rows), ["data/a", "data/c"]);
    }
    assert!(registry.list_files(&query(&FILES, &[("md5", "zz")])).unwrap().rows.is_empty());
}

#[test]
fn folders_are_walked_a_page_at_a_time() {
    let archive = Archive::new();
    let files = [
        ("bag-info.txt", "1"),
        ("data/a", "1"),
        ("data/a-b", "1"),
        ("data/a/x", "22"),
        ("data/a/y/z", "333"),
        ("data/b.txt", "1"),
        ("data/ü/u", "4444"),
        ("data0", "1"),
    ];
    let object = archive.deposit("bag", 1, &files);
    let registry = &archive.registry;
    let look = |path: &str, limit: u32| {
        let mut folder =
            Folder { object, version: Version(1), path: path.to_owned(), from: String::new() };
        let mut seen = Vec::new();
        loop {
            let page = registry.folder(&folder, limit).unwrap();
            assert!(page.entries.iter().all(|entry| entry.counted));
            seen.extend(page.entries.into_iter().map(|entry| {
                let slash = if entry.file.is_none() { "/" } else { "" };
                (format!("{}{slash}", entry.name), entry.file_count, entry.size)
            }));
            let Some(next) = page.next else { return seen };
            folder.from = next;
        }
    };
    let told = |entries: &[(&str, u64, u64)]| -> Vec<(String, u64, u64)> {
        entries.iter().map(|(name, count, size)| ((*name).to_owned(), *count, *size)).collect()
    };
    for limit in [1, 2, 100] {
        let root = [("bag-info.txt", 1, 1), ("data/", 6, 12), ("data0", 1, 1)];
        assert_eq!(look("", limit), told(&root));
        let data = [("a", 1, 1), ("a-b", 1, 1), ("a/", 2, 5), ("b.txt", 1, 1), ("ü/", 1, 4)];
        assert_eq!(look("data", limit), told(&data));
        assert_eq!(look("data/a", limit), told(&[("x", 1, 2), ("y/", 1, 3)]));
        assert!(look("dat", limit).is_empty());
    }
    let formats = registry.format_counts(object, 10).unwrap();
    let counts: Vec<_> =
        formats.iter().map(|it| (it.puid.as_str(), it.file_count, it.size)).collect();
    assert_eq!(counts, [("", 6, 12), ("x-fmt/111", 2, 2)]);
}

#[test]
fn deleted_files_leave_tombstones_and_come_back() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("bag", 1, &[("data/a", "1"), ("data/b", "22")]);
    archive.deposit("bag", 2, &[("data/a", "333")]);
    let file = registry.files_by_path(object, &["data/a"]).unwrap().remove(0);
    assert!(archive.delete(DeletionTarget::File(file.id), later(1)));
    let row = registry.object(object).unwrap().unwrap();
    assert_eq!((row.file_count, row.size, row.payload_size), (1, 2, 2));
    let versions = registry.file_versions(file.id, 9).unwrap();
    assert!(versions.iter().all(|it| it.deleted_at == Some(later(1))), "every version is gone");
    assert!(registry.copies(file.id, Version(1)).unwrap().is_empty());
    let deleted = query(&FILES, &[("state", "D")]);
    assert_eq!(paths(&registry.list_files(&deleted).unwrap().rows), ["data/a"]);
    assert_eq!(registry.check().unwrap(), []);

    assert!(archive.delete(DeletionTarget::Object(object), later(4)));
    assert_eq!(registry.object(object).unwrap().unwrap().state, HeldState::Deleted);
    // While the new deposit is not sealed, the file is still deleted.
    let id = archive.begin("bag", 3, &[("data/a", "333")]);
    assert_eq!(registry.file(file.id).unwrap().unwrap().state, HeldState::Deleted);
    registry.seal(id, &seal(1)).unwrap();
    let back = registry.file(file.id).unwrap().unwrap();
    assert_eq!((back.state, back.uuid, back.version), (HeldState::Active, file.uuid, Version(3)));
    let row = registry.object(object).unwrap().unwrap();
    assert_eq!((row.state, row.file_count, row.size), (HeldState::Active, 1, 3));
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn copies_come_due_and_looks_are_noted() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("bag", 1, &[("data/a", "1"), ("data/b", "2")]);
    let [a, b] = archive.replicas;
    let file = registry.files_by_path(object, &["data/a"]).unwrap().remove(0);
    let due = registry.due_objects(a, NOW, 10).unwrap();
    assert_eq!((due[0].object_id, due[0].copy_count, due.len()), (object, 2, 1));
    let look = |replica, state, at| CheckedCopy {
        file_id: file.id,
        version: file.version,
        replica,
        state,
        at,
    };
    let looks = [look(a, CopyState::Sound, later(5)), look(b, CopyState::Damaged, later(4))];
    assert_eq!(registry.record_checks(&looks).unwrap(), 2);
    assert_eq!(registry.record_checks(&[look(b, CopyState::Sound, later(3))]).unwrap(), 0);
    let copies = registry.copies(file.id, file.version).unwrap();
    assert_eq!(copies[1].state, CopyState::Damaged, "an earlier look changes nothing");
    let unsound = registry.unsound_copies(Some(object), 10).unwrap();
    assert_eq!((unsound.len(), unsound[0].replica.as_str()), (1, "b"));
    assert!(!unsound[0].is_lost, "the other copy is sound");
    let shown = registry.file(file.id).unwrap().unwrap();
    assert_eq!(shown.last_fixity_check, Some(later(4)), "the older of the two looks");
    let asked = |name: &str| {
        let page = registry.list_files(&query(&FILES, &[(name, &later(3).to_string())])).unwrap();
        paths(&page.rows).iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(asked("last_fixity_check__gteq"), ["data/a"]);
    assert_eq!(asked("last_fixity_check__lteq"), ["data/b"]);

    // A look at the whole object is one row, and counts for every copy.
    registry.record_object_check(object, a, later(7)).unwrap();
    registry.record_object_check(object, a, later(6)).unwrap();
    assert_eq!(registry.object_check(object, a).unwrap(), Some(later(7)), "the later look stays");
    registry.record_object_check(object, b, later(8)).unwrap();
    assert!(registry.due_objects(a, later(6), 10).unwrap().is_empty());
    assert_eq!(registry.due_objects(a, later(7), 10).unwrap().len(), 1);
    assert_eq!(registry.due_copy_count(b, later(8)).unwrap(), 2);
    assert_eq!(asked("last_fixity_check__gteq"), ["data/a", "data/b"]);
    let checks = registry.replica_checks().unwrap();
    let told = |at: usize| (checks[at].copy_count, checks[at].unsound_count);
    assert_eq!((told(0), told(1)), ((2, 0), (2, 1)));
    assert_eq!(checks[0].oldest_checked_at, Some(later(7)));
    assert_eq!(registry.check_ages(a, later(7)).unwrap()[0].copy_count, 2);
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn lists_answer_the_described_filters() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let one = archive.deposit("one", 1, &[("data/a.txt", "1"), ("data/b.pdf", "22")]);
    archive.deposit("two", 1, &[("data/c.txt", "333")]);
    archive.deposit("two", 2, &[("data/d.txt", "4444")]);
    let objects = |pairs: &[(&str, &str)]| -> Vec<String> {
        let page = registry.list_objects(&query(&OBJECTS, pairs)).unwrap();
        page.rows.into_iter().map(|row| row.bag_name).collect()
    };
    let early = NOW.to_string();
    for (pairs, expected) in [
        (&[("sort", "identifier__asc")][..], &["one", "two"][..]),
        (&[("institution_parent_id", "7")], &[]),
        (&[("institution_id", "1"), ("size__gteq", "7")], &["two"]),
        (&[("identifier__starts_with", "lib.example.edu/o")], &["one"]),
        (
            &[("file_count__lteq", "2"), ("created_at__gteq", &early), ("sort", "id__asc")],
            &["one", "two"],
        ),
        (&[("access", "restricted")], &[]),
        (
            &[("state", "A"), ("storage_option", "Standard"), ("sort", "size__desc")],
            &["two", "one"],
        ),
    ] {
        assert_eq!(objects(pairs), expected, "{pairs:?}");
    }
    let files = |pairs: &[(&str, &str)]| -> Vec<String> {
        let page = registry.list_files(&query(&FILES, pairs)).unwrap();
        page.rows.into_iter().map(|row| row.path).collect()
    };
    let of_one = one.to_string();
    let a = registry.files_by_path(one, &["data/a.txt"]).unwrap().remove(0);
    let uuid = a.uuid.to_string();
    for (pairs, expected) in [
        (
            &[("intellectual_object_id", of_one.as_str()), ("sort", "path__desc")][..],
            &["data/b.pdf", "data/a.txt"][..],
        ),
        (&[("identifier", "lib.example.edu/two/data/c.txt")], &["data/c.txt"]),
        (&[("identifier", "lib.example.edu/two")], &[]),
        (&[("identifier", "two")], &[]),
        (&[("object_identifier", "lib.example.edu/one")], &["data/a.txt", "data/b.pdf"]),
        (&[("uuid", &uuid)], &["data/a.txt"]),
        (&[("uuid", "x")], &[]),
        (&[("puid", "x-fmt/111")], &["data/a.txt", "data/c.txt", "data/d.txt"]),
        (&[("size__gteq", "2"), ("size__lteq", "3")], &["data/b.pdf", "data/c.txt"]),
        (&[("updated_at__gteq", &later(1000).to_string())], &["data/d.txt"]),
        (&[("state", "D")], &[]),
        (
            &[("storage_option__in", "Standard"), ("storage_option__in", "x"), ("per_page", "1")],
            &["data/a.txt"],
        ),
    ] {
        assert_eq!(files(pairs), expected, "{pairs:?}");
    }
    let first =
        registry.list_files(&query(&FILES, &[("per_page", "3"), ("sort", "size__desc")])).unwrap();
    let token = first.next_cursor.unwrap();
    assert_eq!(files(&[("sort", "size__desc"), ("cursor", &token)]), ["data/a.txt"]);
}
