//! The sweep tells what is new, once, and ends what is over; looked at twice, after a restart, after
//! everything came back.

use std::fs;

use storage::clock::{Clock, Timestamp};
use storage::registry::{AlertRow, ItemRow};
use strongroom::alerts::AlertWatch;
use strongroom::app::App;
use strongroom::ingest::Receiving;
use strongroom::work::Sweep;

use super::{alerts, rig};
use crate::harness::{Rig, secs};
use crate::ingest::{LETTERS, bag, write_tar};

fn look(rig: &Rig<App>) -> Vec<(String, bool)> {
    AlertWatch.sweep(rig.app(), 100).unwrap();
    let short = |alert: AlertRow| (alert.subject, alert.ended_at.is_some());
    alerts(rig.app()).into_iter().map(short).collect()
}

/// Looks twice, and once more after a restart: it must be the same.
fn settled(rig: &mut Rig<App>) -> Vec<(String, bool)> {
    let once = look(rig);
    assert_eq!(look(rig), once);
    rig.restart();
    assert_eq!(look(rig), once);
    once
}

fn receive(rig: &Rig<App>, make: impl FnOnce(&std::path::Path)) {
    let folder = rig.app().config.receiving_folder().unwrap().join("archive.local");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("letters.tar");
    make(&path);
    let old = std::time::SystemTime::UNIX_EPOCH + secs(1_600_000_000);
    fs::File::open(&path).unwrap().set_modified(old).unwrap();
    Receiving.sweep(rig.app(), 100).unwrap();
}

#[test]
fn a_deposit_that_needs_a_person_is_told_until_a_person_has_come() {
    let mut rig = rig("");
    receive(&rig, |path| byteio::durable::write(path, b"no tar at all", false).unwrap());
    rig.drain_all();
    let id = rig.items()[0].id;
    assert_eq!(rig.word(id), "parked");
    assert!(look(&rig).is_empty(), "not in the moment it happens");
    rig.clock.advance(secs(60));
    let subject = format!("Item {id} needs a person: letters.tar");
    assert_eq!(settled(&mut rig), [(subject.clone(), false)]);
    let alert = alerts(rig.app()).remove(0);
    let reason = rig.reason(id);
    assert!(alert.content.contains(&reason.happened), "{}", alert.content);
    assert_eq!(alert.institution_id, Some(1), "the depositor's administrators are told");

    rig.controls().requeue(id, None, "a person").unwrap();
    assert_eq!(look(&rig), [(subject.clone(), true)]);
    rig.drain_all();
    rig.clock.advance(secs(60));
    let again = settled(&mut rig);
    assert_eq!(again, [(subject.clone(), true), (subject, false)], "a second time is news");
}

fn parked(id: i64, at: Timestamp) -> ItemRow {
    ItemRow {
        id,
        state: "parked".into(),
        reason: Some("disk-full".into()),
        name: format!("bag-{id}.tar"),
        topic: "ingest06_storage".into(),
        date_processed: at,
        queued_at: Some(at),
        revision: 1,
        ..ItemRow::default()
    }
}

#[test]
fn many_at_once_are_told_in_one_message() {
    let mut rig = rig("");
    let now = rig.clock.now();
    let rows: Vec<_> = (1..=25).map(|id| parked(id, now)).collect();
    rig.app().registry.record_items(&rows, &[], &[]).unwrap();
    rig.clock.advance(secs(60));
    let told = settled(&mut rig);
    assert_eq!(told, [("25 items need a person: disk-full".to_owned(), false)]);
    // Three more are told one by one; the others are not told again.
    let now = rig.clock.now();
    let more: Vec<_> = (26..=28).map(|id| parked(id, now)).collect();
    rig.app().registry.record_items(&more, &[], &[]).unwrap();
    rig.clock.advance(secs(60));
    assert_eq!(settled(&mut rig).len(), 4);
    let ended = |row: &ItemRow| ItemRow {
        state: "cancelled".into(),
        reason: None,
        revision: 2,
        ..row.clone()
    };
    let gone: Vec<_> = rows.iter().map(ended).collect();
    rig.app().registry.record_items(&gone[..24], &[], &[]).unwrap();
    assert!(!look(&rig)[0].1, "one is left");
    rig.app().registry.record_items(&gone, &[], &[]).unwrap();
    assert!(look(&rig)[0].1);
}

#[test]
fn a_replica_is_away_and_back_and_away_again() {
    let mut rig = rig("[alerts]\nroom_percent = 0\n");
    receive(&rig, |path| write_tar(path, "letters", &bag(LETTERS)));
    rig.drain_all();
    let (there, elsewhere) =
        (rig.app().config.data.join("vault/b"), rig.app().config.data.join("elsewhere"));
    byteio::durable::rename(&there, &elsewhere).unwrap();
    rig.app().vaults.look();
    assert!(look(&rig).is_empty(), "a moment is no matter");
    rig.clock.advance(secs(300));
    let away = ("Replica b is away".to_owned(), false);
    assert_eq!(settled(&mut rig), std::slice::from_ref(&away));
    rig.app().vaults.look();
    rig.clock.advance(secs(86_400));
    rig.app().vaults.look();
    assert_eq!(look(&rig), std::slice::from_ref(&away), "a day later it is still the same");
    byteio::durable::rename(&elsewhere, &there).unwrap();
    rig.app().vaults.look();
    let back = (away.0.clone(), true);
    assert_eq!(settled(&mut rig), std::slice::from_ref(&back));
    byteio::durable::rename(&there, &elsewhere).unwrap();
    rig.app().vaults.look();
    rig.clock.advance(secs(300));
    assert_eq!(settled(&mut rig), [back, away]);
}

#[test]
fn a_replica_that_fills_up_is_told_by_its_share() {
    let rig = rig("[alerts]\nroom_percent = 90\n");
    receive(&rig, |path| write_tar(path, "letters", &bag(LETTERS)));
    rig.drain_all();
    rig.app().vaults.look();
    // Whatever this machine's disk has free: told if it is less than nine tenths.
    let low = rig.app().vaults.standings().iter().any(|replica| {
        let (free, total) = replica.room.expect("a folder has room");
        u128::from(free) * 100 < u128::from(total) * 90
    });
    let told = look(&rig);
    assert_eq!(told.len(), if low { 2 } else { 0 }, "{told:?}");
    assert_eq!(look(&rig), told);
}

#[test]
fn late_checks_and_items_that_stand_still_are_told_until_they_move() {
    let mut rig = rig("[alerts]\nroom_percent = 0\n");
    receive(&rig, |path| write_tar(path, "letters", &bag(LETTERS)));
    let id = rig.items()[0].id;
    rig.clock.advance(secs(25 * 3600));
    let still = "1 item at stage Receive stands still".to_owned();
    assert_eq!(settled(&mut rig), [(still.clone(), false)]);
    rig.drain_all();
    assert_eq!(look(&rig), [(still, true)]);
    assert!(rig.queue().item(id).unwrap().is_none_or(|item| item.state.is_terminal()));

    let checked = |at: Timestamp| {
        let conn = rusqlite::Connection::open(rig.app().home.registry()).unwrap();
        let sql = "UPDATE object_copies SET oldest_checked_at = ?1 WHERE replica_id = 1";
        conn.execute(sql, [i64::try_from(at.0).unwrap()]).unwrap();
    };
    checked(Timestamp(rig.clock.now().0 - 98 * 86_400_000));
    let told = look(&rig);
    assert_eq!(told[1], ("Fixity checks of replica a are overdue".to_owned(), false), "{told:?}");
    assert_eq!(look(&rig), told);
    checked(rig.clock.now());
    assert!(look(&rig)[1].1);
}

#[test]
fn every_step_of_a_deletion_and_every_restoration_is_told_to_whom_it_concerns() {
    let mut rig = rig("[mail]\nspool = \"mail\"\n");
    let now = rig.clock.now();
    let done = ItemRow {
        state: "finished".into(),
        status: "Success".into(),
        action: "Restore Object".into(),
        reason: None,
        institution_id: Some(1),
        object_identifier: Some("archive.local/letters".into()),
        note: "It lies at restored/letters.tar".into(),
        ..parked(1, now)
    };
    rig.app().registry.record_items(&[done], &[], &[]).unwrap();
    let conn = rusqlite::Connection::open(rig.app().home.registry()).unwrap();
    let sql = "INSERT INTO deletion_requests (uuid, institution_id, reason, requested_by_id,
            requested_at, expires_at) VALUES (zeroblob(16), 1, 'twice here', 1, ?1, ?2)";
    conn.execute(sql, [now.to_string(), now.after(secs(86_400)).to_string()]).unwrap();
    assert_eq!(settled(&mut rig).len(), 2);
    let sql = "UPDATE deletion_requests SET confirmed_by_id = 3, confirmed_at = ?1,
        erase_after = ?1";
    conn.execute(sql, [rig.clock.now().to_string()]).unwrap();
    assert_eq!(settled(&mut rig).len(), 3);
    let sql = "UPDATE deletion_requests SET completed_at = ?1";
    conn.execute(sql, [rig.clock.now().to_string()]).unwrap();
    settled(&mut rig);
    let told: Vec<_> = alerts(rig.app())
        .into_iter()
        .map(|alert| {
            let to = super::sent(rig.app(), &alert);
            (alert.kind, to.into_iter().map(|row| row.recipient).collect::<Vec<_>>().join(" "))
        })
        .collect();
    let staff = "ada@example.org eve@example.org";
    let (admin, all) = ("ada@example.org", "ada@example.org ben@example.org eve@example.org");
    assert_eq!(
        told,
        [
            ("deletion-requested", staff),
            ("restoration-ready", all),
            ("deletion-approved", staff),
            ("deletion-completed", admin),
        ]
        .map(|(kind, to)| (kind.to_owned(), to.to_owned()))
    );
    let sent = rig.app().outbox.send_due();
    assert_eq!((sent.sent, sent.failed), (8, 0));
    // What happened long ago is no news, as after an import.
    conn.execute("DELETE FROM outbox", []).unwrap();
    conn.execute("DELETE FROM alerts", []).unwrap();
    rig.clock.advance(secs(8 * 86_400));
    assert!(settled(&mut rig).is_empty());
}

/// Takes replica b away once something is kept there, and makes deposits that wait for it.
fn waiting_for_b(rig: &Rig<App>, deposits: &[&str]) -> Vec<storage::work::item::ItemId> {
    receive(rig, |path| write_tar(path, "letters", &bag(LETTERS)));
    rig.drain_all();
    let data = &rig.app().config.data;
    byteio::durable::rename(&data.join("vault/b"), &data.join("elsewhere")).unwrap();
    let ids = deposits.iter().map(|name| {
        let make = |path: &std::path::Path| write_tar(path, name, &bag(LETTERS));
        crate::ingest::deposit(rig, &format!("{name}.tar"), make).unwrap()
    });
    let ids = ids.collect();
    rig.drain();
    ids
}

fn of_waiting(rig: &Rig<App>) -> Vec<(String, bool)> {
    AlertWatch.sweep(rig.app(), 100).unwrap();
    let ours = alerts(rig.app()).into_iter().filter(|alert| alert.kind == "item-waiting");
    ours.map(|alert| (alert.subject, alert.ended_at.is_some())).collect()
}

#[test]
fn items_that_wait_for_the_same_replica_for_a_day_are_told_of_once_until_they_go_on() {
    let mut rig = rig("");
    let ids = waiting_for_b(&rig, &["one", "two"]);
    assert!(ids.iter().all(|id| rig.item(*id).waiting.is_some()));
    rig.clock.advance(secs(23 * 3600));
    rig.drain();
    assert_eq!(of_waiting(&rig), []);
    // What begins to wait only now is not counted as having waited long.
    let make = |path: &std::path::Path| write_tar(path, "three", &bag(LETTERS));
    let third = crate::ingest::deposit(&rig, "three.tar", make).unwrap();
    rig.drain();
    assert!(rig.item(third).waiting.is_some());
    rig.clock.advance(secs(3600));
    rig.drain();
    let told = ("2 items have waited long: replica-away b".to_owned(), false);
    assert_eq!(of_waiting(&rig), std::slice::from_ref(&told));
    rig.restart();
    rig.clock.advance(secs(3600));
    assert_eq!(of_waiting(&rig), std::slice::from_ref(&told), "one cause is told once");
    let data = &rig.app().config.data;
    byteio::durable::rename(&data.join("elsewhere"), &data.join("vault/b")).unwrap();
    rig.drain_all();
    assert!(ids.iter().chain([&third]).all(|id| rig.word(*id) == "finished"));
    assert_eq!(of_waiting(&rig), [(told.0, true)]);
}

#[test]
fn items_are_told_to_wait_long_after_as_many_hours_as_are_configured() {
    for hours in [2, 48] {
        let rig = rig(&format!("[alerts]\nwaiting_h = {hours}\n"));
        waiting_for_b(&rig, &["one"]);
        rig.clock.advance(secs(hours * 3600 - 1));
        rig.drain();
        assert_eq!(of_waiting(&rig), [], "{hours} hours are not over");
        rig.clock.advance(secs(1));
        rig.drain();
        let told = ("1 item has waited long: replica-away b".to_owned(), false);
        assert_eq!(of_waiting(&rig), [told], "after {hours} hours");
    }
}

#[test]
fn attempts_that_the_operator_has_limited_park_an_item_that_waits() {
    let limit = ["ingest03_reingest_check", "ingest06_storage"]
        .map(|topic| format!("[stage.{topic}]\nmax_attempts = 2\n"));
    let rig = rig(&limit.concat());
    let id = waiting_for_b(&rig, &["one"])[0];
    assert_eq!(rig.word(id), "delayed");
    rig.clock.advance(secs(61));
    rig.drain();
    let reason = rig.reason(id);
    assert_eq!((rig.word(id), &*reason.code), ("parked", "replica-away"));
    assert!(reason.happened.contains("for 2 attempts"), "{}", reason.happened);
    let data = &rig.app().config.data;
    byteio::durable::rename(&data.join("elsewhere"), &data.join("vault/b")).unwrap();
    rig.controls().requeue(id, None, "a person").unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished");
}
