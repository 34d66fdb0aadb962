//! Every way around the two people, tried: nothing is touched.

use std::time::Duration;

use storage::clock::Timestamp;
use storage::registry::InstitutionKind;
use storage::registry::{DeletionId, DeletionTarget, NewDeletion, NewInstitution, Role, Uuid};
use storage::work::item::{ItemId, Subject};
use storage::work::queue::NewItem;
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::{
    COOLING, LETTERS, People, agree, approve, ask, declined, state_of, sweep, user, with_letters,
};
use crate::harness::Rig;
use crate::ingest::{held, rig};

/// Puts an item in line that nobody agreed on.
fn forge(rig: &Rig<App>, subject: Subject) -> ItemId {
    let new = NewItem {
        flow: "delete".into(),
        topic: "delete_item".into(),
        subject: Subject { action: "Delete".into(), name: "forged".into(), ..subject },
        ..NewItem::default()
    };
    rig.queue().push(new).unwrap().id
}

/// Lets everything run, and requires that the item was refused and nothing was touched.
fn comes_to_nothing(rig: &Rig<App>, id: ItemId, before: &str) {
    rig.drain_all();
    assert_eq!(rig.word(id), "cancelled", "{:#?}", rig.history(id));
    assert!(rig.item(id).note.contains("nothing was touched"), "{}", rig.item(id).note);
    assert_eq!(held(rig), before);
}

#[test]
fn without_approval_nothing_goes() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let before = held(&rig);
    let request = ask(rig.app(), &[LETTERS], &[]).unwrap();
    assert_eq!(sweep(&rig), 0);
    rig.drain_all();
    assert_eq!(held(&rig), before);
    let part = &request.parts[0];
    let subject = |deletion_request, object, file| Subject {
        deletion_request,
        object,
        file,
        inst_approver: Some("bob@example.edu".into()),
        object_identifier: Some(LETTERS.into()),
        user: "ann@example.edu".into(),
        ..Subject::default()
    };
    let (id, object) = (Some(request.deletion.id.0), Some(part.object_id.0));
    for forged in [
        subject(id, object, None),
        subject(id, object, Some(1)),
        subject(None, object, None),
        subject(Some(99), object, None),
        subject(id, None, None),
        subject(id, Some(99), None),
    ] {
        let item = forge(&rig, forged);
        comes_to_nothing(&rig, item, &before);
    }
}

#[test]
fn an_approved_file_lets_no_other_go() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let (request, items) = agree(&rig, &[], &[&format!("{LETTERS}/data/a.txt")]);
    rig.drain_all();
    assert_eq!(state_of(&rig, request), "completed");
    let before = held(&rig);
    let approved = rig.item(items[0]).subject;
    let other = rig.app().desk().held_file(&format!("{LETTERS}/data/empty")).unwrap().id.0;
    for forged in [
        // The same once more, a file beside it, and the whole object.
        approved.clone(),
        Subject { file: Some(other), ..approved.clone() },
        Subject { file: None, ..approved.clone() },
    ] {
        let item = forge(&rig, forged);
        comes_to_nothing(&rig, item, &before);
    }
    // Deposited again, the same agreement does not delete it again.
    with_letters(&rig);
    let before = held(&rig);
    let item = forge(&rig, approved);
    comes_to_nothing(&rig, item, &before);
}

#[test]
fn the_desk_holds_people_to_the_rules() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let (app, before) = (rig.app(), held(&rig));
    let desk = app.desk();
    let People { ann, bob } = People::of(app);
    let request = ask(app, &[LETTERS], &[]).unwrap().deletion.id.0;
    declined(approve(app, request, ann), "must be approved by another");
    let new = NewInstitution {
        name: "Museum".into(),
        identifier: "museum.example.edu".into(),
        kind: InstitutionKind::Member,
        member_institution_id: None,
        receiving_bucket: "museum".into(),
        restore_bucket: "museum-back".into(),
    };
    let museum = app.registry.create_institution(&new, app.shop.clock.now()).unwrap().id;
    let mia = user(app, "mia", Role::InstitutionalAdmin, museum);
    declined(approve(app, request, mia), "is no administrator of archive.local");
    declined(desk.cancel_deletion(request, mia), "is no administrator of archive.local");
    let wish = super::wish(&[LETTERS], &[]);
    declined(desk.request_deletion(mia, &wish), "belongs to another institution");
    declined(ask(app, &[LETTERS], &[]), "is named by deletion request");
    declined(ask(app, &[], &[&format!("{LETTERS}/data/a.txt")]), "is named by deletion request");
    let root = user(app, "root", Role::Admin, museum);
    declined(approve(app, request, root), "is no administrator of archive.local");
    declined(approve(app, 99, bob), "deletion request 99 is not in the registry");
    desk.cancel_deletion(request, bob).unwrap();
    declined(approve(app, request, bob), "was cancelled by bob@example.edu");
    assert_eq!(sweep(&rig), 0);
    rig.drain_all();
    assert_eq!(held(&rig), before);
    let listed = desk.deletions(&[], storage::registry::Counting::Exact).unwrap();
    assert_eq!((listed.count, listed.deletions[0].state.name()), (1, "cancelled"));
}

#[test]
fn a_sole_administrator_may_agree_alone() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let app = rig.app();
    let owner = app.registry.institution_by_identifier("archive.local").unwrap().unwrap().id;
    let ann = user(app, "ann", Role::InstitutionalAdmin, owner);
    let wish = super::wish(&[LETTERS], &[]);
    let detail = app.desk().request_deletion(ann, &wish).unwrap();
    assert_eq!(detail.approver_count, 1);
    approve(app, detail.deletion.id.0, ann).unwrap();
    rig.clock.advance(COOLING);
    sweep(&rig);
    rig.drain_all();
    assert_eq!(state_of(&rig, detail.deletion.id.0), "completed");
}

/// Two people agree behind the desk's back, where nobody asks whether it is time.
pub(super) fn agree_in_the_registry(rig: &Rig<App>) -> DeletionId {
    let app = rig.app();
    let People { ann, bob } = People::of(app);
    let (now, object) = (app.shop.clock.now(), app.desk().held_object(LETTERS).unwrap());
    let new = NewDeletion {
        uuid: Uuid([7; 16]),
        institution_id: object.institution_id,
        reason: "because".into(),
        requested_by: ann,
        entered_by: None,
        targets: vec![DeletionTarget::Object(object.id)],
        expires_at: Timestamp(now.0 + 1000),
    };
    let id = app.registry.request_deletion(&new, now).unwrap().id;
    app.registry.approve_deletion(id, bob, (Duration::ZERO, now)).unwrap();
    id
}
