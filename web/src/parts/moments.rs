//! Moments within a recording, and moments as seen from now.

use jiff::Timestamp;
use maud::{Markup, html};

use super::figures::{duration, time};

/// Writes a moment of a recording: `1:02:03.456`; before its beginning: `−0:00:00.120`.
pub fn play_time(nanoseconds: i64) -> String {
    let sign = if nanoseconds < 0 { "\u{2212}" } else { "" };
    let milliseconds = nanoseconds.unsigned_abs() / 1_000_000;
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{sign}{hours}:{minutes:02}:{:02}.{rest:03}", seconds % 60)
}

/// Writes a moment of a recording for addresses, in seconds: `3723.456`; never below zero.
pub fn play_seconds(nanoseconds: i64) -> String {
    let milliseconds = nanoseconds.max(0) / 1_000_000;
    format!("{}.{:03}", milliseconds / 1000, milliseconds % 1000)
}

/// Shows how far away a moment is, as in "in 12 min" or "3 days ago", with the moment itself.
pub fn time_from(now: &str, moment: &str) -> Markup {
    html! {
        @if let Some(words) = distance(now, moment) { span.far { (words) } " " }
        (time(moment))
    }
}

fn distance(now: &str, moment: &str) -> Option<String> {
    let (now, at) = (now.parse::<Timestamp>().ok()?, moment.parse::<Timestamp>().ok()?);
    let seconds = at.duration_since(now).as_secs_f64();
    let far = match seconds.abs() {
        // Tenths of seconds are of no use here.
        near @ 0.0..10.0 => format!("{near:.0} s"),
        far => duration(far.ceil()),
    };
    Some(if seconds < 0.0 { format!("{far} ago") } else { format!("in {far}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_recording_have_one_width() {
        let told = [0, 952_380, 3_723_456_789_012, -120_000_000, i64::MIN].map(play_time);
        let wanted = ["0:00:00.000", "0:00:00.000", "1:02:03.456", "−0:00:00.120"];
        assert_eq!(told[..4], wanted);
        assert_eq!([-5, 3_723_456_789_012].map(play_seconds), ["0.000", "3723.456"]);
    }

    #[test]
    fn a_moment_is_seen_from_now() {
        let now = "2026-11-16T07:20:00Z";
        let seen = |at| distance(now, at);
        assert_eq!(seen("2026-11-16T07:32:00Z").as_deref(), Some("in 12 min"));
        assert_eq!(seen("2026-11-13T07:20:00Z").as_deref(), Some("3 days ago"));
        assert_eq!(seen("2026-11-16T07:19:58Z").as_deref(), Some("2 s ago"));
        assert_eq!(seen("soon"), None);
    }
}
