//! The bucket that deposits are received in, if that is what is configured, and what lay there when
//! it was last listed.
//!
//! Sweeps and stages ask the bucket; pages are told what the last sweep saw, and never wait for it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ocfl::{InArea, Inbox, InboxError, ReplicaSettings};
use storage::clock::Timestamp;

use crate::config::{Config, Location};
use crate::fault::{Classify, Kind};
use crate::vaults::bucket_settings;

/// Entries that are remembered of one area; nobody reads further.
const REMEMBERED: usize = 10_000;

/// The doorstep of this appliance.
pub struct Doorstep {
    settings: Option<ReplicaSettings>,
    /// Made when it is first needed, and again after it denied access: its keys may have been mended.
    inbox: Mutex<Option<Arc<Inbox>>>,
    seen: Mutex<BTreeMap<String, Seen>>,
}

/// What an area held when it was last listed.
#[derive(Clone, Debug)]
pub struct Seen {
    pub at: Timestamp,
    pub entries: Vec<InArea>,
    /// How many there were beyond those.
    pub more: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// Why it could not be listed since.
    pub trouble: Option<String>,
}

impl Doorstep {
    /// Takes the bucket as configured. Nothing is asked: one that is away keeps nobody from starting.
    pub fn open(config: &Config) -> Doorstep {
        let settings = match &config.ingest.receiving {
            Location::Folder(_) => None,
            Location::Bucket(bucket) => Some(ReplicaSettings {
                url: bucket.url(),
                ..bucket_settings(config, bucket, ReplicaSettings::folder("receiving", ""))
            }),
        };
        Doorstep { settings, inbox: Mutex::default(), seen: Mutex::default() }
    }

    /// Whether deposits are received in a bucket.
    pub fn is_bucket(&self) -> bool {
        self.settings.is_some()
    }

    /// Does something with the bucket.
    pub fn ask<T>(
        &self,
        act: impl FnOnce(&Inbox) -> Result<T, InboxError>,
    ) -> Result<T, InboxError> {
        let inbox = self.inbox()?;
        let done = act(&inbox);
        if let Err(InboxError::Denied { .. }) = done {
            *lock(&self.inbox) = None;
        }
        done
    }

    /// Tells everything at the top of an area, and remembers it for those who ask later.
    pub fn list(
        &self,
        area: &str,
        now: Timestamp,
        tell: &mut dyn FnMut(&InArea),
    ) -> Result<(), InboxError> {
        let (mut entries, mut more, mut bytes) = (Vec::new(), 0, 0_u64);
        let listed = self.ask(|inbox| {
            inbox.list(area, &mut |entry| {
                tell(&entry);
                if let InArea::Object(letter) = &entry {
                    bytes = bytes.saturating_add(letter.size_bytes);
                }
                if entries.len() < REMEMBERED {
                    entries.push(entry);
                } else {
                    more += 1;
                }
            })
        });
        let mut seen = lock(&self.seen);
        if let Err(error) = listed {
            let fresh = Seen { at: now, entries: Vec::new(), more: 0, bytes: 0, trouble: None };
            let trouble = byteio::causes::chain(&error);
            let seen = seen.entry(area.to_owned()).or_insert(fresh);
            // Said once, not with every look.
            if seen.trouble.as_ref() != Some(&trouble) {
                tracing::warn!(area, trouble, "the receiving bucket could not be listed");
            }
            seen.trouble = Some(trouble);
            return Err(error);
        }
        seen.insert(area.to_owned(), Seen { at: now, entries, more, bytes, trouble: None });
        Ok(())
    }

    /// What an area held when it was last listed; none if it never was.
    pub fn seen(&self, area: &str) -> Option<Seen> {
        lock(&self.seen).get(area).cloned()
    }

    fn inbox(&self) -> Result<Arc<Inbox>, InboxError> {
        let mut inbox = lock(&self.inbox);
        if let Some(inbox) = &*inbox {
            return Ok(Arc::clone(inbox));
        }
        let settings = self.settings.as_ref().ok_or_else(|| InboxError::Unusable {
            url: String::new(),
            what: "deposits are received in a folder".into(),
        })?;
        let made = Arc::new(Inbox::new(settings)?);
        *inbox = Some(Arc::clone(&made));
        Ok(made)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Classify for InboxError {
    fn kind(&self) -> Kind {
        match self {
            InboxError::Away { .. } | InboxError::Here(_) => Kind::Transient { retry_after: None },
            InboxError::Denied { .. }
            | InboxError::Gone { .. }
            | InboxError::Changed { .. }
            | InboxError::Unusable { .. } => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            InboxError::Away { .. } => "receiving-away",
            InboxError::Denied { .. } => "receiving-denied",
            InboxError::Gone { .. } | InboxError::Changed { .. } => "deposit-changed",
            InboxError::Unusable { .. } => "receiving-unusable",
            InboxError::Here(_) => "files",
        }
    }

    fn advice(&self) -> String {
        match self {
            InboxError::Away { .. } => {
                "Restore the connection to the bucket; the item goes on by itself."
            }
            InboxError::Denied { .. } => {
                "Correct the credentials, region or permissions in [receiving], then requeue."
            }
            InboxError::Gone { .. } | InboxError::Changed { .. } => {
                "Cancel this item; what is in the receiving area is found by itself."
            }
            InboxError::Unusable { .. } => "Correct ingest.receiving, then requeue.",
            InboxError::Here(_) => "Make room on the disk of the staging area, then requeue.",
        }
        .into()
    }
}
