//! What files are, for programs: one object, written as a stream with one line for each file.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::signature_store::Origin;
use pronom::files::inspect::{Kind, Looked};
use pronom::signature::About;
use pronom::{Basis, Match};
use serde::Serialize;

use super::summary::Summary;
use super::{Report, Used};

pub(super) struct Json {
    used: Used,
    summary_only: bool,
    /// Whether a file was told, and the next one needs a comma before it.
    begun: bool,
}

#[derive(Serialize)]
struct Signatures<'a> {
    origin: Origin,
    #[serde(flatten)]
    about: &'a About,
    warning: Option<&'a str>,
}

#[derive(Serialize)]
struct Row<'a> {
    path: Cow<'a, str>,
    /// The bytes of a path that is not UTF-8, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    path_bytes: Option<String>,
    size_bytes: Option<u64>,
    kind: Kind,
    matches: Vec<Fit<'a>>,
    warnings: &'a [String],
    unknown: Option<&'a str>,
}

#[derive(Serialize)]
struct Fit<'a> {
    puid: &'a str,
    name: &'a str,
    version: Option<&'a str>,
    mime: &'a [String],
    basis: &'a Basis,
}

impl Json {
    pub(super) fn new(used: Used, summary_only: bool) -> Json {
        Json { used, summary_only, begun: false }
    }
}

impl Report for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let Used { about, origin, warning, identified_at } = &self.used;
        let signatures = Signatures { origin: *origin, about, warning: warning.as_deref() };
        writeln!(out, "{{\"signatures\":{},", text(&signatures)?)?;
        write!(out, "\"identified_at\":{},", text(identified_at)?)?;
        if !self.summary_only {
            write!(out, "\n\"files\":[")?;
        }
        Ok(())
    }

    fn file(&mut self, out: &mut dyn Write, looked: &Looked<'_>) -> io::Result<()> {
        if self.summary_only {
            return Ok(());
        }
        let comma = if self.begun { "," } else { "" };
        self.begun = true;
        write!(out, "{comma}\n{}", text(&Row::of(looked))?)
    }

    fn end(&mut self, out: &mut dyn Write, summary: &Summary<'_>) -> io::Result<()> {
        if !self.summary_only {
            write!(out, "\n],")?;
        }
        write!(out, "\n\"summary\":[")?;
        for (at, count) in summary.formats().iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(out, "{comma}\n{}", text(count)?)?;
        }
        writeln!(out, "\n],\n\"totals\":{}}}", text(&summary.totals)?)
    }
}

impl<'a> Row<'a> {
    fn of(looked: &'a Looked<'a>) -> Row<'a> {
        let identification = &looked.identification;
        Row {
            path: looked.path.to_string_lossy(),
            path_bytes: path_bytes(&looked.path),
            size_bytes: looked.size_bytes,
            kind: looked.kind,
            matches: identification.matches.iter().map(Fit::of).collect(),
            warnings: &identification.warnings,
            unknown: identification.unknown.as_deref(),
        }
    }
}

impl<'a> Fit<'a> {
    fn of(found: &'a Match<'a>) -> Fit<'a> {
        let format = found.format;
        Fit {
            puid: &format.puid,
            name: &format.name,
            version: format.version.as_deref(),
            mime: &format.mimes,
            basis: &found.basis,
        }
    }
}

pub(super) fn path_bytes(path: &Path) -> Option<String> {
    let bytes = path.as_os_str().as_bytes();
    std::str::from_utf8(bytes).is_err().then(|| {
        bytes.iter().fold(String::new(), |mut hex, byte| {
            // Writing to a text cannot fail.
            write!(hex, "{byte:02x}").ok();
            hex
        })
    })
}

/// A value in one line. JSON may hold some control characters as they are; here none is, so that
/// no name can steer a terminal.
fn text(value: &impl Serialize) -> io::Result<String> {
    let text = serde_json::to_string(value)?;
    if !text.contains(char::is_control) {
        return Ok(text);
    }
    let mut tame = String::with_capacity(text.len() + 16);
    for letter in text.chars() {
        if letter.is_control() {
            // Writing to a text cannot fail.
            write!(tame, "\\u{:04x}", u32::from(letter)).ok();
        } else {
            tame.push(letter);
        }
    }
    Ok(tame)
}
