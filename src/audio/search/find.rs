//! Looks for all clips in an episode, and tells of each as soon as it is known.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::chain::{Hit, chain};
use super::line::Line;
use super::piece::{Piece, pieces};
use super::probe::{Probe, SPEEDS, Workshop, between};
use super::scan::{MOST_PLACES, Place, scan};
use crate::audio::hearing::WORKING_RATE;
use crate::audio::pulse::beat;
use crate::audio::{AudioError, Clip, Episode, Extent, Found, Occurrence, Progress, Pulse, cosine};

/// A lag that is believed is this much better than any other, unless it is clear beyond doubt: tones
/// that two pieces of music share agree at many lags.
const ALONE: f32 = 1.5;

/// From this many times what is believed, nothing else is asked.
const CLEAR: f32 = 2.0;

/// Finds every occurrence of every clip. `report` is called once for each clip, from any thread of
/// the pool this runs on, with the clip's place in `clips`.
///
/// # Errors
///
/// Only [`AudioError::Stopped`]: clips that were reported before that are whole.
pub fn find(
    episode: &Episode,
    clips: &[&Clip],
    pulse: Pulse<'_>,
    report: &(dyn Fn(usize, Found) + Sync),
) -> Result<(), AudioError> {
    let mut pieces: Vec<Vec<Piece>> = clips.par_iter().map(|clip| pieces(clip)).collect();
    let flat: Vec<&Piece> = pieces.iter().flatten().collect();
    let mut places = scan(episode, &flat, pulse)?.into_iter();
    let work: Vec<Vec<(Piece, Vec<Place>)>> =
        pieces.drain(..).map(|own| own.into_iter().zip(places.by_ref()).collect()).collect();
    let workshop = Workshop::new();
    let done = AtomicUsize::new(0);
    work.into_par_iter().enumerate().try_for_each(|(at, own)| {
        let search = Search { episode, clip: clips[at], workshop: &workshop };
        let mut hits = Vec::new();
        for (piece, places) in &own {
            let mut probe = workshop.probe(&clips[at].sound.wave, piece);
            for place in places {
                let (done, clips) = (done.load(Ordering::Relaxed), clips.len());
                beat(pulse, Progress::Verifying { done, clips })?;
                hits.extend(search.look(piece, &mut probe, *place));
            }
        }
        let more = own.iter().any(|(_, places)| places.len() == MOST_PLACES);
        report(at, search.found(hits, more));
        done.fetch_add(1, Ordering::Relaxed);
        Ok(())
    })
}

struct Search<'a> {
    episode: &'a Episode,
    clip: &'a Clip,
    workshop: &'a Workshop,
}

impl Search<'_> {
    /// What is heard of a piece at a place.
    fn look(&self, piece: &Piece, probe: &mut Probe, place: Place) -> Option<Hit> {
        let fields = self.workshop.fields(&self.episode.sound.wave, place.frame, probe.windows);
        let mut best: Option<(Line, usize)> = None;
        for speed in 0..SPEEDS.len() {
            let agreement = self.workshop.agreement(probe, &fields, speed);
            let line = Line::best(&agreement);
            if best.as_ref().is_none_or(|(best, _)| line.score > best.score) {
                best = Some((line, speed));
            }
            // Other speeds would only find the same less clearly.
            if best.as_ref().is_some_and(|(best, _)| best.score > 3.0 * believed(probe.windows)) {
                break;
            }
        }
        let (line, speed) = best?;
        let strength = line.score / believed(probe.windows);
        let alone = strength >= CLEAR || line.score >= ALONE * line.rival;
        (strength >= 1.0 && alone).then(|| Hit::new(piece, place, (&line, speed), strength))
    }

    fn found(&self, hits: Vec<Hit>, more: bool) -> Found {
        let occurrences = chain(hits).iter().map(|hit| self.occurrence(hit)).collect();
        Found { occurrences, more }
    }

    fn occurrence(&self, hit: &Hit) -> Occurrence {
        let length = self.clip.sound.facts.duration_ns;
        let start_ns = ns(hit.heard.start).clamp(0, length);
        let mut end_ns = ns(hit.heard.end).min(length);
        if hit.heard.end + 1.0 >= self.clip.sound.wave.len() as f64 {
            end_ns = length;
        }
        Occurrence {
            offset_ns: ns(hit.in_episode(0.0)),
            confidence: f64::from(1.0 - 0.5 * (1.0 - hit.strength).exp()),
            extent: Extent { start_ns, end_ns },
            speed: hit.speed,
            similarity: self.similarity(hit),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "samples of a day")]
    fn similarity(&self, hit: &Hit) -> f64 {
        let wave = &self.episode.sound.wave;
        let from = hit.in_episode(hit.heard.start).floor();
        let len = (hit.in_episode(hit.heard.end) - from).max(0.0) as usize;
        let mut heard = vec![0.0; len];
        wave.window(from as i64, &mut heard);
        let mut clip = vec![0.0; self.clip.sound.wave.len()];
        self.clip.sound.wave.window(0, &mut clip);
        let own: Vec<f32> = (0..len)
            .map(|at| {
                let place = from + at as f64;
                between(&clip, hit.clip_at + (place - hit.episode_at) * hit.speed)
            })
            .collect();
        let similarity = cosine(&heard, &own);
        if similarity.is_finite() { similarity } else { 0.0 }
    }
}

/// The mean agreement of so many windows that is believed.
fn believed(windows: usize) -> f32 {
    (0.55 / (windows as f32).sqrt()).max(0.0745)
}

#[expect(clippy::cast_possible_truncation, reason = "a day in nanoseconds")]
fn ns(samples: f64) -> i64 {
    (samples * 1e9 / f64::from(WORKING_RATE)) as i64
}
