//! Moments as clients of the described registry write them in a question: its database reads a day
//! as its first moment in UTC, and a time without an offset as one in UTC.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use storage::clock::Timestamp;

use crate::http::asked::Pairs;

/// What is compared with a moment, in any of the lists.
const COLUMNS: [&str; 11] = [
    "bag_date",
    "cancelled_at",
    "confirmed_at",
    "created_at",
    "date_processed",
    "date_time",
    "datetime",
    "last_fixity_check",
    "queued_at",
    "requested_at",
    "updated_at",
];

/// Writes every moment of a question in full. What is no moment is left to the list, which refuses it.
pub(super) fn in_full(pairs: &mut Pairs) {
    for (name, value) in pairs {
        let column = name.split("__").next().unwrap_or_default();
        if COLUMNS.contains(&column)
            && let Some(moment) = read(value)
        {
            *value = Timestamp(moment).to_string();
        }
    }
}

/// Milliseconds since 1970. Nothing here is older: what comes before asks for the same rows.
fn read(text: &str) -> Option<u64> {
    let moment = match text.parse::<jiff::Timestamp>() {
        Ok(moment) => moment,
        Err(_) => text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok()?.timestamp(),
    };
    Some(u64::try_from(moment.as_millisecond()).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_times_without_an_offset_are_moments_in_utc() {
        for (asked, meant) in [
            ("2026-01-01", "2026-01-01T00:00:00.000Z"),
            ("2026-01-01 07:20", "2026-01-01T07:20:00.000Z"),
            ("2026-01-01T07:20:41", "2026-01-01T07:20:41.000Z"),
            ("2026-01-01T07:20:41.123456Z", "2026-01-01T07:20:41.123Z"),
            ("2026-01-01T07:20:41+01:00", "2026-01-01T06:20:41.000Z"),
            ("0001-01-01T00:00:00Z", "1970-01-01T00:00:00.000Z"),
            ("yesterday", "yesterday"),
            ("2026-13-01", "2026-13-01"),
            ("true", "true"),
        ] {
            let mut pairs = vec![("created_at__gteq".into(), asked.into())];
            in_full(&mut pairs);
            assert_eq!(pairs[0].1, meant, "{asked}");
        }
        let mut name = vec![("name".into(), "2026-01-01".into())];
        in_full(&mut name);
        assert_eq!(name[0].1, "2026-01-01", "a bag may have such a name");
    }
}
