//! What files are, for people.

use std::io::{self, Write};

use pronom::files::inspect::Looked;
use pronom::signature::titled;

use crate::signature_store::label;

use super::summary::{Summary, Totals};
use super::{Report, Used};
use crate::cli::print::{clip, plain};

/// Formats of one file that are listed: an extension alone may stand for dozens.
const LISTED: usize = 8;

/// Columns of a fixed width, as lines are told before the last is known.
pub(super) struct Table {
    signatures: String,
    summary_only: bool,
}

impl Table {
    pub(super) fn new(used: &Used, summary_only: bool) -> Table {
        let signatures = format!("Signatures: {}", label(&used.about));
        Table { signatures, summary_only }
    }
}

impl Report for Table {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.summary_only {
            return Ok(());
        }
        row(out, ["PUID", "FORMAT", "MIME", "BASIS", "SIZE", "PATH"])
    }

    fn file(&mut self, out: &mut dyn Write, looked: &Looked<'_>) -> io::Result<()> {
        if self.summary_only {
            return Ok(());
        }
        let path = plain(&looked.path.to_string_lossy());
        let size = looked.size_bytes.map_or("-".to_owned(), |bytes| bytes.to_string());
        let identification = &looked.identification;
        for found in identification.matches.iter().take(LISTED) {
            let format = found.format;
            let puid = plain(&format.puid);
            let title = clip(&titled(&format.name, format.version.as_deref()), 36);
            let mime = clip(&format.mimes.join(", "), 32);
            row(out, [&puid, &title, &mime, found.basis.word(), &size, &path])?;
        }
        if let Some(more) = identification.matches.len().checked_sub(LISTED + 1) {
            writeln!(out, "  and {} more formats; --json and --csv list all", more + 1)?;
        }
        if identification.matches.is_empty() {
            row(out, ["-", "unknown", "", looked.kind.word(), &size, &path])?;
        }
        if let Some(why) = &identification.unknown {
            writeln!(out, "  {}", plain(why))?;
        }
        for warning in &identification.warnings {
            writeln!(out, "  warning: {}", plain(warning))?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary<'_>) -> io::Result<()> {
        let formats = summary.formats();
        if !self.summary_only {
            writeln!(out)?;
        }
        if !formats.is_empty() {
            writeln!(out, "{:>9}  {:>15}  {:<12}  FORMAT", "FILES", "BYTES", "PUID")?;
        }
        for count in formats {
            let (puid, title) = (plain(count.puid), plain(&titled(count.name, count.version)));
            writeln!(out, "{:>9}  {:>15}  {puid:<12}  {title}", count.files, count.bytes)?;
        }
        writeln!(out, "{}", totals_line(&summary.totals))?;
        writeln!(out, "{}", self.signatures)
    }
}

fn totals_line(totals: &Totals) -> String {
    let mut parts = vec![format!("{} identified", totals.identified)];
    let ending = |count: u64| if count == 1 { "" } else { "s" };
    for (count, word) in [
        (totals.several, "with several formats".to_owned()),
        (totals.unknown, "unknown".to_owned()),
        (totals.empty, "empty".to_owned()),
        (totals.with_warnings, "with warnings".to_owned()),
        (totals.unreadable, "unreadable".to_owned()),
        (totals.links, format!("link{}", ending(totals.links))),
        (totals.devices, format!("device{}", ending(totals.devices))),
    ] {
        if count > 0 {
            parts.push(format!("{count} {word}"));
        }
    }
    let (files, bytes) = (totals.files, totals.bytes);
    format!("{files} file{}, {bytes} bytes: {}", ending(files), parts.join(", "))
}

fn row(out: &mut dyn Write, cells: [&str; 6]) -> io::Result<()> {
    let [puid, format, mime, basis, size, path] = cells;
    writeln!(out, "{puid:<10}  {format:<36}  {mime:<32}  {basis:<10}  {size:>12}  {path}")
}
