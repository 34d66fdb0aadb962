//! The registry seen from outside: rows in, rows out, and what it refuses.

/// Lists against rows filtered and sorted in memory.
mod model;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::Value;
use storage::clock::Timestamp;
use storage::registry::{
    AttemptRow, Counting, Error, FindingRow, INSTITUTIONS, ITEMS, InstitutionKind, ItemRow,
    NewInstitution, NewUser, Query, Registry, Role, SCHEMA_VERSION, USERS, verify_snapshot,
};
use tempfile::TempDir;

const NOW: Timestamp = Timestamp(1_794_813_641_123);

fn open(dir: &TempDir) -> Registry {
    Registry::open(&file(dir), NOW).unwrap()
}

fn file(dir: &TempDir) -> PathBuf {
    dir.path().join("registry.sqlite")
}

fn pairs(text: &[(&str, &str)]) -> Vec<(String, String)> {
    text.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn query(text: &[(&str, &str)]) -> Query {
    Query::parse(&ITEMS, &pairs(text)).unwrap()
}

fn ids(registry: &Registry, text: &[(&str, &str)]) -> Vec<i64> {
    registry.list_items(&query(text)).unwrap().rows.into_iter().map(|row| row.id).collect()
}

fn item(id: i64) -> ItemRow {
    let seconds = u64::try_from(id).unwrap();
    ItemRow {
        id,
        flow: "ingest".to_owned(),
        state: "ready".to_owned(),
        name: format!("bag-{id}.tar"),
        date_processed: Timestamp(seconds * 1000),
        revision: 1,
        ..ItemRow::default()
    }
}

fn institution(number: u32) -> NewInstitution {
    NewInstitution {
        name: format!("Library {number}"),
        identifier: format!("lib{number}.example.edu"),
        kind: InstitutionKind::Member,
        member_institution_id: None,
        receiving_bucket: format!("receiving.lib{number}"),
        restore_bucket: format!("restore.lib{number}"),
    }
}

#[test]
fn opens_from_nothing_and_again() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    registry.record_items(&[item(1)], &[], &[]).unwrap();
    registry.close().unwrap();
    assert!(!dir.path().join("registry.sqlite-wal").try_exists().unwrap());

    let registry = open(&dir);
    assert_eq!(registry.item(1).unwrap(), Some(item(1)));
    assert_eq!(registry.check().unwrap(), []);
    assert!(registry.size_bytes().unwrap() > 0);
    // Dropped without close, as in a crash of the program: the log is still there to be read.
    registry.record_items(&[item(2)], &[], &[]).unwrap();
    drop(registry);
    assert_eq!(open(&dir).max_item_id().unwrap(), 2);
}

#[test]
fn a_newer_file_is_refused_and_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    open(&dir).close().unwrap();
    let conn = rusqlite::Connection::open(file(&dir)).unwrap();
    conn.pragma_update(None, "user_version", SCHEMA_VERSION + 1).unwrap();
    // First with the new version only in the log, then with it in the file.
    for closed in [false, true] {
        if closed {
            conn.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        }
        let before = fs::read(file(&dir)).unwrap();
        let log = fs::read(dir.path().join("registry.sqlite-wal")).unwrap();
        let refused = Registry::open(&file(&dir), NOW).err().unwrap();
        let (found, known) = (SCHEMA_VERSION + 1, SCHEMA_VERSION);
        assert!(
            matches!(refused, Error::Newer { found: f, known: k } if (f, k) == (found, known)),
            "{refused}"
        );
        assert_eq!(fs::read(file(&dir)).unwrap(), before);
        assert_eq!(fs::read(dir.path().join("registry.sqlite-wal")).unwrap(), log);
    }
}

#[test]
fn what_is_no_registry_is_refused_and_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let path = file(&dir);
    let other = dir.path().join("other.sqlite");
    rusqlite::Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
    for bytes in [b"short".to_vec(), vec![7; 8192], fs::read(&other).unwrap()] {
        fs::File::create(&path)
            .and_then(|mut f| std::io::Write::write_all(&mut f, &bytes))
            .unwrap();
        let refused = Registry::open(&path, NOW).err().unwrap();
        assert!(matches!(refused, Error::Unreadable { .. }), "{refused}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    let folder = Registry::open(dir.path(), NOW).err().unwrap();
    assert!(matches!(folder, Error::Unreadable { .. }), "{folder}");
    let nowhere = Registry::open(Path::new("/no/such/folder/registry.sqlite"), NOW).err().unwrap();
    assert!(matches!(nowhere, Error::Unreadable { .. }), "{nowhere}");
}

#[test]
fn a_read_only_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    open(&dir).close().unwrap();
    let mut rights = fs::metadata(file(&dir)).unwrap().permissions();
    rights.set_readonly(true);
    fs::set_permissions(file(&dir), rights).unwrap();
    let refused = Registry::open(&file(&dir), NOW).err().unwrap();
    assert!(matches!(refused, Error::ReadOnly(_)), "{refused}");
}

#[test]
fn an_older_revision_changes_nothing_and_the_same_again_neither() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let newer = ItemRow { revision: 5, note: "five".to_owned(), ..item(1) };
    let older = ItemRow { revision: 4, note: "four".to_owned(), ..item(1) };
    let attempt = AttemptRow { item_id: 1, number: 1, started_at: NOW, ..AttemptRow::default() };
    let ended =
        AttemptRow { finished_at: Some(NOW), outcome: Some("done".to_owned()), ..attempt.clone() };
    let finding =
        FindingRow { item_id: 1, attempt: 1, code: "c".to_owned(), ..FindingRow::default() };
    let second = FindingRow { ordinal: 1, ..finding.clone() };
    let findings = [finding, second];
    for _ in 0..3 {
        let (item, attempts) = ([newer.clone()], [attempt.clone(), ended.clone()]);
        registry.record_items(&item, &attempts, &findings).unwrap();
        registry.record_items(std::slice::from_ref(&older), &attempts[..1], &[]).unwrap();
        assert_eq!(registry.item(1).unwrap(), Some(newer.clone()));
        assert_eq!(registry.attempts(1, 10).unwrap(), std::slice::from_ref(&ended));
        assert_eq!(registry.findings(1, 10).unwrap(), findings);
    }
    assert_eq!(registry.findings(1, 1).unwrap().len(), 1);
}

#[test]
fn a_write_is_all_or_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let orphan = AttemptRow { item_id: 99, number: 1, ..AttemptRow::default() };
    let refused = registry.record_items(&[item(1)], &[orphan], &[]);
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
    assert_eq!(registry.item(1).unwrap(), None);
}

#[test]
fn parked_unfinished_and_finished_are_found() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let state = |id, state: &str, reason: Option<&str>| ItemRow {
        state: state.to_owned(),
        reason: reason.map(str::to_owned),
        happened: reason.map(|reason| format!("{reason} at {id}")),
        ..item(id)
    };
    registry
        .record_items(
            &[
                state(1, "finished", None),
                state(2, "parked", Some("disk")),
                state(3, "parked", Some("bag")),
                state(4, "parked", Some("bag")),
                state(5, "cancelled", None),
                state(6, "leased", None),
            ],
            &[],
            &[],
        )
        .unwrap();
    let parked = registry.parked_by_reason().unwrap();
    let told: Vec<_> = parked.iter().map(|g| (g.happened.as_deref(), g.count)).collect();
    assert_eq!(told, [(Some("bag at 4"), 2), (Some("disk at 2"), 1)]);
    let unfinished = |after, limit| -> Vec<i64> {
        registry.unfinished_items(after, limit).unwrap().into_iter().map(|i| i.id).collect()
    };
    assert_eq!(unfinished(0, 100), [2, 3, 4, 6]);
    assert_eq!(unfinished(2, 2), [3, 4]);
    let done: Vec<i64> =
        registry.recently_finished(10).unwrap().into_iter().map(|row| row.id).collect();
    assert_eq!(done, [5, 1]);
    assert_eq!(registry.max_item_id().unwrap(), 6);
}

#[test]
fn bad_parameters_are_named() {
    let long = "x".repeat(5000);
    for (name, value, says) in [
        ("nome", "x", "filters are"),
        ("note", "x", "filters are"),
        ("name__like", "x", "name allows eq"),
        ("etag__contains", "x", "etag allows eq"),
        ("size", "big", "whole number"),
        ("size__gteq", "9223372036854775808", "whole number"),
        ("retry", "maybe", "true or false"),
        ("node__is_null", "x", "true or false"),
        ("date_processed__gteq", "yesterday", "RFC 3339"),
        ("page", "0", "from 1"),
        ("page", "x", "from 1"),
        ("page", "99999999999", "from 1"),
        ("per_page", "many", "whole number"),
        ("sort", "name", "__asc or __desc"),
        ("sort", "note__asc", "must name one of"),
        ("cursor", "zz", "start without it"),
        ("name", &long, "longer than"),
        ("name", "a\0b", "zero character"),
    ] {
        let bad = Query::parse(&ITEMS, &pairs(&[(name, value)])).unwrap_err();
        assert_eq!(bad.parameter, name);
        assert!(bad.to_string().contains(says), "{bad}");
    }
    for twice in [[("page", "1"), ("page", "2")], [("sort", "name__asc"), ("sort", "name__desc")]] {
        assert!(Query::parse(&ITEMS, &pairs(&twice)).is_err(), "{twice:?}");
    }
    assert!(Query::parse(&ITEMS, &pairs(&vec![("name", "x"); 50])).is_ok());
    assert!(Query::parse(&ITEMS, &pairs(&vec![("name", "x"); 51])).is_err());
    assert!(Query::parse(&ITEMS, &pairs(&vec![("name__in", "x"); 1000])).is_ok());
    assert!(Query::parse(&ITEMS, &pairs(&vec![("name__in", "x"); 1001])).is_err());
}

#[test]
fn sql_in_names_is_refused_and_in_values_is_text() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let attacks = [
        "'; DROP TABLE work_items; --",
        "x' OR '1'='1",
        "\" OR 1=1 --",
        "?1",
        ") UNION SELECT * FROM users --",
        "%",
        "_",
        "\\",
        "🜂'\u{7f}",
    ];
    let rows: Vec<ItemRow> = attacks
        .iter()
        .zip(1..)
        .map(|(name, id)| ItemRow { name: (*name).to_owned(), ..item(id) })
        .collect();
    registry.record_items(&rows, &[], &[]).unwrap();
    for (attack, id) in attacks.iter().zip(1..) {
        for name in ["name", "name__in", "name__starts_with", "name__contains"] {
            let found = ids(&registry, &[(name, attack)]);
            assert!(found.contains(&id), "{name}={attack}");
            assert!(found.len() <= 2, "{name}={attack}: {found:?}");
        }
        let as_name = format!("name{attack}");
        assert!(Query::parse(&ITEMS, &pairs(&[(&as_name, "x")])).is_err());
        assert!(Query::parse(&ITEMS, &pairs(&[(&format!("name__{attack}"), "x")])).is_err());
        assert!(Query::parse(&ITEMS, &pairs(&[("sort", &format!("{attack}__asc"))])).is_err());
        assert!(Query::parse(&ITEMS, &pairs(&[("cursor", attack)])).is_err());
    }
    assert_eq!(registry.max_item_id().unwrap(), 9);
}

#[test]
fn per_page_is_clamped_before_the_offset_is_computed() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let rows: Vec<ItemRow> = (1..=1500).map(item).collect();
    registry.record_items(&rows, &[], &[]).unwrap();
    let page = registry.list_items(&query(&[("per_page", "5000"), ("page", "2")])).unwrap();
    let expected: Vec<i64> = (1..=500).rev().collect();
    assert_eq!(page.rows.iter().map(|row| row.id).collect::<Vec<_>>(), expected);
    assert_eq!((page.next_page, page.previous_page), (None, Some(1)));
    assert_eq!(page.count.map(|count| (count.value, count.exact)), Some((1500, true)));
    for small in ["0", "-7"] {
        let pairs = [("per_page".to_owned(), small.to_owned())];
        assert!(Query::parse(&ITEMS, &pairs).is_err(), "{small}");
    }
    let bounded = registry.list_items(&query(&[]).counting(Counting::UpTo(100))).unwrap();
    assert_eq!(bounded.count.map(|count| (count.value, count.exact)), Some((100, false)));
    assert_eq!(bounded.rows.len(), 20);
    assert!(registry.list_items(&query(&[]).counting(Counting::No)).unwrap().count.is_none());
    assert!(ids(&registry, &[("page", "4294967295"), ("per_page", "1000")]).is_empty());
}

#[test]
fn a_cursor_belongs_to_its_order() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    registry.record_items(&(1..=5).map(item).collect::<Vec<_>>(), &[], &[]).unwrap();
    let first = registry.list_items(&query(&[("per_page", "2"), ("sort", "name__asc")])).unwrap();
    let token = first.next_cursor.unwrap();
    let fits = [("sort", "name__asc"), ("cursor", token.as_str())];
    assert_eq!(ids(&registry, &fits), [3, 4, 5]);
    let cut = &token[..token.len() - 2];
    let edited = token.replacen(&token[20..21], "9", 1) + "00";
    for (sort, token) in [
        ("name__desc", token.as_str()),
        ("id__asc", &token),
        ("name__asc", cut),
        ("name__asc", &edited),
    ] {
        let bad = Query::parse(&ITEMS, &pairs(&[("sort", sort), ("cursor", token)])).unwrap_err();
        assert_eq!(bad.parameter, "cursor");
    }
    let both = pairs(&[("sort", "name__asc"), ("cursor", &token), ("page", "2")]);
    assert!(Query::parse(&ITEMS, &both).is_err());
    let other = Query::parse(&USERS, &[]).unwrap();
    assert!(matches!(registry.list_items(&other), Err(Error::Refused { .. })));
}

#[test]
fn a_scope_holds_whatever_else_is_asked() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let of = |id, institution| ItemRow { institution_id: Some(institution), ..item(id) };
    registry.record_items(&[of(1, 1), of(2, 2)], &[], &[]).unwrap();
    let scoped = query(&[("institution_id", "2")]).only("institution_id", "1").unwrap();
    assert!(registry.list_items(&scoped).unwrap().rows.is_empty());
    let scoped = query(&[]).only("institution_id", "1").unwrap();
    assert_eq!(registry.list_items(&scoped).unwrap().rows.len(), 1);
}

#[test]
fn readers_see_whole_transactions_while_the_writer_writes() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let readers: Vec<_> = (0..6)
            .map(|_| {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let query = query(&[("per_page", "1000")]).counting(Counting::Exact);
                        let page = registry.list_items(&query).unwrap();
                        assert_eq!(page.count.unwrap().value, page.rows.len() as u64);
                        assert_eq!(page.rows.len() % 10, 0, "a transaction was seen in part");
                    }
                })
            })
            .collect();
        for batch in 0..20 {
            let rows: Vec<ItemRow> = (1..=10).map(|n| item(batch * 10 + n)).collect();
            registry.record_items(&rows, &[], &[]).unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().unwrap();
        }
    });
}

#[test]
fn a_snapshot_taken_while_writing_is_one_moment() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    registry.record_items(&(1..=3000).map(item).collect::<Vec<_>>(), &[], &[]).unwrap();
    let to = dir.path().join("copy.sqlite");
    let (mut calls, mut next) = (0, 3001);
    let done = registry
        .snapshot(&to, &mut |remaining, total| {
            assert!(remaining <= total);
            calls += 1;
            registry.record_items(&[item(next)], &[], &[]).unwrap();
            next += 1;
            true
        })
        .unwrap();
    assert!(done && calls > 2, "{calls}");
    verify_snapshot(&to).unwrap();
    let names: Vec<_> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().starts_with("copy.sqlite-")));
    let again = registry.snapshot(&to, &mut |_, _| true);
    assert!(matches!(again, Err(Error::Io { .. })), "never over a file: {again:?}");
    let copy = Registry::open(&to, NOW).unwrap();
    assert_eq!(copy.max_item_id().unwrap(), 3000);
}

#[test]
fn a_stopped_snapshot_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    registry.record_items(&(1..=3000).map(item).collect::<Vec<_>>(), &[], &[]).unwrap();
    let to = dir.path().join("copy.sqlite");
    assert!(!registry.snapshot(&to, &mut |_, _| false).unwrap());
    let left = fs::read_dir(dir.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("copy"));
    assert_eq!(left.count(), 0);
    registry.record_items(&[item(3001)], &[], &[]).unwrap();
}

#[test]
fn a_damaged_snapshot_is_found_out() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    registry.record_items(&(1..=2000).map(item).collect::<Vec<_>>(), &[], &[]).unwrap();
    let to = dir.path().join("copy.sqlite");
    registry.snapshot(&to, &mut |_, _| true).unwrap();
    let whole = fs::read(&to).unwrap();
    let mut torn = whole.clone();
    let middle = torn.len() / 2 / 4096 * 4096;
    torn[middle..middle + 4096].fill(0xAA);
    for bytes in [torn, whole[..whole.len() / 2].to_vec(), b"not a database at all".to_vec()] {
        fs::File::create(&to).and_then(|mut f| std::io::Write::write_all(&mut f, &bytes)).unwrap();
        let found = verify_snapshot(&to);
        assert!(matches!(found, Err(Error::Corrupt { .. })), "{found:?}");
    }
}

#[test]
fn institutions_and_users_keep_their_rules() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let member = registry.create_institution(&institution(1), NOW).unwrap();
    assert_eq!(registry.institution(member.id).unwrap(), Some(member.clone()));
    let found = registry.institution_by_identifier("LIB1.example.edu").unwrap();
    assert_eq!(found, Some(member.clone()));
    let json = serde_json::to_value(&member).unwrap();
    assert_eq!((&json["type"], &json["state"]), (&"MemberInstitution".into(), &"A".into()));
    assert_eq!(json["created_at"], "2026-11-16T07:20:41.123Z");

    let taken = registry.create_institution(&institution(1), NOW);
    assert!(matches!(taken, Err(Error::Conflict(_))), "{taken:?}");
    let short = NewInstitution { name: "Lib".to_owned(), ..institution(2) };
    let plain = NewInstitution { identifier: "nodot".to_owned(), ..institution(2) };
    let alone = NewInstitution { kind: InstitutionKind::Subscription, ..institution(2) };
    for (bad, field) in
        [(short, "name"), (plain, "identifier"), (alone.clone(), "member_institution_id")]
    {
        let refused = registry.create_institution(&bad, NOW);
        assert!(matches!(refused, Err(Error::Invalid { field: f, .. }) if f == field));
    }
    let lost = NewInstitution { member_institution_id: Some(77), ..alone.clone() };
    let refused = registry.create_institution(&lost, NOW);
    assert!(matches!(refused, Err(Error::NotFound { .. })), "{refused:?}");
    let account = NewInstitution { member_institution_id: Some(member.id), ..alone };
    registry.create_institution(&account, NOW).unwrap();

    let new = NewUser {
        name: "Ada".to_owned(),
        email: "Ada@Example.edu".to_owned(),
        phone_number: None,
        institution_id: member.id,
        role: Role::InstitutionalAdmin,
    };
    let user = registry.create_user(&new, storage::registry::without_note, NOW).unwrap();
    assert_eq!(registry.user_by_email("ada@example.EDU").unwrap(), Some(user.clone()));
    assert_eq!(registry.user(user.id).unwrap(), Some(user));
    let again = NewUser { email: "ADA@EXAMPLE.EDU".to_owned(), ..new.clone() };
    assert!(matches!(
        registry.create_user(&again, storage::registry::without_note, NOW),
        Err(Error::Conflict(_))
    ));
    let astray = NewUser { institution_id: 99, email: "b@example.edu".to_owned(), ..new.clone() };
    assert!(matches!(
        registry.create_user(&astray, storage::registry::without_note, NOW),
        Err(Error::NotFound { .. })
    ));
    let no_mail = NewUser { email: "ada".to_owned(), ..new };
    assert!(matches!(
        registry.create_user(&no_mail, storage::registry::without_note, NOW),
        Err(Error::Invalid { .. })
    ));

    let asked = pairs(&[("name__contains", "LIBRARY"), ("type", "MemberInstitution")]);
    let page = registry.list_institutions(&Query::parse(&INSTITUTIONS, &asked).unwrap()).unwrap();
    assert_eq!(page.rows, [member]);
    let asked = pairs(&[("email__contains", "EXAMPLE"), ("deactivated_at__is_null", "true")]);
    let page = registry.list_users(&Query::parse(&USERS, &asked).unwrap()).unwrap();
    assert_eq!(page.rows.len(), 1);

    let owned = ItemRow { institution_id: Some(1), ..item(1) };
    registry.record_items(&[owned], &[], &[]).unwrap();
    let shown = registry.item(1).unwrap().unwrap();
    assert_eq!(shown.institution_identifier.as_deref(), Some("lib1.example.edu"));
}

fn exported(registry: &Registry) -> Vec<(String, Value)> {
    let mut rows = Vec::new();
    registry
        .export_all(&mut |table, row| {
            rows.push((table.to_owned(), row));
            Ok::<_, Error>(())
        })
        .unwrap();
    rows
}

fn import(registry: &Registry, rows: &[(String, Value)]) -> Result<u64, Error> {
    let mut rows = rows.iter().cloned();
    registry.import_rows(&mut || Ok(rows.next()))
}

#[test]
fn an_export_comes_back_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    let parent = registry.create_institution(&institution(1), NOW).unwrap();
    let account = NewInstitution {
        kind: InstitutionKind::Subscription,
        member_institution_id: Some(parent.id),
        ..institution(2)
    };
    registry.create_institution(&account, NOW).unwrap();
    let attempt = AttemptRow { item_id: 2, number: 1, ..AttemptRow::default() };
    let finding = FindingRow { item_id: 2, attempt: 1, ..FindingRow::default() };
    let odd = ItemRow { size: i64::MAX, note: "ümläut \"quoted\"\n🜂".to_owned(), ..item(2) };
    registry.record_items(&[item(1), odd], &[attempt], &[finding]).unwrap();
    let first = exported(&registry);
    assert_eq!(first.len(), 6);

    let other = tempfile::tempdir().unwrap();
    let copy = open(&other);
    // Children before parents: the order of rows does not matter.
    let reversed: Vec<_> = first.iter().rev().cloned().collect();
    assert_eq!(import(&copy, &reversed).unwrap(), 6);
    assert_eq!(exported(&copy), first);
    assert!(matches!(import(&copy, &first), Err(Error::Refused { .. })), "not empty any more");

    let mut items = 0;
    let mut count = |_| {
        items += 1;
        Ok::<_, Error>(())
    };
    copy.export_rows("work_items", &mut count).unwrap();
    assert!(matches!(copy.export_rows("sqlite_schema", &mut count), Err(Error::NotFound { .. })));
    assert_eq!(items, 2);
}

#[test]
fn an_import_that_does_not_fit_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let registry = open(&dir);
    registry.record_items(&[item(1)], &[], &[]).unwrap();
    let good = exported(&registry).remove(0);
    let mut extra = good.clone();
    extra.1["id, name) --"] = 1.into();
    let mut lacking = good.clone();
    lacking.1.as_object_mut().unwrap().remove("name");
    let mut wrong = good.clone();
    wrong.1["size"] = "big".into();
    let orphan = serde_json::json!({"item_id": 9, "number": 1, "topic": "", "started_at": "",
        "finished_at": null, "outcome": null, "note": ""});
    let other = tempfile::tempdir().unwrap();
    let copy = open(&other);
    for bad in [
        ("users; --".to_owned(), good.1.clone()),
        extra,
        lacking,
        wrong,
        ("work_attempts".to_owned(), orphan),
        good.clone(),
    ] {
        assert!(import(&copy, &[good.clone(), bad]).is_err());
        assert!(exported(&copy).is_empty());
    }
}
