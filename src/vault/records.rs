//! What we say about an object, beside it: `logs/` holds the registry's record and the events, so
//! that a registry can be rebuilt from any one replica.
//!
//! OCFL leaves `logs/` to us: no inventory names it, and writing to it makes no version. Each write
//! replaces a whole file, so a reader never sees half a record.

use super::address::ObjectId;
use super::error::VaultError;
use super::replica::Replica;

impl Replica {
    /// Writes or replaces one record of a sealed object.
    pub fn put_record(
        &self,
        object: &ObjectId,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), VaultError> {
        let key = self.record_key(object, name)?;
        self.present()?;
        // Without this a record could make a folder that is no object.
        if self.medium.open(&format!("{}/0=ocfl_object_1.1", object.root()))?.is_none() {
            let what = format!("the object `{object}`");
            return Err(VaultError::NotFound { replica: self.name().to_owned(), what });
        }
        self.put_small(&key, bytes)
    }

    /// Adds one line to a record; a line that is already there is not added again.
    pub fn add_to_record(
        &self,
        object: &ObjectId,
        name: &str,
        line: &str,
    ) -> Result<(), VaultError> {
        let mut bytes = self.record(object, name)?.unwrap_or_default();
        if bytes.split(|byte| *byte == b'\n').any(|known| known == line.as_bytes()) {
            return Ok(());
        }
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        self.put_record(object, name, &bytes)
    }

    /// One record, if there is one.
    pub fn record(&self, object: &ObjectId, name: &str) -> Result<Option<Vec<u8>>, VaultError> {
        self.read_small(&self.record_key(object, name)?)
    }

    fn record_key(&self, object: &ObjectId, name: &str) -> Result<String, VaultError> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if name.is_empty()
            || name.len() > 200
            || !name.chars().all(is_plain)
            || name.starts_with('.')
        {
            return Err(VaultError::Refused { what: format!("`{name}` is no name of a record") });
        }
        Ok(format!("{}/logs/{name}", object.root()))
    }
}
