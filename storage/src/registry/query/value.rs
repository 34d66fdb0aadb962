//! From the text of a parameter to a value of its column's kind.

use rusqlite::types::Value;

use super::listing::{Column, Kind};
use crate::clock::Timestamp;

/// Longest value of a filter, in bytes; the longest stored name has 1,000.
pub(super) const VALUE_MAX: usize = 4096;

/// Reads `text` as a value of the column, or says what it has to be.
pub(super) fn read(column: &Column, text: &str) -> Result<Value, String> {
    let value = of_kind(column.kind, text)?;
    if column.millis
        && let Some(moment) = Timestamp::parse(text)
    {
        return Ok(Value::Integer(i64::try_from(moment.0).unwrap_or(i64::MAX)));
    }
    Ok(value)
}

fn of_kind(kind: Kind, text: &str) -> Result<Value, String> {
    check_text(text)?;
    match kind {
        Kind::Text => Ok(Value::Text(text.to_owned())),
        Kind::Integer => {
            text.parse().map(Value::Integer).map_err(|_| "must be a whole number".to_owned())
        }
        Kind::Time => Timestamp::parse(text)
            .map(|moment| Value::Text(moment.to_string()))
            .ok_or_else(|| "must be an RFC 3339 time such as 2026-11-16T07:20:41Z".to_owned()),
        Kind::Bool => read_bool(text).map(|truth| Value::Integer(i64::from(truth))),
    }
}

/// Reads a truth value.
pub(super) fn read_bool(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("must be true or false".to_owned()),
    }
}

/// The bounds of every text that goes to the database.
pub(super) fn check_text(text: &str) -> Result<(), String> {
    if text.len() > VALUE_MAX {
        return Err(format!("must not be longer than {VALUE_MAX} bytes"));
    }
    // SQLite's text functions stop at it, so it would match other rows than it says.
    if text.contains('\0') {
        return Err("must not hold a zero character".to_owned());
    }
    Ok(())
}

/// The first text after all texts that start with `prefix`; none when there is no such text.
pub(super) fn after_prefix(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        // UTF-8 sorts by code point; there are none between D7FF and E000.
        let next =
            if last == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(last as u32 + 1) };
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

/// A `LIKE` pattern, with `\` as escape, for texts that hold `part`.
pub(super) fn holding(part: &str) -> String {
    let mut pattern = String::with_capacity(part.len() + 2);
    pattern.push('%');
    for c in part.chars() {
        if matches!(c, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix() {
        assert_eq!(after_prefix("ab").as_deref(), Some("ac"));
        assert_eq!(after_prefix("a\u{10FFFF}").as_deref(), Some("b"));
        assert_eq!(after_prefix("\u{D7FF}").as_deref(), Some("\u{E000}"));
        assert_eq!(after_prefix("\u{7f}").as_deref(), Some("\u{80}"));
        assert_eq!(after_prefix("\u{10FFFF}"), None);
        assert_eq!(after_prefix(""), None);
    }

    #[test]
    fn wildcards_are_plain_text() {
        assert_eq!(holding(r"50%_\"), r"%50\%\_\\%");
    }

    #[test]
    fn times_are_stored_in_one_form() {
        let stored = Value::Text("2026-11-16T07:20:41.000Z".to_owned());
        assert_eq!(of_kind(Kind::Time, "2026-11-16T08:20:41+01:00"), Ok(stored));
        assert!(of_kind(Kind::Time, "16.11.2026").is_err());
        assert!(of_kind(Kind::Integer, "1e3").is_err());
        assert!(of_kind(Kind::Bool, "yes").is_err());
        assert!(of_kind(Kind::Text, "a\0b").is_err());
    }
}
