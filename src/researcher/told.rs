//! What an analyst found, in the words of a result.

use byteio::causes::chain;
use soundmatch::{AudioError, Facts, Found, Peak};
use storage::registry::{
    MediaFacts, NOTES_MAX, OCCURRENCES_MAX, Occurrence, PEAKS_MAX, SearchOutcome, TroubleAbout,
};

use super::office::Unopened;

/// Longest reason that a result may give, in bytes.
const WHY_MAX: usize = 1000;
/// Longest note about a recording, in bytes.
const NOTE_MAX: usize = 300;

/// What was measured.
pub(super) fn facts(facts: &Facts) -> MediaFacts {
    let notes =
        facts.notes.iter().take(NOTES_MAX).map(|note| one_line(&note.to_string(), NOTE_MAX));
    MediaFacts {
        duration_ns: facts.duration_ns,
        sha256: facts.sha256.clone(),
        peaks: Vec::new(),
        notes: notes.collect(),
    }
}

/// How an episode sounds, as a result tells it: the lowest and the highest sample in turn.
pub(super) fn peaks(pairs: &[Peak]) -> Vec<i8> {
    pairs.iter().take(PEAKS_MAX).flat_map(|it| [level(it.low), level(it.high)]).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "-127 to 127; what is no number is zero")]
fn level(sample: f32) -> i8 {
    (sample.clamp(-1.0, 1.0) * 127.0).round() as i8
}

/// What was found of a clip.
pub(super) fn searched(found: &Found) -> SearchOutcome {
    let mut occurrences: Vec<Occurrence> = found.occurrences.iter().map(occurrence).collect();
    occurrences.truncate(OCCURRENCES_MAX);
    SearchOutcome::Searched { occurrences }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to a million")]
fn occurrence(it: &soundmatch::Occurrence) -> Occurrence {
    Occurrence {
        offset_ns: it.offset_ns,
        extent_ns: it.extent.length_ns(),
        confidence_ppm: (it.confidence.clamp(0.0, 1.0) * 1e6).round() as u32,
        heard_ns: Some(it.heard_from_ns()),
    }
}

/// What stood in the way; `None` when it was a wish to stop.
pub(super) fn failed(about: TroubleAbout, trouble: Trouble) -> Option<SearchOutcome> {
    let (code, why) = match trouble {
        Trouble::Unopened(Unopened::Stopped) | Trouble::Audio(AudioError::Stopped) => return None,
        Trouble::Unopened(Unopened::Trouble { code, why }) => (code, why),
        Trouble::Audio(error) => (code(&error).to_owned(), chain(&error)),
    };
    Some(SearchOutcome::Failed { about, code, why: one_line(&why, WHY_MAX) })
}

/// Why a recording could not be analysed.
pub(super) enum Trouble {
    Unopened(Unopened),
    Audio(AudioError),
}

fn code(error: &AudioError) -> &'static str {
    match error {
        AudioError::Unreadable(_) => "fetch",
        AudioError::Empty => "empty",
        AudioError::NotAudio { .. } => "not-audio",
        AudioError::NoSound { .. } | AudioError::DecoderFailed { .. } => "decode",
        AudioError::ClipTooShort { .. } => "too-short",
        AudioError::ClipTooLong { .. } => "too-long",
        AudioError::ClipSilent => "silent",
        AudioError::Stopped => "stopped",
    }
}

/// One line of text within the bounds of a result, cut between letters.
fn one_line(text: &str, most: usize) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let mut line: String = text.chars().map(plain).collect();
    let mut end = most.min(line.len());
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.truncate(end);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_that_fits() {
        assert_eq!(one_line("a\nb\tc", 9), "a b c");
        let long = "ä".repeat(600);
        assert_eq!(one_line(&long, WHY_MAX).len(), 1000);
        assert_eq!(one_line(&format!("x{long}"), WHY_MAX).len(), 999);
    }
}
