//! Clips and an episode as files, and what was found as a report: the whole analysis for those who
//! only want to know.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde::Serialize;

use super::{ANALYST_VERSION, AudioError, Clip, Episode, Facts, Found, Media, Pulse, Speeds, find};

/// What was found of some clips in an episode.
#[derive(Debug, Serialize)]
pub struct MatchReport {
    /// Which analyst looked.
    pub analyst_version: u32,
    /// The episode.
    pub episode: Facts,
    /// The clips in the order they were given.
    pub clips: Vec<ClipMatch>,
}

/// What was found of one clip.
#[derive(Debug, Serialize)]
pub struct ClipMatch {
    /// Its file.
    pub path: PathBuf,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: ClipOutcome,
}

/// What came of one clip.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "outcome")]
pub enum ClipOutcome {
    /// It was looked for.
    Searched {
        /// The clip.
        facts: Facts,
        /// Where it is.
        found: Found,
    },
    /// It cannot be looked for.
    Refused {
        /// Why, and what to do.
        reason: String,
    },
}

/// Finds clips in an episode. A clip that cannot be used is an outcome; others go on.
///
/// # Errors
///
/// If the episode cannot be used, or the pulse says stop.
pub fn match_files(
    episode: &Path,
    clips: &[PathBuf],
    speeds: Speeds,
    pulse: Pulse<'_>,
) -> Result<MatchReport, AudioError> {
    let episode = Episode::prepare(Media::open(episode)?, pulse)?;
    let mut prepared = Vec::new();
    for path in clips {
        match Media::open(path).and_then(|media| Clip::prepare(media, pulse)) {
            Err(AudioError::Stopped) => return Err(AudioError::Stopped),
            other => prepared.push(other),
        }
    }
    let usable: Vec<&Clip> = prepared.iter().filter_map(|clip| clip.as_ref().ok()).collect();
    let found = Mutex::new(vec![Found::default(); usable.len()]);
    find(&episode, &usable, speeds, pulse, &|at, its| {
        // Whoever held it before has only put a value in.
        found.lock().unwrap_or_else(std::sync::PoisonError::into_inner)[at] = its;
    })?;
    let found = found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut found = found.into_iter();
    let outcome = |clip: Result<Clip, AudioError>| match clip {
        Ok(clip) => ClipOutcome::Searched {
            facts: clip.facts().clone(),
            found: found.next().unwrap_or_default(),
        },
        Err(error) => ClipOutcome::Refused { reason: with_cause(&error) },
    };
    let outcomes: Vec<ClipOutcome> = prepared.into_iter().map(outcome).collect();
    let clips = clips.iter().cloned().zip(outcomes);
    let clips = clips.map(|(path, outcome)| ClipMatch { path, outcome }).collect();
    Ok(MatchReport { analyst_version: ANALYST_VERSION, episode: episode.facts().clone(), clips })
}

fn with_cause(error: &AudioError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "episode of {}", clock(self.episode.duration_ns))?;
        for note in &self.episode.notes {
            writeln!(f, "  note: {note}")?;
        }
        for clip in &self.clips {
            writeln!(f, "{}", clip.path.display())?;
            match &clip.outcome {
                ClipOutcome::Refused { reason } => writeln!(f, "  {reason}")?,
                ClipOutcome::Searched { found, .. } if found.occurrences.is_empty() => {
                    writeln!(f, "  not found")?;
                }
                ClipOutcome::Searched { facts, found } => lines(f, facts, found)?,
            }
        }
        Ok(())
    }
}

fn lines(f: &mut fmt::Formatter<'_>, facts: &Facts, found: &Found) -> fmt::Result {
    for occurrence in &found.occurrences {
        let share = 100 * occurrence.extent.length_ns() / facts.duration_ns.max(1);
        write!(f, "  {} to ", clock(occurrence.heard_from_ns()))?;
        write!(f, "{}, {share} % of it", clock(occurrence.heard_to_ns()))?;
        write!(f, ", speed {:.3}", occurrence.speed)?;
        f.write_str(if occurrence.inverted { ", inverted" } else { "" })?;
        writeln!(f, ", confidence {:.2}", occurrence.confidence)?;
    }
    if found.more {
        writeln!(f, "  there are more; these are the strongest")?;
    }
    Ok(())
}

/// Hours, minutes, seconds and milliseconds, to the nearest.
fn clock(ns: i64) -> String {
    let ms = (ns + 500_000) / 1_000_000;
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    format!("{hours}:{minutes:02}:{:02}.{:03}", ms / 1000 % 60, ms % 1000)
}
