//! Whether the episode has all the sound that the clip has.
//!
//! Whatever is laid over a clip adds to it; nothing takes away. Where a cell of the clip is strong,
//! the episode is therefore at least that strong, times one gain that an equaliser may give each
//! band: seen over many cells, what the episode has for what the clip has ends below in a sharp edge.
//! Two pieces of music that share a chord have beats and melodies of their own, and no such edge.

/// Bins of a band that shares one gain: about 300 Hz.
const BAND: usize = 28;

/// A strong cell has at least the mean energy of its window, and this much of the mean of all.
const STRONG: f32 = 0.1;

/// Cells of a band, and of all bands, that tell something.
const FEW: usize = 12;
const ENOUGH: usize = 50;

/// What is taken for missing where there is too little to tell.
const UNKNOWN: f32 = 1.0;

/// How blunt the lower edge is, as a logarithm: from nothing for a clean copy to 0.4 under louder
/// speech; music that shares a chord has 0.5 and more. Both are magnitudes in windows of `bins`.
pub(super) fn missing(clip: &[f32], episode: &[f32], bins: usize) -> f32 {
    let mut bands: Vec<Vec<f32>> = vec![Vec::new(); (bins / BAND).max(1)];
    let mean = |cells: &[f32]| cells.iter().map(|it| it * it).sum::<f32>() / cells.len() as f32;
    let strong = STRONG * mean(clip);
    for (clip, episode) in clip.chunks_exact(bins).zip(episode.chunks_exact(bins)) {
        let strong = strong.max(mean(clip));
        for (bin, (clip, episode)) in clip.iter().zip(episode).enumerate() {
            if clip * clip > strong {
                let band = (bin / BAND).min(bands.len() - 1);
                bands[band].push(episode / clip);
            }
        }
    }
    let (mut cells, mut sum) = (0, 0.0);
    for band in bands.iter_mut().filter(|band| band.len() >= FEW) {
        cells += band.len();
        sum += bluntness(band) * band.len() as f32;
    }
    if cells < ENOUGH { UNKNOWN } else { sum / cells as f32 }
}

/// How far the lowest twentieth lies below the lowest quarter, as a logarithm.
fn bluntness(gains: &mut [f32]) -> f32 {
    gains.sort_by(f32::total_cmp);
    let at = |part: usize| gains[(gains.len() - 1) / part].max(1e-9);
    (at(4) / at(20)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_added_is_not_missing_and_what_is_lost_is() {
        let mut random = fastrand::Rng::with_seed(1);
        let bins = 3 * BAND;
        let clip: Vec<f32> = (0..40 * bins).map(|_| random.f32().powi(3)).collect();
        let quieter: Vec<f32> = clip.iter().map(|it| it * 0.2).collect();
        let under: Vec<f32> = clip.iter().map(|it| it + random.f32().powi(3)).collect();
        let other: Vec<f32> = (0..40 * bins).map(|_| random.f32().powi(3)).collect();
        assert!(missing(&clip, &quieter, bins) < 0.01);
        assert!(missing(&clip, &under, bins) < 0.1);
        assert!(missing(&clip, &other, bins) > 1.0);
        assert_eq!(missing(&clip[..bins], &clip[..bins], bins), UNKNOWN);
        assert_eq!(missing(&vec![0.0; 10 * bins], &clip[..10 * bins], bins), UNKNOWN);
    }
}
