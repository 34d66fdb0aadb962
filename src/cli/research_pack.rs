//! `strongroom research pack` and `unpack`: work for machines that are not connected.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::client::escape;
use super::counter::{Counter, read, said};
use super::print::{error, line, plain};
use super::{Failure, Outcome, Place};
use crate::desk::{ExtendWish, ResultWish, WorkTold, WorkWish};
use crate::research::{Holding, Receipt, Report, pack};

#[derive(Args)]
pub(super) struct Pack {
    /// The folder to make
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The name of the researcher it is for; one pack at a time has it
    #[arg(long)]
    researcher: String,
    /// The version of its analyst
    #[arg(long, default_value_t = 1)]
    analyst: u32,
    /// How long the work is kept for it, in hours
    #[arg(long, default_value_t = 168)]
    hours: u32,
}

#[derive(Args)]
pub(super) struct Unpack {
    /// The folder of the pack, with results.jsonl in it
    folder: PathBuf,
}

impl Pack {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        let wish = WorkWish { researcher: self.researcher.clone(), analyst: self.analyst };
        let Some(work) = counter.next_work(&wish)?.work else {
            return Err(Failure::Refused("there is no work now: nothing was packed".into()));
        };
        let held = counter.extend_lease(&work.lease, self.hours)?;
        let packed = pack::write(&self.to, &self.researcher, work)?;
        let shown = plain(&self.to.display().to_string());
        line(&format!(
            "{shown}: {} clips to look for in {}, kept until {}",
            packed.work.clips.len(),
            plain(&packed.work.episode.title),
            held.expires
        ));
        for place in &packed.not_packed {
            line(&format!("Not in the pack, fetch it from {}", plain(place)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Unpack {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let back = pack::read(&self.folder)?;
        let counter = Counter::open(place)?;
        let shown = plain(&self.folder.display().to_string());
        let (mut recorded, mut refused) = (0, back.findings.len());
        for report in back.reports {
            let clip = report.clip;
            match counter.record(&back.researcher, report) {
                Ok(_) => recorded += 1,
                Err(Failure::Refused(why)) => {
                    refused += 1;
                    error(&format!("{shown}: clip {clip}: {}", plain(&why)));
                }
                Err(failure) => return Err(failure),
            }
        }
        for finding in &back.findings {
            error(&format!("{shown}/results.jsonl:{}: {}", finding.line, plain(&finding.sentence)));
        }
        line(&format!("{shown}: {recorded} results are recorded, {refused} were refused"));
        Ok(if refused > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

impl Counter {
    fn next_work(&self, wish: &WorkWish) -> Result<WorkTold, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().next_work(wish)),
            Counter::There(client) => {
                read(client.post("/api/v1/research/work", &serde_json::to_string(wish)?)?)
            }
        }
    }

    fn extend_lease(&self, lease: &str, hours: u32) -> Result<Holding, Failure> {
        let wish = ExtendWish { hours };
        match self {
            Counter::Here(app) => said(app.desk().extend_lease(lease, &wish)),
            Counter::There(client) => {
                let path = format!("/api/v1/research/leases/{}/extend", escape(lease));
                read(client.post(&path, &serde_json::to_string(&wish)?)?)
            }
        }
    }

    fn record(&self, researcher: &str, report: Report) -> Result<Receipt, Failure> {
        let wish = ResultWish { researcher: researcher.to_owned(), report };
        match self {
            Counter::Here(app) => said(app.desk().record_result(&wish)),
            Counter::There(client) => {
                read(client.post("/api/v1/research/results", &serde_json::to_string(&wish)?)?)
            }
        }
    }
}
