//! `strongroom items`: list, show, report, cancel.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::counter::Counter;
use super::list::{Wanted, print_list};
use super::print::{clip, json, line, plain, table};
use super::{Outcome, Place};
use crate::desk::ItemDetail;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom items list --status Suspended\n  \
    strongroom items list --filter size__gteq=1000000 --sort size__desc --json\n  \
    strongroom items show 12\n  strongroom items report 12\n  strongroom items cancel 12")]
pub(super) enum Items {
    /// List items, newest first
    #[command(after_help = "Examples:\n  strongroom items list --status Suspended\n  \
        strongroom items list --filter size__gteq=1000000 --sort size__desc --json")]
    List(List),
    /// Show one item with its attempts and findings
    #[command(after_help = "Example:\n  strongroom items show 12")]
    Show(One),
    /// Print what is wrong with a deposit, as a text for the depositor
    #[command(after_help = "Example:\n  strongroom items report 12 > report.txt")]
    Report {
        /// The number of the item
        item: u64,
    },
    /// Cancel an item
    #[command(after_help = "Example:\n  strongroom items cancel 12")]
    Cancel(One),
}

#[derive(Args)]
pub(super) struct List {
    /// Only items with this status: Pending, Started, Success, Failed, Cancelled, Suspended
    #[arg(long)]
    status: Option<String>,
    /// Only items at this topic
    #[arg(long)]
    topic: Option<String>,
    /// Only items whose name contains this
    #[arg(long)]
    name: Option<String>,
    /// Only items parked for this reason
    #[arg(long)]
    reason: Option<String>,
    #[command(flatten)]
    wanted: Wanted,
}

#[derive(Args)]
pub(super) struct One {
    /// The number of the item
    item: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Items {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Items::List(list) => list.run(place),
            Items::Show(one) => show(&Counter::open(place)?.item(one.item)?, one.json),
            Items::Report { item } => {
                line(Counter::open(place)?.report(item)?.trim_end());
                Ok(ExitCode::SUCCESS)
            }
            Items::Cancel(one) => show(&Counter::open(place)?.cancel(one.item)?, one.json),
        }
    }
}

impl List {
    fn run(self, place: &Place) -> Outcome {
        let pairs = self.wanted.pairs(&[
            ("status", &self.status),
            ("topic", &self.topic),
            ("name__contains", &self.name),
            ("reason", &self.reason),
        ])?;
        let list = Counter::open(place)?.items(&pairs)?;
        if self.wanted.json {
            json(&list)?;
            return Ok(ExitCode::SUCCESS);
        }
        let rows: Vec<_> = list
            .items
            .iter()
            .map(|row| {
                vec![
                    row.id.to_string(),
                    row.status.clone(),
                    row.action.clone(),
                    row.stage.clone(),
                    clip(&row.name, 40),
                    row.date_processed.to_string(),
                    clip(&row.note, 60),
                ]
            })
            .collect();
        let head = ["ITEM", "STATUS", "ACTION", "STAGE", "NAME", "CHANGED", "NOTE"];
        print_list("items", (list.count, true), &head, &rows);
        Ok(ExitCode::SUCCESS)
    }
}

fn show(detail: &ItemDetail, as_json: bool) -> Outcome {
    if as_json {
        json(detail)?;
        return Ok(ExitCode::SUCCESS);
    }
    let item = &detail.item;
    line(&format!("Item {}: {}", item.id, plain(&item.name)));
    line(&format!("{} / {} / {}", item.action, item.stage, item.status));
    for (name, value) in [
        ("Note", Some(&item.note)),
        ("What happened", item.happened.as_ref()),
        ("What was kept", item.kept.as_ref()),
        ("What to do next", item.advice.as_ref()),
        ("Reason", item.reason.as_ref()),
    ] {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            line(&format!("{name}: {}", plain(value)));
        }
    }
    if let (Some(cause), Some(since)) = (&item.waiting_for, item.waiting_since) {
        line(&format!("Waiting for: {}, since {}", plain(cause), since.to_minute()));
    }
    if !detail.attempts.is_empty() {
        let rows: Vec<_> = detail
            .attempts
            .iter()
            .map(|attempt| {
                let number = attempt.number.to_string();
                let outcome = attempt.outcome.clone().unwrap_or_default();
                let started = attempt.started_at.to_string();
                vec![number, attempt.topic.clone(), started, outcome, clip(&attempt.note, 80)]
            })
            .collect();
        line("");
        table(&["ATTEMPT", "TOPIC", "STARTED", "OUTCOME", "NOTE"], &rows);
    }
    for finding in &detail.findings {
        let place = plain(&finding.place);
        line(&format!(
            "{} {} {place}: {}",
            finding.severity,
            finding.code,
            plain(&finding.sentence)
        ));
    }
    if !detail.requeue_to.is_empty() {
        let stages: Vec<_> = detail.requeue_to.iter().map(|stage| stage.topic.as_str()).collect();
        line(&format!("May be requeued to: {}", stages.join(", ")));
    }
    Ok(ExitCode::SUCCESS)
}
