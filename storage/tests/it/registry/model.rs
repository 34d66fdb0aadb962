//! Every comparison and order against a plain model: a list of rows, filtered and sorted in memory.

use std::cmp::Ordering;

use proptest::prelude::*;
use serde_json::Value;
use storage::clock::Timestamp;
use storage::registry::{Counting, ITEMS, ItemRow, Kind, Op, Query, Registry};

/// Few values, so that they meet; with everything that SQL could take for its own.
const TEXTS: &[&str] = &["", "a", "A", "ab", "aB%", "a_b", "a\\b", "b", "é", "a\u{10FFFF}", "'"];
const NUMBERS: &[i64] = &[-5, 0, 1, 7, i64::MAX];
const TIMES: &[u64] = &[0, 1, 1000, 1_794_813_641_123];

fn value_of(kind: Kind) -> BoxedStrategy<String> {
    match kind {
        Kind::Text => prop::sample::select(TEXTS).prop_map(str::to_owned).boxed(),
        Kind::Integer => prop::sample::select(NUMBERS).prop_map(|n| n.to_string()).boxed(),
        Kind::Time => prop::sample::select(TIMES).prop_map(|t| Timestamp(t).to_string()).boxed(),
        Kind::Bool => any::<bool>().prop_map(|truth| truth.to_string()).boxed(),
    }
}

fn filter() -> impl Strategy<Value = (String, String)> {
    let asked: Vec<(&'static str, Kind, Op)> = ITEMS
        .columns()
        .iter()
        // What is found by words is tested where words are.
        .filter(|column| column.name() != "named")
        .flat_map(|column| column.ops().iter().map(|op| (column.name(), column.kind(), *op)))
        .collect();
    prop::sample::select(asked).prop_flat_map(|(name, kind, op)| {
        let kind = if matches!(op, Op::IsNull | Op::NotNull) { Kind::Bool } else { kind };
        value_of(kind).prop_map(move |value| (format!("{name}__{}", op.suffix()), value))
    })
}

fn sort() -> impl Strategy<Value = (String, bool)> {
    let names: Vec<&str> =
        ITEMS.columns().iter().filter(|c| c.is_sortable()).map(|c| c.name()).collect();
    (prop::sample::select(names).prop_map(str::to_owned), any::<bool>())
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(TEXTS).prop_map(str::to_owned)
}

fn moment() -> impl Strategy<Value = Timestamp> {
    prop::sample::select(TIMES).prop_map(Timestamp)
}

fn number() -> impl Strategy<Value = i64> {
    prop::sample::select(NUMBERS)
}

fn row() -> impl Strategy<Value = ItemRow> {
    let words = (text(), text(), text(), text(), text());
    let links = (
        prop::option::of(number()),
        prop::option::of(number()),
        prop::option::of(text()),
        prop::option::of(text()),
        prop::option::of(text()),
    );
    let times = (prop::option::of(moment()), moment(), prop::option::of(moment()));
    let rest = (any::<bool>(), any::<bool>(), number());
    (words, links, times, rest).prop_map(|(words, links, times, rest)| ItemRow {
        name: words.0,
        etag: words.1,
        action: words.2,
        status: words.3,
        stage: words.4,
        institution_id: links.0,
        intellectual_object_id: links.1,
        node: links.2,
        object_identifier: links.3,
        storage_option: links.4,
        bag_date: times.0,
        date_processed: times.1,
        queued_at: times.2,
        retry: rest.0,
        needs_admin_review: rest.1,
        size: rest.2,
        ..ItemRow::default()
    })
}

/// Absent before present, numbers as numbers, text by bytes: the order of SQLite.
fn compare(a: &Value, b: &Value) -> Ordering {
    match (a, b) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::Number(a), Value::Number(b)) => a.as_i64().cmp(&b.as_i64()),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (a, b) => a.as_str().unwrap().as_bytes().cmp(b.as_str().unwrap().as_bytes()),
    }
}

fn holds(row: &Value, filters: &[(String, String)]) -> bool {
    filters.iter().all(|(parameter, text)| {
        let (name, suffix) = parameter.rsplit_once("__").unwrap();
        let kind = ITEMS.columns().iter().find(|column| column.name() == name).unwrap().kind();
        let stored = &row[name];
        if suffix.ends_with("null") {
            return stored.is_null() == ((suffix == "is_null") == (text == "true"));
        }
        let asked = match kind {
            Kind::Text | Kind::Time => Value::from(text.as_str()),
            Kind::Integer => text.parse::<i64>().unwrap().into(),
            Kind::Bool => (text == "true").into(),
        };
        if suffix == "ne" {
            return stored != &asked;
        }
        if stored.is_null() {
            return false;
        }
        let order = compare(stored, &asked);
        match suffix {
            "eq" => order.is_eq(),
            "gt" => order.is_gt(),
            "gteq" => order.is_ge(),
            "lt" => order.is_lt(),
            "lteq" => order.is_le(),
            "starts_with" => stored.as_str().unwrap().starts_with(text.as_str()),
            "contains" => {
                stored.as_str().unwrap().to_ascii_lowercase().contains(&text.to_ascii_lowercase())
            }
            // All values of the parameter count as one choice.
            "in" => filters.iter().any(|(other, text)| {
                let asked = match kind {
                    Kind::Integer => text.parse::<i64>().ok().map(Value::from),
                    Kind::Text | Kind::Time | Kind::Bool => Some(Value::from(text.as_str())),
                };
                other == parameter && asked.as_ref() == Some(stored)
            }),
            other => panic!("no such comparison: {other}"),
        }
    })
}

/// Columns whose index goes on by date.
const INDEXED: [&str; 10] = [
    "name",
    "action",
    "stage",
    "status",
    "bag_date",
    "size",
    "object_identifier",
    "generic_file_identifier",
    "alt_identifier",
    "bag_group_identifier",
];

fn range((parameter, _): &(String, String)) -> Option<&str> {
    let (name, suffix) = parameter.rsplit_once("__")?;
    let orders = ["gt", "gteq", "lt", "lteq", "starts_with"].contains(&suffix);
    (orders && (INDEXED.contains(&name) || name == "id")).then_some(name)
}

fn expected(rows: &[ItemRow], filters: &[(String, String)], sorts: &[(String, bool)]) -> Vec<i64> {
    let mut rows: Vec<Value> = rows.iter().map(|row| serde_json::to_value(row).unwrap()).collect();
    rows.retain(|row| holds(row, filters));
    let mut order = sorts.to_vec();
    // A range is shown in its own order, unless another one is asked for.
    if let Some(column) = filters.iter().find_map(range).filter(|_| order.is_empty()) {
        order.push((column.to_owned(), true));
    }
    let last = order.last().cloned();
    match last {
        None => order.push(("date_processed".to_owned(), true)),
        Some((name, descending)) if INDEXED.contains(&name.as_str()) => {
            if !order.iter().any(|(name, _)| name == "date_processed") {
                order.push(("date_processed".to_owned(), descending));
            }
        }
        Some(_) => {}
    }
    order.push(("id".to_owned(), order.last().unwrap().1));
    rows.sort_by(|a, b| {
        order.iter().fold(Ordering::Equal, |so_far, (name, descending)| {
            let order = compare(&a[name], &b[name]);
            so_far.then(if *descending { order.reverse() } else { order })
        })
    });
    rows.iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

/// Walks all pages, by number or by cursor.
fn walk(registry: &Registry, pairs: &[(String, String)], by_cursor: bool) -> Vec<i64> {
    let (mut ids, mut way) = (Vec::new(), None);
    loop {
        let mut pairs = pairs.to_vec();
        pairs.extend(way.clone());
        let query = Query::parse(&ITEMS, &pairs).unwrap().counting(Counting::No);
        let page = registry.list_items(&query).unwrap();
        ids.extend(page.rows.iter().map(|row| row.id));
        let next = if by_cursor {
            page.next_cursor.map(|token| ("cursor".to_owned(), token))
        } else {
            page.next_page.map(|number| ("page".to_owned(), number.to_string()))
        };
        match next {
            Some(next) => way = Some(next),
            None => return ids,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]
    #[test]
    fn lists_agree_with_a_plain_model(
        rows in prop::collection::vec(row(), 0..40),
        asks in prop::collection::vec(
            (prop::collection::vec(filter(), 0..4), prop::collection::vec(sort(), 0..3), 1..9_u32),
            1..25,
        ),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let registry = Registry::open(&dir.path().join("r.sqlite"), Timestamp(0)).unwrap();
        let rows: Vec<ItemRow> =
            rows.into_iter().zip(1..).map(|(row, id)| ItemRow { id, ..row }).collect();
        registry.record_items(&rows, &[], &[]).unwrap();
        for (filters, mut sorts, per_page) in asks {
            if sorts.len() == 2 && sorts[0].0 == sorts[1].0 {
                sorts.pop();
            }
            let mut pairs = filters.clone();
            for (name, descending) in &sorts {
                let direction = if *descending { "desc" } else { "asc" };
                pairs.push(("sort".to_owned(), format!("{name}__{direction}")));
            }
            let expected = expected(&rows, &filters, &sorts);
            let query = Query::parse(&ITEMS, &pairs).unwrap().counting(Counting::Exact);
            let counted = registry.list_items(&query).unwrap().count.unwrap();
            prop_assert_eq!(counted.value, expected.len() as u64);
            pairs.push(("per_page".to_owned(), per_page.to_string()));
            prop_assert_eq!(&walk(&registry, &pairs, false), &expected, "by number: {:?}", pairs);
            prop_assert_eq!(&walk(&registry, &pairs, true), &expected, "by cursor: {:?}", pairs);
        }
    }
}
