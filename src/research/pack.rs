//! Work for machines that are not connected: a folder that tells what is to be done, and the results
//! that come back in it.
//!
//! `work.json` is the work as a connected researcher gets it, with the name it was given to; the
//! recordings are in `media/`, and why one is not stands in `work.json`, as do their digests: a copy
//! that was damaged on its way is not searched. Results are lines of
//! `results.jsonl`, each a report as the API takes it. Bringing a pack back twice changes nothing,
//! and one that comes late is recorded as any late result is. Hazard: a pack comes from elsewhere,
//! so the names of its files are computed and never taken from it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use byteio::durable;
use digests::{Algorithm, AlgorithmSet, Hasher};
use serde::{Deserialize, Serialize};
use storage::registry::{Location, Recording, RecordingKind};

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
/// Bytes copied at a time.
const PIECE: usize = 1 << 20;

/// What stands in a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pack {
    /// The shape of this file.
    pub format: u32,
    /// Whom it was given to: results are told in this name.
    pub researcher: String,
    /// What is to be done.
    pub work: Work,
    /// What could not be packed.
    pub not_packed: Vec<NotPacked>,
    /// What was.
    #[serde(default)]
    pub packed: Vec<Packed>,
}

/// A recording that is in the pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed {
    /// Episode or clip.
    pub kind: RecordingKind,
    /// Its number.
    pub id: u32,
    /// Of the bytes that were written, in hexadecimal digits.
    pub sha256: String,
}

/// A recording that is not in the pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotPacked {
    /// Episode or clip.
    pub kind: RecordingKind,
    /// Its number.
    pub id: u32,
    /// Why not, in a sentence.
    pub why: String,
}

/// Opens a recording to be packed, or says why that cannot be.
pub type Fetch<'f> = &'f mut dyn FnMut(RecordingKind, &Recording) -> Result<Box<dyn Read>, String>;

/// Results that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Returned {
    /// Whom the pack was given to.
    pub researcher: String,
    /// Under which lease.
    pub lease: String,
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
pub fn write(
    folder: &Path,
    researcher: &str,
    work: Work,
    fetch: Fetch<'_>,
) -> Result<Pack, PackError> {
    let media = folder.join(MEDIA);
    fs::create_dir(folder).map_err(files("make the folder", folder))?;
    fs::create_dir(&media).map_err(files("make the folder", &media))?;
    let (mut packed, mut not_packed) = (Vec::new(), Vec::new());
    let clips = work.clips.iter().map(|clip| (RecordingKind::Clip, clip));
    for (kind, recording) in [(RecordingKind::Episode, &work.episode)].into_iter().chain(clips) {
        match fetch(kind, recording) {
            Ok(mut from) => {
                let to = folder.join(media_path(kind, recording));
                let copied = File::create(&to).and_then(|mut file| {
                    let sha256 = copy(&mut from, &mut file)?;
                    file.sync_all()?;
                    Ok(sha256)
                });
                let sha256 = copied.map_err(files("write", &to))?;
                packed.push(Packed { kind, id: recording.id, sha256 });
            }
            Err(why) => not_packed.push(NotPacked { kind, id: recording.id, why }),
        }
    }
    let pack = Pack { format: FORMAT, researcher: researcher.to_owned(), work, not_packed, packed };
    let path = folder.join(WORK);
    let bytes = serde_json::to_vec_pretty(&pack).map_err(io::Error::from);
    let written = bytes.and_then(|bytes| durable::write(&path, &bytes, false));
    written.map_err(files("write", &path))?;
    Ok(pack)
}

/// Copies to the end; the digest of what was copied.
pub fn copy(from: &mut dyn Read, to: &mut dyn Write) -> io::Result<String> {
    let mut hasher = Hasher::new(AlgorithmSet::from_iter([Algorithm::Sha256]));
    let mut piece = vec![0; PIECE];
    loop {
        let count = match from.read(&mut piece) {
            Ok(0) => return Ok(hasher.finish().hex(Algorithm::Sha256).unwrap_or_default()),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        hasher.update(&piece[..count]);
        to.write_all(&piece[..count])?;
    }
}

/// Where a recording is in a pack: a name that says what it is, and keeps the ending that players
/// go by.
pub fn media_path(kind: RecordingKind, recording: &Recording) -> String {
    let place = match &recording.location {
        Location::Vault { path, .. } | Location::File { path } => path,
        Location::Url { url } => url.split(['?', '#']).next().unwrap_or(url),
    };
    let ending = Path::new(place).extension().and_then(|it| it.to_str());
    let plain =
        ending.filter(|it| it.len() <= 8 && it.bytes().all(|it| it.is_ascii_alphanumeric()));
    let (kind, id) = (kind.word(), recording.id);
    match plain {
        Some(ending) => format!("{MEDIA}/{kind}-{id}.{ending}"),
        None => format!("{MEDIA}/{kind}-{id}"),
    }
}

/// Adds a result to those that go back; on the medium when this returns. What was torn before it by a
/// full disk stands on a line of its own.
pub fn add(folder: &Path, report: &Report) -> Result<(), PackError> {
    let path = folder.join(RESULTS);
    let file = OpenOptions::new().create(true).append(true).open(&path);
    let line = serde_json::to_string(report).map_err(io::Error::from);
    let added = line.and_then(|line| {
        let mut file = file?;
        file.write_all(format!("\n{line}\n").as_bytes())?;
        file.sync_all()
    });
    added.map_err(files("write", &path))
}

/// What a pack is about.
pub fn open(folder: &Path) -> Result<Pack, PackError> {
    let path = folder.join(WORK);
    let foreign = |why: String| PackError::Foreign { path: path.clone(), why };
    let mut text = String::new();
    let file = File::open(&path).map_err(files("open", &path))?;
    file.take(WORK_BYTES).read_to_string(&mut text).map_err(files("read", &path))?;
    let pack: Pack = serde_json::from_str(&text).map_err(|error| foreign(error.to_string()))?;
    match pack.format {
        FORMAT => Ok(pack),
        other => Err(foreign(format!("format {other} is not known here"))),
    }
}

/// Reads what came back in a pack.
pub fn read(folder: &Path) -> Result<Returned, PackError> {
    let pack = open(folder)?;
    let foreign = |path: &Path, why: String| PackError::Foreign { path: path.to_owned(), why };
    let path = folder.join(RESULTS);
    let Pack { researcher, work: Work { lease, .. }, .. } = pack;
    let mut returned = Returned { researcher, lease, reports: Vec::new(), findings: Vec::new() };
    let file = match File::open(&path) {
        Ok(file) => file,
        // Nothing was found yet.
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(returned),
        Err(error) => return Err(files("open", &path)(error)),
    };
    let mut input = BufReader::new(file);
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
