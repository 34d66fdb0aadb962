//! Is every list, with every filter and for everybody, read along an index and no further than its
//! page? SQLite says how it would read, on a registry that is filled and has its statistics.

use rusqlite::params_from_iter;
use tempfile::TempDir;

use super::listing::{Column, Kind, Listing, Op};
use super::parse::Query;
use super::sight::Sight;
use super::sql::Sql;
use crate::clock::Timestamp;
use crate::registry::{
    ALERTS, ASSESSMENTS, CHECKSUMS, DELETIONS, EVENTS, Error, FILES, INSTITUTIONS, ITEMS, OBJECTS,
    Registry, STORAGE_RECORDS, USERS,
};

/// Lists that grow with what is held.
const LARGE: [&Listing; 7] =
    [&OBJECTS, &FILES, &EVENTS, &ITEMS, &CHECKSUMS, &STORAGE_RECORDS, &ASSESSMENTS];
/// Lists of what people, or a few messages a day, make: thousands of rows.
const SMALL: [&Listing; 4] = [&ALERTS, &DELETIONS, &INSTITUTIONS, &USERS];

const SIGHTS: [Sight; 4] = [
    Sight::All,
    Sight::Own { institution: 3, restricted: true },
    Sight::Own { institution: 3, restricted: false },
    Sight::Shared { institution: 3 },
];

fn filled() -> (TempDir, Registry) {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::open(&dir.path().join("registry.sqlite"), Timestamp(0)).unwrap();
    let conn = registry.writer();
    conn.execute_batch(
        "CREATE TEMP TABLE made AS SELECT 2000 AS objects, 10 AS files, 2000 AS items, 10 AS events",
    )
    .unwrap();
    conn.execute_batch(include_str!("../../../benches/fill.sql")).unwrap();
    drop(conn);
    registry.derive_anew().unwrap();
    registry.refresh_statistics().unwrap();
    (dir, registry)
}

fn plan(registry: &Registry, sql: Sql) -> Vec<String> {
    let lines = registry.read(|conn| {
        let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {}", sql.text))?;
        let lines = statement.query_map(params_from_iter(sql.values), |row| row.get(3))?;
        Ok::<_, Error>(lines.collect::<Result<_, _>>()?)
    });
    lines.unwrap_or_else(|error| panic!("{error}: {}", sql.text))
}

fn value(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "x",
        Kind::Integer => "7",
        Kind::Time => "2024-01-01T00:00:00Z",
        Kind::Bool => "true",
    }
}

/// Every question with one filter, and the one with none.
fn questions(listing: &'static Listing) -> Vec<(Option<(&'static Column, Op)>, Query)> {
    let mut asked = vec![(None, Query::all(listing))];
    for column in listing.columns() {
        for op in column.ops() {
            let name = format!("{}__{}", column.name(), op.suffix());
            let values: Vec<&str> = match op {
                Op::IsNull | Op::NotNull => vec!["true", "false"],
                Op::Eq if !column.words.is_empty() => {
                    column.words.iter().map(|word| word.word).collect()
                }
                Op::Eq
                | Op::Ne
                | Op::Gt
                | Op::GtEq
                | Op::Lt
                | Op::LtEq
                | Op::StartsWith
                | Op::Contains
                | Op::In => vec![value(column.kind())],
            };
            for value in values {
                let pairs = match op {
                    Op::In => {
                        vec![(name.clone(), value.to_owned()), (name.clone(), "8".to_owned())]
                    }
                    Op::Eq
                    | Op::Ne
                    | Op::Gt
                    | Op::GtEq
                    | Op::Lt
                    | Op::LtEq
                    | Op::StartsWith
                    | Op::Contains
                    | Op::IsNull
                    | Op::NotNull => vec![(name.clone(), value.to_owned())],
                };
                let beside = column.inside.first().map(|name| ((*name).into(), "7".into()));
                let pairs: Vec<_> = pairs.into_iter().chain(beside).collect();
                asked.push((Some((column, *op)), Query::parse(listing, &pairs).unwrap()));
            }
        }
    }
    asked
}

/// Questions that may read further than their page, each with its reason.
fn excused(listing: &Listing, column: &Column, op: Op, sight: Sight) -> Option<&'static str> {
    let large_only = std::ptr::eq(listing, &FILES) || std::ptr::eq(listing, &CHECKSUMS);
    match (column.name(), op) {
        (_, Op::Contains) => Some("no index has what stands anywhere in a text"),
        (_, Op::Ne | Op::NotNull) => Some("nearly every row has it: the page is soon full"),
        (_, Op::IsNull) => Some("nearly every row has it, or an index of those that have it not"),
        ("last_fixity_check", _) => {
            Some("walks objects, not files: an index has between when and when each was checked")
        }
        ("state", Op::Eq) if large_only => Some("nearly every file is there, or is in an index"),
        ("is_current", _) => {
            Some("nearly every copy is of a current version: the page is soon full")
        }
        ("algorithm", _) => Some("every version of every file has each: the page is soon full"),
        ("institution_id", Op::In) => Some("several values along the list's own order"),
        _ if column.aside && op == Op::In => Some("several values along the list's own order"),
        _ if large_only && matches!(sight, Sight::Shared { .. }) => {
            Some("walks what is shared, from object to object")
        }
        _ => None,
    }
}

/// Few rows each, or made on the spot.
const TINY: [&str; 8] = ["a", "r", "asked", "cut", "i", "x", "CONSTANT", "institutions"];

/// What is wrong with a plan: a walk from end to end, or rows put in order that have no bound.
fn offence(plan: &[String], narrowed: bool, few: bool) -> Option<&String> {
    let bad_scan = |line: &&String| {
        let Some(what) = line.strip_prefix("SCAN ") else { return false };
        let name = what.split(' ').next().unwrap_or_default();
        let walks_an_index = what.contains("USING") && !narrowed || what.contains("_words VIRTUAL");
        !TINY.iter().any(|it| name == *it || name.starts_with("(subq")) && !walks_an_index
    };
    // All files of an owner, in an order that nobody asked for.
    let all_of_owner = |line: &&String| line.ends_with("_by_owner_and_size (institution_id=?)");
    if let Some(line) = plan.iter().find(|it| bad_scan(it) || all_of_owner(it)) {
        return Some(line);
    }
    // The page itself is put in order at the end.
    let sorts = |line: &&String| line.as_str() == "USE TEMP B-TREE FOR ORDER BY";
    plan.iter().filter(sorts).nth(1).filter(|_| !few)
}

/// What finds a handful of rows, which may be put in order.
fn is_pin(column: &Column, op: Op) -> bool {
    let few = [
        "uuid",
        "identifier",
        "md5",
        "sha1",
        "sha256",
        "sha512",
        "digest",
        "generic_file_id",
        "generic_file_identifier",
        "id",
        "named",
        "name",
        "etag",
        "object_identifier",
        "alt_identifier",
        "bag_group_identifier",
        "bag_name",
        "deletion_request_id",
        "reason",
        "intellectual_object_id",
        "deposit_id",
        "institution_parent_id",
        "reference",
        "item_id",
    ];
    matches!(op, Op::Eq | Op::In) && few.contains(&column.name())
}

#[test]
fn every_filter_of_every_large_list_is_read_along_an_index() {
    let (_dir, registry) = filled();
    let mut offences = Vec::new();
    let mut asked = 0;
    for listing in LARGE {
        for (filter, query) in questions(listing) {
            for sight in SIGHTS {
                if matches!(sight, Sight::Shared { .. }) && listing.owner.shared.is_none() {
                    // Nothing is shared, and SQLite is told so.
                    continue;
                }
                let query = query.clone().seen_by(sight);
                let mut lines = plan(&registry, query.select());
                asked += 1;
                let narrowed = filter.is_some() || sight != Sight::All;
                if narrowed {
                    lines.extend(plan(&registry, query.count(Some(10_001))));
                }
                let (name, op) = filter.map_or(("", ""), |(it, op)| (it.name(), op.suffix()));
                let free = filter.is_some_and(|(it, op)| excused(listing, it, op, sight).is_some());
                let few = filter.is_some_and(|(it, op)| is_pin(it, op));
                if let Some(line) = offence(&lines, narrowed, few).filter(|_| !free) {
                    let what = format!("{} {name}__{op} {sight:?}: {line}\n", listing.view);
                    offences.push(format!("{what}    {}", lines.join("\n    ")));
                }
            }
        }
    }
    assert!(asked > 500, "only {asked} questions were asked");
    assert!(offences.is_empty(), "{} of {asked}:\n{}", offences.len(), offences.join("\n"));
}

#[test]
fn every_two_filters_and_every_order_go_together() {
    let (_dir, registry) = filled();
    let mut offences = Vec::new();
    for listing in LARGE.into_iter().chain(SMALL) {
        let mut asked: Vec<(String, &str)> = Vec::new();
        for column in listing.columns() {
            let words: Vec<&str> = column.words.iter().map(|word| word.word).collect();
            let Some(op) = column.ops().first() else { continue };
            let values = match (op, words.is_empty()) {
                (Op::IsNull | Op::NotNull, _) => vec!["true"],
                (_, true) => vec![value(column.kind())],
                (_, false) => words,
            };
            let name = format!("{}__{}", column.name(), op.suffix());
            asked.extend(values.into_iter().map(|value| (name.clone(), value)));
        }
        let orders = listing.columns().iter().filter(|column| column.sortable);
        let orders = orders.map(|column| ("sort".to_owned(), format!("{}__desc", column.name())));
        let orders: Vec<(String, String)> = orders.collect();
        for (at, (name, value)) in asked.iter().enumerate() {
            let second = asked[at + 1..].iter().map(|(name, it)| (name.clone(), (*it).to_owned()));
            for other in second.filter(|other| other.0 != *name).chain(orders.iter().cloned()) {
                let mut pairs = vec![(name.clone(), (*value).to_owned()), other];
                // What is no question by itself gets what it is asked beside.
                let column = |name: &str| listing.column(name.split("__").next().unwrap_or(name));
                let inside = |(name, _): &(String, String)| column(name)?.inside.first();
                let beside = pairs.iter().find_map(inside);
                pairs.extend(beside.map(|it| ((*it).to_owned(), "7".to_owned())));
                let query = Query::parse(listing, &pairs).unwrap();
                for sql in [query.select(), query.count(Some(10_001))] {
                    let understood = registry.read(|conn| {
                        conn.prepare(&sql.text)?;
                        Ok::<_, Error>(())
                    });
                    if understood.is_err() {
                        offences.push(format!("{pairs:?}: {}", sql.text));
                    }
                }
            }
        }
    }
    assert!(offences.is_empty(), "{}:\n{}", offences.len(), offences.join("\n"));
}

#[test]
fn every_question_about_small_lists_is_understood() {
    let (_dir, registry) = filled();
    for listing in SMALL {
        for (_, query) in questions(listing) {
            for sight in SIGHTS {
                let query = query.clone().seen_by(sight);
                assert!(!plan(&registry, query.select()).is_empty());
            }
        }
    }
}

#[test]
fn a_plan_that_reads_everything_is_noticed() {
    let lines = |plan: &[&str]| plan.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    assert!(offence(&lines(&["SCAN v"]), false, false).is_some());
    assert!(
        offence(&lines(&["SCAN o USING COVERING INDEX objects_by_date"]), true, false).is_some()
    );
    assert!(
        offence(&lines(&["SCAN o USING COVERING INDEX objects_by_date"]), false, false).is_none()
    );
    let twice = ["SEARCH o", "USE TEMP B-TREE FOR ORDER BY", "USE TEMP B-TREE FOR ORDER BY"];
    assert!(offence(&lines(&twice), true, false).is_some());
    assert!(offence(&lines(&twice[..2]), true, false).is_none());
}
