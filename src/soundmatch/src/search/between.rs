//! Reads between samples, by a windowed sinc.

/// Samples that are looked at to read between two, and places that are told apart between them.
const TAPS: usize = 16;
const PHASES: usize = 128;

pub(super) struct Between {
    /// For each of [`PHASES`] places between two samples, and the next sample itself.
    kernels: Vec<f32>,
}

impl Between {
    #[expect(clippy::cast_possible_truncation, reason = "kernels are in single precision")]
    pub(super) fn new() -> Between {
        let pi = std::f64::consts::PI;
        let kernel = |phase: usize| {
            let t = phase as f64 / PHASES as f64;
            (0..TAPS).map(move |tap| {
                let off = tap as f64 - (TAPS / 2 - 1) as f64 - t;
                let sinc = if off.abs() < 1e-9 { 1.0 } else { (pi * off).sin() / (pi * off) };
                let edge = (pi * off / TAPS as f64).cos();
                (sinc * edge * edge) as f32
            })
        };
        Between { kernels: (0..=PHASES).flat_map(kernel).collect() }
    }

    /// The sample at a place; beyond both ends there is silence.
    #[expect(clippy::cast_possible_truncation, reason = "places within a day")]
    #[expect(clippy::cast_sign_loss, reason = "what is left of a floor is not below zero")]
    pub(super) fn read(&self, samples: &[f32], place: f64) -> f32 {
        let floor = place.floor();
        let phase = ((place - floor) * PHASES as f64).round() as usize;
        let kernel = &self.kernels[phase.min(PHASES) * TAPS..][..TAPS];
        let first = floor as i64 - (TAPS / 2 - 1) as i64;
        let inside = usize::try_from(first).ok().and_then(|at| samples.get(at..at + TAPS));
        if let Some(samples) = inside {
            return samples.iter().zip(kernel).map(|(sample, tap)| sample * tap).sum();
        }
        let sample = |step: i64| {
            let at = usize::try_from(first + step).ok();
            at.and_then(|at| samples.get(at)).copied().unwrap_or(0.0)
        };
        (0..).zip(kernel).map(|(step, tap)| sample(step) * tap).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_is_read_anywhere() {
        let tone = |place: f64| (place * 1.9).sin();
        #[expect(clippy::cast_possible_truncation, reason = "sound is in single precision")]
        let samples: Vec<f32> = (0..100_u8).map(|at| tone(f64::from(at)) as f32).collect();
        let between = Between::new();
        for step in 0..600_u16 {
            let place = 20.0 + f64::from(step) / 10.0;
            let off = f64::from(between.read(&samples, place)) - tone(place);
            assert!(off.abs() < 0.02, "{off} at {place}");
        }
        for outside in [-50.0, -0.5, 99.5, 200.0] {
            assert!(between.read(&samples, outside).abs() < 1.0);
        }
        assert_eq!(between.read(&samples, 1e12), 0.0);
    }
}
