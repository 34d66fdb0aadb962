//! What `research match` prints for people: of each clip, in the order it is heard, the recognised
//! part and the offset at which the whole clip would begin.

use soundmatch::{ClipMatch, ClipOutcome, MatchReport, Occurrence};

use super::print::{line, plain};

pub(super) fn print(report: &MatchReport) {
    line(&format!("episode of {}", clock(report.episode.duration_ns)));
    for note in &report.episode.notes {
        line(&format!("  note: {}", plain(&note.to_string())));
    }
    for clip in &report.clips {
        line(&plain(&clip.path.display().to_string()));
        for text in lines(clip) {
            line(&format!("  {}", plain(&text)));
        }
    }
}

fn lines(clip: &ClipMatch) -> Vec<String> {
    let (facts, found) = match &clip.outcome {
        ClipOutcome::Refused { reason } => return vec![reason.clone()],
        ClipOutcome::Searched { facts, found } => (facts, found),
    };
    let mut lines: Vec<String> = facts.notes.iter().map(|note| format!("note: {note}")).collect();
    if found.occurrences.is_empty() {
        lines.push("not found".into());
    }
    let mut occurrences = found.occurrences.clone();
    occurrences.sort_by_key(|it| (it.heard_from_ns(), it.offset_ns));
    lines.extend(occurrences.iter().map(|it| occurrence(it, facts.duration_ns)));
    if found.more {
        lines.push("there are more; these are the strongest".into());
    }
    lines
}

fn occurrence(it: &Occurrence, clip_ns: i64) -> String {
    let share = 100 * it.extent.length_ns() / clip_ns.max(1);
    let sign = if it.inverted { ", inverted" } else { "" };
    format!(
        "heard {} to {}, {share} % of it; offset {}, speed {:.3}{sign}, confidence {:.2}",
        clock(it.heard_from_ns()),
        clock(it.heard_to_ns()),
        clock(it.offset_ns),
        it.speed,
        it.confidence
    )
}

/// Hours, minutes, seconds and milliseconds; with a dash before it when it is before the beginning.
fn clock(ns: i64) -> String {
    let ms = ns / 1_000_000;
    let (dash, ms) = (if ms < 0 { "-" } else { "" }, ms.unsigned_abs());
    let (hours, minutes) = (ms / 3_600_000, ms / 60_000 % 60);
    format!("{dash}{hours}:{minutes:02}:{:02}.{:03}", ms / 1000 % 60, ms % 1000)
}

#[cfg(test)]
mod tests {
    use soundmatch::Extent;

    use super::*;

    #[test]
    fn a_clip_whose_beginning_was_cut_off_has_both_places() {
        let second = 1_000_000_000;
        let extent = Extent { start_ns: 2 * second, end_ns: 4 * second };
        let mut it = Occurrence {
            offset_ns: second,
            confidence: 0.9,
            extent,
            speed: 1.0,
            inverted: false,
            similarity: 1.0,
        };
        assert_eq!(
            occurrence(&it, 4 * second),
            "heard 0:00:03.000 to 0:00:05.000, 50 % of it; offset 0:00:01.000, speed 1.000, \
             confidence 0.90"
        );
        it.inverted = true;
        assert!(occurrence(&it, 4 * second).ends_with("speed 1.000, inverted, confidence 0.90"));
        it.offset_ns = -300_000;
        assert!(occurrence(&it, 4 * second).contains("offset 0:00:00.000,"));
        it.offset_ns = -second;
        assert!(occurrence(&it, 4 * second).contains("offset -0:00:01.000,"));
    }
}
