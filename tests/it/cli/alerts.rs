//! `strongroom alerts`: the same whether the directory is served or not.

use std::path::Path;

use storage::registry::{InstitutionKind, NewAlert, NewInstitution, NewUser, Role};
use strongroom::alerts::raise;

use crate::command::{Server, folder, open, run};

/// An institution, one of its people and one of the house, and two alerts, one of them over.
fn furnish(data: &Path) {
    byteio::durable::create_folder(data).unwrap();
    // An alert about the disk of this machine would be a third.
    let toml = b"[alerts]\nroom_percent = 0\n";
    byteio::durable::write(&data.join("strongroom.toml"), toml, false).unwrap();
    let app = open(data);
    let now = app.shop.clock.now();
    let new = NewInstitution {
        name: "Our archive".into(),
        identifier: "archive.local".into(),
        kind: InstitutionKind::Member,
        member_institution_id: None,
        receiving_bucket: "receiving/archive.local".into(),
        restore_bucket: "restore/archive.local".into(),
    };
    let institution_id = app.registry.create_institution(&new, now).unwrap().id;
    for (name, role) in [("ada", Role::InstitutionalAdmin), ("eve", Role::Admin)] {
        let email = format!("{name}@example.org");
        let new = NewUser { name: name.into(), email, phone_number: None, institution_id, role };
        app.registry.create_user(&new, storage::registry::without_note, now).unwrap();
    }
    for (kind, institution_id) in [("replica-away", None), ("file-lost", Some(institution_id))] {
        let alert = NewAlert {
            name: format!("{kind}/b/1"),
            kind: kind.into(),
            institution_id,
            subject: format!("About {kind}\u{1b}[2J"),
            content: "What happened.\n\nWhat to do.".into(),
            ..NewAlert::default()
        };
        raise(&app, &alert).unwrap().unwrap();
    }
    app.registry.end_alert("replica-away/b/1", now).unwrap();
    app.settle();
}

fn checked(data: &Path) {
    let list = run(data, &["alerts", "list"]).is(0).out;
    assert!(list.contains("2 of 2 alerts") && list.contains("replica-away"), "{list}");
    assert!(!list.contains('\u{1b}'), "nothing steers the terminal");
    let open = run(data, &["alerts", "list", "--open", "--json"]).is(0).json();
    assert_eq!((&open["count"], &open["alerts"][0]["kind"]), (&1.into(), &"file-lost".into()));
    let ada = ["--as", "ada@example.org"];
    let unread = |who: &[&str]| {
        let arguments = [&["alerts", "list", "--unread", "--json"], who].concat();
        run(data, &arguments).is(0).json()["count"].as_u64().unwrap()
    };
    assert_eq!((unread(&ada), unread(&["--as", "eve@example.org"])), (1, 2));
    let said = run(data, &["alerts", "read", "1", "2", "--as", "ada@example.org"]).is(0).out;
    assert_eq!(said, "Marked 1 alert as read.\n", "what is not hers stays");
    assert_eq!(unread(&ada), 0);
    let said = run(data, &["alerts", "read", "2", "--unread", "--as", "ada@example.org"]).is(0).out;
    assert_eq!(said, "Marked 1 alert as unread.\n");
    let said = run(data, &["alerts", "read", "--all", "--as", "eve@example.org", "--json"]);
    assert_eq!(said.is(0).json()["marked"], 2);
    let shown = run(data, &["alerts", "show", "2"]).is(0).out;
    assert!(shown.contains("What to do.") && shown.starts_with("Alert 2: About file-lost"));
    let gone = run(data, &["alerts", "show", "9"]).is(1).err.to_lowercase();
    assert!(gone.contains("there is no alert 9"), "{gone}");
    run(data, &["alerts", "read", "1", "--as", "nobody@example.org"]).is(1);
    run(data, &["alerts", "list", "--kind", "party"]).refused("it is one of");
    run(data, &["alerts", "list", "--unread"]).is(2);
    run(data, &["alerts", "read", "--as", "ada@example.org"]).is(2);
}

#[test]
fn alerts_are_listed_shown_and_read_without_an_appliance() {
    let (_folder, data) = folder();
    furnish(&data);
    checked(&data);
}

#[test]
fn alerts_are_listed_shown_and_read_through_an_appliance() {
    let (_folder, data) = folder();
    furnish(&data);
    let mut server = Server::start(&data);
    checked(&data);
    assert!(server.is_running());
}
