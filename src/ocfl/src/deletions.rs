//! What was deleted, beside what was not: `logs/` holds a record of every deletion, written before
//! the first byte goes, so that a registry that is made again from any one replica knows what is gone
//! and on whose word.
//!
//! A record lies at `logs/deletion-<name>.json` with its sha512 beside it, as a chronicle does; a
//! record without it was never finished, and nothing was deleted by it.

use digests::{Algorithm, AlgorithmSet, Hasher};

use super::address::{ObjectId, Sha512, hex, sha512_of, unhex};
use super::error::VaultError;
use super::replica::Replica;

/// How the names of records begin.
const PREFIX: &str = "deletion-";

/// Bytes of a record; it names one file, or none.
const RECORD_LEN_MAX: usize = 64 << 10;

impl Replica {
    /// Writes the record of a deletion, durably, unless it is there. An object that is not here gets
    /// none. The name is a UUID, or two with a hyphen.
    pub fn put_deletion(
        &self,
        object: &ObjectId,
        name: &str,
        text: &str,
    ) -> Result<(), VaultError> {
        self.present()?;
        if text.len() > RECORD_LEN_MAX || !name.bytes().all(is_plain) {
            return Err(VaultError::Refused {
                what: format!("a record of a deletion of {object}"),
            });
        }
        if self.root_inventory(object)?.is_none()
            || self.deletion(object, name)?.is_some_and(|there| there == text)
        {
            return Ok(());
        }
        let key = key(object, name);
        let sidecar = format!("{} {PREFIX}{name}.json\n", hex(&digest(text.as_bytes())));
        self.put_small(&key, text.as_bytes())?;
        self.put_small(&format!("{key}.sha512"), sidecar.as_bytes())
    }

    /// The record of a deletion, compared with its digest; none if it was never finished.
    pub fn deletion(&self, object: &ObjectId, name: &str) -> Result<Option<String>, VaultError> {
        let key = key(object, name);
        let Some(sidecar) = self.read_small(&format!("{key}.sha512"))? else { return Ok(None) };
        let sidecar = String::from_utf8_lossy(&sidecar).into_owned();
        let promised: Option<Sha512> = sidecar.split_whitespace().next().and_then(unhex);
        let text = self.read_small(&key)?.unwrap_or_default();
        if promised != Some(digest(&text)) {
            return Err(self.damaged(format!("the record {key} differs from its sidecar")));
        }
        let text = String::from_utf8(text);
        text.map(Some).map_err(|_| self.damaged(format!("the record {key} is no text")))
    }

    /// The names of all records of deletions that were finished, in order.
    pub fn deletions(&self, object: &ObjectId) -> Result<Vec<String>, VaultError> {
        let logs = format!("{}/logs", object.root());
        let mut names = Vec::new();
        self.medium.list(&logs, &mut |key, _| {
            names.extend(finished(key.rsplit('/').next().unwrap_or_default()).map(str::to_owned));
            Ok(())
        })?;
        names.sort_unstable();
        Ok(names)
    }
}

/// The name of the record that a sidecar in `logs/` vouches for.
fn finished(file: &str) -> Option<&str> {
    file.strip_prefix(PREFIX)?.strip_suffix(".json.sha512")
}

/// Whether a path in an object is that of a record of a deletion, or of its sidecar.
pub(super) fn is_deletion_record(path: &str) -> bool {
    let file = path.strip_prefix("logs/").unwrap_or_default();
    let name = file.strip_suffix(".sha512").unwrap_or(file);
    let name = name.strip_suffix(".json").and_then(|name| name.strip_prefix(PREFIX));
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(is_plain))
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_hexdigit() || byte == b'-'
}

/// Where a record lies in its object.
pub(super) fn deletion_path(name: &str) -> String {
    format!("logs/{PREFIX}{name}.json")
}

fn key(object: &ObjectId, name: &str) -> String {
    format!("{}/{}", object.root(), deletion_path(name))
}

fn digest(bytes: &[u8]) -> Sha512 {
    let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
    hasher.update(bytes);
    sha512_of(&hasher.finish()).unwrap_or([0; 64])
}
