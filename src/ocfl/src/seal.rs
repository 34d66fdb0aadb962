//! Seals a version: from then on readers see it.
//!
//! The order is content, version inventory, version sidecar, (on a folder: the version moves into
//! the object in one rename), root sidecar, root inventory. The root inventory is last, so until
//! that one step readers see the version before; they accept it although the root sidecar is
//! already the new one, because the sidecar in its own version folder vouches for it. A seal that
//! was interrupted anywhere is simply repeated: the inventory comes out the same byte by byte, and
//! each step that is already done is recognised or done again to the same effect.

use std::io::Seek;

use super::address::{ObjectId, Sha512, hex};
use super::error::VaultError;
use super::inventory::{Built, Entries, Inventory, Making, Note, build};
use super::media::Upload;
use super::placement::Draft;
use super::replica::Replica;

/// A version that is to be sealed.
pub struct Sealing<'s> {
    pub draft: Draft<'s>,
    pub note: &'s Note,
    /// All files of the bag, or those that are new or changed: what is not named stays.
    pub entries: &'s Entries,
}

/// A version that readers see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sealed {
    pub version: u32,
    /// Of its inventory; the same in every replica that holds the same history.
    pub inventory_sha512: Sha512,
}

impl Replica {
    /// Seals a version whose content lies in its draft. Repeating it gives the same.
    pub fn seal(&self, sealing: &Sealing<'_>) -> Result<Sealed, VaultError> {
        self.present()?;
        let Sealing { draft: Draft { object, version }, note, entries } = *sealing;
        let base = self.base(object, version)?;
        let making = Making { id: object.as_str(), version, note, base: base.as_ref(), entries };
        let mut built = build(&making, &self.scratch)?;
        let sealed = Sealed { version, inventory_sha512: built.sha512 };
        let head = self.root_inventory(object)?;
        let head_version = head.as_ref().map_or(0, |(inventory, _)| inventory.head());
        if head_version >= version {
            self.require_same(sealing, &built)?;
            if head_version == version && head.is_some_and(|(_, is_settled)| !is_settled) {
                self.put_sidecar(&object.root(), &built.sha512)?;
            }
        } else {
            self.install_version(sealing, &mut built)?;
            self.commit(object, version, &mut built)?;
        }
        self.medium.abandon(object)?;
        Ok(sealed)
    }

    /// The inventory that a version builds on; none for the first.
    pub(super) fn base(
        &self,
        object: &ObjectId,
        version: u32,
    ) -> Result<Option<Inventory>, VaultError> {
        match version {
            0 => Err(VaultError::Refused { what: "versions begin with 1".into() }),
            1 => Ok(None),
            _ => self.version_inventory(object, version - 1)?.map(Some).ok_or_else(|| {
                let (replica, object) = (self.name().to_owned(), object.to_string());
                VaultError::Lacks { replica, object, version: version - 1 }
            }),
        }
    }

    /// Puts the version with its inventory where the object holds its versions.
    fn install_version(&self, sealing: &Sealing<'_>, built: &mut Built) -> Result<(), VaultError> {
        let Draft { object, version } = sealing.draft;
        let (draft, root) = (self.medium.draft_root(object), object.root());
        let (from, place) = (format!("{draft}/v{version}"), format!("{root}/v{version}"));
        let there = self.version_inventory(object, version)?;
        if there.as_ref().is_some_and(|inventory| *inventory.sha512() == built.sha512)
            && self.check_contents(&root, sealing, built).is_ok()
        {
            return Ok(());
        }
        self.check_contents(&draft, sealing, built)?;
        if from == place {
            // A sidecar vouches for nothing while its inventory is being replaced.
            self.medium.remove(&format!("{from}/inventory.json.sha512"))?;
        } else {
            self.clear_unseen(object, version, there.is_some())?;
        }
        self.put_inventory(&from, built)?;
        self.put_sidecar(&from, &built.sha512)?;
        self.medium.install(&from, &place)
    }

    /// Removes what another attempt installed; it was never seen, no root inventory names it. What
    /// is there without an inventory of its own was not put there by a seal, and stays.
    fn clear_unseen(
        &self,
        object: &ObjectId,
        version: u32,
        is_whole: bool,
    ) -> Result<(), VaultError> {
        let place = format!("{}/v{version}", object.root());
        let mut stray = None;
        self.medium.list(&place, &mut |key, _| {
            stray = Some(key.to_owned());
            Ok(())
        })?;
        match stray {
            Some(key) if !is_whole => {
                Err(self.damaged(format!("no inventory of `{object}` vouches for {key}")))
            }
            Some(_) | None => self.medium.clear(&place),
        }
    }

    /// The step that shows the version.
    fn commit(&self, object: &ObjectId, version: u32, built: &mut Built) -> Result<(), VaultError> {
        let root = object.root();
        if version == 1 {
            self.declare(&root)?;
        }
        self.put_sidecar(&root, &built.sha512)?;
        self.put_inventory(&root, built)
    }

    pub(super) fn declare(&self, root: &str) -> Result<(), VaultError> {
        self.put_small(&format!("{root}/0=ocfl_object_1.1"), b"ocfl_object_1.1\n")
    }

    /// Requires that the draft holds what the inventory names, and nothing else.
    fn check_contents(
        &self,
        above: &str,
        sealing: &Sealing<'_>,
        built: &Built,
    ) -> Result<(), VaultError> {
        let entries = sealing.entries;
        let mut missing = built.fresh.clone();
        let mut strays = Vec::new();
        let prefix = format!("{above}/v{}/content", sealing.draft.version);
        self.medium.list(&prefix, &mut |key, size_bytes| {
            let path = key.strip_prefix(above).unwrap_or(key).trim_start_matches('/');
            match entries.holder_of(path, sealing.draft.version) {
                Some(row) if built.fresh[row] && entries.size_bytes(row) == size_bytes => {
                    missing[row] = false;
                }
                Some(row) if built.fresh[row] => {}
                Some(_) | None => strays.push(key.to_owned()),
            }
            Ok(())
        })?;
        if let Some(row) = missing.iter().position(|missing| *missing) {
            let path = entries.content_path(row, sealing.draft.version);
            let what = format!("{path} of `{}` in full", sealing.draft.object);
            return Err(VaultError::NotFound { replica: self.name().to_owned(), what });
        }
        strays.iter().try_for_each(|stray| self.medium.remove(stray))
    }

    /// Requires that a version which is already sealed is this one.
    fn require_same(&self, sealing: &Sealing<'_>, built: &Built) -> Result<(), VaultError> {
        let folder = format!("{}/v{}", sealing.draft.object.root(), sealing.draft.version);
        if self.sidecar(&folder)? == Some(built.sha512) {
            return Ok(());
        }
        let what = format!("version {} of `{}`", sealing.draft.version, sealing.draft.object);
        Err(VaultError::Conflict { replica: self.name().to_owned(), what })
    }

    pub(super) fn put_inventory(&self, folder: &str, built: &mut Built) -> Result<(), VaultError> {
        let failed = |source| VaultError::Scratch { what: "reading an inventory".into(), source };
        built.file.rewind().map_err(failed)?;
        let upload = Upload { source: &mut built.file, size_bytes: built.size_bytes };
        self.medium.put(&format!("{folder}/inventory.json"), upload)
    }

    pub(super) fn put_sidecar(&self, folder: &str, sha512: &Sha512) -> Result<(), VaultError> {
        let text = format!("{} inventory.json\n", hex(sha512));
        self.put_small(&format!("{folder}/inventory.json.sha512"), text.as_bytes())
    }
}

/// Copies a file within the replica, whole and durable.
pub(super) fn duplicate(replica: &Replica, from: &str, to: &str) -> Result<(), VaultError> {
    let absent = || VaultError::NotFound { replica: replica.name().to_owned(), what: from.into() };
    let failed = |source| VaultError::Scratch { what: "reading an inventory".into(), source };
    let (mut file, _) = replica.spool(from)?.ok_or_else(absent)?;
    let size_bytes = file.stream_position().map_err(failed)?;
    file.rewind().map_err(failed)?;
    replica.medium.put(to, Upload { source: &mut file, size_bytes })
}
