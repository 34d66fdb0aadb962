//! What was found in an episode or of a clip, as files that other programs take: CSV, JSON, WebVTT
//! and cue sheets.

mod cue;
mod vtt;

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;
use storage::clock::Timestamp;
use storage::registry::moment::Moment;
use storage::registry::{FoundPair, Recording, RecordingKind};

use super::csv::{csv_row, harmless};
use super::{Desk, DeskError};

/// Occurrences that one file has at most.
const TOLD_MAX: usize = 100_000;

/// What a table has in each row.
const COLUMNS: [&str; 13] = [
    "episode_id",
    "episode_title",
    "clip_id",
    "clip_title",
    "offset_ns",
    "offset",
    "heard_ns",
    "heard",
    "extent_ns",
    "confidence_ppm",
    "analyst",
    "researcher",
    "recorded_at",
];

/// One occurrence, with its pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OccurrenceTold {
    /// The episode.
    pub episode: u32,
    /// Its title.
    pub episode_title: String,
    /// The clip.
    pub clip: u32,
    /// Its title.
    pub clip_title: String,
    /// Where the clip begins in the episode; below zero when its beginning was cut off.
    pub offset_ns: i64,
    /// Where in the episode the recognised part begins: the place to play from.
    pub heard_ns: i64,
    /// How much of it was recognised.
    pub extent_ns: i64,
    /// How sure the analyst is, out of a million.
    pub confidence_ppm: u32,
    /// The version of the analyst.
    pub analyst: u32,
    /// Who found it.
    pub researcher: String,
    /// When.
    #[serde(with = "Moment")]
    pub recorded_at: Timestamp,
}

/// All occurrences in an episode, or of a clip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OccurrenceList {
    /// The episode or clip.
    pub recording: Recording,
    /// What was found, of an episode by where it is heard, of a clip by episode and that.
    pub occurrences: Vec<OccurrenceTold>,
    /// Whether there are more than 100,000, of which these are the first that were read.
    pub is_cut: bool,
}

impl Desk<'_> {
    /// All occurrences in an episode, or of a clip.
    pub fn occurrences(&self, kind: RecordingKind, id: u32) -> Result<OccurrenceList, DeskError> {
        let recording = self.known(kind, id)?;
        let (mut occurrences, mut is_cut) = (Vec::new(), false);
        self.app.research.each_found(kind, id, &mut |pair| {
            is_cut = occurrences.len() + pair.occurrences.len() > TOLD_MAX;
            let room = TOLD_MAX - occurrences.len();
            occurrences.extend(told(&pair).take(room));
            !is_cut
        })?;
        match kind {
            RecordingKind::Episode => occurrences.sort_by_key(|it| (it.heard_ns, it.clip)),
            RecordingKind::Clip => occurrences.sort_by_key(|it| (it.episode, it.heard_ns)),
        }
        Ok(OccurrenceList { recording, occurrences, is_cut })
    }
}

fn told(pair: &FoundPair) -> impl Iterator<Item = OccurrenceTold> + '_ {
    pair.occurrences.iter().map(|it| OccurrenceTold {
        episode: pair.episode,
        episode_title: pair.episode_title.clone(),
        clip: pair.clip,
        clip_title: pair.clip_title.clone(),
        offset_ns: it.offset_ns,
        heard_ns: it.heard_from_ns(),
        extent_ns: it.extent_ns,
        confidence_ppm: it.confidence_ppm,
        analyst: pair.analyst,
        researcher: pair.researcher.clone(),
        recorded_at: pair.recorded_at,
    })
}

impl OccurrenceList {
    /// Writes them as a table for spreadsheets.
    pub fn csv(&self, out: &mut dyn Write) -> io::Result<()> {
        csv_row(out, &COLUMNS)?;
        for it in &self.occurrences {
            csv_row(
                out,
                &[
                    &it.episode.to_string(),
                    &harmless(&it.episode_title),
                    &it.clip.to_string(),
                    &harmless(&it.clip_title),
                    &it.offset_ns.to_string(),
                    &clock(it.offset_ns),
                    &it.heard_ns.to_string(),
                    &clock(it.heard_ns),
                    &it.extent_ns.to_string(),
                    &it.confidence_ppm.to_string(),
                    &it.analyst.to_string(),
                    &harmless(&it.researcher),
                    &it.recorded_at.to_string(),
                ],
            )?;
        }
        Ok(())
    }

    /// Writes them as WebVTT: a track of captions that a player shows while the episode plays.
    pub fn vtt(&self, out: &mut dyn Write) -> io::Result<()> {
        vtt::write(self, out)
    }

    /// Writes them as a cue sheet: the episode as a disc with a track where each clip begins.
    pub fn cue(&self, out: &mut dyn Write) -> io::Result<()> {
        cue::write(self, out)
    }
}

/// A place as people read it, `01:02:03.456`; with a dash before it when it is before the beginning.
fn clock(offset_ns: i64) -> String {
    let millis = offset_ns / 1_000_000;
    let dash = if millis < 0 { "-" } else { "" };
    format!("{dash}{}", vtt::stamp(millis.unsigned_abs()))
}

#[cfg(test)]
mod tests;
