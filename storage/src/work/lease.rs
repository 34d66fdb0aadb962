//! Leases over sets of keys, for holders that may be other machines.
//!
//! A lease stands until it expires or is revoked. Creating one over a key that a live lease holds
//! fails whole; an expired one in the way is put aside in the same transaction. Extending or
//! revoking an unknown lease changes nothing and says so: a late holder disturbs nobody.

use std::sync::Arc;
use std::time::Duration;

use byteio::first_version;
use serde::{Deserialize, Serialize};

use super::engine::TreeId;
use super::item::check_name;
use super::key::Tail;
use super::store::Store;
use super::tx::{Range, Schema, Tx};
use crate::clock::{Clock, Timestamp};
use crate::error::Error;

/// Most keys of one lease.
const KEYS_LIMIT: usize = 10_000;
/// Longest key.
const KEY_LIMIT: usize = 1024;

/// A right to a set of keys for a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyLease {
    /// Its name, chosen by the maker, unique within the space.
    pub id: String,
    /// What the keys belong to; keys of different spaces never overlap.
    pub space: String,
    /// Who holds it.
    pub holder: String,
    /// What is held.
    pub keys: Vec<Vec<u8>>,
    /// When it was made.
    pub created: Timestamp,
    /// When it ends.
    pub expires: Timestamp,
    /// How often it was extended.
    pub renewals: u32,
}
first_version!(KeyLease);

/// Space and name to lease.
pub enum LeaseTree {}
impl Schema for LeaseTree {
    const TREE: TreeId = TreeId::Lease;
    type Key = (String, String);
    type Value = KeyLease;
}

/// Space and key to the name of the lease that holds it.
pub enum LeaseKeyTree {}
impl Schema for LeaseKeyTree {
    const TREE: TreeId = TreeId::LeaseKey;
    type Key = (String, Tail);
    type Value = String;
}

/// All leases over keys.
#[derive(Clone)]
pub struct KeyLeases {
    store: Arc<Store>,
    clock: Arc<dyn Clock>,
}

impl KeyLeases {
    /// The leases kept in `store`.
    pub fn new(store: Arc<Store>, clock: Arc<dyn Clock>) -> KeyLeases {
        KeyLeases { store, clock }
    }

    /// Leases `keys` to `holder` for `hold`, all or none. Durable when it returns.
    pub fn create(
        &self,
        space: &str,
        id: &str,
        holder: &str,
        keys: Vec<Vec<u8>>,
        hold: Duration,
    ) -> Result<KeyLease, Error> {
        let now = self.clock.now();
        let lease = KeyLease {
            id: id.to_owned(),
            space: space.to_owned(),
            holder: holder.to_owned(),
            keys,
            created: now,
            expires: now.after(hold),
            renewals: 0,
        };
        self.store.commit(|tx| grant(tx, &lease))?;
        Ok(lease)
    }

    /// Extends a live lease to `hold` from now; `None` when it is not (or no longer) there.
    pub fn extend(&self, space: &str, id: &str, hold: Duration) -> Result<Option<KeyLease>, Error> {
        let now = self.clock.now();
        self.store.commit(|tx| {
            let name = (space.to_owned(), id.to_owned());
            let Some(mut lease) = tx.get::<LeaseTree>(&name)?.filter(|it| it.expires > now) else {
                return Ok(None);
            };
            lease.expires = lease.expires.max(now.after(hold));
            lease.renewals = lease.renewals.saturating_add(1);
            tx.put::<LeaseTree>(&name, &lease)?;
            Ok(Some(lease))
        })
    }

    /// Ends a lease and frees its keys; `None` when it was not there.
    pub fn revoke(&self, space: &str, id: &str) -> Result<Option<KeyLease>, Error> {
        self.store.commit(|tx| {
            let found = tx.get::<LeaseTree>(&(space.to_owned(), id.to_owned()))?;
            if let Some(lease) = &found {
                remove(tx, lease);
            }
            Ok(found)
        })
    }

    /// Removes expired leases of a space, `limit` at most, and returns them.
    pub fn expire(&self, space: &str, limit: usize) -> Result<Vec<KeyLease>, Error> {
        let now = self.clock.now();
        let mut expired = Vec::new();
        let mut after = None;
        while expired.len() < limit {
            let page = self.list(space, after.as_deref(), 500)?;
            let Some(last) = page.last() else { break };
            after = Some(last.id.clone());
            expired.extend(page.into_iter().filter(|lease| lease.expires <= now));
        }
        expired.truncate(limit);
        self.store.commit(|tx| {
            let mut removed = Vec::new();
            for lease in expired {
                let name = (lease.space.clone(), lease.id.clone());
                // Extended since it was listed? Then it lives.
                if tx.get::<LeaseTree>(&name)?.is_some_and(|it| it.expires <= now) {
                    remove(tx, &lease);
                    removed.push(lease);
                }
            }
            Ok(removed)
        })
    }

    /// One lease, live or expired.
    pub fn get(&self, space: &str, id: &str) -> Result<Option<KeyLease>, Error> {
        self.store.get::<LeaseTree>(&(space.to_owned(), id.to_owned()))
    }

    /// Whether a live lease holds `key`, and which.
    pub fn holder(&self, space: &str, key: &[u8]) -> Result<Option<KeyLease>, Error> {
        let key = (space.to_owned(), Tail(key.to_vec()));
        let Some(id) = self.store.get::<LeaseKeyTree>(&key)? else { return Ok(None) };
        let now = self.clock.now();
        Ok(self.get(space, &id)?.filter(|lease| lease.expires > now))
    }

    /// Leases of a space by name, from behind `after` on.
    pub fn list(
        &self,
        space: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<KeyLease>, Error> {
        let mut range = Range::<LeaseTree>::prefix(&space.to_owned());
        if let Some(after) = after {
            range = range.after(&(space.to_owned(), after.to_owned()));
        }
        Ok(self.store.scan(range, limit)?.into_iter().map(|(_, lease)| lease).collect())
    }
}

/// Makes a lease within a transaction that does more.
pub(super) fn grant(tx: &mut Tx<'_>, lease: &KeyLease) -> Result<(), Error> {
    check_name("the lease's space", &lease.space)?;
    check_name("the lease's name", &lease.id)?;
    let keys = &lease.keys;
    if keys.is_empty() || keys.len() > KEYS_LIMIT || keys.iter().any(|key| key.len() > KEY_LIMIT) {
        let problem = format!("must have 1 to {KEYS_LIMIT} keys of up to {KEY_LIMIT} bytes");
        return Err(Error::Malformed { what: "a lease", problem });
    }
    let name = (lease.space.clone(), lease.id.clone());
    if tx.get::<LeaseTree>(&name)?.is_some() {
        let problem = format!("{:?} is taken", lease.id);
        return Err(Error::Malformed { what: "the lease's name", problem });
    }
    for key in keys {
        clear_way(tx, &lease.space, key, lease.created)?;
        tx.put::<LeaseKeyTree>(&(lease.space.clone(), Tail(key.clone())), &lease.id)?;
    }
    tx.put::<LeaseTree>(&name, lease)
}

/// Refuses when a live lease holds `key`; puts an expired one aside whole.
fn clear_way(tx: &mut Tx<'_>, space: &str, key: &[u8], now: Timestamp) -> Result<(), Error> {
    let place = (space.to_owned(), Tail(key.to_vec()));
    let Some(id) = tx.get::<LeaseKeyTree>(&place)? else { return Ok(()) };
    match tx.get::<LeaseTree>(&(space.to_owned(), id))? {
        Some(other) if other.expires > now => Err(Error::Overlap {
            key: String::from_utf8_lossy(key).into_owned(),
            holder: other.holder,
            until: other.expires,
        }),
        Some(other) => {
            remove(tx, &other);
            Ok(())
        }
        None => Ok(()),
    }
}

/// Ends a lease within a transaction that does more.
pub(super) fn remove(tx: &mut Tx<'_>, lease: &KeyLease) {
    for key in &lease.keys {
        tx.remove::<LeaseKeyTree>(&(lease.space.clone(), Tail(key.clone())));
    }
    tx.remove::<LeaseTree>(&(lease.space.clone(), lease.id.clone()));
}
