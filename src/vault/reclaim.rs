//! Clears up after an ingest that was given up.
//!
//! A draft that never became a version is removed. A version that was complete when the process
//! died is completed, never removed: its inventory and sidecar say that all of its content is
//! durable, and bytes that might be the only copy of something are not deleted on a guess. Where
//! neither the root nor any version can be trusted, nothing is touched and the damage is told.

use super::address::ObjectId;
use super::error::VaultError;
use super::replica::Replica;
use super::seal::duplicate;

/// What became of a draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reclaimed {
    /// No version but the sealed ones is left.
    Removed,
    /// The version was whole and is now sealed; the caller records it or asks a person.
    Completed(u32),
}

impl Replica {
    /// Removes the drafts of an object and brings it into a state that validators accept.
    pub fn reclaim(&self, object: &ObjectId) -> Result<Reclaimed, VaultError> {
        self.present()?;
        let head = self.root_inventory(object)?;
        let sealed = head.as_ref().map_or(0, |(inventory, _)| inventory.head());
        if self.version_inventory(object, sealed + 1)?.is_some() {
            return self.complete(object, sealed + 1);
        }
        if let Some((inventory, false)) = &head {
            self.put_sidecar(&object.root(), inventory.sha512())?;
        }
        if let Some(torn) = self.torn_version(object, sealed + 1)? {
            self.medium.remove(&torn)?;
        }
        self.medium.abandon(object)?;
        Ok(Reclaimed::Removed)
    }

    fn complete(&self, object: &ObjectId, version: u32) -> Result<Reclaimed, VaultError> {
        let root = object.root();
        let Some(inventory) = self.version_inventory(object, version)? else {
            return Err(self.damaged(format!("version {version} of `{object}` changes while read")));
        };
        if inventory.id() != object.as_str() || inventory.head() != version {
            let what = format!("version {version} of `{object}` holds another inventory");
            return Err(self.damaged(what));
        }
        if version == 1 {
            self.declare(&root)?;
        }
        self.put_sidecar(&root, inventory.sha512())?;
        let from = format!("{root}/v{version}/inventory.json");
        duplicate(self, &from, &format!("{root}/inventory.json"))?;
        self.medium.abandon(object)?;
        Ok(Reclaimed::Completed(version))
    }

    /// The folder of a version that was only half written, if there is one. Only a medium where
    /// drafts grow in place can have it; there, the first version comes with the whole object.
    /// Anything else that no inventory names is damage and stays for a person.
    fn torn_version(&self, object: &ObjectId, version: u32) -> Result<Option<String>, VaultError> {
        let root = object.root();
        let above = if version == 1 { root.clone() } else { format!("{root}/v{version}") };
        let in_place = self.medium.draft_root(object) == root;
        let (content, inventory) =
            (format!("{root}/v{version}/content/"), format!("{root}/v{version}/inventory.json"));
        let mut witness = None;
        self.medium.list(&above, &mut |key, _| {
            let is_torn = in_place && (key.starts_with(&content) || key == inventory);
            if !is_torn && !key.ends_with("/0=ocfl_object_1.1") {
                witness = Some(key.to_owned());
            }
            Ok(())
        })?;
        match witness {
            None if in_place || version == 1 => Ok(Some(above)),
            None => Ok(None),
            Some(key) => {
                let what = format!("`{object}` has no inventory that vouches for {key}");
                Err(self.damaged(what))
            }
        }
    }
}
