//! What is on disk in the field must be readable for ever: these bytes never change. A record that
//! gains a field gets new files with its new version; the old ones stay, and must decode.
//!
//! `STRONGROOM_WRITE_GOLDEN=1` writes files that are missing, never one that is there.

use std::fmt::Debug;
use std::path::Path;

use byteio::record::Record;
use byteio::testing::compare_golden;
use storage::clock::Timestamp;
use storage::work::assignment::{Assignment, Taken};
use storage::work::item::{
    Attempt, CancelRequest, Finding, Hold, ItemId, Reason, Severity, State, Strikes, Subject,
    Verdict, Wait, WorkItem,
};
use storage::work::lease::KeyLease;
use storage::work::queue::{Meta, Topic};
use storage::work::schedule::{Pace, Schedule};

fn check<R: Record + Debug>(name: &str, record: &R) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    compare_golden(&folder, name, record).unwrap();
}

fn reason() -> Reason {
    Reason {
        code: "bag-invalid".into(),
        happened: "The bag is not valid.".into(),
        kept: "The file as received.".into(),
        advice: "Correct it and send it again.".into(),
    }
}

fn text(value: &str) -> Option<String> {
    Some(value.into())
}

fn subject() -> Subject {
    Subject {
        action: "Ingest".into(),
        name: "virginia.edu.bag_é.tar".into(),
        etag: text("0cc175b9c0f1b6a831c399e269772661"),
        institution: Some(7),
        object: Some(-1),
        file: Some(i64::MAX),
        object_identifier: text("virginia.edu/bag"),
        file_identifier: text("virginia.edu/bag/data/a"),
        bucket: text("receiving"),
        user: "ann@example.edu".into(),
        bag_date: Some(Timestamp(1_700_000_000_000)),
        size_bytes: 5_000_000_000_000,
        storage_option: text("Standard"),
        alt_identifier: text("alt"),
        bag_group_identifier: text("group"),
        bagit_profile_identifier: text("https://example.edu/profile.json"),
        source_organization: text("University"),
        internal_sender_identifier: text("sender-1"),
        inst_approver: text("bob@example.edu"),
        aptrust_approver: text("eve@example.edu"),
        deletion_request: Some(3),
    }
}

fn item(state: State, verdict: Verdict) -> WorkItem {
    WorkItem {
        id: ItemId(300),
        flow: "ingest".into(),
        topic: "ingest03_reingest_check".into(),
        state,
        subject: subject(),
        priority: -5,
        unique: text("receiving/virginia.edu.bag_é.tar"),
        expires: Some(Timestamp(1_900_000_000_000)),
        strikes: Strikes { attempts: 3, panics: 1, crashes: 260, alone: 257 },
        turns: 70_000,
        verdict,
        cancel: Some(CancelRequest { why: "not wanted".into(), cleanup: text("ingest10_cleanup") }),
        note: "fetching".into(),
        outcome: "".into(),
        revision: 1_000_000,
        created: Timestamp(1_794_813_641_000),
        updated: Timestamp(1_794_813_642_000),
        queued: Timestamp(1_794_813_643_000),
        started: Some(Timestamp(1_794_813_644_000)),
        waiting: Some(Wait {
            cause: "replica-away".into(),
            what: "b".into(),
            since: Timestamp(1_794_813_000_000),
            looks: 12,
        }),
    }
}

/// What an item of the earlier versions becomes.
fn check_older(name: &str, item: &WorkItem) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden");
    for (version, waiting) in [(1, None), (2, item.waiting.clone())] {
        let golden = std::fs::read(path.join(format!("{name}.v{version}.bin"))).expect(name);
        let expected = WorkItem { waiting, ..item.clone() };
        let read: WorkItem = byteio::record::decode(&golden).unwrap();
        assert_eq!(read, expected, "{name}");
    }
}

#[test]
fn items_in_every_state_are_written_as_they_ever_were() {
    let hold = Hold { lease: 1 << 41, epoch: 2, expires: Timestamp(9), seq: (1 << 40) | 5 };
    for (state, verdict) in [
        (State::Ready { seq: (1 << 40) | 77 }, Verdict::Open),
        (State::Delayed { due: Timestamp(1_794_813_700_000) }, Verdict::Cancelled),
        (State::Leased(hold), Verdict::Failed(reason())),
        (State::Parked { because: reason() }, Verdict::Open),
        (State::Finished, Verdict::Open),
        (State::Failed { because: reason() }, Verdict::Open),
        (State::Cancelled, Verdict::Cancelled),
        (State::Expired, Verdict::Open),
    ] {
        let (name, item) = (format!("item-{}", state.word()), item(state, verdict));
        check(&name, &item);
        check_older(&name, &item);
    }
    let bare = WorkItem {
        subject: Subject { name: "x".into(), ..Subject::default() },
        unique: None,
        expires: None,
        cancel: None,
        started: None,
        waiting: None,
        ..item(State::Ready { seq: 0 }, Verdict::Open)
    };
    check("item-bare", &bare);
    check_older("item-bare", &bare);
}

#[test]
fn attempts_are_written_as_they_ever_were() {
    let finding = |severity| Finding {
        code: "missing-file".into(),
        severity,
        place: "data/a.tif".into(),
        sentence: "The manifest names it, but it is not there.".into(),
    };
    let attempt = Attempt {
        topic: "ingest02_bag_validation".into(),
        started: Timestamp(1_794_813_641_000),
        finished: Timestamp(1_794_813_642_500),
        outcome: "parked".into(),
        note: "not valid".into(),
        findings: vec![finding(Severity::Error), finding(Severity::Warning)],
    };
    check("attempt", &attempt);
}

#[test]
fn topics_and_counters_are_written_as_they_ever_were() {
    let topic = Topic {
        paused: true,
        ready: 1,
        delayed: 2,
        leased: 300,
        parked: 70_000,
        pushed: u64::MAX,
        claimed: 6,
        done: 7,
        retried: 8,
        parkings: 9,
        failed: 10,
        cancelled: 11,
        expired: 12,
    };
    check("topic", &topic);
    check("meta", &Meta { epoch: 3, next_item: 1_000 });
    check("place", &ItemId(65_536));
    check("expiry", &());
    check("number", &251_u64);
}

#[test]
fn leases_schedules_and_paces_are_written_as_they_ever_were() {
    let lease = KeyLease {
        id: "lease-1".into(),
        space: "pages".into(),
        holder: "reader 7".into(),
        keys: vec![b"a".to_vec(), vec![0, 255]],
        created: Timestamp(1),
        expires: Timestamp(1_794_813_641_000),
        renewals: 2,
    };
    check("lease", &lease);
    check("lease-key", &"lease-1".to_owned());
    let assignment = Assignment {
        id: "r7-300-1794813641000".into(),
        episode: 70_000,
        clips: vec![3, 1, u32::MAX],
        left: vec![1],
        analyst: 2,
        made: Timestamp(1_794_813_641_000),
        offered_until: Timestamp(1_794_819_041_000),
        taken: Some(Taken { by: "reader 7".into(), at: Timestamp(1_794_813_642_000) }),
        expires: Timestamp(1_794_820_842_000),
        renewals: 2,
    };
    check("assignment", &assignment);
    check("assignment-offered", &Assignment { taken: None, ..assignment });
    let schedule = Schedule {
        last_run: Some(Timestamp(1_794_813_641_000)),
        next_run: Timestamp(1_794_900_041_000),
        last_outcome: "checked 9 files".into(),
        runs: 12,
    };
    check("schedule", &schedule);
    check("pace", &Pace { runs: 3, mean_ms: 1.5, mean_bytes: 1e12 });
}
