//! Catalogues in JSON: a list, or a line for each entry.

use serde_json::Value;

use super::entry::Entry;
use super::{Catalogue, Unreadable};

/// Reads a list of objects, or an object with one list in it, as exports have it.
pub(super) fn list(text: &str) -> Result<Catalogue, Unreadable> {
    let refused = |why: String| Unreadable::Refused(why);
    let value: Value = serde_json::from_str(text)
        .map_err(|error| refused(format!("the file is not JSON: {error}")))?;
    let entries = match value {
        Value::Array(entries) => entries,
        Value::Object(mut object) => {
            let mut lists = object.iter_mut().filter(|(_, value)| value.is_array());
            match (lists.next().map(|(_, value)| value.take()), lists.next()) {
                (Some(Value::Array(entries)), None) => entries,
                _ => return Err(refused("the file has no list of entries, or several".into())),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return Err(refused("the file has no list of entries".into()));
        }
    };
    let mut catalogue = Catalogue::default();
    for (number, value) in (1..).zip(entries) {
        let entry = serde_json::from_value::<Entry>(value);
        catalogue.take(number, entry.map_err(|error| format!("the entry is wrong: {error}")))?;
    }
    Ok(catalogue)
}

/// Reads an object from every line; empty ones are passed over.
pub(super) fn lines(text: &str) -> Result<Catalogue, Unreadable> {
    let mut catalogue = Catalogue::default();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let entry = serde_json::from_str::<Entry>(line);
        catalogue.take(number, entry.map_err(|error| format!("the line is wrong: {error}")))?;
    }
    Ok(catalogue)
}
