//! What benches of whole deposits are made of: folders of files, bags of them, an appliance to put
//! them into.

use std::convert::Infallible;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use digests::{AlgorithmSet, Job, Source, digest_many};

const CONFIG: &str = "[ingest]\nsweep_s = 1\nstill_s = 0\nprofile = \"bagit\"\n";
pub(crate) const INSTITUTION: &str = "archive.local";

/// A folder of files of these sizes, no two of them equal.
pub(crate) fn make_source(room: &Path, sizes: &[usize]) -> PathBuf {
    let source = room.join("source");
    remove(&source);
    for (at, size) in sizes.iter().enumerate() {
        let folder = source.join((at / 1000).to_string());
        if at % 1000 == 0 {
            fs::create_dir_all(&folder).unwrap();
        }
        let mut file = BufWriter::new(File::create(folder.join(format!("{at:06}.bin"))).unwrap());
        let mut block = vec![0; (1 << 20).min(*size)];
        fastrand::Rng::with_seed(at as u64).fill(&mut block);
        for done in (0..*size).step_by(block.len()) {
            file.write_all(&block[..block.len().min(size - done)]).unwrap();
        }
        file.flush().unwrap();
    }
    source
}

pub(crate) fn remove(folder: &Path) {
    if folder.try_exists().unwrap() {
        fs::remove_dir_all(folder).unwrap();
    }
}

pub(crate) fn pack(source: &Path, tar: &Path) {
    let mut create = Command::new(env!("CARGO_BIN_EXE_strongroom"));
    create.args(["bag", "create"]).arg(source).arg("--output").arg(tar);
    let output = create.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

pub(crate) fn files_of(folder: &Path) -> Vec<PathBuf> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

pub(crate) fn digest(files: &[PathBuf], wanted: AlgorithmSet) {
    let sources = files.iter().map(|file| Job {
        key: (),
        source: Source::File(file.clone()),
        size_bytes: None,
    });
    let done: Result<(), Infallible> =
        digest_many(sources, wanted, |_| Ok(()), |(), outcome| drop(outcome.unwrap()));
    let Ok(()) = done;
}

pub(crate) fn appliance_folder(room: &Path) -> (PathBuf, PathBuf) {
    let data = room.join("data");
    remove(&data);
    let area = data.join("receiving").join(INSTITUTION);
    fs::create_dir_all(&area).unwrap();
    File::create(data.join("strongroom.toml")).unwrap().write_all(CONFIG.as_bytes()).unwrap();
    (data, area)
}
