//! A medium that fails once, before or after one of its steps, and works otherwise.

use std::collections::BTreeSet;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bytes::Bytes;

use super::super::ObjectId;
use super::super::error::VaultError;
use super::super::media::{Batch, CopyWriter, Found, Medium, Surveyed, Upload};

/// Which step fails, counted from zero, and whether it was done all the same.
#[derive(Clone)]
pub(super) struct Fault {
    left: Arc<AtomicU32>,
    is_done: bool,
}

impl Fault {
    pub(super) fn at(step: u32, is_done: bool) -> Fault {
        Fault { left: Arc::new(AtomicU32::new(step + 1)), is_done }
    }

    /// Whether the fault has struck.
    pub(super) fn struck(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }

    fn step<T>(&self, act: impl FnOnce() -> Result<T, VaultError>) -> Result<T, VaultError> {
        let count = |left: u32| left.checked_sub(1);
        if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count) != Ok(1) {
            return act();
        }
        if self.is_done {
            act()?;
        }
        Err(VaultError::Away { replica: "a".into(), what: "pulled out".into(), source: None })
    }
}

pub(super) struct Faulty {
    pub inner: Box<dyn Medium>,
    pub fault: Fault,
}

impl Medium for Faulty {
    fn open(&self, key: &str) -> Result<Option<Box<dyn Read + Send + '_>>, VaultError> {
        self.fault.step(|| self.inner.open(key))
    }

    fn put(&self, key: &str, upload: Upload<'_>) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.put(key, upload))
    }

    fn batch(&self) -> Result<Box<dyn Batch + '_>, VaultError> {
        let inner = self.fault.step(|| self.inner.batch())?;
        Ok(Box::new(FaultyBatch { inner, fault: &self.fault }))
    }

    fn list(&self, key: &str, found: Found<'_>) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.list(key, found))
    }

    fn survey(&self, key: &str, found: Surveyed<'_>) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.survey(key, found))
    }

    fn size_of(&self, key: &str) -> Result<Option<u64>, VaultError> {
        self.fault.step(|| self.inner.size_of(key))
    }

    fn set_aside(&self, from: &str, to: &str, stays: bool) -> Result<Option<String>, VaultError> {
        self.fault.step(|| self.inner.set_aside(from, to, stays))
    }

    fn prune(&self, key: &str) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.prune(key))
    }

    fn remove(&self, key: &str) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.remove(key))
    }

    fn clear(&self, key: &str) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.clear(key))
    }

    fn draft_root(&self, object: &ObjectId) -> String {
        self.inner.draft_root(object)
    }

    fn install(&self, draft: &str, place: &str) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.install(draft, place))
    }

    fn abandon(&self, object: &ObjectId) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.abandon(object))
    }

    fn unfinished(&self) -> Result<BTreeSet<String>, VaultError> {
        self.fault.step(|| self.inner.unfinished())
    }

    fn give_up(&self, hash: &str) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.give_up(hash))
    }

    fn is_vacant(&self) -> Result<bool, VaultError> {
        self.fault.step(|| self.inner.is_vacant())
    }

    fn readers(&self) -> Option<&rayon::ThreadPool> {
        self.inner.readers()
    }
}

struct FaultyBatch<'f> {
    inner: Box<dyn Batch + 'f>,
    fault: &'f Fault,
}

impl Batch for FaultyBatch<'_> {
    fn copy(&self, key: &str, bytes: Bytes) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.copy(key, bytes))
    }

    fn writer(&self, key: &str, size_bytes: u64) -> Result<Box<dyn CopyWriter + '_>, VaultError> {
        let inner = self.fault.step(|| self.inner.writer(key, size_bytes))?;
        Ok(Box::new(FaultyWriter { inner, fault: self.fault }))
    }

    fn sync(&self) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.sync())
    }

    fn durable(&self) -> Vec<String> {
        self.inner.durable()
    }
}

struct FaultyWriter<'f> {
    inner: Box<dyn CopyWriter + 'f>,
    fault: &'f Fault,
}

impl CopyWriter for FaultyWriter<'_> {
    fn write(&mut self, piece: Bytes) -> Result<(), VaultError> {
        self.fault.step(|| self.inner.write(piece))
    }

    fn finish(self: Box<Self>) -> Result<(), VaultError> {
        let fault = self.fault;
        fault.step(|| self.inner.finish())
    }

    fn reject(self: Box<Self>) {
        self.inner.reject();
    }
}
