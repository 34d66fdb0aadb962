//! Files on their way to a bucket: many small ones side by side, large ones in parts.
//!
//! An upload in parts that nobody completes is invisible and costs money for ever. So before the
//! first part a note with the upload's id is written into our corner of the root; the note goes
//! when the upload is completed or aborted, and `abort_all` aborts what a killed process left.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use serde::{Deserialize, Serialize};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::super::address::{CORNER, ObjectId};
use super::super::error::VaultError;
use super::bucket::Bucket;
use super::classify::classify;
use super::medium::{Batch, CopyWriter, Medium};

/// S3 wants parts of at least 5 MiB and at most 10,000 of them; this serves up to 80 GB, larger
/// files have larger parts.
pub(super) const PART_LEN: usize = 8 << 20;
const PARTS_MAX: u64 = 9_900;

/// Small files in flight at once, and parts of one large file.
const FILES_IN_FLIGHT: u32 = 32;
const PARTS_IN_FLIGHT: u32 = 3;

/// Requests in flight, and the first error of any of them. Whoever gives up must `stop` the rest:
/// a request that is still being retried could otherwise write after the object was cleared up.
struct Flight {
    room: Arc<Semaphore>,
    size: u32,
    failed: Arc<Mutex<Option<VaultError>>>,
    requests: Mutex<JoinSet<()>>,
}

impl Flight {
    fn new(size: u32) -> Flight {
        let room = Arc::new(Semaphore::new(size as usize));
        Flight { room, size, failed: Arc::default(), requests: Mutex::default() }
    }

    /// Sends a request off; the permit is its room.
    fn launch(
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

    fn stop(&self, bucket: &Bucket) {
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        bucket.runtime.block_on(requests.shutdown());
    }

    /// Waits for room; tells the first error of those that went before.
    fn enter(&self, bucket: &Bucket, count: u32) -> Result<OwnedSemaphorePermit, VaultError> {
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

    fn wait_for_all(&self, bucket: &Bucket) -> Result<(), VaultError> {
        self.enter(bucket, self.size).map(drop)
    }
}

/// Many files on their way.
pub(super) struct BucketBatch<'b> {
    bucket: &'b Bucket,
    flight: Flight,
}

impl<'b> BucketBatch<'b> {
    pub(super) fn new(bucket: &'b Bucket) -> BucketBatch<'b> {
        BucketBatch { bucket, flight: Flight::new(FILES_IN_FLIGHT) }
    }
}

impl Batch for BucketBatch<'_> {
    fn copy(&self, key: &str, bytes: Bytes) -> Result<(), VaultError> {
        let path = self.bucket.path(key)?;
        let permit = self.flight.enter(self.bucket, 1)?;
        let (store, name, key) =
            (self.bucket.store.clone(), self.bucket.name.clone(), key.to_owned());
        self.flight.launch(self.bucket, permit, async move {
            let put = store.put(&path, bytes.into()).await;
            put.map(drop).map_err(|error| classify(&name, &key, error))
        });
        Ok(())
    }

    fn writer(&self, key: &str, size_bytes: u64) -> Result<Box<dyn CopyWriter + '_>, VaultError> {
        let path = self.bucket.path(key)?;
        let part_len = usize::try_from(size_bytes / PARTS_MAX).unwrap_or(usize::MAX).max(PART_LEN);
        let upload = if size_bytes > part_len as u64 {
            Some(Parts::begin(self.bucket, key, &path)?)
        } else {
            None
        };
        let key = key.to_owned();
        let (pieces, len) = (Vec::new(), 0);
        Ok(Box::new(BucketWriter { bucket: self.bucket, key, path, part_len, upload, pieces, len }))
    }

    fn sync(self: Box<Self>) -> Result<(), VaultError> {
        self.flight.wait_for_all(self.bucket)
    }
}

impl Drop for BucketBatch<'_> {
    fn drop(&mut self) {
        self.flight.stop(self.bucket);
    }
}

/// One file on its way.
struct BucketWriter<'b> {
    bucket: &'b Bucket,
    key: String,
    path: Path,
    part_len: usize,
    /// Absent for a file that fits one request.
    upload: Option<Parts>,
    pieces: Vec<Bytes>,
    len: usize,
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
        let Some(mut upload) = self.upload.take() else {
            let put = self.bucket.store.put(&self.path, payload);
            let put = self.bucket.runtime.block_on(put);
            return put.map(drop).map_err(|error| self.bucket.blame(&self.key, error));
        };
        let sent = match payload.content_length() {
            0 => Ok(()),
            _ => upload.send(self.bucket, &self.path, payload),
        };
        let done = sent.and_then(|()| upload.complete(self.bucket, &self.path));
        if done.is_err() {
            // Left to the drop below, which aborts it.
            self.upload = Some(upload);
        }
        done
    }
}

impl Drop for BucketWriter<'_> {
    fn drop(&mut self) {
        if let Some(upload) = self.upload.take() {
            // Where even this fails, the note stays and `abort_all` tries again.
            upload.flight.stop(self.bucket);
            drop(abort(self.bucket, &upload.note));
        }
    }
}

/// What is known of an upload in parts, also after a crash.
#[derive(Serialize, Deserialize)]
pub(super) struct Note {
    key: String,
    id: String,
}

struct Parts {
    note: Note,
    flight: Flight,
    count: usize,
    size_bytes: u64,
    sent: Arc<Mutex<Vec<(usize, PartId)>>>,
}

impl Parts {
    fn begin(bucket: &Bucket, key: &str, path: &Path) -> Result<Parts, VaultError> {
        let begun = bucket.runtime.block_on(bucket.store.create_multipart(path));
        let id = begun.map_err(|error| bucket.blame(key, error))?;
        let note = Note { key: key.to_owned(), id };
        let text = serde_json::json!({ "key": note.key, "id": note.id }).to_string();
        let place = bucket.path(&note_key(&note))?;
        let put = bucket.store.put(&place, text.into());
        match bucket.runtime.block_on(put) {
            Ok(_) => {
                let flight = Flight::new(PARTS_IN_FLIGHT);
                Ok(Parts { note, flight, count: 0, size_bytes: 0, sent: Arc::default() })
            }
            Err(error) => {
                if abort(bucket, &note).is_err() {
                    bucket.unnoted.lock().unwrap_or_else(PoisonError::into_inner).push(note);
                }
                Err(bucket.blame(key, error))
            }
        }
    }

    fn send(
        &mut self,
        bucket: &Bucket,
        path: &Path,
        payload: PutPayload,
    ) -> Result<(), VaultError> {
        let permit = self.flight.enter(bucket, 1)?;
        let at = self.count;
        self.count += 1;
        self.size_bytes += payload.content_length() as u64;
        let (store, path, id) = (bucket.store.clone(), path.clone(), self.note.id.clone());
        let (sent, name, key) = (self.sent.clone(), bucket.name.clone(), self.note.key.clone());
        self.flight.launch(bucket, permit, async move {
            let part = store.put_part(&path, &id, at, payload).await;
            let part = part.map_err(|error| classify(&name, &key, error))?;
            sent.lock().unwrap_or_else(PoisonError::into_inner).push((at, part));
            Ok(())
        });
        Ok(())
    }

    fn complete(&mut self, bucket: &Bucket, path: &Path) -> Result<(), VaultError> {
        self.flight.wait_for_all(bucket)?;
        let mut sent =
            std::mem::take(&mut *self.sent.lock().unwrap_or_else(PoisonError::into_inner));
        sent.sort_unstable_by_key(|(at, _)| *at);
        let parts = sent.into_iter().map(|(_, part)| part).collect();
        let done = bucket.store.complete_multipart(path, &self.note.id, parts);
        let key = &self.note.key;
        match bucket.runtime.block_on(done).map_err(|error| bucket.blame(key, error)) {
            // Asked again after an answer was lost, a server has forgotten the upload. Whether it
            // was completed is seen at the file.
            Err(error @ (VaultError::NotFound { .. } | VaultError::Denied { .. }))
                if bucket.size_of(key)? != Some(self.size_bytes) =>
            {
                return Err(error);
            }
            Err(VaultError::NotFound { .. } | VaultError::Denied { .. }) | Ok(_) => {}
            Err(error) => return Err(error),
        }
        bucket.remove(&note_key(&self.note))
    }
}

/// Aborts every upload that was begun for an object and never ended.
pub(super) fn abort_all(bucket: &Bucket, object: &ObjectId) -> Result<(), VaultError> {
    let unnoted: Vec<Note> = {
        let mut all = bucket.unnoted.lock().unwrap_or_else(PoisonError::into_inner);
        all.extract_if(.., |note| object_of(note) == object.hash()).collect()
    };
    for note in unnoted {
        if let Err(error) = abort(bucket, &note) {
            bucket.unnoted.lock().unwrap_or_else(PoisonError::into_inner).push(note);
            return Err(error);
        }
    }
    let mut keys = Vec::new();
    bucket.list(&format!("{CORNER}/uploads/{}", object.hash()), &mut |key, _| {
        keys.push(key.to_owned());
        Ok(())
    })?;
    for key in keys {
        let path = bucket.path(&key)?;
        let text = bucket.runtime.block_on(async { bucket.store.get(&path).await?.bytes().await });
        let text = text.map_err(|error| bucket.blame(&key, error))?;
        match serde_json::from_slice::<Note>(&text) {
            Ok(note) => abort(bucket, &note)?,
            Err(_) => bucket.remove(&key)?,
        }
    }
    Ok(())
}

fn abort(bucket: &Bucket, note: &Note) -> Result<(), VaultError> {
    let path = bucket.path(&note.key)?;
    let aborted = bucket.runtime.block_on(bucket.store.abort_multipart(&path, &note.id));
    match aborted.map_err(|error| bucket.blame(&note.key, error)) {
        // Completed or aborted before: the note outlived it.
        Err(VaultError::NotFound { .. }) | Ok(()) => bucket.remove(&note_key(note)),
        // Some servers say so of an upload that they have forgotten, as they do when it was
        // completed. And some keys may write and not abort: then the note stays, and clearing up is
        // left to a rule of the bucket; that is no reason to stop an ingest.
        Err(VaultError::Denied { .. }) => match bucket.size_of(&note.key)? {
            Some(_) => bucket.remove(&note_key(note)),
            None => Ok(()),
        },
        Err(other) => Err(other),
    }
}

/// The object of an upload, which is the fourth part of every key that can be large.
fn object_of(note: &Note) -> &str {
    note.key.split('/').nth(3).unwrap_or("root")
}

/// Notes lie by object.
fn note_key(note: &Note) -> String {
    let object = object_of(note);
    let name: String = note.id.chars().filter(char::is_ascii_alphanumeric).take(120).collect();
    format!("{CORNER}/uploads/{object}/{name}")
}
