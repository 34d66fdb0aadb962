//! Takes files out of every version of an object: their bytes, and every mention in inventories.
//!
//! The order is: inventories of earlier versions, that of the newest version with its sidecar, the
//! root inventory, the root sidecar, then the bytes. The root inventory is the step that counts:
//! before it readers see the object as it was, after it without the files, and at no instant a file
//! whose bytes are gone. In between it is vouched for by the sidecar of the newest version, as it is
//! while a version is sealed. A repetition after a crash makes the same inventories again and finds
//! what is left to do, because it is told where the bytes lay.
//!
//! OCFL has no single step for this: from the first inventory to the last sidecar a validator may
//! find that versions and root tell different things, or a sidecar that is not its inventory's. When
//! it is done, the object is valid. An object that was deleted whole stays as its versions without
//! any file; what we say about it stays in `logs/`.
//!
//! Bytes that a file which stays shares are kept, where they lie.

use std::collections::HashSet;

use super::address::{CORNER, ObjectId};
use super::error::VaultError;
use super::inventory::{Built, Expunging, Inventory, Remainder};
use super::replica::Replica;

/// What was taken out of one replica.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Expunged {
    /// Files of bytes.
    pub content_count: u64,
    pub size_bytes: u64,
}

impl Replica {
    /// Takes files out of an object, durably. Not being there is fine: repeating it changes nothing.
    /// `checkpoint` is asked between any two steps.
    pub fn expunge<E: From<VaultError>>(
        &self,
        object: &ObjectId,
        going: &Expunging<'_>,
        checkpoint: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Expunged, E> {
        self.present()?;
        // What is on its way would bring the bytes back; whoever calls has seen that nobody works.
        self.medium.abandon(object)?;
        let Some((newest, _)) = self.root_inventory(object)? else {
            self.clear_set_aside(object)?;
            return Ok(Expunged::default());
        };
        let remainder = Remainder::of(&newest, going)?;
        for version in 1..newest.head() {
            checkpoint()?;
            self.rewrite(&version_folder(object, version), &mut self.rest(&remainder, version)?)?;
        }
        checkpoint()?;
        let mut built = self.rest(&remainder, newest.head())?;
        self.rewrite(&version_folder(object, newest.head()), &mut built)?;
        self.rewrite(&object.root(), &mut built)?;
        let mut unused = remainder.unused;
        self.add_told(object, going, &mut unused)?;
        let expunged = self.remove_contents(object, going, &unused, checkpoint)?;
        self.clear_set_aside(object)?;
        // Removals are not durable by themselves: after a power cut the bytes could be back.
        self.medium.batch()?.sync()?;
        Ok(expunged)
    }

    /// Requires that nothing of the files is left here: not named, not as bytes, not set aside.
    pub fn require_expunged(
        &self,
        object: &ObjectId,
        going: &Expunging<'_>,
    ) -> Result<(), VaultError> {
        self.present()?;
        let mut unused = HashSet::new();
        if let Some((newest, is_settled)) = self.root_inventory(object)? {
            if !is_settled {
                return Err(self.damaged(format!("the sidecar of `{object}` is not renewed")));
            }
            self.require_unnamed(object, &newest, going)?;
            for version in 1..=newest.head() {
                let inventory = self.version_inventory(object, version)?.ok_or_else(|| {
                    self.damaged(format!("version {version} of `{object}` has no inventory"))
                })?;
                self.require_unnamed(object, &inventory, going)?;
            }
        }
        self.add_told(object, going, &mut unused)?;
        let mut left = None;
        self.each_going(object, going, &unused, &mut |key, _| {
            left = Some(key.to_owned());
            Ok(())
        })?;
        let aside = set_aside(object);
        self.medium.list(&aside, &mut |key, _| {
            left = Some(key.to_owned());
            Ok(())
        })?;
        match left {
            Some(key) => Err(self.damaged(format!("{key} of `{object}` is still there"))),
            None => Ok(()),
        }
    }

    fn require_unnamed(
        &self,
        object: &ObjectId,
        inventory: &Inventory,
        going: &Expunging<'_>,
    ) -> Result<(), VaultError> {
        for version in 1..=inventory.head() {
            inventory.state(version, &mut |path, _| match going.takes(path) {
                true => Err(self.damaged(format!("`{path}` of `{object}` is named in v{version}"))),
                false => Ok(()),
            })?;
        }
        Ok(())
    }

    fn rest(&self, remainder: &Remainder<'_>, version: u32) -> Result<Built, VaultError> {
        remainder.build(version, &self.scratch)
    }

    /// Puts an inventory and then its sidecar, each unless it is there already.
    fn rewrite(&self, folder: &str, built: &mut Built) -> Result<(), VaultError> {
        let there = self.spool(&format!("{folder}/inventory.json"))?;
        if there.is_none_or(|(_, sha512)| sha512 != built.sha512) {
            self.put_inventory(folder, built)?;
        }
        if self.sidecar(folder)? != Some(built.sha512) {
            self.put_sidecar(folder, &built.sha512)?;
        }
        Ok(())
    }

    /// Adds the bytes that the caller knows of and that no inventory names any more.
    fn add_told(
        &self,
        object: &ObjectId,
        going: &Expunging<'_>,
        unused: &mut HashSet<String>,
    ) -> Result<(), VaultError> {
        let Expunging::Files { contents, .. } = going else { return Ok(()) };
        unused.extend(contents.iter().cloned());
        let Some((newest, _)) = self.root_inventory(object)? else { return Ok(()) };
        newest.contents(&mut |path, _| {
            unused.remove(path);
            Ok(())
        })
    }

    fn remove_contents<E: From<VaultError>>(
        &self,
        object: &ObjectId,
        going: &Expunging<'_>,
        unused: &HashSet<String>,
        checkpoint: &mut dyn FnMut() -> Result<(), E>,
    ) -> Result<Expunged, E> {
        let mut expunged = Expunged::default();
        let mut keys = Vec::new();
        self.each_going(object, going, unused, &mut |key, size_bytes| {
            expunged.content_count += 1;
            expunged.size_bytes += size_bytes;
            keys.push(key.to_owned());
            Ok(())
        })?;
        let root = object.root();
        if matches!(going, Expunging::Whole) {
            let below = |key: &String| {
                let own = key.strip_prefix(&root)?.strip_prefix('/')?;
                let (version, _) = own.split_once('/')?;
                Some(format!("{root}/{version}/content"))
            };
            let folders: HashSet<String> = keys.iter().filter_map(below).collect();
            for folder in folders {
                checkpoint()?;
                self.medium.clear(&folder)?;
            }
        } else {
            for key in &keys {
                checkpoint()?;
                self.medium.remove(key)?;
            }
        }
        self.medium.prune(&root)?;
        Ok(expunged)
    }

    /// Names the bytes of the object that are to go and are there.
    fn each_going(
        &self,
        object: &ObjectId,
        going: &Expunging<'_>,
        unused: &HashSet<String>,
        each: &mut dyn FnMut(&str, u64) -> Result<(), VaultError>,
    ) -> Result<(), VaultError> {
        let root = object.root();
        match going {
            Expunging::Whole => self.medium.list(&root, &mut |key, size_bytes| {
                if content_of(&root, key).is_some() { each(key, size_bytes) } else { Ok(()) }
            }),
            Expunging::Files { .. } => unused.iter().try_for_each(|content| {
                let key = format!("{root}/{content}");
                match self.medium.size_of(&key)? {
                    Some(size_bytes) => each(&key, size_bytes),
                    None => Ok(()),
                }
            }),
        }
    }

    /// Removes everything that was set aside of the object: under whichever name, it may be the bytes
    /// that go, and all of it is damaged or did not belong.
    fn clear_set_aside(&self, object: &ObjectId) -> Result<(), VaultError> {
        self.medium.clear(&set_aside(object))
    }
}

fn version_folder(object: &ObjectId, version: u32) -> String {
    format!("{}/v{version}", object.root())
}

/// Where damaged bytes of an object are kept: `<moment>/<content path>` below it.
fn set_aside(object: &ObjectId) -> String {
    format!("{CORNER}/set-aside/{}", object.hash())
}

/// The content path of a key below an object, if it is one.
fn content_of<'k>(root: &str, key: &'k str) -> Option<&'k str> {
    let own = key.strip_prefix(root)?.strip_prefix('/')?;
    let (version, rest) = own.split_once('/')?;
    let number = version.strip_prefix('v')?;
    let is_version = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
    (is_version && rest.starts_with("content/")).then_some(own)
}
