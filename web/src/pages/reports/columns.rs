//! A plot of columns over time. The table beside it says the same.

use maud::{Markup, html};
use serde::Serialize;

/// One column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PlotColumn {
    /// What stands below it, if there is room.
    pub label: String,
    /// How high it is.
    pub value: u64,
    /// The same for people.
    pub words: String,
    /// Whether it was worked out afterwards: drawn as an outline.
    pub is_derived: bool,
}

/// The room that columns have, in units of the drawing, and what is left around it for words.
const WIDTH: u64 = 700;
const HEIGHT: u64 = 160;
const LEFT: u64 = 10;
const TOP: u64 = 22;
/// Words below columns that have room beside each other.
const LABELS: usize = 8;

/// Renders the columns under a title; nothing when there are none.
pub(super) fn columns(title: &str, columns: &[PlotColumn]) -> Markup {
    let Some(last) = columns.last() else { return html! {} };
    let most = columns.iter().map(|it| it.value).max().unwrap_or(0).max(1);
    let top = columns.iter().find(|it| it.value == most).map_or("", |it| it.words.as_str());
    let each = columns.len().div_ceil(LABELS).max(1);
    let width = WIDTH / columns.len() as u64;
    html! {
        figure.columns {
            svg viewBox="0 0 720 206" role="img" aria-labelledby="plot-title"
                aria-describedby="plot-about" {
                title #plot-title { (title) }
                desc #plot-about {
                    "From " (columns[0].words) " (" (columns[0].label) ") to " (last.words)
                    " (" (last.label) "), at most " (top) ". The table below has every number."
                }
                path.ground d={ "M" (LEFT) " " (TOP + HEIGHT) "H" (LEFT + WIDTH) } {}
                path.most d={ "M" (LEFT) " " (TOP) "H" (LEFT + WIDTH) } {}
                text x=(LEFT) y="16" { (top) }
                @for (at, column) in columns.iter().enumerate() {
                    @let from = LEFT + at as u64 * WIDTH / columns.len() as u64;
                    @let height = share(column.value, most);
                    rect class=[column.is_derived.then_some("derived")] x=(from + 1)
                        y=(TOP + HEIGHT - height) width=(width.saturating_sub(2).max(1))
                        height=(height) {}
                    @if (columns.len() - 1 - at).is_multiple_of(each) {
                        text x=(from + width / 2) y="200" text-anchor="middle" { (column.label) }
                    }
                }
            }
            @if columns.iter().any(|it| it.is_derived) {
                figcaption.quiet {
                    "Outlined columns were worked out afterwards, from what was still known."
                }
            }
        }
    }
}

/// The part of the height that this part of all has; a hair at least of what is there.
fn share(part: u64, all: u64) -> u64 {
    let scaled = u128::from(part) * u128::from(HEIGHT) / u128::from(all.max(1));
    let height = u64::try_from(scaled).unwrap_or(HEIGHT).min(HEIGHT);
    if part == 0 { 0 } else { height.max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_outside_of_the_plot() {
        let shares = [share(5, 10), share(u64::MAX, 1), share(1, u64::MAX), share(0, 0)];
        assert_eq!(shares, [80, 160, 1, 0]);
    }
}
