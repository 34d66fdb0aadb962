//! Plants clips under every condition, looks for them, and counts.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Mutex;

use soundmatch::{Clip, Episode, Found, Media, Occurrence, Speeds, find};

use super::mishap::{Mishap, plant};
use super::{RATE, calm, channels, media, music, programme, samples, speech, wav};

/// What is planted, and how much of it.
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) episode_s: f64,
    pub(crate) clip_s: f64,
    pub(crate) clips: usize,
    /// Clips that are nowhere.
    pub(crate) strangers: usize,
    pub(crate) mishaps: &'static [Mishap],
}

/// One thing that was planted.
pub(crate) struct Planted {
    pub(crate) clip: usize,
    pub(crate) mishap: Mishap,
    /// Where the clip's first sample would be, in seconds.
    pub(crate) at_s: f64,
    pub(crate) speed: f64,
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Score {
    pub(crate) planted: usize,
    pub(crate) found: usize,
    pub(crate) worst_ms: f64,
    pub(crate) least_confidence: f64,
}

#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) by_mishap: BTreeMap<Mishap, Score>,
    pub(crate) wrong: Vec<(usize, Occurrence)>,
    pub(crate) reported: usize,
}

impl Tally {
    /// How much was found, and of how much.
    pub(crate) fn found(&self) -> (usize, usize) {
        self.by_mishap.values().fold((0, 0), |sum, it| (sum.0 + it.found, sum.1 + it.planted))
    }

    pub(crate) fn recall(&self) -> f64 {
        let (found, planted) = self.found();
        found as f64 / planted.max(1) as f64
    }

    pub(crate) fn precision(&self) -> f64 {
        1.0 - self.wrong.len() as f64 / self.reported.max(1) as f64
    }

    pub(crate) fn add(&mut self, other: Tally) {
        for (mishap, score) in other.by_mishap {
            let own = self
                .by_mishap
                .entry(mishap)
                .or_insert(Score { least_confidence: 1.0, ..Score::default() });
            own.planted += score.planted;
            own.found += score.found;
            own.worst_ms = own.worst_ms.max(score.worst_ms);
            own.least_confidence = own.least_confidence.min(score.least_confidence);
        }
        self.wrong.extend(other.wrong);
        self.reported += other.reported;
    }

    pub(crate) fn print(&self, title: &str) {
        self.print_sums(title);
        self.print_conditions();
        self.print_wrong();
    }

    pub(crate) fn print_sums(&self, title: &str) {
        let ((found, planted), wrong) = (self.found(), self.wrong.len());
        println!(
            "{title}: recall {:.2} % ({found} of {planted}), precision {:.2} % ({wrong} of {} wrong)",
            100.0 * self.recall(),
            100.0 * self.precision(),
            self.reported
        );
    }

    pub(crate) fn print_conditions(&self) {
        for (mishap, score) in &self.by_mishap {
            println!(
                "  {:22} {:4} of {:4}, offset within {:5.1} ms, confidence from {:.3}",
                format!("{mishap:?}"),
                score.found,
                score.planted,
                score.worst_ms,
                score.least_confidence
            );
        }
    }

    pub(crate) fn print_wrong(&self) {
        for (clip, it) in &self.wrong {
            println!("  wrong: clip {clip}, {it:?}");
        }
    }
}

/// An episode with all that was planted, and the clips.
pub(crate) struct Material {
    pub(crate) episode: Vec<f32>,
    /// The other channel, where something is in antiphase.
    pub(crate) other: Option<Vec<f32>>,
    pub(crate) clips: Vec<Vec<f32>>,
    pub(crate) planted: Vec<Planted>,
}

impl Material {
    /// The episode as a WAV file.
    pub(crate) fn wav(&self) -> Vec<u8> {
        match &self.other {
            Some(other) => channels(&[&self.episode, other]),
            None => wav(&self.episode, RATE),
        }
    }
}

pub(crate) fn material(plan: &Plan) -> Material {
    let mut episode = programme(plan.seed, plan.episode_s);
    let mut other = plan.mishaps.contains(&Mishap::Antiphase).then(|| episode.clone());
    let clips: Vec<Vec<f32>> = (0..plan.clips + plan.strangers)
        .map(|at| {
            let seed = plan.seed * 1000 + 77 + at as u64;
            let whole = if at % 2 == 0 {
                speech::speech(seed, plan.clip_s + 1.0)
            } else {
                music::music(seed, plan.clip_s + 9.0)
            };
            whole[whole.len() - samples(plan.clip_s)..].to_vec()
        })
        .collect();
    let turns = plan.clips * plan.mishaps.len();
    let room = (plan.episode_s - 1.0) / turns as f64;
    assert!(room > plan.clip_s * 1.05, "an episode too short for all that is planted");
    let mut planted = Vec::new();
    let mut random = fastrand::Rng::with_seed(plan.seed);
    for turn in 0..turns {
        let (clip, mishap) = (turn % plan.clips, plan.mishaps[turn / plan.clips]);
        let changed = mishap.happen(&clips[clip], plan.seed * 31 + turn as u64);
        let spare = room - (changed.sound.len() as f64 / f64::from(RATE)).max(plan.clip_s * 1.03);
        let at = samples(0.5 + turn as f64 * room + spare * random.f64());
        plant(&mut episode, at, &changed.sound);
        if let Some(other) = &mut other {
            let sign = if mishap == Mishap::Antiphase { -1.0 } else { 1.0 };
            let sound: Vec<f32> = changed.sound.iter().map(|it| sign * it).collect();
            plant(other, at, &sound);
        }
        let at_s = (at as f64 - changed.lost as f64) / f64::from(RATE);
        planted.push(Planted { clip, mishap, at_s, speed: changed.speed });
    }
    Material { episode, other, clips, planted }
}

pub(crate) fn evaluate(material: &Material) -> Tally {
    evaluate_as(material, Media::from_reader(Cursor::new(material.wav())))
}

pub(crate) fn evaluate_as(material: &Material, media_of_episode: Media) -> Tally {
    let episode = Episode::prepare(media_of_episode, &calm).unwrap();
    let clips: Vec<Clip> =
        material.clips.iter().map(|it| Clip::prepare(media(it), &calm).unwrap()).collect();
    let clips: Vec<&Clip> = clips.iter().collect();
    let found = Mutex::new(vec![Found::default(); clips.len()]);
    let keep = |at: usize, it: Found| found.lock().unwrap()[at] = it;
    find(&episode, &clips, Speeds::FarIfNotFound, &calm, &keep).unwrap();
    count(material, found.into_inner().unwrap())
}

/// Compares what was found with what was planted: within 60 ms is right.
pub(crate) fn count(material: &Material, found: Vec<Found>) -> Tally {
    let mut tally = Tally::default();
    let mut left: Vec<(usize, Occurrence)> = found
        .iter()
        .enumerate()
        .flat_map(|(at, it)| it.occurrences.iter().map(move |it| (at, *it)))
        .collect();
    tally.reported = left.len();
    for planted in &material.planted {
        let score = tally
            .by_mishap
            .entry(planted.mishap)
            .or_insert(Score { least_confidence: 1.0, ..Score::default() });
        score.planted += 1;
        let off = |it: &Occurrence| (it.offset_ns as f64 / 1e9 - planted.at_s).abs();
        let near = left.iter().position(|(clip, it)| *clip == planted.clip && off(it) < 0.06);
        if let Some(at) = near {
            let (_, it) = left.swap_remove(at);
            score.found += 1;
            score.worst_ms = score.worst_ms.max(off(&it) * 1e3);
            score.least_confidence = score.least_confidence.min(it.confidence);
        }
    }
    tally.wrong = left;
    tally
}
