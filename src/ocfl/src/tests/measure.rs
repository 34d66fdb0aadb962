//! Measurements, run by hand in a release build: `STRONGROOM_MEASURE=folder cargo test --release
//! -p ocfl tests::measure -- --nocapture`. Does nothing otherwise.

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use digests::{Algorithm, AlgorithmSet, Source, digest_source};

use super::super::*;
use super::rig::*;

struct File {
    path: PathBuf,
    entry: Entry,
}

fn make(dir: &Path, sizes: impl Iterator<Item = usize>) -> Vec<File> {
    let mut random = fastrand::Rng::with_seed(7);
    let source = dir.join("source");
    fs::create_dir_all(&source).unwrap();
    let make_one = |(at, size): (usize, usize)| {
        let path = source.join(format!("{at:06}"));
        let mut file = fs::File::create(&path).unwrap();
        let mut block = vec![0; size.min(1 << 20)];
        let mut left = size;
        while left > 0 {
            let count = left.min(block.len());
            random.fill(&mut block[..count]);
            file.write_all(&block[..count]).unwrap();
            left -= count;
        }
        let digests =
            digest_source(Source::File(path.clone()), AlgorithmSet::FOUR).unwrap().digests;
        let logical = format!("data/{:03}/{at:06}", at % 100);
        File { path, entry: Entry { logical, size_bytes: size as u64, digests } }
    };
    let mut files: Vec<File> = sizes.enumerate().map(make_one).collect();
    files.sort_unstable_by(|a, b| a.entry.logical.cmp(&b.entry.logical));
    files
}

#[expect(clippy::disallowed_methods, reason = "real time is what is measured")]
fn timed<T>(what: &str, bytes: u64, count: usize, act: impl FnOnce() -> T) -> T {
    let begun = std::time::Instant::now();
    let value = act();
    let seconds = begun.elapsed().as_secs_f64();
    let (files, megabytes) = (count as f64 / seconds, bytes as f64 / 1e6 / seconds);
    println!("{what}: {seconds:.2} s, {files:.0} files/s, {megabytes:.0} MB/s");
    value
}

fn vault_run(dir: &Path, files: &[File]) {
    let (a, b) = (folder(dir, "a"), folder(dir, "b"));
    let id = object();
    let bytes = files.iter().map(|file| file.entry.size_bytes).sum();
    let intake = |file: &File| Intake {
        content_path: content_path(1, &file.entry.logical, &sha512(&file.entry)),
        done: Vec::new(),
        source: Source::File(file.path.clone()),
        size_bytes: file.entry.size_bytes,
        sha512: sha512(&file.entry),
    };
    timed("whole ingest", bytes, files.len(), || {
        timed("store", bytes, files.len(), || {
            let stored =
                store(files.iter().map(intake), draft(&id, 1), &[&a, &b], go_on, &|_, _| {});
            assert!(stored.replicas.iter().all(Result::is_ok) && stored.rejected.is_empty());
        });
        timed("verify both", 2 * bytes, 2 * files.len(), || {
            for replica in [&a, &b] {
                let copies = files.iter().map(|file| Expected {
                    key: (),
                    content_path: content_path(1, &file.entry.logical, &sha512(&file.entry)),
                    sha512: sha512(&file.entry),
                    size_bytes: Some(file.entry.size_bytes),
                });
                let deliver = |(), state| assert!(matches!(state, CopyState::Equal));
                let Ok(()) = replica.verify(&id, copies, go_on, deliver);
            }
        });
        timed("seal both", 0, files.len(), || {
            let rows = Entries::collect(files.iter().map(|file| file.entry.clone())).unwrap();
            for replica in [&a, &b] {
                let sealing = Sealing { draft: draft(&id, 1), note: &note(1), entries: &rows };
                replica.seal(&sealing).unwrap();
                tell(replica, 1, "told").unwrap();
            }
        });
    });
    timed("examine both", 2 * bytes, 2 * files.len(), || {
        for replica in [&a, &b] {
            let truth = Truth::find(&id, 1, &[replica], &mut |_| Ok(true)).unwrap().unwrap();
            let examined = replica.examine(&truth, |_| Ok::<(), VaultError>(())).unwrap();
            assert_eq!(examined.flaws, []);
        }
    });
}

/// The same bytes read once, written twice, synced and read back without digests or names of ours.
fn raw_run(dir: &Path, files: &[File]) {
    let bytes = files.iter().map(|file| file.entry.size_bytes).sum();
    timed("raw whole", bytes, files.len(), || {
        timed("raw write and sync", bytes, files.len(), || {
            for root in ["raw-a", "raw-b"] {
                (0..100).for_each(|n| {
                    fs::create_dir_all(dir.join(root).join(format!("data/{n:03}"))).unwrap();
                });
            }
            let mut buffer = vec![0; 1 << 20];
            for file in files {
                let mut source = fs::File::open(&file.path).unwrap();
                let mut targets = ["raw-a", "raw-b"].map(|root| {
                    fs::File::create(dir.join(root).join(&file.entry.logical)).unwrap()
                });
                loop {
                    let count = source.read(&mut buffer).unwrap();
                    if count == 0 {
                        break;
                    }
                    targets.iter_mut().for_each(|t| t.write_all(&buffer[..count]).unwrap());
                }
            }
            rustix::fs::syncfs(fs::File::open(dir).unwrap()).unwrap();
        });
        timed("raw cold read", 2 * bytes, 2 * files.len(), || {
            let mut buffer = vec![0; 1 << 20];
            for root in ["raw-a", "raw-b"] {
                for file in files {
                    let mut copy =
                        fs::File::open(dir.join(root).join(&file.entry.logical)).unwrap();
                    let advice = rustix::fs::Advice::DontNeed;
                    rustix::fs::fadvise(&copy, 0, None, advice).unwrap();
                    while copy.read(&mut buffer).unwrap() > 0 {}
                }
            }
        });
    });
}

#[test]
fn folders() {
    if std::env::var("STRONGROOM_MEASURE").as_deref() != Ok("folder") {
        return;
    }
    let mut random = fastrand::Rng::with_seed(5);
    let small: Vec<usize> = (0..10_000).map(|_| random.usize(1 << 10..64 << 10)).collect();
    for sizes in [small, vec![256 << 20; 8]] {
        for round in 0..2 {
            println!("-- {} files, round {round}", sizes.len());
            let dir = tempfile::tempdir_in("/var/tmp").unwrap();
            let files = make(dir.path(), sizes.iter().copied());
            rustix::fs::syncfs(fs::File::open(dir.path()).unwrap()).unwrap();
            raw_run(dir.path(), &files);
            vault_run(dir.path(), &files);
        }
    }
}

fn peak_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[test]
fn many_files_in_little_memory() {
    if std::env::var("STRONGROOM_MEASURE").as_deref() != Ok("memory") {
        return;
    }
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let a = folder(dir.path(), "a");
    let id = object();
    let entry = |n: u32| {
        let text = n.to_string();
        let digests = digest_source(Source::Bytes(text.as_bytes().into()), AlgorithmSet::FOUR)
            .unwrap()
            .digests;
        let logical =
            format!("data/some folder of usual length/{:03}/document {n:08}.txt", n / 1000);
        Entry { logical, size_bytes: text.len() as u64, digests }
    };
    for (version, range) in [(1, 0..300_000), (2, 299_990..300_010)] {
        let before = peak_kib();
        let intake = |n: u32| {
            let entry = entry(n);
            assert!(entry.digests.get(Algorithm::Sha512).is_some());
            Intake {
                content_path: content_path(version, &entry.logical, &sha512(&entry)),
                done: Vec::new(),
                source: Source::Bytes(n.to_string().into_bytes().into()),
                size_bytes: entry.size_bytes,
                sha512: sha512(&entry),
            }
        };
        timed("store", 0, range.len(), || {
            let stored =
                store(range.clone().map(intake), draft(&id, version), &[&a], go_on, &|_, _| {});
            assert!(stored.replicas[0].is_ok());
        });
        println!("peak after store {} MiB more", (peak_kib() - before) >> 10);
        timed("seal", 0, range.len(), || {
            let rows = Entries::collect(range.map(entry)).unwrap();
            let sealing =
                Sealing { draft: draft(&id, version), note: &note(version), entries: &rows };
            a.seal(&sealing).unwrap();
        });
        println!(
            "version {version}: peak {} MiB more, {} in all",
            (peak_kib() - before) >> 10,
            peak_kib() >> 10
        );
    }
    let inventory = dir.path().join("a").join(id.root()).join("inventory.json");
    println!("inventory {} MB", fs::metadata(inventory).unwrap().len() / 1_000_000);
}
