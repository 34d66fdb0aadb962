//! Zips as other programs write them.

use std::io::{Cursor, Write};

use ::zip::CompressionMethod::{Deflated, Stored};
use ::zip::ZipWriter;
use ::zip::write::SimpleFileOptions;

use super::*;

fn open(bytes: &[u8]) -> Result<(), Damage> {
    Contents::open_zip(&plain(bytes), &all, &Bounds::default()).map(|_| ())
}

#[test]
fn stored_and_deflated_entries_come_back() {
    let long = pattern(100_000);
    let entries =
        [("mimetype", b"application/epub+zip".to_vec()), ("a/b.xml", long), ("void", vec![])];
    for method in [Stored, Deflated] {
        let bytes = zipped(method, &entries);
        let source = plain(&bytes);
        let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
        for (path, bytes) in &entries {
            assert!(contents.has(path));
            assert_eq!(&whole(&mut contents, path), bytes, "{path}");
        }
        let start = contents.content("mimetype", 11).unwrap();
        assert_eq!((start.bytes.as_slice(), start.whole), (&b"application"[..], false));
        assert!(contents.content("mimetype", 20).unwrap().whole, "just as long");
        assert!(!contents.has("A/B.XML"), "names are compared exactly");
        assert!(matches!(contents.content("other", 1), Err(Damage::Missing(_))));
        assert!(contents.damage().is_none());
    }
}

#[test]
fn folders_are_found_with_and_without_their_slash() {
    let bytes = zipped(Stored, &[("header/siardversion/2.2/", vec![]), ("file", vec![1])]);
    let source = plain(&bytes);
    for asked in ["header/siardversion/2.2/", "header/siardversion/2.2"] {
        let wanted = |path: &str| path == asked;
        let mut contents = Contents::open_zip(&source, &wanted, &Bounds::default()).unwrap();
        assert!(contents.has(asked));
        assert_eq!(whole(&mut contents, asked), b"");
        assert!(!contents.has("file"), "not wanted");
    }
    let contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert!(!contents.has("file/"), "a file is no folder");
    assert!(!contents.has("header"), "only folders that have an entry");
}

#[test]
fn a_comment_and_bytes_before_the_zip_do_no_harm() {
    let mut target = Cursor::new(b"#!/bin/sh\n".to_vec());
    target.set_position(10);
    let mut writer = ZipWriter::new(target);
    let comment = "PK\u{5}\u{6} is in the comment, and more than twenty-two bytes follow";
    writer.set_comment(comment).unwrap();
    writer.start_file("a", SimpleFileOptions::default()).unwrap();
    writer.write_all(b"text").unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let source = plain(&bytes);
    let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert_eq!(whole(&mut contents, "a"), b"text");
}

#[test]
fn a_zip64_with_many_entries_keeps_only_the_wanted_one() {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(Stored);
    for number in 0..70_000 {
        writer.start_file(format!("folder/{number}"), options).unwrap();
    }
    writer.start_file("last", options.large_file(true)).unwrap();
    writer.write_all(b"end").unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let source = plain(&bytes);
    let mut contents =
        Contents::open_zip(&source, &|path| path == "last", &Bounds::default()).unwrap();
    assert_eq!(whole(&mut contents, "last"), b"end");
    assert!(!contents.has("folder/7"));
    let bounds = Bounds { entry_count: 70_000, ..Bounds::default() };
    let limit = Contents::open_zip(&source, &all, &bounds).err().unwrap();
    assert!(limit.is_limit());
    assert_eq!(limit.to_string(), "more than 70000 entries");
}

#[test]
fn long_sizes_and_places_in_the_extra_field_are_taken() {
    let mut bytes = zipped(Stored, &[("a", b"text".to_vec())]);
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let mut extra = vec![1, 0, 24, 0];
    for value in [4_u64, 4, 0] {
        extra.extend(value.to_le_bytes());
    }
    let extra_at = directory + 46 + 1;
    put_word(&mut bytes, directory + 20, u32::MAX);
    put_word(&mut bytes, directory + 24, u32::MAX);
    put_word(&mut bytes, directory + 42, u32::MAX);
    assert_eq!(bytes[directory + 30], 0, "no other extra fields");
    bytes[directory + 30] = 28;
    bytes.splice(extra_at..extra_at, extra);
    let end = bytes.len() - 22;
    put_word(&mut bytes, end + 12, 46 + 1 + 28);
    let source = plain(&bytes);
    let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert_eq!(whole(&mut contents, "a"), b"text");
}

#[test]
fn of_two_entries_with_one_name_the_first_counts() {
    let mut bytes = zipped(Stored, &[("same1", b"one".to_vec()), ("same2", b"two".to_vec())]);
    for at in 0..bytes.len() - 5 {
        if &bytes[at..at + 5] == b"same2" {
            bytes[at + 4] = b'1';
        }
    }
    let source = plain(&bytes);
    let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert_eq!(whole(&mut contents, "same1"), b"one");
}

#[test]
fn encrypted_entries_and_other_methods_are_said_to_be_so() {
    let sound = zipped(Stored, &[("a", b"text".to_vec())]);
    let directory = sound.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let (mut secret, mut exotic) = (sound.clone(), sound);
    secret[directory + 8] |= 1;
    exotic[directory + 10] = 14;
    for (bytes, text) in [
        (secret, "the entry \"a\" is encrypted"),
        (exotic, "the entry \"a\" is packed by method 14, which cannot be unpacked"),
    ] {
        let source = plain(&bytes);
        let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
        assert!(contents.has("a"));
        let damage = contents.content("a", 10).unwrap_err();
        assert_eq!(damage.to_string(), text);
        assert!(!damage.is_limit());
    }
}

#[test]
fn a_name_that_is_not_text_is_passed_over() {
    let mut bytes = zipped(Stored, &[("aa", b"1".to_vec()), ("b", b"2".to_vec())]);
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    bytes[directory + 46] = 0x84;
    let source = plain(&bytes);
    let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert_eq!(whole(&mut contents, "b"), b"2");
}

#[test]
fn a_directory_that_breaks_off_counts_as_far_as_it_goes() {
    let mut bytes = zipped(Stored, &[("a", b"1".to_vec()), ("b", b"2".to_vec())]);
    let second = bytes.windows(4).rposition(|four| four == b"PK\x01\x02").unwrap();
    bytes[second] = b'Q';
    let source = plain(&bytes);
    let mut contents = Contents::open_zip(&source, &all, &Bounds::default()).unwrap();
    assert_eq!(whole(&mut contents, "a"), b"1");
    assert!(!contents.has("b"));
    assert!(matches!(contents.damage(), Some(Damage::ZipDirectory)));
    let first = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    bytes[first] = b'Q';
    assert!(matches!(open(&bytes), Err(Damage::ZipDirectory)));
    assert!(matches!(open(b"PK\x03\x04"), Err(Damage::ZipEnd)));
    assert!(matches!(open(b""), Err(Damage::ZipEnd)));
}
