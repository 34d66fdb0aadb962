use storage::clock::Timestamp;
use storage::work::item::{Finding, Reason, Severity, State, Strikes, Subject, Verdict};
use storage::work::queue::{Account, Charge, Settlement, Topic};

use crate::room::{Room, due};

fn reason() -> Reason {
    let (code, happened) = ("bad-bag".into(), "The bag is bad.".into());
    Reason { code, happened, kept: "Everything.".into(), advice: "Send it again.".into() }
}

fn strikes(attempts: u16, panics: u16) -> Strikes {
    Strikes { attempts, panics, crashes: 0, alone: 0 }
}

/// Pushes to `a`, claims, settles, and returns the item with the counts of `a`.
fn settled(how: impl FnOnce(&Room) -> Settlement) -> (Room, storage::work::item::WorkItem, Topic) {
    let room = Room::new();
    room.push("a");
    let claim = room.claim("a");
    room.advance(3);
    let how = how(&room);
    let item = room.settle(claim, &how);
    assert_eq!(room.item(item.id), item);
    room.assert_sound();
    let counts = room.queue().topic("a").unwrap().counts;
    assert_eq!((counts.pushed, counts.claimed, counts.leased), (1, 1, 0));
    (room, item, counts)
}

fn told(room: &Room, item: &storage::work::item::WorkItem) -> String {
    let history = room.queue().history(item.id, 10).unwrap();
    assert_eq!(history.len(), 1);
    assert_eq!(history[0].0, 1);
    history[0].1.outcome.clone()
}

#[test]
fn advance_moves_on_with_a_clean_slate() {
    let (room, item, counts) = settled(|_| Settlement::Advance { to: "b".into() });
    assert_eq!((item.topic.as_str(), item.state.word()), ("b", "ready"));
    assert_eq!(item.strikes, Strikes::default());
    assert_eq!((counts.done, counts.ready), (1, 0));
    let next = room.queue().topic("b").unwrap().counts;
    assert_eq!((next.pushed, next.ready), (1, 1));
    assert_eq!(told(&room, &item), "advanced");
}

#[test]
fn finish_ends_as_finished() {
    let (room, item, counts) = settled(|_| Settlement::Finish);
    assert_eq!(item.state, State::Finished);
    assert_eq!((item.outcome.as_str(), counts.done), ("finished", 1));
    assert_eq!(told(&room, &item), "finished");
}

#[test]
fn retry_waits_and_charges_what_it_is_told_to() {
    for (charge, expected, word) in [
        (Charge::Attempt, strikes(1, 0), "retried"),
        (Charge::Free, strikes(0, 0), "returned"),
        (Charge::Panic, strikes(1, 1), "retried"),
    ] {
        let (room, item, counts) = settled(|room| Settlement::Retry { at: room.later(5), charge });
        assert_eq!(due(&item), Some(room.later(5)));
        assert_eq!(item.strikes, expected);
        assert_eq!((counts.retried, counts.delayed), (1, 1));
        assert_eq!(told(&room, &item), word);
    }
}

#[test]
fn retry_at_once_keeps_its_place_in_line() {
    let (room, item, _) =
        settled(|room| Settlement::Retry { at: room.now(), charge: Charge::Free });
    let behind = room.push("a");
    assert_eq!(room.line("a"), [item.id, behind]);
}

#[test]
fn park_waits_for_a_person_and_says_why() {
    let (room, item, counts) = settled(|_| Settlement::Park { because: reason() });
    assert_eq!(item.state, State::Parked { because: reason() });
    assert_eq!((counts.parkings, counts.parked), (1, 1));
    assert_eq!(room.queue().parked("a", None, 10).unwrap(), std::slice::from_ref(&item));
    assert_eq!(room.queue().parked("a", Some(item.id), 10).unwrap(), []);
    assert_eq!(told(&room, &item), "parked");
}

#[test]
fn fail_ends_as_failed_and_cancel_as_cancelled() {
    let (room, item, counts) = settled(|_| Settlement::Fail { because: reason() });
    assert_eq!(item.state, State::Failed { because: reason() });
    assert_eq!((counts.failed, told(&room, &item).as_str()), (1, "failed"));
    let (room, item, counts) = settled(|_| Settlement::Cancel);
    assert_eq!(item.state, State::Cancelled);
    assert_eq!((counts.cancelled, told(&room, &item).as_str()), (1, "cancelled"));
}

#[test]
fn divert_ends_after_the_clean_up_as_its_verdict_says() {
    for (verdict, end) in [
        (Verdict::Cancelled, State::Cancelled),
        (Verdict::Failed(reason()), State::Failed { because: reason() }),
        (Verdict::Open, State::Finished),
    ] {
        let (room, item, _) = settled(|_| Settlement::Divert { to: "tidy".into(), verdict });
        assert_eq!((item.topic.as_str(), item.state.word()), ("tidy", "ready"));
        let item = room.settle(room.claim("tidy"), &Settlement::Finish);
        assert_eq!(item.state, end);
        room.assert_sound();
    }
}

#[test]
fn the_account_of_an_attempt_is_kept_with_it() {
    let room = Room::new();
    room.push("a");
    let began = room.now();
    let claim = room.claim("a");
    room.advance(2);
    let subject = Subject { name: "better known.tar".into(), size_bytes: 5, ..Subject::default() };
    let finding = Finding {
        code: "no-manifest".into(),
        severity: Severity::Error,
        place: "bagit.txt".into(),
        sentence: "There is no manifest.".into(),
    };
    let account = Account {
        note: "é".repeat(5000),
        findings: vec![finding; 1200],
        subject: Some(subject.clone()),
        wait: None,
    };
    let how = Settlement::Park { because: Reason { happened: "x".repeat(9000), ..reason() } };
    let item = room.queue().settle(claim.lease, &how, account).unwrap();
    assert_eq!(item.subject, subject);
    assert!(item.note.len() <= 4096);
    let State::Parked { because } = &item.state else { panic!("{:?}", item.state) };
    assert!(because.happened.len() <= 4096);
    let (turn, attempt) = room.queue().history(item.id, 10).unwrap().remove(0);
    assert_eq!((turn, attempt.started, attempt.finished), (1, began, room.now()));
    assert_eq!(attempt.findings.len(), 1001);
}

#[test]
fn a_settlement_that_cannot_be_written_leaves_the_lease_in_force() {
    let room = Room::new();
    let id = room.push("a");
    let claim = room.claim("a");
    let before = room.item(id);
    let nowhere = Settlement::Advance { to: "No Such Name".into() };
    assert!(room.queue().settle(claim.lease, &nowhere, Account::default()).is_err());
    assert_eq!(room.item(id), before);
    assert_eq!(room.queue().history(id, 10).unwrap(), []);
}

#[test]
fn what_the_registry_holds_is_forgotten_unless_it_changed_since() {
    let room = Room::new();
    let id = room.push("a");
    storage::work::dossier::Dossier::of(room.store(), id).put_whole(&7_u64).unwrap();
    room.settle(room.claim("a"), &Settlement::Retry { at: Timestamp(0), charge: Charge::Free });
    assert_eq!(room.queue().take_changed(10), [id]);
    assert_eq!(room.queue().changed_count(), 0);

    let copied = room.item(id).revision;
    room.queue().forget(&[(id, copied, vec![1])]).unwrap();
    assert_eq!(room.state(id), "ready", "a live item is never forgotten");
    assert_eq!(room.queue().history(id, 10).unwrap(), []);

    let ended = room.settle(room.claim("a"), &Settlement::Finish);
    room.queue().forget(&[(id, ended.revision - 1, vec![])]).unwrap();
    assert_eq!(room.state(id), "finished", "the registry has an older copy");
    room.queue().forget(&[(id, ended.revision, vec![2])]).unwrap();
    assert_eq!(room.queue().item(id).unwrap(), None);
    assert!(storage::work::dossier::Dossier::of(room.store(), id).is_empty().unwrap());
    room.assert_sound();
}
