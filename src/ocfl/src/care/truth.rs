//! Which inventory of an object is true.
//!
//! A sidecar vouches for bytes, not for their being the latest: an older inventory that came back
//! with its sidecar is in order by itself. So whoever knows what is held says which version must be
//! the head, and whether an inventory names what it knows. Of those that pass, the one counts that
//! most copies and sidecars speak for, over all replicas: it is found wherever it is left.

use std::hash::{BuildHasher, RandomState};

use super::super::address::{ObjectId, Sha512, unhex};
use super::super::deletions::{deletion_path, is_deletion_record};
use super::super::error::VaultError;
use super::super::inventory::Inventory;
use super::super::replica::Replica;
use super::flaw::{Part, sidecar_text};
use super::reading::Seen;
use super::votes::Votes;

/// The true inventory of an object, and where all its copies are.
pub struct Truth<'t> {
    object: ObjectId,
    pub(super) inventory: Inventory,
    /// The replica that held it.
    pub(super) from: String,
    replicas: Vec<&'t Replica>,
    hashing: RandomState,
}

/// Says whether an inventory names what is known to be held, and nothing else: one from before a
/// deletion names more.
pub type Confirm<'c> = &'c mut dyn FnMut(&Inventory) -> Result<bool, VaultError>;

/// What a set of paths with their digests comes to, in any order.
type Fingerprint = (u64, u64);

/// Calls what it is given with every path and its digest.
type Walk<'w> =
    &'w dyn Fn(&mut dyn FnMut(&str, &Sha512) -> Result<(), VaultError>) -> Result<(), VaultError>;

impl<'t> Truth<'t> {
    /// Looks for the inventory of the sealed version in the root and in the version's own folder of
    /// every replica; none if no replica holds one that can be believed. The first replica is asked
    /// first, and alone if it is in order.
    pub fn find(
        object: &ObjectId,
        sealed: u32,
        replicas: &[&'t Replica],
        confirm: Confirm<'_>,
    ) -> Result<Option<Truth<'t>>, VaultError> {
        let mut search = Search { object, sealed, confirm, votes: Votes::default(), good: vec![] };
        for replica in replicas {
            if let Some(sha512) = search.ask(replica)? {
                return Ok(search.conclude(sha512, replicas));
            }
        }
        let winner = search.votes.winner();
        Ok(winner.and_then(|sha512| search.conclude(sha512, replicas)))
    }

    pub fn object(&self) -> &ObjectId {
        &self.object
    }

    pub fn sealed(&self) -> u32 {
        self.inventory.head()
    }

    pub fn inventory(&self) -> &Inventory {
        &self.inventory
    }

    /// What the inventory of an earlier version must be, by all replicas; it must agree with the
    /// true one, which tells that version as well.
    pub(super) fn earlier(&self, version: u32) -> Result<Option<Sha512>, VaultError> {
        let is_good = |replica: &Replica| self.agrees(replica, version);
        self.elect(&Part::Inventory(version).path(), &is_good)
    }

    /// What a record at a path must be, by all replicas.
    pub(super) fn record(&self, path: &str) -> Result<Option<Sha512>, VaultError> {
        self.elect(path, &|_| Ok(true))
    }

    /// Where records of deletions lie that some replica has finished.
    pub(super) fn deletions(&self) -> Result<Vec<String>, VaultError> {
        let mut paths = Vec::new();
        for replica in &self.replicas {
            for name in replica.deletions(&self.object)? {
                let path = deletion_path(&name);
                let is_ours = is_deletion_record(&path);
                if is_ours && replica.vouched(&self.object, &format!("{path}.sha512"))?.is_some() {
                    paths.push(path);
                }
            }
        }
        paths.sort_unstable();
        paths.dedup();
        Ok(paths)
    }

    fn elect(
        &self,
        path: &str,
        is_good: &dyn Fn(&Replica) -> Result<bool, VaultError>,
    ) -> Result<Option<Sha512>, VaultError> {
        let mut votes = Votes::default();
        let (key, sidecar) = (format!("{}/{path}", self.object.root()), format!("{path}.sha512"));
        for replica in &self.replicas {
            if let Seen::Whole { sha512, .. } = replica.see(&key, &mut |_| Ok(()))? {
                match is_good(replica)? {
                    true => votes.copy(sha512),
                    false => votes.dismiss(sha512),
                }
            }
            if let Some(sha512) = replica.vouched(&self.object, &sidecar)? {
                votes.sidecar(sha512);
            }
        }
        Ok(votes.winner())
    }

    /// Whether the inventory of an earlier version, as a replica holds it, says of that version what
    /// the true one says.
    pub(super) fn agrees(&self, replica: &Replica, version: u32) -> Result<bool, VaultError> {
        let key = format!("{}/{}", self.object.root(), Part::Inventory(version).path());
        let spooled = match replica.spool(&key) {
            Ok(spooled) => spooled,
            Err(error) => return replica.at_fault(error).map(|_| false),
        };
        let Some((file, sha512)) = spooled else { return Ok(false) };
        let Some(earlier) = readable(Inventory::open(replica.name(), file, sha512))? else {
            return Ok(false);
        };
        if earlier.id() != self.object.as_str() || earlier.head() != version {
            return Ok(false);
        }
        let state = readable(self.fingerprint(&|each| earlier.state(version, each)))?;
        let contents = readable(self.fingerprint(&|each| earlier.contents(each)))?;
        let true_state = self.fingerprint(&|each| self.inventory.state(version, each))?;
        let true_contents = self.fingerprint(&|each| {
            self.inventory.contents(&mut |path, sha512| match version_of(path) <= version {
                true => each(path, sha512),
                false => Ok(()),
            })
        })?;
        Ok(state == Some(true_state) && contents == Some(true_contents))
    }

    fn fingerprint(&self, walk: Walk<'_>) -> Result<Fingerprint, VaultError> {
        let (mut count, mut sum) = (0_u64, 0_u64);
        walk(&mut |path, sha512| {
            count = count.wrapping_add(1);
            sum = sum.wrapping_add(self.hashing.hash_one((path, sha512)));
            Ok(())
        })?;
        Ok((count, sum))
    }
}

/// The version that a content path lies in; the last of all for one that lies nowhere.
fn version_of(path: &str) -> u32 {
    let version = path.split('/').next().and_then(|folder| folder.strip_prefix('v'));
    version.and_then(|number| number.parse().ok()).unwrap_or(u32::MAX)
}

/// Nothing for an inventory that is damaged; other trouble stays trouble.
fn readable<T>(read: Result<T, VaultError>) -> Result<Option<T>, VaultError> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(VaultError::Damaged { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

struct Search<'s> {
    object: &'s ObjectId,
    sealed: u32,
    confirm: Confirm<'s>,
    votes: Votes,
    /// Each inventory that passed, once.
    good: Vec<(Inventory, String)>,
}

impl Search<'_> {
    /// Hears what one replica has; ends the search with a digest if copy and sidecar are in order.
    fn ask(&mut self, replica: &Replica) -> Result<Option<Sha512>, VaultError> {
        let mut vouched = Vec::new();
        for sidecar in [Part::RootSidecar, Part::Sidecar(self.sealed)] {
            if let Some(sha512) = replica.vouched(self.object, &sidecar.path())? {
                self.votes.sidecar(sha512);
                vouched.push(sha512);
            }
        }
        for part in [Part::RootInventory, Part::Inventory(self.sealed)] {
            let key = format!("{}/{}", self.object.root(), part.path());
            let (file, sha512) = match replica.spool(&key) {
                Ok(Some(spooled)) => spooled,
                Ok(None) => continue,
                Err(error) => {
                    replica.at_fault(error)?;
                    continue;
                }
            };
            let is_known = self.good.iter().any(|(good, _)| *good.sha512() == sha512);
            if !is_known {
                match readable(Inventory::open(replica.name(), file, sha512))? {
                    Some(inventory) if self.passes(&inventory)? => {
                        self.good.push((inventory, replica.name().to_owned()));
                    }
                    Some(_) | None => {
                        self.votes.dismiss(sha512);
                        continue;
                    }
                }
            }
            self.votes.copy(sha512);
            if vouched.contains(&sha512) {
                return Ok(Some(sha512));
            }
        }
        Ok(None)
    }

    fn passes(&mut self, inventory: &Inventory) -> Result<bool, VaultError> {
        let is_ours = inventory.id() == self.object.as_str() && inventory.head() == self.sealed;
        Ok(is_ours && readable((self.confirm)(inventory))?.unwrap_or(false))
    }

    fn conclude<'t>(self, sha512: Sha512, replicas: &[&'t Replica]) -> Option<Truth<'t>> {
        let object = self.object.clone();
        let mut good = self.good.into_iter();
        let (inventory, from) = good.find(|(inventory, _)| *inventory.sha512() == sha512)?;
        let hashing = RandomState::new();
        Some(Truth { object, inventory, from, replicas: replicas.to_vec(), hashing })
    }
}

impl Replica {
    /// The digest that a sidecar vouches for, if the sidecar is as we write it.
    fn vouched(&self, object: &ObjectId, sidecar: &str) -> Result<Option<Sha512>, VaultError> {
        let key = format!("{}/{sidecar}", object.root());
        let bytes = self.read_small_if_readable(&key)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        let sha512: Option<Sha512> = text.split_whitespace().next().and_then(unhex);
        Ok(sha512.filter(|sha512| sidecar_text(sidecar, sha512) == text))
    }
}
