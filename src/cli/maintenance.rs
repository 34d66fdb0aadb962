//! `strongroom maintenance`: close the house to all but administrators, and open it again.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use super::counter::{Counter, read, said};
use super::print::{json, line, plain};
use super::{Failure, Outcome, Place};
use crate::desk::MaintenanceTold;

/// Close the house to all but administrators, or open it again.
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom maintenance on --sentence \"Back at noon.\"\n  \
    strongroom maintenance show\n  strongroom maintenance off")]
pub(super) enum Maintenance {
    /// Let nobody in but administrators, and begin no work; survives a restart
    #[command(after_help = "Example:\n  strongroom maintenance on --sentence \"Back at noon.\"")]
    On(Close),
    /// Let everybody in, and go on with the work
    #[command(after_help = "Example:\n  strongroom maintenance off")]
    Off(Say),
    /// Say whether it is closed
    #[command(after_help = "Example:\n  strongroom maintenance show --json")]
    Show(Say),
}

#[derive(Args)]
pub(super) struct Close {
    /// What people are told, in one sentence
    #[arg(long, default_value = "")]
    sentence: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Say {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Maintenance {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        let (told, as_json) = match self {
            Maintenance::On(close) => (counter.set_maintenance(true, &close.sentence)?, close.json),
            Maintenance::Off(say) => (counter.set_maintenance(false, "")?, say.json),
            Maintenance::Show(say) => (counter.maintenance()?, say.json),
        };
        if as_json {
            json(&told)?;
            return Ok(ExitCode::SUCCESS);
        }
        match (&told.sentence, &told.since, &told.by) {
            (Some(sentence), Some(since), Some(by)) => {
                line(&format!("Closed since {since} by {}.", plain(by)));
                line(&format!("People are told: {}", plain(sentence)));
            }
            (_, _, _) => line("The house is open."),
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Counter {
    fn maintenance(&self) -> Result<MaintenanceTold, Failure> {
        match self {
            Counter::Here(app) => Ok(app.desk().maintenance()),
            Counter::There(client) => read(client.get("/api/v1/maintenance", &[])?),
        }
    }

    fn set_maintenance(&self, on: bool, sentence: &str) -> Result<MaintenanceTold, Failure> {
        match self {
            Counter::Here(app) if on => said(app.desk().close(sentence)),
            Counter::Here(app) => said(app.desk().reopen()),
            Counter::There(client) => {
                let wish = serde_json::json!({"on": on, "sentence": sentence});
                read(client.post("/api/v1/maintenance", &wish.to_string())?)
            }
        }
    }
}
