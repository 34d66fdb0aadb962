//! `strongroom research pack` and `unpack`: work for machines that are not connected.

use std::io::Read;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, value_parser};
use soundmatch::ANALYST_VERSION;
use storage::registry::{Recorded, SearchOutcome};

use super::client::escape;
use super::counter::{Counter, read, said};
use super::print::{error, line, plain};
use super::research_office::Remote;
use super::{Failure, Outcome, Place};
use crate::desk::{ExtendWish, FinishTold, FinishWish, HOURS_MAX, ResultWish, WorkTold, WorkWish};
use crate::research::{Holding, LeaseNow, Receipt, Report, Work, pack};
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
    /// How long the work is kept for it, in hours: 1 to 720
    #[arg(long, default_value_t = 168, value_parser = value_parser!(u32).range(1..=HOURS_MAX.into()))]
    hours: u32,
}

#[derive(Args)]
pub(super) struct Unpack {
    /// The folder of the pack, with results.jsonl in it
    folder: PathBuf,
}

impl Pack {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let shown = plain(&self.to.display().to_string());
        // All that can be known to fail is looked at before there is a lease to be given back.
        if self.to.try_exists()? {
            let why = format!("{shown} is there already: name a folder that is not");
            return Err(Failure::Unable(why));
        }
        let counter = Counter::open(place)?;
        counter.has_no_pack(&self.researcher)?;
        let wish = WorkWish { researcher: self.researcher.clone(), analyst: self.analyst };
        let Some(work) = counter.next_work(&wish)?.work else {
            return Err(Failure::Refused("there is no work now: nothing was packed".into()));
        };
        let packed = counter.pack(&self, work)?;
        let clips = web::counted(packed.work.clips.len() as u64, "clip");
        let (title, until) = (plain(&packed.work.episode.title), packed.work.expires);
        line(&format!("{shown}: {clips} to look for in {title}, kept until {until}"));
        for it in &packed.not_packed {
            line(&format!("Without {} {}: {}", it.kind.word(), it.id, plain(&it.why)));
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What became of the results of a pack.
#[derive(Default)]
struct Taken {
    new: u64,
    known: u64,
    unheeded: u64,
    refused: u64,
}

impl Taken {
    fn sentence(&self) -> String {
        let mut text = match self.new {
            0 => "nothing new".to_owned(),
            new => format!("{} recorded", web::counted(new, "result")),
        };
        if self.known > 0 {
            text += &format!(", {} recorded before and unchanged", self.known);
        }
        if self.unheeded > 0 {
            let failures = web::counted(self.unheeded, "failure");
            text += &format!(", {failures} not counted because the lease is over");
        }
        if self.refused > 0 {
            text += &format!(", {} refused", self.refused);
        }
        text
    }
}

impl Unpack {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let back = pack::read(&self.folder)?;
        let counter = Counter::open(place)?;
        let shown = plain(&self.folder.display().to_string());
        let mut taken = Taken { refused: back.findings.len() as u64, ..Taken::default() };
        for report in back.reports {
            let (clip, has_failed) =
                (report.clip, matches!(report.result, SearchOutcome::Failed { .. }));
            match counter.record(&back.researcher, report) {
                Ok(Receipt { recorded: Recorded::New, .. }) => taken.new += 1,
                Ok(Receipt { lease: LeaseNow::NotTheirs, .. }) if has_failed => taken.unheeded += 1,
                Ok(_) => taken.known += 1,
                Err(Failure::Refused(why)) => {
                    taken.refused += 1;
                    error(&format!("{shown}: clip {clip}: {}", plain(&why)));
                }
                Err(failure) => return Err(failure),
            }
        }
        for finding in &back.findings {
            error(&format!("{shown}/results.jsonl:{}: {}", finding.line, plain(&finding.sentence)));
        }
        line(&format!("{shown}: {}", taken.sentence()));
        if taken.refused == 0 {
            return Ok(ExitCode::SUCCESS);
        }
        // Nobody knows what the bad ones were about: what has no result must not wait for days.
        if counter.finish(&back.researcher, &back.lease)?.ended {
            line("Its lease has ended: what has no result is offered again.");
        }
        Ok(ExitCode::from(1))
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

    /// Refuses a second pack for the same researcher: it would be the same work again, and two
    /// packs would have one lease.
    fn has_no_pack(&self, researcher: &str) -> Result<(), Failure> {
        let out: Vec<Holding> = match self {
            Counter::Here(app) => said(app.desk().research_leases())?,
            Counter::There(client) => read(client.get("/api/v1/research/leases", &[])?)?,
        };
        match out.iter().find(|it| it.holder.as_deref() == Some(researcher)) {
            None => Ok(()),
            Some(it) => Err(Failure::Unable(format!(
                "{} has work already, under lease {} until {}: unpack its results, end the lease on \
                 the page Leases, or name another researcher",
                plain(researcher),
                it.lease,
                it.expires
            ))),
        }
    }

    /// Writes the pack, with its lease as it is kept; work that cannot be carried away is for others.
    fn pack(&self, wish: &Pack, work: Work) -> Result<pack::Pack, Failure> {
        let (name, lease) = (wish.researcher.as_str(), work.lease.clone());
        let office: Box<dyn Office + '_> = match self {
            Counter::Here(app) => Box::new(InHouse::new(app, name)),
            Counter::There(client) => Box::new(Remote::new(client.clone(), name, 0)),
        };
        let mut fetch = |kind, recording: &_| -> Result<Box<dyn Read>, String> {
            match office.open(kind, recording, &|| ControlFlow::Continue(())) {
                Ok(opened) => Ok(Box::new(opened.reader())),
                Err(Unopened::Trouble { why, .. }) => Err(why),
                Err(Unopened::Stopped) => Err("it was stopped".into()),
            }
        };
        let packed = self.extend_lease(&lease, wish.hours).and_then(|held| {
            let work = Work { expires: held.expires, ..work };
            Ok(pack::write(&wish.to, name, work, &mut fetch)?)
        });
        if packed.is_err() {
            // If this fails too, the lease ends by itself.
            office.finish(&lease).ok();
        }
        packed
    }

    fn finish(&self, researcher: &str, lease: &str) -> Result<FinishTold, Failure> {
        let wish = FinishWish { researcher: researcher.to_owned() };
        match self {
            Counter::Here(app) => said(app.desk().finish_work(lease, &wish)),
            Counter::There(client) => {
                let path = format!("/api/v1/research/leases/{}/finish", escape(lease));
                read(client.post(&path, &serde_json::to_string(&wish)?)?)
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
