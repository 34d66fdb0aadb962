//! Listens to a whole recording once and keeps what comparing needs.
//!
//! One thread decodes a stretch while another makes bands of the one before. What is held grows by
//! 25 MB an hour; all else is of fixed size.

use super::bands::Bands;
use super::decoder::{Decoder, Piece};
use super::edit::Edit;
use super::media::Media;
use super::resampler::Resampler;
use super::wave::Wave;
use super::{HOP, WORKING_RATE};
use crate::peaks::Outline;
use crate::pulse::beat;
use crate::{AudioError, Facts, Note, Progress, Pulse, nanoseconds};

/// Samples, at the rate of the file, that are decoded at a time.
const STRETCH: usize = 1 << 18;

/// Below this a recording is called silent: 80 dB under the loudest.
const SILENCE: f32 = 1e-4;

/// What is kept of a recording.
pub(crate) struct Sound {
    pub(crate) facts: Facts,
    pub(crate) wave: Wave,
    pub(crate) bands: Bands,
    pub(crate) outline: Outline,
}

impl Sound {
    pub(crate) fn is_silent(&self) -> bool {
        self.facts.notes.contains(&Note::Silent)
    }
}

/// Listens to at most `limit_s` seconds.
pub(crate) fn listen(
    mut media: Media,
    limit_s: u64,
    pulse: Pulse<'_>,
) -> Result<Sound, AudioError> {
    let (sha256, size_bytes) = media.digest(pulse)?;
    if size_bytes == 0 {
        return Err(AudioError::Empty);
    }
    let edit = media.edit()?;
    let mut source = Source::new(Decoder::open(media.into_source(size_bytes)?)?, edit, limit_s);
    let mut ear = Ear::new(source.decoder.promised_seconds().unwrap_or(0).min(limit_s));
    let mut heard = Vec::new();
    let mut next = source.stretch()?;
    while !next.is_empty() || !source.ended {
        std::mem::swap(&mut heard, &mut next);
        let (decoded, ()) = rayon::join(|| source.stretch(), || ear.hear(&heard));
        next = decoded?;
        beat(pulse, Progress::Decoding { decoded_ns: source.duration_ns() })?;
    }
    ear.end();
    let Some((sample_rate, channels)) = source.first else {
        let reason = source.decoder.last_trouble().unwrap_or("it holds no packets").to_owned();
        return Err(AudioError::NoSound { reason });
    };
    let mut facts = Facts {
        duration_ns: source.duration_ns(),
        sha256,
        size_bytes,
        sample_rate,
        channels,
        codec: source.decoder.codec_name().to_owned(),
        notes: source.notes(),
    };
    facts.notes.extend((ear.loudest < SILENCE).then_some(Note::Silent));
    Ok(Sound { facts, wave: ear.wave, bands: ear.bands, outline: ear.outline })
}

/// Samples of one rate.
struct Run {
    rate: u32,
    samples: Vec<f32>,
}

/// The recording as runs of one rate, and what was wrong with it.
struct Source {
    decoder: Decoder,
    edit: Edit,
    limit_s: u64,
    ended: bool,
    first: Option<(u32, usize)>,
    /// Time of all runs before the present one, and the samples of that.
    before_ns: i64,
    rate: u32,
    samples: u64,
    gaps: u64,
    changes: u64,
    early_end: Option<String>,
    over_limit: bool,
}

impl Source {
    fn new(decoder: Decoder, edit: Edit, limit_s: u64) -> Source {
        Source {
            decoder,
            edit,
            limit_s,
            ended: false,
            first: None,
            before_ns: 0,
            rate: 0,
            samples: 0,
            gaps: 0,
            changes: 0,
            early_end: None,
            over_limit: false,
        }
    }

    fn duration_ns(&self) -> i64 {
        self.before_ns.saturating_add(nanoseconds(self.samples, self.rate))
    }

    /// Decodes about as much as is worth handing over.
    fn stretch(&mut self) -> Result<Vec<Run>, AudioError> {
        let mut runs: Vec<Run> = Vec::new();
        let mut total = 0;
        while total < STRETCH && !self.ended {
            let mut samples = runs.pop().unwrap_or(Run { rate: self.rate, samples: Vec::new() });
            let held = samples.samples.len();
            let rate = match self.decoder.step(&mut samples.samples)? {
                Piece::Sound { rate } => rate,
                Piece::Gap { rate } => {
                    self.gaps += 1;
                    rate
                }
                Piece::Nothing => {
                    // Whoever reads a file without sound for long shall still be stoppable.
                    total += 64;
                    samples.rate
                }
                Piece::End(reason) => {
                    self.ended = true;
                    self.early_end = reason;
                    samples.rate
                }
            };
            self.edit.cut(&mut samples.samples, held, rate);
            self.settle(&mut runs, samples, held, rate);
            total += runs.last().map_or(0, |run| run.samples.len().saturating_sub(held));
        }
        runs.retain(|run| !run.samples.is_empty());
        Ok(runs)
    }

    /// Puts new samples behind those of their rate, and counts them.
    fn settle(&mut self, runs: &mut Vec<Run>, mut run: Run, held: usize, rate: u32) {
        let fresh = run.samples.len() - held;
        self.first = self.first.or(self.decoder.spec()).filter(|_| self.samples + fresh as u64 > 0);
        if rate != self.rate && fresh > 0 {
            self.changes += u64::from(self.rate != 0);
            self.before_ns = self.duration_ns();
            (self.rate, self.samples) = (rate, 0);
            let later = run.samples.split_off(held);
            runs.push(run);
            run = Run { rate, samples: later };
        }
        self.samples += fresh as u64;
        let left = self.limit_s.saturating_mul(1_000_000_000);
        if u64::try_from(self.duration_ns()).unwrap_or(0) > left {
            self.over_limit = true;
            self.ended = true;
        }
        runs.push(run);
    }

    fn notes(&self) -> Vec<Note> {
        let mut notes = Vec::new();
        notes.extend((self.gaps > 0).then_some(Note::Damaged { pieces: self.gaps }));
        notes.extend((self.changes > 0).then_some(Note::RateChanged { times: self.changes }));
        notes.extend(self.early_end.clone().map(|reason| Note::CutShort { reason }));
        notes.extend(self.over_limit.then_some(Note::OverLimit { limit_s: self.limit_s }));
        notes
    }
}

/// Brings runs to the working rate and keeps what comparing needs.
struct Ear {
    resampler: Option<Resampler>,
    /// Seconds of all runs before the present one, and samples of it.
    before_s: f64,
    samples: u64,
    out: Vec<f32>,
    wave: Wave,
    bands: Bands,
    outline: Outline,
    loudest: f32,
}

impl Ear {
    fn new(promised_s: u64) -> Ear {
        let (mut wave, mut bands) = (Wave::default(), Bands::new());
        // A promise is only worth so much before the first sample is there.
        let promised = usize::try_from(promised_s.min(6 * 3600)).unwrap_or(0) + 1;
        wave.reserve(promised * WORKING_RATE as usize);
        bands.reserve(promised * WORKING_RATE as usize);
        Ear {
            resampler: None,
            before_s: 0.0,
            samples: 0,
            out: Vec::new(),
            wave,
            bands,
            outline: Outline::new(),
            loudest: 0.0,
        }
    }

    fn hear(&mut self, runs: &[Run]) {
        for run in runs {
            if self.resampler.as_ref().is_none_or(|resampler| resampler.rate() != run.rate) {
                self.change_rate(run.rate);
            }
            let resampler = self.resampler.as_mut();
            let silent = resampler.is_some_and(|it| it.push(&run.samples, &mut self.out));
            self.samples += run.samples.len() as u64;
            if silent {
                self.rest();
            } else {
                self.keep();
            }
        }
    }

    /// Ends one run, and begins the next where the time line is.
    fn change_rate(&mut self, rate: u32) {
        if let Some(old) = self.resampler.take() {
            self.before_s += self.samples as f64 / f64::from(old.rate());
            old.finish(&mut self.out);
            self.keep();
        }
        self.samples = 0;
        let next_s = self.wave.len() as f64 / f64::from(WORKING_RATE);
        self.resampler = Some(Resampler::new(rate, (next_s - self.before_s) * f64::from(rate)));
    }

    fn keep(&mut self) {
        self.loudest = self.out.iter().fold(self.loudest, |most, sample| most.max(sample.abs()));
        self.wave.push(&self.out);
        self.bands.push(&self.out);
        self.outline.push(&self.out);
        self.out.clear();
    }

    /// Keeps what is silence, at hardly any cost.
    fn rest(&mut self) {
        self.wave.rest(self.out.len());
        self.bands.rest(self.out.len());
        self.outline.rest(self.out.len());
        self.out.clear();
    }

    fn end(&mut self) {
        if let Some(resampler) = self.resampler.take() {
            resampler.finish(&mut self.out);
            self.keep();
        }
        // The last frames need something behind them, or a clip would lose its end.
        self.bands.push(&[0.0; HOP]);
    }
}
