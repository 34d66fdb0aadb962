//! Months, by their first moment in UTC.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::clock::Timestamp;

/// A month of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Month {
    year: u16,
    /// From one to twelve.
    number: u8,
}

impl Month {
    /// The month that a moment is in.
    pub fn of(moment: Timestamp) -> Month {
        let text = moment.to_string();
        // Its form is fixed: a clock at the end of time is in its last year.
        Month::parse(text.get(..7).unwrap_or_default()).unwrap_or(Month { year: 9999, number: 12 })
    }

    /// Reads `2026-11`.
    pub fn parse(text: &str) -> Option<Month> {
        let (year, number) = text.split_once('-')?;
        let digits =
            |part: &str, len| part.len() == len && part.bytes().all(|b| b.is_ascii_digit());
        if !digits(year, 4) || !digits(number, 2) {
            return None;
        }
        let month = Month { year: year.parse().ok()?, number: number.parse().ok()? };
        let is_real = (1970..=9999).contains(&month.year) && (1..=12).contains(&month.number);
        is_real.then_some(month)
    }

    /// The one after; the last of all has none.
    pub fn next(self) -> Option<Month> {
        match self {
            Month { year: 9999, number: 12 } => None,
            Month { year, number: 12 } => Some(Month { year: year + 1, number: 1 }),
            Month { year, number } => Some(Month { year, number: number + 1 }),
        }
    }

    /// Its first moment.
    pub fn begins(self) -> Timestamp {
        Timestamp::parse(&format!("{self}-01T00:00:00Z")).unwrap_or_default()
    }
}

/// `2026-11`
impl fmt::Display for Month {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}", self.year, self.number)
    }
}

impl JsonSchema for Month {
    fn schema_name() -> Cow<'static, str> {
        "Month".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$"})
    }
}

impl Serialize for Month {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Month {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Month, D::Error> {
        let text = String::deserialize(from)?;
        Month::parse(&text).ok_or_else(|| D::Error::custom("not a month"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn months_follow_each_other_and_begin_at_their_first_moment() {
        let november = Month::of(Timestamp::parse("2026-11-30T23:59:59.999Z").unwrap());
        assert_eq!(november.to_string(), "2026-11");
        assert_eq!(november.begins().to_string(), "2026-11-01T00:00:00.000Z");
        let december = november.next().unwrap();
        assert_eq!(december.next().unwrap().to_string(), "2027-01");
        assert!(november < december);
        assert_eq!(Month::of(december.begins()), december);
        assert_eq!(Month::of(Timestamp(december.begins().0 - 1)), november);
        assert_eq!(Month::of(Timestamp(0)).to_string(), "1970-01");
        assert_eq!(Month::of(Timestamp(u64::MAX)).next(), None);
    }

    #[test]
    fn only_months_are_read() {
        for bad in ["", "2026", "2026-13", "2026-00", "26-01", "2026-1", "1969-12", "2026-+1"] {
            assert_eq!(Month::parse(bad), None, "{bad}");
        }
    }
}
