//! What must be true of the holdings, and is looked for by `doctor`.

use rusqlite::{Connection, Row};

use crate::registry::Error;
use crate::registry::care::{FLAWS_MAX, Flaw};

/// A question whose every row is a flaw: what it is about, and two numbers.
struct Rule {
    code: &'static str,
    /// Selects a name, and up to two numbers for the sentence.
    sql: &'static str,
    /// The sentence, with `{}` for the name and the numbers.
    sentence: &'static str,
}

/// Foreign keys say that rows exist; these say that they agree.
const RULES: &[Rule] = &[
    Rule {
        code: "object-version",
        sql: "SELECT o.identifier, o.version, count(d.id) FROM objects AS o
            LEFT JOIN deposits AS d ON d.object_id = o.id AND d.sealed_at IS NOT NULL
            GROUP BY o.id HAVING count(d.id) <> o.version
                OR coalesce(max(d.version), 0) <> o.version",
        sentence: "{} says version {}, but has {} sealed deposits",
    },
    Rule {
        code: "object-sums",
        sql: "SELECT o.identifier, o.file_count, coalesce(h.files, 0) FROM objects AS o
            LEFT JOIN (SELECT f.object_id, count(*) AS files, sum(v.size) AS bytes,
                sum(f.path >= 'data/' AND f.path < 'data0') AS payload_files,
                sum(iif(f.path >= 'data/' AND f.path < 'data0', v.size, 0)) AS payload_bytes
                FROM files AS f CROSS JOIN file_versions AS v ON v.file_id = f.id
                CROSS JOIN objects AS p ON p.id = f.object_id
                WHERE v.version <= p.version AND v.deleted_at IS NULL
                    AND (v.superseded_by IS NULL OR v.superseded_by > p.version)
                GROUP BY f.object_id) AS h ON h.object_id = o.id
            WHERE coalesce(h.files, 0) <> o.file_count OR coalesce(h.bytes, 0) <> o.size
                OR coalesce(h.payload_files, 0) <> o.payload_file_count
                OR coalesce(h.payload_bytes, 0) <> o.payload_size",
        sentence: "{} says {} files and their bytes, but its files are {} or have other sums",
    },
    Rule {
        code: "object-formats",
        sql: "SELECT o.identifier, o.file_count, coalesce(n.files, 0) FROM objects AS o
            LEFT JOIN (SELECT object_id, sum(file_count) AS files, sum(size) AS bytes
                FROM object_formats GROUP BY object_id) AS n ON n.object_id = o.id
            WHERE coalesce(n.files, 0) <> o.file_count OR coalesce(n.bytes, 0) <> o.size",
        sentence: "{} says {} files and their bytes, but by their formats they are {}",
    },
    Rule {
        code: "object-copies",
        sql: "SELECT o.identifier, n.copies, h.copies FROM objects AS o
            JOIN (SELECT f.object_id, count(*) AS copies, sum(c.state <> 0) AS unsound
                FROM copies AS c CROSS JOIN files AS f ON f.id = c.file_id
                CROSS JOIN objects AS p ON p.id = f.object_id
                WHERE c.version <= p.version GROUP BY f.object_id) AS h ON h.object_id = o.id
            LEFT JOIN (SELECT object_id, sum(copy_count) AS copies, sum(unsound_count) AS unsound
                FROM object_copies GROUP BY object_id) AS n ON n.object_id = o.id
            WHERE n.copies IS NOT h.copies OR n.unsound IS NOT h.unsound",
        sentence: "{} says {} copies, but has {} or another number that is not sound",
    },
    Rule {
        code: "replica-sums",
        sql: "SELECT r.name, coalesce(s.copies, 0), coalesce(n.copies, 0) FROM replicas AS r
            LEFT JOIN (SELECT replica_id, sum(copy_count) AS copies, sum(size) AS bytes,
                sum(object_count * (day + 1)) + 3 * sum(unsound_count) AS mixed
                FROM replica_days GROUP BY replica_id) AS s ON s.replica_id = r.id
            LEFT JOIN (SELECT c.replica_id, sum(c.copy_count) AS copies, sum(o.size) AS bytes,
                sum(c.oldest_checked_at / 86400000 + 1) + 3 * sum(c.unsound_count) AS mixed
                FROM object_copies AS c JOIN objects AS o ON o.id = c.object_id
                WHERE c.copy_count > 0 GROUP BY c.replica_id) AS n ON n.replica_id = r.id
            WHERE coalesce(s.copies, 0) <> coalesce(n.copies, 0)
                OR coalesce(s.bytes, 0) <> coalesce(n.bytes, 0)
                OR coalesce(s.mixed, 0) <> coalesce(n.mixed, 0)",
        sentence: "{} has {} copies altogether, but its objects have {} there or other sums",
    },
    Rule {
        code: "object-reach",
        sql: "SELECT o.identifier, o.kept_count, h.kept FROM objects AS o JOIN (SELECT p.id,
                (SELECT count(*) FROM files AS f CROSS JOIN file_versions AS v ON v.file_id = f.id
                 WHERE f.object_id = p.id AND v.version <= p.version
                     AND v.deleted_at IS NULL) AS kept,
                coalesce((SELECT group_concat(n.replica_id, ',' ORDER BY n.replica_id)
                 FROM object_copies AS n WHERE n.object_id = p.id AND n.copy_count > 0
                     AND n.copy_count = p.kept_count AND n.unsound_count = 0), '') AS sound
                FROM objects AS p) AS h ON h.id = o.id
            WHERE o.kept_count <> h.kept OR o.sound_in <> h.sound",
        sentence: "{} says that it keeps {} versions of files, but it keeps {} or elsewhere",
    },
    Rule {
        code: "missing-copies",
        sql: "SELECT o.identifier, coalesce(sum(m.copy_count), 0), (SELECT
                coalesce(sum(o.kept_count - coalesce(n.copy_count, 0)), 0)
                FROM wanted_replicas AS w LEFT JOIN replicas AS r ON r.name = w.replica
                LEFT JOIN object_copies AS n ON n.object_id = o.id AND n.replica_id = r.id
                WHERE w.storage_option = o.storage_option
                    AND o.kept_count > coalesce(n.copy_count, 0)) AS lacks
            FROM objects AS o LEFT JOIN missing_copies AS m ON m.object_id = o.id
            GROUP BY o.id HAVING coalesce(sum(m.copy_count), 0) <> lacks",
        sentence: "{} says that {} of its copies are missing, but {} are",
    },
    Rule {
        code: "format-sums",
        sql: "SELECT i.identifier, coalesce(sum(s.files), 0), coalesce(sum(n.files), 0)
            FROM institutions AS i
            LEFT JOIN (SELECT institution_id, sum(file_count) AS files, sum(size) AS bytes,
                sum(file_count * format_id * (2 + is_restricted)) AS mixed
                FROM format_sums GROUP BY institution_id) AS s ON s.institution_id = i.id
            LEFT JOIN (SELECT o.institution_id, sum(f.file_count) AS files, sum(f.size) AS bytes,
                sum(f.file_count * f.format_id * (2 + (o.access = 'restricted'))) AS mixed
                FROM object_formats AS f JOIN objects AS o ON o.id = f.object_id
                GROUP BY o.institution_id) AS n ON n.institution_id = i.id
            WHERE coalesce(s.bytes, 0) <> coalesce(n.bytes, 0)
                OR coalesce(s.mixed, 0) <> coalesce(n.mixed, 0)
            GROUP BY i.id",
        sentence: "{} has {} files by format altogether, but its objects have {} or other sums",
    },
    Rule {
        code: "object-names",
        sql: "SELECT o.identifier, NULL, NULL FROM objects AS o WHERE o.version > 0
            AND NOT EXISTS (SELECT 1 FROM object_words_docsize AS n WHERE n.id = o.id)",
        sentence: "{} is not found by its name",
    },
    Rule {
        code: "held-sums",
        sql: "SELECT 'the registry', s.file_count, n.files FROM held_sums AS s, (SELECT
                coalesce(sum(version > 0 AND state = 'A'), 0) AS objects,
                coalesce(sum(file_count), 0) AS files, coalesce(sum(size), 0) AS bytes
                FROM objects) AS n
            WHERE s.object_count <> n.objects OR s.file_count <> n.files OR s.size <> n.bytes",
        sentence: "{} says {} files altogether, but its objects have {} or other sums",
    },
    Rule {
        code: "object-state",
        sql: "SELECT identifier, file_count, NULL FROM objects
            WHERE state = 'D' AND file_count > 0",
        sentence: "{} is deleted, but has {} files",
    },
    Rule {
        code: "file-deposit",
        sql: "SELECT f.path, v.version, d.version FROM file_versions AS v
            JOIN files AS f ON f.id = v.file_id JOIN deposits AS d ON d.id = v.deposit_id
            WHERE d.version <> v.version OR d.object_id <> f.object_id",
        sentence: "{} in version {} belongs to a deposit of another object or of version {}",
    },
    Rule {
        code: "file-chain",
        sql: "SELECT f.path, c.version, c.superseded_by FROM (SELECT file_id, version,
                superseded_by, lead(version) OVER (PARTITION BY file_id ORDER BY version) AS next
                FROM file_versions) AS c JOIN files AS f ON f.id = c.file_id
            WHERE c.superseded_by IS NOT c.next",
        sentence: "{} in version {} says that it is superseded by {}, which is not its next",
    },
    Rule {
        code: "file-first-version",
        sql:
            "SELECT f.path, f.first_version, (SELECT min(v.version) FROM file_versions AS v
                WHERE v.file_id = f.id) AS first FROM files AS f WHERE f.first_version IS NOT first",
        sentence: "{} says it was first in version {}, but its first is {}",
    },
    Rule {
        code: "file-copies",
        sql: "SELECT f.path, v.version, NULL FROM file_versions AS v
            JOIN files AS f ON f.id = v.file_id JOIN objects AS o ON o.id = f.object_id
            WHERE v.version <= o.version AND (v.deleted_at IS NULL) <> EXISTS (SELECT 1
                FROM copies AS c WHERE c.file_id = v.file_id AND c.version = v.version)",
        sentence: "{} in version {} is there without a copy, or deleted with one",
    },
    // Looked for one by one only when some are missing: they are in no order.
    Rule {
        code: "file-digests",
        sql: "SELECT f.path, v.version, NULL FROM file_versions AS v
            JOIN files AS f ON f.id = v.file_id JOIN objects AS o ON o.id = f.object_id
            WHERE (SELECT count(*) FROM digest_starts) < 4 * (SELECT count(*)
                FROM deposits AS d JOIN file_versions AS w ON w.deposit_id = d.id
                WHERE d.sealed_at IS NOT NULL)
                AND v.version <= o.version AND 4 > (SELECT count(*) FROM digest_starts AS s
                WHERE s.file_id = v.file_id AND s.version = v.version AND s.start IN
                (substr(md5, 1, 8), substr(sha1, 1, 8), substr(sha256, 1, 8),
                substr(sha512, 1, 8)))",
        sentence: "{} in version {} is not found by all its digests",
    },
    Rule {
        code: "file-names",
        sql: "SELECT f.path, f.first_version, NULL FROM files AS f
            JOIN objects AS o ON o.id = f.object_id
            WHERE f.first_version <= o.version
                AND NOT EXISTS (SELECT 1 FROM file_words_docsize AS n WHERE n.id = f.id)",
        sentence: "{}, first in version {}, is not found by its name",
    },
    Rule {
        code: "event-type",
        sql: "SELECT lower(hex(e.identifier)), e.id, NULL FROM events AS e
            JOIN wordings AS w ON w.id = e.wording_id WHERE w.event_type <> e.event_type",
        sentence: "event {} (row {}) is of another type than its wording",
    },
    Rule {
        code: "event-target",
        sql: "SELECT lower(hex(e.identifier)), e.object_id, coalesce(d.object_id, f.object_id)
            FROM events AS e JOIN objects AS o ON o.id = e.object_id
                LEFT JOIN deposits AS d ON d.id = e.deposit_id
                LEFT JOIN files AS f ON f.id = e.file_id
            WHERE e.institution_id <> o.institution_id OR d.object_id <> e.object_id
                OR f.object_id <> e.object_id",
        sentence: "event {} is about object {}, but its deposit or file is of another ({})",
    },
];

/// What does not agree; see `Registry::check`.
pub(in crate::registry) fn holding_flaws(conn: &Connection) -> Result<Vec<Flaw>, Error> {
    let mut flaws = Vec::new();
    for rule in RULES {
        let mut statement = conn.prepare(&format!("{} LIMIT {FLAWS_MAX}", rule.sql))?;
        let found = statement.query_map([], |row| {
            Ok(Flaw { code: rule.code, sentence: sentence(rule.sentence, row)? })
        })?;
        for flaw in found {
            flaws.push(flaw?);
        }
    }
    Ok(flaws)
}

/// The name goes in last: it may hold braces of its own.
fn sentence(template: &str, row: &Row<'_>) -> rusqlite::Result<String> {
    let name: String = row.get(0)?;
    let (before, after) = template.split_once("{}").unwrap_or(("", template));
    let mut after = after.to_owned();
    for at in [1, 2] {
        let number: Option<i64> = row.get(at)?;
        let number = number.map_or("none".to_owned(), |number| number.to_string());
        after = after.replacen("{}", &number, 1);
    }
    Ok(format!("{before}{name}{after}"))
}
