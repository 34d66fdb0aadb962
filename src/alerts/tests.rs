//! Every kind's wording, whole: it changes on purpose only.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::{
    AssessmentRow, AssessmentState, DeletionMoment, DeletionStep, DeliveryChannel, DeliveryRow,
    ItemRow, LongWait, MissingCopies, NewAlert, ParkedItem, ParkedTogether, StaleCheck, Stalled,
    Uuid,
};

use super::*;
use crate::ledger::Alarm;

const NOW: Timestamp = Timestamp(1_794_813_641_123);

fn request() -> DeletionMoment {
    DeletionMoment {
        request_id: 4,
        uuid: Uuid([7; 16]),
        institution_id: 1,
        reason: "deposited twice".into(),
        at: NOW,
        by: Some("Ada Lovelace".into()),
        is_entered: false,
        expires_at: NOW.after(Duration::from_secs(14 * 86_400)),
        erase_after: Some(NOW.after(Duration::from_secs(72 * 3600))),
        object_count: 1,
        file_count: 3,
    }
}

fn assessment() -> AssessmentRow {
    AssessmentRow {
        id: 5,
        uuid: Uuid([7; 16]),
        reference: "NRF-000123".into(),
        name: "Mill Lane".into(),
        institution_id: 1,
        asked_by: "ada@example.org".into(),
        item_id: Some(12),
        method: "C/2026-04".into(),
        data_version: "2026-11".into(),
        dwellings: 60,
        area_ha: None,
        nitrogen_kg: None,
        phosphorus_kg: None,
        state: AssessmentState::Assessed,
        outcome: Some("assessed".into()),
        created_at: NOW,
        ended_at: Some(NOW),
    }
}

fn delivery() -> DeliveryRow {
    DeliveryRow {
        id: 8,
        assessment_id: 5,
        channel: DeliveryChannel::Callback,
        target: "quotes/NRF-000123".into(),
        subject: String::new(),
        body: String::new(),
        trace: None,
        mark: "x".into(),
        created_at: NOW,
        attempts: 11,
        due_at: NOW,
        sent_at: None,
        given_up_at: Some(NOW),
        trouble: Some("the receiver answered 500 and took nothing".into()),
    }
}

/// One alert of every kind, and of those that have two forms both.
#[expect(clippy::too_many_lines, reason = "a list of cases")]
fn every() -> Vec<NewAlert> {
    let one = CheckedCopies {
        institution_id: 1,
        object: "archive.local/letters",
        object_id: 9,
        replica: "b",
        count: 1,
        example: "data/a.txt",
        item_id: 12,
    };
    let many = CheckedCopies { count: 2500, ..one };
    let item = ItemRow {
        id: 12,
        institution_id: Some(1),
        name: "letters".into(),
        object_identifier: Some("archive.local/letters".into()),
        note: "It lies at restored/archive.local/letters.tar.".into(),
        date_processed: NOW,
        ..ItemRow::default()
    };
    let parked = ParkedItem {
        id: 12,
        name: "letters.tar".into(),
        action: "Ingest".into(),
        stage: "Validate".into(),
        since: NOW,
        happened: "The bag is not valid: 3 findings.".into(),
        kept: "The bag stays where it is.".into(),
        advice: "Send the report to the depositor.".into(),
    };
    let bare = ParkedItem {
        happened: String::new(),
        kept: String::new(),
        advice: String::new(),
        name: "a\nb".into(),
        ..parked.clone()
    };
    let group = ParkedTogether {
        institution_id: None,
        reason: "disk-full".into(),
        count: 214,
        newest: NOW,
    };
    let still = Stalled { count: 1, oldest: 12, name: "letters.tar".into(), since: NOW };
    let long = LongWait {
        cause: "replica-away b".into(),
        count: 1,
        oldest: 12,
        name: "letters.tar".into(),
        note: "replica `b` is away: no answer. Mount the disk or restore the connection.".into(),
        since: NOW,
    };
    let stale = StaleCheck { replica: "b".into(), checked_at: Timestamp(NOW.0 - 8_640_000_000) };
    let missing = MissingCopies {
        replica: "c".into(),
        object_count: 12,
        copy_count: 48,
        since: Timestamp(NOW.0 - 86_400_000),
    };
    let altered = Alarm {
        replica: Some("b".into()),
        what: "In replica b, page 4 of series 1 of the journal is not what this appliance wrote: it was \
            damaged, or somebody changed it."
            .into(),
        kept: Some("extensions/strongroom-replica/set-aside/journal/00000001-00000004-0a.jsonl".into()),
        mark: "0a".into(),
    };
    let mut all = vec![
        copies_failed(&one, "it is 3 bytes shorter than it was."),
        copies_failed(&many, "it is missing"),
        copies_repaired(&one),
        copies_repaired(&many),
        files_lost(&one, &lost_advice("/files/7", [None])),
        files_lost(&many, &lost_advice("/files/7", [None])),
        files_lost(&one, &lost_advice("/files/7", [Some("deep")])),
        files_lost(&many, &lost_advice("/files/7", [None, Some("deep")])),
        checks_failed(1, 1, Timestamp(NOW.0 - 86_400_000), NOW),
        checks_failed(1, 2500, Timestamp(NOW.0 - 86_400_000), NOW),
        checks_told(Timestamp(NOW.0 - 86_400_000), NOW),
        restoration_ready(&item),
        item_parked(&parked, Some(1)),
        item_parked(&bare, None),
        items_parked(&group),
        items_stalled("ingest06_storage", "Store", &still),
        items_stalled("ingest06_storage", "Store", &Stalled { count: 8, ..still.clone() }),
        items_waiting(&long),
        items_waiting(&LongWait { count: 8, ..long.clone() }),
        replica_away("b", "the other building", NOW, "vault/b is not mounted"),
        replica_nearly_full("b", (5 << 30, 100 << 30), NOW),
        fixity_overdue(&stale, Duration::from_secs(90 * 86_400), NOW),
        copies_missing(&missing),
        result_undelivered(&assessment(), &delivery()),
        message_rejected(
            "jobs",
            "5b2c",
            "the site was not taken: the job has no count of dwellings",
        ),
        messages_stopped("jobs", "SQS answers QueueDoesNotExist: there is no queue", NOW),
        journal_altered(&altered),
        journal_altered(&Alarm { replica: None, kept: None, ..altered.clone() }),
    ];
    all.extend(DeletionStep::ALL.map(|step| deletion(step, &request())));
    let entered = DeletionMoment { is_entered: true, ..request() };
    all.push(deletion(DeletionStep::Requested, &entered));
    all
}

fn told(alert: &NewAlert) -> String {
    let NewAlert { name, kind, subject, content, .. } = alert;
    let page = alert.page.as_deref().unwrap_or("none");
    format!("{name}\n{kind}, page {page}\n{subject}\n\n{content}\n")
}

/// Writes the wordings anew when they are stale, and fails so that somebody reads them.
#[test]
fn every_kind_is_worded_and_its_words_are_kept() {
    let all = every();
    for kind in Kind::ALL {
        assert!(all.iter().any(|alert| alert.kind == kind.word()), "{kind:?} is not shown");
        assert_eq!(Kind::of(kind.word()), Some(kind));
    }
    let text = all.iter().map(told).collect::<Vec<_>>().join("\n----\n\n");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/alerts/wording.txt");
    if std::fs::read_to_string(path).unwrap_or_default() != text {
        #[expect(clippy::disallowed_methods, reason = "a source file, written while developing")]
        std::fs::write(path, &text).unwrap();
        panic!("{path} was stale and has been written anew");
    }
}

#[test]
fn no_wording_holds_what_a_deposit_could_smuggle_in() {
    let evil = "x\r\nBcc: eve@example.org\u{1b}[2J".repeat(200);
    let copies = CheckedCopies {
        institution_id: 1,
        object: &evil,
        object_id: 9,
        replica: "b",
        count: 1,
        example: &evil,
        item_id: 12,
    };
    for alert in [copies_failed(&copies, &evil), copies_repaired(&copies), files_lost(&copies, "")]
    {
        assert!(!alert.subject.contains(['\r', '\n', '\u{1b}']) && alert.subject.len() < 500);
        assert!(!alert.content.contains(['\r', '\u{1b}']) && alert.content.len() < 20_000);
    }
}
