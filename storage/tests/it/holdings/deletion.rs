//! Nothing goes without two people, and nothing goes that they did not name.

use storage::clock::Timestamp;
use storage::registry::{
    DELETIONS, DeletionId, DeletionPart, DeletionPartId, DeletionState, DeletionTarget, EVENTS,
    Error, EventType, FileId, HeldState, InstitutionKind, NewDeletion, NewInstitution, ObjectId,
    Role, Scope, Version,
};

use super::archive::{Archive, NONE, NOW, later, telling, uuid};
use super::query;

const FILES: &[(&str, &str)] = &[("data/a", "1"), ("data/b", "22"), ("data/c", "333")];

/// Everything that a refusal must leave as it was.
fn state(archive: &Archive) -> Vec<(String, serde_json::Value)> {
    archive.exported()
}

fn refused<T: std::fmt::Debug>(answer: Result<T, Error>, words: &str) {
    let error = answer.expect_err(words);
    let kind =
        matches!(error, Error::Refused { .. } | Error::NotFound { .. } | Error::Invalid { .. });
    assert!(kind && error.to_string().contains(words), "{words}: {error}");
}

fn file(archive: &Archive, object: ObjectId, path: &str) -> FileId {
    archive.registry.files_by_path(object, &[path]).unwrap().remove(0).id
}

fn ask(archive: &Archive, name: &str, targets: &[DeletionTarget]) -> Result<DeletionId, Error> {
    let new =
        NewDeletion { uuid: uuid(name), targets: targets.to_vec(), ..archive.wish(later(5000)) };
    archive.registry.request_deletion(&new, later(5000)).map(|row| row.id)
}

fn parts(archive: &Archive, id: DeletionId) -> Vec<DeletionPart> {
    archive.registry.deletion_parts(id, DeletionPartId(0), 1000).unwrap()
}

fn elsewhere(archive: &Archive) -> i64 {
    let new = NewInstitution {
        name: "Museum".to_owned(),
        identifier: "museum.example.edu".to_owned(),
        kind: InstitutionKind::Member,
        member_institution_id: None,
        receiving_bucket: "museum".to_owned(),
        restore_bucket: "museum-back".to_owned(),
    };
    archive.registry.create_institution(&new, NOW).unwrap().id
}

#[test]
fn two_people_delete_a_file_and_an_object() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let one = archive.deposit("one", 1, FILES);
    let two = archive.deposit("two", 1, FILES);
    archive.deposit("two", 2, &[("data/a", "new")]);
    let a = file(&archive, one, "data/a");
    let targets = [DeletionTarget::File(a), DeletionTarget::Object(two)];
    let id = ask(&archive, "both", &targets).unwrap();
    let row = registry.deletion(id, later(5001)).unwrap().unwrap();
    assert_eq!((row.object_count, row.file_count, row.done_count), (1, 1, 0));
    assert_eq!((row.deleted_file_count, row.size), (4, 1 + 8));
    assert_eq!(row.requested_by_email, "ann@example.edu");
    assert_eq!((row.state, row.confirmed_by_name), (DeletionState::Requested, None));
    let row = registry.approve_deletion(id, archive.admin("bob"), (NONE, later(6000))).unwrap();
    assert_eq!(row.state, DeletionState::Approved);
    assert_eq!(row.confirmed_by_email.as_deref(), Some("bob@example.edu"));

    let named = parts(&archive, id);
    let undone = registry.undone_deletion_parts(DeletionPartId(0), 1000, later(6000)).unwrap();
    assert_eq!(named, undone);
    registry.note_deletion_items(&[(named[0].id, 77)]).unwrap();
    assert_eq!(registry.deletion_part(named[0].id).unwrap().unwrap().item_id, Some(77));
    assert!(registry.delete_file(named[0].id, &telling("a", later(7000)), later(7001)).unwrap());
    registry.note_gone(named[1].id, "b", later(7500)).unwrap();
    registry.note_gone(named[1].id, "b", later(7600)).unwrap();
    let gone = registry.gone_copies(named[1].id).unwrap();
    assert_eq!((gone.len(), gone[0].replica.as_str(), gone[0].gone_at), (1, "b", later(7500)));
    refused(registry.note_gone(named[1].id, "z", later(7500)), "replica z is not in");
    assert_eq!(registry.deletion_part_about(id, (one, Some(a))).unwrap().unwrap().id, named[0].id);
    assert_eq!(registry.deletion_part_about(id, (two, None)).unwrap().unwrap().id, named[1].id);
    assert_eq!(registry.deletion_part_about(id, (one, None)).unwrap(), None);
    assert_eq!(registry.deletion(id, later(9)).unwrap().unwrap().completed_at, None);
    assert!(
        registry.delete_object(named[1].id, &telling("two", later(8000)), later(8000)).unwrap()
    );
    let row = registry.deletion(id, later(9000)).unwrap().unwrap();
    assert_eq!((row.state, row.completed_at), (DeletionState::Completed, Some(later(8000))));
    assert_eq!((row.done_count, row.deleted_file_count, row.size), (2, 4, 9));
    assert!(registry.undone_deletion_parts(DeletionPartId(0), 9, later(9000)).unwrap().is_empty());

    let object = registry.object(two).unwrap().unwrap();
    assert_eq!((object.state, object.file_count, object.size), (HeldState::Deleted, 0, 0));
    let part = registry.deletion_part(named[1].id).unwrap().unwrap();
    assert_eq!(registry.tombstones(&part).unwrap(), (4, 4));
    let tombs = registry.file_versions(file(&archive, two, "data/a"), 9).unwrap();
    assert!(tombs.len() == 2 && tombs.iter().all(|it| it.deleted_at == Some(later(8000))));
    assert!(registry.copies(tombs[0].id, Version(1)).unwrap().is_empty());
    assert_eq!(registry.check().unwrap(), []);
}

#[test]
fn the_events_say_who_asked_and_who_agreed() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("one", 1, FILES);
    let (a, b) = (file(&archive, object, "data/a"), file(&archive, object, "data/b"));
    archive.delete(DeletionTarget::File(a), later(5000));
    archive.delete(DeletionTarget::Object(object), later(6000));
    let deletions = query(&EVENTS, &[("event_type", "deletion"), ("sort", "date_time__asc")]);
    let rows = registry.list_events(&deletions).unwrap().rows;
    let scopes: Vec<Scope> = rows.iter().map(|it| it.scope).collect();
    assert_eq!(scopes, [Scope::File, Scope::Held, Scope::Object]);
    for row in &rows {
        assert_eq!(row.event_type, EventType::Deletion);
        assert_eq!(row.outcome_detail, "ann@example.edu");
        let words = "deleted at request of ann@example.edu, institutional approver bob@example.edu";
        assert!(row.outcome_information.starts_with(words), "{}", row.outcome_information);
    }
    // Each file has its own: the one that went before does not go with the object again.
    for (file, at) in [(a, later(5000)), (b, later(6000))] {
        let of_file = registry.list_file_events(file, query(&EVENTS, &[])).unwrap().rows;
        let gone: Vec<Timestamp> = of_file
            .iter()
            .filter(|it| it.event_type == EventType::Deletion)
            .map(|it| it.date_time)
            .collect();
        assert_eq!(gone, [at]);
    }
}

#[test]
fn only_an_active_administrator_of_the_owner_asks() {
    let archive = Archive::new();
    let object = archive.deposit("one", 1, FILES);
    let museum = elsewhere(&archive);
    let targets = vec![DeletionTarget::Object(object)];
    let new = NewDeletion { targets, ..archive.wish(later(1)) };
    let before = state(&archive);
    let user = archive.user("una", Role::InstitutionalUser, archive.institution());
    let house = archive.user("root", Role::Admin, archive.institution());
    let other = archive.user("mia", Role::InstitutionalAdmin, museum);
    let gone = archive.admin("gone");
    deactivate(&archive, "users", gone);
    let ask = |requested_by, institution_id| {
        let new = NewDeletion { requested_by, institution_id, ..new.clone() };
        archive.registry.request_deletion(&new, later(1))
    };
    let owner = archive.institution();
    refused(ask(user, owner), "una@example.edu is no administrator");
    refused(ask(house, owner), "root@example.edu is no administrator");
    refused(ask(other, owner), "mia@example.edu is no administrator");
    refused(ask(other, museum), "belongs to another institution");
    refused(ask(gone, owner), "gone@example.edu is deactivated");
    refused(ask(9999, owner), "user 9999 is not in the registry");
    refused(ask(new.requested_by, 9999), "institution 9999 is not in the registry");
    deactivate(&archive, "institutions", owner);
    refused(ask(new.requested_by, owner), "lib.example.edu is deactivated");
    let left = |rows: Vec<(String, serde_json::Value)>| {
        rows.into_iter().filter(|(table, _)| table.starts_with("deletion")).count()
    };
    assert_eq!((left(before), left(state(&archive))), (0, 0));
}

/// Behind the registry's back: how people are shut out is another's business.
fn deactivate(archive: &Archive, table: &str, id: i64) {
    let state = if table == "institutions" { "state = 'D', " } else { "" };
    let sql = format!("UPDATE {table} SET {state} deactivated_at = ?2 WHERE id = ?1");
    archive.sql().execute(&sql, (id, later(10).to_string())).unwrap();
}

#[test]
fn what_is_named_must_be_there_once_and_in_no_other_request() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("one", 1, FILES);
    let (a, b) = (file(&archive, object, "data/a"), file(&archive, object, "data/b"));
    let (whole, a, b) =
        (DeletionTarget::Object(object), DeletionTarget::File(a), DeletionTarget::File(b));
    refused(ask(&archive, "0", &[]), "targets must be 1 to 100000, not 0");
    refused(ask(&archive, "1", &[a, a]), "must name nothing twice");
    refused(ask(&archive, "2", &[whole, a]), "data/a is named by deletion request");
    refused(ask(&archive, "3", &[a, whole]), "one is named by deletion request");
    refused(ask(&archive, "4", &[DeletionTarget::Object(ObjectId(99))]), "object 99 is not in");
    refused(ask(&archive, "5", &[DeletionTarget::File(FileId(99))]), "file 99 is not in");
    archive.begin("unsealed", 1, FILES);
    let unsealed: i64 = archive
        .sql()
        .query_row("SELECT id FROM objects WHERE bag_name = 'unsealed'", [], |row| row.get(0))
        .unwrap();
    refused(ask(&archive, "6", &[DeletionTarget::Object(ObjectId(unsealed))]), "is not in");
    let bad = NewDeletion { targets: vec![a], reason: "  ".to_owned(), ..archive.wish(NOW) };
    refused(registry.request_deletion(&bad, NOW), "reason must have 1 to 1000 bytes");
    let bad = NewDeletion { targets: vec![a], expires_at: NOW, ..archive.wish(NOW) };
    refused(registry.request_deletion(&bad, NOW), "expires_at must lie ahead");

    let first = ask(&archive, "7", &[a]).unwrap();
    refused(ask(&archive, "8", &[a]), "is named by deletion request");
    refused(ask(&archive, "9", &[whole]), "is named by deletion request");
    ask(&archive, "10", &[b]).unwrap();
    registry.cancel_deletion(first, archive.admin("ann"), later(5001)).unwrap();
    let second = ask(&archive, "11", &[a]).unwrap();
    registry.approve_deletion(second, archive.admin("bob"), (NONE, later(5002))).unwrap();
    let part = parts(&archive, second).remove(0);
    registry.delete_file(part.id, &telling("x", later(5003)), later(5003)).unwrap();
    refused(ask(&archive, "12", &[a]), "data/a is deleted already");
}

#[test]
fn another_administrator_agrees_and_in_time() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("one", 1, FILES);
    let (ann, bob) = (archive.admin("ann"), archive.admin("bob"));
    let id = ask(&archive, "1", &[DeletionTarget::Object(object)]).unwrap();
    let elsewhere = elsewhere(&archive);
    let other = archive.user("mia", Role::InstitutionalAdmin, elsewhere);
    let user = archive.user("una", Role::InstitutionalUser, archive.institution());
    let house = archive.user("root", Role::Admin, elsewhere);
    let part = parts(&archive, id).remove(0);
    let at = later(6000);
    let before = state(&archive);
    refused(
        registry.approve_deletion(id, ann, (NONE, at)),
        "must be approved by another administrator",
    );
    refused(registry.approve_deletion(id, house, (NONE, at)), "is no administrator of lib");
    for who in [other, user] {
        refused(
            registry.approve_deletion(id, who, (NONE, at)),
            "is no administrator of lib.example.edu",
        );
        refused(registry.cancel_deletion(id, who, at), "is no administrator of lib.example.edu");
    }
    refused(
        registry.approve_deletion(DeletionId(99), bob, (NONE, at)),
        "deletion request 99 is not in",
    );
    let late = later(5000 + 1_000_000);
    refused(registry.approve_deletion(id, bob, (NONE, late)), "expired on");
    refused(registry.cancel_deletion(id, bob, late), "expired on");
    refused(registry.delete_object(part.id, &telling("x", at), at), "is not approved");
    assert_eq!(state(&archive), before);
    assert_eq!(registry.deletion(id, late).unwrap().unwrap().state, DeletionState::Expired);

    registry.approve_deletion(id, bob, (NONE, at)).unwrap();
    refused(
        registry.approve_deletion(id, bob, (NONE, at)),
        "was approved by bob@example.edu already",
    );
    refused(registry.cancel_deletion(id, bob, at), "was approved by bob@example.edu already");
    // It was agreed to in time, and stays agreed to.
    assert_eq!(registry.deletion(id, late).unwrap().unwrap().state, DeletionState::Approved);
}

#[test]
fn a_cancelled_request_names_who_cancelled_it_and_lets_nothing_go() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("one", 1, FILES);
    let (carl, bob) = (archive.admin("carl"), archive.admin("bob"));
    let id = ask(&archive, "1", &[DeletionTarget::Object(object)]).unwrap();
    let row = registry.cancel_deletion(id, carl, later(6000)).unwrap();
    assert_eq!(row.cancelled_by_email.as_deref(), Some("carl@example.edu"));
    assert_eq!((row.confirmed_by_email, row.state), (None, DeletionState::Cancelled));
    refused(
        registry.approve_deletion(id, bob, (NONE, later(6001))),
        "was cancelled by carl@example.edu",
    );
    refused(registry.cancel_deletion(id, bob, later(6001)), "was cancelled by carl@example.edu");
    let part = parts(&archive, id).remove(0);
    refused(
        registry.delete_object(part.id, &telling("x", later(7000)), later(7000)),
        "is not approved",
    );
    assert_eq!(registry.object(object).unwrap().unwrap().state, HeldState::Active);
}

#[test]
fn a_sole_administrator_agrees_alone_unless_another_was_just_shut_out() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("one", 1, FILES);
    let ann = archive.admin("ann");
    // Others, but none who could agree.
    archive.user("una", Role::InstitutionalUser, archive.institution());
    archive.user("mia", Role::InstitutionalAdmin, elsewhere(&archive));
    let gone = archive.admin("gone");
    let sql = "UPDATE users SET deactivated_at = ?2 WHERE id = ?1";
    archive.sql().execute(sql, (gone, "2020-01-01T00:00:00.000Z")).unwrap();
    let a = DeletionTarget::File(file(&archive, object, "data/a"));
    let id = ask(&archive, "1", &[a]).unwrap();
    assert_eq!(registry.deletion_approver_count(archive.institution()).unwrap(), 1);
    registry.approve_deletion(id, ann, (NONE, later(6000))).unwrap();
    let bob = archive.admin("bob");
    let b = DeletionTarget::File(file(&archive, object, "data/b"));
    let id = ask(&archive, "2", &[b]).unwrap();
    let sql = "UPDATE users SET deactivated_at = ?2 WHERE id = ?1";
    archive.sql().execute(sql, (bob, later(5500).to_string())).unwrap();
    let alone = registry.approve_deletion(id, ann, (NONE, later(6000)));
    refused(alone, "must be approved by another administrator");
}

#[test]
fn a_part_lets_go_what_it_names_once_and_nothing_else() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("one", 1, FILES);
    let a = file(&archive, object, "data/a");
    let id = ask(&archive, "1", &[DeletionTarget::File(a)]).unwrap();
    registry.approve_deletion(id, archive.admin("bob"), (NONE, later(6000))).unwrap();
    let part = parts(&archive, id).remove(0);
    refused(
        registry.delete_object(part.id, &telling("x", later(7000)), later(7000)),
        "is about one file",
    );
    let nobody = DeletionPartId(99);
    refused(
        registry.delete_file(nobody, &telling("x", later(7000)), later(7000)),
        "deletion part 99 is not",
    );
    assert_eq!(registry.object(object).unwrap().unwrap().file_count, 3);
    assert!(registry.delete_file(part.id, &telling("x", later(7000)), later(7000)).unwrap());
    assert_eq!(registry.object(object).unwrap().unwrap().file_count, 2);
    // It comes back by a deposit: the old agreement is used up.
    archive.deposit("one", 2, &[("data/a", "again")]);
    let before = state(&archive);
    assert!(!registry.delete_file(part.id, &telling("y", later(9000)), later(9000)).unwrap());
    assert_eq!(state(&archive), before);
    assert_eq!(registry.file(a).unwrap().unwrap().state, HeldState::Active);
}

#[test]
fn requests_are_found_by_owner_state_and_date() {
    let archive = Archive::new();
    let registry = &archive.registry;
    let object = archive.deposit("one", 1, FILES);
    let target = |path| DeletionTarget::File(file(&archive, object, path));
    let ids =
        ["data/a", "data/b", "data/c"].map(|path| ask(&archive, path, &[target(path)]).unwrap());
    registry.approve_deletion(ids[1], archive.admin("bob"), (NONE, later(6000))).unwrap();
    registry.cancel_deletion(ids[2], archive.admin("bob"), later(6000)).unwrap();
    let listed = |pairs: &[(&str, &str)], at| {
        let page = registry.list_deletions(&query(&DELETIONS, pairs), at).unwrap();
        page.rows.iter().map(|row| (row.id, row.state.name())).collect::<Vec<_>>()
    };
    let (now, late) = (later(6000), later(5000 + 1_000_000));
    let all = [(ids[2], "cancelled"), (ids[1], "approved"), (ids[0], "requested")];
    assert_eq!(listed(&[], now), all);
    assert_eq!(listed(&[("state", "requested")], now), [all[2]]);
    assert_eq!(listed(&[("state", "requested")], late), []);
    assert_eq!(listed(&[("state", "expired")], late), [(ids[0], "expired")]);
    assert_eq!(listed(&[("state", "approved")], late), [all[1]]);
    assert_eq!(listed(&[("state", "cancelled")], late), [all[0]]);
    let owner = archive.institution().to_string();
    assert_eq!(listed(&[("institution_id", &owner)], now).len(), 3);
    assert_eq!(listed(&[("institution_id", "99")], now), []);
    let moment = later(5000).to_string();
    assert_eq!(listed(&[("requested_at__gteq", &moment)], now).len(), 3);
    assert_eq!(listed(&[("requested_at__gt", &moment)], now), []);
}
