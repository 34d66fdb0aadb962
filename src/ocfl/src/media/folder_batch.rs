//! Many files on their way into a folder, which become durable together.

use std::fs::{self, File};
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use byteio::durable;
use bytes::Bytes;

use super::super::error::VaultError;
use super::folder::Folder;
use super::medium::{Batch, CopyWriter};

/// Files on their way.
pub(super) struct FolderBatch<'f> {
    folder: &'f Folder,
    root: File,
    /// Keys of files that are whole, and those of them that are durable.
    written: Mutex<Vec<String>>,
    durable: Mutex<Vec<String>>,
}

impl<'f> FolderBatch<'f> {
    /// `root` was opened before the first write, so that it tells of errors of all of them.
    pub(super) fn new(folder: &'f Folder, root: File) -> FolderBatch<'f> {
        FolderBatch { folder, root, written: Mutex::default(), durable: Mutex::default() }
    }

    fn is_whole(&self, key: &str) {
        lock(&self.written).push(key.to_owned());
    }
}

impl Batch for FolderBatch<'_> {
    fn copy(&self, key: &str, bytes: Bytes) -> Result<(), VaultError> {
        let written = self.folder.create(key).and_then(|mut file| {
            file.write_all(&bytes)?;
            sync_where_batches_cannot(&file)
        });
        written.map_err(|error| self.folder.blame(key, error))?;
        self.is_whole(key);
        Ok(())
    }

    fn writer(&self, key: &str, _: u64) -> Result<Box<dyn CopyWriter + '_>, VaultError> {
        let file = self.folder.create(key).map_err(|error| self.folder.blame(key, error))?;
        Ok(Box::new(FileWriter { batch: self, key: key.to_owned(), file, finished: false }))
    }

    fn sync(&self) -> Result<(), VaultError> {
        // What is written while this runs is of the next time.
        let written = std::mem::take(&mut *lock(&self.written));
        if let Err(error) = durable::sync_file_system(&self.root) {
            return Err(self.folder.blame("", error));
        }
        lock(&self.durable).extend(written);
        Ok(())
    }

    fn durable(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.durable))
    }
}

struct FileWriter<'b> {
    batch: &'b FolderBatch<'b>,
    key: String,
    file: File,
    finished: bool,
}

impl CopyWriter for FileWriter<'_> {
    fn write(&mut self, piece: Bytes) -> Result<(), VaultError> {
        self.file.write_all(&piece).map_err(|error| self.batch.folder.blame(&self.key, error))
    }

    fn finish(mut self: Box<Self>) -> Result<(), VaultError> {
        sync_where_batches_cannot(&self.file)
            .map_err(|error| self.batch.folder.blame(&self.key, error))?;
        self.finished = true;
        self.batch.is_whole(&self.key);
        Ok(())
    }

    fn reject(self: Box<Self>) {}
}

impl Drop for FileWriter<'_> {
    fn drop(&mut self) {
        if !self.finished {
            // A torn file in a draft harms nobody: the seal refuses it by its size.
            drop(fs::remove_file(self.batch.folder.path(&self.key)));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Other systems have no `syncfs`: every file is synced when it is written.
#[cfg(target_os = "linux")]
fn sync_where_batches_cannot(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn sync_where_batches_cannot(file: &File) -> io::Result<()> {
    durable::sync_file(file)
}
