//! One channel of two.
//!
//! The mean of both is what most recordings are about. Where one channel is the other with its sign
//! changed, as a crossed cable leaves it, the mean is silent; the difference of both is taken there. What
//! is played so under something in the middle stays unheard.

use super::decoder::sane;

/// Stretches a second that are judged as one.
const STRETCHES: u32 = 200;

/// What counts of the energy before from one stretch to the next: a mean over 20 ms.
const KEPT: f32 = 0.75;

/// The mean is silent where it has less than this part of the energy of the difference: 10 dB less,
/// which no two microphones do.
const SILENT: f32 = 0.1;

#[derive(Debug, Default)]
pub(super) struct Mixer {
    /// Energy of late of the mean, and of the difference.
    mean: f32,
    difference: f32,
    /// How much of the difference is heard, from 0 to 1.
    share: f32,
}

impl Mixer {
    /// Appends one sample for each pair.
    pub(super) fn mix(&mut self, interleaved: &[f32], rate: u32, out: &mut Vec<f32>) {
        let pairs = (rate / STRETCHES).max(1) as usize;
        for stretch in interleaved.chunks(2 * pairs) {
            self.stretch(stretch, out);
        }
    }

    fn stretch(&mut self, samples: &[f32], out: &mut Vec<f32>) {
        let pairs = samples.chunks_exact(2).map(|it| (sane(it[0]), sane(it[1])));
        let both = pairs.map(|(left, right)| ((left + right) / 2.0, (left - right) / 2.0));
        let energy = |(mean, difference): (f32, f32), it: (f32, f32)| {
            (mean + it.0 * it.0, difference + it.1 * it.1)
        };
        let (mean, difference) = both.clone().fold((0.0, 0.0), energy);
        self.mean = KEPT * self.mean + mean;
        self.difference = KEPT * self.difference + difference;
        let wanted = if self.mean < SILENT * self.difference { 1.0 } else { 0.0 };
        let step = (wanted - self.share) / (samples.len() / 2).max(1) as f32;
        let mut share = self.share;
        out.extend(both.map(|(mean, difference)| {
            // Without a jump from one to the other.
            share += step;
            mean + share * (difference - mean)
        }));
        self.share = wanted;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mixed(pairs: &[(f32, f32)]) -> Vec<f32> {
        let interleaved: Vec<f32> = pairs.iter().flat_map(|it| [it.0, it.1]).collect();
        let (mut mixer, mut out) = (Mixer::default(), Vec::new());
        interleaved.chunks(2 * 1_152).for_each(|part| mixer.mix(part, 44_100, &mut out));
        assert_eq!(out.len(), pairs.len());
        out
    }

    fn tone(at: u16) -> f32 {
        (f32::from(at) * 0.1).sin() / 2.0
    }

    #[test]
    fn two_channels_in_antiphase_are_heard_from_their_first_moments_on() {
        let half = 22_050;
        let pairs: Vec<(f32, f32)> = (0..2 * half)
            .map(|at| (tone(at), if at < half { tone(at) } else { -tone(at) }))
            .collect();
        let out = mixed(&pairs);
        for (at, sample) in (0..2 * half).zip(&out) {
            let moment = at < half || at > half + 44 * 60;
            assert!(!moment || (sample - tone(at)).abs() < 1e-6, "{sample} at {at}");
        }
    }

    #[test]
    fn the_mean_of_ordinary_stereo_is_taken_as_it_is() {
        let mut random = fastrand::Rng::with_seed(3);
        let pairs: Vec<(f32, f32)> = (0..40_000)
            .map(|at| (tone(at) + random.f32() * 0.2 - 0.1, 0.3 * tone(at) + random.f32() * 0.2))
            .collect();
        let means: Vec<f32> = pairs.iter().map(|it| (it.0 + it.1) / 2.0).collect();
        assert_eq!(mixed(&pairs), means);
        for one in [(0.5, 0.0), (0.0, 0.5), (0.0, 0.0)] {
            assert_eq!(mixed(&[one; 3_000]), vec![(one.0 + one.1) / 2.0; 3_000]);
        }
    }

    #[test]
    fn what_is_no_number_spoils_nothing_after_it() {
        let mut pairs = vec![(f32::NAN, f32::INFINITY); 10];
        pairs.extend([(0.5, -0.5); 20_000]);
        let out = mixed(&pairs);
        assert!(out.iter().all(|sample| sample.is_finite()));
        assert_eq!(out[19_000], 0.5);
    }
}
