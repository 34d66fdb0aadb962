//! Events as clients of the described registry ask for them: a row for each file.

use storage::registry::{BadQuery, Counting, EVENTS, EachEvent, EachEventPage, Rows, Scope, Uuid};

use super::held::{Held, not_held, parse};
use super::{Desk, DeskError};

impl Desk<'_> {
    /// Events by filter, a page of rows by its number. What is asked of files is asked of the rows:
    /// their number and identifier, which file they are about, and whether they are about one.
    pub fn each_events(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<EachEventPage, DeskError> {
        let (pairs, rows) = self.rows_asked(pairs)?;
        let mut query = parse(&EVENTS, &pairs, counting)?.seen_by(self.sight_of(&pairs)?);
        if rows.is_none() {
            // Both halves of a question that nothing answers were read, and are well written.
            query = query.any_of(&[]).map_err(DeskError::from)?;
        }
        Ok(self.app.registry.list_each_event(&query, rows)?)
    }

    /// One row, by its number or identifier.
    pub fn each_event(&self, which: &str) -> Result<EachEvent, DeskError> {
        let registry = &self.app.registry;
        let number = match (which.parse::<i64>(), Uuid::parse(which)) {
            (Ok(number), _) => Some(number),
            (Err(_), Some(uuid)) => registry.each_event_number(uuid)?,
            (Err(_), None) => None,
        };
        let found = number.map(|number| registry.each_event(number)).transpose()?.flatten();
        let row = found.ok_or_else(|| not_held(Held::Event, which))?;
        // What happened to an object is for those who see the object.
        match self.held_object(&row.event.intellectual_object_id.to_string()) {
            Ok(_) => Ok(row),
            Err(DeskError::NotHeld { .. }) => Err(not_held(Held::Event, which)),
            Err(error) => Err(error),
        }
    }

    /// The question about events, and which of their rows are asked for.
    fn rows_asked(
        &self,
        pairs: &[(String, String)],
    ) -> Result<(Vec<(String, String)>, Rows), DeskError> {
        let registry = &self.app.registry;
        let (mut asked, mut rows) = (Vec::with_capacity(pairs.len()), Rows::ALL);
        for (name, value) in pairs {
            let bad = |problem: &str| {
                DeskError::from(BadQuery { parameter: name.clone(), problem: problem.to_owned() })
            };
            let keep = (name.clone(), value.clone());
            match name.as_str() {
                "identifier" | "identifier__eq" => {
                    let number = Uuid::parse(value).map(|uuid| registry.each_event_number(uuid));
                    match number.transpose()?.flatten() {
                        Some(number) => rows = only(number, rows, &mut asked),
                        // That of an event about many files leads to all of its rows.
                        None => asked.push(keep),
                    }
                }
                "id" | "id__eq" => {
                    let number = value.parse().map_err(|_| bad("must be a whole number"))?;
                    rows = only(number, rows, &mut asked);
                }
                "id__in" | "id__gt" | "id__gteq" | "id__lt" | "id__lteq" => {
                    return Err(bad("is not a filter here; id is compared as equal only"));
                }
                "generic_file_id"
                | "generic_file_id__eq"
                | "generic_file_identifier"
                | "generic_file_identifier__eq" => {
                    // A file that is not seen has no events that are.
                    rows = match self.held_file(value) {
                        Ok(file) => rows.of_file(file.id),
                        Err(DeskError::NotHeld { .. }) => rows.of_objects().of_files(),
                        Err(error) => return Err(error),
                    };
                    asked.push(keep);
                }
                "generic_file_id__is_null"
                | "generic_file_id__not_null"
                | "generic_file_id__is_not_null" => {
                    let asks = match value.as_str() {
                        "true" | "1" => true,
                        "false" | "0" => false,
                        _ => return Err(bad("must be true or false")),
                    };
                    let without = name.ends_with("__is_null") == asks;
                    rows = if without { rows.of_objects() } else { rows.of_files() };
                }
                _ => asked.push(keep),
            }
        }
        if rows.has_no_file() && !rows.is_none() {
            asked.push(("scope".to_owned(), Scope::Object.name().to_owned()));
        }
        Ok((asked, rows))
    }
}

/// The row with this number, and the event that it is one of.
fn only(number: i64, rows: Rows, asked: &mut Vec<(String, String)>) -> Rows {
    let (event, narrowed) = rows.of_number(number);
    asked.push(("id".to_owned(), event.to_string()));
    narrowed
}
