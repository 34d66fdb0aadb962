//! `strongroom files`: list, show.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde_json::Value;
use storage::registry::{CopyState, HeldState};

use super::counter::Counter;
use super::held::{One, print_events};
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain, table};
use super::{Failure, Outcome, Place};
use crate::desk::FileDetail;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom files list --object archive.local/letters\n  \
    strongroom files list --puid fmt/18 --sort size__desc --json\n  \
    strongroom files show archive.local/letters/data/a.txt")]
pub(super) enum Files {
    /// List files, each in its current version
    #[command(after_help = "Examples:\n  strongroom files list --object archive.local/letters\n  \
        strongroom files list --puid fmt/18 --sort size__desc --json")]
    List(List),
    /// Show one file with its digests, format, copies and last events
    #[command(after_help = "Exit: 0 shown, 1 there is no such file, 2 could not run.\n\n\
        Examples:\n  strongroom files show archive.local/letters/data/a.txt\n  \
        strongroom files show 12 --json")]
    Show(One),
}

#[derive(Args)]
pub(super) struct List {
    /// Only files of the object with this identifier
    #[arg(long, value_name = "IDENTIFIER")]
    object: Option<String>,
    /// Only files whose path has these words, the last one at least begun
    #[arg(long, value_name = "WORDS")]
    path: Option<String>,
    /// Only files of this format, such as fmt/18
    #[arg(long)]
    puid: Option<String>,
    /// Only files with this SHA-256
    #[arg(long, value_name = "DIGEST")]
    sha256: Option<String>,
    /// Only files in this state: A for active, D for deleted
    #[arg(long)]
    state: Option<String>,
    #[command(flatten)]
    wanted: Wanted,
}

impl Files {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Files::List(list) => list.run(place),
            Files::Show(one) => {
                let detail = Counter::open(place)?.file(&one.which)?;
                if one.json {
                    json(&detail)?
                } else {
                    print(&detail)?
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl List {
    fn run(self, place: &Place) -> Outcome {
        let pairs = self.wanted.pairs(&[
            ("object_identifier", &self.object),
            ("named", &self.path),
            ("puid", &self.puid),
            ("sha256", &self.sha256),
            ("state", &self.state),
        ])?;
        let list = Counter::open(place)?.files(&pairs)?;
        if self.wanted.json {
            json(&list)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = list
            .files
            .iter()
            .map(|row| {
                vec![
                    row.id.to_string(),
                    row.version.to_string(),
                    row.size.to_string(),
                    if row.puid.is_empty() { "unknown".into() } else { plain(&row.puid) },
                    // Cut, it could not be given to `show`.
                    plain(&row.identifier),
                ]
            })
            .collect();
        let head = ["FILE", "VERSION", "BYTES", "PUID", "IDENTIFIER"];
        print_list("files", (list.count, list.count_is_exact), &head, &rows);
        Ok(ExitCode::SUCCESS)
    }
}

fn print(detail: &FileDetail) -> Result<(), Failure> {
    let file = &detail.file;
    line(&format!("File {}: {}", file.id, plain(&file.identifier)));
    line(&format!("UUID: {}", file.uuid));
    let state = match (file.state, file.deleted_at) {
        (HeldState::Active, _) => match detail.deletion_request {
            None => "held".to_owned(),
            Some(request) => format!("being deleted by request {request}"),
        },
        (HeldState::Deleted, Some(at)) => format!("deleted at {at}"),
        (HeldState::Deleted, None) => "deleted".to_owned(),
    };
    line(&format!("State: {state}"));
    line(&format!("Bytes: {}", file.size));
    if let Some(at) = file.modified_at {
        line(&format!("Last changed by its depositor: {at}"));
    }
    line(&format!("Version: {}, since {}", file.version, file.updated_at));
    line(&format!("In the vault: {}", plain(&file.content_path)));
    let format = format!("{} {} {}", file.puid, file.format_name, file.format_version);
    let format = plain(format.trim());
    let format = if format.is_empty() { "unknown" } else { &format };
    line(&format!("Format: {format}"));
    for (name, value) in [
        ("Media type", Some(&file.file_format)),
        ("Told by", Some(&file.format_basis)),
        ("Format warnings", file.format_warnings.as_ref()),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            line(&format!("{name}: {}", plain(value)));
        }
    }
    // As in JSON, which is where digests become digits.
    if let Value::Object(digests) = serde_json::to_value(file.digests)? {
        for (name, digits) in &digests {
            line(&format!("{name}: {}", digits.as_str().unwrap_or_default()));
        }
    }
    print_versions(detail);
    print_copies(detail);
    print_events(&detail.events);
    Ok(())
}

fn print_versions(detail: &FileDetail) {
    if detail.versions.len() < 2 {
        return;
    }
    let rows: Vec<_> = detail
        .versions
        .iter()
        .map(|row| {
            let (version, since) = (row.version.to_string(), row.updated_at.to_string());
            vec![version, since, row.size.to_string(), clip(&row.content_path, 80)]
        })
        .collect();
    line("");
    table(&["VERSION", "SINCE", "BYTES", "IN THE VAULT"], &rows);
}

fn print_copies(detail: &FileDetail) {
    let rows: Vec<_> = detail
        .copies
        .iter()
        .map(|copy| {
            let state = match copy.state {
                CopyState::Sound => "sound",
                CopyState::Damaged => "damaged",
                CopyState::Missing => "missing",
            };
            vec![
                plain(&copy.replica),
                state.to_owned(),
                copy.stored_at.to_string(),
                copy.verified_at.to_string(),
                copy.last_checked_at.to_string(),
            ]
        })
        .collect();
    line("");
    if rows.is_empty() {
        line("No copies.");
    } else {
        table(&["REPLICA", "COPY", "STORED", "VERIFIED", "LAST CHECKED"], &rows);
    }
}
