//! `strongroom identify`: what files are, as a table, as JSON or as CSV.

mod csv;
mod json;
mod summary;
mod table;

use std::fs::File;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use storage::clock::{Clock, SystemClock};

use self::csv::Csv;
use self::json::Json;
use self::summary::Summary;
use self::table::Table;
use super::print::{error, plain, stream};
use super::standard_input::{self, is_named};
use super::{Failure, Outcome, Place};
use crate::signature_store::{Origin, Shelf};
use pronom::files::inspect::{LookError, Looked, look_at_all, look_at_stream};
use pronom::files::walk::reason;
use pronom::signature::About;
use pronom::{Formats, Looking};

/// Say what files are, by their bytes and names.
#[derive(Args)]
#[command(
    after_help = "Folders are walked in order (those with more than 65,536 entries in sorted \
    parts). Symbolic links are told and not followed; \
    devices, sockets and pipes\nare told and not opened. A file that several formats fit has a \
    line for each, and counts for each\nin the summary.\n\n\
    Exit: 0 done, 1 something could not be read or is not there, 2 could not run, or nothing that\n\
    was named is there.\n\n\
    Examples:\n  strongroom identify letters\n  strongroom identify deposits/*.tif --csv > formats.csv\
    \n  strongroom identify /srv/deposits --summary\n  ssh archive cat letters.pdf | strongroom identify -"
)]
pub(super) struct Identify {
    /// Files and folders; - is a file on standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Print JSON: one object, with one line for each file
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV: one row for each format of each file
    #[arg(long)]
    csv: bool,
    /// Print only how many files and bytes there are of each format
    #[arg(long)]
    summary: bool,
}

/// The signatures that were used, and when.
struct Used {
    about: About,
    origin: Origin,
    warning: Option<String>,
    identified_at: String,
}

/// A way of telling what files are.
trait Report {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()>;
    fn file(&mut self, out: &mut dyn Write, looked: &Looked<'_>) -> io::Result<()>;
    fn end(&mut self, out: &mut dyn Write, summary: &Summary<'_>) -> io::Result<()>;
}

impl Identify {
    pub(super) fn run(self, place: &Place) -> Outcome {
        self.some_path_is_there()?;
        let clock = SystemClock::start();
        let data = place.load(None)?.data;
        place.say_if_absent(&data);
        let shelved = Shelf::at(&data).in_use()?;
        if let Some(warning) = &shelved.warning {
            error(warning);
        }
        let used = Used {
            about: shelved.set.about.clone(),
            origin: shelved.origin,
            warning: shelved.warning,
            identified_at: clock.now().to_string(),
        };
        let formats = Formats::new(shelved.set);
        let steady = || clock.steady();
        let looking = Looking { steady: Some(&steady), ..Looking::default() };
        let mut report: Box<dyn Report> = if self.json {
            Box::new(Json::new(used, self.summary))
        } else if self.csv {
            Box::new(Csv::new(&used, self.summary))
        } else {
            Box::new(Table::new(&used, self.summary))
        };
        let stream = standard_input::take(&self.paths)?;
        match tell(&formats, (self.paths, stream), &looking, &mut *report) {
            // The reader has what it wanted (`| head`).
            Err(LookError::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => Err(error.into()),
            Ok(trouble) => Ok(ExitCode::from(u8::from(trouble))),
        }
    }

    /// Refuses if nothing that was named is there; otherwise the walk says which of them is not.
    fn some_path_is_there(&self) -> Result<(), Failure> {
        let mut why = Vec::new();
        for path in self.paths.iter().filter(|path| !is_named(path)) {
            match path.symlink_metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    why.push(format!("{}: {}", path.display(), reason(&error)));
                }
                // It is there, or something else is wrong with it.
                Ok(_) | Err(_) => return Ok(()),
            }
        }
        if why.len() < self.paths.len() {
            return Ok(());
        }
        Err(Failure::Unable(plain(&why.join("; "))))
    }
}

/// Looks at everything and tells it as it comes; whether something could not be read.
fn tell(
    formats: &Formats,
    (paths, kept): (Vec<PathBuf>, Option<File>),
    looking: &Looking<'_>,
    report: &mut dyn Report,
) -> Result<bool, LookError> {
    let mut out = stream();
    let mut summary = Summary::default();
    report.begin(&mut out).map_err(LookError::Write)?;
    for paths in paths.chunk_by(|one, other| !is_named(one) && !is_named(other)) {
        match (paths, &kept) {
            ([path], Some(kept)) if is_named(path) => {
                let looked =
                    look_at_stream(formats, kept, path, looking).map_err(LookError::Read)?;
                tell_batch(&[looked], &mut summary, report, &mut out).map_err(LookError::Write)?;
            }
            _ => look_at_all(formats, paths.to_vec(), looking, &mut |batch| {
                tell_batch(batch, &mut summary, report, &mut out)
            })?,
        }
    }
    report.end(&mut out, &summary).and_then(|()| out.flush()).map_err(LookError::Write)?;
    Ok(summary.totals.unreadable > 0)
}

fn tell_batch<'s>(
    batch: &[Looked<'s>],
    summary: &mut Summary<'s>,
    report: &mut dyn Report,
    out: &mut dyn Write,
) -> io::Result<()> {
    for looked in batch {
        summary.add(looked);
        report.file(out, looked)?;
    }
    out.flush()
}
