//! What an item says of a deposit is on the medium before it is said.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use byteio::durable::Flush;
use byteio::testing::at_each_flush;
use storage::testing::after_each_barrier;
use strongroom::flows::FLOWS;
use strongroom::ingest::Receiving;
use strongroom::work::Sweep;

use super::power::Packed;
use super::staging::{files_below, waiting_at};
use super::{LETTERS, bag, make_old, receiving, rig_configured};
use crate::harness::lock;

fn inode(path: &Path) -> u64 {
    fs::metadata(path).unwrap().ino()
}

/// The file or folder that a flush is about.
fn flushed(flush: &Flush<'_>) -> u64 {
    let of = |file: &File| file.metadata().unwrap().ino();
    match flush {
        Flush::File(file) | Flush::FileSystem(file) => of(file),
        Flush::Folder(path) => inode(path),
    }
}

fn is_durable_when_an_item_is_made(packed: Packed) {
    let rig = rig_configured(FLOWS, "[ingest]\nprofile = \"bagit\"\n".into());
    let path = receiving(&rig).join(packed.name());
    packed.write(&path, &bag(LETTERS));
    make_old(&path);
    let durable = Arc::new(Mutex::new(BTreeSet::new()));
    let at_flush = Arc::clone(&durable);
    at_each_flush(move |flush, is_made| {
        if is_made {
            lock(&at_flush).insert(flushed(flush));
        }
    });
    // The first thing that the work state keeps is the item.
    let before_item = Arc::new(Mutex::new(None));
    let at_barrier = Arc::clone(&before_item);
    after_each_barrier(rig.app().shop.queue.store(), move || {
        lock(&at_barrier).get_or_insert_with(|| lock(&durable).clone());
    });
    Receiving.sweep(rig.app(), 100).unwrap();
    assert_eq!(rig.items().len(), 1);
    let before_item = lock(&before_item).take().expect("an item was made");
    for claimed in [&*path, path.parent().unwrap()] {
        assert!(before_item.contains(&inode(claimed)), "{} of {packed:?}", claimed.display());
    }
}

#[test]
fn a_file_is_durable_before_an_item_says_that_it_was_deposited() {
    is_durable_when_an_item_is_made(Packed::Tar);
}

#[test]
fn a_folder_is_durable_before_an_item_says_that_it_was_deposited() {
    is_durable_when_an_item_is_made(Packed::Folder);
}

/// Every file below a folder, and what tells it from others.
fn lying(folder: &Path) -> Vec<(PathBuf, u64, u64)> {
    let files = files_below(folder).into_iter();
    files
        .map(|path| {
            let about = fs::metadata(&path).unwrap();
            (path, about.ino(), about.len())
        })
        .collect()
}

/// Staging is flushed as a whole, and after that nothing is put there until the item says that it was
/// staged. A staging area that was lost is made again, so no item would stand still.
fn is_durable_when_an_item_says_that_it_was_staged(packed: Packed) {
    const STAGING: &str = "ingest04_staging";
    let (rig, id) = waiting_at(packed, STAGING);
    let staged = rig.app().config.staging().join(id.to_string());
    let device = fs::metadata(&rig.app().config.data).unwrap().dev();
    let flushed = Arc::new(Mutex::new(Vec::new()));
    let (at_flush, folder) = (Arc::clone(&flushed), staged.clone());
    at_each_flush(move |flush, is_made| {
        if let (Flush::FileSystem(of), true) = (flush, is_made)
            && of.metadata().unwrap().dev() == device
            && folder.is_dir()
        {
            *lock(&at_flush) = lying(&folder);
        }
    });
    let when_said = Arc::new(Mutex::new(None));
    let (at_barrier, shop) = (Arc::clone(&when_said), Arc::downgrade(&rig.app().shop));
    after_each_barrier(rig.app().shop.queue.store(), move || {
        let Some(shop) = shop.upgrade() else { return };
        if shop.queue.item(id).unwrap().unwrap().topic != STAGING {
            lock(&at_barrier).get_or_insert_with(|| (lock(&flushed).clone(), lying(&staged)));
        }
    });
    while rig.item(id).topic == STAGING {
        rig.step();
    }
    let (flushed, there) = lock(&when_said).take().expect("the item says so durably");
    assert!(!there.is_empty(), "{packed:?}");
    assert_eq!(flushed, there, "{packed:?}");
}

#[test]
fn a_staged_tar_is_durable_before_an_item_says_that_it_was_staged() {
    is_durable_when_an_item_says_that_it_was_staged(Packed::Tar);
}

#[test]
fn a_staged_compressed_tar_is_durable_before_an_item_says_that_it_was_staged() {
    is_durable_when_an_item_says_that_it_was_staged(Packed::TarGz);
}

#[test]
fn a_staged_zip_is_durable_before_an_item_says_that_it_was_staged() {
    is_durable_when_an_item_says_that_it_was_staged(Packed::Zip);
}

#[test]
fn a_staged_folder_is_durable_before_an_item_says_that_it_was_staged() {
    is_durable_when_an_item_says_that_it_was_staged(Packed::Folder);
}
