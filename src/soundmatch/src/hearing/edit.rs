//! What an MP4 file says is to be heard of what its decoder brings.
//!
//! An AAC encoder puts one or two packets of nothing before the sound and fills the last one up. The
//! file tells of it in its edit list, which players follow, or in a comment of Apple's encoders; the
//! decoder behind us reads neither. A bare AAC stream tells nothing.
//!
//! Hazards: boxes lie about their sizes and can be many, so that both are bounded, and whatever is
//! odd is passed over: then the sound is heard whole. Several cuts in a row are no encoder's work and
//! are passed over too.

use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;

/// Boxes that are looked at in one file.
const MOST_BOXES: u32 = 4_096;

/// Bytes of a comment that are read.
const COMMENT: usize = 256;

/// A time as so many parts of a second, and how many of them a second has.
type Ticks = (u64, u32);

/// The part of a recording that is to be heard.
#[derive(Debug, Default)]
pub(super) struct Edit {
    skip: Option<Ticks>,
    keep: Option<Ticks>,
    /// Samples that came by.
    passed: u64,
}

impl Edit {
    /// Reads what the file says, and leaves the reader anywhere.
    pub(super) fn of(reader: &mut (impl Read + Seek + ?Sized)) -> Edit {
        Boxes { reader, left: MOST_BOXES }.edit().unwrap_or_default()
    }

    /// Drops those of the samples from `held` on that are not to be heard.
    pub(super) fn cut(&mut self, samples: &mut Vec<f32>, held: usize, rate: u32) {
        let before = self.passed;
        self.passed += (samples.len() - held) as u64;
        let skip = self.skip.map_or(0, |skip| scaled(skip, rate));
        let end = self.keep.map(|keep| skip.saturating_add(scaled(keep, rate)));
        let left = |place: u64| held + usize::try_from(place.saturating_sub(before)).unwrap_or(0);
        samples.truncate(end.map_or(usize::MAX, left));
        let early = left(skip).min(samples.len());
        samples.drain(held.min(early)..early);
    }
}

fn scaled((ticks, scale): Ticks, rate: u32) -> u64 {
    let scale = u128::from(scale.max(1));
    let samples = (u128::from(ticks) * u128::from(rate) + scale / 2) / scale;
    u64::try_from(samples).unwrap_or(u64::MAX)
}

/// Where the content of a box is.
type Place = Range<u64>;

struct Boxes<'r, R: ?Sized> {
    reader: &'r mut R,
    left: u32,
}

impl<R: Read + Seek + ?Sized> Boxes<'_, R> {
    fn edit(&mut self) -> Option<Edit> {
        let end = self.reader.seek(SeekFrom::End(0)).ok()?;
        if self.bytes::<4>(4)? != *b"ftyp" {
            return None;
        }
        let moov = self.child(&(0..end), *b"moov")?;
        let track = self.sound_track(&moov)?;
        let header = self.path(&track, &[*b"mdia", *b"mdhd"])?;
        let (scale, duration) = self.clock(&header)?;
        let listed = self.listed(&moov, &track, scale);
        let edit = listed.or_else(|| self.commented(&moov, scale))?;
        // In files made of fragments nobody knows the duration; no encoder takes a second.
        let (skip, _) = edit.skip?;
        (skip < duration.max(u64::from(scale))).then_some(edit)
    }

    fn sound_track(&mut self, moov: &Place) -> Option<Place> {
        let tracks = self.children(moov);
        tracks.into_iter().filter(|(kind, _)| kind == b"trak").map(|(_, place)| place).find(
            |track| {
                let kind = self.path(track, &[*b"mdia", *b"hdlr"]);
                kind.and_then(|kind| self.bytes::<4>(kind.start + 8)) == Some(*b"soun")
            },
        )
    }

    /// Parts of a second that times of a header are told in, and the duration.
    fn clock(&mut self, header: &Place) -> Option<(u32, u64)> {
        if self.bytes::<1>(header.start)? == [0] {
            let scale = u32::from_be_bytes(self.bytes(header.start + 12)?);
            let duration = u32::from_be_bytes(self.bytes(header.start + 16)?);
            return (scale > 0).then_some((scale, u64::from(duration)));
        }
        let scale = u32::from_be_bytes(self.bytes(header.start + 20)?);
        let duration = u64::from_be_bytes(self.bytes(header.start + 24)?);
        (scale > 0).then_some((scale, duration))
    }

    /// What the edit list says, if it is one cut; one that only waits may stand before it.
    fn listed(&mut self, moov: &Place, track: &Place, scale: u32) -> Option<Edit> {
        let list = self.path(track, &[*b"edts", *b"elst"])?;
        let header = self.path(moov, &[*b"mvhd"])?;
        let (movie_scale, _) = self.clock(&header)?;
        let wide = self.bytes::<1>(list.start)? == [1];
        let count = u32::from_be_bytes(self.bytes(list.start + 4)?);
        let mut entry = list.start + 8;
        let (mut length, mut from) = self.cut_at(entry, wide)?;
        if count == 2 && from < 0 {
            entry += if wide { 20 } else { 12 };
            (length, from) = self.cut_at(entry, wide)?;
        } else if count != 1 {
            return None;
        }
        let skip = u64::try_from(from).ok().filter(|&from| from > 0)?;
        let keep = (length > 0).then_some((length, movie_scale));
        Some(Edit { skip: Some((skip, scale)), keep, passed: 0 })
    }

    /// How long a cut lasts and where in the medium it begins; before its beginning for a wait.
    fn cut_at(&mut self, entry: u64, wide: bool) -> Option<(u64, i64)> {
        if wide {
            let length = u64::from_be_bytes(self.bytes(entry)?);
            return Some((length, i64::from_be_bytes(self.bytes(entry + 8)?)));
        }
        let length = u32::from_be_bytes(self.bytes(entry)?);
        let from = i32::from_be_bytes(self.bytes(entry + 4)?);
        Some((u64::from(length), i64::from(from)))
    }

    /// What the comment `iTunSMPB` says: in its second and fourth word, samples before and of the
    /// sound.
    fn commented(&mut self, moov: &Place, scale: u32) -> Option<Edit> {
        let meta = self.path(moov, &[*b"udta", *b"meta"])?;
        let list = self.child(&(meta.start + 4..meta.end), *b"ilst")?;
        for (kind, comment) in self.children(&list) {
            let named = kind == *b"----"
                && self
                    .child(&comment, *b"name")
                    .is_some_and(|name| self.bytes::<8>(name.start + 4) == Some(*b"iTunSMPB"));
            if !named {
                continue;
            }
            let data = self.child(&comment, *b"data")?;
            let text = self.text(&(data.start + 8..data.end))?;
            let mut words = text.split_ascii_whitespace().map(|it| u64::from_str_radix(it, 16));
            let skip = words.nth(1)?.ok()?;
            let keep = words.nth(1)?.ok().filter(|&keep| keep > 0);
            let keep = keep.map(|keep| (keep, scale));
            return Some(Edit { skip: Some((skip, scale)), keep, passed: 0 });
        }
        None
    }

    fn path(&mut self, within: &Place, kinds: &[[u8; 4]]) -> Option<Place> {
        kinds.iter().try_fold(within.clone(), |within, &kind| self.child(&within, kind))
    }

    fn child(&mut self, within: &Place, wanted: [u8; 4]) -> Option<Place> {
        self.children(within).into_iter().find(|(kind, _)| *kind == wanted).map(|(_, place)| place)
    }

    /// The boxes within a place, as far as they can be followed.
    fn children(&mut self, within: &Place) -> Vec<([u8; 4], Place)> {
        let mut found = Vec::new();
        let mut at = within.start;
        while at + 8 <= within.end && self.left > 0 {
            self.left -= 1;
            let Some((kind, place)) = self.header(at, within.end) else { break };
            at = place.end;
            found.push((kind, place));
        }
        found
    }

    fn header(&mut self, at: u64, end: u64) -> Option<([u8; 4], Place)> {
        let size = u32::from_be_bytes(self.bytes(at)?);
        let kind = self.bytes(at + 4)?;
        let (size, header) = match size {
            0 => (end - at, 8),
            1 => (u64::from_be_bytes(self.bytes(at + 8)?), 16),
            size => (u64::from(size), 8),
        };
        let to = at.checked_add(size).filter(|&to| size >= header && to <= end)?;
        Some((kind, at + header..to))
    }

    fn bytes<const N: usize>(&mut self, at: u64) -> Option<[u8; N]> {
        let mut bytes = [0; N];
        self.reader.seek(SeekFrom::Start(at)).ok()?;
        self.reader.read_exact(&mut bytes).ok()?;
        Some(bytes)
    }

    fn text(&mut self, place: &Place) -> Option<String> {
        let len = usize::try_from(place.end.checked_sub(place.start)?).ok()?.min(COMMENT);
        let mut bytes = vec![0; len];
        self.reader.seek(SeekFrom::Start(place.start)).ok()?;
        self.reader.read_exact(&mut bytes).ok()?;
        String::from_utf8(bytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn boxed(kind: &[u8; 4], parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        let size = u32::try_from(content.len() + 8).unwrap();
        [&size.to_be_bytes()[..], kind, &content].concat()
    }

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_be_bytes()).collect()
    }

    /// A file without sound that says of it what the boxes say.
    fn file(edits: &[u8], user: &[u8]) -> Vec<u8> {
        let track = |kind: u32, edits: &[u8]| {
            let kind = boxed(b"hdlr", &[&words(&[0, 0, kind])]);
            let clock = boxed(b"mdhd", &[&words(&[0, 0, 0, 44_100, 441_000])]);
            boxed(b"trak", &[&boxed(b"mdia", &[&clock, &kind]), edits])
        };
        let header = boxed(b"mvhd", &[&words(&[0, 0, 0, 1_000, 10_000])]);
        let video = track(u32::from_be_bytes(*b"vide"), &list(&[(5, 5)]));
        let sound = track(u32::from_be_bytes(*b"soun"), edits);
        let moov = boxed(b"moov", &[&header, &video, &sound, user]);
        [boxed(b"ftyp", &[b"M4A "]), boxed(b"mdat", &[&[0; 100]]), moov].concat()
    }

    fn list(cuts: &[(u32, u32)]) -> Vec<u8> {
        let mut content = words(&[0, u32::try_from(cuts.len()).unwrap()]);
        content.extend(cuts.iter().flat_map(|&(length, from)| words(&[length, from, 0x1_0000])));
        boxed(b"edts", &[&boxed(b"elst", &[&content])])
    }

    fn comment(name: &str, text: &str) -> Vec<u8> {
        let name = boxed(b"name", &[&[0; 4], name.as_bytes()]);
        let data = boxed(b"data", &[&words(&[1, 0]), text.as_bytes()]);
        boxed(b"----", &[&boxed(b"mean", &[&[0; 4], b"com.apple.iTunes"]), &name, &data])
    }

    fn user(comments: &[Vec<u8>]) -> Vec<u8> {
        let list = boxed(b"ilst", &[&comments.concat()]);
        boxed(b"udta", &[&boxed(b"meta", &[&[0; 4], &list])])
    }

    /// What is left of 10.1 s at 44,100 Hz, which come in pieces: the first, and how many.
    fn heard(file: &[u8]) -> (f32, usize) {
        let mut edit = Edit::of(&mut Cursor::new(file));
        let (mut out, mut next) = (Vec::new(), 0.0);
        for _ in 0..435 {
            let held = out.len();
            for _ in 0..1024 {
                out.push(next);
                next += 1.0;
            }
            edit.cut(&mut out, held, 44_100);
        }
        (out[0], out.len())
    }

    const ALL: (f32, usize) = (0.0, 445_440);

    #[test]
    fn an_edit_list_is_followed() {
        assert_eq!(heard(&file(&list(&[(10_000, 1024)]), &[])), (1024.0, 441_000));
        assert_eq!(heard(&file(&list(&[(0, 2112)]), &[])), (2112.0, 445_440 - 2112));
        assert_eq!(heard(&file(&list(&[(500, u32::MAX), (10_000, 1024)]), &[])).0, 1024.0);
        // Two cuts, one that leaves nothing, none.
        assert_eq!(heard(&file(&list(&[(5_000, 1024), (5_000, 300_000)]), &[])), ALL);
        assert_eq!(heard(&file(&list(&[(10_000, 441_000)]), &[])), ALL);
        assert_eq!(heard(&file(&[], &[])), ALL);
    }

    #[test]
    fn a_comment_is_believed_where_there_is_no_list() {
        let said = " 00000000 00000840 000001CA 000000000006BAA8 00000000";
        let comments = [comment("iTunNORM", "0 1"), comment("iTunSMPB", said)];
        assert_eq!(heard(&file(&[], &user(&comments))), (2112.0, 441_000));
        assert_eq!(heard(&file(&list(&[(10_000, 0)]), &user(&comments))), (2112.0, 441_000));
        assert_eq!(heard(&file(&list(&[(10_000, 1024)]), &user(&comments))).0, 1024.0);
        for odd in ["", " 00000000", " 0 zz 0 0", " 0 840 0"] {
            assert_eq!(heard(&file(&[], &user(&[comment("iTunSMPB", odd)]))), ALL, "{odd}");
        }
    }

    #[test]
    fn no_damage_whatever_is_fatal() {
        let whole = file(&list(&[(10_000, 1024)]), &user(&[comment("iTunSMPB", " 0 840 0 1")]));
        for cut in 0..whole.len() {
            Edit::of(&mut Cursor::new(&whole[..cut]));
        }
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..2_000 {
            let mut bytes = whole.clone();
            for _ in 0..random.usize(1..6) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            Edit::of(&mut Cursor::new(bytes));
        }
    }
}
