//! `strongroom doctor`: are the stores what they should be?

use std::process::ExitCode;

use clap::Args;

use super::counter::Counter;
use super::print::{json, line, plain};
use super::{Failure, Outcome, Place};
use crate::desk::Diagnosis;

/// Check the invariants of every store; exit 1 with findings.
#[derive(Args)]
#[command(after_help = "Examples:\n  strongroom doctor\n  strongroom doctor --mend --json")]
pub(super) struct Doctor {
    /// Put right what is derived from something else
    #[arg(long)]
    mend: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Doctor {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let diagnosis = match Counter::open(place) {
            Ok(counter) => counter.doctor(self.mend)?,
            // It cannot even be opened: that is the finding.
            Err(Failure::Damaged(sentence)) => Diagnosis::of_closed(sentence),
            Err(failure) => return Err(failure),
        };
        if self.json {
            json(&diagnosis)?;
        } else if diagnosis.findings.is_empty() {
            line("All is well.");
        } else {
            for finding in &diagnosis.findings {
                let mended = if finding.mended { " (mended)" } else { "" };
                let sentence = plain(&finding.sentence);
                line(&format!("{} {}: {sentence}{mended}", finding.store, finding.code));
            }
        }
        let left = diagnosis.findings.iter().any(|finding| !finding.mended);
        Ok(if left { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}
