//! A bucket that deposits are dropped into: listed, looked at, fetched and emptied, one object at a
//! time.
//!
//! An object appears whole and is replaced whole; its entity tag tells one state from another. It is
//! fetched in ranges, each of them asked for under its tag, so that a file is never made of two
//! states and no request has to last as long as a large bag.

use std::io;
use std::ops::Range;

use futures_util::stream::StreamExt;
use object_store::list::{PaginatedListOptions, PaginatedListStore};
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt};

use super::super::error::VaultError;
use super::super::settings::ReplicaSettings;
use super::bucket::Bucket;

type Cause = Box<dyn std::error::Error + Send + Sync>;

/// The bucket.
pub struct Inbox {
    bucket: Bucket,
    /// What it is called in sentences.
    url: String,
    prefix: String,
}

/// An object of the bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Letter {
    /// Its name in its area.
    pub name: String,
    /// Its entity tag, without quotes.
    pub etag: String,
    pub size_bytes: u64,
    /// When it was put there, in milliseconds since 1970.
    pub modified: u64,
}

/// Something at the top of an area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InArea {
    Object(Letter),
    /// The name that keys further down have in common.
    Folder(String),
}

/// Why the bucket did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum InboxError {
    /// Unreachable, timing out or failing at the other end.
    #[error("the receiving area {url} is away: {what}")]
    Away { url: String, what: String, source: Option<Cause> },
    /// Wrong credentials, no permission, or no such bucket.
    #[error("the receiving area {url} denies access: {what}")]
    Denied { url: String, what: String, source: Cause },
    /// There is no such object.
    #[error("{name} is not in the receiving area {url}")]
    Gone { url: String, name: String },
    /// The object is another one by now.
    #[error("{name} in the receiving area {url} was replaced")]
    Changed { url: String, name: String },
    /// It holds what we cannot name, or was configured wrongly.
    #[error("the receiving area {url} cannot be used: {what}")]
    Unusable { url: String, what: String },
    /// What was fetched could not be written here.
    #[error("what was fetched could not be written")]
    Here(#[source] io::Error),
}

impl Inbox {
    /// Takes a bucket as configured; no request is made.
    pub fn new(settings: &ReplicaSettings) -> Result<Inbox, InboxError> {
        let url = settings.url.clone();
        let bucket = Bucket::new(settings).map_err(|error| sorted(&url, "", error))?;
        let place = url.strip_prefix("s3://").unwrap_or_default();
        let prefix = place.split_once('/').map_or("", |(_, prefix)| prefix).trim_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Inbox { bucket, url, prefix })
    }

    /// Tells everything at the top of an area, a page at a time.
    pub fn list(&self, area: &str, tell: &mut dyn FnMut(InArea)) -> Result<(), InboxError> {
        let prefix = format!("{}{area}/", self.prefix);
        let mut page_token = None;
        loop {
            let delimiter = Some("/".into());
            let options = PaginatedListOptions { delimiter, page_token, ..Default::default() };
            let listing = self.bucket.store.list_paginated(Some(&prefix), options);
            let listed = self.bucket.runtime.block_on(listing);
            let listed = listed.map_err(|error| self.blame(area, error))?;
            for folder in listed.result.common_prefixes {
                tell(InArea::Folder(below(folder.as_ref(), &prefix)));
            }
            for object in listed.result.objects {
                let name = below(object.location.as_ref(), &prefix);
                // Some tools put an empty object in the place of a folder.
                if name.is_empty() {
                    continue;
                }
                let mut letter = letter(name, &object);
                if object.e_tag.is_none() {
                    // Not every server tells tags in a listing.
                    match self.look(area, &letter.name) {
                        Ok(found) => letter.etag = found.etag,
                        Err(InboxError::Gone { .. }) => continue,
                        Err(error) => return Err(error),
                    }
                }
                tell(InArea::Object(letter));
            }
            match listed.page_token {
                Some(next) => page_token = Some(next),
                None => return Ok(()),
            }
        }
    }

    /// An object as it is now.
    pub fn look(&self, area: &str, name: &str) -> Result<Letter, InboxError> {
        let path = self.path(area, name)?;
        let found = self.bucket.runtime.block_on(self.bucket.store.head(&path));
        Ok(letter(name.to_owned(), &found.map_err(|error| self.blame(name, error))?))
    }

    /// Hands over a range of an object piece by piece, if it is still in the state of this tag.
    pub fn read(
        &self,
        (area, name, etag): (&str, &str, &str),
        range: Range<u64>,
        take: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), InboxError> {
        let path = self.path(area, name)?;
        let options = GetOptions::new()
            .with_range(Some(GetRange::Bounded(range.clone())))
            .with_if_match(Some(quoted(etag)));
        let wanted = range.end - range.start;
        self.bucket.runtime.block_on(async {
            let blame = |error| self.blame(name, error);
            let answer = self.bucket.store.get_opts(&path, options).await.map_err(blame)?;
            // Not every server heeds the condition.
            if answer.meta.e_tag.as_deref().is_some_and(|tag| plain(tag) != etag) {
                return Err(self.changed(name));
            }
            let (mut pieces, mut count) = (answer.into_stream(), 0);
            while let Some(piece) = pieces.next().await {
                let piece = piece.map_err(blame)?;
                count += piece.len() as u64;
                take(&piece).map_err(InboxError::Here)?;
            }
            if count != wanted {
                let what = format!("{name} brought {count} bytes of {wanted}");
                return Err(InboxError::Away { url: self.url.clone(), what, source: None });
            }
            Ok(())
        })
    }

    /// Removes an object, if it is still in the state of this tag.
    pub fn remove(&self, area: &str, name: &str, etag: &str) -> Result<(), InboxError> {
        if self.look(area, name)?.etag != etag {
            return Err(self.changed(name));
        }
        let path = self.path(area, name)?;
        let deleted = self.bucket.store.delete(&path);
        self.bucket.runtime.block_on(deleted).map_err(|error| self.blame(name, error))
    }

    fn path(&self, area: &str, name: &str) -> Result<object_store::path::Path, InboxError> {
        let path = self.bucket.path(&format!("{area}/{name}"));
        path.map_err(|error| sorted(&self.url, name, error))
    }

    fn changed(&self, name: &str) -> InboxError {
        InboxError::Changed { url: self.url.clone(), name: name.to_owned() }
    }

    fn blame(&self, what: &str, error: object_store::Error) -> InboxError {
        if let object_store::Error::Precondition { .. } = error {
            return self.changed(what);
        }
        sorted(&self.url, what, self.bucket.blame(what, error))
    }
}

/// A receiving area has the troubles of a replica, in words of its own.
fn sorted(url: &str, name: &str, error: VaultError) -> InboxError {
    let url = url.to_owned();
    match error {
        VaultError::Away { what, source, .. } => InboxError::Away { url, what, source },
        VaultError::Full { what, source, .. } => {
            InboxError::Away { url, what, source: Some(source) }
        }
        VaultError::Denied { what, source, .. } => InboxError::Denied { url, what, source },
        VaultError::NotFound { .. } => InboxError::Gone { url, name: name.to_owned() },
        VaultError::Damaged { .. }
        | VaultError::Conflict { .. }
        | VaultError::Ahead { .. }
        | VaultError::Lacks { .. }
        | VaultError::Refused { .. }
        | VaultError::Source { .. }
        | VaultError::Changed { .. }
        | VaultError::Scratch { .. } => InboxError::Unusable { url, what: error.to_string() },
    }
}

fn letter(name: String, object: &ObjectMeta) -> Letter {
    let modified = u64::try_from(object.last_modified.timestamp_millis()).unwrap_or(0);
    // A server without tags has sizes and dates.
    let etag = object
        .e_tag
        .as_deref()
        .map_or_else(|| format!("{:x}-{modified:x}", object.size), |tag| plain(tag).to_owned());
    Letter { name, etag, size_bytes: object.size, modified }
}

fn below(key: &str, prefix: &str) -> String {
    key.strip_prefix(prefix).unwrap_or_default().to_owned()
}

fn plain(tag: &str) -> &str {
    tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or(tag)
}

fn quoted(tag: &str) -> String {
    if tag.starts_with("W/") { tag.to_owned() } else { format!("\"{tag}\"") }
}
