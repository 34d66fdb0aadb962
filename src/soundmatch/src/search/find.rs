//! Looks for all clips in an episode, and tells of each as soon as it is known.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;

use super::chain::{Hit, chain, strongest};
use super::claim::Claim;
use super::line::Ruler;
use super::piece::{Piece, pieces};
use super::played::{Altered, FAR, Played};
use super::polarity::Polarity;
use super::probe::{Probe, SPEEDS, Workshop};
use super::proof::{Court, Proof};
use super::scan::{ALWAYS, MOST_PLACES, Place, scan};
use crate::hearing::WORKING_RATE;
use crate::pulse::beat;
use crate::{AudioError, Clip, Episode, Extent, Found, Occurrence, Progress, Pulse, cosine};

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

/// Speeds of an episode, compared with that of a clip, at which the clip is looked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Speeds {
    /// Up to one percent off.
    Near,
    /// Up to one percent off, and up to seven for clips that are not found so. That takes seven times as
    /// long for each of these.
    #[default]
    FarIfNotFound,
    /// Up to seven percent off, also for clips that are found nearer.
    Far,
}

/// Finds every occurrence of every clip. `report` is called once for each clip, from any thread of
/// the pool this runs on, with the clip's place in `clips`.
///
/// # Errors
///
/// Only [`AudioError::Stopped`]: clips that were reported before that are whole.
pub fn find(
    episode: &Episode,
    clips: &[&Clip],
    speeds: Speeds,
    pulse: Pulse<'_>,
    report: &(dyn Fn(usize, Found) + Sync),
) -> Result<(), AudioError> {
    let (workshop, court, done) = (Workshop::new(), Court::new(), AtomicUsize::new(0));
    let search = Search { episode, clips, workshop, court, done, pulse };
    let tell = |at: usize, heard: Heard| {
        report(at, search.found(clips[at], heard));
        search.done.fetch_add(1, Ordering::Relaxed);
    };
    let own: Vec<Played<'_>> = clips.iter().map(|clip| Played::as_it_is(clip)).collect();
    let open: Mutex<Vec<(usize, Heard)>> = Mutex::new(Vec::new());
    search.look_for(&own, &|at, heard| {
        let is_done = match speeds {
            Speeds::Near => true,
            Speeds::FarIfNotFound => !heard.hits.is_empty(),
            Speeds::Far => false,
        };
        match is_done {
            true => tell(at, heard),
            false => held(&open).push((at, heard)),
        }
    })?;
    let mut open = open.into_inner().unwrap_or_else(PoisonError::into_inner);
    if !open.is_empty() {
        FAR.into_iter().try_for_each(|speed| search.look_also(speed, &mut open))?;
    }
    open.into_par_iter().for_each(|(at, heard)| tell(at, heard));
    Ok(())
}

/// What was heard of a clip.
#[derive(Default)]
struct Heard {
    hits: Vec<Hit>,
    /// There were more places than are looked at.
    more: bool,
}

fn held<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    // Whoever held it before has only put a value in.
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

struct Search<'a> {
    episode: &'a Episode,
    clips: &'a [&'a Clip],
    workshop: Workshop,
    court: Court,
    /// Clips that were told of.
    done: AtomicUsize,
    pulse: Pulse<'a>,
}

impl Search<'_> {
    /// Looks at another speed for clips that are not done, and adds what is heard.
    fn look_also(&self, speed: f64, open: &mut [(usize, Heard)]) -> Result<(), AudioError> {
        let between = &self.court.between;
        let altered = open.par_iter().map(|(at, _)| Altered::new(self.clips[*at], speed, between));
        let altered: Vec<Altered> = altered.collect();
        let played: Vec<Played<'_>> = altered.iter().map(Altered::played).collect();
        let open: Vec<Mutex<&mut Heard>> =
            open.iter_mut().map(|(_, heard)| Mutex::new(heard)).collect();
        self.look_for(&played, &|at, fresh| {
            let mut heard = held(&open[at]);
            heard.hits.extend(fresh.hits);
            heard.more |= fresh.more;
        })
    }

    /// Looks for clips as they are played, and hands over what is heard of each.
    fn look_for(
        &self,
        played: &[Played<'_>],
        hand_over: &(dyn Fn(usize, Heard) + Sync),
    ) -> Result<(), AudioError> {
        let mut pieces: Vec<Vec<Piece>> = played.par_iter().map(|it| pieces(*it)).collect();
        let flat: Vec<&Piece> = pieces.iter().flatten().collect();
        let mut places = scan(self.episode, &flat, self.pulse)?.into_iter();
        let work: Vec<Vec<(Piece, Vec<Place>)>> =
            pieces.drain(..).map(|own| own.into_iter().zip(places.by_ref()).collect()).collect();
        work.into_par_iter().enumerate().try_for_each(|(at, own)| {
            let mut samples = vec![0.0; played[at].wave.len()];
            played[at].wave.window(0, &mut samples);
            let mut hits = Vec::new();
            for (piece, places) in &own {
                let mut probe = self.workshop.probe(played[at].wave, piece);
                for place in places {
                    let (done, clips) = (self.done.load(Ordering::Relaxed), self.clips.len());
                    beat(self.pulse, Progress::Verifying { done, clips })?;
                    let strictness = played[at].strictness;
                    hits.extend(self.look((piece, &samples, strictness), &mut probe, *place));
                }
            }
            let more = own.iter().any(|(_, places)| places.len() == MOST_PLACES);
            let own_speed = |hit: Hit| hit.at_own_speed(played[at].speed);
            let hits = chain(hits).into_iter().map(own_speed).collect();
            hand_over(at, Heard { hits, more });
            Ok(())
        })
    }

    /// What is heard of a piece at a place.
    fn look(
        &self,
        (piece, samples, strictness): (&Piece, &[f32], f32),
        probe: &mut Probe,
        place: Place,
    ) -> Option<Hit> {
        let wave = &self.episode.sound.wave;
        let windows = probe.windows;
        let fields = self.workshop.fields(wave, place.frame, windows);
        let mut ruler = Ruler::new(&self.workshop);
        let mut best: Option<(Claim, Proof, f32)> = None;
        let doubtful = place.unusual < ANY_SPEED && place.score < ALWAYS;
        let speeds = if doubtful { 1 } else { SPEEDS.len() };
        let lines = (0..speeds).flat_map(|speed| {
            let agreement = self.workshop.agreement(probe, &fields, speed);
            ruler.best(&agreement).map(|line| (line, speed))
        });
        for (line, speed) in lines.filter(|(line, _)| line.score >= WORTH) {
            let claim = Claim::new(piece, place, (&line, speed), windows);
            let proof = self.court.prove(wave, samples, &claim);
            let strength = proof.score / believed(&proof) / strictness;
            if best.as_ref().is_none_or(|(_, _, best)| strength > *best) {
                best = Some((claim, proof, strength));
            }
            // Other speeds, and the other sign, would only find the same less clearly.
            if strength > CLEAR {
                break;
            }
        }
        let (claim, proof, strength) = best?;
        let enough = LEAST_PART * proof.heard.len() >= proof.windows.len();
        (strength >= 1.0 && enough).then(|| Hit::new(&claim, &proof, strength))
    }

    fn found(&self, clip: &Clip, heard: Heard) -> Found {
        let mut samples = vec![0.0; clip.sound.wave.len()];
        clip.sound.wave.window(0, &mut samples);
        let occurrences = strongest(heard.hits);
        let occurrences = occurrences.iter().map(|hit| self.occurrence((clip, &samples), hit));
        Found { occurrences: occurrences.collect(), more: heard.more }
    }

    fn occurrence(&self, (clip, samples): (&Clip, &[f32]), hit: &Hit) -> Occurrence {
        let length = clip.sound.facts.duration_ns;
        let start_ns = ns(hit.heard.start).clamp(0, length);
        let mut end_ns = ns(hit.heard.end).min(length);
        // A clip that was brought to another speed may end two samples early.
        if hit.heard.end + 2.0 >= clip.sound.wave.len() as f64 {
            end_ns = length;
        }
        Occurrence {
            offset_ns: ns(hit.in_episode(0.0)),
            confidence: f64::from(1.0 - 0.5 * (1.0 - hit.strength).exp()),
            extent: Extent { start_ns, end_ns },
            speed: hit.speed,
            inverted: hit.polarity == Polarity::Inverted,
            similarity: self.similarity(samples, hit),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "samples of a day")]
    fn similarity(&self, samples: &[f32], hit: &Hit) -> f64 {
        let wave = &self.episode.sound.wave;
        let from = hit.in_episode(hit.heard.start).floor();
        let len = (hit.in_episode(hit.heard.end) - from).max(0.0) as usize;
        let mut heard = vec![0.0; len];
        wave.window(from as i64, &mut heard);
        let own: Vec<f32> = (0..len)
            .map(|at| self.court.between.read(samples, hit.in_clip(from + at as f64)))
            .collect();
        let similarity = cosine(&heard, &own) * f64::from(hit.polarity.sign());
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
