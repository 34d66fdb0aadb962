//! Do the rows survive the trip, and does SQLite use the indexes we pay for?

use rusqlite::params_from_iter;
use tempfile::TempDir;

use super::ask::{PARKED, UNFINISHED};
use super::listing::STORED;
use super::{ITEMS, ItemRow, TERMINAL_STATES};
use crate::clock::Timestamp;
use crate::registry::query::{Column, Kind, Query};
use crate::registry::{EXPORTED_TABLES, Error, Registry};

fn registry() -> (TempDir, Registry) {
    let dir = tempfile::tempdir().unwrap();
    let registry = Registry::open(&dir.path().join("registry.sqlite"), Timestamp(0)).unwrap();
    (dir, registry)
}

fn query(text: &str) -> Query {
    let pairs: Vec<(String, String)> = text
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    Query::parse(&ITEMS, &pairs).unwrap()
}

fn plan(registry: &Registry, sql: &str, values: Vec<rusqlite::types::Value>) -> Vec<String> {
    registry
        .read(|conn| {
            let mut statement = conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
            let lines = statement.query_map(params_from_iter(values), |row| row.get(3))?;
            Ok::<_, Error>(lines.collect::<Result<_, _>>()?)
        })
        .unwrap()
}

fn list_plan(registry: &Registry, text: &str) -> Vec<String> {
    let sql = query(text).select();
    plan(registry, &sql.text, sql.values)
}

/// Filters of the described API and ours, with the index each must be found by.
const FILTERS: &[(&str, &str)] = &[
    ("action=x", "by_action"),
    ("alt_identifier=x", "by_alt_identifier"),
    ("bag_group_identifier=x", "by_bag_group"),
    ("bagit_profile_identifier=x", "by_profile"),
    ("bucket=x", "by_bucket"),
    ("date_processed__gteq=2026-01-01T00:00:00Z", "by_date"),
    ("date_processed__lteq=2026-01-01T00:00:00Z", "by_date"),
    ("deletion_request_id=1", "by_deletion"),
    ("etag=x", "by_etag"),
    ("flow=x", "by_flow"),
    ("generic_file_id=1", "by_file"),
    ("generic_file_id__is_null=true", "by_file"),
    ("generic_file_identifier=x", "by_file_identifier"),
    ("institution_id=1", "by_institution"),
    ("institution_id=1&date_processed__gteq=2026-01-01T00:00:00Z", "by_institution"),
    ("intellectual_object_id=1", "by_object"),
    ("intellectual_object_id__is_null=true", "by_object"),
    ("name=x", "by_name"),
    ("needs_admin_review=true", "by_review"),
    ("needs_admin_review=false", "by_review"),
    ("object_identifier=x", "by_object_identifier"),
    ("reason=x", "parked"),
    ("retry=true", "by_retry"),
    ("stage=x", "by_stage"),
    ("topic=x", "by_topic"),
    ("state=x", "by_state"),
    ("status=x", "by_status"),
    ("storage_option=x", "by_storage_option"),
    ("user=x", "by_user"),
];

#[test]
fn one_filter_and_the_default_order_are_one_walk_along_one_index() {
    let (_dir, registry) = registry();
    for (filter, index) in FILTERS {
        let plan = list_plan(&registry, filter);
        let named = format!("work_items_{index} (");
        let found = plan.iter().any(|line| line.starts_with("SEARCH") && line.contains(&named));
        assert!(found, "{filter} should use {index}: {plan:#?}");
        let sorts = plan.iter().filter(|line| line.contains("TEMP B-TREE")).count();
        assert!(sorts <= 1, "only the page itself is sorted, not {filter}: {plan:#?}");
    }
}

#[test]
fn no_filter_and_no_order_reads_the_table_from_end_to_end() {
    let (_dir, registry) = registry();
    let more = [
        "",
        "bag_date__gteq=2026-01-01T00:00:00Z",
        "bag_date__lteq=2026-01-01T00:00:00Z",
        "size__gteq=5",
        "size__lteq=5",
        "status__in=a&status__in=b",
        "stage__in=a&stage__in=b",
        "action__in=a&action__in=b",
        "node__is_null=true",
        "node__not_null=true",
        "queued_at__is_null=true",
        "queued_at__not_null=true",
        "name__starts_with=x",
        "name__contains=x",
        "object_identifier__starts_with=x",
        "sort=name__asc",
        "sort=size__desc",
        "sort=bag_date__desc",
        "sort=status__asc",
        "sort=id__asc",
        "id__gt=5&sort=id__asc",
    ];
    for filter in more.iter().chain(FILTERS.iter().map(|(filter, _)| filter)) {
        for line in list_plan(&registry, filter) {
            let bare = line.starts_with("SCAN work_items") && !line.contains("INDEX");
            // In the order of the key the table is its own index.
            assert!(!bare || filter.contains("sort=id"), "{filter}: {line}");
        }
    }
    let starts = list_plan(&registry, "name__starts_with=x");
    assert!(starts.iter().any(|line| line.contains("(name>? AND name<?)")), "{starts:#?}");
    for (filter, index) in
        [("node__not_null=true", "owned"), ("queued_at__is_null=true", "never_queued")]
    {
        let plan = list_plan(&registry, filter);
        assert!(plan.iter().any(|line| line.contains(&format!("work_items_{index}"))), "{plan:#?}");
    }
}

#[test]
fn one_of_several_choices_is_found_whole_and_along_an_index() {
    let (_dir, registry) = registry();
    let row = |id, stage: &str, status: &str| ItemRow {
        id,
        stage: stage.into(),
        status: status.into(),
        ..ItemRow::default()
    };
    let rows = [
        row(1, "Cleanup", "Pending"),
        row(2, "Delete", "Success"),
        row(3, "Delete", "Pending"),
        row(4, "Store", "Success"),
    ];
    registry.record_items(&rows, &[], &[]).unwrap();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let choices = [
        vec![pair("stage__in", "Cleanup")],
        vec![pair("stage__in", "Delete"), pair("status", "Success")],
    ];
    let asked = query("sort=id__asc").any_of(&choices).unwrap();
    let ids = |query: &Query| {
        let rows = registry.list_items(query).unwrap().rows;
        rows.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&asked), [1, 2]);
    assert_eq!(ids(&query("status=Pending").any_of(&choices).unwrap()), [1]);
    assert!(query("").any_of(&[vec![pair("colour", "red")]]).is_err());
    assert_eq!(ids(&query("").any_of(&[]).unwrap()), [0; 0], "one of none is none");
    let sql = query("").any_of(&choices).unwrap().select();
    for line in plan(&registry, &sql.text, sql.values) {
        assert!(!line.starts_with("SCAN work_items") || line.contains("INDEX"), "{line}");
    }
}

#[test]
fn a_cursor_starts_in_the_middle_of_the_index() {
    let (_dir, registry) = registry();
    let rows: Vec<ItemRow> = (1..=3).map(|id| ItemRow { id, ..ItemRow::default() }).collect();
    registry.record_items(&rows, &[], &[]).unwrap();
    let token = registry.list_items(&query("per_page=1")).unwrap().next_cursor.unwrap();
    let plan = list_plan(&registry, &format!("cursor={token}"));
    // Within one millisecond the ids are compared one by one: SQLite bounds an index by a row
    // only up to the primary key.
    let bound = "work_items_by_date (date_processed<?)";
    assert!(plan.iter().any(|line| line.contains(bound)), "{plan:#?}");
}

#[test]
fn the_fixed_questions_have_their_indexes() {
    let (_dir, registry) = registry();
    let unfinished = plan(&registry, UNFINISHED, vec![0.into(), 5.into()]);
    assert!(unfinished.iter().any(|line| line.contains("work_items_unfinished")), "{unfinished:?}");
    let parked = plan(&registry, PARKED, vec![]);
    assert!(parked.iter().any(|line| line.contains("work_items_parked")), "{parked:?}");
    for state in TERMINAL_STATES {
        assert!(UNFINISHED.contains(&format!("'{state}'")));
    }
}

#[test]
fn the_listing_is_the_table_and_every_field_comes_back() {
    let (_dir, registry) = registry();
    let columns: Vec<String> = registry
        .read(|conn| {
            let names = conn.prepare("SELECT * FROM work_items_view")?;
            Ok::<_, Error>(names.column_names().map(str::to_owned).collect())
        })
        .unwrap();
    let shown = ITEMS.columns().iter().filter(|column| column.name() != "named");
    let listed: Vec<&str> = shown.map(Column::name).collect();
    assert_eq!(listed, columns);
    assert_eq!(listed[STORED], "institution_name");

    // Every field gets a value of its own, through the names that JSON shares with the table.
    let mut json = serde_json::to_value(ItemRow::default()).unwrap();
    for (index, name) in listed.iter().take(STORED).enumerate() {
        let slot = &mut json[*name];
        *slot = match ITEMS.columns()[index].kind() {
            Kind::Text => format!("text {index}").into(),
            Kind::Integer => (index + 1).into(),
            Kind::Time => Timestamp(index as u64).to_string().into(),
            Kind::Bool => true.into(),
        };
    }
    let row: ItemRow = serde_json::from_value(json).unwrap();
    registry.record_items(std::slice::from_ref(&row), &[], &[]).unwrap();
    assert_eq!(registry.item(1).unwrap(), Some(row));
}

#[test]
fn every_table_is_exported_or_derived_or_about_the_schema() {
    let (_dir, registry) = registry();
    let tables: Vec<String> = registry
        .read(|conn| {
            let sql = "SELECT name FROM sqlite_schema WHERE type = 'table'
                AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations'
                AND name NOT GLOB '*_words*'
                AND name NOT IN ('digest_starts', 'object_formats',
                    'object_copies', 'held_sums', 'algorithms', 'format_sums',
                    'replica_days', 'research_outlines', 'wanted_replicas', 'missing_copies')
                -- What proves who somebody is, what is still to be sent, what is still to be told.
                AND name NOT IN ('credentials', 'sessions', 'one_time_links', 'alert_readings',
                    'outbox', 'untold', 'ledger', 'backup_codes', 'factors', 'half_sign_ins',
                    'letters', 'password_wishes', 'saved_filters', 'tokens', 'assessment_tokens',
                    'email_changes', 'sign_in_sources', 'journal', 'unconfirmed_roles')
                -- What deposits ask for is told by those that are preserved.
                AND name <> 'restricted_deposits'
                -- Work in progress is the work state's.
                AND name <> 'paused_topics'
                -- A registry that is made anew is another house.
                AND name <> 'research_house' ORDER BY name";
            let mut statement = conn.prepare(sql)?;
            let names = statement.query_map([], |row| row.get(0))?;
            Ok::<_, Error>(names.collect::<Result<_, _>>()?)
        })
        .unwrap();
    let mut exported = EXPORTED_TABLES.to_vec();
    exported.sort_unstable();
    assert_eq!(tables, exported);
}

#[test]
fn a_reader_cannot_write() {
    let (_dir, registry) = registry();
    let tried = registry.read(|conn| Ok::<_, Error>(conn.execute("DELETE FROM work_items", [])?));
    assert!(matches!(tried, Err(Error::ReadOnly(_))), "{tried:?}");
}
