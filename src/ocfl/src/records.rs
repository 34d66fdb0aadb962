//! What we say about a version, beside it: `logs/` holds the chronicle of each version, so that a
//! registry can be made again from any one replica.
//!
//! OCFL leaves `logs/` to us: no inventory names it, and writing to it makes no version. Beside each
//! chronicle lies its sha512, in the form of OCFL's own sidecars and of `sha512sum`; it is written
//! last, so that a chronicle without it is one that was never finished.

use std::fs::File;
use std::io::{Read, Seek};

use super::address::{CORNER, ObjectId, Sha512, hex, unhex};
use super::error::VaultError;
use super::inventory::Inventory;
use super::media::Upload;
use super::replica::Replica;

/// How an object is told from everything else in a storage root.
const DECLARATION: &str = "/0=ocfl_object_1.1";

impl Replica {
    /// Writes or replaces the chronicle of a sealed version.
    pub fn put_chronicle(
        &self,
        object: &ObjectId,
        version: u32,
        source: &mut (dyn Read + Send),
        (size_bytes, sha512): (u64, &Sha512),
    ) -> Result<(), VaultError> {
        self.present()?;
        // Without this a record could make a folder that is no object.
        if self.medium.open(&format!("{}{DECLARATION}", object.root()))?.is_none() {
            let what = format!("the object `{object}`");
            return Err(VaultError::NotFound { replica: self.name().to_owned(), what });
        }
        let key = chronicle_key(object, version);
        self.medium.put(&key, Upload { source, size_bytes })?;
        let line = format!("{} v{version}.jsonl\n", hex(sha512));
        self.put_small(&format!("{key}.sha512"), line.as_bytes())
    }

    /// The chronicle of a version, copied to this machine and compared with its digest; `None` if
    /// it was never finished.
    pub fn chronicle(&self, object: &ObjectId, version: u32) -> Result<Option<File>, VaultError> {
        let key = chronicle_key(object, version);
        if !self.has_chronicle(object, version)? {
            return Ok(None);
        }
        let text = self.read_small(&format!("{key}.sha512"))?.unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let promised: Option<Sha512> = text.split_whitespace().next().and_then(unhex);
        match self.spool(&key)? {
            Some((mut file, sha512)) if Some(sha512) == promised => {
                let failed =
                    |source| VaultError::Scratch { what: "reading a record".into(), source };
                file.rewind().map_err(failed)?;
                Ok(Some(file))
            }
            Some(_) => Err(self.damaged(format!("the record {key} differs from its sidecar"))),
            None => Err(self.damaged(format!("the record {key} is gone, its sidecar is not"))),
        }
    }

    /// Whether the chronicle of a version was finished here.
    pub fn has_chronicle(&self, object: &ObjectId, version: u32) -> Result<bool, VaultError> {
        let key = format!("{}.sha512", chronicle_key(object, version));
        Ok(self.medium.open(&key)?.is_some())
    }

    /// Calls `each` with the id and the sealed version of every object here, in no order; zero for
    /// one that is not sealed yet. An object that cannot be read is told as damage, and the walk
    /// goes on.
    pub fn each_object<E: From<VaultError>>(
        &self,
        each: &mut dyn FnMut(Result<(ObjectId, u32), VaultError>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.present()?;
        let mut stopped = None;
        let walked = self.medium.list("", &mut |key, _| {
            let root = key.strip_suffix(DECLARATION).filter(|root| !root.starts_with(CORNER));
            let Some(root) = root else { return Ok(()) };
            let found = match self.object_at(root) {
                Err(error) if !matches!(error, VaultError::Damaged { .. }) => return Err(error),
                found => found,
            };
            each(found).map_err(|error| {
                stopped = Some(error);
                VaultError::Refused { what: "the walk was ended".into() }
            })
        });
        match stopped {
            Some(error) => Err(error),
            None => Ok(walked?),
        }
    }

    /// The object in this folder, by the root's inventory or that of its first version.
    fn object_at(&self, root: &str) -> Result<(ObjectId, u32), VaultError> {
        let unnamed = || self.damaged(format!("{root} holds an object without inventory"));
        let folders = [root.to_owned(), format!("{root}/v1")];
        let mut found =
            folders.iter().map(|folder| self.spool(&format!("{folder}/inventory.json")));
        let (file, sha512) = found.find_map(Result::transpose).ok_or_else(unnamed)??;
        let id = ObjectId::new(Inventory::open(self.name(), file, sha512)?.id());
        if id.root() != root {
            return Err(self.damaged(format!("{root} holds `{id}`, which belongs elsewhere")));
        }
        let sealed = self.root_inventory(&id)?.map_or(0, |(inventory, _)| inventory.head());
        Ok((id, sealed))
    }
}

/// Where the chronicle of a version lies.
pub(super) fn chronicle_key(object: &ObjectId, version: u32) -> String {
    format!("{}/logs/v{version}.jsonl", object.root())
}
