//! What fuzzing drives: each takes any bytes and must neither panic nor use memory without bound.

use std::io::Write;

use digests::Algorithm;

use super::judge::{Options, judge};
use super::limits::Limits;
use super::text::encoding::Encoding;
use super::text::lines::Lines;
use super::text::version::Version;
use super::text::{declaration, fetch, manifest, tags};

const ENCODINGS: [Encoding; 5] =
    [Encoding::Utf8, Encoding::Latin1, Encoding::Utf16, Encoding::Utf16Le, Encoding::Utf16Be];

/// Reads bytes as a manifest and as a fetch list, in every encoding.
pub fn fuzz_manifest(bytes: &[u8]) {
    let ledger = super::ledger::Ledger::default();
    for encoding in ENCODINGS {
        let mut lines = Lines::new(bytes, encoding, 64 << 10);
        while let Ok(Some(line)) = lines.next() {
            let wanted = fetch::parse(&line.text).map(|wanted| wanted.path);
            let listed = manifest::split(&line.text).map(|(hex, path)| {
                let read = Algorithm::ALL.map(|algorithm| manifest::digest(algorithm, hex));
                assert!(read.iter().filter(|digest| digest.is_ok()).count() <= 1);
                path
            });
            for path in wanted.into_iter().chain(listed) {
                for version in [Version::V096, Version::V10] {
                    let meant = super::judge::meant(path, version, &ledger);
                    assert!(meant.len() <= path.len());
                    let flaws = super::names::rules::flaws(&meant, &Limits::default());
                    assert!(flaws.len() <= 6);
                }
            }
        }
    }
}

/// Reads bytes as a tag file and as `bagit.txt`, in every encoding.
pub fn fuzz_tags(bytes: &[u8]) {
    declaration::parse(bytes);
    let limits = Limits { tags_bytes: 1 << 20, line_bytes: 1 << 10, ..Limits::default() };
    for encoding in ENCODINGS {
        for loose in [false, true] {
            if let Ok(file) = tags::parse(bytes, encoding, loose, &limits) {
                let kept: usize = file.tags.iter().map(|(n, v)| n.len() + v.len()).sum();
                assert!(kept <= 2 * limits.tags_bytes);
            }
        }
    }
}

/// Judges bytes as a bag in every kind of archive.
pub fn fuzz_archive(bytes: &[u8]) {
    let limits = Limits {
        unpacked_bytes: 64 << 20,
        unpacked_free: 1 << 20,
        spool_bytes: 8 << 20,
        entry_count: 10_000,
        ..Limits::default()
    };
    for suffix in [".tar", ".tar.gz", ".zip"] {
        let Ok(mut file) = tempfile::Builder::new().suffix(suffix).tempfile() else { return };
        if file.write_all(bytes).is_err() {
            return;
        }
        let options = Options { limits: Some(&limits), ..Options::default() };
        if let Ok(verdict) = judge(file.path(), &options, &mut ()) {
            assert_eq!(verdict.valid, verdict.counts.errors == 0);
        }
    }
}
