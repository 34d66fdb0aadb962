//! `strongroom report`: deposits, growth, formats, storage, ndsa.

use std::io::{BufWriter, IsTerminal, Write};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;
use storage::registry::Figures;

use super::client::{Client, query};
use super::counter::{Counter, copy, read, said};
use super::print::{json, line, out, plain, table};
use super::{Failure, Outcome, Place};
use crate::desk::ReportKind;

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom report deposits\n  \
    strongroom report deposits --date 2026-11 --csv > deposits.csv\n  \
    strongroom report growth --start 2025-01 --institution archive.local\n  \
    strongroom report ndsa > ndsa.txt")]
pub(super) enum Report {
    /// What each institution holds under which storage option
    #[command(after_help = "Figures of a month are of its beginning, as they were written down \
        then.\n\nExamples:\n  strongroom report deposits\n  \
        strongroom report deposits --date 2026-11 --json")]
    Deposits(Deposits),
    /// How what is held has grown, month by month
    #[command(after_help = "Examples:\n  strongroom report growth\n  \
        strongroom report growth --start 2025-01 --end 2025-12 --csv > 2025.csv")]
    Growth(Growth),
    /// Which formats are held
    #[command(after_help = "Examples:\n  strongroom report formats\n  \
        strongroom report formats --csv > formats.csv")]
    Formats(Form),
    /// What each replica holds, and how much room is left
    #[command(after_help = "Examples:\n  strongroom report storage\n  \
        strongroom report storage --json")]
    Storage(Form),
    /// How far the archive has come by the NDSA Levels of Digital Preservation
    #[command(after_help = "Examples:\n  strongroom report ndsa\n  \
        strongroom report ndsa --csv > ndsa.csv")]
    Ndsa(Form),
}

#[derive(Args)]
pub(super) struct Form {
    /// Print JSON
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print a table for spreadsheets
    #[arg(long)]
    csv: bool,
}

#[derive(Args)]
pub(super) struct Whose {
    /// Of this institution and its accounts, by identifier or number
    #[arg(long, value_name = "ID")]
    institution: Option<String>,
    /// Under this storage option
    #[arg(long, value_name = "NAME")]
    storage_option: Option<String>,
}

#[derive(Args)]
pub(super) struct Deposits {
    #[command(flatten)]
    whose: Whose,
    /// When this month began, as in 2026-11; now unless set
    #[arg(long, value_name = "MONTH")]
    date: Option<String>,
    #[command(flatten)]
    form: Form,
}

#[derive(Args)]
pub(super) struct Growth {
    #[command(flatten)]
    whose: Whose,
    /// From this month on
    #[arg(long, value_name = "MONTH")]
    start: Option<String>,
    /// Until this month
    #[arg(long, value_name = "MONTH")]
    end: Option<String>,
    #[command(flatten)]
    form: Form,
}

type Pairs = Vec<(String, String)>;

impl Report {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        let (kind, pairs, form) = self.asked();
        if form.csv {
            print_csv(&counter, kind, &pairs)?;
        } else {
            match kind {
                ReportKind::Deposits => print_deposits(&counter, &pairs, form.json)?,
                ReportKind::Growth => print_growth(&counter, &pairs, form.json)?,
                ReportKind::Formats => print_formats(&counter, form.json)?,
                ReportKind::Storage => print_storage(&counter, form.json)?,
                ReportKind::Ndsa => print_scorecard(&counter, form.json)?,
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn asked(self) -> (ReportKind, Pairs, Form) {
        match self {
            Report::Deposits(Deposits { whose, date, form }) => {
                let named = [("date", date), ("end", None)];
                (ReportKind::Deposits, whose.named(named), form)
            }
            Report::Growth(Growth { whose, start, end, form }) => {
                (ReportKind::Growth, whose.named([("start", start), ("end", end)]), form)
            }
            Report::Formats(form) => (ReportKind::Formats, Vec::new(), form),
            Report::Storage(form) => (ReportKind::Storage, Vec::new(), form),
            Report::Ndsa(form) => (ReportKind::Ndsa, Vec::new(), form),
        }
    }
}

impl Whose {
    fn named(self, more: [(&str, Option<String>); 2]) -> Pairs {
        let own = [("institution", self.institution), ("storage_option", self.storage_option)];
        let all = own.into_iter().chain(more);
        all.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// Asks a running appliance for a report.
fn fetch<T: serde::de::DeserializeOwned>(
    client: &Client,
    kind: ReportKind,
    pairs: &[(String, String)],
) -> Result<T, Failure> {
    read(client.get(&format!("/api/v1/reports/{}", kind.name()), pairs)?)
}

fn print_csv(counter: &Counter, kind: ReportKind, pairs: &Pairs) -> Result<(), Failure> {
    let mut text = Vec::new();
    match counter {
        Counter::Here(app) => {
            let asked = said(kind.question(pairs))?;
            said(app.desk().report_csv(kind, &asked, &mut text))?;
        }
        Counter::There(client) => {
            let path = format!("/api/v1/reports/{}.csv{}", kind.name(), query(pairs));
            copy(client, &path, &mut text)?;
        }
    }
    let stdout = std::io::stdout();
    if stdout.is_terminal() {
        // A name may hold what steers a terminal.
        String::from_utf8_lossy(&text).lines().for_each(|row| line(&plain(row)));
        return Ok(());
    }
    let mut out = BufWriter::new(stdout.lock());
    match out.write_all(&text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::Unable(format!("the table could not be written: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints JSON if that is wanted, and says whether it was.
fn as_json(value: &impl Serialize, wanted: bool) -> Result<bool, Failure> {
    if wanted {
        json(value)?;
    }
    Ok(wanted)
}

fn print_deposits(counter: &Counter, pairs: &Pairs, wants_json: bool) -> Result<(), Failure> {
    let kind = ReportKind::Deposits;
    let report = match counter {
        Counter::Here(app) => said(app.desk().deposit_report(&said(kind.question(pairs))?))?,
        Counter::There(client) => fetch(client, kind, pairs)?,
    };
    if as_json(&report, wants_json)? {
        return Ok(());
    }
    let derived = if report.is_derived { ", worked out afterwards" } else { "" };
    line(&format!("As of {}{derived}", report.at.to_minute()));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &report.rows {
        rows.push(numbered(vec![plain(&row.institution), plain(&row.storage_option)], row.figures));
    }
    rows.push(numbered(vec!["all together".into(), String::new()], report.total));
    table(&["INSTITUTION", "OPTION", "OBJECTS", "FILES", "BYTES"], &rows);
    Ok(())
}

fn print_growth(counter: &Counter, pairs: &Pairs, wants_json: bool) -> Result<(), Failure> {
    let kind = ReportKind::Growth;
    let report = match counter {
        Counter::Here(app) => said(app.desk().growth_report(&said(kind.question(pairs))?))?,
        Counter::There(client) => fetch(client, kind, pairs)?,
    };
    if as_json(&report, wants_json)? {
        return Ok(());
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for point in &report.points {
        let when = point.month.map_or("now".to_owned(), |month| month.to_string());
        let mut row = numbered(vec![when], point.figures);
        row.push(point.added_size.map_or("-".to_owned(), |more| format!("{more:+}")));
        row.push(if point.is_derived { "worked out".into() } else { String::new() });
        rows.push(row);
    }
    table(&["BEGINNING OF", "OBJECTS", "FILES", "BYTES", "CHANGE", ""], &rows);
    Ok(())
}

fn print_formats(counter: &Counter, wants_json: bool) -> Result<(), Failure> {
    let report = match counter {
        Counter::Here(app) => said(app.desk().format_report())?,
        Counter::There(client) => fetch(client, ReportKind::Formats, &[])?,
    };
    if as_json(&report, wants_json)? {
        return Ok(());
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &report.rows {
        let puid = if row.puid.is_empty() { "unknown".to_owned() } else { plain(&row.puid) };
        let name = if row.name.is_empty() { &row.mime } else { &row.name };
        let name = if name.is_empty() { "no known format" } else { name.as_str() };
        let name = plain(format!("{name} {}", row.version).trim());
        rows.push(vec![puid, name, row.file_count.to_string(), row.size.to_string()]);
    }
    table(&["PUID", "FORMAT", "FILES", "BYTES"], &rows);
    let more = if report.mismatches.is_at_least { "at least " } else { "" };
    line(&format!(
        "Of unknown format: {} of {} files",
        report.unidentified_count, report.file_count
    ));
    line(&format!("Name and format do not agree: {more}{}", report.mismatches.file_count));
    Ok(())
}

fn print_storage(counter: &Counter, wants_json: bool) -> Result<(), Failure> {
    let report = match counter {
        Counter::Here(app) => {
            app.vaults.look();
            said(app.desk().storage_report())?
        }
        Counter::There(client) => fetch(client, ReportKind::Storage, &[])?,
    };
    if as_json(&report, wants_json)? {
        return Ok(());
    }
    let mut rows: Vec<Vec<String>> = Vec::new();
    for row in &report.replicas {
        let start =
            vec![plain(&row.replica), plain(&row.place), row.class.clone(), row.standing.clone()];
        let mut cells = numbered(start, row.whole);
        cells.push(row.free_bytes.map_or("-".to_owned(), |free| free.to_string()));
        rows.push(cells);
    }
    table(&["REPLICA", "PLACE", "CLASS", "STATE", "OBJECTS", "FILES", "BYTES", "FREE"], &rows);
    if report.nowhere_whole.object_count > 0 {
        let count = report.nowhere_whole.object_count;
        line(&format!("Whole in no replica: {count}; see `strongroom fixity report`"));
    }
    Ok(())
}

fn print_scorecard(counter: &Counter, wants_json: bool) -> Result<(), Failure> {
    let card = match counter {
        Counter::Here(app) => said(app.desk().scorecard())?,
        Counter::There(client) => fetch(client, ReportKind::Ndsa, &[])?,
    };
    if !as_json(&card, wants_json)? {
        let text: Vec<String> = card.text().lines().map(plain).collect();
        out(&format!("{}\n", text.join("\n")));
    }
    Ok(())
}

fn numbered(mut cells: Vec<String>, figures: Figures) -> Vec<String> {
    let numbers = [figures.object_count, figures.file_count, figures.size];
    cells.extend(numbers.map(|number| number.to_string()));
    cells
}
