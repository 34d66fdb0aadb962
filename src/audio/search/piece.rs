//! Clips in pieces that are short enough to bear a speed that is not quite right.

use realfft::RealFftPlanner;
use realfft::num_complex::Complex;

use super::scan::BLOCK;
use crate::audio::Clip;
use crate::audio::hearing::{BANDS, HOP, WINDOW};

/// Most frames of a piece: 5 s. At a speed one percent off its ends are then 25 ms away, which is
/// less than what one frame sees.
pub(super) const LONGEST: usize = 156;

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
pub(super) fn pieces(whole: &Clip) -> Vec<Piece> {
    let fft = RealFftPlanner::<f32>::new().plan_fft_forward(BLOCK);
    let cells = whole.sound.bands.cells();
    let frames = cells.len() / BANDS;
    let count = frames.div_ceil(LONGEST);
    let edge = |at: usize| at * frames / count.max(1);
    let cut = (0..count).map(|at| {
        let (first, end) = (edge(at), edge(at + 1));
        let start = first * HOP;
        let last = (end * HOP + HOP + WINDOW).min(whole.sound.wave.len());
        let cells = &cells[first * BANDS..end * BANDS];
        Piece {
            frames: end - first,
            start,
            len: last.saturating_sub(start),
            energy: cells.iter().map(|&cell| f32::from(cell).powi(2)).sum(),
            spectra: spectra(&*fft, cells, true),
        }
    });
    cut.filter(|piece| piece.energy > 0.0).collect()
}

/// The spectrum of each band of some frames, one after another, padded to a block.
pub(super) fn spectra(
    fft: &dyn realfft::RealToComplex<f32>,
    cells: &[i8],
    conjugated: bool,
) -> Vec<Complex<f32>> {
    let (mut time, mut scratch) = (fft.make_input_vec(), fft.make_scratch_vec());
    let bins = BLOCK / 2 + 1;
    let mut all = vec![Complex::default(); BANDS * bins];
    for (band, out) in all.chunks_exact_mut(bins).enumerate() {
        time.fill(0.0);
        for (time, frame) in time.iter_mut().zip(cells.chunks_exact(BANDS)) {
            *time = f32::from(frame[band]);
        }
        let done = fft.process_with_scratch(&mut time, out, &mut scratch);
        debug_assert!(done.is_ok(), "buffers are as long as the plan wants them");
        if conjugated {
            out.iter_mut().for_each(|bin| *bin = bin.conj());
        }
    }
    all
}
