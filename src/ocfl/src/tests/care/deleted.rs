//! What was deleted does not come back by a mend.

use std::collections::HashSet;

use super::*;

#[test]
fn a_replica_that_missed_a_deletion_is_not_believed() {
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    let paths = HashSet::from(["data/large".to_owned()]);
    let contents = ["v1/content/data/large".to_owned()];
    let going = Expunging::Files { paths: &paths, contents: &contents };
    a.expunge(&object(), &going, &mut || Ok::<(), VaultError>(())).unwrap();
    let known = Known::of(&a);
    // Asked first, it has an inventory of the same version in good order: that of before.
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
    let flaws = known.examine(&[&b, &a]).unwrap();
    let of_part = |part: Part| flaws.iter().find(|flaw| flaw.part == part).unwrap();
    assert_eq!(of_part(Part::Stray).path, contents[0]);
    assert!(matches!(of_part(Part::RootInventory).found, Found::Differs { .. }));
    known.mend(&[&b, &a], &flaws).unwrap();
    assert_eq!(known.examine(&[&b, &a]).unwrap(), []);
    for name in ["a", "b"] {
        assert!(!Place::of(&dir.path().join(name)).files().contains_key(&contents[0]));
        validate(&dir.path().join(name));
    }
    // And when its turn comes, nothing is left there either.
    b.expunge(&object(), &going, &mut || Ok::<(), VaultError>(())).unwrap();
    b.require_expunged(&object(), &going).unwrap();
    assert_eq!(known.examine(&[&b, &a]).unwrap(), []);
}

#[test]
fn an_object_that_was_deleted_whole_is_in_order() {
    let dir = memory_dir();
    let (a, b) = (folder(dir.path(), "a"), folder(dir.path(), "b"));
    fill(&[&a, &b]);
    for replica in [&a, &b] {
        replica.expunge(&object(), &Expunging::Whole, &mut || Ok::<(), VaultError>(())).unwrap();
    }
    let known = Known::of(&a);
    assert!(known.0.is_empty());
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
    Place::of(&dir.path().join("a")).flip("v1/inventory.json", 40);
    let flaws = known.examine(&[&a, &b]).unwrap();
    assert_eq!(flaws.len(), 1);
    known.mend(&[&a, &b], &flaws).unwrap();
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
    validate(&dir.path().join("a"));
}
