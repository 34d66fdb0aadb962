//! Each flaw by itself, in a folder and in a bucket: found as what it is, and mended.

use super::super::bucket::validate_bucket;
use super::super::server::Server;
use super::*;

type Damage = fn(&Place);

/// What is done to the object, what must be told, and what lies there instead.
struct Case {
    damage: Damage,
    part: Part,
    path: &'static str,
    found: &'static str,
}

fn case(damage: Damage, part: Part, path: &'static str, found: &'static str) -> Case {
    Case { damage, part, path, found }
}

const A: &str = "v1/content/data/a";
const LARGE: &str = "v1/content/data/large";
const ROOT: &str = "inventory.json";
const ROOT_SIDECAR: &str = "inventory.json.sha512";

fn content() -> Vec<Case> {
    vec![
        case(|p| p.flip(A, 0), Part::Content, A, "Differs"),
        case(|p| p.flip(LARGE, 1_200_000), Part::Content, LARGE, "Differs"),
        case(|p| p.write(A, b""), Part::Content, A, "Differs"),
        case(|p| p.write(A, b"a and more"), Part::Content, A, "Differs"),
        case(
            |p| p.write("v1/content/data/empty", b"!"),
            Part::Content,
            "v1/content/data/empty",
            "Differs",
        ),
        case(|p| p.write(LARGE, &p.read(LARGE)[..700_000]), Part::Content, LARGE, "Differs"),
        case(|p| p.remove(A), Part::Content, A, "Missing"),
        case(
            |p| p.remove("v1/content/data/deep/er/file"),
            Part::Content,
            "v1/content/data/deep/er/file",
            "Missing",
        ),
        case(
            |p| p.remove("v3/content/data/last"),
            Part::Content,
            "v3/content/data/last",
            "Missing",
        ),
        case(|p| p.write("v2/content/extra", b"x"), Part::Stray, "v2/content/extra", "Unwanted"),
        case(|p| p.write("v2/note.txt", b"x"), Part::Stray, "v2/note.txt", "Unwanted"),
        case(|p| p.write("note.txt", b""), Part::Stray, "note.txt", "Unwanted"),
        case(|p| p.write("logs/other", b"x"), Part::Stray, "logs/other", "Unwanted"),
        case(|p| p.write("v5/inventory.json", b"x"), Part::Stray, "v5/inventory.json", "Unwanted"),
        case(|p| p.write("v4/other", b"x"), Part::Stray, "v4/other", "Unwanted"),
    ]
}

fn frame() -> Vec<Case> {
    let foreign = |place: &Place| {
        let text = String::from_utf8(place.read(ROOT)).unwrap();
        place.write(ROOT, text.replace("letters 1901", "letters 1902").as_bytes());
    };
    vec![
        case(|p| p.remove("0=ocfl_object_1.1"), Part::Declaration, "0=ocfl_object_1.1", "Missing"),
        case(|p| p.flip("0=ocfl_object_1.1", 3), Part::Declaration, "0=ocfl_object_1.1", "Differs"),
        case(|p| p.remove(ROOT), Part::RootInventory, ROOT, "Missing"),
        case(|p| p.write(ROOT, b"{"), Part::RootInventory, ROOT, "Malformed"),
        case(foreign, Part::RootInventory, ROOT, "Foreign"),
        case(|p| p.copy("v2/inventory.json", ROOT), Part::RootInventory, ROOT, "Behind"),
        case(|p| p.remove(ROOT_SIDECAR), Part::RootSidecar, ROOT_SIDECAR, "Missing"),
        case(|p| p.write(ROOT_SIDECAR, b"?"), Part::RootSidecar, ROOT_SIDECAR, "Differs"),
        case(|p| p.flip(ROOT_SIDECAR, 128), Part::RootSidecar, ROOT_SIDECAR, "Differs"),
        case(|p| p.flip(ROOT_SIDECAR, 5), Part::RootSidecar, ROOT_SIDECAR, "Differs"),
        case(|p| p.remove("v3/inventory.json"), Part::Inventory(3), "v3/inventory.json", "Missing"),
        case(
            |p| p.flip("v3/inventory.json.sha512", 3),
            Part::Sidecar(3),
            "v3/inventory.json.sha512",
            "Differs",
        ),
        case(|p| p.remove("v1/inventory.json"), Part::Inventory(1), "v1/inventory.json", "Missing"),
        case(
            |p| p.write("v1/inventory.json", b"[]"),
            Part::Inventory(1),
            "v1/inventory.json",
            "Malformed",
        ),
        case(
            |p| p.remove("v1/inventory.json.sha512"),
            Part::Sidecar(1),
            "v1/inventory.json.sha512",
            "Missing",
        ),
        case(
            |p| p.flip("v2/inventory.json.sha512", 9),
            Part::Sidecar(2),
            "v2/inventory.json.sha512",
            "Differs",
        ),
        case(|p| p.flip("logs/v2.jsonl", 4), Part::Chronicle(2), "logs/v2.jsonl", "Differs"),
        case(|p| p.remove("logs/v3.jsonl"), Part::Chronicle(3), "logs/v3.jsonl", "Missing"),
        case(
            |p| p.remove("logs/v3.jsonl.sha512"),
            Part::ChronicleSidecar(3),
            "logs/v3.jsonl.sha512",
            "Missing",
        ),
        case(
            |p| p.flip("logs/v1.jsonl.sha512", 131),
            Part::ChronicleSidecar(1),
            "logs/v1.jsonl.sha512",
            "Differs",
        ),
        case(|p| p.flip(DELETION, 2), Part::Deletion, DELETION, "Differs"),
        case(|p| p.remove(DELETION), Part::Deletion, DELETION, "Missing"),
        case(|p| p.remove(DELETION_SIDECAR), Part::DeletionSidecar, DELETION_SIDECAR, "Missing"),
    ]
}

/// Only a folder can have these.
fn of_folders() -> Vec<Case> {
    let link = |p: &Place| {
        p.remove(A);
        std::os::unix::fs::symlink(p.at("v2/content/data/a"), p.at(A)).unwrap();
    };
    let folder = |p: &Place| fs::create_dir_all(p.at("v2/content/data/nothing")).unwrap();
    vec![
        case(link, Part::Content, A, "NotAFile"),
        case(folder, Part::EmptyFolder, "v2/content/data/nothing", "Unwanted"),
    ]
}

fn check(case: &Case, known: &Known, replicas: &[&Replica], storage_root: &Path) {
    let place = Place::of(storage_root);
    let before = place.files();
    (case.damage)(&place);
    let damaged = place.files().get(case.path).cloned();
    let flaws = known.examine(replicas).unwrap();
    let told: Vec<_> = flaws.iter().map(|flaw| (flaw.part, &*flaw.path)).collect();
    assert_eq!(told, [(case.part, case.path)]);
    assert!(format!("{:?}", flaws[0].found).starts_with(case.found), "{:?}", flaws[0]);
    assert!(flaws[0].sentence().ends_with('.'));
    let became = known.mend(replicas, &flaws).unwrap();
    let aside = match &became[0].1 {
        Became::Mended { aside, .. } => aside.clone(),
        Became::SetAside { to } => Some(to.clone()),
        Became::Removed if case.part == Part::EmptyFolder => None,
        other @ (Became::Removed | Became::Lost | Became::Left(_)) => {
            panic!("{}: {other:?}", case.path)
        }
    };
    assert_eq!(aside.is_some(), damaged.is_some(), "{}", case.path);
    if let Some(aside) = aside {
        assert_eq!(fs::read(storage_root.join(&aside)).ok(), damaged);
        fs::remove_dir_all(storage_root.join(CORNER).join("set-aside")).unwrap();
    }
    assert_eq!(known.examine(replicas).unwrap(), []);
    assert!(place.files() == before, "{}", case.path);
}

const CORNER: &str = "extensions/strongroom-replica";

#[test]
fn every_flaw_of_a_folder_is_found_and_mended() {
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    let known = Known::of(&a);
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
    for (at, case) in content().iter().chain(&frame()).chain(&of_folders()).enumerate() {
        check(case, &known, &[&a, &b], &dir.path().join("a"));
        // Every byte was compared; the validator is slow, and says the same of the same bytes.
        if at % 5 == 0 {
            validate(&dir.path().join("a"));
        }
    }
}

#[test]
fn every_flaw_of_a_bucket_is_found_and_mended() {
    let dir = memory_dir();
    let server = Server::start(&dir.path().join("s3"));
    let (s, b) = (server.replica(dir.path()), folder(dir.path(), "b"));
    fill(&[&s, &b]);
    let known = Known::of(&b);
    let storage_root = dir.path().join("s3/vault");
    // What lies where a draft may grow is not yet a stray in a bucket.
    for (at, case) in content().iter().chain(&frame()).enumerate() {
        check(case, &known, &[&s, &b], &storage_root);
        if at % 4 == 0 {
            validate_bucket(&storage_root);
        }
    }
    // And a folder is mended from a bucket.
    Place::of(&dir.path().join("b")).flip(LARGE, 3);
    let flaws = known.examine(&[&b, &s]).unwrap();
    let became = known.mend(&[&b, &s], &flaws).unwrap();
    assert!(matches!(&became[0].1, Became::Mended { from: Some(name), .. } if name == "s"));
    assert_eq!(known.examine(&[&b, &s]).unwrap(), []);
    validate_bucket(&storage_root);
}

#[test]
fn a_whole_object_comes_back() {
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    let known = Known::of(&a);
    let place = Place::of(&dir.path().join("a"));
    let before = place.files();
    fs::remove_dir_all(&place.root).unwrap();
    let flaws = known.examine(&[&a, &b]).unwrap();
    assert_eq!(flaws.len(), before.len());
    known.mend(&[&a, &b], &flaws).unwrap();
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
    assert!(place.files() == before);
    assert_eq!(state(&a, 3), state(&b, 3));
    validate(&dir.path().join("a"));
}

#[test]
fn names_that_are_no_text_and_files_in_the_place_of_folders_are_put_away() {
    use std::os::unix::ffi::OsStrExt;

    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    let known = Known::of(&a);
    let place = Place::of(&dir.path().join("a"));
    let before = place.files();
    let odd = std::ffi::OsStr::from_bytes(b"odd \xff name");
    fs::File::create(place.root.join(odd)).unwrap();
    // A file where folders must be, and folders where a file must be.
    fs::remove_dir_all(place.at("v1/content/data/deep")).unwrap();
    place.write("v1/content/data/deep", b"a file");
    place.remove(A);
    place.write(&format!("{A}/b/c"), b"in a folder");
    let flaws = known.examine(&[&a, &b]).unwrap();
    let count = |part: Part| flaws.iter().filter(|flaw| flaw.part == part).count();
    assert_eq!((count(Part::Stray), count(Part::Content)), (3, 2), "{flaws:?}");
    known.mend(&[&a, &b], &flaws).unwrap();
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
    assert!(place.files() == before);
    validate(&dir.path().join("a"));
}

#[test]
fn what_was_set_aside_is_not_taken_for_an_object() {
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    let known = Known::of(&a);
    let place = Place::of(&dir.path().join("a"));
    place.flip("0=ocfl_object_1.1", 0);
    place.flip("inventory.json", 9);
    let flaws = known.examine(&[&a, &b]).unwrap();
    known.mend(&[&a, &b], &flaws).unwrap();
    let mut found = Vec::new();
    let walked: Result<(), VaultError> = a.each_object(&mut |each| {
        found.push(each?);
        Ok(())
    });
    walked.unwrap();
    assert_eq!(found, [(object(), SEALED)]);
    validate(&dir.path().join("a"));
}

#[test]
fn whoever_wants_to_stop_an_examination_or_a_mend_can() {
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    let known = Known::of(&a);
    let stop = |_| Err(VaultError::Refused { what: "enough".into() });
    let truth = known.truth(&[&a, &b]).unwrap().unwrap();
    assert_eq!(a.examine(&truth, stop).unwrap_err().code(), "vault-refused");
    let place = Place::of(&dir.path().join("a"));
    place.flip(LARGE, 0);
    let damaged = place.read(LARGE);
    let flaws = known.examine(&[&a, &b]).unwrap();
    let mending = Mending { truth: &truth, flaws: &flaws, sources: &[&b], moment: "1" };
    // Not before it begins, but with the first bytes that are copied.
    let stop = |bytes| if bytes > 0 { stop(bytes) } else { Ok(()) };
    let stopped = a.mend(mending, stop, |_, _| panic!("told"));
    assert_eq!(stopped.unwrap_err().code(), "vault-refused");
    assert!(place.read(LARGE) == damaged);
    known.mend(&[&a, &b], &flaws).unwrap();
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
}
