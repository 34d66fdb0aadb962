//! How long ago copies were read: bars by age with a line at the age that is allowed, and the same
//! numbers in a table.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{count, counted, num};

/// Copies that were read so many days ago.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgeBar {
    /// At least.
    pub from_days: u64,
    /// Less than.
    pub until_days: u64,
    /// How many.
    pub copy_count: u64,
}

/// The room that bars have, in units of the drawing, and what is left above it for words.
const WIDTH: u64 = 344;
const HEIGHT: u64 = 84;
const LEFT: u64 = 8;
const TOP: u64 = 20;

/// Renders the ages of one replica's copies; `at` tells its table from others.
pub(super) fn plot(replica: &str, bars: &[AgeBar], (every_days, at): (u64, usize)) -> Markup {
    let Some(span) = bars.last().map(|bar| bar.until_days) else { return html! {} };
    let most = bars.iter().map(|bar| bar.copy_count).max().unwrap_or(0).max(1);
    let line = LEFT + share(every_days, span, WIDTH);
    let (anchor, word_x) = if line > WIDTH / 2 { ("end", line - 4) } else { ("start", line + 4) };
    html! {
        figure.ages {
            svg viewBox="0 0 360 122" role="img" aria-label=(summary(replica, bars, every_days)) {
                @for bar in bars.iter().filter(|bar| bar.copy_count > 0) {
                    (drawn(bar, (span, most), every_days))
                }
                path.ground d={ "M" (LEFT) " " (TOP + HEIGHT) "H" (LEFT + WIDTH) } {}
                path.allowed d={ "M" (line) " 6V" (TOP + HEIGHT) } {}
                text x=(word_x) y="14" text-anchor=(anchor) {
                    (counted(every_days, "day")) " allowed"
                }
                text x=(LEFT) y="118" { "today" }
                text x=(LEFT + WIDTH) y="118" text-anchor="end" {
                    (counted(span, "day")) " ago"
                }
            }
            details id={ "ages-" (at) } {
                summary { "The same as numbers" span.unseen { ", replica " (replica) } }
                table.plain {
                    thead { tr {
                        th scope="col" { "Read" }
                        th.num scope="col" { "Copies" }
                    } }
                    tbody {
                        @for bar in bars.iter().filter(|bar| bar.copy_count > 0) {
                            tr {
                                th scope="row" { (words(bar)) (late(bar, every_days)) }
                                (num("Copies", bar.copy_count))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A hair of a bar at least, so that what is there can be seen.
fn drawn(bar: &AgeBar, (span, most): (u64, u64), every_days: u64) -> Markup {
    let from = LEFT + share(bar.from_days, span, WIDTH);
    let until = LEFT + share(bar.until_days, span, WIDTH);
    let height = share(bar.copy_count, most, HEIGHT).max(2);
    let class = if bar.from_days >= every_days { "late" } else { "fresh" };
    html! {
        rect class=(class) x=(from) y=(TOP + HEIGHT - height)
            width=(until.saturating_sub(from + 1).max(1)) height=(height) {}
    }
}

/// The part of a length that this part of all has; nothing is more than all.
fn share(part: u64, all: u64, length: u64) -> u64 {
    let scaled = u128::from(part) * u128::from(length) / u128::from(all.max(1));
    u64::try_from(scaled).unwrap_or(length).min(length)
}

fn words(bar: &AgeBar) -> String {
    match (bar.from_days, bar.until_days - bar.from_days) {
        (0, 1) => "less than a day ago".to_owned(),
        (from, 1) => format!("{} ago", counted(from, "day")),
        (from, _) => format!("{from} to {} ago", counted(bar.until_days - 1, "day")),
    }
}

fn late(bar: &AgeBar, every_days: u64) -> &'static str {
    if bar.from_days >= every_days { ", past what is allowed" } else { "" }
}

fn summary(replica: &str, bars: &[AgeBar], every_days: u64) -> String {
    let of = |wanted: bool| {
        let bars = bars.iter().filter(|bar| (bar.from_days >= every_days) == wanted);
        bars.map(|bar| bar.copy_count).fold(0, u64::saturating_add)
    };
    format!(
        "How long ago the copies in replica {replica} were read. Within the {} that are allowed: \
         {}. Longer ago: {}.",
        counted(every_days, "day"),
        count(of(false)),
        count(of(true)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_outside_of_the_plot() {
        assert_eq!(share(5, 10, 344), 172);
        assert_eq!([share(u64::MAX, 1, 344), share(1, 0, 344), share(0, 0, 344)], [344, 344, 0]);
    }

    #[test]
    fn ages_read_as_people_say_them() {
        let bar = |from_days, until_days| AgeBar { from_days, until_days, copy_count: 1 };
        let shown = [bar(0, 1), bar(1, 2), bar(0, 7), bar(7, 14)].map(|bar| words(&bar));
        assert_eq!(
            shown,
            ["less than a day ago", "1 day ago", "0 to 6 days ago", "7 to 13 days ago"]
        );
    }
}
