//! What commands write: a table for people, JSON for programs, a sentence for trouble.

use std::io::{BufWriter, StdoutLock, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;

use super::Failure;

/// One line on standard output.
pub(super) fn line(text: &str) {
    out(&format!("{text}\n"));
}

/// Text on standard output. A reader that has gone (`| head`) is no reason to end by a panic: an
/// appliance that is stopping has more to do than to say so.
pub(super) fn out(text: &str) {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if written.is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe) {
        LOST.store(true, Ordering::Relaxed);
    }
}

/// Whether something could not be written though there is a reader.
static LOST: AtomicBool = AtomicBool::new(false);

/// Whether any output of this process was lost, on a full disk for example.
pub(super) fn was_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Standard output for very many lines: locked once, and written in large pieces.
pub(super) fn stream() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, std::io::stdout().lock())
}

/// One line on standard error.
pub(super) fn error(text: &str) {
    // With nobody left to read it, the exit code says the rest.
    writeln!(std::io::stderr(), "strongroom: {text}").ok();
}

/// A value as JSON.
pub(super) fn json(value: &impl Serialize) -> Result<(), Failure> {
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// Columns under their headings, as wide as they need to be.
pub(super) fn table(head: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([head[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..head.len()).map(width).collect();
    let print = |cells: &mut dyn Iterator<Item = &str>| {
        let padded: Vec<_> =
            cells.zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        line(padded.join("  ").trim_end());
    };
    print(&mut head.iter().copied());
    for row in rows {
        print(&mut row.iter().map(String::as_str));
    }
}

/// Text for a terminal: whatever could steer one is shown, not obeyed.
pub(super) fn plain(text: &str) -> String {
    let tame = |letter: char| if letter.is_control() { '\u{FFFD}' } else { letter };
    text.chars().map(tame).collect()
}

/// The first so many characters.
pub(super) fn clip(text: &str, most: usize) -> String {
    let text = plain(text);
    if text.chars().count() <= most {
        return text;
    }
    let mut cut: String = text.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}
