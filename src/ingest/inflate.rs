//! A compressed tar, made plain: every later stage reads it by position.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use byteio::read_at::fill;
use flate2::read::MultiGzDecoder;

use super::place::{bag_name, staging};
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::Job;

/// Bytes between two signs of life.
const STEP: u64 = 8 << 20;

/// Whether a deposit is compressed by gzip: its first bytes say so, whatever its name is.
fn is_packed(deposit: &Path) -> Result<bool, Fault> {
    let read = || {
        let mut first = [0; 2];
        let got = if deposit.is_dir() { 0 } else { fill(&mut File::open(deposit)?, &mut first)? };
        Ok(first[..got] == [0x1f, 0x8b])
    };
    read().map_err(FileFault::at("open", deposit))
}

/// The plain tar of a deposit: the deposit itself, or its inflated form in staging. One that cannot
/// be inflated stays as it is, so that the survey says what is wrong with it.
pub(super) fn plain_tar(job: &Job<'_, App>, deposit: &Path) -> Result<PathBuf, Fault> {
    if !is_packed(deposit)? {
        return Ok(deposit.to_owned());
    }
    let name = job.item.subject.name.as_str();
    let folder = staging(job.app, job.item.id);
    byteio::durable::create_folder(&folder).map_err(FileFault::at("create", &folder))?;
    // Judged under the name of the bag.
    let tar = folder.join(format!("{}.tar", bag_name(name)));
    let packed = File::open(deposit).map_err(FileFault::at("open", deposit))?;
    let mut reader = MultiGzDecoder::new(packed);
    let mut out = File::create(&tar).map_err(FileFault::at("create", &tar))?;
    let most = job.app.config.ingest.max_bag_bytes;
    let mut done = 0_u64;
    loop {
        job.checkpoint()?;
        match io::copy(&mut reader.by_ref().take(STEP), &mut out) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(error) if is_damage(&error) => return keep_packed(&tar, deposit),
            Err(error) => return Err(FileFault::at("write", &tar)(error)),
        }
        if done > most {
            return keep_packed(&tar, deposit);
        }
    }
    byteio::durable::sync_file(&out).map_err(FileFault::at("sync", &tar))?;
    Ok(tar)
}

fn keep_packed(tar: &Path, deposit: &Path) -> Result<PathBuf, Fault> {
    fs::remove_file(tar).map_err(FileFault::at("remove", tar))?;
    Ok(deposit.to_owned())
}

fn is_damage(error: &io::Error) -> bool {
    let kind = error.kind();
    kind == io::ErrorKind::InvalidInput
        || kind == io::ErrorKind::InvalidData
        || kind == io::ErrorKind::UnexpectedEof
}
