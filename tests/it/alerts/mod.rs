//! What people are told, and how it reaches them: a real registry, real sockets, time by hand.

mod kill;
mod outbox;
pub(crate) mod servers;
mod watch;

use std::sync::Arc;

use storage::registry::{
    ALERTS, AlertRow, InstitutionKind, NewAlert, NewInstitution, NewUser, OutboxRow, Query, Role,
};
use strongroom::alerts::raise;
use strongroom::app::{App, OnDamage};
use strongroom::flows::FLOWS;

use crate::harness::{Rig, until_unlocked};

/// An appliance with time by hand under a configuration file, and people in it.
fn rig(toml: &str) -> Rig<App> {
    let toml = toml.to_owned();
    let rig = Rig::around(FLOWS, move |dir, clock| {
        let data = dir.join("data");
        Box::new(move || {
            let config = crate::house::config(&data, "127.0.0.1:0", &toml, &[], FLOWS);
            let open = || App::open(config.clone(), FLOWS, clock.clone(), OnDamage::Refuse);
            let app = Arc::new(until_unlocked(open));
            let shop = Arc::clone(&app.shop);
            (app, shop)
        })
    });
    furnish(rig.app());
    rig
}

/// An institution with an administrator and a user, and one of the house.
fn furnish(app: &App) {
    let now = app.shop.clock.now();
    let institution = app.registry.create_institution(
        &NewInstitution {
            name: "Our archive".into(),
            identifier: "archive.local".into(),
            kind: InstitutionKind::Member,
            member_institution_id: None,
            receiving_bucket: "receiving/archive.local".into(),
            restore_bucket: "restore/archive.local".into(),
        },
        now,
    );
    for (name, role) in
        [("ada", Role::InstitutionalAdmin), ("ben", Role::InstitutionalUser), ("eve", Role::Admin)]
    {
        let new = NewUser {
            name: name.into(),
            email: format!("{name}@example.org"),
            phone_number: None,
            institution_id: institution.as_ref().unwrap().id,
            role,
        };
        app.registry.create_user(&new, storage::registry::without_note, now).unwrap();
    }
}

/// An alert that concerns the house: one person is told.
fn house_alert(name: &str) -> NewAlert {
    NewAlert {
        name: format!("replica-away/{name}/1"),
        kind: "replica-away".into(),
        subject: format!("Replica {name} is away"),
        content: "It does not answer.\n.\nNothing is lost.".into(),
        page: Some("/".into()),
        ..NewAlert::default()
    }
}

fn told(app: &App, alert: &NewAlert) -> AlertRow {
    raise(app, alert).unwrap().expect("it is new")
}

fn sent(app: &App, alert: &AlertRow) -> Vec<OutboxRow> {
    app.registry.outbox_of(alert.id, 100).unwrap()
}

/// Every alert, oldest first.
fn alerts(app: &App) -> Vec<AlertRow> {
    let mut rows = app.registry.list_alerts(&Query::all(&ALERTS)).unwrap().rows;
    rows.reverse();
    rows
}
