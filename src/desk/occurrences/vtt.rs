//! WebVTT: cues in the order of their beginnings, each with an end behind it, and no text that could
//! be taken for markup or for a timing.

use std::io::{self, Write};

use super::OccurrenceList;

pub(super) fn write(list: &OccurrenceList, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "WEBVTT {}", plain(&list.recording.title))?;
    writeln!(out)?;
    if list.is_cut {
        writeln!(out, "NOTE There are more occurrences than this file has.")?;
        writeln!(out)?;
    }
    let end_ms = list.recording.duration_ns.map(millis);
    let mut cues: Vec<(u64, u64, &str)> = Vec::with_capacity(list.occurrences.len());
    for it in &list.occurrences {
        // Where it is heard: a clip whose beginning was cut off begins earlier than that.
        let begins = millis(it.heard_ns);
        let ends = millis(it.heard_ns.max(0).saturating_add(it.extent_ns));
        // Not behind the end of the episode, and never without length.
        let ends = end_ms.map_or(ends, |end| ends.min(end)).max(begins + 1);
        cues.push((begins, ends, &it.clip_title));
    }
    cues.sort_by_key(|(begins, ends, _)| (*begins, *ends));
    for (number, (begins, ends, title)) in cues.into_iter().enumerate() {
        writeln!(out, "{}", number + 1)?;
        writeln!(out, "{} --> {}", stamp(begins), stamp(ends))?;
        writeln!(out, "{}", plain(title))?;
        writeln!(out)?;
    }
    Ok(())
}

/// A moment of the recording; what was cut off before it is at its beginning.
fn millis(offset_ns: i64) -> u64 {
    u64::try_from(offset_ns / 1_000_000).unwrap_or(0)
}

/// A timestamp: hours of at least two digits, minutes, seconds and thousandths.
pub(super) fn stamp(millis: u64) -> String {
    let (seconds, rest) = (millis / 1000, millis % 1000);
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600);
    format!("{hours:02}:{minutes:02}:{:02}.{rest:03}", seconds % 60)
}

/// One line of text in which nothing means anything else.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
