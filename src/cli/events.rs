//! `strongroom events`: list, show.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use storage::registry::EventRow;

use super::counter::Counter;
use super::held::One;
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain};
use super::{Outcome, Place};
use crate::desk::unbraced;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom events list --object archive.local/letters\n  \
    strongroom events list --type ingestion --outcome Failure --json\n  \
    strongroom events show 00112233-4455-6677-8899-aabbccddeeff")]
pub(super) enum Events {
    /// List events, newest first
    #[command(
        after_help = "Examples:\n  strongroom events list --object archive.local/letters\n  \
        strongroom events list --type ingestion --outcome Failure --json"
    )]
    List(List),
    /// Show one event, by its UUID or number
    #[command(after_help = "Exit: 0 shown, 1 there is no such event, 2 could not run.\n\n\
        Example:\n  strongroom events show 00112233-4455-6677-8899-aabbccddeeff")]
    Show(One),
}

#[derive(Args)]
pub(super) struct List {
    /// Only events of the object with this identifier
    #[arg(long, value_name = "IDENTIFIER")]
    object: Option<String>,
    /// Only events of the file with this number
    #[arg(long, value_name = "NUMBER")]
    file: Option<String>,
    /// Only events of this kind, such as ingestion or "fixity check"
    #[arg(long = "type", value_name = "TYPE")]
    kind: Option<String>,
    /// Only events that ended so: Success, Failure, Warning
    #[arg(long)]
    outcome: Option<String>,
    #[command(flatten)]
    wanted: Wanted,
}

impl Events {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Events::List(list) => list.run(place),
            Events::Show(one) => {
                let detail = Counter::open(place)?.event(&one.which)?;
                if one.json {
                    json(&detail)?
                } else {
                    print(&detail.event)
                }
                Ok(ExitCode::SUCCESS)
            }
        }
    }
}

impl List {
    fn run(self, place: &Place) -> Outcome {
        let pairs = self.wanted.pairs(&[
            ("intellectual_object_identifier", &self.object),
            ("generic_file_id", &self.file),
            ("event_type", &self.kind),
            ("outcome", &self.outcome),
        ])?;
        let list = Counter::open(place)?.events(&pairs)?;
        if self.wanted.json {
            json(&list)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = list
            .events
            .iter()
            .map(|row| {
                let about = row.generic_file_identifier.as_ref();
                let about = about.unwrap_or(&row.intellectual_object_identifier);
                vec![
                    row.date_time.to_string(),
                    row.event_type.to_string(),
                    row.outcome.to_string(),
                    row.scope.to_string(),
                    clip(about, 50),
                    clip(&unbraced(&row.outcome_information), 50),
                    row.identifier.to_string(),
                ]
            })
            .collect();
        let head = ["WHEN", "EVENT", "OUTCOME", "ABOUT", "OBJECT OR FILE", "WHAT", "IDENTIFIER"];
        print_list("events", (list.count, list.count_is_exact), &head, &rows);
        Ok(ExitCode::SUCCESS)
    }
}

fn print(event: &EventRow) {
    line(&format!("Event {}: {}", event.identifier, event.event_type));
    let version = event.version.map(|version| version.to_string());
    let when = event.date_time.to_string();
    for (name, value) in [
        ("When", Some(&when)),
        ("Object", Some(&event.intellectual_object_identifier)),
        ("Version", version.as_ref()),
        ("File", event.generic_file_identifier.as_ref()),
        ("What was done", Some(&event.detail)),
        ("Outcome", Some(&event.outcome.to_string())),
        ("Outcome detail", Some(&event.outcome_detail)),
        ("What came of it", Some(&event.outcome_information)),
        ("Done by", Some(&event.object)),
        ("Agent", Some(&event.agent)),
        ("Scope", Some(&event.scope.to_string())),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            line(&format!("{name}: {}", plain(value)));
        }
    }
}
