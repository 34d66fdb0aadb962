//! One copy is damaged, or both.

use std::fs;

use storage::registry::CopyState;
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::{check_after, object, pass, place, states, told, vault, write};
use crate::harness::Rig;
use crate::ingest::ocfl::validate;
use crate::ingest::{LETTERS, bag, deposit, deposit_letters, rig, tree, write_tar};

const LOST: &str = "archive.local/letters/data/deep/er/b.xml";

#[test]
fn a_damaged_copy_is_set_aside_replaced_and_told() {
    for (harm, found) in [(None, "is missing"), (Some(b"alphA\n"), "another digest")] {
        let rig = rig(FLOWS);
        deposit_letters(&rig);
        rig.drain_all();
        let copy = place(&rig, "b", "v1/content/data/a.txt");
        match harm {
            None => fs::remove_file(&copy).unwrap(),
            Some(harm) => write(&copy, harm),
        }
        assert!(check_after(&rig, 89).is_empty(), "nothing is due before its time");
        let made = check_after(&rig, 2);
        assert_eq!(made.len(), 1);
        assert_eq!(rig.word(made[0]), "finished", "{:#?}", rig.history(made[0]));
        assert!(rig.item(made[0]).note.contains("damaged and repaired: 1"));
        assert_eq!(fs::read(&copy).unwrap(), b"alpha\n");
        // Two files have these bytes, and one place.
        for file in ["a.txt", "copy of a.txt"] {
            assert_eq!(states(&rig, &format!("letters/data/{file}")), [CopyState::Sound; 2]);
        }
        let events = told(&rig);
        let about = |words: &str| events.iter().filter(|it| it.starts_with(words)).count();
        assert_eq!(about("fixity check Failure archive.local/letters/data/"), 2, "{events:#?}");
        assert_eq!(about("repair Success archive.local/letters/data/"), 2, "{events:#?}");
        assert_eq!(about("fixity check Success - every copy in replica a"), 1, "{events:#?}");
        let aside = tree(&vault(&rig, "b")).into_iter().filter(|it| it.contains("set-aside"));
        assert_eq!(aside.count(), usize::from(harm.is_some()), "damaged bytes are kept");
        let failed = rig.app().registry.unsound_copies(None, 10).unwrap();
        assert!(failed.is_empty(), "{found}: {failed:?}");
        validate(&[&vault(&rig, "a"), &vault(&rig, "b")]);
        assert_eq!(rig.app().registry.check().unwrap(), []);
        // The next look finds nothing.
        assert_eq!(check_after(&rig, 91).len(), 1);
        let more = told(&rig);
        let failures = more.iter().filter(|it| it.contains("Failure")).count();
        assert_eq!(failures, 2, "{more:#?}");
    }
}

#[test]
fn what_no_replica_has_is_told_as_lost_and_stays_so_until_it_is_back() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    for replica in ["a", "b"] {
        write(&place(&rig, replica, "v1/content/data/deep/er/b.xml"), b"other");
    }
    let made = check_after(&rig, 91);
    assert_eq!(rig.word(made[0]), "failed", "{:#?}", rig.history(made[0]));
    assert!(rig.item(made[0]).note.contains("lost copies"), "{}", rig.item(made[0]).note);
    let unsound = rig.app().registry.unsound_copies(None, 10).unwrap();
    assert_eq!(unsound.len(), 2);
    assert!(unsound.iter().all(|it| it.is_lost && it.file.ends_with("deep/er/b.xml")));
    assert_eq!(states(&rig, "letters/data/a.txt"), [CopyState::Sound; 2], "nothing else is");
    let standing = strongroom::fixity::standing(rig.app()).unwrap();
    assert_eq!(standing.lost_count, 1);
    // Somebody brings it back to one replica: the next look mends the other.
    let good = LETTERS[2].1;
    write(&place(&rig, "a", "v1/content/data/deep/er/b.xml"), good);
    check_after(&rig, 91);
    assert_eq!(states(&rig, "letters/data/deep/er/b.xml"), [CopyState::Sound; 2]);
    assert_eq!(fs::read(place(&rig, "b", "v1/content/data/deep/er/b.xml")).unwrap(), good);
    assert_eq!(strongroom::fixity::standing(rig.app()).unwrap().lost_count, 0);
}

/// The names of the open alerts about losses and failed checks, and what they say.
fn open_alerts(rig: &Rig<App>) -> Vec<(String, String)> {
    let registry = &rig.app().registry;
    let kinds = ["file-lost", "copy-failed"];
    let open = kinds.iter().flat_map(|kind| registry.open_alerts(kind, 100).unwrap());
    open.map(|alert| (alert.kind, alert.content)).collect()
}

#[test]
fn a_check_that_finds_a_loss_fails_names_the_file_and_does_not_pile_up() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    for replica in ["a", "b"] {
        write(&place(&rig, replica, "v1/content/data/deep/er/b.xml"), b"other");
    }
    for _ in 0..3 {
        let made = check_after(&rig, 91);
        assert_eq!(made.len(), 1);
        assert_eq!(rig.word(made[0]), "failed", "{:#?}", rig.history(made[0]));
        let reason = rig.reason(made[0]);
        assert_eq!(reason.code, "no-intact-copy");
        assert!(reason.happened.contains("data/deep/er/b.xml (version 1)"), "{reason:?}");
        let file = rig.app().registry.file_by_identifier(LOST).unwrap().unwrap();
        assert!(reason.advice.contains(&format!("/files/{}", file.uuid)), "{reason:?}");
        // One of each kind for each replica, however often it is looked at.
        let open = open_alerts(&rig);
        assert_eq!(open.len(), 4, "{open:#?}");
        let lost: Vec<_> = open.iter().filter(|(kind, _)| kind == "file-lost").collect();
        assert!(lost.iter().all(|(_, said)| said.contains(&reason.advice)), "{lost:#?}");
        assert!(rig.items().iter().all(|it| it.state.word() != "parked"));
        rig.app().copy().unwrap();
        let row = rig.app().registry.item(i64::try_from(made[0].0).unwrap()).unwrap().unwrap();
        assert_eq!(row.status, "Failed", "{row:?}");
    }
    // Somebody brings it back to one replica: the next check repairs the other and ends all alerts.
    write(&place(&rig, "a", "v1/content/data/deep/er/b.xml"), LETTERS[2].1);
    let made = check_after(&rig, 91);
    assert_eq!(rig.word(made[0]), "finished", "{:#?}", rig.history(made[0]));
    assert!(open_alerts(&rig).is_empty());
}

#[test]
fn a_replica_that_is_away_is_looked_at_when_it_is_back() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    let (root, away) = (vault(&rig, "b"), vault(&rig, "elsewhere"));
    byteio::durable::rename(&root, &away).unwrap();
    let made = check_after(&rig, 91);
    assert!(rig.item(made[0]).note.contains("looked at when back: b"));
    assert_eq!(told(&rig).len(), 1, "nothing is said of b: {:#?}", told(&rig));
    assert!(!root.try_exists().unwrap(), "a disk that is not mounted is not filled");
    byteio::durable::rename(&away, &root).unwrap();
    let made = check_after(&rig, 1);
    assert_eq!(made.len(), 1, "b is still due");
    let checks = rig.app().registry.replica_checks().unwrap();
    assert!(checks.iter().all(|it| it.oldest_checked_at >= Some(rig.item(made[0]).created)));
}

#[test]
fn a_deposit_that_comes_while_its_object_is_checked_is_not_taken_for_damage() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    write(&place(&rig, "b", "v1/content/data/a.txt"), b"harm");
    let changed: &[(&str, &[u8])] = &[("a.txt", b"beta\n")];
    // Both are in line: whichever goes first, the end is the same.
    pass(&rig, 91 * super::DAY);
    strongroom::work::Sweep::sweep(&strongroom::fixity::FixityDue, rig.app(), 10).unwrap();
    deposit(&rig, "letters.tar", |path| write_tar(path, "letters", &bag(changed))).unwrap();
    rig.drain_all();
    assert_eq!(object(&rig, "letters").version.0, 2);
    check_after(&rig, 91);
    assert!(rig.app().registry.unsound_copies(None, 10).unwrap().is_empty());
    validate(&[&vault(&rig, "a"), &vault(&rig, "b")]);
}
