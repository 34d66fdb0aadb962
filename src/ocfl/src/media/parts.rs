//! Uploads in parts, which continue where they ended.
//!
//! An upload in parts that nobody completes is invisible and costs money for ever. So before the
//! first part a note with the upload's id is written into our corner of the root; the note goes
//! when the upload is completed or aborted, and `abort_all` aborts what nobody continues. By the note an
//! upload is found again after a failure or a crash, and the server tells which parts it has.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use digests::{Algorithm, AlgorithmSet, Hasher};
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use serde::{Deserialize, Serialize};

use super::super::address::CORNER;
use super::super::error::VaultError;
use super::bucket::Bucket;
use super::classify::classify;
use super::medium::Medium;
use super::upload::Flight;

/// Parts of one large file in flight at once.
const PARTS_IN_FLIGHT: u32 = 3;

/// Pages of a list of parts: a server tells a thousand in one, and there are ten thousand at most.
const LISTINGS_MAX: usize = 11;

/// What is known of an upload in parts, also after a crash.
#[derive(Serialize, Deserialize)]
pub(super) struct Note {
    key: String,
    id: String,
}

/// One upload in parts.
pub(super) struct Parts {
    note: Note,
    flight: Flight,
    count: usize,
    size_bytes: u64,
    sent: Arc<Mutex<Vec<(usize, PartId)>>>,
    /// What the server has of an earlier attempt, by the places of the parts.
    there: BTreeMap<usize, Listed>,
}

impl Parts {
    /// Continues an upload of the same file that the server still knows, or begins one.
    pub(super) fn resume(bucket: &Bucket, key: &str, path: &Path) -> Result<Parts, VaultError> {
        for note in notes(bucket, object_of(key))? {
            if note.key != key {
                continue;
            }
            let there = bucket.listed_parts(key, &note.id)?;
            if !there.is_empty() {
                return Ok(Parts { there, ..Parts::of(note) });
            }
            abort(bucket, &note)?;
        }
        Parts::begin(bucket, key, path)
    }

    fn of(note: Note) -> Parts {
        let (flight, sent, there) = (Flight::new(PARTS_IN_FLIGHT), Arc::default(), BTreeMap::new());
        Parts { note, flight, count: 0, size_bytes: 0, sent, there }
    }

    /// Begins an upload.
    pub(super) fn begin(bucket: &Bucket, key: &str, path: &Path) -> Result<Parts, VaultError> {
        let begun = bucket.runtime.block_on(bucket.store.create_multipart(path));
        let id = begun.map_err(|error| bucket.blame(key, error))?;
        let note = Note { key: key.to_owned(), id };
        let text = serde_json::json!({ "key": note.key, "id": note.id }).to_string();
        let place = bucket.path(&note_key(&note))?;
        let put = bucket.store.put(&place, text.into());
        match bucket.runtime.block_on(put) {
            Ok(_) => Ok(Parts::of(note)),
            Err(error) => {
                if abort(bucket, &note).is_err() {
                    bucket.unnoted.lock().unwrap_or_else(PoisonError::into_inner).push(note);
                }
                Err(bucket.blame(key, error))
            }
        }
    }

    /// Sends the next part, unless the server has it.
    pub(super) fn send(
        &mut self,
        bucket: &Bucket,
        path: &Path,
        payload: PutPayload,
    ) -> Result<(), VaultError> {
        let at = self.count;
        self.count += 1;
        self.size_bytes += payload.content_length() as u64;
        if let Some(part) = self.there.get(&at).and_then(|listed| listed.part(&payload)) {
            self.sent.lock().unwrap_or_else(PoisonError::into_inner).push((at, part));
            return Ok(());
        }
        let permit = self.flight.enter(bucket, 1)?;
        let (store, path, id) = (bucket.store.clone(), path.clone(), self.note.id.clone());
        let (sent, name, key) = (self.sent.clone(), bucket.name.clone(), self.note.key.clone());
        self.flight.launch(bucket, permit, async move {
            let part = store.put_part(&path, &id, at, payload).await;
            let part = part.map_err(|error| forgotten(classify(&name, &key, error)))?;
            sent.lock().unwrap_or_else(PoisonError::into_inner).push((at, part));
            Ok(())
        });
        Ok(())
    }

    /// Makes one file of the parts.
    pub(super) fn complete(&mut self, bucket: &Bucket, path: &Path) -> Result<(), VaultError> {
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
                return Err(forgotten(error));
            }
            Err(VaultError::NotFound { .. } | VaultError::Denied { .. }) | Ok(_) => {}
            Err(error) => return Err(error),
        }
        bucket.remove(&note_key(&self.note))
    }

    /// Ends the work on it and leaves what the server has to a later attempt, or to `abort_all`.
    pub(super) fn leave(self, bucket: &Bucket) {
        self.flight.stop(bucket);
    }

    /// Aborts it.
    pub(super) fn give_up(self, bucket: &Bucket) {
        self.flight.stop(bucket);
        // Where even this fails, the note stays and `abort_all` tries again.
        drop(abort(bucket, &self.note));
    }
}

/// An upload that the server has forgotten is begun anew by the next attempt.
fn forgotten(error: VaultError) -> VaultError {
    if let VaultError::NotFound { replica, what } = error {
        let what = format!("{what}: the server does not know the upload any more");
        return VaultError::Away { replica, what, source: None };
    }
    error
}

/// A part that a server has.
struct Listed {
    size_bytes: u64,
    /// Absent where the server tells none.
    etag: Option<String>,
}

impl Listed {
    /// This part in the words of the protocol, if it has the bytes that would be sent. The tag of a
    /// part is its md5, but on servers that encrypt with keys of their own: there it is sent again.
    fn part(&self, payload: &PutPayload) -> Option<PartId> {
        let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Md5));
        payload.iter().for_each(|piece| hasher.update(piece));
        let md5 = hasher.finish().hex(Algorithm::Md5)?;
        let is_same = self.size_bytes == payload.content_length() as u64
            && self.etag.as_ref().is_none_or(|etag| etag.trim_matches('"') == md5);
        let content_id = self.etag.clone().unwrap_or_else(|| format!("\"{md5}\""));
        is_same.then_some(PartId { content_id })
    }
}

impl Bucket {
    /// The parts that the server has of an upload; none if it does not know it any more, or does not
    /// tell.
    fn listed_parts(&self, key: &str, id: &str) -> Result<BTreeMap<usize, Listed>, VaultError> {
        let (mut parts, mut after) = (BTreeMap::new(), 0);
        for _ in 0..LISTINGS_MAX {
            let marker = after.to_string();
            let query = [("uploadId", id), ("part-number-marker", marker.as_str())];
            let Some(text) = self.ask_for(key, &query)? else { return Ok(BTreeMap::new()) };
            let before = after;
            for part in text.split("<Part>").skip(1) {
                let number = within(part, "PartNumber").and_then(|it| it.parse::<usize>().ok());
                let size = within(part, "Size").and_then(|it| it.parse().ok());
                let (Some(number @ 1..), Some(size_bytes)) = (number, size) else { continue };
                let etag = within(part, "ETag").map(|tag| tag.replace("&quot;", "\""));
                parts.insert(number - 1, Listed { size_bytes, etag });
                after = after.max(number);
            }
            if within(&text, "IsTruncated") != Some("true") || after == before {
                break;
            }
        }
        Ok(parts)
    }
}

/// The text of the first element of this name.
fn within<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(inner, _)| inner.trim())
}

/// The objects that uploads were begun for and never ended, by the hashes of their ids.
pub(super) fn objects(bucket: &Bucket) -> Result<BTreeSet<String>, VaultError> {
    let (above, mut hashes) = (format!("{CORNER}/uploads"), BTreeSet::new());
    bucket.list(&above, &mut |key, _| {
        let below = key.strip_prefix(&above).unwrap_or(key).trim_start_matches('/');
        hashes.extend(below.split_once('/').map(|(hash, _)| hash.to_owned()));
        Ok(())
    })?;
    Ok(hashes)
}

/// Aborts every upload that was begun for the object of this hash and never ended.
pub(super) fn abort_all(bucket: &Bucket, hash: &str) -> Result<(), VaultError> {
    let unnoted: Vec<Note> = {
        let mut all = bucket.unnoted.lock().unwrap_or_else(PoisonError::into_inner);
        all.extract_if(.., |note| object_of(&note.key) == hash).collect()
    };
    for note in unnoted {
        if let Err(error) = abort(bucket, &note) {
            bucket.unnoted.lock().unwrap_or_else(PoisonError::into_inner).push(note);
            return Err(error);
        }
    }
    notes(bucket, hash)?.iter().try_for_each(|note| abort(bucket, note))
}

/// The notes of uploads that were begun for the object of this hash; those that cannot be read are
/// removed.
fn notes(bucket: &Bucket, hash: &str) -> Result<Vec<Note>, VaultError> {
    let mut keys = Vec::new();
    bucket.list(&format!("{CORNER}/uploads/{hash}"), &mut |key, _| {
        keys.push(key.to_owned());
        Ok(())
    })?;
    let mut notes = Vec::new();
    for key in keys {
        let path = bucket.path(&key)?;
        let text = bucket.runtime.block_on(async { bucket.store.get(&path).await?.bytes().await });
        let text = text.map_err(|error| bucket.blame(&key, error))?;
        match serde_json::from_slice::<Note>(&text) {
            Ok(note) => notes.push(note),
            Err(_) => bucket.remove(&key)?,
        }
    }
    Ok(notes)
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
fn object_of(key: &str) -> &str {
    key.split('/').nth(3).unwrap_or("root")
}

/// Notes lie by object.
fn note_key(note: &Note) -> String {
    let object = object_of(&note.key);
    let name: String = note.id.chars().filter(char::is_ascii_alphanumeric).take(120).collect();
    format!("{CORNER}/uploads/{object}/{name}")
}
