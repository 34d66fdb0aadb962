//! Bars: how far an attempt is, and how full a disk is.

use maud::{Markup, html};
use serde::Serialize;

use super::figures::{count, human_size};

/// How far an attempt has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Units done.
    pub done: u64,
    /// Units to do; 0 when nobody knows yet.
    pub total: u64,
    /// The unit in the plural, for example "files"; "bytes" is shown as a size, and none as a part
    /// of a hundred.
    pub unit: String,
}

impl Progress {
    fn words(&self) -> String {
        let amount = |n| if self.unit == "bytes" { human_size(n) } else { count(n) };
        let unit = if self.unit == "bytes" { "" } else { self.unit.as_str() };
        let words = match (self.done, self.total) {
            (0, 0) => return "just started".to_owned(),
            (done, total) if self.unit.is_empty() && total > 0 => {
                return format!("{} %", done.min(total).saturating_mul(100) / total);
            }
            (done, 0) => format!("{} {unit}", amount(done)),
            (done, total) => format!("{} of {} {unit}", amount(done), amount(total)),
        };
        words.trim_end().to_owned()
    }
}

/// Renders a bar that live events find by its item and redraw, text included.
pub fn progress(item: u64, progress: &Progress) -> Markup {
    let words = progress.words();
    html! {
        span.progress {
            @if progress.total == 0 {
                progress data-item=(item) data-unit=(progress.unit)
                    aria-label={ "Progress of item " (item) } {}
            } @else {
                progress data-item=(item) data-unit=(progress.unit)
                    value=(progress.done.min(progress.total)) max=(progress.total)
                    aria-label={ "Progress of item " (item) } { (words) }
            }
            span.progress-words { (words) }
        }
    }
}

/// Renders a bar that a script fills, for what this page itself does.
pub fn progress_of(id: &str, label: &str) -> Markup {
    html! {
        span.progress {
            progress id=(id) aria-label=(label) max="1" value="0" {}
            span.progress-words {}
        }
    }
}

/// Renders how much of a disk is used, with the free room in words.
pub fn room(free_bytes: u64, total_bytes: u64) -> Markup {
    if total_bytes == 0 {
        return html! { span.quiet { "not known yet" } };
    }
    let used = total_bytes.saturating_sub(free_bytes);
    // Three quarters used is worth a look, nine tenths is worth acting on.
    let (low, high) = (total_bytes / 4 * 3, total_bytes / 10 * 9);
    html! {
        span.progress {
            meter min="0" max=(total_bytes) value=(used) low=(low) high=(high) optimum="0"
                aria-label="Disk room used" {}
            span.progress-words {
                (human_size(free_bytes)) " free of " (human_size(total_bytes))
            }
        }
    }
}
