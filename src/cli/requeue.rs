//! `strongroom requeue`: one item, or all that are parked for the same reason.

use std::process::ExitCode;

use clap::Args;

use super::counter::Counter;
use super::print::{json, line, plain};
use super::{Failure, Outcome, Place};

/// Put an item, or everything parked for one reason, back in line.
#[derive(Args)]
#[command(after_help = "Examples:\n  strongroom requeue 12\n  \
    strongroom requeue 12 --stage upkeep01_snapshot\n  strongroom requeue --reason disk-full")]
pub(super) struct Requeue {
    /// The number of the item
    #[arg(required_unless_present = "reason", conflicts_with = "reason")]
    item: Option<u64>,
    /// The topic to go back to: the item's own or an earlier one; with --reason, only this one
    #[arg(long, value_name = "TOPIC")]
    stage: Option<String>,
    /// Everything parked for this reason
    #[arg(long)]
    reason: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Requeue {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        let stage = self.stage.as_deref();
        match (self.item, &self.reason) {
            (Some(id), _) => {
                let detail = counter.requeue(id, stage)?;
                if self.json {
                    json(&detail)?;
                } else {
                    let (stage, name) = (&detail.item.stage, plain(&detail.item.name));
                    line(&format!("Item {id} ({name}) is back in line for {stage}."));
                }
                Ok(ExitCode::SUCCESS)
            }
            (None, Some(reason)) => {
                let requeued = counter.requeue_all(reason, stage)?;
                if self.json {
                    json(&requeued)?;
                } else {
                    line(&format!("Put {} back in line.", web::counted(requeued.requeued, "item")));
                }
                Ok(ExitCode::SUCCESS)
            }
            (None, None) => Err(Failure::Unable("name an item or a reason".into())),
        }
    }
}
