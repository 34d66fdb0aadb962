//! Files that are out to do harm: each must cost little, and none may make a reader fall over.

use ::zip::CompressionMethod::{Deflated, Stored};
use cfb::Version::{V3, V4};
use proptest::prelude::*;

use super::*;

/// All that the signatures may do to a container. What it finds, or why it found nothing.
fn use_all(open: Open, source: &dyn Extent) -> Result<Vec<Content>, Damage> {
    let mut contents = open(source, &all, &Bounds::default())?;
    let paths = ["a", "Large", "Folder", "Folder/b", "Folder/"];
    let here: Vec<_> = paths.into_iter().filter(|path| contents.has(path)).collect();
    let mut found = Vec::new();
    for path in here {
        for most in [10, 5000, usize::MAX] {
            match contents.content(path, most) {
                Err(Damage::Source(error)) => return Err(Damage::Source(error)),
                content => found.extend(content.ok()),
            }
        }
    }
    Ok(found)
}

/// A file that is not sound may cost a few times its size, and so never hangs.
fn costs_little(open: Open, bytes: Vec<u8>) {
    let budget = 20 * bytes.len() as u64 + (64 << 10);
    let source = Metered::new(bytes, budget);
    assert!(!matches!(use_all(open, &source), Err(Damage::Source(_))), "too much was read");
}

fn samples() -> Vec<(Open, Vec<u8>)> {
    let entries = [
        ("a", pattern(150)),
        ("Folder/b", b"some text, some text, some text".to_vec()),
        ("Large", pattern(4200)),
    ];
    vec![
        (OPEN_ZIP, zipped(Stored, &entries)),
        (OPEN_ZIP, zipped(Deflated, &entries)),
        (OPEN_OLE2, compound(V3, &entries)),
        (OPEN_OLE2, compound(V4, &entries)),
    ]
}

#[test]
fn the_samples_are_sound() {
    for (open, bytes) in samples() {
        let found = use_all(open, &plain(&bytes)).unwrap();
        assert!(found.len() >= 9 && found.iter().all(|content| content.damage.is_none()));
    }
}

#[test]
fn a_file_may_end_anywhere() {
    for (open, bytes) in samples() {
        for len in 0..bytes.len() {
            costs_little(open, bytes[..len].to_vec());
        }
    }
}

#[test]
fn any_byte_may_be_wrong() {
    for (open, bytes) in samples() {
        for at in 0..bytes.len() {
            for flipped in [0xff, 0x01] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flipped;
                costs_little(open, bytes);
            }
        }
    }
}

#[test]
fn a_source_that_fails_is_never_called_damage() {
    for (open, bytes) in samples() {
        let sound = Metered::new(bytes.clone(), u64::MAX);
        let all_found = use_all(open, &sound).unwrap().len();
        let cost = sound.read.get();
        for budget in (0..cost).step_by(37) {
            let error = use_all(open, &Metered::new(bytes.clone(), budget)).unwrap_err();
            let source = std::error::Error::source(&error).unwrap();
            assert_eq!(source.to_string(), "the budget is spent");
        }
        assert_eq!(use_all(open, &Metered::new(bytes, cost)).unwrap().len(), all_found);
    }
}

proptest! {
    #[test]
    fn many_bytes_may_be_wrong(
        sample in 0..4_usize,
        wrong in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
    ) {
        let (open, mut bytes) = samples().swap_remove(sample);
        for (at, byte) in wrong {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        costs_little(open, bytes);
    }

    #[test]
    fn numbers_in_tables_may_be_wrong(
        sample in 2..4_usize,
        wrong in prop::collection::vec((any::<prop::sample::Index>(), 0..40_u32), 1..40),
    ) {
        let (open, mut bytes) = samples().swap_remove(sample);
        for (at, word) in wrong {
            // Small numbers are sectors that the file has, so chains cross and loop.
            let at = 4 * (12 + at.index(bytes.len() / 4 - 12));
            put_word(&mut bytes, at, word);
        }
        costs_little(open, bytes);
    }
}

/// A gigabyte of zeros: packed blocks that stand alone can be repeated.
fn bomb() -> Vec<u8> {
    let mut packer = flate2::Compress::new(flate2::Compression::best(), false);
    let mut block = Vec::with_capacity(1 << 16);
    packer.compress_vec(&vec![0; 1 << 20], &mut block, flate2::FlushCompress::Full).unwrap();
    assert_eq!(packer.total_in(), 1 << 20);
    let mut packed = block.repeat(1 << 10);
    packed.extend([3, 0]);
    packed
}

#[test]
fn a_bomb_costs_what_is_asked_for() {
    let packed = bomb();
    let mut bytes = zipped(Stored, &[("a", packed)]);
    let directory = bytes.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    bytes[directory + 10] = 8;
    put_word(&mut bytes, directory + 24, 1 << 30);
    let source = Metered::new(bytes, 256 << 10);
    let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    let start = contents.content("a", 1000).unwrap();
    assert_eq!((start.bytes, start.whole), (vec![0; 1000], false));
    let most = contents.content("a", usize::MAX).unwrap();
    assert_eq!((most.bytes.len(), most.whole), (1 << 20, false));
    assert!(source.read.get() < 100 << 10, "{} bytes were read", source.read.get());
}

#[test]
fn sizes_and_counts_that_are_lies_cost_nothing() {
    let sound = zipped(Stored, &[("a", b"text".to_vec())]);
    let directory = sound.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let mut bytes = sound.clone();
    put_word(&mut bytes, directory + 20, 0xffff_fff0);
    put_word(&mut bytes, directory + 24, 0xffff_fff0);
    let source = plain(&bytes);
    let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert!(contents.content("a", 4).unwrap().bytes == b"text");
    let lie = contents.content("a", usize::MAX).unwrap();
    assert!(matches!(lie.damage, Some(Damage::ZipEntry(_))) && !lie.whole);
    let mut bytes = sound;
    put_word(&mut bytes, directory + 42, 0xffff_fff0);
    let source = plain(&bytes);
    let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert!(matches!(contents.content("a", 4), Err(Damage::ZipEntry(_))));
    let end = bytes.len() - 22;
    bytes[end + 8..end + 12].fill(0xfe);
    let source = plain(&bytes);
    let contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert!(contents.has("a") && matches!(contents.damage(), Some(Damage::ZipDirectory)));
}

/// A compound file of ten gigabytes that is nearly all hole. Its directory is in the given sector.
fn vast(directory: u32, change: impl FnOnce(&mut Vec<u8>)) -> Metered {
    let mut bytes = compound(V3, &[("a", pattern(100)), ("Large", pattern(5000))]);
    let old = (word_at(&bytes, 48) as usize + 1) * 512;
    let moved = bytes[old..old + 512].to_vec();
    put_word(&mut bytes, 48, directory);
    let at = (directory as usize + 1) * 512;
    bytes.resize(bytes.len().max(at + 512), 0);
    bytes[at..at + 512].copy_from_slice(&moved);
    change(&mut bytes);
    Metered { size_bytes: 10 << 30, ..Metered::new(bytes, 1 << 20) }
}

#[test]
fn a_vast_file_with_holes_costs_little() {
    let sound = vast(1, |_| ());
    assert_eq!(use_all(OPEN_OLE2, &sound).unwrap().len(), 6);
    assert!(sound.read.get() < 64 << 10, "{} bytes were read", sound.read.get());
    // The list of the table leads to itself, and the directory needs the table far behind.
    let looped = vast(40_000, |bytes| {
        put_word(bytes, 68, 9_000);
        let list = (9_000 + 1) * 512;
        bytes[list..list + 512].fill(0);
        put_word(bytes, list + 508, 9_000);
        let entry = (40_000 + 1) * 512 + 128;
        put_word(bytes, entry + 68, 100_000);
    });
    let contents = Contents::open_ole2(&looped, &all, &Bounds::default()).unwrap();
    assert!(contents.damage().is_some());
    assert!(looped.read.get() < 64 << 10, "{} bytes were read", looped.read.get());
    // The table is in a hole: each number is zero, so every chain runs into sector 0 for ever.
    let zeros = vast(10_000, |bytes| {
        for at in (76..512).step_by(4) {
            put_word(bytes, at, 50_000);
        }
        let entry = (10_000 + 1) * 512 + 128;
        put_word(bytes, entry + 68, 100_000);
    });
    let mut contents = Contents::open_ole2(&zeros, &all, &Bounds::default()).unwrap();
    assert!(matches!(contents.damage(), Some(Damage::Loop)), "{:?}", contents.damage());
    let large = contents.content("Large", usize::MAX).unwrap();
    assert!(matches!(large.damage, Some(Damage::Loop)), "{:?}", large.damage);
    assert!(zeros.read.get() < 64 << 10, "{} bytes were read", zeros.read.get());
}
