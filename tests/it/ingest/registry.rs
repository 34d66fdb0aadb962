//! A registry that fails while a deposit is on its way: every table in turn, once and for good; and
//! one that somebody else holds.

use std::sync::Arc;

use rusqlite::Connection;
use strongroom::app::App;
use strongroom::flows::FLOWS;

use super::site::{FOLDERS, deposits, home, rig_at, story};
use crate::harness::Rig;
use crate::s3::Door;

fn connect(rig: &Rig<App>) -> Connection {
    Connection::open(rig.app().home.registry()).unwrap()
}

/// Tables, as they are made.
fn tables() -> Vec<String> {
    let rig = rig_at(FLOWS, FOLDERS, &Arc::new(Door::default()));
    let conn = connect(&rig);
    // The index of words is SQLite's own and takes no triggers.
    let sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
        AND name NOT GLOB '*_words*'";
    let mut names = conn.prepare(sql).unwrap();
    names.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

fn calm() -> String {
    let mut rig = rig_at(FLOWS, FOLDERS, &Arc::new(Door::default()));
    story(&mut rig, &deposits(false), &mut |rig, id| {
        assert_eq!(home(rig, id), Vec::<String>::new());
    })
}

/// How a table fails when something is done to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failing {
    /// The engine fails for a while, and time alone helps.
    Passing,
    /// The engine fails until someone mends it.
    Lasting,
    /// The row is refused: trying again would not help.
    Refusing,
}

/// Fails whenever this is done to a table, until it is mended.
fn plant(conn: &Connection, table: &str, what: &str, failing: Failing) {
    let failure = match failing {
        Failing::Passing | Failing::Lasting => "json('{')",
        Failing::Refusing => "RAISE(ABORT, 'planted')",
    };
    conn.execute_batch(&format!(
        "CREATE TRIGGER planted BEFORE {what} ON {table} BEGIN SELECT {failure}; END"
    ))
    .unwrap();
}

fn mend(conn: &Connection) {
    conn.execute_batch("DROP TRIGGER planted").unwrap();
}

/// Both deposits while a table fails as planned; what is held in the end, and the states in which
/// the failure left an item.
fn fails(table: &str, what: &str, failing: Failing) -> (String, Vec<(&'static str, String)>) {
    let mut rig = rig_at(FLOWS, FOLDERS, &Arc::new(Door::default()));
    let conn = connect(&rig);
    let mut met = Vec::new();
    let held = story(&mut rig, &deposits(false), &mut |rig, id| {
        plant(&conn, table, what, failing);
        match failing {
            Failing::Passing => rig.drain(),
            Failing::Lasting | Failing::Refusing => rig.drain_all(),
        };
        mend(&conn);
        match rig.word(id) {
            "finished" => return,
            "parked" => met.push(("parked", rig.reason(id).code)),
            word => met.push((word, String::new())),
        }
        let asked = if failing == Failing::Passing { 0 } else { 1 };
        assert_eq!(home(rig, id).len(), asked, "{what} {table}: {:#?}", rig.history(id));
    });
    (held, met)
}

/// Lets every table fail in this way, one after the other.
fn whichever_table_fails(failing: Failing, left: (&str, &str)) {
    let expected = calm();
    let mut count = 0;
    for table in tables() {
        for what in ["INSERT", "UPDATE"] {
            let (held, met) = fails(&table, what, failing);
            assert_eq!(held, expected, "{what} {table} {failing:?}");
            let is_left = |(word, code): &(&str, String)| (*word, code.as_str()) == left;
            assert!(met.iter().all(is_left), "{what} {table} {failing:?}: {met:?}");
            count += met.len();
        }
    }
    // Ten tables are written to, most of them in both deposits.
    assert!(count >= 16, "only {count} failures were met");
}

#[test]
fn whichever_table_fails_for_a_while_the_deposit_is_preserved() {
    whichever_table_fails(Failing::Passing, ("delayed", ""));
}

#[test]
fn whichever_table_fails_until_repaired_the_deposit_is_preserved() {
    whichever_table_fails(Failing::Lasting, ("parked", "registry"));
}

#[test]
fn whichever_table_refuses_a_row_the_deposit_is_preserved() {
    whichever_table_fails(Failing::Refusing, ("parked", "registry-refused"));
}

#[test]
fn a_registry_that_is_held_by_another_is_waited_for() {
    let expected = calm();
    let mut rig = rig_at(FLOWS, FOLDERS, &Arc::new(Door::default()));
    let conn = connect(&rig);
    let mut is_held = true;
    let held = story(&mut rig, &deposits(false), &mut |rig, id| {
        if std::mem::take(&mut is_held) {
            while rig.item(id).topic != "ingest08_record" {
                rig.step();
            }
            conn.execute_batch("BEGIN IMMEDIATE").unwrap();
            rig.drain();
            assert_eq!(rig.word(id), "delayed", "{:#?}", rig.history(id));
            assert!(rig.item(id).note.contains("busy"), "{}", rig.item(id).note);
            conn.execute_batch("ROLLBACK").unwrap();
        }
        assert_eq!(home(rig, id), Vec::<String>::new());
    });
    assert_eq!(held, expected);
}
