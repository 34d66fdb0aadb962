//! `strongroom fixity`: check, due, report.

use std::io::{BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use storage::registry::Sight;

use super::counter::Counter;
use super::fixity_check::Check;
use super::print::{clip, json, line, plain, table};
use super::{Failure, Outcome, Place};
use crate::alerts::lost_advice;
use crate::fault::Fault;
use crate::fixity::Standing;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom fixity check archive.local/letters --wait\n  \
    strongroom fixity check --all\n  strongroom fixity due\n  \
    strongroom fixity report --csv > fixity.csv")]
pub(super) enum Fixity {
    /// Read every copy of an object now, or of everything, and mend what is damaged
    Check(Check),
    /// Say which objects are read next, in each replica
    #[command(after_help = "Examples:\n  strongroom fixity due\n  \
        strongroom fixity due --limit 100 --json")]
    Due(Due),
    /// Say how old the checks are, and which copies are not sound
    #[command(after_help = "Exit: 0 all copies are sound as far as is known; 1 some are damaged, \
        missing or lost; 2 could not run.\n\n\
        Examples:\n  strongroom fixity report\n  strongroom fixity report --csv > fixity.csv\n  \
        strongroom fixity report --csv --unsound > unsound.csv")]
    Report(Report),
    /// Say that the disk or bucket of a replica was replaced by an empty one, and have it filled
    #[command(
        after_help = "The appliance must not be running. When it is started again, everything \
        that the\nreplica held is copied to it from the other replicas. An empty folder may also be a \
        disk\nthat is not mounted: look before you say this.\n\n\
        Example:\n  strongroom fixity replaced b"
    )]
    Replaced(Replaced),
}

#[derive(Args)]
pub(super) struct Replaced {
    /// The name of the replica, as in the configuration
    #[arg(value_name = "REPLICA")]
    replica: String,
}

#[derive(Args)]
pub(super) struct Due {
    /// Objects told of each replica, up to 1,000
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Report {
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a table for spreadsheets: one row for each replica
    #[arg(long)]
    csv: bool,
    /// With --csv, one row for each copy that is not sound
    #[arg(long, requires = "csv")]
    unsound: bool,
}

impl Fixity {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Fixity::Check(check) => check.run(place),
            Fixity::Due(due) => due.run(place),
            Fixity::Report(report) => report.run(place),
            Fixity::Replaced(replaced) => replaced.run(place),
        }
    }
}

impl Replaced {
    fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        let Counter::Here(app) = &counter else {
            return Err(Failure::Refused("the appliance is running: stop it first".into()));
        };
        let taken = app.vaults.take_replacement(&self.replica, app.shop.clock.now());
        match taken {
            Ok(()) => {}
            Err(Fault::Failed(failure)) => return Err(Failure::Refused(failure.sentence())),
            Err(other) => return Err(Failure::Unable(format!("{other:?}"))),
        }
        for missing in app.registry.missing_copies(Sight::All)? {
            line(&plain(&missing.sentence()));
        }
        line("Start the appliance: it copies what is missing.");
        Ok(ExitCode::SUCCESS)
    }
}

impl Due {
    fn run(self, place: &Place) -> Outcome {
        let replicas = Counter::open(place)?.fixity_due(self.limit)?;
        if self.json {
            json(&replicas)?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut rows = Vec::new();
        for replica in &replicas {
            rows.extend(replica.objects.iter().map(|next| {
                vec![
                    plain(&replica.replica),
                    clip(&next.object.identifier, 60),
                    next.object.copy_count.to_string(),
                    next.object.oldest_checked_at.to_string(),
                    if next.is_due { "now".to_owned() } else { next.due_at.to_string() },
                ]
            }));
        }
        if rows.is_empty() {
            line("Nothing is held, so nothing is to be read.");
        } else {
            table(&["REPLICA", "OBJECT", "COPIES", "OLDEST CHECK", "DUE"], &rows);
        }
        Ok(ExitCode::SUCCESS)
    }
}

impl Report {
    fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        let standing = counter.fixity()?;
        if self.json {
            json(&standing)?;
        } else if self.csv {
            self.print_csv(&counter)?;
        } else {
            print_report(&standing);
        }
        Ok(verdict(&standing))
    }

    fn print_csv(&self, counter: &Counter) -> Result<(), Failure> {
        let mut text = Vec::new();
        counter.fixity_csv(self.unsound, &mut text)?;
        let stdout = std::io::stdout();
        if stdout.is_terminal() {
            // A name may hold what steers a terminal.
            for row in String::from_utf8_lossy(&text).lines() {
                line(&plain(row));
            }
            return Ok(());
        }
        let mut out = BufWriter::new(stdout.lock());
        let written = out.write_all(&text).and_then(|()| out.flush());
        match written {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(Failure::Unable(format!("the table could not be written: {error}")))
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// One if a copy is not sound, or is missing.
pub(super) fn verdict(standing: &Standing) -> ExitCode {
    let is_whole = standing.unsound_count == 0 && standing.missing.is_empty();
    if is_whole { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// How it stands, what is wrong before everything else.
pub(super) fn print_report(standing: &Standing) {
    if standing.lost_count > 0 {
        let lost = || standing.unsound.iter().filter(|copy| copy.is_lost);
        let page = lost().next().map(|copy| format!("/files/{}", copy.uuid));
        line(&format!(
            "LOST: {}. No hot replica has a sound copy. {}",
            standing.lost_count,
            plain(&lost_advice(
                page.as_deref().unwrap_or("/fixity"),
                lost().map(|copy| copy.cold_replica.as_deref()),
            ))
        ));
    }
    for missing in &standing.missing {
        line(&plain(&missing.sentence()));
    }
    if standing.unsound_count > 0 {
        line(&format!("Copies that are not sound: {}", standing.unsound_count));
        let rows: Vec<_> = standing
            .unsound
            .iter()
            .map(|copy| {
                let state = if copy.is_lost { "lost".into() } else { word(&copy.state) };
                vec![
                    state,
                    plain(&copy.replica),
                    copy.version.to_string(),
                    copy.last_checked_at.to_string(),
                    plain(&copy.file),
                ]
            })
            .collect();
        table(&["STATE", "REPLICA", "VERSION", "LAST CHECK", "FILE"], &rows);
        let untold = standing.unsound_count.saturating_sub(rows.len() as u64);
        if untold > 0 {
            line(&format!("and {untold} more: `strongroom fixity report --csv --unsound`"));
        }
        line("");
    }
    let rows: Vec<_> = standing
        .replicas
        .iter()
        .map(|row| {
            let oldest = row.checks.oldest_checked_at.map(|at| at.to_string());
            let next = row.next_due_at.map(|at| at.to_string());
            vec![
                plain(&row.checks.replica),
                row.checks.copy_count.to_string(),
                row.checks.unsound_count.to_string(),
                oldest.unwrap_or_else(|| "-".into()),
                row.due_copy_count.to_string(),
                next.unwrap_or_else(|| "-".into()),
            ]
        })
        .collect();
    table(&["REPLICA", "COPIES", "UNSOUND", "OLDEST CHECK", "DUE NOW", "NEXT DUE"], &rows);
    for row in &standing.replicas {
        line(&format!("{}: {}", plain(&row.checks.replica), row.outlook));
    }
    line(&standing.forecast);
}

fn word(state: &storage::registry::CopyState) -> String {
    format!("{state:?}").to_lowercase()
}
