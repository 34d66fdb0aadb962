//! `strongroom export`: everything that is known, readable without us.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use byteio::durable;
use clap::Args;

use super::counter::Counter;
use super::print::{line, plain, stream};
use super::{Failure, Outcome, Place};
use crate::premis::place;

/// Objects asked for in one go.
const PAGE: &str = "500";

/// Write the registry and the work state as JSON lines, and every object as PREMIS.
#[derive(Args)]
#[command(after_help = "Examples:\n  strongroom export --to export-2026\n  \
    strongroom export --object archive.local/letters --to -\n\n\
    Writes one file per table of the registry, work.jsonl, and premis/INSTITUTION/BAG.xml for each\n\
    object. A bag whose name some disk cannot hold goes by as much of it as can be held, and a\n\
    digest. A file has its name only when it is whole.")]
pub(super) struct Export {
    /// The folder to write to; `-` writes one object to standard output
    #[arg(long, value_name = "DIR", default_value = "strongroom-export")]
    to: PathBuf,
    /// Only the PREMIS document of this object, by identifier or number
    #[arg(long, value_name = "ID")]
    object: Option<String>,
    /// No PREMIS documents
    #[arg(long, conflicts_with = "object")]
    no_premis: bool,
}

impl Export {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let to_reader = self.to.as_os_str() == "-";
        match &self.object {
            None if to_reader => {
                let why = "only one object fits on standard output: name it with --object";
                return Err(Failure::Unable(why.to_owned()));
            }
            Some(object) if to_reader => {
                let mut out = Reader(stream());
                Counter::open(place)?.premis(object, &mut out)?;
                out.flush().map_err(|error| {
                    Failure::Unable(format!("cannot write the export: {error}"))
                })?;
            }
            Some(object) => {
                let counter = Counter::open(place)?;
                let identifier = counter.object(object)?.object.identifier;
                let path = self.write_premis(&counter, &identifier)?;
                line(&plain(&path.display().to_string()));
            }
            None => {
                let counter = Counter::open(place)?;
                self.write_parts(&counter)?;
                if !self.no_premis {
                    self.write_objects(&counter)?;
                }
            }
        }
        Ok(ExitCode::SUCCESS)
    }

    fn write_parts(&self, counter: &Counter) -> Result<(), Failure> {
        for part in Counter::parts() {
            let path = self.to.join(format!("{part}.jsonl"));
            self.write_whole(&path, |out| counter.export(part, out))?;
            line(&path.display().to_string());
        }
        Ok(())
    }

    /// Every object, a page at a time. One that is first preserved meanwhile may be among them.
    fn write_objects(&self, counter: &Counter) -> Result<(), Failure> {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let (mut written, mut cursor) = (0_u64, None);
        loop {
            let mut pairs = vec![pair("per_page", PAGE), pair("sort", "id__asc")];
            pairs.extend(cursor.map(|cursor: String| pair("cursor", &cursor)));
            let page = counter.objects(&pairs)?;
            for object in &page.objects {
                self.write_premis(counter, &object.identifier)?;
                written += 1;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        if written > 0 {
            let folder = self.to.join("premis");
            line(&format!("{} with {written} objects", folder.display()));
        }
        Ok(())
    }

    fn write_premis(&self, counter: &Counter, identifier: &str) -> Result<PathBuf, Failure> {
        let path = self.to.join("premis").join(place(identifier));
        self.write_whole(&path, |out| counter.premis(identifier, out))?;
        Ok(path)
    }

    /// Writes a file that has its name only when it is whole and on the medium.
    fn write_whole(
        &self,
        path: &Path,
        write: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let unable = |error: io::Error| {
            Failure::Unable(format!("cannot write to {}: {error}", self.to.display()))
        };
        durable::create_folder(path.parent().unwrap_or(&self.to)).map_err(unable)?;
        let mut draft = path.as_os_str().to_owned();
        draft.push(".draft");
        let draft = PathBuf::from(draft);
        let mut out = BufWriter::new(File::create(&draft).map_err(unable)?);
        let written = write(&mut out).and_then(|()| {
            let file = out.into_inner().map_err(|error| unable(error.into_error()))?;
            file.sync_all().and_then(|()| durable::rename(&draft, path)).map_err(unable)
        });
        if written.is_err() {
            // The draft is ours alone, and the failure is what is to be said.
            fs::remove_file(&draft).ok();
        }
        written
    }
}

/// Standard output whose reader may go away (`| head`): it has what it wanted.
struct Reader<W>(W);

impl<W: Write> Write for Reader<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(gone_is_fine(self.0.write(bytes))?.unwrap_or(bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        gone_is_fine(self.0.flush()).map(drop)
    }
}

fn gone_is_fine<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(None),
        other => other.map(Some),
    }
}
