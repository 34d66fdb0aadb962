//! What is lost in hot storage and has a copy in cold storage: told alike everywhere, and repaired from
//! there by what the advice says.

use std::fs;
use std::sync::Arc;

use storage::registry::{CheckedCopy, CopyState, UnsoundCopy};
use storage::work::item::ItemId;
use strongroom::app::App;

use super::{check_after, object, place, states, write};
use crate::harness::Rig;
use crate::ingest::cold::rig;
use crate::ingest::power::Packed;
use crate::s3::Door;

const FILE: &str = "archive.local/letters/data/a.txt";
const IN_COLD: &str = "Replica a in cold storage has a copy.";

/// Notes how the cold copies of a file were found, as a restoration does.
fn note_cold(rig: &Rig<App>, state: CopyState) {
    let (registry, at) = (&rig.app().registry, rig.app().shop.clock.now());
    let file = registry.file_by_identifier(FILE).unwrap().unwrap();
    let copies = registry.copies(file.id, file.version).unwrap();
    let cold = copies.iter().find(|copy| copy.replica == "a").unwrap();
    let (file_id, version, replica) = (file.id, file.version, cold.replica_id);
    registry.record_checks(&[CheckedCopy { file_id, version, replica, state, at }]).unwrap();
}

fn unsound(rig: &Rig<App>) -> Vec<UnsoundCopy> {
    let mut unsound = rig.app().registry.unsound_copies(None, 10).unwrap();
    unsound.retain(|copy| copy.file == FILE);
    unsound
}

/// What the doctor says of lost and unsound copies.
fn doctor(rig: &Rig<App>) -> Vec<(String, String)> {
    let findings = rig.app().desk().doctor(false).unwrap().findings.into_iter();
    let copies = findings.filter(|it| ["lost-copy", "unsound-copy"].contains(&it.code.as_str()));
    copies.map(|it| (it.code, it.sentence)).collect()
}

#[test]
fn a_loss_that_cold_storage_has_a_copy_of_is_told_alike_and_repaired_as_advised() {
    let door = Arc::new(Door::default());
    let rig = rig(&door, Packed::Tar, true);
    door.freezer.close("bucket-a");
    write(&place(&rig, "b", "v1/content/data/a.txt"), b"alphA\n");
    let made = check_after(&rig, 91);
    assert_eq!(rig.word(made[0]), "failed", "{:#?}", rig.history(made[0]));

    // The registry, by every question; two files have these bytes.
    let (app, object) = (rig.app(), object(&rig, "letters").id);
    let lost = app.registry.lost_files(object, None, 10).unwrap();
    assert_eq!(lost.len(), 2);
    assert!(lost.iter().all(|file| file.cold_replica.as_deref() == Some("a")), "{lost:#?}");
    let copies = unsound(&rig);
    assert_eq!((copies.len(), copies[0].replica.as_str()), (1, "b"));
    assert!(copies[0].is_lost && !copies[0].is_cold, "{copies:#?}");
    assert_eq!(copies[0].cold_replica.as_deref(), Some("a"));
    let standing = app.desk().fixity().unwrap();
    assert_eq!((standing.lost_count, standing.unsound_count), (2, 2));
    let mut table = Vec::new();
    app.desk().unsound_csv(&mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    assert_eq!(table.matches(",yes\r\n").count(), 2, "{table}");

    // The item, the alert and the doctor, in the same words.
    let page = format!("/files/{}", app.registry.file_by_identifier(FILE).unwrap().unwrap().uuid);
    let advice = rig.reason(made[0]).advice;
    assert!(advice.starts_with(IN_COLD) && advice.contains(&page), "{advice}");
    let alerts = app.registry.open_alerts("file-lost", 10).unwrap();
    assert_eq!(alerts.len(), 1);
    let said = &alerts[0].content;
    assert!(said.contains("no sound copy in any hot replica") && said.contains(&advice), "{said}");
    let doctor = doctor(&rig);
    assert!(doctor.iter().all(|(code, _)| code == "lost-copy"), "{doctor:#?}");
    assert!(doctor.iter().any(|(_, said)| said.contains(&advice)), "{doctor:#?}");

    // What it says, step by step.
    let asked = app.desk().restore_file(FILE, None).unwrap();
    let id = ItemId(asked.item.id.unsigned_abs());
    rig.drain();
    assert_eq!(rig.word(id), "parked", "{:#?}", rig.history(id));
    assert_eq!(rig.reason(id).code, "copy-is-cold");
    assert!(rig.reason(id).advice.contains("Glacier Restore"), "{:?}", rig.reason(id));
    assert!(rig.reason(id).advice.contains("Replace from a file"), "{:?}", rig.reason(id));
    rig.controls().requeue(id, Some("restore_glacier"), "ann").unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
    let restored = app.config.restoration_folder().join("archive.local/letters/data/a.txt");
    let bytes = fs::read(restored).unwrap();
    let desk = app.desk();
    let mut replacing = desk.begin_replacement(FILE, Some(bytes.len() as u64)).unwrap();
    desk.receive_replacement(&mut replacing, &bytes).unwrap();
    let replaced = desk.complete_replacement(replacing).unwrap();
    assert_eq!(replaced.repaired, ["b"]);
    assert_eq!(states(&rig, "letters/data/a.txt"), [CopyState::Sound; 2]);
    assert!(app.registry.open_alerts("file-lost", 10).unwrap().is_empty());
    assert_eq!(app.desk().fixity().unwrap().lost_count, 0);
    assert_eq!(fs::read(place(&rig, "b", "v1/content/data/a.txt")).unwrap(), b"alpha\n");
}

#[test]
fn a_loss_that_cold_storage_has_no_intact_copy_of_is_not_said_to_be_there() {
    let rig = rig(&Arc::default(), Packed::Tar, true);
    note_cold(&rig, CopyState::Damaged);
    write(&place(&rig, "b", "v1/content/data/a.txt"), b"alphA\n");
    let made = check_after(&rig, 91);
    let copies = unsound(&rig);
    assert_eq!(copies.len(), 2);
    assert!(copies.iter().all(|it| it.is_lost && it.cold_replica.is_none()), "{copies:#?}");
    // The other file with these bytes has its own copy there, as far as is known.
    let advice = rig.reason(made[0]).advice;
    assert!(advice.starts_with("Get the file from the depositor"), "{advice}");
    assert!(advice.contains("Of some of these files replica a in cold storage"), "{advice}");
}

#[test]
fn a_check_is_not_said_to_repair_what_it_does_not_read() {
    let rig = rig(&Arc::default(), Packed::Tar, true);
    note_cold(&rig, CopyState::Missing);
    let copies = unsound(&rig);
    assert_eq!(copies.len(), 1);
    assert!(copies[0].is_cold && !copies[0].is_lost, "{copies:#?}");
    assert_eq!(rig.app().desk().fixity().unwrap().lost_count, 0);
    let doctor = doctor(&rig);
    assert_eq!((doctor.len(), doctor[0].0.as_str()), (1, "unsound-copy"));
    assert!(!doctor[0].1.contains("ask for a check"), "{doctor:#?}");
    assert!(doctor[0].1.contains("read by no check"), "{doctor:#?}");
}

#[test]
fn what_is_in_cold_storage_only_is_lost_when_no_replica_has_an_intact_copy() {
    let rig = rig(&Arc::default(), Packed::Tar, false);
    assert_eq!(rig.app().desk().fixity().unwrap().lost_count, 0);
    note_cold(&rig, CopyState::Damaged);
    assert!(unsound(&rig)[0].is_lost);
    assert_eq!(rig.app().desk().fixity().unwrap().lost_count, 1);
}
