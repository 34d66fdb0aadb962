//! The room as its users see it.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use proptest::prelude::*;

use super::*;

const ALL: AlgorithmSet = AlgorithmSet::FOUR.with(Algorithm::Sha224).with(Algorithm::Sha384);

fn pattern(len: usize, seed: usize) -> Vec<u8> {
    (0..len).map(|i| ((i * 131 + seed * 17) ^ (i >> 8)).to_le_bytes()[0]).collect()
}

/// One stream, pushed in pieces of the given lengths, over and over.
fn pushed(bytes: &[u8], pieces: &[usize]) -> Digests {
    let mut hasher = Hasher::new(ALL);
    let mut rest = bytes;
    for piece in pieces.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (head, after) = rest.split_at(rest.len().min(*piece + 1));
        hasher.update(head);
        rest = after;
    }
    assert_eq!(hasher.stream_len(), bytes.len() as u64);
    hasher.finish()
}

fn digests(bytes: &[u8]) -> Digests {
    pushed(bytes, &[usize::MAX - 1])
}

/// Runs the jobs on two threads; the outcomes by key.
fn outcomes<'a>(jobs: Vec<(Source<'a>, Option<u64>)>) -> Vec<Outcome> {
    let mut found: Vec<Option<Outcome>> = jobs.iter().map(|_| None).collect();
    let jobs = jobs.into_iter().enumerate();
    let jobs = jobs.map(|(key, (source, size_bytes))| Job { key, source, size_bytes });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    let go_on = |_| Ok::<(), ()>(());
    let deliver = |key: usize, outcome| assert!(found[key].replace(outcome).is_none());
    pool.install(|| digest_many(jobs, ALL, go_on, deliver)).unwrap();
    found.into_iter().map(|outcome| outcome.expect("every job has an outcome")).collect()
}

fn is_right(outcome: &Outcome, bytes: &[u8]) -> bool {
    let outcome = outcome.as_ref().unwrap();
    outcome.size_bytes == bytes.len() as u64 && outcome.digests == digests(bytes)
}

fn file(bytes: &[u8]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn reader(bytes: &[u8]) -> Source<'_> {
    Source::Reader(Box::new(move || Ok(Box::new(bytes))))
}

#[test]
fn standard_vectors() {
    let check = |bytes: &[u8], algorithm, hex: &str| {
        assert_eq!(digests(bytes).hex(algorithm).as_deref(), Some(hex));
        let batch = digest_buffers(ALL, &[bytes, b"other", bytes]);
        assert_eq!(batch[2].hex(algorithm).as_deref(), Some(hex));
    };
    check(b"", Algorithm::Md5, "d41d8cd98f00b204e9800998ecf8427e");
    check(b"", Algorithm::Sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    check(b"abc", Algorithm::Md5, "900150983cd24fb0d6963f7d28e17f72");
    check(b"abc", Algorithm::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d");
    check(b"abc", Algorithm::Sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7");
    check(
        b"abc",
        Algorithm::Sha256,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    );
    check(
        b"abc",
        Algorithm::Sha384,
        "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
         8086072ba1e7cc2358baeca134c825a7",
    );
    check(
        b"abc",
        Algorithm::Sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
         2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    );
    let million = vec![b'a'; 1_000_000];
    check(&million, Algorithm::Md5, "7707d6ae4e027c70eea2a935c2296f21");
    check(&million, Algorithm::Sha1, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
}

#[test]
fn streams_of_every_kind_and_size_side_by_side() {
    let sizes = [0, 1, 127, 128, 5000, 70_000, 262_143, 262_144, 300_000, 1_048_576, 1_200_000];
    let contents: Vec<_> = sizes.iter().map(|len| pattern(*len, *len)).collect();
    let files: Vec<_> = contents.iter().map(|bytes| file(bytes)).collect();
    let mut jobs = Vec::new();
    for (bytes, file) in contents.iter().zip(&files) {
        let path = file.path().to_owned();
        let middle = Source::Range { path: path.clone(), start: 0, len: bytes.len() as u64 / 2 };
        jobs.push((Source::File(path.clone()), None));
        jobs.push((Source::File(path), Some(bytes.len() as u64)));
        jobs.push((middle, None));
        jobs.push((Source::Bytes(bytes.into()), None));
        jobs.push((reader(bytes), None));
    }
    let outcomes = outcomes(jobs);
    for (of_one, bytes) in outcomes.chunks(5).zip(&contents) {
        for (i, outcome) in of_one.iter().enumerate() {
            let whole = if i == 2 { &bytes[..bytes.len() / 2] } else { bytes };
            assert!(is_right(outcome, whole), "kind {i}, {} bytes", bytes.len());
        }
    }
}

#[test]
fn a_range_is_read_from_where_it_starts() {
    let bytes = pattern(3000, 1);
    let file = file(&bytes);
    let range = |start, len| Source::Range { path: file.path().to_owned(), start, len };
    let outcomes = outcomes(vec![(range(1000, 700), None), (range(2500, 700), None)]);
    assert!(is_right(&outcomes[0], &bytes[1000..1700]));
    let cut = outcomes[1].as_ref().unwrap_err();
    assert!(matches!(cut, ReadError::Shorter { expected_bytes: 700, read_bytes: 500 }), "{cut}");
}

/// Gives some bytes, then fails.
struct Failing(u64);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = io::repeat(7).take(self.0).read(buffer)?;
        self.0 -= count as u64;
        if count == 0 { Err(io::Error::other("worn out")) } else { Ok(count) }
    }
}

#[test]
fn trouble_with_one_stream_leaves_the_others_alone() {
    let bytes = pattern(600_000, 3);
    let failing = |len| Source::Reader(Box::new(move || Ok(Box::new(Failing(len)) as _)));
    let outcomes = outcomes(vec![
        (reader(&bytes), Some(600_001)),
        (reader(&bytes), Some(599_999)),
        (reader(&bytes[..900]), Some(901)),
        (reader(&bytes[..900]), Some(899)),
        (failing(3_000_000), None),
        (failing(1000), Some(2000)),
        (Source::File("/nowhere/at all".into()), None),
        (Source::File("/".into()), None),
        (reader(&bytes), None),
        (reader(&bytes[..900]), Some(900)),
    ]);
    use ReadError::{Longer, Open, Read, Shorter};
    let error = |i: usize| outcomes[i].as_ref().unwrap_err();
    assert!(matches!(error(0), Shorter { expected_bytes: 600_001, read_bytes: 600_000 }));
    assert!(matches!(error(1), Longer { expected_bytes: 599_999 }));
    assert!(matches!(error(2), Shorter { expected_bytes: 901, read_bytes: 900 }));
    assert!(matches!(error(3), Longer { expected_bytes: 899 }));
    assert!(matches!(error(4), Read { read_bytes: 3_000_000, .. }));
    assert!(matches!(error(5), Read { read_bytes: 1000, .. }));
    assert!(matches!(error(6), Open(_)));
    assert!(matches!(error(7), Read { read_bytes: 0, .. }));
    assert!(is_right(&outcomes[8], &bytes));
    assert!(is_right(&outcomes[9], &bytes[..900]));
}

#[test]
fn a_stopped_pass_says_why_and_all_bytes_are_reported_otherwise() {
    for size in [1000, 600_000] {
        let bytes = pattern(size, 5);
        let jobs = || {
            (0..30).map(|key| Job { key, source: reader(&bytes), size_bytes: Some(size as u64) })
        };
        let total = AtomicU64::new(0);
        let count = |bytes| {
            total.fetch_add(bytes, Ordering::Relaxed);
            Ok::<(), &str>(())
        };
        digest_many(jobs(), AlgorithmSet::FOUR, count, |_, outcome| assert!(outcome.is_ok()))
            .unwrap();
        assert_eq!(total.into_inner(), 30 * size as u64);
        let stopped = digest_many(jobs(), AlgorithmSet::FOUR, |_| Err("enough"), |_, _| ());
        assert_eq!(stopped, Err("enough"));
    }
}

#[test]
fn one_reader_alone_is_spread_over_the_threads() {
    let bytes = pattern(2_500_000, 8);
    let outcome = digest_reader(&*bytes, ALL, |_| Ok::<(), ()>(())).unwrap();
    assert!(is_right(&outcome, &bytes));
    let file = file(&bytes);
    assert!(is_right(&digest_source(Source::File(file.path().into()), ALL), &bytes));
    let stopped = digest_reader(Failing(0), ALL, |_| Ok::<(), ()>(())).unwrap();
    assert!(matches!(stopped, Err(ReadError::Read { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn pieces_do_not_matter(len in 0_usize..3000, pieces in prop::collection::vec(0_usize..400, 1..9)) {
        let bytes = pattern(len, len);
        prop_assert_eq!(pushed(&bytes, &pieces), digest_buffers(ALL, &[&bytes]).remove(0));
    }
}
