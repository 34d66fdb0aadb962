//! Work for machines that are not connected: a folder that tells what is to be done, and the results
//! that come back in it.
//!
//! `work.json` is the work as a connected researcher gets it, with the name it was given to. What is
//! a file on this machine is copied to `media/`; everything else is named by its location. Results
//! are lines of `results.jsonl`, each a report as the API takes it. Bringing a pack back twice
//! changes nothing, and one that comes late is recorded as any late result is.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use storage::durable;
use storage::registry::{Location, Recording};

use super::assign::Work;
use super::catalogue::LineFinding;
use super::results::Report;

const WORK: &str = "work.json";
const RESULTS: &str = "results.jsonl";
const MEDIA: &str = "media";
const FORMAT: u32 = 1;
/// Largest work file, line of results, and number of lines.
const WORK_BYTES: u64 = 64 << 20;
const LINE_BYTES: u64 = 2 << 20;
const LINES_MAX: usize = 100_000;

/// What stands in a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pack {
    /// The shape of this file.
    pub format: u32,
    /// Whom it was given to: results are told in this name.
    pub researcher: String,
    /// What is to be done.
    pub work: Work,
    /// Files in the pack, by what they are copies of.
    pub media: Vec<PackedFile>,
    /// What is not in the pack and has to be fetched from where it is.
    pub not_packed: Vec<String>,
}

/// A file in a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackedFile {
    /// The path it has on the appliance.
    pub of: String,
    /// The path it has in the pack.
    pub path: String,
}

/// Results that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// Whom the pack was given to.
    pub researcher: String,
    /// What they say.
    pub reports: Vec<Report>,
    /// Lines that are no reports.
    pub findings: Vec<LineFinding>,
}

/// Why a pack could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The folder.
    #[error("cannot {what} {}", path.display())]
    Files {
        /// What was attempted.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It is not a pack of ours.
    #[error("{} is not a pack: {why}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

fn files(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PackError {
    let path = path.to_owned();
    move |source| PackError::Files { what, path, source }
}

/// Writes a pack into a folder that is not there yet. `work.json` comes last: a folder that has one
/// is whole.
pub fn write(folder: &Path, researcher: &str, work: Work) -> Result<Pack, PackError> {
    let media = folder.join(MEDIA);
    fs::create_dir(folder).map_err(files("make the folder", folder))?;
    fs::create_dir(&media).map_err(files("make the folder", &media))?;
    let mut pack = Pack {
        format: FORMAT,
        researcher: researcher.to_owned(),
        media: Vec::new(),
        not_packed: Vec::new(),
        work,
    };
    let episode = ("episode", &pack.work.episode);
    for (kind, recording) in
        [episode].into_iter().chain(pack.work.clips.iter().map(|clip| ("clip", clip)))
    {
        match &recording.location {
            Location::File { path } => {
                let name = format!("{MEDIA}/{}", name_of(kind, recording, path));
                let to = folder.join(&name);
                fs::copy(path, &to).map_err(files("copy", Path::new(path)))?;
                File::open(&to).and_then(|it| it.sync_all()).map_err(files("sync", &to))?;
                pack.media.push(PackedFile { of: path.clone(), path: name });
            }
            Location::Url { url } => pack.not_packed.push(url.clone()),
            Location::Vault { object, path } => {
                pack.not_packed.push(format!("vault:{object}#{path}"));
            }
        }
    }
    let path = folder.join(WORK);
    let bytes = serde_json::to_vec_pretty(&pack).map_err(io::Error::from);
    let written = bytes.and_then(|bytes| durable::write(&path, &bytes, false));
    written.map_err(files("write", &path))?;
    Ok(pack)
}

/// A name that says what it is, and keeps the ending that players go by.
fn name_of(kind: &str, recording: &Recording, path: &str) -> String {
    let ending = Path::new(path).extension().and_then(|it| it.to_str());
    let plain =
        ending.filter(|it| it.len() <= 8 && it.bytes().all(|it| it.is_ascii_alphanumeric()));
    match plain {
        Some(ending) => format!("{kind}-{}.{ending}", recording.id),
        None => format!("{kind}-{}", recording.id),
    }
}

/// Reads what came back in a pack.
pub fn read(folder: &Path) -> Result<Returned, PackError> {
    let path = folder.join(WORK);
    let foreign = |path: &Path, why: String| PackError::Foreign { path: path.to_owned(), why };
    let mut text = String::new();
    let file = File::open(&path).map_err(files("open", &path))?;
    file.take(WORK_BYTES).read_to_string(&mut text).map_err(files("read", &path))?;
    let pack: Pack =
        serde_json::from_str(&text).map_err(|error| foreign(&path, error.to_string()))?;
    if pack.format != FORMAT {
        return Err(foreign(&path, format!("format {} is not known here", pack.format)));
    }
    let path = folder.join(RESULTS);
    let mut input = BufReader::new(File::open(&path).map_err(files("open", &path))?);
    let mut returned =
        Returned { researcher: pack.researcher, reports: Vec::new(), findings: Vec::new() };
    for line in 1..=LINES_MAX {
        let mut bytes = Vec::new();
        let read = Read::take(&mut input, LINE_BYTES).read_until(b'\n', &mut bytes);
        if read.map_err(files("read", &path))? == 0 {
            return Ok(returned);
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        match serde_json::from_slice(&bytes) {
            Ok(report) => returned.reports.push(report),
            Err(error) => {
                let sentence = format!("the line is no report: {error}");
                returned.findings.push(LineFinding { line, sentence });
            }
        }
    }
    Err(foreign(&path, format!("it has more than {LINES_MAX} lines")))
}
