//! What is found by name, and what is added up beforehand.

use storage::registry::{
    CheckedCopy, CopyState, DeletionTarget, FILES, Folder, HeldSums, OBJECTS, ObjectFacts, Query,
    Seal, Version,
};

use super::archive::{Archive, NOW, later, seal};
use super::query;

#[test]
fn objects_are_found_by_the_start_of_any_word() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let titled = |bag: &str, version: u32, title: &str| {
        let id = archive.begin(bag, version, &[("data/a", title)]);
        let facts = ObjectFacts { title: title.to_owned(), ..seal(1).facts };
        registry
            .seal(id, &Seal { facts, at: later(u64::from(version)), saved_file_count: 1 })
            .unwrap();
    };
    titled("parish-1790", 1, "Kirchenbücher der ÜBER-Gemeinde");
    titled("maps", 1, "100% of_all maps");
    let found = |text: &str| -> Vec<String> {
        let asked = query(&OBJECTS, &[("named", text), ("sort", "id__asc")]);
        registry.list_objects(&asked).unwrap().rows.into_iter().map(|row| row.bag_name).collect()
    };
    for text in ["kirch", "DER über", "gemeinde uber", "1790", "Parish", "lib.example.edu/par"] {
        assert_eq!(found(text), ["parish-1790"], "{text}");
    }
    for text in ["100%", "of_all", "maps"] {
        assert_eq!(found(text), ["maps"], "{text}");
    }
    assert_eq!(found("lib.example"), ["parish-1790", "maps"]);
    for text in ["arish", "emeinde", "%", "no such name"] {
        assert!(found(text).is_empty(), "{text}");
    }
    // A new title takes the place of the old one.
    titled("maps", 2, "Atlas");
    assert_eq!(found("atlas"), ["maps"]);
    assert!(found("of_all").is_empty());
    assert_eq!(found("maps"), ["maps"], "by the bag's name");
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn sums_follow_deposits_deletions_and_looks() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let sums = |object_count, file_count, size| HeldSums { object_count, file_count, size };
    assert_eq!(registry.held_sums().unwrap(), sums(0, 0, 0));
    let object = archive.deposit("bag", 1, &[("data/a.txt", "1"), ("data/b", "22")]);
    archive.deposit("bag", 2, &[("data/a.txt", "333")]);
    archive.deposit("other", 1, &[("data/c", "4444")]);
    assert_eq!(registry.held_sums().unwrap(), sums(2, 3, 9));
    let formats = || -> Vec<(String, u64, u64)> {
        let counts = registry.format_counts(object, 10).unwrap();
        counts.into_iter().map(|it| (it.puid, it.file_count, it.size)).collect()
    };
    assert_eq!(formats(), [(String::new(), 1, 2), ("x-fmt/111".to_owned(), 1, 3)]);
    let copies = || -> Vec<(u64, u64, u64)> {
        let counts = registry.copy_counts(object, 10).unwrap();
        assert!(counts.iter().all(|it| it.place == "cellar"));
        let told = |at: storage::clock::Timestamp| at.0 - NOW.0;
        let row = |it: &storage::registry::CopyCount| {
            (it.copy_count, it.unsound_count, told(it.last_checked_at))
        };
        counts.iter().map(row).collect()
    };
    assert_eq!(copies(), [(3, 0, 0), (3, 0, 0)]);
    let file = registry.files_by_path(object, &["data/a.txt"]).unwrap().remove(0);
    let look = |state, at| CheckedCopy {
        file_id: file.id,
        version: file.version,
        replica: archive.replicas[1],
        state,
        at: later(at),
    };
    registry.record_checks(&[look(CopyState::Damaged, 5)]).unwrap();
    registry.record_checks(&[look(CopyState::Missing, 6), look(CopyState::Sound, 4)]).unwrap();
    assert_eq!(copies(), [(3, 0, 0), (3, 1, 6)]);
    registry.record_checks(&[look(CopyState::Sound, 7)]).unwrap();
    assert_eq!(copies(), [(3, 0, 0), (3, 0, 7)]);
    registry.record_checks(&[look(CopyState::Damaged, 8)]).unwrap();
    archive.delete(DeletionTarget::File(file.id), later(9));
    assert_eq!(copies(), [(1, 0, 0), (1, 0, 8)]);
    assert_eq!(formats(), [(String::new(), 1, 2)]);
    archive.delete(DeletionTarget::Object(object), later(9));
    assert_eq!(registry.held_sums().unwrap(), sums(1, 1, 4));
    assert!(copies().is_empty() && formats().is_empty());
    archive.deposit("bag", 3, &[("data/a.txt", "back")]);
    assert_eq!(registry.held_sums().unwrap(), sums(2, 2, 8));
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn a_folder_with_very_many_files_is_passed_by() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let mut names: Vec<String> = (0..12_000).map(|n| format!("data/many/{n:05}")).collect();
    names.extend((0..100).map(|n| format!("data/next/{n:03}")));
    names.extend((0..20).map(|n| format!("data/small/{n:02}")));
    names.push("data/z".to_owned());
    let files: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "1")).collect();
    let object = archive.deposit("bag", 1, &[("data/z", "1")]);
    archive.deposit("bag", 2, &files);
    let look = |version, from: &str| {
        let (path, from) = ("data".to_owned(), from.to_owned());
        registry.folder(&Folder { object, version: Version(version), path, from }, 10).unwrap()
    };
    let page = look(2, "");
    let told: Vec<_> = page
        .entries
        .iter()
        .map(|it| (it.name.as_str(), it.file_count, it.counted, it.file.is_some()))
        .collect();
    let wanted = [
        ("many", 10_000, false, false),
        ("next", 50, false, false),
        ("small", 20, true, false),
        ("z", 1, true, true),
    ];
    assert_eq!((told.as_slice(), page.next.as_deref()), (&wanted[..], None));
    // The first version has one of them, behind thousands that it has not.
    let (mut from, mut pages, mut found) = (String::new(), 0, Vec::new());
    loop {
        let page = look(1, &from);
        found.extend(page.entries.into_iter().map(|it| it.name));
        pages += 1;
        let Some(next) = page.next else { break };
        assert!(next > from);
        from = next;
    }
    assert_eq!((found, pages), (vec!["z".to_owned()], 2));
    assert_eq!(registry.list_files(&Query::all(&FILES)).unwrap().rows.len(), 20);
}
