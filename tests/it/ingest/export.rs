//! Everything that is held, as the export tells it, so that two runs can be compared: without what
//! differs from run to run, which is times, numbers of items and identifiers that were drawn.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use storage::registry::{Error, Registry};

use crate::command::run;

/// Tables that say what is held; the others say what was done.
pub(crate) const HELD: [&str; 9] = [
    "objects",
    "deposits",
    "files",
    "formats",
    "file_versions",
    "replicas",
    "copies",
    "wordings",
    "events",
];

type Rows = Vec<(String, Value)>;

/// What a registry holds.
pub(crate) fn of_registry(registry: &Registry) -> Vec<String> {
    let mut rows = Rows::new();
    registry
        .export_all(&mut |table, row| {
            rows.push((table.to_owned(), row));
            Ok::<_, Error>(())
        })
        .unwrap();
    comparable(rows)
}

/// What the program exports of a data directory.
pub(crate) fn of_program(data: &Path) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    run(data, &["export", "--to", folder.path().to_str().unwrap()]).is(0);
    let mut rows = Rows::new();
    for table in HELD {
        let text = fs::read_to_string(folder.path().join(format!("{table}.jsonl"))).unwrap();
        let row = |line: &str| (table.to_owned(), serde_json::from_str(line).unwrap());
        rows.extend(text.lines().map(row));
    }
    comparable(rows)
}

fn comparable(rows: Rows) -> Vec<String> {
    let names: BTreeMap<String, String> = rows
        .iter()
        .filter(|(table, _)| table == "replicas")
        .map(|(_, row)| (text(&row["uuid"]), text(&row["name"])))
        .collect();
    let held = rows.into_iter().filter(|(table, _)| HELD.contains(&table.as_str()));
    let mut told: Vec<String> = held
        .map(|(table, mut row)| {
            let fields = row.as_object_mut().unwrap();
            fields.retain(|name, _| !differs(name));
            for name in ["uuid", "replica"] {
                if let Some(known) = fields.get(name).and_then(|drawn| names.get(&text(drawn))) {
                    fields.insert(name.to_owned(), known.as_str().into());
                }
            }
            format!("{table} {row}")
        })
        .collect();
    told.sort();
    told
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Fields that tell a moment, the file that was received, or where this run kept its things.
fn differs(name: &str) -> bool {
    name.ends_with("_at") || ["date_time", "etag", "item_id", "url", "place"].contains(&name)
}
