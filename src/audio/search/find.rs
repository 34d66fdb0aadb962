//! Looks for all clips in an episode, and tells of each as soon as it is known.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::chain::{Hit, chain};
use super::claim::Claim;
use super::line::Ruler;
use super::piece::{Piece, pieces};
use super::probe::{Probe, SPEEDS, Workshop};
use super::proof::{Court, Proof};
use super::scan::{ALWAYS, MOST_PLACES, Place, scan};
use crate::audio::hearing::WORKING_RATE;
use crate::audio::pulse::beat;
use crate::audio::{AudioError, Clip, Episode, Extent, Found, Occurrence, Progress, Pulse, cosine};

/// The proof that is believed of a piece of 4 s and more that is heard from end to end.
const BELIEVED: f32 = 12.0;

/// Windows of a piece of 4 s.
const WINDOWS: f32 = 84.0;

/// The power by which shorter pieces need more.
const SHORTER: f32 = 0.1;

/// The part of a piece that has to be heard: a fifth. Less is soon alike.
const LEAST_PART: usize = 5;

/// So many times what is believed is beyond doubt.
const CLEAR: f32 = 2.0;

/// A line that is worth a proof.
const WORTH: f32 = 7.0;

/// Places that are less unusual are looked at with the clip's own speed, and half a percent around.
const ANY_SPEED: f32 = 3.8;

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
    let (workshop, court) = (Workshop::new(), Court::new());
    let done = AtomicUsize::new(0);
    work.into_par_iter().enumerate().try_for_each(|(at, own)| {
        let mut samples = vec![0.0; clips[at].sound.wave.len()];
        clips[at].sound.wave.window(0, &mut samples);
        let (workshop, court) = (&workshop, &court);
        let search = Search { episode, clip: clips[at], samples, workshop, court };
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
    /// All samples of the clip.
    samples: Vec<f32>,
    workshop: &'a Workshop,
    court: &'a Court,
}

impl Search<'_> {
    /// What is heard of a piece at a place.
    fn look(&self, piece: &Piece, probe: &mut Probe, place: Place) -> Option<Hit> {
        let wave = &self.episode.sound.wave;
        let fields = self.workshop.fields(wave, place.frame, probe.windows);
        let mut ruler = Ruler::new(self.workshop);
        let mut best: Option<(Claim, Proof, f32)> = None;
        let doubtful = place.unusual < ANY_SPEED && place.score < ALWAYS;
        let speeds = if doubtful { 1 } else { SPEEDS.len() };
        for speed in 0..speeds {
            let line = ruler.best(&self.workshop.agreement(probe, &fields, speed));
            if line.score < WORTH {
                continue;
            }
            let claim = Claim::new(piece, place, (&line, speed), probe.windows);
            let proof = self.court.prove(wave, &self.samples, &claim);
            let strength = proof.score / believed(&proof);
            if best.as_ref().is_none_or(|(_, _, best)| strength > *best) {
                best = Some((claim, proof, strength));
            }
            // Other speeds would only find the same less clearly.
            if strength > CLEAR {
                break;
            }
        }
        let (claim, proof, strength) = best?;
        let enough = LEAST_PART * proof.heard.len() >= proof.windows.len();
        (strength >= 1.0 && enough).then(|| Hit::new(&claim, &proof, strength))
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
        let own: Vec<f32> = (0..len)
            .map(|at| self.court.between.read(&self.samples, hit.in_clip(from + at as f64)))
            .collect();
        let similarity = cosine(&heard, &own);
        if similarity.is_finite() { similarity } else { 0.0 }
    }
}

/// What a proof has to say to be believed: twice as much where half of a piece is heard. Music in the
/// same key agrees for a bar with some part of a piece, and hardly ever from end to end.
fn believed(proof: &Proof) -> f32 {
    let (windows, heard) = (proof.windows.len() as f32, proof.heard.len() as f32);
    BELIEVED * (WINDOWS / windows).max(1.0).powf(SHORTER) * windows / heard
}

#[expect(clippy::cast_possible_truncation, reason = "a day in nanoseconds")]
fn ns(samples: f64) -> i64 {
    (samples * 1e9 / f64::from(WORKING_RATE)) as i64
}
