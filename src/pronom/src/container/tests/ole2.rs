//! Compound files as other programs write them.

use cfb::Version::{V3, V4};

use super::*;

/// Where the entry with this name is in the file.
fn entry_at(bytes: &[u8], name: &str) -> usize {
    let mut units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    units.extend([0, 0]);
    let is_entry = |at: &usize| bytes[*at..].starts_with(&units) && bytes[at + 64] != 0;
    (512..bytes.len()).step_by(128).find(is_entry).unwrap()
}

/// Where the number that links a sector is, in a file with one sector of table.
fn link_at(bytes: &[u8], sector: u32) -> usize {
    (word_at(bytes, 76) as usize + 1) * 512 + 4 * sector as usize
}

#[test]
fn streams_of_all_lengths_come_back() {
    let lens = [0, 1, 63, 64, 65, 511, 512, 513, 4095, 4096, 4097, 8191, 8192, 8193, 70_000];
    let names: Vec<String> = lens.iter().map(|len| format!("Stream{len}")).collect();
    let streams: Vec<_> =
        names.iter().zip(lens).map(|(name, len)| (name.as_str(), pattern(len))).collect();
    for version in [V3, V4] {
        let bytes = compound(version, &streams);
        let source = plain(&bytes);
        let mut contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
        for (path, bytes) in streams.iter().rev() {
            assert_eq!(&whole(&mut contents, path), bytes, "{path}");
            for most in [1, 64, 100, 512, 4096, 5000] {
                let part = contents.content(path, most).unwrap();
                assert_eq!(part.bytes, &bytes[..most.min(bytes.len())], "{most} of {path}");
                assert_eq!(part.whole, bytes.len() <= most, "{most} of {path}");
            }
        }
        assert!(contents.damage().is_none());
    }
}

#[test]
fn paths_join_folders_and_lose_control_characters() {
    let streams = [
        ("\u{1}CompObj", b"comp".to_vec()),
        ("\u{5}SummaryInformation", b"sum".to_vec()),
        ("Folder/Inner/\u{3}Deep", pattern(5000)),
        ("Folder/Data", b"data".to_vec()),
    ];
    let bytes = compound(V3, &streams);
    let source = plain(&bytes);
    let mut contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
    assert_eq!(whole(&mut contents, "CompObj"), b"comp");
    assert_eq!(whole(&mut contents, "SummaryInformation"), b"sum");
    assert_eq!(whole(&mut contents, "Folder/Inner/Deep"), pattern(5000));
    assert_eq!(whole(&mut contents, "Folder/Data"), b"data");
    assert!(contents.has("Folder") && contents.has("Folder/Inner"));
    assert_eq!(whole(&mut contents, "Folder"), b"");
    assert!(!contents.has("folder") && !contents.has("Data") && !contents.has("Root Entry"));
    assert!(matches!(contents.content("Data", 1), Err(Damage::Missing(_))));
    let few = Contents::open_ole2(&source, &|path| path == "CompObj", &Bounds::default());
    assert!(few.as_ref().is_ok_and(|few| few.has("CompObj") && !few.has("Folder")));
}

#[test]
fn folders_deeper_than_the_bound_are_passed_over() {
    let bytes = compound(V3, &[("a/b/c/d", b"deep".to_vec()), ("top", b"flat".to_vec())]);
    let source = plain(&bytes);
    let bounds = Bounds { depth: 2, ..Bounds::default() };
    let mut contents = Contents::open_ole2(&source, &all, &bounds).unwrap();
    assert!(contents.has("a/b/c") && !contents.has("a/b/c/d"));
    assert_eq!(whole(&mut contents, "top"), b"flat");
}

#[test]
fn thousands_of_entries_are_listed_once_each() {
    let names: Vec<String> =
        (0..3000_u32).map(|number| format!("f{}/{}", number % 7, number * 7919 % 3001)).collect();
    let streams: Vec<_> = names.iter().map(|name| (name.as_str(), name.clone().into())).collect();
    for version in [V3, V4] {
        let bytes = compound(version, &streams);
        let source = Metered::new(bytes, 8 << 20);
        let mut contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
        let listing = source.read.get();
        assert!(listing < 3020 * 128 + 20_000, "{listing} bytes for the list");
        for name in &names {
            assert_eq!(whole(&mut contents, name), name.as_bytes());
        }
        let bounds = Bounds { entry_count: 3000, ..Bounds::default() };
        let limit = Contents::open_ole2(&source, &all, &bounds).err().unwrap();
        assert!(limit.is_limit(), "{limit}");
    }
}

#[test]
fn a_table_too_long_for_the_header_is_followed() {
    let bytes = compound(V3, &[("Big", pattern(17 << 20)), ("z", pattern(5000))]);
    assert_ne!(word_at(&bytes, 72), 0, "there are lists beyond the header");
    let source = Metered::new(bytes, 64 << 10);
    let mut contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
    assert_eq!(whole(&mut contents, "z"), pattern(5000));
    assert_eq!(contents.content("Big", 1000).unwrap().bytes, pattern(1000));
}

#[test]
fn wrong_counts_and_garbage_of_old_programs_do_no_harm() {
    for garbage in [0, 1, 0xffff_ffff] {
        let mut bytes = compound(V3, &[("Large", pattern(9000)), ("Small", pattern(900))]);
        for count_at in [40, 44, 64, 72] {
            put_word(&mut bytes, count_at, garbage);
        }
        for name in ["Large", "Small"] {
            let entry = entry_at(&bytes, name);
            put_word(&mut bytes, entry + 124, garbage);
        }
        let source = plain(&bytes);
        let mut contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
        assert_eq!(whole(&mut contents, "Large"), pattern(9000));
        assert_eq!(whole(&mut contents, "Small"), pattern(900));
    }
}

#[test]
fn a_stream_that_is_cut_short_gives_what_is_there() {
    let mut bytes = compound(V3, &[("Large", pattern(9000))]);
    let start = word_at(&bytes, entry_at(&bytes, "Large") + 116) as usize;
    assert!(bytes.len() <= (start + 1) * 512 + 18 * 512, "the stream is the last in the file");
    bytes.truncate((start + 1) * 512 + 8999);
    let source = plain(&bytes);
    let mut contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
    let cut = contents.content("Large", usize::MAX).unwrap();
    assert_eq!((cut.bytes, cut.whole), (pattern(8999), false));
    assert!(matches!(cut.damage, Some(Damage::Short)));
    let enough = contents.content("Large", 8000).unwrap();
    assert!(enough.damage.is_none() && !enough.whole);
}

#[test]
fn loops_of_sectors_are_noticed() {
    let mut bytes = compound(V3, &[("Large", pattern(9000)), ("Small", pattern(900))]);
    let large = entry_at(&bytes, "Large");
    let (start, at) = (word_at(&bytes, large + 116), link_at(&bytes, 0));
    put_word(&mut bytes, at + 4 * (start as usize + 1), start);
    let small = word_at(&bytes, entry_at(&bytes, "Small") + 116);
    let small_table = (word_at(&bytes, 60) as usize + 1) * 512;
    put_word(&mut bytes, small_table + 4 * (small as usize + 2), small);
    let source = plain(&bytes);
    let mut contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
    for path in ["Large", "Small"] {
        let damage = contents.content(path, usize::MAX).unwrap().damage.unwrap();
        assert_eq!(damage.to_string(), "the compound file has a loop in its sector chain");
    }
    let directory = word_at(&bytes, 48);
    let (at, link) = (entry_at(&bytes, "Large") + 68, link_at(&bytes, directory));
    put_word(&mut bytes, link, directory);
    put_word(&mut bytes, at, 9);
    let source = plain(&bytes);
    let contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
    assert!(contents.has("Large"));
    assert!(matches!(contents.damage(), Some(Damage::Loop)));
}

#[test]
fn loops_of_siblings_and_children_end() {
    let sound = compound(V3, &[("a", vec![1]), ("b", vec![2]), ("f/c", vec![3])]);
    for name in ["a", "b", "f", "c"] {
        for link in [68, 72, 76] {
            for target in [0, 1, 2, 3, 4, 5, 7, 0x00ff_ffff, 0xffff_fffe] {
                let mut bytes = sound.clone();
                let at = entry_at(&bytes, name) + link;
                put_word(&mut bytes, at, target);
                let source = Metered::new(bytes, 8192);
                let contents = Contents::open_ole2(&source, &all, &Bounds::default()).unwrap();
                assert!(["a", "b", "f"].iter().any(|path| contents.has(path)));
            }
        }
    }
}
