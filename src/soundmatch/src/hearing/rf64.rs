//! RF64 and BW64 files as the WAV files that they are but for their sizes.
//!
//! A WAV file has sizes of 32 bits. Recordings of more than 4 GiB say so in their first four bytes and
//! keep their sizes of 64 bits in a chunk of their own, which the reader behind us does not know. It is
//! shown the old marks, and the sizes where they fit. Where they do not, it reads to the end of what it is
//! shown, which is the end of the sound.
//!
//! Hazards: sizes are what a file claims. Chunks are looked at one after another, a bounded number of
//! them, and whatever is odd is passed over: the file is then read as it is.

use std::io::{Read, Seek, SeekFrom};

/// Chunks that are looked at before the sound.
const MOST_CHUNKS: u32 = 1_024;

/// The largest size that a WAV file can tell; it means that nobody knows.
const UNKNOWN: u32 = u32::MAX;

/// What is shown in place of some bytes of a file, and where the file is shown to end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rf64 {
    /// Four bytes each, by their places.
    shown: [(u64, [u8; 4]); 3],
    /// Where the sound ends, if its size does not fit.
    end: Option<u64>,
}

impl Rf64 {
    /// What to show of a file, if it is of this kind. Leaves the reader anywhere.
    pub(super) fn of(reader: &mut (impl Read + Seek + ?Sized)) -> Option<Rf64> {
        let [mark, _, form, kind, size] = words(reader, 0)?;
        let is_known = matches!(&mark, b"RF64" | b"BW64") && form == *b"WAVE" && kind == *b"ds64";
        let [low, high] = words(reader, 28)?;
        let told = u64::from(u32::from_le_bytes(low)) | u64::from(u32::from_le_bytes(high)) << 32;
        let mut at = 20_u64.checked_add(padded(size)).filter(|_| is_known)?;
        for _ in 0..MOST_CHUNKS {
            let [kind, size] = words(reader, at)?;
            if kind != *b"data" {
                at = at.checked_add(8)?.checked_add(padded(size))?;
                continue;
            }
            let size = match u32::from_le_bytes(size) {
                UNKNOWN => told,
                known => u64::from(known),
            };
            // Whoever records writes the size at the end, and may not have come to it.
            let fitting = u32::try_from(size).ok().filter(|size| *size > 0).unwrap_or(UNKNOWN);
            let end = (at + 8).checked_add(size).filter(|_| size > 0 && fitting == UNKNOWN);
            let unknown = UNKNOWN.to_le_bytes();
            let shown = [(0, *b"RIFF"), (4, unknown), (at + 4, fitting.to_le_bytes())];
            return Some(Rf64 { shown, end });
        }
        None
    }

    /// Where the sound ends, if that is not shown by a size.
    pub(super) fn end(&self) -> Option<u64> {
        self.end
    }

    /// Puts what is shown over what was read at a place.
    pub(super) fn show(&self, at: u64, read: &mut [u8]) {
        for (place, bytes) in &self.shown {
            for (place, byte) in (*place..).zip(bytes) {
                let own = place.checked_sub(at).and_then(|own| usize::try_from(own).ok());
                if let Some(read) = own.and_then(|own| read.get_mut(own)) {
                    *read = *byte;
                }
            }
        }
    }
}

fn padded(size: [u8; 4]) -> u64 {
    u64::from(u32::from_le_bytes(size)).next_multiple_of(2)
}

/// Words of four bytes at a place; none where the file ends before.
fn words<const N: usize>(
    reader: &mut (impl Read + Seek + ?Sized),
    at: u64,
) -> Option<[[u8; 4]; N]> {
    let mut words = [[0; 4]; N];
    reader.seek(SeekFrom::Start(at)).ok()?;
    words.iter_mut().try_for_each(|word| reader.read_exact(word)).ok()?;
    Some(words)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    /// A file whose sound has this size, as its header tells it, and what stands before the sound.
    fn header(mark: &[u8; 4], size: u64) -> Vec<u8> {
        let mut file = [&mark[..], &[0xff; 4], b"WAVEds64", &28_u32.to_le_bytes()].concat();
        file.extend([&(size + 80).to_le_bytes()[..], &size.to_le_bytes(), &[0; 12]].concat());
        file.extend([&b"odd "[..], &3_u32.to_le_bytes(), &[7; 4]].concat());
        file.extend([&b"fmt "[..], &16_u32.to_le_bytes(), &[1; 16]].concat());
        file.extend([&b"data"[..], &[0xff; 4]].concat());
        file
    }

    #[test]
    fn sizes_that_fit_are_shown_and_others_are_where_the_file_ends() {
        for mark in [b"RF64", b"BW64"] {
            let file = header(mark, 32_000);
            let rf64 = Rf64::of(&mut Cursor::new(&file)).unwrap();
            assert_eq!(rf64.end(), None);
            let mut shown = file.clone();
            // In parts as odd as a reader may ask for them.
            let mut at = 0;
            for part in shown.chunks_mut(7) {
                rf64.show(at, part);
                at += part.len() as u64;
            }
            assert_eq!(shown[..8], *b"RIFF\xff\xff\xff\xff");
            assert_eq!(shown[8..file.len() - 4], file[8..file.len() - 4]);
            assert_eq!(shown[file.len() - 4..], 32_000_u32.to_le_bytes());
        }
        let long = header(b"RF64", 5 << 30);
        let rf64 = Rf64::of(&mut Cursor::new(&long)).unwrap();
        assert_eq!(rf64.end(), Some(long.len() as u64 + (5 << 30)));
        let mut far = [9; 40];
        rf64.show(6 << 30, &mut far);
        assert_eq!(far, [9; 40]);
    }

    #[test]
    fn a_size_that_was_never_written_means_all_that_is_there() {
        let rf64 = Rf64::of(&mut Cursor::new(header(b"RF64", 0))).unwrap();
        assert_eq!(rf64.end(), None);
        assert_eq!(rf64.shown[2].1, [0xff; 4]);
    }

    #[test]
    fn nothing_else_is_touched_and_no_damage_is_fatal() {
        let whole = header(b"RF64", 32_000);
        for cut in 0..whole.len() {
            assert_eq!(Rf64::of(&mut Cursor::new(&whole[..cut])), None, "{cut} bytes");
        }
        assert_eq!(Rf64::of(&mut Cursor::new(header(b"RIFF", 32_000))), None);
        let mut random = fastrand::Rng::with_seed(6);
        for _ in 0..2_000 {
            let mut bytes = whole.clone();
            for _ in 0..random.usize(1..8) {
                let at = random.usize(..bytes.len());
                bytes[at] = random.u8(..);
            }
            Rf64::of(&mut Cursor::new(bytes));
        }
    }
}
