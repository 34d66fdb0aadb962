//! `strongroom research match`: where clips occur in an episode, both files; nothing else is needed.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::print::{json, line, plain};
use super::{Failure, Outcome};
use crate::audio::{AudioError, ClipOutcome, match_files};
use crate::fault::chain;

/// Find clips in an episode, both files; needs no appliance.
#[derive(Args)]
#[command(
    after_help = "Exit: 0 all clips were searched, found or not; 1 one of them could not be; \
    2 the episode cannot be read.\n\n\
    Example:\n  strongroom research match show.mp3 drop-one.mp3 drop-two.wav --json"
)]
pub(super) struct Match {
    /// The recording to search: MP3, AAC, FLAC, Ogg Vorbis or WAV
    episode: PathBuf,
    /// What to look for
    #[arg(required = true, value_name = "CLIP")]
    clips: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Match {
    pub(super) fn run(self) -> Outcome {
        let report = match_files(&self.episode, &self.clips, &|_| ControlFlow::Continue(()));
        let report = report.map_err(|error: AudioError| {
            let episode = plain(&self.episode.display().to_string());
            Failure::Unable(format!("{episode}: {}", chain(&error)))
        })?;
        if self.json {
            json(&report)?;
        } else {
            for text in report.to_string().lines() {
                line(&plain(text));
            }
        }
        let all = report.clips.iter().all(|clip| match clip.outcome {
            ClipOutcome::Searched { .. } => true,
            ClipOutcome::Refused { .. } => false,
        });
        Ok(if all { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}
