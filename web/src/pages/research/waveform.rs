//! A recording drawn: how loud it is over time, with a mark for every occurrence.

use std::fmt::Write;

use maud::{Markup, html};
use serde::Serialize;

use crate::parts::{counted, play_time};

/// The lowest and the highest sample of one part of a recording, from -1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct WavePair {
    /// The lowest.
    pub low: f32,
    /// The highest.
    pub high: f32,
}

/// The size of the drawing, in its own units.
const WIDTH: f64 = 1000.0;
const MIDDLE: f64 = 115.0;
const LOUD: f64 = 75.0;
/// Pairs and marks that are drawn at most.
const PAIRS: usize = 400;
const MARKS: usize = 500;
/// Marks that bear their number; more of them would cover one another.
const NUMBERED: usize = 24;

/// Renders how a recording sounds, with the occurrences at these moments; `numbered` are those of
/// the table, by number and moment.
pub(super) fn waveform(wave: &[WavePair], marks: &[i64], drawn: Drawn<'_>) -> Markup {
    if wave.is_empty() || drawn.duration_ns <= 0 {
        return html! {
            p.quiet { "How it sounds is drawn once it was searched for the first time." }
        };
    }
    let at = |moment: i64| x_of(moment, drawn.duration_ns);
    let numbers = Some(drawn.numbered).filter(|it| it.len() <= NUMBERED).unwrap_or_default();
    html! {
        figure.wave {
            svg viewBox="0 0 1000 200" role="img" aria-labelledby="wave-title"
                aria-describedby="wave-about" {
                title #wave-title { "How it sounds, and where clips occur" }
                desc #wave-about {
                    (play_time(drawn.duration_ns)) " long, with "
                    (counted(marks.len() as u64, "occurrence"))
                    ". The table of occurrences says where each of them is."
                }
                path.sound d=(sound(wave)) {}
                path.mark d=(lines(marks.iter().take(MARKS).map(|it| at(*it)))) {}
                @for (number, moment) in numbers {
                    text.number x=(at(*moment)) y="26" text-anchor="middle" { (number) }
                }
            }
            // Beside the drawing, so that the times keep their size on a narrow screen.
            figcaption.axis aria-hidden="true" {
                span { (play_time(0)) }
                span { (play_time(drawn.duration_ns / 2)) }
                span { (play_time(drawn.duration_ns)) }
            }
        }
    }
}

/// What a waveform is drawn with besides the sound.
#[derive(Clone, Copy, Debug)]
pub(super) struct Drawn<'a> {
    /// How long the recording is.
    pub(super) duration_ns: i64,
    /// Occurrences that bear a number, and where they are.
    pub(super) numbered: &'a [(u64, i64)],
}

/// One upright line for each pair, all in one path.
fn sound(wave: &[WavePair]) -> String {
    let each = wave.len().div_ceil(PAIRS).max(1);
    let columns = wave.len().div_ceil(each).max(1);
    let step = WIDTH / columns as f64;
    let mut out = String::new();
    for (at, pairs) in wave.chunks(each).enumerate() {
        let low = pairs.iter().fold(0.0, |low: f32, pair| low.min(pair.low));
        let high = pairs.iter().fold(0.0, |high: f32, pair| high.max(pair.high));
        let y = |sample: f32| (MIDDLE - LOUD * f64::from(sample.clamp(-1.0, 1.0))).round();
        let (top, bottom) = (y(high), y(low));
        // A hair at least, so that silence is seen as silence and not as nothing.
        let bottom = if bottom - top < 1.0 { top + 1.0 } else { bottom };
        // Writing into a text does not fail.
        write!(out, "M{} {top}V{bottom}", ((at as f64 + 0.5) * step * 10.0).round() / 10.0).ok();
    }
    out
}

fn lines(places: impl Iterator<Item = f64>) -> String {
    let mut out = String::new();
    let mut last = None;
    for place in places {
        // Marks at the same place are one line.
        if last.replace(place) != Some(place) {
            write!(out, "M{place} 32V200").ok();
        }
    }
    out
}

/// Where a moment lies, to a tenth of a unit; before the beginning is at the beginning.
fn x_of(moment: i64, duration_ns: i64) -> f64 {
    let part = moment as f64 / duration_ns.max(1) as f64;
    (part.clamp(0.0, 1.0) * WIDTH * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_drawn_outside_of_the_plot() {
        let odd = [(-9.0, 9.0), (f32::NAN, f32::NAN), (0.0, 0.0)];
        let wave = odd.map(|(low, high)| WavePair { low, high });
        assert_eq!(sound(&wave), "M166.7 40V190M500 115V116M833.3 115V116");
        assert_eq!([-5, 0, 50, 100, i64::MAX].map(|it| x_of(it, 100)), [0.0, 0.0, 500.0, 1e3, 1e3]);
        assert_eq!(lines([1.0, 1.0, 2.0].into_iter()), "M1 32V200M2 32V200");
    }

    #[test]
    fn many_pairs_become_few() {
        let wave = vec![WavePair { low: -0.5, high: 0.5 }; 100_000];
        assert_eq!(sound(&wave).matches('M').count(), 400);
    }
}
