use std::fs;

use tempfile::TempDir;

use super::*;

/// A set of two formats; the second one is called by its version.
fn set(droid: u32, container: u32) -> SignatureSet {
    let sequence = "<ByteSequence Reference=\"BOFoffset\"><SubSequence Position=\"1\" \
        SubSeqMinOffset=\"0\" SubSeqMaxOffset=\"0\"><Sequence>504B</Sequence></SubSequence>\
        </ByteSequence>";
    let droid = format!(
        "<FFSignatureFile Version=\"{droid}\" DateCreated=\"2026-01-01T00:00:00\">\
         <InternalSignatureCollection><InternalSignature ID=\"1\">{sequence}</InternalSignature>\
         </InternalSignatureCollection><FileFormatCollection>\
         <FileFormat ID=\"1\" PUID=\"x-fmt/263\" Name=\"ZIP\">\
         <InternalSignatureID>1</InternalSignatureID></FileFormat>\
         <FileFormat ID=\"2\" PUID=\"fmt/{droid}\" Name=\"Of {droid}\"/>\
         </FileFormatCollection></FFSignatureFile>"
    );
    let container = format!(
        "<ContainerSignatureMapping signatureVersion=\"{container}\"><ContainerSignatures>\
         <ContainerSignature Id=\"1\" ContainerType=\"ZIP\"><Files><File><Path>a</Path></File>\
         </Files></ContainerSignature></ContainerSignatures><FileFormatMappings>\
         <FileFormatMapping signatureId=\"1\" Puid=\"x-fmt/263\"/></FileFormatMappings>\
         <TriggerPuids><TriggerPuid ContainerType=\"ZIP\" Puid=\"x-fmt/263\"/></TriggerPuids>\
         </ContainerSignatureMapping>"
    );
    SignatureSet::compile(droid.as_bytes(), container.as_bytes(), None).unwrap()
}

fn own_122() -> Result<SignatureSet, Broken> {
    Ok(set(122, 40))
}

fn own_125() -> Result<SignatureSet, Broken> {
    Ok(set(125, 42))
}

fn shelf() -> (TempDir, Shelf) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let shelf = Shelf { folder: data.join(FOLDER), data, built_in: own_122 };
    (dir, shelf)
}

fn upgraded(shelf: &Shelf) -> Shelf {
    Shelf { data: shelf.data.clone(), folder: shelf.folder.clone(), built_in: own_125 }
}

/// The number in use, where it is from, and whether something is said about it.
fn used(shelf: &Shelf) -> (u32, Origin, bool) {
    let Shelved { set, origin, warning } = shelf.in_use().unwrap();
    (set.about.droid_version, origin, warning.is_some())
}

fn before(shelf: &Shelf) -> Option<u32> {
    let in_use = shelf.in_use().unwrap().set;
    shelf.previous(&in_use).map(|set| set.about.droid_version)
}

fn plant(shelf: &Shelf, name: &str, bytes: &[u8]) {
    durable::create_folder(&shelf.folder).unwrap();
    durable::write(&shelf.path(name), bytes, false).unwrap();
}

fn plant_set(shelf: &Shelf, name: &str, droid: u32) {
    plant(shelf, name, &set(droid, 40).to_bytes().unwrap());
}

#[test]
fn without_a_directory_the_programs_own_set_is_used_and_nothing_is_made() {
    let (_dir, shelf) = shelf();
    assert_eq!(used(&shelf), (122, Origin::BuiltIn, false));
    assert!(matches!(shelf.revert(), Err(ShelfError::NoPrevious)));
    assert!(!shelf.data.try_exists().unwrap());
}

#[test]
fn a_newer_set_is_put_in_use_and_the_last_one_is_kept() {
    let (_dir, shelf) = shelf();
    let changes = shelf.put(&set(123, 40)).unwrap();
    assert_eq!((changes.added.len(), changes.removed.len(), changes.same), (1, 1, 1));
    assert_eq!((used(&shelf), before(&shelf)), ((123, Origin::Stored, false), Some(122)));
    shelf.put(&set(123, 41)).unwrap();
    shelf.put(&set(124, 41)).unwrap();
    assert_eq!((used(&shelf), before(&shelf)), ((124, Origin::Stored, false), Some(123)));
}

#[test]
fn an_older_set_or_the_same_is_refused_and_nothing_changes() {
    let (_dir, shelf) = shelf();
    shelf.put(&set(124, 41)).unwrap();
    let kept = fs::read(shelf.path(CURRENT)).unwrap();
    for (droid, container) in [(123, 41), (124, 40), (125, 40), (122, 50)] {
        let refused = shelf.put(&set(droid, container));
        assert!(matches!(refused, Err(ShelfError::Older { .. })), "{droid} {container}");
    }
    let mut earlier = set(124, 41);
    earlier.about.droid_created = "2025-01-01T00:00:00".to_owned();
    earlier.about.droid_sha256 = "another".to_owned();
    assert!(matches!(shelf.put(&earlier), Err(ShelfError::Older { .. })));
    assert!(matches!(shelf.put(&set(124, 41)), Err(ShelfError::Same(_))));
    assert_eq!(fs::read(shelf.path(CURRENT)).unwrap(), kept);
    assert_eq!(before(&shelf), Some(122));
}

#[test]
fn revert_goes_back_and_forth() {
    let (_dir, shelf) = shelf();
    shelf.put(&set(123, 40)).unwrap();
    shelf.put(&set(124, 40)).unwrap();
    for (now, then) in [(123, 124), (124, 123), (123, 124)] {
        let (back, changes) = shelf.revert().unwrap();
        assert_eq!((back.about.droid_version, changes.added.len()), (now, 1));
        assert_eq!((used(&shelf), before(&shelf)), ((now, Origin::Stored, false), Some(then)));
    }
    let left: Vec<_> = fs::read_dir(&shelf.folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert_eq!(left.len(), 3, "no drafts are left: {left:?}");
}

#[test]
fn going_back_to_the_programs_own_set_is_going_back_to_it() {
    let (_dir, shelf) = shelf();
    shelf.put(&set(123, 40)).unwrap();
    shelf.revert().unwrap();
    assert_eq!((used(&shelf), before(&shelf)), ((122, Origin::BuiltIn, false), Some(123)));
}

#[test]
fn a_stored_set_gives_way_to_a_newer_program() {
    let (_dir, shelf) = shelf();
    shelf.put(&set(123, 40)).unwrap();
    let shelf = upgraded(&shelf);
    assert_eq!(used(&shelf), (125, Origin::BuiltIn, true));
    let said = shelf.in_use().unwrap().warning.unwrap();
    assert!(said.contains("DROID 123") && said.contains("DROID 125"), "{said}");
    // Going back would have no effect, and is not pretended.
    assert!(matches!(shelf.revert(), Err(ShelfError::PreviousOlder { .. })));
    assert!(matches!(shelf.put(&set(124, 42)), Err(ShelfError::Older { .. })));
    shelf.put(&set(126, 42)).unwrap();
    assert_eq!((used(&shelf), before(&shelf)), ((126, Origin::Stored, false), Some(125)));
}

#[test]
fn a_set_that_is_newer_in_one_part_stays() {
    let (_dir, shelf) = shelf();
    shelf.put(&set(130, 40)).unwrap();
    assert_eq!(used(&upgraded(&shelf)), (130, Origin::Stored, false));
}

#[test]
fn damage_of_any_kind_is_said_and_another_set_is_used() {
    let whole = set(124, 40).to_bytes().unwrap();
    let mut flipped = whole.clone();
    flipped[40] ^= 1;
    let mut longer = whole.clone();
    longer.push(0);
    for bytes in [&whole[..whole.len() / 2], &flipped, &longer, b"", b"x", &[0; 4096]] {
        let (_dir, shelf) = shelf();
        plant(&shelf, CURRENT, bytes);
        assert_eq!(used(&shelf), (122, Origin::BuiltIn, true));
        plant_set(&shelf, PREVIOUS, 123);
        assert_eq!(used(&shelf), (123, Origin::Stored, true));
        assert_eq!(before(&shelf), None);
        plant(&shelf, PREVIOUS, bytes);
        assert_eq!(used(&shelf), (122, Origin::BuiltIn, true));
        // What is in use already mends it.
        shelf.put(&set(122, 40)).unwrap();
        assert_eq!(used(&shelf), (122, Origin::BuiltIn, false));
    }
}

#[test]
fn a_damaged_set_does_not_bring_back_one_older_than_the_program() {
    let (_dir, shelf) = shelf();
    plant(&shelf, CURRENT, b"damaged");
    plant_set(&shelf, PREVIOUS, 123);
    let shelf = upgraded(&shelf);
    assert_eq!(used(&shelf), (125, Origin::BuiltIn, true));
    let said = shelf.in_use().unwrap().warning.unwrap();
    assert!(said.contains("is damaged") && said.contains("DROID 125"), "{said}");
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let (_dir, shelf) = shelf();
    fs::create_dir_all(shelf.path(CURRENT)).unwrap();
    assert_eq!(used(&shelf), (122, Origin::BuiltIn, true));
    let said = shelf.in_use().unwrap().warning.unwrap();
    assert!(said.contains("it is a folder, not a file"), "{said}");
    assert!(matches!(shelf.put(&set(123, 40)), Err(ShelfError::Files { .. })));
}

/// The states on disk between the steps of `put` and `revert`.
#[test]
fn a_crash_between_two_steps_leaves_a_set_and_loses_none() {
    // put of 124 over 123: the previous one is written, the current one is not, or half.
    let (_dir, shelf) = shelf();
    plant_set(&shelf, CURRENT, 123);
    plant_set(&shelf, PREVIOUS, 123);
    plant(&shelf, "current.set.draft", b"half");
    assert_eq!((used(&shelf), before(&shelf)), ((123, Origin::Stored, false), None));
    assert!(matches!(shelf.revert(), Err(ShelfError::NoPrevious)));
    shelf.put(&set(124, 40)).unwrap();
    assert_eq!((used(&shelf), before(&shelf)), ((124, Origin::Stored, false), Some(123)));

    // revert from 124 to 123: put aside, and not yet begun.
    plant_set(&shelf, ASIDE, 124);
    assert_eq!((used(&shelf), before(&shelf)), ((124, Origin::Stored, false), Some(123)));
    // The older one is in use, and the newer one not yet the previous one.
    plant_set(&shelf, CURRENT, 123);
    assert_eq!((used(&shelf), before(&shelf)), ((123, Origin::Stored, false), Some(124)));
    shelf.revert().unwrap();
    assert_eq!((used(&shelf), before(&shelf)), ((124, Origin::Stored, false), Some(123)));
}

/// The real steps, cut short at each file: what is in use is replaced last, when the other set is
/// safe already.
#[test]
fn a_write_that_fails_leaves_the_set_in_use() {
    for name in [CURRENT, PREVIOUS, ASIDE] {
        let (_dir, shelf) = shelf();
        shelf.put(&set(123, 40)).unwrap();
        shelf.put(&set(124, 40)).unwrap();
        let in_the_way = shelf.path(&format!("{name}.draft"));
        fs::create_dir(&in_the_way).unwrap();
        if name != PREVIOUS {
            assert!(matches!(shelf.revert(), Err(ShelfError::Files { .. })), "{name}");
            assert_eq!((used(&shelf), before(&shelf)), ((124, Origin::Stored, false), Some(123)));
            assert!(matches!(shelf.put(&set(125, 40)), Err(ShelfError::Files { .. })), "{name}");
            assert_eq!((used(&shelf), before(&shelf)), ((124, Origin::Stored, false), Some(123)));
        }
        fs::remove_dir(&in_the_way).unwrap();
        shelf.put(&set(125, 40)).unwrap();
        assert_eq!((used(&shelf), before(&shelf)), ((125, Origin::Stored, false), Some(124)));
    }
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let (_dir, shelf) = shelf();
    durable::create_folder(&shelf.data).unwrap();
    durable::write(&shelf.data.join("thesis.doc"), b"x", false).unwrap();
    assert!(matches!(shelf.put(&set(123, 40)), Err(ShelfError::Place(_))));
    assert_eq!(fs::read_dir(&shelf.data).unwrap().count(), 1);
}

#[test]
fn two_at_once_leave_a_whole_set() {
    let (_dir, shelf) = shelf();
    std::thread::scope(|scope| {
        for droid in 123..131 {
            let shelf = &shelf;
            scope.spawn(move || shelf.put(&set(droid, 40)).ok());
        }
    });
    assert_eq!(used(&shelf), (130, Origin::Stored, false));
    assert!(before(&shelf).is_some());
}
