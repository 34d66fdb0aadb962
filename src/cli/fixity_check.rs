//! `strongroom fixity check`: asks for a check, and follows it to its end.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::counter::Counter;
use super::fixity::{print_report, verdict};
use super::meter::Meter;
use super::print::{json, line, plain};
use super::{Failure, Outcome, Place};
use crate::desk::ItemDetail;

/// Between two looks.
const LOOK: Duration = Duration::from_millis(300);

#[derive(Args)]
#[command(
    after_help = "With --wait, exit: 0 every copy is sound; 1 a copy is damaged, missing or \
    lost, or the check needs a person; 2 could not run.\n\n\
    Examples:\n  strongroom fixity check archive.local/letters --wait\n  \
    strongroom fixity check --all"
)]
pub(super) struct Check {
    /// The object: its identifier or number
    #[arg(value_name = "ID", required_unless_present = "all", conflicts_with = "all")]
    which: Option<String>,
    /// Everything that is held
    #[arg(long)]
    all: bool,
    /// Wait until it is done
    #[arg(long)]
    wait: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        let is_served = matches!(counter, Counter::There(_));
        if self.wait && !is_served {
            return Err(Failure::Unable(
                "--wait needs a running appliance: start one with `strongroom serve`, or leave \
                 --wait away; nothing was asked for"
                    .into(),
            ));
        }
        let outcome = match &self.which {
            Some(which) => self.one(&counter, which),
            None => self.everything(&counter),
        };
        if outcome.is_ok() && !is_served && !self.json {
            line("No appliance runs: what is in line is read after its next start.");
        }
        outcome
    }

    fn one(&self, counter: &Counter, which: &str) -> Outcome {
        let mut detail = counter.check_object(which)?;
        let mut code = 0;
        if self.wait {
            detail = followed(counter, detail)?;
            let unsound = counter.object(which)?.replicas.iter().any(|it| it.unsound_count > 0);
            code = u8::from(unsound || detail.item.status != "Success");
        }
        if self.json {
            json(&detail)?;
            return Ok(ExitCode::from(code));
        }
        let item = &detail.item;
        let object = plain(which);
        match item.status.as_str() {
            "Pending" | "Started" => line(&format!("{object} is in line as item {}", item.id)),
            status => line(&format!("{object}: {} (item {})", status.to_lowercase(), item.id)),
        }
        if self.wait {
            let said = [&item.happened, &item.kept, &item.advice].into_iter().flatten();
            for text in said.chain([&item.note]).filter(|text| !text.is_empty()) {
                line(&format!("  {}", plain(text)));
            }
        }
        Ok(ExitCode::from(code))
    }

    fn everything(&self, counter: &Counter) -> Outcome {
        let asked = counter.check_all()?;
        if !self.json {
            line(&asked.sentence());
        }
        if !self.wait {
            if self.json {
                json(&asked)?;
            }
            return Ok(ExitCode::SUCCESS);
        }
        let meter = Meter::of_stages("fixity");
        let standing = loop {
            let standing = counter.fixity()?;
            if standing.waiting == 0 {
                break standing;
            }
            meter.say(&format!("{} objects are in line", standing.waiting));
            std::thread::park_timeout(LOOK);
        };
        drop(meter);
        if self.json {
            json(&standing)?;
        } else {
            print_report(&standing);
        }
        Ok(verdict(&standing))
    }
}

/// The item as it ended, or as it waits for a person.
pub(super) fn followed(counter: &Counter, mut detail: ItemDetail) -> Result<ItemDetail, Failure> {
    let meter = Meter::of_stages(&detail.item.name);
    let id = detail.item.id.unsigned_abs();
    while ["Pending", "Started"].contains(&detail.item.status.as_str()) {
        meter.say(&format!("{}, {}", detail.item.stage, detail.item.status));
        std::thread::park_timeout(LOOK);
        detail = counter.item(id)?;
    }
    Ok(detail)
}
