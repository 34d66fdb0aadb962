//! Progress for people: a bar on a terminal, nothing elsewhere. The only file that knows bars.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

/// How far something is.
pub(super) struct Meter {
    bar: ProgressBar,
}

impl Meter {
    /// A meter of bytes.
    pub(super) fn of_bytes(what: &str) -> Meter {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(0)
        } else {
            ProgressBar::hidden()
        };
        let form = "{msg} {bar:30} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(form) {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        Meter { bar }
    }

    /// A meter of things that are counted.
    pub(super) fn of_count(what: &str) -> Meter {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new(0)
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{msg} {bar:30} {pos} of {len}, {eta} left")
        {
            bar.set_style(style);
        }
        bar.set_message(what.to_owned());
        Meter { bar }
    }

    /// A meter of something that goes from stage to stage.
    pub(super) fn of_stages(what: &str) -> Meter {
        let bar = if std::io::stderr().is_terminal() {
            ProgressBar::new_spinner()
        } else {
            ProgressBar::hidden()
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {msg}, {elapsed}") {
            bar.set_style(style);
        }
        bar.set_prefix(what.to_owned());
        Meter { bar }
    }

    /// Shows where it is.
    pub(super) fn say(&self, stage: &str) {
        self.bar.set_message(stage.to_owned());
        self.bar.tick();
    }

    /// Shows how much of how much is done.
    pub(super) fn show(&self, done: u64, total: u64) {
        self.bar.set_length(total);
        self.bar.set_position(done);
    }
}

impl Drop for Meter {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
