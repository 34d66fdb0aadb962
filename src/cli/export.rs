//! `strongroom export`: everything that is known, as JSON lines, readable without us.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use storage::durable;

use super::counter::Counter;
use super::print::line;
use super::{Failure, Outcome, Place};

/// Write the registry and the work state as JSON lines.
#[derive(Args)]
#[command(after_help = "Examples:\n  strongroom export --to export-2026\n\n\
    Writes one file per table of the registry, and work.jsonl. A file has its name only when it\n\
    is whole.")]
pub(super) struct Export {
    /// The folder to write to
    #[arg(long, value_name = "DIR", default_value = "strongroom-export")]
    to: PathBuf,
}

impl Export {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let counter = Counter::open(place)?;
        let unable = |error: std::io::Error| {
            Failure::Unable(format!("cannot write to {}: {error}", self.to.display()))
        };
        durable::create_folder(&self.to).map_err(unable)?;
        for part in Counter::parts() {
            let whole = self.to.join(format!("{part}.jsonl"));
            let draft = self.to.join(format!("{part}.jsonl.draft"));
            let mut out = BufWriter::new(File::create(&draft).map_err(unable)?);
            counter.export(part, &mut out)?;
            let file = out.into_inner().map_err(|error| unable(error.into_error()))?;
            (&file).flush().and_then(|()| file.sync_all()).map_err(unable)?;
            durable::rename(&draft, &whole).map_err(unable)?;
            line(&whole.display().to_string());
        }
        Ok(ExitCode::SUCCESS)
    }
}
