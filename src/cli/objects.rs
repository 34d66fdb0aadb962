//! `strongroom objects`: list, show.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use storage::registry::HeldState;

use super::counter::Counter;
use super::held::{One, print_events};
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain, table};
use super::{Outcome, Place};
use crate::desk::ObjectDetail;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom objects list --title letters\n  \
    strongroom objects list --filter size__gteq=1000000 --sort size__desc --json\n  \
    strongroom objects show archive.local/letters")]
pub(super) enum Objects {
    /// List objects, the last changed first
    #[command(after_help = "Examples:\n  strongroom objects list --title letters\n  \
        strongroom objects list --filter size__gteq=1000000 --sort size__desc --json")]
    List(List),
    /// Show one object with its versions, formats, replicas and last events
    #[command(after_help = "Exit: 0 shown, 1 there is no such object, 2 could not run.\n\n\
        Examples:\n  strongroom objects show archive.local/letters\n  \
        strongroom objects show 12 --json")]
    Show(One),
}

#[derive(Args)]
pub(super) struct List {
    /// Only objects whose identifier begins so
    #[arg(long)]
    identifier: Option<String>,
    /// Only objects that have these words, the last one at least begun
    #[arg(long, value_name = "WORDS")]
    title: Option<String>,
    /// Only objects with this access: consortia, institution, restricted
    #[arg(long)]
    access: Option<String>,
    /// Only objects kept so, such as Standard
    #[arg(long, value_name = "OPTION")]
    storage_option: Option<String>,
    /// Only objects in this state: A for active, D for deleted
    #[arg(long)]
    state: Option<String>,
    #[command(flatten)]
    wanted: Wanted,
}

impl Objects {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Objects::List(list) => list.run(place),
            Objects::Show(one) => {
                let detail = Counter::open(place)?.object(&one.which)?;
                if one.json {
                    json(&detail)?
                } else {
                    print(&detail)
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl List {
    fn run(self, place: &Place) -> Outcome {
        let pairs = self.wanted.pairs(&[
            ("identifier__starts_with", &self.identifier),
            ("named", &self.title),
            ("access", &self.access),
            ("storage_option", &self.storage_option),
            ("state", &self.state),
        ])?;
        let list = Counter::open(place)?.objects(&pairs)?;
        if self.wanted.json {
            json(&list)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = list
            .objects
            .iter()
            .map(|row| {
                vec![
                    row.id.to_string(),
                    clip(&row.identifier, 60),
                    row.version.to_string(),
                    row.file_count.to_string(),
                    row.size.to_string(),
                    row.storage_option.clone(),
                    row.updated_at.to_string(),
                    clip(&row.title, 40),
                ]
            })
            .collect();
        let head =
            ["OBJECT", "IDENTIFIER", "VERSION", "FILES", "BYTES", "STORAGE", "CHANGED", "TITLE"];
        print_list("objects", (list.count, list.count_is_exact), &head, &rows);
        Ok(ExitCode::SUCCESS)
    }
}

fn print(detail: &ObjectDetail) {
    let object = &detail.object;
    line(&format!("Object {}: {}", object.id, plain(&object.identifier)));
    let state = match (object.state, detail.deletion_request) {
        (HeldState::Active, None) => "held".to_owned(),
        (HeldState::Active, Some(request)) => {
            format!("held; being deleted, whole or in part, by request {request}")
        }
        (HeldState::Deleted, _) => "deleted".to_owned(),
    };
    for (name, value) in [
        ("Title", Some(object.title.as_str())),
        ("Description", object.description.as_deref()),
        ("Alternate identifier", object.alt_identifier.as_deref()),
        ("Bag group", object.bag_group_identifier.as_deref()),
        ("Source organization", object.source_organization.as_deref()),
        ("Access", Some(object.access.name())),
        ("Storage option", Some(&object.storage_option)),
        ("Profile", Some(&object.bagit_profile_identifier)),
        ("Institution", Some(&object.institution_identifier)),
        ("State", Some(&state)),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            line(&format!("{name}: {}", plain(value)));
        }
    }
    line(&format!(
        "Files: {} of {} bytes; payload: {} of {} bytes",
        object.file_count, object.size, object.payload_file_count, object.payload_size
    ));
    line(&format!("Created: {}; changed: {}", object.created_at, object.updated_at));
    print_versions(detail);
    print_formats(detail);
    print_replicas(detail);
    print_events(&detail.events);
}

fn print_versions(detail: &ObjectDetail) {
    let rows: Vec<_> = detail
        .versions
        .iter()
        .map(|deposit| {
            let facts = &deposit.facts;
            let sealed = deposit.sealed_at.map(|at| at.to_string());
            vec![
                deposit.version.to_string(),
                facts.received_at.map(|at| at.to_string()).unwrap_or_default(),
                sealed.unwrap_or_else(|| "being written".into()),
                facts.size.to_string(),
                facts.item_id.to_string(),
                clip(&facts.file_name, 60),
            ]
        })
        .collect();
    line("");
    table(&["VERSION", "RECEIVED", "PRESERVED", "BYTES", "ITEM", "DEPOSIT"], &rows);
}

fn print_formats(detail: &ObjectDetail) {
    let rows: Vec<_> = detail
        .formats
        .iter()
        .map(|format| {
            let puid = if format.puid.is_empty() { "unknown" } else { &format.puid };
            let name = format!("{} {}", format.name, format.version);
            let (files, bytes) = (format.file_count.to_string(), format.size.to_string());
            vec![plain(puid), clip(name.trim(), 60), files, bytes]
        })
        .collect();
    if !rows.is_empty() {
        line("");
        table(&["PUID", "FORMAT", "FILES", "BYTES"], &rows);
    }
}

fn print_replicas(detail: &ObjectDetail) {
    let rows: Vec<_> = detail
        .replicas
        .iter()
        .map(|replica| {
            vec![
                plain(&replica.replica),
                replica.copy_count.to_string(),
                replica.unsound_count.to_string(),
                replica.oldest_checked_at.to_string(),
                plain(&replica.url),
            ]
        })
        .collect();
    if !rows.is_empty() {
        line("");
        table(&["REPLICA", "COPIES", "UNSOUND", "OLDEST CHECK", "ADDRESS"], &rows);
    }
}
