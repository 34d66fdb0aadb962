//! The formats of an object's files: a bar for the eye, and the same in words and numbers.

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{cell, count, human_size, num};

/// Files of one format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FormatBar {
    /// Name and version of the format, for people.
    pub name: String,
    /// PRONOM's identifier; empty when unknown.
    pub puid: String,
    /// How many files have it.
    pub file_count: u64,
    /// Their bytes.
    pub size: u64,
}

/// Renders the formats as a section; `unshown` are the formats beyond those listed.
pub(super) fn formats(bars: &[FormatBar], unshown: u64, all_files: u64) -> Markup {
    html! {
        @if !bars.is_empty() {
            section aria-labelledby="formats-heading" {
                h2 #formats-heading { "Formats" }
                table.formats {
                    thead { tr {
                        th scope="col" { "Format" }
                        th scope="col" { "PUID" }
                        th.num scope="col" { "Files" }
                        th scope="col" { "Share" }
                        th.num scope="col" { "Size" }
                    } }
                    tbody { @for bar in bars { (row(bar, all_files)) } }
                }
                @if unshown > 0 { p.quiet { "and " (count(unshown)) " more formats." } }
            }
        }
    }
}

/// The share in tenths of a percent; nothing is shown as more than all.
fn share(part: u64, all: u64) -> u64 {
    let tenths = u128::from(part) * 1000 / u128::from(all.max(1));
    u64::try_from(tenths).unwrap_or(1000).min(1000)
}

fn row(bar: &FormatBar, all: u64) -> Markup {
    let tenths = share(bar.file_count, all);
    let words = match tenths {
        0 => "under 0.1 %".to_owned(),
        tenths => format!("{}.{} %", tenths / 10, tenths % 10),
    };
    html! {
        tr {
            th scope="row" { bdi { (bar.name) } }
            (cell("PUID", if bar.puid.is_empty() { "unknown" } else { &bar.puid }))
            (num("Files", bar.file_count))
            td data-label="Share" {
                span.share {
                    // A hair of a bar, so that what is there can be seen.
                    svg viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true" {
                        rect width=(tenths.max(4)) height="10" {}
                    }
                    (words)
                }
            }
            td.num data-label="Size" { (human_size(bar.size)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_never_more_than_all() {
        assert_eq!(
            [share(1, 3), share(3, 3), share(0, 0), share(u64::MAX, 1)],
            [333, 1000, 0, 1000]
        );
    }
}
