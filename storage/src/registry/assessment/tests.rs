use tempfile::TempDir;

use super::*;
use crate::clock::Timestamp;
use crate::registry::{Error, InstitutionKind, NewInstitution, Registry, SecretDigest, Uuid};

const NOW: Timestamp = Timestamp(1_794_813_641_000);

fn house() -> (TempDir, Registry) {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::open(&dir.path().join("registry.sqlite"), NOW).unwrap();
    for identifier in ["a.org", "b.org"] {
        let new = NewInstitution {
            name: identifier.into(),
            identifier: identifier.into(),
            kind: InstitutionKind::Member,
            member_institution_id: None,
            receiving_bucket: format!("{identifier}.r"),
            restore_bucket: format!("{identifier}.s"),
        };
        registry.create_institution(&new, NOW).unwrap();
    }
    (dir, registry)
}

fn wish(same: &str, institution_id: i64) -> NewAssessment {
    NewAssessment {
        uuid: Uuid(
            [u8::try_from(same.len() * 10).unwrap() + u8::try_from(institution_id).unwrap(); 16],
        ),
        reference: format!("NRF-00000{institution_id}"),
        is_named: true,
        name: "Mill Lane".into(),
        institution_id,
        asked_by: "ann@a.org".into(),
        method: "C".into(),
        data_version: "v1".into(),
        dwellings: 10,
        same: same.into(),
        token: SecretDigest([1; 32]),
        wish: "{}".into(),
    }
}

fn assessed(nitrogen: &str) -> Assessed {
    Assessed {
        data_version: "v1".into(),
        same: "k".into(),
        outcome: "assessed".into(),
        area_ha: "1.00".into(),
        nitrogen_kg: Some(nitrogen.into()),
        phosphorus_kg: Some("0.10".into()),
        supersedes: true,
        result: format!("{{\"n\":{nitrogen}}}"),
        levy: Some(NewLevy { total_gbp: "26750.00".into(), record: "{}".into() }),
        deliveries: vec![NewDelivery {
            channel: DeliveryChannel::Callback,
            target: "quotes/NRF-000001".into(),
            subject: String::new(),
            body: "{}".into(),
            trace: None,
            mark: "m1".into(),
            hindrance: None,
        }],
    }
}

#[test]
fn the_same_question_is_one_row_for_each_institution() {
    let (_dir, registry) = house();
    let first = registry.keep_assessment(&wish("k", 1), NOW).unwrap();
    assert!(first.new && first.row.state == AssessmentState::Waiting);
    let again = NewAssessment { token: SecretDigest([2; 32]), ..wish("k", 1) };
    let again = registry.keep_assessment(&again, NOW).unwrap();
    assert_eq!((again.row.id, again.new), (first.row.id, false));
    let opens = |byte| registry.opens_assessment(first.row.id, &SecretDigest([byte; 32])).unwrap();
    assert!(opens(1) && opens(2) && !opens(3), "who asked first is not locked out");
    for byte in 3..=53 {
        let again = NewAssessment { token: SecretDigest([byte; 32]), ..wish("k", 1) };
        registry.keep_assessment(&again, NOW).unwrap();
    }
    assert!(opens(1) && opens(53) && !opens(2), "the first, and the last fifty");
    assert!(registry.keep_assessment(&wish("k", 2), NOW).unwrap().new);
    assert!(registry.keep_assessment(&wish("kk", 1), NOW).is_ok_and(|kept| kept.new));
    let nameless = NewAssessment { reference: String::new(), ..wish("x", 1) };
    assert!(matches!(
        registry.keep_assessment(&nameless, NOW),
        Err(Error::Invalid { field: "reference", .. })
    ));
}

#[test]
fn a_result_is_written_once_with_all_that_is_sent() {
    let (_dir, registry) = house();
    let id = registry.keep_assessment(&wish("k", 1), NOW).unwrap().row.id;
    assert!(registry.finish_assessment(id, &assessed("1.50"), NOW).unwrap());
    assert!(!registry.finish_assessment(id, &assessed("9.99"), NOW).unwrap());
    assert!(!registry.cancel_assessment(id, NOW).unwrap());
    let row = registry.assessment(id).unwrap().unwrap();
    assert_eq!((row.state, row.nitrogen_kg.as_deref()), (AssessmentState::Assessed, Some("1.50")));
    assert_eq!(registry.deliveries_of(id).unwrap().len(), 1);
    assert_eq!(registry.levy_of(id).unwrap().unwrap().total_gbp, "26750.00");
    assert_eq!(registry.waiting_assessments(0, 10).unwrap(), []);
}

#[test]
fn every_attempt_is_a_row_and_what_was_sent_is_stamped() {
    let (_dir, registry) = house();
    let id = registry.keep_assessment(&wish("k", 1), NOW).unwrap().row.id;
    registry.finish_assessment(id, &assessed("1.50"), NOW).unwrap();
    let due = |now| registry.due_deliveries(DeliveryChannel::Callback, now, 9).unwrap();
    let delivery = due(NOW)[0].id;
    let later = Timestamp(NOW.0 + 1000);
    registry.delivery_failed(delivery, "answered 500", Some(later), NOW).unwrap();
    assert_eq!(due(NOW), []);
    assert_eq!(registry.next_delivery(DeliveryChannel::Callback).unwrap(), Some(later));
    registry.delivery_failed(delivery, "answered 404", None, later).unwrap();
    assert_eq!(due(later), []);
    assert_eq!(registry.unsaid_deliveries(9).unwrap().len(), 1);
    assert_eq!(registry.deliver_again(id, later).unwrap(), 1);
    registry.delivery_sent(delivery, later).unwrap();
    registry.delivery_sent(delivery, later).unwrap();
    let attempts = registry.delivery_attempts(id, 9).unwrap();
    let told: Vec<_> = attempts.iter().map(|it| (it.number, it.trouble.as_deref())).collect();
    assert_eq!(told, [(1, Some("answered 500")), (2, Some("answered 404")), (3, None)]);
    assert_eq!(registry.levy_of(id).unwrap().unwrap().sent_at, Some(later));
    assert_eq!(registry.deliver_again(id, later).unwrap(), 0);
}

#[test]
fn what_is_told_to_the_vaults_comes_back_without_tokens() {
    let (_dir, registry) = house();
    let id = registry.keep_assessment(&wish("k", 1), NOW).unwrap().row.id;
    registry.finish_assessment(id, &assessed("1.50"), NOW).unwrap();
    let delivery = registry.deliveries_of(id).unwrap()[0].id;
    registry.delivery_sent(delivery, NOW).unwrap();
    let lines = registry.untold(1000).unwrap().lines;
    assert!(lines.iter().all(|line| !line.contains("token")), "{lines:?}");
    let other = tempfile::tempdir().unwrap();
    let other = Registry::open(&other.path().join("registry.sqlite"), NOW).unwrap();
    let mut rows = lines.iter().map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        (line["table"].as_str().unwrap().to_owned(), line["row"].take())
    });
    let retold = other.retell::<Error>(&mut || Ok(rows.next())).unwrap();
    assert_eq!(retold.left_out, 0);
    assert_eq!(other.assessment(id).unwrap(), registry.assessment(id).unwrap());
    assert_eq!(other.deliveries_of(id).unwrap(), registry.deliveries_of(id).unwrap());
    assert_eq!(other.delivery_attempts(id, 9).unwrap().len(), 1);
    assert_eq!(other.levy_of(id).unwrap(), registry.levy_of(id).unwrap());
}

#[test]
fn a_reference_belongs_to_who_used_it_first() {
    let (_dir, registry) = house();
    registry.keep_assessment(&wish("k", 1), NOW).unwrap();
    let theirs = NewAssessment { reference: "NRF-000001".into(), ..wish("kk", 2) };
    let refused = registry.keep_assessment(&theirs, NOW);
    assert!(matches!(refused, Err(Error::Refused { .. })), "{refused:?}");
    assert_eq!(registry.waiting_assessments(0, 9).unwrap().len(), 1, "nothing was kept");
    let unnamed = NewAssessment { is_named: false, ..theirs };
    assert!(registry.keep_assessment(&unnamed, NOW).unwrap().new);
}

#[test]
fn a_newer_result_ends_the_calls_of_older_ones() {
    let (_dir, registry) = house();
    let ask = |same: &str| registry.keep_assessment(&wish(same, 1), NOW).unwrap().row.id;
    let (first, second, third) = (ask("k"), ask("kk"), ask("kkk"));
    let told = |mark: &str| {
        let mut told = Assessed { same: mark.into(), levy: None, ..assessed("1.50") };
        told.deliveries[0].mark = mark.into();
        told
    };
    let call = |id: i64| registry.deliveries_of(id).unwrap()[0].clone();
    registry.finish_assessment(first, &told("m1"), NOW).unwrap();
    assert!(!call(first).is_superseded());
    registry.finish_assessment(third, &told("m3"), NOW).unwrap();
    assert!(call(first).is_superseded() && call(first).given_up_at.is_some());
    registry.finish_assessment(second, &told("m2"), NOW).unwrap();
    assert!(call(second).is_superseded(), "it came after a newer one");
    let due = registry.due_deliveries(DeliveryChannel::Callback, NOW, 9).unwrap();
    assert_eq!(due.iter().map(|row| row.assessment_id).collect::<Vec<_>>(), [third]);
    // A call that was under way when the newer result came does not bring it back.
    registry.delivery_failed(call(first).id, "answered 500", Some(NOW), NOW).unwrap();
    assert!(call(first).is_superseded());
    assert_eq!(registry.deliver_again(first, NOW).unwrap(), 0, "nor does anybody by hand");
    assert_eq!(registry.unsaid_deliveries(9).unwrap(), [], "and it is no trouble");
}
