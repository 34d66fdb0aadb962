//! `strongroom research pack` and `unpack`: work for machines that are not connected.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::client::escape;
use super::counter::{Counter, read, said};
use super::print::{error, line, plain};
use super::research_office::Remote;
use super::{Failure, Outcome, Place};
use crate::audio::ANALYST_VERSION;
use crate::desk::{ExtendWish, ResultWish, WorkTold, WorkWish};
use crate::research::{Holding, Receipt, Report, Work, pack};
use crate::researcher::{InHouse, Office, Unopened};

#[derive(Args)]
pub(super) struct Pack {
    /// The folder to make
    #[arg(long, value_name = "DIR")]
    to: PathBuf,
    /// The name of the researcher it is for; one pack at a time has it
    #[arg(long)]
    researcher: String,
    /// The version of its analyst
    #[arg(long, default_value_t = ANALYST_VERSION)]
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
        let packed = counter.pack(&self, work)?;
        let shown = plain(&self.to.display().to_string());
        line(&format!(
            "{shown}: {} clips to look for in {}, kept until {}",
            packed.work.clips.len(),
            plain(&packed.work.episode.title),
            held.expires
        ));
        for it in &packed.not_packed {
            line(&format!("Without {} {}: {}", it.kind.word(), it.id, plain(&it.why)));
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

    /// Writes the pack; work that cannot be carried away is for others.
    fn pack(&self, wish: &Pack, work: Work) -> Result<pack::Pack, Failure> {
        let (name, lease) = (wish.researcher.as_str(), work.lease.clone());
        let office: Box<dyn Office + '_> = match self {
            Counter::Here(app) => Box::new(InHouse::new(app, name)),
            Counter::There(client) => Box::new(Remote::new(client.clone(), name, 0)),
        };
        let packed = pack::write(&wish.to, name, work, &mut |kind, recording| match office.open(
            kind,
            recording,
            &|| ControlFlow::Continue(()),
        ) {
            Ok(opened) => Ok(Box::new(opened.reader())),
            Err(Unopened::Trouble { why, .. }) => Err(why),
            Err(Unopened::Stopped) => Err("it was stopped".into()),
        });
        if packed.is_err() {
            // If this fails too, the lease ends by itself.
            office.finish(&lease).ok();
        }
        Ok(packed?)
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
