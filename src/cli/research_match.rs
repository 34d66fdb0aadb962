//! `strongroom research match`: where clips occur in an episode, both files; nothing else is needed.

use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use byteio::causes::chain;
use clap::Args;
use soundmatch::{
    ANALYST_VERSION, AudioError, Clip, ClipMatch, ClipOutcome, Episode, MatchReport, Media,
    Progress, Pulse, Speeds, find,
};

use super::print::{error, json, plain};
use super::research_work::wish_to_stop;
use super::{Failure, Outcome, research_match_text};

/// Clips searched at once: they share the passes over the episode, and are all held in memory.
const BATCH: usize = 20;
/// Why a clip has no result.
const STOPPED: &str = "not searched: stopped on request";

/// Find clips in an episode, both files; needs no appliance.
#[derive(Args)]
#[command(
    after_help = "Exit: 0 all clips were searched, found or not; 1 one of them could not be; \
    2 the episode cannot be read.\n\n\
    Ctrl-C ends within moments and prints what was found until then; a second one ends it at once.\n\n\
    Example:\n  strongroom research match show.mp3 drop-one.mp3 drop-two.wav --json"
)]
pub(super) struct Match {
    /// The recording to search: MP3, MP2, AAC, ALAC, FLAC, Vorbis, Opus, WAV, RF64, AIFF, CAF or Matroska
    episode: PathBuf,
    /// What to look for
    #[arg(required = true, value_name = "CLIP")]
    clips: Vec<PathBuf>,
    /// How far the speed of the recording may be from that of a clip
    #[arg(long, value_enum, default_value_t = Reach::FarIfNotFound)]
    speeds: Reach,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Speeds at which clips are looked for.
#[derive(Clone, Copy, clap::ValueEnum)]
enum Reach {
    /// Up to 1 % faster or slower
    Near,
    /// As near, then up to 7 % for clips that were not found, which takes seven times as long for each
    FarIfNotFound,
    /// Up to 7 % for every clip, for recordings that play a clip at several speeds
    Far,
}

impl From<Reach> for Speeds {
    fn from(reach: Reach) -> Speeds {
        match reach {
            Reach::Near => Speeds::Near,
            Reach::FarIfNotFound => Speeds::FarIfNotFound,
            Reach::Far => Speeds::Far,
        }
    }
}

impl Match {
    pub(super) fn run(self) -> Outcome {
        let stop = wish_to_stop("ending; once more ends it at once")?;
        let report = self.search(&stop).map_err(|error: AudioError| {
            let episode = plain(&self.episode.display().to_string());
            Failure::Unable(format!("{episode}: {}", chain(&error)))
        })?;
        if self.json {
            json(&report)?;
        } else {
            research_match_text::print(&report);
        }
        let searched = report.clips.iter().filter(|clip| match clip.outcome {
            ClipOutcome::Searched { .. } => true,
            ClipOutcome::Refused { .. } => false,
        });
        let (searched, all) = (searched.count(), report.clips.len());
        if stop.load(Ordering::Relaxed) && searched < all {
            error(&format!("stopped on request: {searched} of {all} clips were searched"));
        }
        Ok(if searched == all { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }

    /// Searches until all is searched or somebody asks to stop; an error only when the episode
    /// cannot be used, or was not ready by then.
    fn search(&self, stop: &AtomicBool) -> Result<MatchReport, AudioError> {
        let pulse = |_: Progress| match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let episode = Episode::prepare(media(&self.episode)?, &pulse)?;
        let mut clips = Vec::with_capacity(self.clips.len());
        for batch in self.clips.chunks(BATCH) {
            clips.extend(searched(&episode, batch, self.speeds.into(), &pulse));
        }
        let facts = episode.facts().clone();
        Ok(MatchReport { analyst_version: ANALYST_VERSION, episode: facts, clips })
    }
}

/// Opens a recording. A pipe or a device is none: opening one waits for others, and reading it may
/// never end.
fn media(path: &Path) -> Result<Media, AudioError> {
    let about = fs::metadata(path).map_err(AudioError::Unreadable)?;
    if !about.is_file() {
        let why = io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file");
        return Err(AudioError::Unreadable(why));
    }
    Media::open(path)
}

/// What came of some clips that are searched together, each in its place.
fn searched(
    episode: &Episode,
    paths: &[PathBuf],
    speeds: Speeds,
    pulse: Pulse<'_>,
) -> Vec<ClipMatch> {
    let open = |path: &PathBuf| media(path).and_then(|media| Clip::prepare(media, pulse));
    let prepared: Vec<Result<Clip, AudioError>> = paths.iter().map(open).collect();
    let usable: Vec<&Clip> = prepared.iter().filter_map(|clip| clip.as_ref().ok()).collect();
    let found = Mutex::new(vec![None; usable.len()]);
    let ended = find(episode, &usable, speeds, pulse, &|at, its| {
        // Whoever held it before has only put a value in.
        found.lock().unwrap_or_else(PoisonError::into_inner)[at] = Some(its);
    });
    // Those that were found by then are whole; the others say that they are not there.
    ended.ok();
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner).into_iter();
    let outcome = |clip: Result<Clip, AudioError>| match clip {
        Ok(clip) => match found.next().flatten() {
            Some(found) => ClipOutcome::Searched { facts: clip.facts().clone(), found },
            None => ClipOutcome::Refused { reason: STOPPED.into() },
        },
        Err(AudioError::Stopped) => ClipOutcome::Refused { reason: STOPPED.into() },
        Err(error) => ClipOutcome::Refused { reason: chain(&error) },
    };
    let outcomes: Vec<ClipOutcome> = prepared.into_iter().map(outcome).collect();
    let together = paths.iter().cloned().zip(outcomes);
    together.map(|(path, outcome)| ClipMatch { path, outcome }).collect()
}
