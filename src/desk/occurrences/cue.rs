//! A cue sheet: tracks numbered from 01 to 99 whose indexes rise, the first of them at the beginning,
//! in minutes, seconds and 75ths of a second.
//!
//! A track begins where something of its clip is heard. Clips that begin in the same 75th are one track with both names. What is behind the 99th track is
//! told in a remark, because there is no number for it. Minutes go beyond 99 where an episode does:
//! a disc has no such track, and players of files take it.

use std::io::{self, Write};

use storage::registry::Location;

use super::OccurrenceList;

/// Tracks that a sheet can have.
const TRACKS: usize = 99;
/// Parts of a second.
const FRAMES: u64 = 75;
/// Longest text, as programs read it.
const TEXT: usize = 200;

pub(super) fn write(list: &OccurrenceList, out: &mut dyn Write) -> io::Result<()> {
    let title = plain(&list.recording.title);
    let mut tracks: Vec<(u64, String)> = Vec::new();
    let mut left_out = 0_usize;
    for it in &list.occurrences {
        let frame = frames(it.heard_ns);
        if frame > 0 && tracks.is_empty() {
            tracks.push((0, title.clone()));
        }
        let is_full = tracks.len() == TRACKS;
        match tracks.last_mut() {
            Some((last, names)) if *last == frame => {
                names.push_str(" / ");
                names.push_str(&plain(&it.clip_title));
                names.truncate(names.char_indices().nth(TEXT).map_or(names.len(), |(at, _)| at));
            }
            Some(_) if is_full => left_out += 1,
            Some(_) | None => tracks.push((frame, plain(&it.clip_title))),
        }
    }
    if tracks.is_empty() {
        tracks.push((0, title.clone()));
    }
    if left_out > 0 {
        write!(out, "REM COMMENT \"{left_out} more occurrences have no number here\"\r\n")?;
    }
    write!(out, "TITLE \"{title}\"\r\n")?;
    let (name, kind) = file(&list.recording.location);
    write!(out, "FILE \"{name}\" {kind}\r\n")?;
    for (at, (frame, names)) in tracks.iter().enumerate() {
        let (seconds, rest) = (frame / FRAMES, frame % FRAMES);
        write!(out, "  TRACK {:02} AUDIO\r\n", at + 1)?;
        write!(out, "    TITLE \"{names}\"\r\n")?;
        write!(out, "    INDEX 01 {:02}:{:02}:{rest:02}\r\n", seconds / 60, seconds % 60)?;
    }
    Ok(())
}

/// Parts of a second from the beginning; what was cut off before it is at the beginning.
fn frames(heard_ns: i64) -> u64 {
    let heard_ns = u64::try_from(heard_ns).unwrap_or(0);
    u64::try_from(u128::from(heard_ns) * u128::from(FRAMES) / 1_000_000_000).unwrap_or(u64::MAX)
}

/// The name of the file, and the word for its kind: there are words for few.
fn file(location: &Location) -> (String, &'static str) {
    let path = match location {
        Location::Vault { path, .. } | Location::File { path } => path.as_str(),
        Location::Url { url } => url.split(['?', '#']).next().unwrap_or(url),
    };
    let name = plain(path.rsplit('/').next().unwrap_or(path));
    let is_mp3 = name.rsplit('.').next().is_some_and(|it| it.eq_ignore_ascii_case("mp3"));
    (name, if is_mp3 { "MP3" } else { "WAVE" })
}

/// One line of text without the sign that ends it.
fn plain(text: &str) -> String {
    let letter = |it: char| match it {
        '"' => '\'',
        it if it.is_control() => ' ',
        it => it,
    };
    text.chars().take(TEXT).map(letter).collect()
}
