//! Told once, read per person, sent until it was; and what nobody was told of yet.

use std::time::Duration;

use rusqlite::params;
use tempfile::TempDir;

use super::{ALERTS, Audience, Channel, DeletionStep, NewAlert, Parcel, Reader};
use crate::clock::Timestamp;
use crate::registry::item::ItemRow;
use crate::registry::query::Query;
use crate::registry::{Error, InstitutionKind, NewInstitution, NewUser, Registry, Role};

const NOW: Timestamp = Timestamp(1_794_813_641_123);

fn later(seconds: u64) -> Timestamp {
    NOW.after(Duration::from_secs(seconds))
}

/// A registry with two institutions, and in each an administrator and a user; one of the house.
struct House {
    dir: TempDir,
    registry: Registry,
}

const PEOPLE: [(&str, i64, Role); 5] = [
    ("ada@one.example.org", 1, Role::InstitutionalAdmin),
    ("ben@one.example.org", 1, Role::InstitutionalUser),
    ("cleo@two.example.org", 2, Role::InstitutionalAdmin),
    ("dora@two.example.org", 2, Role::None),
    ("eve@one.example.org", 1, Role::Admin),
];

impl House {
    fn new() -> House {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::open(&dir.path().join("registry.sqlite"), NOW).unwrap();
        for name in ["one", "two"] {
            let new = NewInstitution {
                name: format!("Library {name}"),
                identifier: format!("{name}.example.org"),
                kind: InstitutionKind::Member,
                member_institution_id: None,
                receiving_bucket: format!("receiving.{name}"),
                restore_bucket: format!("restore.{name}"),
            };
            registry.create_institution(&new, NOW).unwrap();
        }
        for (email, institution_id, role) in PEOPLE {
            let (name, email) = (email[..3].to_owned(), email.to_owned());
            let new = NewUser { name, email, phone_number: None, institution_id, role };
            registry.create_user(&new, crate::registry::without_note, NOW).unwrap();
        }
        House { dir, registry }
    }

    fn reopened(self) -> House {
        let House { dir, registry } = self;
        drop(registry);
        let registry = Registry::open(&dir.path().join("registry.sqlite"), NOW).unwrap();
        House { dir, registry }
    }

    fn raise(&self, name: &str, institution: Option<i64>, at: Timestamp) -> Option<i64> {
        let raised = self.registry.raise_alert(&alert(name, institution), &[], at).unwrap();
        raised.map(|alert| alert.id)
    }

    fn reader(&self, user: i64) -> Reader {
        self.registry.alert_reader(user).unwrap().unwrap()
    }

    fn unread(&self, reader: Reader) -> Vec<String> {
        let user = reader.user.to_string();
        let mut query = Query::parse(&ALERTS, &[("unread_by".into(), user)]).unwrap();
        query = query.seen_by(reader.sight());
        let page = self.registry.list_alerts(&query).unwrap();
        let names = page.rows.into_iter().map(|row| row.name).collect::<Vec<_>>();
        assert_eq!(self.registry.unread_count(reader).unwrap(), names.len() as u64);
        names
    }

    fn sql(&self, sql: &str) {
        self.registry.write(|tx| Ok::<_, Error>(tx.execute_batch(sql)?)).unwrap();
    }
}

fn alert(name: &str, institution_id: Option<i64>) -> NewAlert {
    NewAlert {
        name: name.into(),
        kind: "replica-away".into(),
        institution_id,
        subject: format!("About {name}"),
        content: "It happened. It was kept. Do this.".into(),
        ..NewAlert::default()
    }
}

fn mail(to: &str) -> Parcel {
    Parcel { channel: Channel::Email, recipient: to.into() }
}

#[test]
fn the_same_thing_is_told_once_and_sent_once() {
    let house = House::new();
    let parcels = [mail("a@example.org"), mail("a@example.org"), mail("b@example.org")];
    let new = alert("replica-away/b/1", None);
    let raised = house.registry.raise_alert(&new, &parcels, NOW).unwrap().unwrap();
    assert_eq!(house.registry.raise_alert(&new, &[mail("c@example.org")], later(1)).unwrap(), None);
    let house = house.reopened();
    assert_eq!(house.raise("replica-away/b/1", None, later(2)), None);
    assert!(house.registry.end_alert("replica-away/b/1", later(3)).unwrap());
    assert!(!house.registry.end_alert("replica-away/b/1", later(4)).unwrap());
    assert_eq!(house.raise("replica-away/b/1", None, later(5)), None, "its name is used up");
    let sent = house.registry.outbox_of(raised.id, 10).unwrap();
    let to: Vec<_> = sent.iter().map(|row| row.recipient.as_str()).collect();
    assert_eq!(to, ["a@example.org", "b@example.org"]);
    let known = house.registry.alert(raised.id).unwrap().unwrap();
    assert_eq!((known.created_at, known.ended_at), (NOW, Some(later(3))));
    assert_eq!(house.registry.check().unwrap(), []);
}

#[test]
fn an_alert_that_says_nothing_or_too_much_is_refused() {
    let house = House::new();
    for (name, content) in [("", "x".to_owned()), ("n", String::new()), ("n", "x".repeat(70_000))] {
        let new = NewAlert { content, ..alert(name, None) };
        let refused = house.registry.raise_alert(&new, &[], NOW);
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
    }
    let stranger = house.registry.raise_alert(&alert("n", Some(99)), &[mail("a@b.org")], NOW);
    assert!(matches!(stranger, Err(Error::Conflict(_))), "{stranger:?}");
    assert!(
        !house.registry.is_outbox_due(Channel::Email, later(9)).unwrap(),
        "nothing of it was kept"
    );
}

#[test]
fn everyone_reads_for_themselves_and_sees_their_own() {
    let house = House::new();
    let one = house.raise("one", Some(1), later(1)).unwrap();
    let two = house.raise("two", Some(2), later(2)).unwrap();
    let all = house.raise("house", None, later(3)).unwrap();
    let (ada, ben, eve) = (house.reader(1), house.reader(2), house.reader(5));
    assert_eq!(house.registry.alert_reader(4).unwrap(), None, "whose role is none");
    assert_eq!(house.registry.alert_reader(9).unwrap(), None, "who is not there");
    let told = |id| house.registry.alert(id).unwrap().unwrap();
    assert!(ada.sees(&told(one)) && !ada.sees(&told(two)));
    assert!(!ada.sees(&told(all)) && eve.sees(&told(all)));
    assert_eq!(house.unread(eve), ["house", "two", "one"]);
    assert_eq!(house.unread(ada), ["one"]);

    assert_eq!(house.registry.mark_read(ada, &[one, two, all], later(4)).unwrap(), 1);
    assert_eq!(house.registry.mark_read(ada, &[one], later(5)).unwrap(), 0);
    assert!(house.unread(ada).is_empty());
    assert!(house.unread(ben).is_empty(), "who administers nothing");
    assert_eq!(house.registry.mark_read(ben, &[one], later(5)).unwrap(), 0);
    assert_eq!(house.registry.unread_among(eve, &[one, all]).unwrap(), [one, all]);
    assert_eq!(house.registry.mark_unread(ada, &[one]).unwrap(), 1);
    assert_eq!(house.unread(ada), ["one"]);

    assert_eq!(house.registry.mark_all_read(eve, later(6)).unwrap(), 3);
    assert!(house.unread(eve).is_empty());
    let common = NewAlert { everyone: true, ..alert("common", Some(1)) };
    let common = house.registry.raise_alert(&common, &[], later(7)).unwrap().unwrap();
    assert!(ben.sees(&common) && ada.sees(&common) && !house.reader(3).sees(&common));
    assert_eq!(house.unread(ben), ["common"]);
    assert_eq!(house.registry.mark_all_read(ben, later(8)).unwrap(), 1);
    assert_eq!(house.unread(ada), ["common", "one"]);
    assert!(house.registry.mark_read(eve, &[1; 1001], NOW).is_err(), "bounded");
}

#[test]
fn what_is_older_than_a_person_is_not_their_backlog() {
    let house = House::new();
    house.sql("UPDATE users SET created_at = '2027-01-01T00:00:00.000Z' WHERE id = 5");
    house.raise("old", None, later(1));
    house.raise("new", None, Timestamp::parse("2027-01-02T00:00:00Z").unwrap());
    let eve = house.reader(5);
    assert_eq!(house.unread(eve), ["new"]);
    assert_eq!(house.registry.mark_all_read(eve, later(9)).unwrap(), 1);
}

#[test]
fn who_is_told_depends_on_what_it_is_about() {
    let house = House::new();
    let told = |audience, institution| house.registry.addresses(audience, institution).unwrap();
    assert_eq!(told(Audience::Administrators, Some(1)), ["ada@one.example.org"]);
    assert_eq!(
        told(Audience::Everyone, Some(1)),
        ["ada@one.example.org", "ben@one.example.org", "eve@one.example.org"]
    );
    assert_eq!(
        told(Audience::AdministratorsAndStaff, Some(2)),
        ["cleo@two.example.org", "eve@one.example.org"]
    );
    assert_eq!(told(Audience::Staff, None), ["eve@one.example.org"]);
    assert_eq!(told(Audience::Administrators, None), [""; 0]);
    house.sql("UPDATE users SET deactivated_at = '2026-11-16T00:00:00.000Z' WHERE id IN (1, 5)");
    assert_eq!(told(Audience::AdministratorsAndStaff, Some(1)), [""; 0]);
}

#[test]
fn a_parcel_is_due_until_it_was_sent_or_given_up() {
    let house = House::new();
    let parcels =
        [mail("a@example.org"), Parcel { channel: Channel::Webhook, recipient: "it".into() }];
    house.registry.raise_alert(&alert("x", None), &parcels, NOW).unwrap();
    let due = |house: &House, at| house.registry.due_outbox(Channel::Email, at, 10).unwrap();
    let [row] = &due(&house, NOW)[..] else { panic!("one mail") };
    house.registry.outbox_failed(row.id, &"x".repeat(9000), Some(later(60)), later(1)).unwrap();
    let house = house.reopened();
    assert!(due(&house, later(59)).is_empty());
    let [again] = &due(&house, later(60))[..] else { panic!("due again") };
    assert_eq!((again.id, again.attempts), (row.id, 1));
    assert_eq!(again.trouble.as_ref().map(String::len), Some(500));
    house.registry.outbox_sent(row.id, later(61)).unwrap();
    house.registry.outbox_failed(row.id, "too late", None, later(62)).unwrap();
    let [sent, hook] = &house.registry.outbox_of(row.alert_id, 10).unwrap()[..] else {
        panic!("two rows")
    };
    assert_eq!((sent.sent_at, sent.given_up_at, &sent.trouble), (Some(later(61)), None, &None));
    assert!(house.registry.is_outbox_due(Channel::Webhook, NOW).unwrap());
    house.registry.outbox_failed(hook.id, "gone", None, later(63)).unwrap();
    assert!(!house.registry.is_outbox_due(Channel::Webhook, later(99_999)).unwrap());
}

fn parked(id: i64, institution_id: Option<i64>, at: Timestamp) -> ItemRow {
    ItemRow {
        id,
        state: "parked".into(),
        reason: Some("disk-full".into()),
        institution_id,
        date_processed: at,
        queued_at: Some(at),
        topic: "ingest06_storage".into(),
        name: format!("bag-{id}.tar"),
        revision: 1,
        ..ItemRow::default()
    }
}

#[test]
fn parked_items_are_untold_until_an_alert_names_them_or_all_of_them() {
    let house = House::new();
    let rows = [
        parked(1, Some(1), later(1)),
        parked(2, Some(1), later(2)),
        parked(3, None, later(3)),
        parked(4, Some(2), later(50)),
    ];
    house.registry.record_items(&rows, &[], &[]).unwrap();
    let untold = |until| {
        let groups = house.registry.untold_parked(until, 100).unwrap();
        let short = |group: super::ParkedTogether| (group.institution_id, group.count);
        groups.into_iter().map(short).collect::<Vec<_>>()
    };
    assert_eq!(untold(later(10)), [(None, 1), (Some(1), 2)]);
    house.raise(&format!("parked/3/{}", later(3)), None, later(11));
    house.raise(&format!("parked/1/{}", later(1)), Some(1), later(11));
    assert_eq!(untold(later(10)), [(Some(1), 1)]);
    let group = house.registry.untold_parked(later(10), 1).unwrap().remove(0);
    let items = house.registry.untold_parked_items(&group, later(10), 10).unwrap();
    assert_eq!(items.iter().map(|item| item.id).collect::<Vec<_>>(), [2]);
    // Another institution's, and an earlier one, tell nothing of it; one up to its moment does.
    house.raise(&format!("parked-together/2/disk-full/{}", later(9)), Some(2), later(12));
    house.raise(&format!("parked-together/1/disk-full/{}", later(1)), Some(1), later(12));
    house.raise(&format!("parked-together/1/disk-full-2/{}", later(9)), Some(1), later(12));
    assert_eq!(untold(later(10)), [(Some(1), 1)]);
    house.raise(&format!("parked-together/1/disk-full/{}", later(2)), Some(1), later(12));
    assert_eq!(untold(later(10)), []);
    assert_eq!(untold(later(99)), [(Some(2), 1)]);
    let still =
        |institution, until| house.registry.is_parked(institution, "disk-full", until).unwrap();
    assert!(still(Some(1), later(2)) && still(None, later(3)) && !still(Some(2), later(3)));
}

#[test]
fn what_stands_still_is_counted_and_the_oldest_named() {
    let house = House::new();
    let ready = |id, at| ItemRow { state: "ready".into(), reason: None, ..parked(id, None, at) };
    let rows = [ready(1, later(5)), ready(2, later(1)), ready(3, later(900)), parked(4, None, NOW)];
    house.registry.record_items(&rows, &[], &[]).unwrap();
    let stalled = house.registry.stalled("ingest06_storage", later(100)).unwrap().unwrap();
    assert_eq!((stalled.count, stalled.oldest, stalled.since), (2, 2, later(1)));
    assert_eq!(house.registry.stalled("ingest06_storage", later(1)).unwrap(), None);
    assert_eq!(house.registry.stalled("ingest01_prefetch", later(100)).unwrap(), None);
}

#[test]
fn every_step_of_a_deletion_is_untold_until_it_is_told() {
    let house = House::new();
    house
        .registry
        .write(|tx| {
            let sql = "INSERT INTO deletion_requests (uuid, institution_id, reason,
                    requested_by_id, requested_at, expires_at, confirmed_by_id, confirmed_at,
                    erase_after, completed_at)
                VALUES (zeroblob(16), 1, 'a duplicate', 1, ?1, ?2, 5, ?3, ?3, ?4)";
            let values = params![later(1), later(99), later(2), later(3)];
            Ok::<_, Error>(tx.execute(sql, values)?)
        })
        .unwrap();
    let uuid = "0".repeat(32);
    for (step, by) in DeletionStep::ALL.into_iter().zip([Some("ada"), Some("eve"), None, None]) {
        let untold = || house.registry.untold_deletions(step, NOW, 10).unwrap();
        let found = untold();
        assert_eq!(found.len(), usize::from(step != DeletionStep::Cancelled));
        let Some(moment) = found.first() else { continue };
        assert_eq!((moment.by.as_deref(), moment.reason.as_str()), (by, "a duplicate"));
        assert!(house.registry.untold_deletions(step, later(50), 10).unwrap().is_empty());
        house.raise(&format!("deletion/{uuid}/{}", step.word()), Some(1), later(9));
        assert!(untold().is_empty());
    }
}

#[test]
fn a_restoration_is_untold_until_it_is_told() {
    let house = House::new();
    let done = |id, status: &str| ItemRow {
        state: "finished".into(),
        reason: None,
        action: "Restore Object".into(),
        status: status.into(),
        ..parked(id, Some(1), later(1))
    };
    let rows = [done(1, "Success"), done(2, "Failed")];
    house.registry.record_items(&rows, &[], &[]).unwrap();
    let untold = |since| house.registry.untold_successes("Restore Object", since, 10).unwrap();
    assert_eq!(untold(NOW).iter().map(|row| row.id).collect::<Vec<_>>(), [1]);
    assert!(untold(later(2)).is_empty());
    house.raise("restored/1", Some(1), later(3));
    assert!(untold(NOW).is_empty());
}
