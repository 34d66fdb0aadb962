//! Figures of what is held, and the scorecard, from appliances that really hold something.

mod figures;
mod ndsa;
mod pages;

use std::path::Path;
use std::sync::Arc;

use storage::registry::{Role, User};
use strongroom::app::App;
use strongroom::config::ProfileChoice;
use strongroom::desk::UserWish;
use strongroom::flows::FLOWS;
use strongroom::rights::{Caller, Person, Proof};

use crate::harness::Rig;
use crate::ingest::{bag, deposit, keys, open, write_tar};
use crate::s3::{Door, SECRET, Server, write_keys};

const DAY: u64 = 86_400;

/// An appliance with replicas in three places: a folder and the buckets of two providers.
fn in_three_places() -> Rig<App> {
    Rig::around(FLOWS, |dir, clock| {
        let data = dir.join("data");
        let server =
            Server::start(&dir.join("s3"), &["bucket-b", "bucket-c"], Arc::new(Door::default()));
        write_keys(&keys(dir), SECRET);
        let keys = keys(dir).display().to_string();
        let bucket = |name: &str, endpoint: &str, place: &str| {
            format!(
                "[replica.{name}]\nurl = \"s3://bucket-{name}\"\nendpoint = \"{endpoint}\"\n\
                 allow_http = true\ncredentials = \"{keys}\"\nplace = \"{place}\"\n"
            )
        };
        // The same server by two names, as if it were two.
        let other = server.endpoint.replace("127.0.0.1", "localhost");
        let toml = format!(
            "[replica.a]\nurl = \"vault/a\"\nplace = \"cellar\"\n{}{}",
            bucket("b", &server.endpoint, "north"),
            bucket("c", &other, "south")
        );
        Box::new(move || {
            // The server ends with the rig.
            let _open = &server;
            open(FLOWS, &data, clock.clone(), (&toml, &ProfileChoice::Named))
        })
    })
}

/// Deposits a bag that says everything about itself, and lets it be preserved.
fn preserve(rig: &Rig<App>, name: &str, access: &str, payload: &[(&str, &[u8])]) {
    let mut files = bag(payload);
    let told = format!(
        "Title: Letters of {name}\nAccess: {access}\nDescription: Letters in a box\n\
         Storage-Option: Standard\n"
    );
    files[2].1 = told.into_bytes();
    let make = |path: &Path| write_tar(path, name, &files);
    let id = deposit(rig, &format!("{name}.tar"), make).unwrap();
    rig.drain_all();
    assert_eq!(rig.word(id), "finished", "{:#?}", rig.history(id));
}

fn user(rig: &Rig<App>, email: &str, role: Role) -> User {
    let wish = UserWish {
        name: email.split('@').next().unwrap().into(),
        email: email.into(),
        phone_number: None,
        role,
        institution: "archive.local".into(),
    };
    rig.app().desk().add_user(&wish).unwrap().user
}

fn caller(user: User) -> Caller {
    Caller::Person(Box::new(Person { user, proof: Proof::Session, address: String::new() }))
}
