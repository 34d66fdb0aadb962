//! A house with three institutions, their people, and something of every kind.

use std::time::Duration;

use storage::registry::Role;
use strongroom::alerts::AlertWatch;
use strongroom::desk::{DeletionWish, InstitutionWish, QueueRow};
use strongroom::work::Sweep;

use crate::deletion::confirmed;
use crate::house::{House, until};
use crate::ingest::{Files, LETTERS, bag, write_tar};

pub(super) const ROOT: &str = "root@archive.example";
pub(super) const ANN: &str = "ann@archive.example";
pub(super) const BEA: &str = "bea@archive.example";
pub(super) const UNA: &str = "una@archive.example";
pub(super) const EVE: &str = "eve@library.example";

/// A bag that says more about itself than it must.
fn told(payload: &[(&str, &[u8])], access: &str) -> Files {
    let mut files = bag(payload);
    for (name, bytes) in &mut files {
        let title = payload[0].0;
        match name.as_str() {
            "aptrust-info.txt" => {
                *bytes = format!("Title: All of {title}\nAccess: {access}\n").into_bytes();
            }
            "bag-info.txt" => {
                *bytes = format!(
                    "Source-Organization: Archive of {title}\nBag-Group-Identifier: group-{title}\n\
                     Internal-Sender-Identifier: sender-{title}\n\
                     Internal-Sender-Description: about {title}\n"
                )
                .into_bytes();
            }
            _ => {}
        }
    }
    files
}

impl House {
    /// Puts a bag into an institution's receiving folder, as if it had lain there for long.
    fn put(&self, institution: &str, name: &str, files: &Files, age: u64) {
        let folder = self.data().join("receiving").join(institution);
        byteio::durable::create_folder(&folder).unwrap();
        let path = folder.join(format!("{name}.tar"));
        write_tar(&path, name, files);
        let old = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + age);
        std::fs::File::open(&path).unwrap().set_modified(old).unwrap();
    }

    fn until_version(&self, identifier: &str, version: u32) {
        until(&format!("{identifier} is preserved"), || {
            let object = self.app().registry.object_by_identifier(identifier).unwrap();
            object.is_some_and(|object| object.version.0 == version)
        });
    }

    pub(super) fn user_id(&self, email: &str) -> i64 {
        self.app().registry.user_by_email(email).unwrap().unwrap().id
    }

    pub(super) fn object_id(&self, identifier: &str) -> i64 {
        self.app().registry.object_by_identifier(identifier).unwrap().unwrap().id.0
    }
}

/// Institutions and people, and what each holds.
pub(super) fn peopled() -> House {
    let house = House::of_the_program("[ingest]\nsweep_s = 1\n[deletion]\ncooling_off_h = 0\n");
    for (email, role) in [
        (ROOT, Role::Admin),
        (ANN, Role::InstitutionalAdmin),
        (BEA, Role::InstitutionalAdmin),
        (UNA, Role::InstitutionalUser),
    ] {
        house.person(email, role);
    }
    for (name, identifier, member) in [
        ("Town library", "library.example", None),
        ("Branch archive", "branch.example", Some("archive.local".to_owned())),
    ] {
        let wish = InstitutionWish { name: name.into(), identifier: identifier.into(), member };
        house.app().desk().add_institution(&wish).unwrap();
    }
    house.person_of("library.example", EVE, Role::InstitutionalAdmin);
    house.put("archive.local", "letters", &told(LETTERS, "Institution"), 1);
    house.put("archive.local", "secrets", &told(&[("s.txt", b"sss")], "Restricted"), 2);
    house.put("library.example", "books", &told(&[("b.txt", b"bbbb")], "Institution"), 3);
    for identifier in ["archive.local/letters", "archive.local/secrets", "library.example/books"] {
        house.until_version(identifier, 1);
    }
    // The last stages clear away what was received, and the registry's copy comes after them.
    until("all is at rest and listed", || {
        let desk = house.app().desk();
        let is_idle = |row: &QueueRow| row.ready + row.delayed + row.in_flight == 0;
        let rows = desk.items(&[], strongroom::desk::COUNTED).unwrap().items;
        let ended = rows.iter().filter(|row| row.status == "Success").count();
        desk.queues().unwrap().iter().all(is_idle) && ended >= 3 && ended == rows.len()
    });
    house
}

/// The same with something of every kind: versions, deletions, restorations, refusals, alerts.
pub(super) fn furnished() -> House {
    let house = peopled();
    let second: &[(&str, &[u8])] = &[("a.txt", b"alpha and omega\n"), ("new.txt", b"new\n")];
    house.put("archive.local", "letters", &told(second, "Institution"), 4);
    house.put("archive.local", "gone", &told(&[("g.txt", b"ggggg")], "Consortia"), 5);
    house.put("archive.local", "photos", &told(&[("p.txt", b"pppppp")], "Consortia"), 6);
    // This one says nothing about itself that it need not.
    house.put("branch.example", "minutes", &bag(&[("m.txt", b"mmmmmmm")]), 7);
    let mut broken = told(&[("x.txt", b"as it was")], "Institution");
    broken.iter_mut().filter(|it| it.0 == "data/x.txt").for_each(|it| it.1 = b"as it is".to_vec());
    house.put("archive.local", "broken", &broken, 8);
    house.until_version("archive.local/letters", 2);
    for identifier in ["archive.local/gone", "archive.local/photos", "branch.example/minutes"] {
        house.until_version(identifier, 1);
    }
    let desk = house.app().desk();
    let wish = |object: &str| DeletionWish {
        reason: "sent twice".into(),
        objects: vec![object.into()],
        files: Vec::new(),
    };
    until("nothing works on it", || {
        desk.request_deletion(house.user_id(ANN), &wish("archive.local/gone")).is_ok()
    });
    desk.approve_deletion(1, confirmed(house.app(), house.user_id(BEA))).unwrap();
    desk.restore_object("archive.local/letters", None).unwrap();
    desk.restore_file("archive.local/letters/data/a.txt", None).unwrap();
    until("all has ended", || {
        let rows = desk.items(&[], strongroom::desk::COUNTED).unwrap().items;
        let ended = |status: &str| ["Success", "Suspended"].contains(&status);
        rows.len() >= 9 && rows.iter().all(|row| ended(&row.status))
    });
    desk.request_deletion(house.user_id(ANN), &wish("archive.local/photos")).unwrap();
    AlertWatch.sweep(house.app(), 1000).unwrap();
    house
}
