//! What happens to a clip on its way into an episode.

use super::{RATE, level, rms, samples, speech};

/// Conditions under which a clip has to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Mishap {
    Clean,
    Quiet,
    BassCut,
    TrebleCut,
    Telephone,
    Noise,
    SpeechOver,
    SpeechOverLouder,
    HeadLost,
    TailLost,
    Faster,
    Slower,
    SlightlyFaster,
    FasterSpeechOver,
    QuietEqualisedNoise,
    /// With the sign of every sample changed.
    Inverted,
    InvertedSpeechOver,
    /// In two channels, one with the sign of every sample changed.
    Antiphase,
    /// So many thousandths faster.
    Speed(i16),
}

/// Signs that nobody hears and that a sum of channels is deaf to.
pub(crate) const SIGNS: [Mishap; 4] =
    [Mishap::Clean, Mishap::Inverted, Mishap::InvertedSpeechOver, Mishap::Antiphase];

/// Speeds that the second pass is for: those it is made of, and those between them.
pub(crate) const FAR: [Mishap; 10] = [
    Mishap::Speed(20),
    Mishap::Speed(-20),
    Mishap::Speed(30),
    Mishap::Speed(-30),
    Mishap::Speed(40),
    Mishap::Speed(-40),
    Mishap::Speed(50),
    Mishap::Speed(-50),
    Mishap::Speed(60),
    Mishap::Speed(-60),
];

pub(crate) const ALL: [Mishap; 15] = [
    Mishap::Clean,
    Mishap::Quiet,
    Mishap::BassCut,
    Mishap::TrebleCut,
    Mishap::Telephone,
    Mishap::Noise,
    Mishap::SpeechOver,
    Mishap::SpeechOverLouder,
    Mishap::HeadLost,
    Mishap::TailLost,
    Mishap::Faster,
    Mishap::Slower,
    Mishap::SlightlyFaster,
    Mishap::FasterSpeechOver,
    Mishap::QuietEqualisedNoise,
];

/// What even the shortest clips survive.
pub(crate) const EASY: [Mishap; 8] = [
    Mishap::Clean,
    Mishap::Quiet,
    Mishap::BassCut,
    Mishap::TrebleCut,
    Mishap::Telephone,
    Mishap::Faster,
    Mishap::Slower,
    Mishap::SlightlyFaster,
];

/// A clip as it sounds in the episode, and how much of its beginning is gone.
pub(crate) struct Changed {
    pub(crate) sound: Vec<f32>,
    pub(crate) lost: usize,
    pub(crate) speed: f64,
}

impl Mishap {
    pub(crate) fn happen(self, clip: &[f32], seed: u64) -> Changed {
        let whole = |sound| Changed { sound, lost: 0, speed: 1.0 };
        let half = clip.len() / 2;
        match self {
            Mishap::Clean | Mishap::Antiphase => whole(clip.to_vec()),
            Mishap::Quiet => whole(clip.iter().map(|it| it * 0.15).collect()),
            Mishap::BassCut => whole(high_pass(clip, 600.0)),
            Mishap::TrebleCut => whole(low_pass(clip, 700.0)),
            Mishap::Telephone => {
                whole(low_pass(&high_pass(&high_pass(clip, 300.0), 300.0), 3_000.0))
            }
            Mishap::Noise => whole(noisy(clip, 0.32, seed)),
            Mishap::SpeechOver => whole(spoken_over(clip, 1.0, seed)),
            Mishap::SpeechOverLouder => whole(spoken_over(clip, 1.6, seed)),
            Mishap::HeadLost => Changed { sound: clip[half..].to_vec(), lost: half, speed: 1.0 },
            Mishap::TailLost => whole(clip[..half].to_vec()),
            Mishap::Faster => faster(clip, 1.01),
            Mishap::Slower => faster(clip, 0.99),
            Mishap::SlightlyFaster => faster(clip, 1.004),
            Mishap::FasterSpeechOver => {
                let changed = faster(clip, 1.008);
                Changed { sound: spoken_over(&changed.sound, 1.0, seed), ..changed }
            }
            Mishap::QuietEqualisedNoise => whole(
                noisy(&low_pass(&high_pass(clip, 400.0), 1_500.0), 0.5, seed)
                    .iter()
                    .map(|it| it * 0.3)
                    .collect(),
            ),
            Mishap::Inverted => whole(clip.iter().map(|it| -it).collect()),
            Mishap::InvertedSpeechOver => {
                let inverted: Vec<f32> = clip.iter().map(|it| -it).collect();
                whole(spoken_over(&inverted, 1.0, seed))
            }
            Mishap::Speed(thousandths) => faster(clip, 1.0 + f64::from(thousandths) / 1e3),
        }
    }
}

fn high_pass(sound: &[f32], hertz: f32) -> Vec<f32> {
    sound.iter().zip(low_pass(sound, hertz)).map(|(it, low)| it - low).collect()
}

fn low_pass(sound: &[f32], hertz: f32) -> Vec<f32> {
    let blend = 1.0 - (-std::f32::consts::TAU * hertz / RATE as f32).exp();
    let mut smooth = 0.0;
    sound
        .iter()
        .map(|it| {
            smooth += blend * (it - smooth);
            smooth
        })
        .collect()
}

fn noisy(sound: &[f32], part: f32, seed: u64) -> Vec<f32> {
    let mut random = fastrand::Rng::with_seed(seed);
    // Evenly spread noise between -1 and 1 has an rms of 0.577.
    let scale = rms(sound) * part / 0.577 * 2.0;
    sound.iter().map(|it| it + scale * (random.f32() - 0.5)).collect()
}

fn spoken_over(sound: &[f32], part: f32, seed: u64) -> Vec<f32> {
    let mut voice = speech::speech(seed, sound.len() as f64 / f64::from(RATE) + 0.01);
    level(&mut voice, rms(sound) * part);
    sound.iter().zip(voice).map(|(it, voice)| it + voice).collect()
}

/// Plays a sound faster or slower, by a windowed sinc.
pub(crate) fn faster(sound: &[f32], speed: f64) -> Changed {
    let length = (sound.len() as f64 / speed) as usize;
    let at = |place: f64| {
        let middle = place.floor() as i64;
        let mut sum = 0.0;
        for index in middle - 7..=middle + 8 {
            let Some(sample) = usize::try_from(index).ok().and_then(|index| sound.get(index))
            else {
                continue;
            };
            let distance = place - index as f64;
            let angle = std::f64::consts::PI * distance;
            let sinc = if angle.abs() < 1e-9 { 1.0 } else { angle.sin() / angle };
            sum += f64::from(*sample) * sinc * (0.5 + 0.5 * (angle / 8.5).cos());
        }
        sum as f32
    };
    let sound = (0..length).map(|index| at(index as f64 * speed)).collect();
    Changed { sound, lost: 0, speed }
}

/// Lays a clip over an episode, which makes way for it.
pub(crate) fn plant(episode: &mut [f32], at: usize, clip: &[f32]) {
    let fade = samples(0.01);
    for (index, (out, sample)) in episode[at..].iter_mut().zip(clip).enumerate() {
        let edge = index.min(clip.len() - 1 - index).min(fade) as f32 / fade as f32;
        *out = *out * (1.0 - edge) + sample * edge;
    }
}
