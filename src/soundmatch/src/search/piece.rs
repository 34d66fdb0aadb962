//! Clips in pieces that are short enough to bear a speed that is not quite right.

use realfft::RealFftPlanner;
use realfft::num_complex::Complex;

use super::played::Played;
use super::probe::hann;
use super::scan::BLOCK;
use crate::hearing::{BANDS, HOP, WINDOW, Wave, edges};

/// Most frames of a piece: 5 s. At a speed one percent off its ends are then 25 ms away, which is
/// less than what one frame sees.
pub(super) const LONGEST: usize = 156;

/// The power of a cell's energy that it counts with: 40 dB make a sixth.
const LOUDNESS: f32 = 0.2;

/// Energy that counts as none.
const FLOOR: f32 = 1e-9;

/// A part of a clip.
pub(super) struct Piece {
    pub(super) frames: usize,
    /// Samples within the clip that its frames look at.
    pub(super) start: usize,
    pub(super) len: usize,
    /// Energy of all its cells.
    pub(super) energy: f32,
    /// For each band the conjugated spectrum of its cells.
    pub(super) spectra: Vec<Complex<f32>>,
}

/// The pieces of a clip, of equal length; none if nothing in it ever changes.
pub(super) fn pieces(whole: Played<'_>) -> Vec<Piece> {
    let fft = RealFftPlanner::<f32>::new().plan_fft_forward(BLOCK);
    let cells = whole.bands.cells();
    let frames = cells.len() / BANDS;
    let count = frames.div_ceil(LONGEST);
    let edge = |at: usize| at * frames / count.max(1);
    let loud = loudness(whole.wave, frames);
    let cut = (0..count).map(|at| {
        let (first, end) = (edge(at), edge(at + 1));
        let start = first * HOP;
        let last = (end * HOP + HOP + WINDOW).min(whole.wave.len());
        let cells = &cells[first * BANDS..end * BANDS];
        let cells = weighted(cells, &loud[first * BANDS..end * BANDS]);
        Piece {
            frames: end - first,
            start,
            len: last.saturating_sub(start),
            energy: cells.iter().map(|&cell| cell.powi(2)).sum(),
            spectra: spectra(&*fft, &cells, true),
        }
    });
    cut.filter(|piece| piece.energy > 0.0).collect()
}

/// Cells by how loud they are: what is loud is heard under another voice, and is what codecs keep.
fn weighted(cells: &[i8], loud: &[f32]) -> Vec<f32> {
    let loudest = loud.iter().fold(f32::MIN, |loudest, &it| loudest.max(it));
    let weight = |loud: f32| (LOUDNESS * (loud - loudest)).exp();
    cells.iter().zip(loud).map(|(&cell, &loud)| f32::from(cell) * weight(loud)).collect()
}

/// The spectrum of each band of some frames, one after another, padded to a block.
pub(super) fn spectra(
    fft: &dyn realfft::RealToComplex<f32>,
    cells: &[impl Into<f32> + Copy],
    conjugated: bool,
) -> Vec<Complex<f32>> {
    let (mut time, mut scratch) = (fft.make_input_vec(), fft.make_scratch_vec());
    let bins = BLOCK / 2 + 1;
    let mut all = vec![Complex::default(); BANDS * bins];
    for (band, out) in all.chunks_exact_mut(bins).enumerate() {
        time.fill(0.0);
        for (time, frame) in time.iter_mut().zip(cells.chunks_exact(BANDS)) {
            *time = frame[band].into();
        }
        let done = fft.process_with_scratch(&mut time, out, &mut scratch);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        if conjugated {
            out.iter_mut().for_each(|bin| *bin = bin.conj());
        }
    }
    all
}

/// How loud the louder of the two frames is that each cell compares, as a logarithm of energy.
#[expect(clippy::cast_possible_wrap, reason = "frames of half an hour")]
fn loudness(clip: &Wave, frames: usize) -> Vec<f32> {
    let fft = RealFftPlanner::<f32>::new().plan_fft_forward(WINDOW);
    let (mut time, mut turned) = (fft.make_input_vec(), fft.make_output_vec());
    let (window, edges) = (hann(WINDOW), edges());
    let mut levels = Vec::with_capacity((frames + 2) * BANDS);
    for frame in 0..frames + 2 {
        clip.window((frame * HOP) as i64, &mut time);
        time.iter_mut().zip(&window).for_each(|(sample, window)| *sample *= window);
        let done = fft.process(&mut time, &mut turned);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        levels.extend(edges.windows(2).map(|band| {
            let bins = &turned[band[0]..band[1]];
            (bins.iter().map(Complex::norm_sqr).sum::<f32>() / bins.len() as f32 + FLOOR).ln()
        }));
    }
    (0..frames * BANDS).map(|at| levels[at].max(levels[at + 2 * BANDS])).collect()
}
