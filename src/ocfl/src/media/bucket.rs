//! A replica in an S3 bucket, or in anything that speaks S3.
//!
//! A bucket has no rename: content goes to its final key at once and stays unseen until an
//! inventory names it. Each request is whole or not at all on the server, so the order of requests
//! is all the safety there is; `seal` keeps it.
//!
//! Stages are plain code: this is one of the places that enter a small runtime of their own. It
//! must not be called from within another runtime.

use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use byteio::read_at::fill;
use bytes::Bytes;
use futures_util::stream::{BoxStream, StreamExt, TryStreamExt};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, ObjectStoreExt, RetryConfig};
use tokio::runtime::Runtime;

use super::super::address::ObjectId;
use super::super::error::VaultError;
use super::super::settings::{Credentials, ReplicaSettings};
use super::classify::classify;
use super::credentials;
use super::medium::{Batch, CopyWriter, Found, Lying, Medium, Surveyed, Told, Upload, names};
use super::parts;
use super::thaw::{Asker, Thawing};
use super::upload::{BucketBatch, PART_LEN};

/// Reads that wait side by side: a request takes some 30 ms, whatever its size.
const READERS: usize = 16;

/// A small retry for what passes by itself; longer waits are the foreman's.
const RETRIES: usize = 3;
const RETRY_FOR: Duration = Duration::from_secs(20);

/// S3 copies objects up to here by itself.
const SERVER_COPY_LEN_MAX: u64 = 5 << 30;

/// One storage root in a bucket.
pub(in super::super) struct Bucket {
    pub(super) name: String,
    pub(super) store: AmazonS3,
    prefix: String,
    pub(super) runtime: Runtime,
    readers: OnceLock<rayon::ThreadPool>,
    /// Uploads in parts whose note could not be written, nor they be aborted.
    pub(super) unnoted: Mutex<Vec<parts::Note>>,
    pub(super) asker: Asker,
}

impl Bucket {
    /// Takes a bucket as configured; no request is made.
    pub(in super::super) fn new(settings: &ReplicaSettings) -> Result<Bucket, VaultError> {
        let place = settings.url.strip_prefix("s3://").ok_or_else(|| VaultError::Refused {
            what: format!("`{}` is neither a folder nor s3://bucket/prefix", settings.url),
        })?;
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        // Refused when another part of the program chose a provider first, which serves as well.
        drop(rustls::crypto::ring::default_provider().install_default());
        let store = builder(settings, bucket)?
            .build()
            .map_err(|error| classify(&settings.name, "the settings", error))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("vault-bucket")
            .enable_all()
            .build()
            .map_err(|source| VaultError::Scratch { what: "starting threads".into(), source })?;
        Ok(Bucket {
            name: settings.name.clone(),
            store,
            prefix: prefix.trim_matches('/').to_owned(),
            runtime,
            readers: OnceLock::new(),
            unnoted: Mutex::default(),
            asker: Asker::default(),
        })
    }

    pub(super) fn path(&self, key: &str) -> Result<Path, VaultError> {
        let whole = if self.prefix.is_empty() || key.is_empty() {
            format!("{}{key}", self.prefix)
        } else {
            format!("{}/{key}", self.prefix)
        };
        Path::parse(whole).map_err(|error| self.blame(key, error.into()))
    }

    pub(super) fn blame(&self, what: &str, error: object_store::Error) -> VaultError {
        classify(&self.name, what, error)
    }

    fn key<'p>(&self, path: &'p Path) -> &'p str {
        let whole = path.as_ref();
        whole.strip_prefix(&self.prefix).unwrap_or(whole).trim_start_matches('/')
    }

    /// Copies an object within the bucket, at the server where it can.
    fn duplicate(&self, from: &str, to: &str, size_bytes: u64) -> Result<(), VaultError> {
        if size_bytes > SERVER_COPY_LEN_MAX {
            let absent = || VaultError::NotFound { replica: self.name.clone(), what: from.into() };
            let mut source = self.open(from)?.ok_or_else(absent)?;
            return self.put(to, Upload { source: &mut source, size_bytes });
        }
        let (source, target) = (self.path(from)?, self.path(to)?);
        let copied = self.runtime.block_on(self.store.copy(&source, &target));
        copied.map_err(|error| self.blame(from, error))
    }

    fn put_small(&self, key: &str, upload: Upload<'_>) -> Result<(), VaultError> {
        let failed = |source| VaultError::Scratch { what: format!("reading for {key}"), source };
        let mut bytes = Vec::new();
        upload.source.read_to_end(&mut bytes).map_err(failed)?;
        let path = self.path(key)?;
        let put = self.store.put(&path, bytes.into());
        self.runtime.block_on(put).map(drop).map_err(|error| self.blame(key, error))
    }
}

impl Medium for Bucket {
    fn open(&self, key: &str) -> Result<Option<Box<dyn Read + Send + '_>>, VaultError> {
        let path = self.path(key)?;
        let answer = self.runtime.block_on(self.store.get(&path));
        let found = match answer.map_err(|error| self.blame(key, error)) {
            Ok(found) => found,
            Err(VaultError::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let left_bytes = found.meta.size;
        let (stream, piece, key) = (found.into_stream(), Bytes::new(), key.to_owned());
        Ok(Some(Box::new(BucketReader { bucket: self, key, stream, piece, left_bytes })))
    }

    fn put(&self, key: &str, upload: Upload<'_>) -> Result<(), VaultError> {
        if upload.size_bytes <= PART_LEN as u64 {
            return self.put_small(key, upload);
        }
        let failed = |source| VaultError::Scratch { what: format!("reading for {key}"), source };
        // Under this key other bytes may have been sent before: nothing of them may be continued.
        let batch = BucketBatch::new(self);
        let mut writer = Box::new(batch.begin(key, upload.size_bytes, false)?);
        let mut source = upload.source;
        loop {
            let mut piece = vec![0; 1 << 20];
            let count = fill(&mut source, &mut piece).map_err(failed)?;
            if count == 0 {
                break;
            }
            piece.truncate(count);
            writer.write(piece.into())?;
        }
        writer.finish()
    }

    fn batch(&self) -> Result<Box<dyn Batch + '_>, VaultError> {
        Ok(Box::new(BucketBatch::new(self)))
    }

    fn list(&self, key: &str, found: Found<'_>) -> Result<(), VaultError> {
        let path = self.path(key)?;
        let mut listed = self.store.list(Some(&path));
        while let Some(item) = self.runtime.block_on(listed.next()) {
            let item = item.map_err(|error| self.blame(key, error))?;
            found(self.key(&item.location), item.size)?;
        }
        Ok(())
    }

    fn survey(&self, key: &str, found: Surveyed<'_>) -> Result<(), VaultError> {
        self.list(key, &mut |key, size_bytes| found(key, Lying::File(size_bytes)))
    }

    /// Not to know is an error: it must never be taken for absence.
    fn look(&self, key: &str) -> Result<Option<Told>, VaultError> {
        let path = self.path(key)?;
        match self.runtime.block_on(self.store.head(&path)).map_err(|it| self.blame(key, it)) {
            Ok(found) => {
                let tag = found.e_tag.map(|tag| tag.trim_matches('"').to_ascii_lowercase());
                let is_md5 = |tag: &String| {
                    tag.len() == 32 && tag.bytes().all(|byte| byte.is_ascii_hexdigit())
                };
                Ok(Some(Told { size_bytes: found.size, md5: tag.filter(is_md5) }))
            }
            Err(VaultError::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn size_of(&self, key: &str) -> Result<Option<u64>, VaultError> {
        Ok(self.look(key)?.map(|told| told.size_bytes))
    }

    fn set_aside(&self, from: &str, to: &str, stays: bool) -> Result<Option<String>, VaultError> {
        let Some(size_bytes) = self.size_of(from)? else { return Ok(None) };
        for name in names(to) {
            if self.size_of(&name)?.is_some() {
                continue;
            }
            self.duplicate(from, &name, size_bytes)?;
            if !stays {
                self.remove(from)?;
            }
            return Ok(Some(name));
        }
        Err(VaultError::Refused { what: format!("{to} was set aside too many times") })
    }

    /// A bucket has no folders.
    fn prune(&self, _: &str) -> Result<(), VaultError> {
        Ok(())
    }

    fn remove(&self, key: &str) -> Result<(), VaultError> {
        // Asked for first, because some servers fail when told to delete what is not there.
        if self.size_of(key)?.is_none() {
            return Ok(());
        }
        let deleted = self.runtime.block_on(self.store.delete(&self.path(key)?));
        deleted.map_err(|error| self.blame(key, error))
    }

    fn clear(&self, key: &str) -> Result<(), VaultError> {
        let path = self.path(key)?;
        let below = self.store.list(Some(&path)).map_ok(|item| item.location).boxed();
        let removed = self.store.delete_stream(below).try_for_each(async |_| Ok(()));
        self.runtime.block_on(removed).map_err(|error| self.blame(key, error))
    }

    fn draft_root(&self, object: &ObjectId) -> String {
        object.root()
    }

    fn install(&self, _: &str, _: &str) -> Result<(), VaultError> {
        Ok(())
    }

    fn abandon(&self, object: &ObjectId) -> Result<(), VaultError> {
        parts::abort_all(self, &object.hash())
    }

    fn unfinished(&self) -> Result<BTreeSet<String>, VaultError> {
        parts::objects(self)
    }

    fn give_up(&self, hash: &str) -> Result<(), VaultError> {
        parts::abort_all(self, hash)
    }

    fn is_vacant(&self) -> Result<bool, VaultError> {
        let path = self.path("")?;
        let listed = self.runtime.block_on(self.store.list_with_delimiter(Some(&path)));
        let listed = listed.map_err(|error| self.blame("the bucket", error))?;
        let is_ours = |path: &Path| self.key(path) == "extensions";
        Ok(listed.objects.is_empty() && listed.common_prefixes.iter().all(is_ours))
    }

    fn thaw(&self, key: &str) -> Result<Thawing, VaultError> {
        self.ask_to_thaw(key)
    }

    fn thawing(&self, key: &str) -> Result<Thawing, VaultError> {
        Bucket::thawing(self, key)
    }

    fn readers(&self) -> Option<&rayon::ThreadPool> {
        if self.readers.get().is_none() {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(READERS).build();
            // Without more threads the machine's own read: slower, and as right.
            pool.ok().map(|pool| self.readers.set(pool));
        }
        self.readers.get()
    }
}

/// Reads one object to its end, and notices when that comes too early.
struct BucketReader<'b> {
    bucket: &'b Bucket,
    key: String,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    piece: Bytes,
    left_bytes: u64,
}

impl Read for BucketReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.bucket.runtime.block_on(self.stream.next()) {
                Some(piece) => {
                    self.piece = piece
                        .map_err(|error| io::Error::other(self.bucket.blame(&self.key, error)))?;
                    self.left_bytes = self.left_bytes.saturating_sub(self.piece.len() as u64);
                }
                None if self.left_bytes > 0 => {
                    let what = format!("{} ended {} bytes early", self.key, self.left_bytes);
                    let replica = self.bucket.name.clone();
                    return Err(io::Error::other(VaultError::Away { replica, what, source: None }));
                }
                None => return Ok(0),
            }
        }
        let count = buffer.len().min(self.piece.len());
        buffer[..count].copy_from_slice(&self.piece.split_to(count));
        Ok(count)
    }
}

pub(super) fn builder(
    settings: &ReplicaSettings,
    bucket: &str,
) -> Result<AmazonS3Builder, VaultError> {
    let mut builder = match &settings.credentials {
        Credentials::FromEnvironment => AmazonS3Builder::from_env(),
        Credentials::File(path) => with_keys_of(settings, path)?,
    };
    if let Some(endpoint) = &settings.endpoint {
        builder = builder.with_endpoint(endpoint);
    }
    if let Some(region) = &settings.region {
        builder = builder.with_region(region);
    }
    let client = ClientOptions::new()
        .with_allow_http(settings.allow_http)
        .with_connect_timeout(Duration::from_secs(10))
        .with_read_timeout(Duration::from_secs(60))
        .with_timeout(Duration::from_secs(300));
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(100),
        max_backoff: Duration::from_secs(3),
        base: 3.0,
    };
    let retry = RetryConfig { backoff, max_retries: RETRIES, retry_timeout: RETRY_FOR };
    Ok(builder
        .with_bucket_name(bucket)
        .with_virtual_hosted_style_request(!settings.path_style)
        .with_client_options(client)
        .with_allow_http(settings.allow_http)
        .with_retry(retry))
}

fn with_keys_of(
    settings: &ReplicaSettings,
    path: &std::path::Path,
) -> Result<AmazonS3Builder, VaultError> {
    let denied = |source| VaultError::Denied {
        replica: settings.name.clone(),
        what: format!("the credentials in {} cannot be used", path.display()),
        source,
    };
    let text = std::fs::read_to_string(path).map_err(|error| denied(error.into()))?;
    let keys = credentials::parse(&text).ok_or_else(|| denied("a key is missing".into()))?;
    let builder =
        AmazonS3Builder::new().with_access_key_id(keys.id).with_secret_access_key(keys.secret);
    Ok(match keys.token {
        Some(token) => builder.with_token(token),
        None => builder,
    })
}
