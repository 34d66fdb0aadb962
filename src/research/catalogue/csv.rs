//! Catalogues as tables of text: RFC 4180, with commas, semicolons or tabs.

use serde_json::{Map, Value};

use super::entry::Entry;
use super::{Catalogue, Unreadable};

/// Most fields of one line.
const FIELDS_MAX: usize = 200;

/// Reads a table whose first line names its columns.
pub(super) fn read(text: &str) -> Result<Catalogue, Unreadable> {
    let first = text.lines().next().unwrap_or_default();
    let mark = [',', ';', '\t']
        .into_iter()
        .max_by_key(|mark| (first.matches(*mark).count(), *mark == ','))
        .unwrap_or(',');
    let mut rows = Rows { rest: text, mark, line: 1 };
    let names = match rows.next() {
        Some((_, Ok(names))) => names.iter().map(|name| column(name)).collect::<Vec<_>>(),
        Some((_, Err(why))) => return Err(Unreadable::Refused(format!("the first line: {why}"))),
        None => return Err(Unreadable::Refused("the file is empty".into())),
    };
    if !names.iter().any(|name| name == "title") {
        let why = "the first line must name the columns, and title must be one of them";
        return Err(Unreadable::Refused(why.into()));
    }
    let mut catalogue = Catalogue::default();
    for (line, fields) in rows {
        catalogue.take(line, fields.and_then(|fields| entry(&names, fields)))?;
    }
    Ok(catalogue)
}

/// The name of a column as entries have it.
fn column(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

fn entry(names: &[String], fields: Vec<String>) -> Result<Entry, String> {
    if fields.len() != names.len() {
        let (has, should) = (fields.len(), names.len());
        return Err(format!("the line has {has} fields, and the first line names {should}"));
    }
    let mut object = Map::new();
    for (name, field) in names.iter().zip(fields) {
        // A column that is left empty says nothing.
        if !field.trim().is_empty() {
            object.insert(name.clone(), Value::String(field));
        }
    }
    serde_json::from_value(Value::Object(object))
        .map_err(|error| format!("the line is wrong: {error}"))
}

/// The rows of a table, each with the line it begins on.
struct Rows<'a> {
    rest: &'a str,
    mark: char,
    line: usize,
}

impl Iterator for Rows<'_> {
    type Item = (usize, Result<Vec<String>, String>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let line = self.line;
            match self.row()? {
                Ok(fields) if fields.iter().all(|field| field.trim().is_empty()) => {}
                row => return Some((line, row)),
            }
        }
    }
}

impl Rows<'_> {
    fn row(&mut self) -> Option<Result<Vec<String>, String>> {
        if self.rest.is_empty() {
            return None;
        }
        let (mut fields, mut field) = (Vec::new(), String::new());
        let (mut quoted, mut used) = (false, self.rest.len());
        let mut letters = self.rest.char_indices().peekable();
        while let Some((at, letter)) = letters.next() {
            self.line += usize::from(letter == '\n');
            match letter {
                '"' if quoted && letters.peek().is_some_and(|(_, next)| *next == '"') => {
                    field.push('"');
                    letters.next();
                }
                '"' if quoted || field.is_empty() => quoted = !quoted,
                '\n' if !quoted => {
                    used = at + 1;
                    break;
                }
                '\r' if !quoted => {}
                mark if mark == self.mark && !quoted => {
                    fields.push(std::mem::take(&mut field));
                }
                letter => field.push(letter),
            }
        }
        self.rest = &self.rest[used..];
        fields.push(field);
        if quoted {
            return Some(Err("a quotation mark is opened and never closed".into()));
        }
        if fields.len() > FIELDS_MAX {
            return Some(Err(format!("the line has more than {FIELDS_MAX} fields")));
        }
        Some(Ok(fields))
    }
}
