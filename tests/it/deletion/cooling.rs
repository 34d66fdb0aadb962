//! Between the approval and the erasure there is time, and anybody who is told can use it.

use storage::registry::{ALERTS, DeletionState, Query, Role};
use storage::work::item::{State, Subject};
use storage::work::queue::NewItem;
use strongroom::alerts::AlertWatch;
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::{
    COOLING, LETTERS, People, approve, ask, declined, state_of, sweep, user, with_letters,
};
use crate::harness::secs;
use crate::ingest::{held, rig, rig_configured};

#[test]
fn an_approved_deletion_erases_nothing_before_its_cooling_off_period_is_over() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let (app, before) = (rig.app(), held(&rig));
    let id = ask(app, &[LETTERS], &[]).unwrap().deletion.id.0;
    let approved = approve(app, id, People::of(app).bob).unwrap().deletion;
    let from = approved.erase_after.unwrap();
    assert_eq!(from, approved.confirmed_at.unwrap().after(COOLING));
    assert_eq!(sweep(&rig), 0);
    // An item that somebody slips in waits as well.
    let part = &app.desk().deletion(id).unwrap().parts[0];
    let subject = Subject {
        action: "Delete".into(),
        name: "forged".into(),
        deletion_request: Some(id),
        object: Some(part.object_id.0),
        ..Subject::default()
    };
    let (flow, topic) = ("delete".into(), "delete_item".into());
    let forged = NewItem { flow, topic, subject, ..NewItem::default() };
    let forged = rig.queue().push(forged).unwrap().id;
    rig.drain();
    assert!(matches!(rig.item(forged).state, State::Delayed { .. }), "{:?}", rig.item(forged));
    assert!(rig.item(forged).note.contains("nothing is erased before"), "{:?}", rig.item(forged));
    assert_eq!(held(&rig), before);
    // A minute before its end it is still all there, and is restored to whoever asks.
    rig.clock.advance(COOLING - secs(60));
    assert_eq!(sweep(&rig), 0);
    rig.drain();
    assert_eq!(held(&rig), before);
    app.desk().restore_object(LETTERS, None).unwrap();
    rig.drain();
    assert_eq!(state_of(&rig, id), "approved");
    assert_eq!(app.desk().object(LETTERS).unwrap().deletion_request, None);

    rig.clock.advance(secs(60));
    sweep(&rig);
    rig.drain_all();
    assert_eq!(state_of(&rig, id), "completed");
    let told = app.desk().deletion_certificate(id).unwrap();
    assert!(told.text().contains(&format!("Cooling-off  until {from}")), "{}", told.text());
}

#[test]
fn a_deletion_that_is_cancelled_in_time_erases_nothing() {
    let rig = rig(FLOWS);
    with_letters(&rig);
    let (app, before) = (rig.app(), held(&rig));
    let People { ann, bob } = People::of(app);
    let owner = app.registry.user(ann).unwrap().unwrap().institution_id;
    let root = user(app, "root", Role::Admin, owner);
    let una = user(app, "una", Role::InstitutionalUser, owner);
    for who in [ann, bob, root] {
        let id = ask(app, &[LETTERS], &[]).unwrap().deletion.id.0;
        approve(app, id, bob).unwrap();
        rig.clock.advance(COOLING - secs(1));
        declined(app.desk().cancel_deletion(id, una), "is no administrator");
        let cancelled = app.desk().cancel_deletion(id, who).unwrap().deletion;
        assert_eq!(cancelled.state, DeletionState::Cancelled);
        rig.clock.advance(secs(10));
        assert_eq!(sweep(&rig), 0);
        rig.drain_all();
        assert_eq!(held(&rig), before);
    }
    let id = ask(app, &[LETTERS], &[]).unwrap().deletion.id.0;
    approve(app, id, bob).unwrap();
    rig.clock.advance(COOLING);
    declined(app.desk().cancel_deletion(id, root), "is erased from");
}

#[test]
fn a_shorter_cooling_off_period_counts_for_what_is_approved_after_it_was_configured() {
    let rig = rig_configured(FLOWS, "[deletion]\ncooling_off_h = 0\n".into());
    with_letters(&rig);
    let app = rig.app();
    let People { bob, .. } = People::of(app);
    let file = format!("{LETTERS}/data/a.txt");
    let long = ask(app, &[], &[&file]).unwrap().deletion.id;
    // As it was approved under the configuration before.
    app.registry.approve_deletion(long, bob, (COOLING, app.shop.clock.now())).unwrap();
    let other = format!("{LETTERS}/data/empty");
    let short = ask(app, &[], &[&other]).unwrap().deletion.id.0;
    approve(app, short, bob).unwrap();
    sweep(&rig);
    rig.drain_all();
    assert_eq!(
        (state_of(&rig, long.0), state_of(&rig, short)),
        ("approved".into(), "completed".into())
    );
    rig.clock.advance(COOLING);
    sweep(&rig);
    rig.drain_all();
    assert_eq!(state_of(&rig, long.0), "completed");
}

#[test]
fn every_administrator_of_the_institution_and_of_the_appliance_is_told_of_an_approval() {
    let toml = "[mail]\nspool = \"mail\"\n";
    let rig = rig_configured(FLOWS, toml.into());
    with_letters(&rig);
    let app = rig.app();
    let People { ann, bob } = People::of(app);
    let owner = app.registry.user(ann).unwrap().unwrap().institution_id;
    user(app, "root", Role::Admin, owner);
    user(app, "una", Role::InstitutionalUser, owner);
    let id = ask(app, &[LETTERS], &[]).unwrap().deletion.id.0;
    let from = approve(app, id, bob).unwrap().deletion.erase_after.unwrap().to_minute();
    AlertWatch.sweep(app, 1000).unwrap();
    let approvals = Query::all(&ALERTS).only("kind", "deletion-approved").unwrap();
    let alert = app.registry.list_alerts(&approvals).unwrap().rows.remove(0);
    assert!(alert.content.contains(&format!("Nothing is erased before {from}")), "{alert:?}");
    let rows = app.registry.outbox_of(alert.id, 100).unwrap();
    let mut told: Vec<String> = rows.into_iter().map(|row| row.recipient).collect();
    told.sort();
    assert_eq!(told, ["ann@example.edu", "bob@example.edu", "root@example.edu"]);
}
