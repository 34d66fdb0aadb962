//! What is written to the journal for a row: that row and what belongs to it, found by its key; and
//! what a rebuilt registry does not act on.

use std::collections::BTreeSet;

use rusqlite::types::Value as Sql;
use rusqlite::{Connection, params_from_iter};
use serde_json::{Value, json};

use super::kinds::KINDS;
use super::{Journal, JournalPhase, LedgerPage};
use crate::clock::Timestamp;
use crate::registry::export::row_sql;
use crate::registry::{
    EXPORTED_TABLES, Error, InstitutionKind, NewInstitution, NewUser, Registry, Role, UserChange,
};

const NOW: Timestamp = Timestamp(1_794_813_641_123);

fn registry() -> (tempfile::TempDir, Registry) {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::open(&dir.path().join("registry.sqlite"), NOW).unwrap();
    (dir, registry)
}

/// Three rows in every exported table; row `n` refers to rows `n` of the others. A table that belongs
/// to another has two rows for each of its. Where a key has several columns, each of them is shared by
/// rows that differ in another one, so that no part of a key is enough to find a row.
fn filled() -> (tempfile::TempDir, Registry) {
    let (dir, registry) = registry();
    let conn = registry.writer();
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON").unwrap();
    let triggers: Vec<String> =
        names(&conn, "SELECT name FROM sqlite_schema WHERE type = 'trigger'");
    for trigger in triggers {
        conn.execute_batch(&format!("DROP TRIGGER {trigger}")).unwrap();
    }
    for table in EXPORTED_TABLES {
        conn.execute_batch(&format!("DELETE FROM {table}")).unwrap();
        for number in 1..=3 {
            insert(&conn, table, number, 0);
            if belongs_to_another(table) {
                insert(&conn, table, number, 100);
            }
            for column in key_of_several(table) {
                let another = Sql::Integer(number % 3 + 1);
                insert_with(&conn, table, number, 0, Some((column, another)));
            }
        }
    }
    // No version of a file is newer than that of its object, else its copies are not exported.
    conn.execute_batch("UPDATE objects SET version = 3").unwrap();
    conn.execute_batch("DELETE FROM untold").unwrap();
    drop(conn);
    (dir, registry)
}

fn belongs_to_another(table: &str) -> bool {
    KINDS.iter().any(|kind| kind.tables[1..].iter().any(|(told, _)| *told == table))
}

/// The columns of the key of a kind that needs more than one.
fn key_of_several(table: &str) -> &'static [&'static str] {
    let kind = KINDS.iter().find(|kind| kind.name == table && kind.keys.len() > 1);
    kind.map_or(&[], |kind| kind.keys)
}

fn names(conn: &Connection, sql: &str) -> Vec<String> {
    let mut statement = conn.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Adds `more` to the last column of the key, so that a row can have a sibling.
fn insert(conn: &Connection, table: &str, number: i64, more: i64) {
    insert_with(conn, table, number, more, None);
}

/// The same with one column set.
fn insert_with(conn: &Connection, table: &str, number: i64, more: i64, set: Option<(&str, Sql)>) {
    let sql = format!(
        "SELECT name || ':' || type || ':' || (pk = (SELECT max(pk) FROM pragma_table_info('{table}')))
         FROM pragma_table_xinfo('{table}') WHERE hidden = 0"
    );
    let columns = names(conn, &sql);
    let columns: Vec<Vec<&str>> = columns.iter().map(|it| it.split(':').collect()).collect();
    let value = |column: &Vec<&str>| match (table, column[0], column[1]) {
        (_, name, _) if set.as_ref().is_some_and(|it| it.0 == name) => set.clone().unwrap().1,
        ("work_items", "state", _) => Sql::Text("finished".into()),
        ("events", "deposit_id", _) => Sql::Null,
        (_, _, "INTEGER") => Sql::Integer(number + if column[2] == "1" { more } else { 0 }),
        (_, _, "BLOB") => Sql::Blob(vec![u8::try_from(number).unwrap(); 16]),
        _ => Sql::Text(format!("{} {number} {more}", column[0])),
    };
    let names: Vec<&str> = columns.iter().map(|column| column[0]).collect();
    let marks = vec!["?"; names.len()].join(", ");
    let sql = format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "));
    let done = conn.execute(&sql, params_from_iter(columns.iter().map(value)));
    done.unwrap_or_else(|error| panic!("{table}: {error}"));
}

/// The lines of one row, with their tables.
fn lines_of(registry: &Registry, kind: &str, key: [i64; 3]) -> Vec<(String, String)> {
    let conn = registry.writer();
    conn.execute_batch("DELETE FROM untold").unwrap();
    conn.execute(
        "INSERT INTO untold (kind, a, b, c) VALUES (?1, ?2, ?3, ?4)",
        (kind, key[0], key[1], key[2]),
    )
    .unwrap();
    drop(conn);
    let table_and_row = |line: String| {
        let line: Value = serde_json::from_str(&line).unwrap();
        (line["table"].as_str().unwrap().to_owned(), line["row"].to_string())
    };
    registry.untold(10).unwrap().lines.into_iter().map(table_and_row).collect()
}

fn exported(registry: &Registry, table: &str) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    let mut take = |row: Value| {
        rows.insert(row.to_string());
        Ok::<_, Error>(())
    };
    registry.export_rows(table, &mut take).unwrap();
    rows
}

#[test]
fn writing_a_row_writes_that_row_and_what_belongs_to_it_and_nothing_else() {
    let (_dir, registry) = filled();
    for kind in KINDS {
        let keys = registry.read(|conn| kind.keys_after(conn, super::kinds::FIRST, 100)).unwrap();
        assert_eq!(keys.len(), 3 * (1 + key_of_several(kind.name).len()), "{}", kind.name);
        let mut written: Vec<(String, String)> = Vec::new();
        for key in keys {
            let lines = lines_of(&registry, kind.name, key);
            for (at, (table, _)) in kind.tables.iter().enumerate() {
                let own = lines.iter().filter(|(told, _)| told == table).count();
                let wanted = if at == 0 { 1 } else { 2 };
                assert_eq!(own, wanted, "{} {key:?}: {table}: {lines:#?}", kind.name);
            }
            written.extend(lines);
        }
        // Together these rows are all there is, and no line was written for two of them.
        for (table, _) in kind.tables {
            let of_table = written.iter().filter(|(told, _)| told == table).map(|(_, row)| row);
            let of_table: Vec<&String> = of_table.collect();
            let distinct: BTreeSet<String> = of_table.iter().map(|row| (*row).clone()).collect();
            assert_eq!(of_table.len(), distinct.len(), "{table}");
            assert_eq!(distinct, exported(&registry, table), "{table}");
        }
    }
}

/// What waits to be written to the journal.
fn waiting(conn: &Connection) -> BTreeSet<(String, [i64; 3])> {
    let mut statement = conn.prepare("SELECT kind, a, b, c FROM untold").unwrap();
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, [row.get(1)?, row.get(2)?, row.get(3)?]));
    statement.query_map([], row).unwrap().collect::<Result<_, _>>().unwrap()
}

/// Tables that no kind begins with and whose rows are written with the row that they belong to, and those
/// that are only added to: a change of a row is not noted, or refused.
const ONLY_ADDED: [&str; 8] = [
    "audit",
    "deletion_copies",
    "events",
    "research_findings",
    "research_leases",
    "research_researchers",
    "statistics",
    "statistics_months",
];
/// Those whose new rows the chronicle of a deposit tells, or the end of a lease.
const NOT_WHEN_ADDED: [&str; 2] = ["copies", "research_searched"];
/// The columns of a copy whose change is noted.
const OF_COPIES: [&str; 2] = ["last_checked_at", "state"];

#[test]
fn every_change_of_a_row_is_noted_for_the_journal_by_its_kind_and_key_or_not_at_all() {
    let (_dir, registry) = registry();
    let conn = registry.writer();
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON").unwrap();
    let tables = names(
        &conn,
        "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
         AND name NOT LIKE 'sqlite_%' AND name NOT IN ('schema_migrations', 'untold')
         ORDER BY name <> 'objects', name",
    );
    for kind in KINDS {
        assert!(tables.iter().any(|table| table == kind.name), "{}", kind.name);
    }
    for table in &tables {
        let kind = KINDS.iter().find(|kind| kind.name == table);
        let mut own = BTreeSet::new();
        if let Some(kind) = kind {
            let mut key = [0; 3];
            key[..kind.keys.len()].fill(7);
            own.insert((table.clone(), key));
        }
        let mut added = own.clone();
        if NOT_WHEN_ADDED.contains(&table.as_str()) {
            added.clear();
        }
        if table == "research_leases" {
            // The bitmap of its episode.
            added.insert(("research_searched".into(), [7, 0, 0]));
        }
        conn.execute_batch("DELETE FROM untold").unwrap();
        insert(&conn, table, 7, 0);
        assert_eq!(waiting(&conn), added, "a new row of {table}");
        let columns = names(
            &conn,
            &format!("SELECT name FROM pragma_table_xinfo('{table}') WHERE hidden = 0"),
        );
        for column in columns {
            let is_noted = match table.as_str() {
                "copies" => OF_COPIES.contains(&column.as_str()),
                "research_searched" => false,
                other => !ONLY_ADDED.contains(&other),
            };
            conn.execute_batch("DELETE FROM untold").unwrap();
            // What is only added to may refuse it.
            let changed = conn.execute(&format!("UPDATE {table} SET {column} = {column}"), []);
            assert!(changed.is_ok() || !is_noted, "{table}.{column}: {changed:?}");
            let expected = if is_noted { own.clone() } else { BTreeSet::new() };
            assert_eq!(waiting(&conn), expected, "a change of {table}.{column}");
        }
    }
}

#[test]
fn what_has_not_ended_and_what_a_deposit_tells_is_not_noted_for_the_journal() {
    let (_dir, registry) = registry();
    let conn = registry.writer();
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON").unwrap();
    insert_with(&conn, "work_items", 7, 0, Some(("state", Sql::Text("leased".into()))));
    conn.execute_batch("UPDATE work_items SET note = 'another'").unwrap();
    assert_eq!(waiting(&conn), BTreeSet::new());
    conn.execute_batch("UPDATE work_items SET state = 'failed'").unwrap();
    assert_eq!(waiting(&conn), BTreeSet::from([("work_items".to_owned(), [7, 0, 0])]));
    conn.execute_batch("DELETE FROM untold").unwrap();
    insert_with(&conn, "events", 7, 0, Some(("deposit_id", Sql::Integer(7))));
    assert_eq!(waiting(&conn), BTreeSet::new());
}

#[test]
fn a_condition_and_a_choice_cannot_bind_to_each_other() {
    for table in EXPORTED_TABLES {
        let sql = row_sql(table, "THE CHOICE").unwrap();
        // Nothing but the outermost level: what stands in parentheses is whole in itself.
        let (mut depth, mut outer) = (0, String::new());
        for letter in sql.chars() {
            depth -= i32::from(letter == ')');
            if depth == 0 {
                outer.push(letter);
            }
            depth += i32::from(letter == '(');
        }
        let (select, condition) = outer.split_once(" WHERE ").unwrap_or_else(|| panic!("{sql}"));
        let condition = condition.split_once(" ORDER BY ").unwrap().0;
        assert!(["()", "() AND ()"].contains(&condition), "{table}: {condition}");
        for word in [" WHERE", " OR ", " LIMIT", " GROUP BY", " UNION"] {
            assert!(!select.contains(word), "{table} has a condition outside its field: {sql}");
        }
    }
}

#[test]
fn the_lines_of_a_row_are_found_by_its_key_and_not_by_a_scan() {
    let (_dir, registry) = registry();
    for kind in KINDS {
        for (table, choice) in kind.tables {
            let sql = row_sql(table, choice).unwrap();
            let plan = registry
                .read(|conn| {
                    let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
                    let count = statement.parameter_count();
                    let lines = statement.query_map(params_from_iter(vec![1; count]), |row| {
                        row.get::<_, String>(3)
                    })?;
                    Ok::<_, Error>(lines.collect::<Result<Vec<_>, _>>()?)
                })
                .unwrap();
            assert!(plan.iter().any(|step| step.contains("SEARCH")), "{table}: {plan:#?}");
            assert!(!plan.iter().any(|step| step.starts_with("SCAN")), "{table}: {plan:#?}");
        }
    }
}

/// Adds events in bulk; each names the same object.
fn add_events(registry: &Registry, ids: std::ops::Range<i64>) {
    let conn = registry.writer();
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; BEGIN")
        .unwrap();
    for id in ids {
        let mut identifier = [0_u8; 16];
        identifier[..8].copy_from_slice(&id.to_be_bytes());
        conn.prepare_cached(
            "INSERT INTO events (id, identifier, wording_id, date_time, outcome, outcome_detail,
                 scope, event_type, institution_id, object_id)
             VALUES (?1, ?2, 1, 1794813641123, 'Success', 'sha512: 64 bytes of digest', 'object',
                 'fixity check', 1, 1)",
        )
        .unwrap()
        .execute((id, identifier))
        .unwrap();
    }
    conn.execute_batch("COMMIT").unwrap();
}

/// Writes what waits, and says how many bytes of lines that were.
fn bytes_written(registry: &Registry) -> usize {
    let mut bytes = 0;
    loop {
        let untold = registry.untold(500).unwrap();
        if untold.upto == 0 {
            return bytes;
        }
        bytes += untold.lines.iter().map(String::len).sum::<usize>();
        let page = LedgerPage { number: 1, line_count: 1, sha512: [0; 64] };
        registry.told(untold.upto, &page).unwrap();
    }
}

#[test]
fn journal_bytes_per_event_are_the_same_after_1000_and_after_100000_events() {
    let (_dir, registry) = registry();
    let conn = registry.writer();
    conn.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON").unwrap();
    insert(&conn, "wordings", 1, 0);
    insert(&conn, "objects", 1, 0);
    drop(conn);
    add_events(&registry, 1..1001);
    let early = bytes_written(&registry);
    assert!(early > 100_000, "{early}");
    add_events(&registry, 1001..99_001);
    assert!(registry.untold(10).unwrap().upto > 0);
    let skip = registry.writer().query_row("SELECT max(seq) FROM untold", [], |row| row.get(0));
    let page = LedgerPage { number: 1, line_count: 1, sha512: [0; 64] };
    registry.told(skip.unwrap(), &page).unwrap();
    add_events(&registry, 99_001..100_001);
    assert_eq!(bytes_written(&registry), early);
}

#[test]
fn copying_notes_every_row_once_and_ends_when_all_was_written() {
    let (_dir, registry) = filled();
    let begun = Journal::begun(2, "key", JournalPhase::Copying, true);
    registry.begin_journal(&begun).unwrap();
    let mut lines = BTreeSet::new();
    while registry.copy_into_journal(2).unwrap() {
        let untold = registry.untold(1000).unwrap();
        for line in untold.lines {
            assert!(lines.insert(line.clone()), "twice: {line}");
        }
        let page = LedgerPage { number: 7, line_count: 1, sha512: [7; 64] };
        registry.told(untold.upto, &page).unwrap();
    }
    let tables: BTreeSet<&str> =
        KINDS.iter().flat_map(|kind| kind.tables.iter().map(|(table, _)| *table)).collect();
    let rows: usize = tables.iter().map(|table| exported(&registry, table).len()).sum();
    assert_eq!(lines.len(), rows);
    let journal = registry.journal().unwrap().unwrap();
    assert_eq!((journal.series, journal.page.number), (2, 7));
    assert_eq!((journal.phase, journal.has_older), (JournalPhase::Whole, true));
    assert!(!registry.copy_into_journal(2).unwrap());
}

#[test]
fn a_line_from_before_a_column_was_added_is_taken() {
    let (_dir, registry) = filled();
    for table in ["research_episodes", "alerts"] {
        let row: Value = serde_json::from_str(exported(&registry, table).first().unwrap()).unwrap();
        let Value::Object(mut row) = row else { panic!("{row}") };
        let late = if table == "alerts" { "everyone" } else { "removed_at" };
        row.remove(late).unwrap();
        row.insert("id".into(), json!(9));
        for unique in ["name", "title"] {
            row.entry(unique).and_modify(|it| *it = json!("another"));
        }
        let mut lines = vec![(table.to_owned(), Value::Object(row))].into_iter();
        let retold = registry.retell(&mut || Ok::<_, Error>(lines.next())).unwrap();
        assert_eq!((retold.taken, retold.left_out), (1, 0), "{table}");
    }
}

#[test]
fn administrators_of_a_rebuilt_registry_have_no_role_until_it_is_confirmed() {
    let (_dir, registry) = registry();
    let new = NewInstitution {
        name: "The archive".into(),
        identifier: "archive.local".into(),
        kind: InstitutionKind::Member,
        member_institution_id: None,
        receiving_bucket: "receiving".into(),
        restore_bucket: "restoration".into(),
    };
    let institution = registry.create_institution(&new, NOW).unwrap().id;
    let add = |email: &str, role| {
        let new = NewUser {
            name: "Somebody".into(),
            email: email.into(),
            phone_number: None,
            institution_id: institution,
            role,
        };
        registry.create_user(&new, crate::registry::without_note, NOW).unwrap().id
    };
    let admin = add("ada@example.edu", Role::Admin);
    let local = add("bob@example.edu", Role::InstitutionalAdmin);
    let reader = add("eve@example.edu", Role::InstitutionalUser);
    let distrusted = registry.distrust_rebuilt(NOW).unwrap();
    assert_eq!(distrusted.administrators, ["ada@example.edu", "bob@example.edu"]);
    let role = |user| registry.user(user).unwrap().unwrap().role;
    assert_eq!((role(admin), role(local)), (Role::None, Role::None));
    assert_eq!(role(reader), Role::InstitutionalUser);
    assert_eq!(registry.unconfirmed_role(admin).unwrap(), Some(Role::Admin));
    assert_eq!(registry.unconfirmed_role(local).unwrap(), Some(Role::InstitutionalAdmin));
    assert_eq!(registry.unconfirmed_role(reader).unwrap(), None);
    // The journal keeps the role, so that it can be confirmed after another rebuild as well.
    let lines = lines_of(&registry, "users", [admin, 0, 0]);
    assert!(lines[0].1.contains("\"role\":\"admin\""), "{lines:?}");
    let change = UserChange { role: Some(Role::Admin), ..UserChange::default() };
    registry.change_user(admin, &change, crate::registry::without_note, NOW).unwrap();
    assert_eq!(registry.unconfirmed_role(admin).unwrap(), None);
    assert_eq!(role(admin), Role::Admin);
}
