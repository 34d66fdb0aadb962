//! Files that are out to cost much, or are not what they say.

use std::cell::Cell;
use std::io::{self, Cursor, Write};
use std::time::Duration;

use byteio::read_at::{Extent, FilePart, ReadAt};

use super::synthesis::lay_out;
use crate::{Basis, Bounds, Formats, Identification, Looking};

fn identify<'s>(formats: &'s Formats, bytes: &[u8], name: &str) -> Identification<'s> {
    formats.identify(&bytes, name, &Looking::default()).unwrap()
}

fn puids(found: &Identification<'_>) -> Vec<String> {
    found.matches.iter().map(|it| it.format.puid.clone()).collect()
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in entries {
        zip.start_file(*path, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

const WORD: &[u8] =
    b"<Types><Override ContentType=\"application/vnd.openxmlformats-officedocument.\
    wordprocessingml.document.main+xml\"/></Types>";

/// Bytes that count how many of them were read.
struct Counted<'b> {
    bytes: &'b [u8],
    /// Zeros that come before the last bytes, without being there.
    hole: u64,
    read: Cell<u64>,
}

impl Extent for Counted<'_> {
    fn size_bytes(&self) -> u64 {
        self.bytes.len() as u64 + self.hole
    }
}

impl ReadAt for Counted<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let half = self.bytes.len() / 2;
        let (head, tail) = self.bytes.split_at(half);
        let mut count = 0;
        for byte in &mut *buffer {
            let at = offset + count as u64;
            if at >= self.size_bytes() {
                break;
            }
            let early = usize::try_from(at).ok().and_then(|at| head.get(at));
            let late = || {
                let at = at.checked_sub(half as u64 + self.hole)?;
                tail.get(usize::try_from(at).ok()?)
            };
            *byte = early.or_else(late).copied().unwrap_or(0);
            count += 1;
        }
        self.read.set(self.read.get() + count as u64);
        Ok(count)
    }
}

#[test]
fn what_a_file_costs_does_not_grow_with_it() {
    let formats = Formats::built_in().unwrap();
    for start in [&b"%PDF-1.4\n"[..], b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"RIFF", b"<?xml "] {
        let bytes = [start, &[0; 64]].concat();
        let costs = [1_u64 << 30, 1 << 40, 1 << 60].map(|hole| {
            let source = Counted { bytes: &bytes, hole, read: Cell::new(0) };
            formats.identify(&source, "file", &Looking::default()).unwrap();
            source.read.get()
        });
        assert_eq!(costs[0], costs[1], "{start:?}");
        assert_eq!(costs[0], costs[2], "{start:?}");
        assert!(costs[0] < 6 << 20, "{start:?} cost {}", costs[0]);
    }
}

#[test]
fn a_sparse_file_of_ten_gigabytes_is_looked_at_in_no_time() {
    let formats = Formats::built_in().unwrap();
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1").unwrap();
    file.set_len(10 << 30).unwrap();
    let source = FilePart::whole(file).unwrap();
    let found = formats.identify(&source, "huge.doc", &Looking::default()).unwrap();
    assert!(found.matches.is_empty() || !found.warnings.is_empty(), "{found:?}");
}

#[test]
fn a_signature_cut_anywhere_is_never_worse_than_unknown() {
    let formats = Formats::built_in().unwrap();
    // Every seventh, each cut at a dozen places: all of them take a minute.
    for signature in formats.set.signatures.iter().step_by(7) {
        let Some(bytes) = lay_out(&signature.sequences) else { continue };
        for part in 0..12 {
            identify(&formats, &bytes[..bytes.len() * part / 12], "file.bin");
        }
    }
}

#[test]
fn a_container_cut_anywhere_keeps_what_its_bytes_tell() {
    let formats = Formats::built_in().unwrap();
    let whole = zip(&[("[Content_Types].xml", WORD), ("word/document.xml", b"<w/>")]);
    assert_eq!(puids(&identify(&formats, &whole, "letter.docx")), ["fmt/412"]);
    for len in 0..whole.len() {
        let found = identify(&formats, &whole[..len], "letter.docx");
        let names = puids(&found);
        assert!(!names.contains(&"fmt/412".to_owned()), "{len}");
        assert!(found.unknown.is_some() || !found.warnings.is_empty(), "{len}: {found:?}");
    }
}

#[test]
fn a_cut_file_says_what_it_begins_like() {
    let formats = Formats::built_in().unwrap();
    let found = identify(&formats, b"GIF89a\x01\0\x01\0\0\0\0 and no end", "picture.gif");
    assert_eq!(puids(&found), Vec::<String>::new());
    assert_eq!(
        found.warnings[0],
        "it begins like Graphics Interchange Format (fmt/4) and does not end so: it may be cut off"
    );
}

#[test]
fn a_damaged_directory_leaves_the_zip_a_zip_with_a_warning() {
    let formats = Formats::built_in().unwrap();
    let mut bytes = zip(&[("[Content_Types].xml", WORD)]);
    let directory = bytes.windows(4).position(|it| it == b"PK\x01\x02").unwrap();
    bytes[directory + 2] = b'x';
    let found = identify(&formats, &bytes, "letter.docx");
    assert!(
        found.matches.iter().all(|it| matches!(it.basis, Basis::Signature { .. })),
        "{found:?}"
    );
    assert!(found.matches.is_empty() || found.warnings.iter().any(|it| it.contains("directory")));
}

#[test]
fn zips_in_zips_and_bombs_are_not_unpacked() {
    let formats = Formats::built_in().unwrap();
    let mut nested = zip(&[("[Content_Types].xml", WORD)]);
    for _ in 0..20 {
        nested = zip(&[("inner.zip", &nested)]);
    }
    assert_eq!(puids(&identify(&formats, &nested, "nested.zip")), ["x-fmt/263"]);
    // What a bomb unpacks to is read as far as its signatures reach, and no further.
    let zeros = vec![0; 64 << 20];
    let bomb = zip(&[("[Content_Types].xml", &zeros)]);
    let source = Counted { bytes: &bomb, hole: 0, read: Cell::new(0) };
    let found = formats.identify(&source, "bomb.docx", &Looking::default()).unwrap();
    assert_eq!(puids(&found), ["x-fmt/263"]);
}

#[test]
fn bounds_make_a_file_unknown_and_say_which() {
    let formats = Formats::built_in().unwrap();
    let bytes = zip(&[("[Content_Types].xml", WORD)]);
    let reason = |bounds: Bounds, steady: Option<&(dyn Fn() -> Duration + Sync)>| {
        let looking = Looking { bounds, steady };
        let found = formats.identify(&bytes.as_slice(), "a.docx", &looking).unwrap();
        assert_eq!(found.matches, []);
        found.unknown.unwrap()
    };
    assert_eq!(
        reason(Bounds { read_bytes: 100, ..Bounds::default() }, None),
        "it was not looked at to the end: more than 100 bytes would have to be read"
    );
    assert_eq!(
        reason(Bounds { compared_bytes: 5, ..Bounds::default() }, None),
        "it was not looked at to the end: more than 5 bytes were compared"
    );
    let ticks = std::sync::atomic::AtomicU64::new(0);
    let slow = || Duration::from_secs(ticks.fetch_add(15, std::sync::atomic::Ordering::Relaxed));
    assert_eq!(
        reason(Bounds::default(), Some(&slow)),
        "it was not looked at to the end: looking took more than 20 seconds"
    );
}

#[test]
fn worst_bytes_for_the_matcher_stay_within_bounds() {
    let formats = Formats::built_in().unwrap();
    // Files of one byte, and of the starts of many signatures over and over.
    let mut worst: Vec<Vec<u8>> = (0..=u8::MAX).map(|byte| vec![byte; 300_000]).collect();
    for signature in formats.set.signatures.iter().step_by(40) {
        let Some(bytes) = lay_out(&signature.sequences) else { continue };
        let start = &bytes[..bytes.len().min(40)];
        worst.push(start.iter().copied().cycle().take(300_000).collect());
    }
    let bounds = Bounds { compared_bytes: 300 << 20, ..Bounds::default() };
    let looking = Looking { bounds, steady: None };
    for bytes in worst {
        let found = formats.identify(&bytes.as_slice(), "file", &looking).unwrap();
        let reason = found.unknown.unwrap_or_default();
        assert!(!reason.contains("compared"), "{:?} {reason}", &bytes[..8]);
    }
}

#[test]
fn a_file_that_shrinks_or_fails_while_read_is_an_error() {
    struct Failing;
    impl Extent for Failing {
        fn size_bytes(&self) -> u64 {
            1000
        }
    }
    impl ReadAt for Failing {
        fn read_at(&self, _: &mut [u8], offset: u64) -> io::Result<usize> {
            if offset == 0 { Ok(1) } else { Err(io::Error::other("broken disk")) }
        }
    }
    let formats = Formats::built_in().unwrap();
    let failed = formats.identify(&Failing, "a", &Looking::default()).unwrap_err();
    assert_eq!(failed.to_string(), "broken disk");
}

#[test]
fn what_stands_far_inside_is_found_whatever_was_looked_for_before() {
    let formats = Formats::built_in().unwrap();
    for (at, signature) in formats.set.signatures.iter().enumerate() {
        let Some(open) = signature.sequences.iter().position(|it| it.reach_bytes().is_none())
        else {
            continue;
        };
        // The second half of the file comes half a megabyte later, where a gap allows it.
        let mut sequences = signature.sequences.clone();
        let steps = &mut sequences[open].steps;
        let Some(step) = steps
            .iter_mut()
            .skip(1)
            .find(|step| step.choices.iter().all(|choice| choice.before.max.is_none()))
        else {
            continue;
        };
        step.choices.iter_mut().for_each(|choice| choice.before.min += 500_000);
        let Some(bytes) = lay_out(&sequences) else { continue };
        let found = identify(&formats, &bytes, "file");
        let wanted = &formats.set.formats[usize::from(signature.format)].puid;
        assert!(puids(&found).contains(wanted), "{at}: {wanted} {found:?}");
    }
}

#[test]
fn what_was_not_looked_at_is_said() {
    let formats = Formats::built_in().unwrap();
    let mut bytes = b"%PDF-1.4\n".to_vec();
    bytes.resize(6 << 20, b' ');
    let xmp = b"<pdfaid:part>1</pdfaid:part><pdfaid:conformance>B</pdfaid:conformance>";
    bytes[3 << 20..(3 << 20) + xmp.len()].copy_from_slice(xmp);
    bytes.extend(b"\n%%EOF\n");
    let found = identify(&formats, &bytes, "scan.pdf");
    assert_eq!(puids(&found), ["fmt/18"]);
    let said = &found.warnings[0];
    assert!(said.starts_with("only the first and the last 2 MiB were looked at: "), "{said}");
    // A whole look leaves nothing to say.
    let found = identify(&formats, b"%PDF-1.4\n\n%%EOF\n", "scan.pdf");
    assert_eq!((puids(&found), found.warnings), (vec!["fmt/18".to_owned()], Vec::new()));
}

#[test]
fn a_file_is_text_at_both_ends_or_not_at_all() {
    let formats = Formats::built_in().unwrap();
    let mut bytes = vec![b'a'; 1 << 20];
    let found = identify(&formats, &bytes, "letter");
    assert_eq!(puids(&found), ["x-fmt/111"]);
    assert_eq!(found.warnings, ["all that is known is that its start and end read as text"]);
    bytes.extend([0; 2000]);
    assert_eq!(puids(&identify(&formats, &bytes, "letter.txt")), Vec::<String>::new());
}

#[test]
fn a_cut_zip_begins_like_a_zip_and_a_brace_like_nothing() {
    let formats = Formats::built_in().unwrap();
    let whole = zip(&[("a", &[7; 500]), ("b", &[8; 500])]);
    let found = identify(&formats, &whole[..whole.len() - 30], "bag.bin");
    let said = found.warnings.join(" ");
    assert!(said.contains("ZIP Format (x-fmt/263)") && !said.contains("Java"), "{said}");
    let found = identify(&formats, b"{\\rtx hello, no gltf\x01\x02", "brace");
    assert_eq!(found.warnings, Vec::<String>::new());
}
