//! People on the command line: adding them, shutting them out, and two of them deleting.

use std::path::Path;

use storage::clock::{Clock, SystemClock};
use storage::registry::{AUDIT, Query, Role};
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

/// Runs a command that reads this.
fn fed(data: &Path, text: &str, arguments: &[&str]) -> Ran {
    let file = data.with_file_name("standard-input");
    byteio::durable::write(&file, text.as_bytes(), true).unwrap();
    let mut command = program(data, arguments);
    command.stdin(std::fs::File::open(&file).unwrap());
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
    let house = House::of_the_program("[ingest]\nsweep_s = 1\n[deletion]\ncooling_off_h = 0\n");
    house.receive("letters", &bag(LETTERS), 1);
    let data = house.data();
    let link = added(&data, "cleo@archive.example", "institutional-admin");
    let form = format!("token={link}&password={PASSWORD}&again={PASSWORD}");
    house.post("/password", &form.replace(' ', "+")).is(303);
    for email in ["ann@archive.example", "bea@archive.example"] {
        house.person(email, Role::InstitutionalAdmin);
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
    let confirm = ["delete", "confirm", "1", "--user", "ann@archive.example"];
    let needless = as_person(&data, PASSWORD, &confirm).is(1);
    assert!(needless.err.contains("needs no confirmation"), "{needless:?}");
    assert_eq!(run(&data, &["delete", "certificate", "1"]).code, Some(1));
    let made_here = as_person(&data, PASSWORD, &approve("cleo@archive.example")).is(1);
    assert!(made_here.err.contains("at the command line"), "{made_here:?}");
    // A script gives the password on standard input.
    let from_stdin = [&approve("bea@archive.example")[..], &["--password-stdin"]].concat();
    let wrong = fed(&data, "wrong horse battery\n", &from_stdin).is(1);
    assert!(wrong.err.contains("do not go together"), "{wrong:?}");
    fed(&data, &format!("{PASSWORD}\n"), &from_stdin).is(0);
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

#[test]
fn people_institutions_and_tokens_are_changed_by_command() {
    let (_folder, data) = folder();
    drop(open(&data));
    added(&data, "ann@archive.example", "institutional-admin");
    let edit = |arguments: &[&str]| {
        run(&data, &[&["user", "edit", "ann@archive.example", "--json"], arguments].concat())
    };
    let named = edit(&["--name", "Ann Archer", "--phone", "+1 434 555 1234"]).is(0).json();
    assert_eq!(named["user"]["phone_number"], "+14345551234", "{named}");
    assert_eq!(edit(&["--role", "none"]).is(0).json()["is_active"], false);
    assert_eq!(edit(&["--role", "admin", "--phone", ""]).is(0).json()["user"]["role"], "admin");
    assert!(edit(&["--email", "ann"]).is(1).err.contains("must be an e-mail"));
    let reset = run(&data, &["user", "reset-factor", "ann@archive.example"]).is(1);
    assert!(reset.err.contains("has no second factor"), "{reset:?}");

    let library = ["institution", "add", "library.example", "--name", "Town library"];
    run(&data, &library).is(0);
    let lil = [
        "user",
        "add",
        "lil@library.example",
        "--name",
        "Lil",
        "--institution",
        "library.example",
        "--role",
    ];
    let refused = run(&data, &[&lil[..], &["admin"]].concat()).is(1);
    assert!(refused.err.contains("can be admin only at archive.local"), "{refused:?}");
    let change = ["institution", "edit", "library.example", "--json"];
    let change = |arguments: &[&str]| run(&data, &[&change[..], arguments].concat());
    let changed = change(&["--name", "Public library", "--second-factor", "true"]).is(0).json();
    assert_eq!(changed["institution"]["otp_enabled"], true, "{changed}");
    assert!(change(&["--spot-restore-days", "9999"]).is(1).err.contains("0 to 3650"));
    run(&data, &["institution", "deactivate", "library.example"]).is(0);
    let back = run(&data, &["institution", "reactivate", "library.example", "--json"]).is(0).json();
    assert_eq!(back["institution"]["state"], "A", "{back}");

    let create = ["token", "create", "--user", "ann@archive.example", "--name"];
    let made = run(&data, &[&create[..], &["report", "--scope", "write", "--json"]].concat()).is(0);
    let text = made.json()["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("strongroom_"), "{text}");
    let shown = run(&data, &[&create[..], &["other", "--days", "7"]].concat()).is(0).out;
    assert!(shown.contains("strongroom_") && shown.contains("not shown again"), "{shown}");
    assert!(run(&data, &[&create[..], &["x", "--days", "400"]].concat()).is(1).err.contains("365"));
    let list = ["token", "list", "--user", "ann@archive.example"];
    let listed = run(&data, &list).is(0).out;
    assert!(listed.contains("report") && !listed.contains(&text), "{listed}");
    run(&data, &["token", "revoke", "1"]).is(0);
    assert!(run(&data, &["token", "revoke", "1"]).is(1).err.contains("was revoked before"));
    assert!(run(&data, &["token", "revoke", "99"]).is(1).err.contains("there is no token"));
    let log = open(&data).registry.list_audit(&Query::all(&AUDIT)).unwrap().rows;
    assert!(log.iter().all(|row| row.who == "the command line"), "{log:?}");
    assert!(log.iter().any(|row| row.deed.word() == "revoke-token"), "{log:?}");
}
