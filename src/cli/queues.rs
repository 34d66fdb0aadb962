//! `strongroom queues`: list, pause, resume, empty.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::counter::Counter;
use super::print::{json, line, table};
use super::{Failure, Outcome, Place};
use crate::desk::QueueRow;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom queues list\n  \
    strongroom queues pause upkeep01_snapshot\n  strongroom queues resume\n  \
    strongroom queues empty upkeep01_snapshot --yes")]
pub(super) enum Queues {
    /// Show every topic
    #[command(after_help = "Examples:\n  strongroom queues list\n  strongroom queues list --json")]
    List(List),
    /// Stop giving out work of a topic, or of all; survives a restart
    #[command(after_help = "Example:\n  strongroom queues pause upkeep01_snapshot")]
    Pause(Lever),
    /// Give out work again
    #[command(after_help = "Examples:\n  strongroom queues resume upkeep01_snapshot\n  \
        strongroom queues resume")]
    Resume(Lever),
    /// Cancel everything that waits in a topic, or in all
    #[command(after_help = "Example:\n  strongroom queues empty upkeep01_snapshot --yes")]
    Empty(Empty),
}

#[derive(Args)]
pub(super) struct List {
    /// Only this topic
    topic: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Lever {
    /// The topic; all of them when left out
    topic: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Empty {
    /// The topic; all of them when left out
    topic: Option<String>,
    /// Do it: cancelled items cannot be brought back
    #[arg(long)]
    yes: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Queues {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        match self {
            Queues::List(list) => {
                let mut rows = counter.queues()?;
                known(&counter, list.topic.as_deref())?;
                rows.retain(|row| list.topic.as_ref().is_none_or(|topic| row.topic == *topic));
                show(&rows, list.json)
            }
            Queues::Pause(lever) => show(&counter.pause(lever.topic.as_deref(), true)?, lever.json),
            Queues::Resume(lever) => {
                show(&counter.pause(lever.topic.as_deref(), false)?, lever.json)
            }
            Queues::Empty(empty) => empty.run(&counter),
        }
    }
}

impl Empty {
    fn run(self, counter: &Counter) -> Outcome {
        if !self.yes {
            known(counter, self.topic.as_deref())?;
            let which = self.topic.as_deref().unwrap_or("every topic");
            return Err(Failure::Refused(format!(
                "this cancels everything that waits in {which} and cannot be undone: say --yes"
            )));
        }
        let emptied = counter.empty(self.topic.as_deref())?;
        if self.json {
            json(&emptied)?;
        } else {
            line(&format!("Cancelled {}.", web::counted(emptied.cancelled, "item")));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Refuses a topic that is not there.
fn known(counter: &Counter, topic: Option<&str>) -> Result<(), Failure> {
    let Some(topic) = topic else { return Ok(()) };
    let rows = counter.queues()?;
    if rows.iter().any(|row| row.topic == topic) {
        return Ok(());
    }
    let known: Vec<_> = rows.iter().map(|row| row.topic.as_str()).collect();
    let known = known.join(", ");
    Err(Failure::Unable(format!("there is no topic {topic:?}; the topics are: {known}")))
}

fn show(rows: &[QueueRow], as_json: bool) -> Outcome {
    if as_json {
        json(&rows)?;
        return Ok(ExitCode::SUCCESS);
    }
    let cells: Vec<_> = rows
        .iter()
        .map(|row| {
            let oldest = row.oldest_seconds.map(|age| format!("{age:.0} s")).unwrap_or_default();
            vec![
                row.topic.clone(),
                row.label.clone(),
                if row.paused { "paused".into() } else { "open".into() },
                row.ready.to_string(),
                row.delayed.to_string(),
                row.in_flight.to_string(),
                row.parked.to_string(),
                row.done.to_string(),
                oldest,
            ]
        })
        .collect();
    let head =
        ["TOPIC", "STAGE", "STATE", "READY", "DELAYED", "IN FLIGHT", "PARKED", "DONE", "OLDEST"];
    table(&head, &cells);
    Ok(ExitCode::SUCCESS)
}
