//! `strongroom formats show`: the signature set in use, or one format of it.

use std::process::ExitCode;

use crate::signature_store::Shelf;
use crate::signature_store::{Origin, Shelved, label};
use clap::Args;
use pronom::SignatureSet;
use pronom::signature::{About, Counts, Named, Portrait, titled};
use serde::Serialize;

use super::formats_update::tell_left_out;
use super::print::{error, json, line, plain};
use super::{Failure, Outcome};

/// Show the signature set in use, or what it says about one format.
#[derive(Args)]
#[command(after_help = "Exit: 0 shown, 1 there is no such format, 2 could not run.\n\n\
    Examples:\n  strongroom formats show\n  strongroom formats show fmt/18 --json")]
pub(super) struct Show {
    /// A format, such as fmt/18 or x-fmt/111
    puid: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The set as printed.
#[derive(Serialize)]
struct Told<'a> {
    origin: Origin,
    #[serde(flatten)]
    about: &'a About,
    counts: Counts,
    previous: Option<About>,
    warning: Option<&'a str>,
}

impl Show {
    pub(super) fn run(self, shelf: &Shelf) -> Outcome {
        let shelved = shelf.in_use()?;
        match &self.puid {
            Some(puid) => self.show_format(puid, &shelved),
            None => self.show_set(shelf, &shelved),
        }
    }

    fn show_set(&self, shelf: &Shelf, shelved: &Shelved) -> Outcome {
        let Shelved { set, origin, warning } = shelved;
        let (about, warning) = (&set.about, warning.as_deref());
        let previous = shelf.previous(set).map(|set| set.about);
        let told = Told { origin: *origin, about, counts: set.counts(), previous, warning };
        if self.json {
            json(&told)?;
        } else {
            told.print();
        }
        Ok(ExitCode::SUCCESS)
    }

    fn show_format(&self, puid: &str, shelved: &Shelved) -> Outcome {
        if let Some(warning) = &shelved.warning {
            error(warning);
        }
        let Some(portrait) = shelved.set.portrait(puid) else {
            return Err(unknown(puid, &shelved.set));
        };
        if self.json {
            json(&portrait)?;
        } else {
            print_format(&portrait);
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Told<'_> {
    fn print(&self) {
        if let Some(warning) = self.warning {
            error(warning);
        }
        let About { droid_version, droid_created, container_version, .. } = self.about;
        let since = match (self.origin, &self.about.compiled_at) {
            (Origin::BuiltIn, _) => "it comes with this program".to_owned(),
            (Origin::Stored, Some(since)) => format!("put in use here at {since}"),
            (Origin::Stored, None) => "that of an earlier program".to_owned(),
        };
        let Counts { formats, signatures, container_signatures, extension_only } = self.counts;
        let previous = self.previous.as_ref().map_or("none".to_owned(), label);
        for (name, value) in [
            ("Signature set", since),
            ("DROID", format!("version {droid_version}, made {droid_created}")),
            ("  sha256", self.about.droid_sha256.clone()),
            ("Containers", format!("version {container_version}")),
            ("  sha256", self.about.container_sha256.clone()),
            ("Formats", format!("{formats}, {extension_only} of them by extension only")),
            ("Signatures", format!("{signatures}, and {container_signatures} of containers")),
            ("Previous set", previous),
        ] {
            line(&format!("{name:<15}{}", plain(&value)));
        }
        tell_left_out(self.about);
    }
}

fn print_format(portrait: &Portrait<'_>) {
    let listed = |list: &[String]| match list {
        [] => "none".to_owned(),
        list => list.join(", "),
    };
    line(&plain(&format!("{}  {}", portrait.puid, titled(portrait.name, portrait.version))));
    let Portrait { signatures, container_signatures, .. } = portrait;
    for (name, value) in [
        ("Version", portrait.version.unwrap_or("none").to_owned()),
        ("MIME types", listed(portrait.mime)),
        ("Extensions", listed(portrait.extensions)),
        ("Signatures", format!("{signatures}, and {container_signatures} of containers")),
    ] {
        line(&format!("{name:<15}{}", plain(&value)));
    }
    for (head, formats) in
        [("Has priority over:", &portrait.over), ("Gives way to:", &portrait.under)]
    {
        if !formats.is_empty() {
            line(head);
        }
        for format in formats {
            let title = plain(&Named::title(format));
            line(&format!("  {:<12}  {title}", plain(&format.puid)));
        }
    }
}

fn unknown(puid: &str, set: &SignatureSet) -> Failure {
    let (puid, label) = (plain(puid), label(&set.about));
    Failure::Refused(format!(
        "there is no format {puid} in the signature set in use ({label}); PUIDs look like fmt/18"
    ))
}
