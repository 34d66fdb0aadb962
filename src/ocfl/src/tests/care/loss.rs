//! What no replica has in order: told as lost, exactly, and not touched.

use super::*;

fn two(dir: &Path) -> (Replica, Replica, Known) {
    let (a, b) = (folder(dir, "a"), folder(dir, "b"));
    fill(&[&a, &b]);
    let known = Known::of(&a);
    (a, b, known)
}

#[test]
fn what_is_damaged_everywhere_is_lost_and_nothing_else_is() {
    let dir = memory_dir();
    let (a, b, known) = two(dir.path());
    let (first, second) = (Place::of(&dir.path().join("a")), Place::of(&dir.path().join("b")));
    first.flip("v1/content/data/large", 9);
    second.remove("v1/content/data/large");
    first.remove("v2/content/data/new");
    second.flip("v2/content/data/new", 1);
    first.flip("logs/v2.jsonl", 2);
    second.flip("logs/v2.jsonl", 3);
    first.remove("v1/inventory.json");
    second.remove("v1/inventory.json");
    // And something that can be mended.
    first.flip("v2/content/data/a", 0);
    let lost =
        ["v1/content/data/large", "v2/content/data/new", "v1/inventory.json", "logs/v2.jsonl"];
    let flaws = known.examine(&[&a, &b]).unwrap();
    let before = first.files();
    let became = known.mend(&[&a, &b], &flaws).unwrap();
    let told: Vec<&str> = became
        .iter()
        .filter(|(_, became)| matches!(became, Became::Lost))
        .map(|(flaw, _)| &*flaw.path)
        .collect();
    assert_eq!(told, lost);
    let mut expected = before;
    expected.insert("v2/content/data/a".into(), b"changed".to_vec());
    assert!(first.files() == expected, "something else was touched");
    // Nothing is set aside of what stayed.
    let aside = dir.path().join("a/extensions/strongroom-replica/set-aside");
    let mut kept = Vec::new();
    a.medium
        .list("extensions/strongroom-replica/set-aside", &mut |key, _| {
            kept.push(key.to_owned());
            Ok(())
        })
        .unwrap();
    assert!(
        aside.is_dir() && kept.len() == 1 && kept[0].ends_with("v2/content/data/a"),
        "{kept:?}"
    );
    let left = known.examine(&[&a, &b]).unwrap();
    assert_eq!(left.iter().map(|flaw| &*flaw.path).collect::<Vec<_>>(), lost);
}

#[test]
fn a_source_that_is_away_is_no_loss() {
    let dir = memory_dir();
    let (a, b, known) = two(dir.path());
    Place::of(&dir.path().join("a")).flip("v1/content/data/a", 0);
    let flaws = known.examine(&[&a, &b]).unwrap();
    let (here, away) = (dir.path().join("b"), dir.path().join("away"));
    byteio::durable::rename(&here, &away).unwrap();
    let became = known.mend(&[&a, &b], &flaws).unwrap();
    assert!(matches!(&became[0].1, Became::Left(error) if error.code() == "replica-away"));
    byteio::durable::rename(&away, &here).unwrap();
    known.mend(&[&a, &b], &flaws).unwrap();
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
    // Of a replica that is away nothing is told.
    byteio::durable::rename(&dir.path().join("a"), &away).unwrap();
    assert_eq!(known.examine(&[&a, &b]).unwrap_err().code(), "replica-away");
}

#[test]
fn an_older_inventory_is_not_believed_however_well_its_sidecar_vouches() {
    let dir = memory_dir();
    let (a, b, known) = two(dir.path());
    // Both roots are of version 2, and of version 3 only one folder is in order.
    for name in ["a", "b"] {
        let place = Place::of(&dir.path().join(name));
        place.copy("v2/inventory.json", "inventory.json");
        place.copy("v2/inventory.json.sha512", "inventory.json.sha512");
    }
    let place = Place::of(&dir.path().join("a"));
    place.remove("v3/inventory.json");
    place.remove("v3/inventory.json.sha512");
    let flaws = known.examine(&[&a, &b]).unwrap();
    let parts: Vec<Part> = flaws.iter().map(|flaw| flaw.part).collect();
    let expected = [Part::Inventory(3), Part::Sidecar(3), Part::RootSidecar, Part::RootInventory];
    assert_eq!(parts, expected);
    assert_eq!(flaws[3].found, Found::Behind { head: 2 });
    known.mend(&[&a, &b], &flaws).unwrap();
    assert_eq!(known.examine(&[&a, &b]).unwrap(), []);
    validate(&dir.path().join("a"));
    assert_eq!(state(&a, 3).len(), 9);
}

#[test]
fn without_an_inventory_that_can_be_believed_there_is_no_truth() {
    let dir = memory_dir();
    let (a, b, known) = two(dir.path());
    for name in ["a", "b"] {
        let place = Place::of(&dir.path().join(name));
        place.flip("inventory.json", 900);
        place.flip("v3/inventory.json", 700);
    }
    assert!(known.truth(&[&a, &b]).unwrap().is_none());
    // Whoever knows something else does not take it either.
    let dir = memory_dir();
    let (a, b, mut known) = two(dir.path());
    known.0.pop_first();
    assert!(known.truth(&[&a, &b]).unwrap().is_none());
}
