//! What people see of checks, and how they ask for one.

use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::{DAY, pass, place, states, write};
use crate::harness::Rig;
use crate::ingest::{bag, deposit, deposit_letters, rig, write_tar};

fn codes(rig: &Rig<App>) -> Vec<String> {
    let diagnosis = rig.app().desk().doctor(false).unwrap();
    diagnosis.findings.iter().map(|it| format!("{} {}", it.store, it.code)).collect()
}

fn deposit_one(rig: &Rig<App>, name: &str) {
    let payload: &[(&str, &[u8])] = &[("a.txt", name.as_bytes())];
    deposit(rig, &format!("{name}.tar"), |path| write_tar(path, name, &bag(payload))).unwrap();
    rig.drain_all();
}

#[test]
fn what_comes_next_is_told_for_each_replica_the_oldest_first() {
    let rig = rig(FLOWS);
    for name in ["one", "two", "three"] {
        deposit_one(&rig, name);
        pass(&rig, 20 * DAY);
    }
    let due = |limit| rig.app().desk().fixity_due(limit).unwrap();
    let names = |limit| {
        let replicas = due(limit);
        let name = |it: &strongroom::desk::NextObject| it.object.identifier.clone();
        replicas.iter().map(|it| it.objects.iter().map(name).collect()).collect::<Vec<Vec<_>>>()
    };
    let all = ["archive.local/one", "archive.local/two", "archive.local/three"];
    assert_eq!(names(10), [all, all]);
    assert_eq!(names(2), [&all[..2], &all[..2]]);
    assert!(due(10).iter().flat_map(|it| &it.objects).all(|it| !it.is_due));
    pass(&rig, 35 * DAY);
    let is_due = |replica: usize| due(10)[replica].objects.iter().map(|it| it.is_due).collect();
    let seen: [Vec<bool>; 2] = [is_due(0), is_due(1)];
    assert_eq!(seen, [[true, false, false], [true, false, false]]);
}

#[test]
fn everything_is_put_in_line_once_and_before_its_time() {
    let rig = rig(FLOWS);
    deposit_one(&rig, "one");
    deposit_one(&rig, "two");
    write(&place(&rig, "b", "data/a.txt"), b"harm");
    let desk = rig.app().desk();
    let first = desk.check_object("archive.local/two").unwrap();
    assert_eq!((first.item.user.as_str(), first.item.action.as_str()), {
        ("the command line", "Fixity Check")
    });
    let asked = desk.check_all().unwrap();
    assert_eq!((asked.made, asked.known, asked.is_full), (1, 1, false));
    assert_eq!(
        asked.sentence(),
        "1 object is in line to be read in every replica. Already in line: 1."
    );
    let again = desk.check_all().unwrap();
    assert_eq!((again.made, again.known), (0, 2));
    assert_eq!(desk.fixity().unwrap().waiting, 2);
    rig.drain_all();
    assert_eq!(desk.fixity().unwrap().waiting, 0);
    assert!(rig.app().registry.unsound_copies(None, 10).unwrap().is_empty());
    let repaired = rig.items().iter().filter(|it| it.note.contains("damaged and repaired")).count();
    assert_eq!(repaired, 1, "the damage was met");
}

#[test]
fn the_doctor_names_copies_that_are_lost_and_replicas_that_nobody_reads() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    assert_eq!(codes(&rig), [""; 0]);
    for replica in ["a", "b"] {
        write(&place(&rig, replica, "v1/content/data/deep/er/b.xml"), b"other");
    }
    rig.app().desk().check_object("archive.local/letters").unwrap();
    rig.drain_all();
    assert_eq!(codes(&rig), ["vaults lost-copy"; 2]);
    let standing = rig.app().desk().fixity().unwrap();
    assert_eq!((standing.unsound_count, standing.lost_count), (2, 1));
    let mut table = Vec::new();
    rig.app().desk().unsound_csv(&mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    let rows: Vec<&str> = table.split("\r\n").collect();
    assert_eq!(rows[0], "file,uuid,version,replica,state,last_check,lost");
    assert!(rows[1].starts_with("archive.local/letters/data/deep/er/b.xml,"), "{table}");
    assert!(rows[1].contains(",1,a,damaged,2") && rows[1].ends_with(",yes"), "{table}");
    assert_eq!(rows.len(), 4, "{table}");
    pass(&rig, 119 * DAY);
    assert_eq!(codes(&rig).len(), 2, "a month is given");
    pass(&rig, 2 * DAY);
    assert_eq!(codes(&rig)[2..], ["vaults fixity-overdue"; 2]);
    assert!(rig.app().desk().fixity().unwrap().replicas[0].outlook.contains("for 31 days"));
}

#[test]
fn a_copy_of_a_file_was_looked_at_when_its_object_was() {
    let rig = rig(FLOWS);
    deposit_letters(&rig);
    rig.drain_all();
    pass(&rig, 10 * DAY);
    let before = rig.shop().clock.now();
    rig.app().desk().check_object("archive.local/letters").unwrap();
    rig.drain_all();
    let registry = &rig.app().registry;
    let file = registry.file_by_identifier("archive.local/letters/data/a.txt").unwrap().unwrap();
    let copies = registry.copies(file.id, file.version).unwrap();
    assert!(copies.iter().all(|copy| copy.last_checked_at >= before), "{copies:?}");
    assert_eq!(states(&rig, "letters/data/a.txt").len(), 2);
    let object = rig.app().desk().object("archive.local/letters").unwrap();
    assert!(object.replicas.iter().all(|it| it.oldest_checked_at >= before));
}
