//! What files are, for spreadsheets: RFC 4180, one row for each format of each file.

use std::io::{self, IsTerminal, Write};

use pronom::files::inspect::Looked;

use crate::signature_store::label;

use super::json::path_bytes;
use super::summary::Summary;
use super::{Report, Used};
use crate::cli::print::plain;
use crate::desk::csv_row;

pub(super) struct Csv {
    signatures: String,
    identified_at: String,
    summary_only: bool,
    /// A file gets every name as it is; a terminal must not be steered by one.
    tame: bool,
}

impl Csv {
    pub(super) fn new(used: &Used, summary_only: bool) -> Csv {
        let signatures = label(&used.about);
        let identified_at = used.identified_at.clone();
        Csv { signatures, identified_at, summary_only, tame: io::stdout().is_terminal() }
    }

    fn row(&self, out: &mut dyn Write, cells: &[&str]) -> io::Result<()> {
        if !self.tame {
            return csv_row(out, cells);
        }
        let tamed: Vec<String> = cells.iter().map(|cell| plain(cell)).collect();
        csv_row(out, &tamed.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

impl Report for Csv {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.summary_only {
            return self
                .row(out, &["puid", "name", "version", "mime", "files", "bytes", "signatures"]);
        }
        let head = ["path", "size_bytes", "kind", "puid", "name", "version", "mime", "basis"];
        let tail = ["detail", "warnings", "signatures", "identified_at", "path_bytes"];
        self.row(out, &[&head[..], &tail].concat())
    }

    fn file(&mut self, out: &mut dyn Write, looked: &Looked<'_>) -> io::Result<()> {
        if self.summary_only {
            return Ok(());
        }
        let path = looked.path.to_string_lossy();
        let size = looked.size_bytes.map(|bytes| bytes.to_string()).unwrap_or_default();
        let identification = &looked.identification;
        let warnings = identification.warnings.join(" | ");
        let file = [&*path, &size, looked.kind.word()];
        let hex = path_bytes(&looked.path).unwrap_or_default();
        let end = [warnings.as_str(), &self.signatures, &self.identified_at, &hex];
        for found in &identification.matches {
            let format = found.format;
            let version = format.version.as_deref().unwrap_or_default();
            let (mime, detail) = (format.mimes.join(", "), found.basis.to_string());
            let fit =
                [&format.puid, &format.name, version, &mime, found.basis.word(), detail.as_str()];
            self.row(out, &[&file[..], &fit, &end].concat())?;
        }
        if identification.matches.is_empty() {
            let why = identification.unknown.as_deref().unwrap_or_default();
            self.row(out, &[&file[..], &["", "", "", "", "", why], &end].concat())?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary<'_>) -> io::Result<()> {
        if !self.summary_only {
            return Ok(());
        }
        for count in summary.formats() {
            let (files, bytes) = (count.files.to_string(), count.bytes.to_string());
            let (version, mime) = (count.version.unwrap_or_default(), count.mime.join(", "));
            let cells = [count.puid, count.name, version, &mime, &files, &bytes, &self.signatures];
            self.row(out, &cells)?;
        }
        // What has no format is a part of the whole.
        let totals = &summary.totals;
        for (name, files, bytes) in [
            ("unknown", totals.unknown, totals.unknown_bytes),
            ("unreadable", totals.unreadable, 0),
            ("link", totals.links, 0),
            ("device", totals.devices, 0),
        ] {
            let (count, bytes) = (files.to_string(), bytes.to_string());
            if files > 0 {
                self.row(out, &["", name, "", "", &count, &bytes, &self.signatures])?;
            }
        }
        Ok(())
    }
}
