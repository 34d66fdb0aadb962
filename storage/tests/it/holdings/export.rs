//! Exports do not know who drew which number, and come back; the doctor knows what must agree.

use storage::registry::{DeletionTarget, Error, FileId, ObjectId};

use super::archive::{Archive, later, new_file, seal};

/// The same holdings, written in the order that `turn` says.
fn filled(turn: bool) -> Archive {
    let archive = Archive::new();
    let mut bags = ["one", "two", "three"];
    let mut files = [("data/a.txt", "1"), ("data/b", "22"), ("info", "3"), ("data/c/d", "")];
    if turn {
        bags.reverse();
        files.reverse();
        // Numbers that are drawn and not used, and words that nobody says any more.
        let id = archive.begin("never", 1, &[("data/x.txt", "1")]);
        archive.registry.abandon(id).unwrap();
    }
    for bag in bags {
        archive.deposit(bag, 1, &files);
    }
    for bag in bags {
        archive.deposit(bag, 2, &[("data/a.txt", "changed"), ("data/new", bag)]);
    }
    let registry = &archive.registry;
    let object = registry.object_by_identifier("lib.example.edu/two").unwrap().unwrap().id;
    let gone = registry.files_by_path(object, &["data/b"]).unwrap().remove(0).id;
    archive.delete(DeletionTarget::File(gone), later(9000));
    archive
}

#[test]
fn two_exports_of_the_same_holdings_are_equal() {
    let (one, other) = (filled(false), filled(true));
    assert_eq!(one.exported(), other.exported());
    let id = |archive: &Archive| {
        archive.registry.object_by_identifier("lib.example.edu/one").unwrap().unwrap().id
    };
    assert_ne!(id(&one), id(&other), "and not because the numbers were");
}

#[test]
fn holdings_come_back_from_an_export_in_any_order() {
    let archive = filled(false);
    let rows = archive.exported();
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("registry.sqlite");
    let copy = storage::registry::Registry::open(&path, later(0)).unwrap();
    let mut reversed = rows.iter().rev().cloned();
    assert_eq!(
        copy.import_rows(&mut || Ok::<_, Error>(reversed.next())).unwrap(),
        rows.len() as u64
    );
    let mut again = Vec::new();
    let mut each = |table: &'static str, row| {
        again.push((table.to_owned(), row));
        Ok::<_, Error>(())
    };
    copy.export_all(&mut each).unwrap();
    assert_eq!(again, rows);
    assert_eq!(copy.check().unwrap(), []);
}

#[test]
fn rows_that_name_what_is_not_there_are_not_let_in() {
    let rows = filled(false).exported();
    for gone in ["institutions", "objects", "deposits", "files", "formats", "replicas", "wordings"]
    {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("registry.sqlite");
        let copy = storage::registry::Registry::open(&path, later(0)).unwrap();
        let mut some = rows.iter().filter(|(table, _)| table != gone).cloned();
        let refused = copy.import_rows(&mut || Ok::<_, Error>(some.next()));
        assert!(matches!(refused, Err(Error::Conflict(_))), "{gone}: {refused:?}");
        assert!(copy.object(ObjectId(1)).unwrap().is_none());
    }
}

#[test]
fn the_doctor_finds_what_does_not_agree() {
    for (code, sql) in [
        ("object-version", "UPDATE objects SET version = 1 WHERE id = 1"),
        ("object-version", "UPDATE deposits SET sealed_at = NULL WHERE id = 1"),
        ("object-sums", "UPDATE objects SET size = size + 1 WHERE id = 1"),
        ("object-sums", "UPDATE objects SET payload_file_count = 0 WHERE id = 1"),
        ("object-formats", "UPDATE object_formats SET size = size + 1"),
        ("object-copies", "UPDATE object_copies SET unsound_count = 1"),
        ("object-copies", "DELETE FROM object_copies"),
        ("object-reach", "UPDATE objects SET kept_count = kept_count + 1 WHERE id = 1"),
        ("object-reach", "UPDATE objects SET sound_in = '' WHERE id = 1"),
        ("format-sums", "UPDATE format_sums SET size = size + 1"),
        ("format-sums", "UPDATE format_sums SET is_restricted = 1"),
        ("object-names", "DELETE FROM object_words_docsize WHERE id = 1"),
        ("held-sums", "UPDATE held_sums SET object_count = 0"),
        ("file-names", "DELETE FROM file_words_docsize WHERE id = 1"),
        ("object-state", "UPDATE objects SET state = 'D' WHERE id = 1"),
        (
            "file-deposit",
            "UPDATE file_versions SET deposit_id = 2 WHERE file_id = 1 AND version = 1",
        ),
        ("file-chain", "UPDATE file_versions SET superseded_by = NULL WHERE superseded_by = 2"),
        ("file-chain", "UPDATE file_versions SET superseded_by = 7 WHERE file_id = 2"),
        ("file-first-version", "UPDATE files SET first_version = 2 WHERE id = 1"),
        ("file-digests", "DELETE FROM digest_starts WHERE file_id = 1"),
        ("file-copies", "DELETE FROM copies WHERE file_id = 1"),
        ("event-type", "UPDATE events SET event_type = 'x' WHERE id = 1"),
        ("event-target", "UPDATE events SET object_id = 2 WHERE id = 1"),
        ("foreign-key", "DELETE FROM replicas WHERE id = 1"),
    ] {
        let archive = filled(false);
        assert_eq!(archive.registry.check().unwrap(), []);
        archive.sql().execute_batch(&format!("PRAGMA foreign_keys = OFF; {sql}")).unwrap();
        let flaws = archive.registry.check().unwrap();
        assert!(flaws.iter().any(|flaw| flaw.code == code), "{sql}: {flaws:?}");
        assert!(flaws.iter().all(|flaw| !flaw.sentence.contains("{}")), "{flaws:?}");
    }
}

#[test]
fn a_deposit_in_the_middle_accuses_nobody() {
    let archive = filled(false);
    archive.begin("one", 3, &[("data/a.txt", "third"), ("data/late", "3")]);
    let id = archive.begin("four", 1, &[("data/a.txt", "third")]);
    let registry = &archive.registry;
    registry.put_files(id, &[new_file(&archive, "four", "data/z", "z")]).unwrap();
    assert_eq!(registry.check().unwrap(), []);
    assert!(registry.file(FileId(1)).unwrap().is_some());
    registry.seal(id, &seal(2)).unwrap();
    assert_eq!(registry.check().unwrap(), []);
}
