//! Lays all pieces over all of the episode, by way of the spectra of its bands.
//!
//! The episode is taken in blocks of frames; the spectra of a block are made once and used by every
//! piece, so that one more clip costs a multiplication and one inverse transform for each block.

use std::sync::Arc;

use rayon::prelude::*;
use realfft::num_complex::Complex;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::piece::{LONGEST, Piece, spectra};
use crate::hearing::BANDS;
use crate::pulse::beat;
use crate::{AudioError, Episode, Progress, Pulse};

/// Frames of one block: half a minute.
pub(super) const BLOCK: usize = 1024;

/// Positions that one block decides.
const STEP: usize = BLOCK - LONGEST;

/// Blocks that are held at a time.
const SPAN: usize = 16;

/// Chance alone gives a piece of `n` frames scores of about `0.2 / sqrt(n)`: so much over that root is
/// the least that is worth a look.
const CHANCE: f32 = 0.6;

/// Nor is a score worth a look that is usual around it: so many times the mean of its block.
const UNUSUAL: f32 = 3.3;

/// Where a clip is heard again and again, it is itself what is usual: this is always worth a look.
pub(super) const ALWAYS: f32 = 0.2;

/// What changes slowly is about as alike two frames away, and may as well be there: so much of the
/// best score is worth a look of its own.
const BESIDE: f32 = 0.7;

/// Most places of one piece that are kept: the best of them.
pub(super) const MOST_PLACES: usize = 1_000;

/// A place where a piece may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Place {
    /// The frame of the episode where the piece begins; negative if it begins before.
    pub(super) frame: i64,
    pub(super) score: f32,
    /// How many times the mean of its block that is.
    pub(super) unusual: f32,
}

/// The places of every piece, the best first.
pub(super) fn scan(
    episode: &Episode,
    pieces: &[&Piece],
    pulse: Pulse<'_>,
) -> Result<Vec<Vec<Place>>, AudioError> {
    let cells = episode.sound.bands.cells();
    let frames = cells.len() / BANDS;
    let blocks: Vec<usize> = (0..(frames + LONGEST).div_ceil(STEP)).collect();
    let mut planner = RealFftPlanner::new();
    let forward = planner.plan_fft_forward(BLOCK);
    let inverse = planner.plan_fft_inverse(BLOCK);
    let mut places: Vec<Vec<Place>> = pieces.iter().map(|_| Vec::new()).collect();
    for span in blocks.chunks(SPAN) {
        let share = span[0] as f64 / blocks.len() as f64;
        beat(pulse, Progress::Scanning { share })?;
        let span: Vec<Block> =
            span.par_iter().filter_map(|&at| Block::new(&*forward, cells, at)).collect();
        pieces.par_iter().zip(&mut places).for_each_init(
            || Sheet::new(&inverse),
            |sheet, (piece, places)| {
                for block in &span {
                    sheet.lay(piece, block, places);
                }
                thin(places, 4 * MOST_PLACES);
            },
        );
    }
    places.iter_mut().for_each(|places| {
        thin(places, 0);
        places.truncate(MOST_PLACES);
    });
    Ok(places)
}

/// Keeps the best places when there are too many.
fn thin(places: &mut Vec<Place>, limit: usize) {
    if places.len() > limit {
        places.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.frame.cmp(&b.frame)));
        places.truncate(MOST_PLACES);
    }
}

struct Block {
    /// Its first frame.
    start: i64,
    spectra: Vec<Complex<f32>>,
    /// Energy of all cells before each frame of the block.
    energy: Vec<f32>,
}

impl Block {
    /// Blocks begin before the episode does, for clips that have lost their beginning. None where
    /// nothing ever changes.
    #[expect(clippy::cast_possible_wrap, reason = "frames of a day")]
    fn new(forward: &dyn RealToComplex<f32>, cells: &[i8], at: usize) -> Option<Block> {
        let frames = cells.len() / BANDS;
        let (from, to) = (at * STEP, (at * STEP + BLOCK).min(frames + LONGEST));
        let before = LONGEST.saturating_sub(from);
        let mut own = vec![0_i8; before.min(BLOCK) * BANDS];
        own.extend(
            &cells[from.saturating_sub(LONGEST) * BANDS..to.saturating_sub(LONGEST) * BANDS],
        );
        if own.iter().all(|&cell| cell == 0) {
            return None;
        }
        own.resize(BLOCK * BANDS, 0);
        let mut energy = Vec::with_capacity(BLOCK + 1);
        let mut sum = 0.0;
        for frame in own.chunks_exact(BANDS) {
            energy.push(sum);
            sum += frame.iter().map(|&cell| i32::from(cell).pow(2)).sum::<i32>() as f32;
        }
        energy.push(sum);
        let start = from as i64 - LONGEST as i64;
        Some(Block { start, spectra: spectra(forward, &own, false), energy })
    }
}

/// What one thread works on.
struct Sheet {
    inverse: Arc<dyn ComplexToReal<f32>>,
    sum: Vec<Complex<f32>>,
    scores: Vec<f32>,
    scratch: Vec<Complex<f32>>,
}

impl Sheet {
    fn new(inverse: &Arc<dyn ComplexToReal<f32>>) -> Sheet {
        Sheet {
            sum: inverse.make_input_vec(),
            scores: inverse.make_output_vec(),
            scratch: inverse.make_scratch_vec(),
            inverse: Arc::clone(inverse),
        }
    }

    /// Notes the places of a piece in a block.
    #[expect(clippy::cast_possible_wrap, reason = "positions within a block")]
    fn lay(&mut self, piece: &Piece, block: &Block, places: &mut Vec<Place>) {
        self.correlate(piece, block);
        // Where the episode is quieter than the piece, chance must not be made larger.
        let least = piece.energy * 0.3;
        let positions = BLOCK - piece.frames;
        for at in 0..positions {
            let energy = block.energy[at + piece.frames] - block.energy[at];
            self.scores[at] /= (piece.energy * energy.max(least)).sqrt() * BLOCK as f32;
        }
        let scores = &self.scores[..positions];
        let spread = scores[..STEP].iter().map(|score| score * score).sum::<f32>();
        let usual = (spread / STEP as f32).sqrt();
        let chance = CHANCE / (piece.frames as f32).sqrt();
        let threshold = (UNUSUAL * usual).min(ALWAYS).max(chance);
        let mut note = |at: usize| {
            let (frame, score) = (block.start + at as i64, scores[at]);
            places.push(Place { frame, score, unusual: score / usual });
        };
        for at in 0..STEP {
            let (score, near) = (scores[at], at.saturating_sub(2)..(at + 3).min(positions));
            if score < threshold || scores[near.clone()].iter().any(|&other| other > score) {
                continue;
            }
            note(at);
            for beside in [near.start, near.end - 1] {
                if beside.abs_diff(at) == 2 && scores[beside] > BESIDE * score {
                    note(beside);
                }
            }
        }
    }

    fn correlate(&mut self, piece: &Piece, block: &Block) {
        let bins = self.sum.len();
        self.sum.fill(Complex::default());
        for (piece, block) in piece.spectra.chunks_exact(bins).zip(block.spectra.chunks_exact(bins))
        {
            for ((sum, a), b) in self.sum.iter_mut().zip(piece).zip(block) {
                *sum += a * b;
            }
        }
        // They are real by nature; rounding must not make the plan doubt it.
        self.sum[0].im = 0.0;
        self.sum[bins - 1].im = 0.0;
        let done =
            self.inverse.process_with_scratch(&mut self.sum, &mut self.scores, &mut self.scratch);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
    }
}
