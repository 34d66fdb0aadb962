//! Restoration: what is held comes back as it came, from whichever copy is good.

mod cold;
mod damage;
mod flow;
mod kill;
mod lost;
mod names;
mod rehearsal;
mod stages;

use std::fs;
use std::path::{Path, PathBuf};

use storage::work::item::ItemId;
use strongroom::app::App;
use strongroom::flows::FLOWS;

use crate::harness::Rig;
use crate::ingest::{LETTERS, bag, deposit, deposit_letters, rig, write_tar};

/// An appliance that holds two versions of the letters.
fn letters() -> Rig<App> {
    let rig = rig(FLOWS);
    let first = deposit_letters(&rig);
    rig.drain_all();
    assert_eq!(rig.word(first), "finished");
    rig
}

const CHANGED: &[(&str, &[u8])] = &[("a.txt", b"ALPHA\n"), ("new.txt", b"new\n"), ("empty", b"")];

/// A second version: a changed file and a new one.
fn change(rig: &Rig<App>) {
    let second = deposit(rig, "letters.tar", |path| write_tar(path, "letters", &bag(CHANGED)));
    rig.drain_all();
    assert_eq!(rig.word(second.unwrap()), "finished");
}

const LETTERS_ID: &str = "archive.local/letters";

fn ask(rig: &Rig<App>, version: Option<u32>) -> ItemId {
    let asked = rig.app().desk().restore_object(LETTERS_ID, version).unwrap();
    ItemId(asked.item.id.unsigned_abs())
}

fn area(rig: &Rig<App>) -> PathBuf {
    rig.app().config.restoration_folder().join("archive.local")
}

/// The files in a tar, by their paths below its top folder.
fn unpacked(tar: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(fs::File::open(tar).unwrap());
    let mut found = Vec::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.header().entry_type().is_file() {
            let path = entry.path().unwrap().display().to_string();
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
            found.push((path.split_once('/').unwrap().1.to_owned(), bytes));
        }
    }
    found
}

fn payload(files: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<_> =
        files.iter().filter(|(path, _)| path.starts_with("data/")).cloned().collect();
    found.sort();
    found
}

fn expected(files: &[(&str, &[u8])]) -> Vec<(String, Vec<u8>)> {
    payload(&bag(files))
}

/// Everything below the areas, hidden ones too, by name.
fn lying(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).into_iter().flatten() {
            let path = entry.unwrap().path();
            found.push(path.strip_prefix(folder).unwrap().display().to_string());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found.sort();
    found
}
