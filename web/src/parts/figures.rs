//! Numbers, sizes, times and digests as people read them.

use std::time::Duration;

use jiff::Timestamp;
use maud::{Markup, html};

/// Powers of 1000, as storage is sold and billed; `app.js` repeats this ladder for live progress.
const SIZE_UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];

/// Writes a number with thousands separators: `1,234,567`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Writes a number with its noun: `1 item`, `2,000 items`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", count(number))
}

/// Writes a size with one decimal: `1.2 GB`; below 1000 it is exact: `999 bytes`.
pub fn human_size(bytes: u64) -> String {
    if bytes < 1000 {
        return counted(bytes, "byte");
    }
    let mut unit: u128 = 1000;
    for name in SIZE_UNITS {
        // Rounded tenths decide the rung, so that 999,950 reads "1.0 MB" and never "1000.0 kB".
        let tenths = (u128::from(bytes) * 10 + unit / 2) / unit;
        if tenths < 10_000 {
            return format!("{}.{} {name}", tenths / 10, tenths % 10);
        }
        unit *= 1000;
    }
    counted(bytes, "byte")
}

/// Shows a rounded size; the exact byte count appears on hover and on keyboard focus.
pub fn size(bytes: u64) -> Markup {
    let human = human_size(bytes);
    html! {
        @if bytes < 1000 { (human) }
        @else {
            data.size value=(bytes) tabindex="0" {
                (human) span.exact { (count(bytes)) " bytes" }
            }
        }
    }
}

/// Shows a rounded size with the exact byte count beside it, where there is room for both.
pub fn size_with_bytes(bytes: u64) -> Markup {
    html! {
        (human_size(bytes))
        @if bytes >= 1000 { " " span.quiet { "(" (count(bytes)) " bytes)" } }
    }
}

/// Writes a duration in its two largest units: `0.4 s`, `45 s`, `3 min`, `2 h 10 min`, `5 days`.
pub fn duration(seconds: f64) -> String {
    // A negative or absurd duration is a fault elsewhere; the page shows a dash, not a wrong time.
    let Ok(span) = Duration::try_from_secs_f64(seconds) else {
        return "\u{2013}".to_owned();
    };
    let (whole, minutes, hours) = (span.as_secs(), span.as_secs() / 60, span.as_secs() / 3600);
    match whole {
        0 if span.is_zero() => "0 s".to_owned(),
        0..10 => format!("{:.1} s", span.as_secs_f64()),
        10..120 => format!("{whole} s"),
        120..3600 => format!("{minutes} min"),
        3600..172_800 => format!("{hours} h {} min", minutes % 60),
        172_800.. => format!("{} days", count(hours / 24)),
    }
}

/// Shows a moment to the minute in UTC; the `datetime` attribute keeps the full precision.
pub fn time(moment: &str) -> Markup {
    match moment.parse::<Timestamp>() {
        Ok(at) => html! {
            time datetime=(moment) { (at.strftime("%Y-%m-%d %H:%M").to_string()) " UTC" }
        },
        // Better the text as stored than no time at all.
        Err(_) => html! { time { (moment) } },
    }
}

/// Shows a digest in fixed-width type that may wrap anywhere.
pub fn digest(hex: &str) -> Markup {
    html! { code.digest { (hex) } }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_never_show_a_thousand_of_a_unit() {
        let shown = [0, 1, 999, 1000, 999_949, 999_950, 1_234_567_890, u64::MAX].map(human_size);
        let wanted =
            ["0 bytes", "1 byte", "999 bytes", "1.0 kB", "999.9 kB", "1.0 MB", "1.2 GB", "18.4 EB"];
        assert_eq!(shown, wanted);
    }

    #[test]
    fn durations_read_as_people_say_them() {
        let shown = [0.0, 0.42, 9.96, 45.0, 200.0, 7800.0, 432_000.0, -1.0].map(duration);
        assert_eq!(shown, ["0 s", "0.4 s", "10.0 s", "45 s", "3 min", "2 h 10 min", "5 days", "–"]);
    }

    #[test]
    fn counts_are_grouped_by_three() {
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn an_unreadable_time_is_shown_as_stored() {
        assert_eq!(time("once").into_string(), "<time>once</time>");
    }
}
