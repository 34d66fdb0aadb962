//! Files on their way to a bucket: many small ones side by side, large ones in parts.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::super::error::VaultError;
use super::bucket::Bucket;
use super::classify::classify;
use super::medium::{Batch, CopyWriter};
use super::parts::Parts;

/// S3 wants parts of at least 5 MiB and at most 10,000 of them; this serves up to 80 GB, larger
/// files have larger parts.
pub(super) const PART_LEN: usize = 8 << 20;
const PARTS_MAX: u64 = 9_900;

/// Small files in flight at once.
const FILES_IN_FLIGHT: u32 = 32;

/// Requests in flight, and the first error of any of them. Whoever gives up must `stop` the rest:
/// a request that is still being retried could otherwise write after the object was cleared up.
pub(super) struct Flight {
    room: Arc<Semaphore>,
    size: u32,
    failed: Arc<Mutex<Option<VaultError>>>,
    requests: Mutex<JoinSet<()>>,
}

impl Flight {
    pub(super) fn new(size: u32) -> Flight {
        let room = Arc::new(Semaphore::new(size as usize));
        Flight { room, size, failed: Arc::default(), requests: Mutex::default() }
    }

    /// Sends a request off; the permit is its room.
    pub(super) fn launch(
        &self,
        bucket: &Bucket,
        permit: OwnedSemaphorePermit,
        request: impl Future<Output = Result<(), VaultError>> + Send + 'static,
    ) {
        let failed = self.failed.clone();
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        while requests.try_join_next().is_some() {}
        let whole = async move {
            if let Err(error) = request.await {
                failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
            }
            drop(permit);
        };
        requests.spawn_on(whole, bucket.runtime.handle());
    }

    pub(super) fn stop(&self, bucket: &Bucket) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.runtime.block_on(requests.shutdown());
    }

    /// Waits for room; tells the first error of those that went before.
    pub(super) fn enter(
        &self,
        bucket: &Bucket,
        count: u32,
    ) -> Result<OwnedSemaphorePermit, VaultError> {
        let entered = bucket.runtime.block_on(self.room.clone().acquire_many_owned(count));
        if let Some(error) = self.failed.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Err(error);
        }
        entered.map_err(|_| VaultError::Away {
            replica: bucket.name.clone(),
            what: "the runtime is shutting down".into(),
            source: None,
        })
    }

    pub(super) fn wait_for_all(&self, bucket: &Bucket) -> Result<(), VaultError> {
        self.enter(bucket, self.size).map(drop)
    }
}

/// Many files on their way.
pub(super) struct BucketBatch<'b> {
    bucket: &'b Bucket,
    flight: Flight,
    /// Keys of files that the server has taken.
    taken: Arc<Mutex<Vec<String>>>,
}

impl<'b> BucketBatch<'b> {
    pub(super) fn new(bucket: &'b Bucket) -> BucketBatch<'b> {
        BucketBatch { bucket, flight: Flight::new(FILES_IN_FLIGHT), taken: Arc::default() }
    }

    /// Begins a file. One that is `resumable` continues where an earlier attempt at the same bytes
    /// ended, and leaves what it has sent to a later one.
    pub(super) fn begin(
        &self,
        key: &str,
        size_bytes: u64,
        resumable: bool,
    ) -> Result<BucketWriter<'b>, VaultError> {
        let path = self.bucket.path(key)?;
        let part_len = usize::try_from(size_bytes / PARTS_MAX).unwrap_or(usize::MAX).max(PART_LEN);
        let upload = match size_bytes > part_len as u64 {
            true if resumable => Some(Parts::resume(self.bucket, key, &path)?),
            true => Some(Parts::begin(self.bucket, key, &path)?),
            false => None,
        };
        let (key, taken) = (key.to_owned(), self.taken.clone());
        let (pieces, len) = (Vec::new(), 0);
        let bucket = self.bucket;
        Ok(BucketWriter { bucket, key, path, part_len, upload, pieces, len, resumable, taken })
    }
}

impl Batch for BucketBatch<'_> {
    fn copy(&self, key: &str, bytes: Bytes) -> Result<(), VaultError> {
        let path = self.bucket.path(key)?;
        let permit = self.flight.enter(self.bucket, 1)?;
        let (store, name, key) =
            (self.bucket.store.clone(), self.bucket.name.clone(), key.to_owned());
        let taken = self.taken.clone();
        self.flight.launch(self.bucket, permit, async move {
            let put = store.put(&path, bytes.into()).await;
            put.map_err(|error| classify(&name, &key, error))?;
            taken.lock().unwrap_or_else(PoisonError::into_inner).push(key);
            Ok(())
        });
        Ok(())
    }

    fn writer(&self, key: &str, size_bytes: u64) -> Result<Box<dyn CopyWriter + '_>, VaultError> {
        Ok(Box::new(self.begin(key, size_bytes, true)?))
    }

    fn sync(&self) -> Result<(), VaultError> {
        self.flight.wait_for_all(self.bucket)
    }

    fn durable(&self) -> Vec<String> {
        std::mem::take(&mut *self.taken.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for BucketBatch<'_> {
    fn drop(&mut self) {
        self.flight.stop(self.bucket);
    }
}

/// One file on its way.
pub(super) struct BucketWriter<'b> {
    bucket: &'b Bucket,
    key: String,
    path: Path,
    part_len: usize,
    /// Absent for a file that fits one request.
    upload: Option<Parts>,
    pieces: Vec<Bytes>,
    len: usize,
    /// Whether what was sent is left to a later attempt if this one does not come to its end.
    resumable: bool,
    taken: Arc<Mutex<Vec<String>>>,
}

impl BucketWriter<'_> {
    fn take_pieces(&mut self) -> PutPayload {
        self.len = 0;
        std::mem::take(&mut self.pieces).into_iter().collect()
    }
}

impl CopyWriter for BucketWriter<'_> {
    fn write(&mut self, piece: Bytes) -> Result<(), VaultError> {
        self.len += piece.len();
        self.pieces.push(piece);
        if self.len >= self.part_len && self.upload.is_some() {
            let payload = self.take_pieces();
            if let Some(upload) = &mut self.upload {
                upload.send(self.bucket, &self.path, payload)?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), VaultError> {
        let payload = self.take_pieces();
        match self.upload.take() {
            None => {
                let put = self.bucket.store.put(&self.path, payload);
                let put = self.bucket.runtime.block_on(put);
                put.map_err(|error| self.bucket.blame(&self.key, error))?;
            }
            Some(mut upload) => {
                let sent = match payload.content_length() {
                    0 => Ok(()),
                    _ => upload.send(self.bucket, &self.path, payload),
                };
                let done = sent.and_then(|()| upload.complete(self.bucket, &self.path));
                if let Err(error) = done {
                    // Left to the drop below.
                    self.upload = Some(upload);
                    return Err(error);
                }
            }
        }
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).push(self.key.clone());
        Ok(())
    }

    fn reject(mut self: Box<Self>) {
        self.resumable = false;
    }
}

impl Drop for BucketWriter<'_> {
    fn drop(&mut self) {
        match self.upload.take() {
            Some(upload) if self.resumable => upload.leave(self.bucket),
            Some(upload) => upload.give_up(self.bucket),
            None => {}
        }
    }
}
