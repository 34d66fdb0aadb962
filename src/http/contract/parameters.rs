//! Parameters of addresses. Those of a list are what its listing says can be asked of it.

use serde_json::{Value, json};
use storage::registry::{
    AssessmentState, AuditHow, AuditOutcome, Column, Deed, DeletionState, Kind, Op,
};

use super::operation::one_of;
use crate::alerts::Kind as AlertKind;
use crate::desk::{Desk, closed_words};
use crate::http::listed::{FORMAT, FORMATS, Listed};

/// A parameter of the query.
pub(super) fn query(name: &str, schema: Value, says: &str) -> Value {
    json!({"name": name, "in": "query", "schema": schema, "description": says})
}

/// A part of the path, by its name.
pub(super) fn place(name: &str) -> Value {
    let schema = match name {
        "id" | "item" => json!({"type": "integer", "format": "int64", "minimum": 1}),
        "part" => {
            let tables = Desk::tables();
            one_of(&["work"].into_iter().chain(tables.iter().copied()).collect::<Vec<_>>())
        }
        _ => json!({"type": "string", "minLength": 1}),
    };
    let mut place = json!({"name": name, "in": "path", "required": true, "schema": schema});
    match name {
        "id" | "item" => place["example"] = 1.into(),
        // Whatever has a name has a number, too.
        "which" => place["example"] = "1".into(),
        _ => {}
    }
    place
}

/// All that can be asked of a list.
pub(super) fn of_list<L: Listed>() -> Vec<Value> {
    let mut found = of_rows::<L>();
    let number = || json!({"type": "integer"});
    found.extend([
        query(
            "page",
            json!({"type": "integer", "minimum": 1, "maximum": u32::MAX}),
            "The page, from 1. For people; a program walks by cursor, which costs the same however \
             far it goes.",
        ),
        query("per_page", number(), "Rows of a page; taken as the nearest of 1 to 1,000."),
        query(
            "cursor",
            json!({"type": "string"}),
            "Goes on behind a page: its next_cursor, with the same filters and order.",
        ),
        query(
            FORMAT,
            one_of(&FORMATS),
            "json for a page. csv and jsonl give all rows, without page, per_page and cursor; the \
             header Accept with text/csv or application/x-ndjson does the same. In csv, text that a \
             spreadsheet would run has an apostrophe before it.",
        ),
    ]);
    found
}

/// Which rows are wanted, and in which order.
pub(super) fn of_rows<L: Listed>() -> Vec<Value> {
    let columns = L::listing().columns();
    // Who has read an alert is asked of oneself, with `unread`.
    let asked = columns.iter().filter(|column| column.name() != "unread_by");
    let mut found: Vec<Value> = asked.flat_map(|column| of_column(L::NAME, column)).collect();
    let orders = columns.iter().filter(|column| column.is_sortable());
    let orders: Vec<String> = orders
        .flat_map(|column| ["asc", "desc"].map(|way| format!("{}__{way}", column.name())))
        .collect();
    found.push(query(
        "sort",
        json!({"type": "array", "items": {"type": "string", "enum": orders}, "maxItems": 8,
            "uniqueItems": true}),
        "The order; repeated for what is equal.",
    ));
    found
}

/// A parameter for every comparison of a column.
fn of_column(list: &str, column: &Column) -> Vec<Value> {
    let one = |op: &Op| {
        let name = match *op == Op::Eq {
            true => column.name().to_owned(),
            false => format!("{}__{}", column.name(), op.suffix()),
        };
        let beside = match column.asked_inside() {
            [] => String::new(),
            these => format!(" Only beside {}.", these.join(" or ")),
        };
        query(&name, schema(list, column, *op), &format!("{}{beside}", meaning(*op)))
    };
    column.ops().iter().map(one).collect()
}

fn schema(list: &str, column: &Column, op: Op) -> Value {
    let value = match (column.kind(), words(list, column.name())) {
        (_, Some(words)) => one_of(&words),
        (Kind::Text, None) => json!({"type": "string"}),
        (Kind::Integer, None) => json!({"type": "integer", "format": "int64"}),
        (Kind::Time, None) => json!({"type": "string", "format": "date-time"}),
        (Kind::Bool, None) => json!({"type": "boolean"}),
    };
    match op {
        Op::In => json!({"type": "array", "items": value, "maxItems": 1000}),
        Op::IsNull | Op::NotNull => json!({"type": "boolean"}),
        Op::Eq | Op::Ne | Op::Gt | Op::GtEq | Op::Lt | Op::LtEq | Op::StartsWith | Op::Contains => {
            value
        }
    }
}

/// The words of a closed set; others are refused.
fn words(list: &str, column: &str) -> Option<Vec<&'static str>> {
    match (list, column) {
        ("objects" | "files" | "events", column) => closed_words(column),
        ("deletions", "state") => Some(DeletionState::ALL.map(DeletionState::name).to_vec()),
        ("assessments", "state") => Some(AssessmentState::ALL.map(AssessmentState::name).to_vec()),
        ("alerts", "kind") => Some(AlertKind::ALL.map(AlertKind::word).to_vec()),
        ("audit", "deed") => Some(Deed::ALL.iter().map(|it| it.word()).collect()),
        ("audit", "how") => Some(AuditHow::ALL.iter().map(|it| it.word()).collect()),
        ("audit", "outcome") => Some(AuditOutcome::ALL.iter().map(|it| it.word()).collect()),
        (_, _) => None,
    }
}

fn meaning(op: Op) -> &'static str {
    match op {
        Op::Eq => "Is this.",
        Op::Ne => "Is not this; what is absent is not.",
        Op::Gt => "Is greater or later.",
        Op::GtEq => "Is this, or greater or later.",
        Op::Lt => "Is less or earlier.",
        Op::LtEq => "Is this, or less or earlier.",
        Op::StartsWith => "Begins with this, case and all.",
        Op::Contains => "Has this somewhere, whatever the case of ASCII letters.",
        Op::In => "Is one of these; the parameter is repeated.",
        Op::IsNull => "Whether it is absent.",
        Op::NotNull => "Whether it is there.",
    }
}
