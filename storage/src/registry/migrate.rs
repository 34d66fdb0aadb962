//! The schema, one numbered step after another.
//!
//! A released step is never edited: files in the field have run it. Each step and the mark that it
//! was run are one transaction, so a crash leaves the schema before it or after it.

use rusqlite::{Connection, TransactionBehavior, params};

use crate::clock::Timestamp;
use crate::registry::Error;
use crate::registry::holding::{DERIVE_COPIES, DERIVE_FORMATS, DERIVE_REACH};
use crate::registry::search::DERIVE_WORDS;

struct Step {
    name: &'static str,
    sql: &'static str,
    /// Fills what the step has made with what follows from rows that are there.
    fill: &'static str,
}

/// In order; the version of a step is its place, counted from one.
const STEPS: &[Step] = &[
    Step {
        name: "0001_accounts_and_work",
        sql: include_str!("migrations/0001_accounts_and_work.sql"),
        fill: "",
    },
    Step { name: "0002_holdings", sql: include_str!("migrations/0002_holdings.sql"), fill: "" },
    Step {
        name: "0003_finding",
        sql: include_str!("migrations/0003_finding.sql"),
        fill: DERIVE_FORMATS,
    },
    Step { name: "0004_care", sql: include_str!("migrations/0004_care.sql"), fill: DERIVE_COPIES },
    Step {
        name: "0005_search",
        sql: include_str!("migrations/0005_search.sql"),
        fill: DERIVE_WORDS,
    },
    Step {
        name: "0006_reports",
        sql: include_str!("migrations/0006_reports.sql"),
        fill: DERIVE_REACH,
    },
    Step { name: "0007_people", sql: include_str!("migrations/0007_people.sql"), fill: "" },
    Step { name: "0008_house", sql: include_str!("migrations/0008_house.sql"), fill: "" },
    Step { name: "0009_told", sql: include_str!("migrations/0009_told.sql"), fill: "" },
    Step { name: "0010_research", sql: include_str!("migrations/0010_research.sql"), fill: "" },
    Step {
        name: "0011_assessments",
        sql: include_str!("migrations/0011_assessments.sql"),
        fill: "",
    },
    Step { name: "0012_lists", sql: include_str!("migrations/0012_lists.sql"), fill: "" },
    Step { name: "0013_curators", sql: include_str!("migrations/0013_curators.sql"), fill: "" },
    Step { name: "0014_heard", sql: include_str!("migrations/0014_heard.sql"), fill: "" },
    Step { name: "0015_polls", sql: include_str!("migrations/0015_polls.sql"), fill: "" },
    Step {
        name: "0016_replica_days",
        sql: include_str!("migrations/0016_replica_days.sql"),
        fill: "",
    },
    Step { name: "0017_removed", sql: include_str!("migrations/0017_removed.sql"), fill: "" },
    Step { name: "0018_waiting", sql: include_str!("migrations/0018_waiting.sql"), fill: "" },
    Step { name: "0019_two_people", sql: include_str!("migrations/0019_two_people.sql"), fill: "" },
    Step { name: "0020_accounts", sql: include_str!("migrations/0020_accounts.sql"), fill: "" },
    Step { name: "0021_journal", sql: include_str!("migrations/0021_journal.sql"), fill: "" },
    Step {
        name: "0022_missing_copies",
        sql: include_str!("migrations/0022_missing_copies.sql"),
        fill: "",
    },
    Step {
        name: "0023_current_copies",
        sql: include_str!("migrations/0023_current_copies.sql"),
        fill: "",
    },
    Step { name: "0024_kept_files", sql: include_str!("migrations/0024_kept_files.sql"), fill: "" },
];

/// The schema version this program writes.
pub const SCHEMA_VERSION: i64 = STEPS.len() as i64;

const MARKS: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT";

/// The version stored in the file; zero for a new one.
pub(super) fn stored_version(conn: &Connection) -> Result<i64, Error> {
    Ok(conn.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Runs every step the file has not seen.
pub(super) fn migrate(conn: &mut Connection, now: Timestamp) -> Result<(), Error> {
    for (step, version) in STEPS.iter().zip(1_i64..) {
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if stored_version(&tx)? >= version {
            continue;
        }
        tx.execute_batch(MARKS)?;
        tx.execute_batch(step.sql)?;
        tx.execute_batch(step.fill)?;
        tx.execute(
            "INSERT INTO schema_migrations (version, name, applied_at) VALUES (?1, ?2, ?3)",
            params![version, step.name, now],
        )?;
        tx.pragma_update(None, "user_version", version)?;
        tx.commit()?;
        tracing::info!(version, name = step.name, "registry schema moved to version {version}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::search::teach;

    #[test]
    fn names_carry_their_version() {
        for (step, version) in STEPS.iter().zip(1..) {
            assert!(step.name.starts_with(&format!("{version:04}_")), "{}", step.name);
        }
    }

    fn new_file() -> Connection {
        let conn = Connection::open_in_memory().unwrap();
        teach(&conn).unwrap();
        conn
    }

    #[test]
    fn a_step_is_run_once() {
        let mut conn = new_file();
        migrate(&mut conn, Timestamp(1)).unwrap();
        migrate(&mut conn, Timestamp(2)).unwrap();
        let marks: Vec<(i64, Timestamp)> = conn
            .prepare("SELECT version, applied_at FROM schema_migrations")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        let all: Vec<_> = (1..=SCHEMA_VERSION).map(|version| (version, Timestamp(1))).collect();
        assert_eq!(marks, all);
        assert_eq!(stored_version(&conn).unwrap(), SCHEMA_VERSION);
    }

    #[test]
    fn what_was_held_before_names_were_kept_is_found() {
        let mut conn = new_file();
        for step in &STEPS[..2] {
            conn.execute_batch(step.sql).unwrap();
        }
        conn.execute_batch(
            "PRAGMA user_version = 2; CREATE TABLE schema_migrations (version INTEGER PRIMARY KEY,
                name TEXT NOT NULL, applied_at TEXT NOT NULL) STRICT;
             INSERT INTO institutions (id, name, identifier, state, type, receiving_bucket,
                restore_bucket, created_at, updated_at)
                VALUES (1, 'Library', 'a.org', 'A', 'MemberInstitution', 'r', 's', '', '');
             INSERT INTO objects (id, identifier, institution_id, bag_name, title, version,
                file_count, size, created_at, updated_at)
                VALUES (1, 'a.org/bag', 1, 'bag', 'Old Letters', 1, 1, 7, '', '');
             INSERT INTO files (id, object_id, path, uuid, first_version)
                VALUES (1, 1, 'data/A.txt', zeroblob(16), 1)",
        )
        .unwrap();
        migrate(&mut conn, Timestamp(1)).unwrap();
        let ask = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(ask("SELECT rowid FROM object_words WHERE object_words MATCH 'letters'"), 1);
        assert_eq!(ask("SELECT rowid FROM file_words WHERE file_words MATCH 'txt'"), 1);
        assert_eq!(ask("SELECT object_count + file_count + size FROM held_sums"), 9);
    }

    #[test]
    fn tokens_are_kept_when_they_may_be_for_more() {
        let mut conn = new_file();
        let before = STEPS.iter().position(|step| step.name == "0013_curators").unwrap();
        for step in &STEPS[..before] {
            conn.execute_batch(step.sql).unwrap();
        }
        conn.execute_batch(&format!("PRAGMA user_version = {before}; {MARKS}")).unwrap();
        conn.execute_batch(
            "PRAGMA foreign_keys = OFF;
             INSERT INTO tokens (id, user_id, name, token_sha256, scope, created_at, expires_at)
                VALUES (7, 1, 'report', zeroblob(32), 'write', '', '2027')",
        )
        .unwrap();
        migrate(&mut conn, Timestamp(1)).unwrap();
        let kept = "SELECT name || scope || expires_at FROM tokens WHERE id = 7";
        let kept: String = conn.query_row(kept, [], |row| row.get(0)).unwrap();
        assert_eq!(kept, "reportwrite2027");
        let for_research = "UPDATE tokens SET scope = 'research'";
        assert_eq!(conn.execute(for_research, []).unwrap(), 1);
        assert!(conn.execute("UPDATE tokens SET scope = 'all'", []).is_err());
    }

    #[test]
    fn requests_and_acts_of_before_are_kept_and_acts_find_the_account_they_were_about() {
        let mut conn = new_file();
        conn.execute_batch("PRAGMA foreign_keys = ON").unwrap();
        let before = STEPS.iter().position(|step| step.name.ends_with("_two_people")).unwrap();
        for step in &STEPS[..before] {
            conn.execute_batch(step.sql).unwrap();
        }
        conn.execute_batch(&format!("PRAGMA user_version = {before}; {MARKS}")).unwrap();
        conn.execute_batch(
            "INSERT INTO institutions (id, name, identifier, state, type, receiving_bucket,
                restore_bucket, created_at, updated_at)
                VALUES (1, 'Library', 'a.org', 'A', 'MemberInstitution', 'r', 's', '', '');
             INSERT INTO users (id, name, email, institution_id, role, created_at, updated_at)
                VALUES (1, 'Ann', 'ann@a.org', 1, 'institutional_admin', '', ''),
                    (2, 'Bob', 'bob@a.org', 1, 'institutional_admin', '', '');
             INSERT INTO objects (id, identifier, institution_id, bag_name, title, version,
                file_count, size, created_at, updated_at)
                VALUES (1, 'a.org/bag', 1, 'bag', 'Old Letters', 1, 1, 7, '', '');
             INSERT INTO deletion_requests (id, uuid, institution_id, reason, requested_by_id,
                requested_at, expires_at, confirmed_by_id, confirmed_at)
                VALUES (4, zeroblob(16), 1, 'twice', 1, '1', '9', 2, '2');
             INSERT INTO deletion_parts (id, request_id, object_id) VALUES (5, 4, 1);
             INSERT INTO alerts (id, name, kind, subject, content, deletion_request_id, created_at)
                VALUES (6, 'n', 'k', 's', 'c', 4, '');
             INSERT INTO tokens (id, user_id, name, token_sha256, scope, created_at, expires_at)
                VALUES (7, 2, 'report', zeroblob(32), 'write', '', '2027');
             INSERT INTO audit (id, at, user_id, who, how, address, deed, about_kind, about,
                outcome, detail)
                VALUES (1, '1', 1, 'ann@a.org', 'session', '', 'add-user', 'user', 'Old@a.org',
                        'done', ''),
                    (2, '2', 2, 'old@a.org', 'session', '', 'sign-in', '', '', 'done', ''),
                    (3, '3', 1, 'ann@a.org', 'session', '', 'make-link', 'user', 'BOB@a.org',
                        'done', ''),
                    (4, '4', NULL, 'x', 'command', '', 'make-token', 'token', '7', 'done', ''),
                    (5, '5', 1, 'ann@a.org', 'session', '', 'add-user', 'user', 'no@a.org',
                        'done', '')",
        )
        .unwrap();
        migrate(&mut conn, Timestamp(1)).unwrap();
        let text = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
        let about = "SELECT group_concat(account, ' ')
            FROM (SELECT coalesce(about_user_id, '-') AS account FROM audit ORDER BY id)";
        // By the e-mail of now, by one that somebody acted under, and by a token's owner.
        assert_eq!(text(about), "2 - 2 2 -");
        assert_eq!(text("SELECT erase_after || confirmed_at FROM deletions"), "22");
        assert_eq!(text("SELECT request_id || '' FROM deletion_parts"), "4");
        assert_eq!(text("SELECT name || scope FROM tokens"), "reportwrite");
        for refused in [
            "UPDATE audit SET about_user_id = 1",
            "UPDATE deletion_requests SET erase_after = '1'",
            "DELETE FROM deletion_requests",
            "UPDATE tokens SET scope = 'all'",
        ] {
            assert!(conn.execute(refused, []).is_err(), "{refused}");
        }
        assert_eq!(conn.execute("UPDATE tokens SET scope = 'manage'", []).unwrap(), 1);
    }
}
