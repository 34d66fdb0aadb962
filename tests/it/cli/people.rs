//! People on the command line: adding them, shutting them out, and two of them deleting.

use std::path::Path;

use storage::clock::{Clock, SystemClock};
use strongroom::accounts::redeem_link;

use crate::command::{Ran, folder, open, program, ran, run};
use crate::house::{House, PASSWORD, until};
use crate::ingest::{LETTERS, bag};

/// Runs a command as a person.
fn as_person(data: &Path, password: &str, arguments: &[&str]) -> Ran {
    let mut command = program(data, arguments);
    command.env("STRONGROOM_PASSWORD", password);
    ran(command)
}

/// The secret in the link that a command prints.
fn token(ran: &Ran) -> String {
    let link = ran.json()["link"].as_str().unwrap().to_owned();
    link.split_once("/password?token=").unwrap().1.to_owned()
}

fn added(data: &Path, email: &str, role: &str) -> String {
    let add = ["user", "add", email, "--name", "Somebody", "--role", role, "--json"];
    token(&run(data, &add).is(0))
}

#[test]
fn people_are_added_shown_and_shut_out_where_nothing_runs() {
    let (_folder, data) = folder();
    drop(open(&data));
    let link = added(&data, "ann@archive.example", "institutional-admin");
    let listed = run(&data, &["institution", "list", "--json"]).is(0).json();
    assert_eq!(listed["institutions"][0]["identifier"], "archive.local", "the configured one");

    let add = ["user", "add", "bea@archive.example", "--name", "Bea", "--role", "admin"];
    let said = run(&data, &add).is(0).out;
    assert!(said.contains("http://127.0.0.1:8600/password?token="), "{said}");
    assert!(said.contains("It works until ") && said.contains("not shown again"), "{said}");
    let shown = run(&data, &["user", "show", "ann@archive.example"]).is(0).out;
    assert!(shown.contains("Has not set a password yet"), "{shown}");
    let app = open(&data);
    redeem_link(&app.registry, (&link, PASSWORD), "", SystemClock::start().now()).unwrap();
    drop(app);
    let newer = token(&run(&data, &["user", "reset", "1", "--json"]).is(0));
    assert_ne!(newer, link);

    assert!(run(&data, &add).is(1).err.contains("is taken"));
    let king = ["user", "add", "k@k.example", "--name", "King", "--role", "king"];
    assert_eq!(run(&data, &king).code, Some(2));
    for (arguments, words) in [
        (&["user", "show", "nobody@archive.example"][..], "there is no user"),
        (&["user", "deactivate", "99"], "there is no user"),
        (&["institution", "show", "no.example"], "there is no institution"),
        (
            &["institution", "add", "Not A Name", "--name", "Library"],
            "must be a lowercase DNS name",
        ),
        (&["institution", "add", "a.example", "--name", "Lib"], "must have 5 to 200 bytes"),
    ] {
        let ran = run(&data, arguments).is(1);
        assert!(ran.err.contains(words), "{ran:?}");
    }
    let out = run(&data, &["user", "deactivate", "ann@archive.example", "--json"]).is(0).json();
    assert_eq!(out["is_active"], false);
    assert!(run(&data, &["user", "reset", "1"]).is(1).err.contains("reactivate the user first"));
    let back = run(&data, &["user", "reactivate", "1", "--json"]).is(0).json();
    assert_eq!(back["is_active"], true);
    let library = ["institution", "add", "library.example", "--name", "Town library"];
    run(&data, &library).is(0);
    let gone = run(&data, &["institution", "deactivate", "library.example"]).is(0).out;
    assert!(gone.contains("Shut out since"), "{gone}");
}

#[test]
fn a_deletion_takes_a_password_where_nothing_runs_too() {
    let (_folder, data) = folder();
    drop(open(&data));
    let link = added(&data, "ann@archive.example", "institutional-admin");
    let app = open(&data);
    redeem_link(&app.registry, (&link, PASSWORD), "", SystemClock::start().now()).unwrap();
    drop(app);
    let request = |password: &str, user: &str| {
        let arguments =
            ["delete", "request", "archive.local/nothing", "--reason", "x", "--user", user];
        as_person(&data, password, &arguments).is(1).err
    };
    let unknown = "do not go together";
    assert!(request("wrong horse battery", "ann@archive.example").contains(unknown));
    assert!(request(PASSWORD, "bea@archive.example").contains(unknown));
    assert!(request(PASSWORD, "ann@archive.example").contains("there is no object"));
    let approve = ["delete", "approve", "1", "--user", "ann@archive.example"];
    let none = as_person(&data, PASSWORD, &approve).is(1);
    assert!(none.err.contains("deletion request 1"), "{none:?}");
    assert!(run(&data, &["delete", "list"]).is(0).out.contains("No requests."));
}

#[test]
fn two_people_delete_through_the_running_appliance() {
    let house = House::of_the_program("[ingest]\nsweep_s = 1\n");
    house.receive("letters", &bag(LETTERS), 1);
    let data = house.data();
    for email in ["ann@archive.example", "bea@archive.example"] {
        let link = added(&data, email, "institutional-admin");
        let form = format!("token={link}&password={PASSWORD}&again={PASSWORD}");
        house.post("/password", &form.replace(' ', "+")).is(303);
    }
    let request =
        ["delete", "request", "archive.local/letters", "--reason", "sent twice", "--user"];
    let request = |user| [&request[..], &[user]].concat();
    let wrong = as_person(&data, "wrong horse battery", &request("ann@archive.example")).is(1);
    assert!(wrong.err.contains("do not go together"), "{wrong:?}");
    let asked = as_person(&data, PASSWORD, &request("ann@archive.example")).is(0).out;
    assert!(asked.contains("Deletion request 1: requested"), "{asked}");
    let approve = |user| ["delete", "approve", "1", "--user", user];
    let own = as_person(&data, PASSWORD, &approve("ann@archive.example")).is(1);
    assert!(own.err.contains("must be approved by another administrator"), "{own:?}");
    assert_eq!(run(&data, &["delete", "certificate", "1"]).code, Some(1));
    as_person(&data, PASSWORD, &approve("bea@archive.example")).is(0);
    until("it is completed", || {
        let one = run(&data, &["delete", "show", "1", "--json"]).is(0).json();
        one["deletion"]["state"] == "completed"
    });
    let told = run(&data, &["delete", "certificate", "1"]).is(0).out;
    for words in ["archive.local/letters", "ann@archive.example", "bea@archive.example"] {
        assert!(told.contains(words), "no {words} in {told}");
    }
    run(&data, &["delete", "certificate", "1", "--json"]).is(0).json();
    let listed = run(&data, &["delete", "list", "--state", "completed", "--json"]).is(0).json();
    assert_eq!(listed["count"], 1);
}
