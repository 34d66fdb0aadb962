//! Clears up after an ingest that was given up.
//!
//! What the registry has recorded is preserved; whatever of an object is above that is the rest of
//! an ingest that never came to its end, and its deposit is still where it was received. It is
//! removed, drafts and sealed versions alike. But a version whose chronicle lies beside it was
//! recorded once: then it is the registry that is behind, and nothing is touched. Where neither the
//! root nor any version can be trusted, nothing is touched either, and the damage is told.

use super::address::ObjectId;
use super::error::VaultError;
use super::records::chronicle_key;
use super::replica::Replica;
use super::seal::duplicate;

impl Replica {
    /// Removes everything above the recorded version and brings the object into a state that
    /// validators accept. Zero removes an object that was never recorded.
    pub fn reclaim(&self, object: &ObjectId, recorded: u32) -> Result<(), VaultError> {
        self.present()?;
        let head = self.root_inventory(object)?;
        let sealed = head.as_ref().map_or(0, |(inventory, _)| inventory.head());
        let mut top = sealed.max(recorded);
        while self.version_inventory(object, top.saturating_add(1))?.is_some() {
            top = top.saturating_add(1);
        }
        for version in recorded.saturating_add(1)..=top {
            if self.has_chronicle(object, version)? {
                let what = format!("version {version} of `{object}` with its record");
                return Err(VaultError::Ahead { replica: self.name().to_owned(), what });
            }
        }
        match &head {
            Some(_) if sealed > recorded => self.show(object, recorded)?,
            Some((inventory, false)) => self.put_sidecar(&object.root(), inventory.sha512())?,
            _ => {}
        }
        self.clear_torn(object, top.saturating_add(1))?;
        for version in (recorded.saturating_add(1)..=top).rev() {
            self.medium.remove(&chronicle_key(object, version))?;
            self.medium.clear(&format!("{}/v{version}", object.root()))?;
        }
        self.clear_torn(object, recorded.saturating_add(1))?;
        self.medium.abandon(object)
    }

    fn clear_torn(&self, object: &ObjectId, version: u32) -> Result<(), VaultError> {
        match self.torn_version(object, version)? {
            Some(torn) => self.medium.clear(&torn),
            None => Ok(()),
        }
    }

    /// Takes readers back to an earlier version; zero hides the object.
    fn show(&self, object: &ObjectId, version: u32) -> Result<(), VaultError> {
        let root = object.root();
        if version == 0 {
            // The inventory first: without it nothing below is seen.
            return self.medium.remove(&format!("{root}/inventory.json"));
        }
        let Some(inventory) = self.version_inventory(object, version)? else {
            return Err(self.damaged(format!("version {version} of `{object}` has no inventory")));
        };
        self.put_sidecar(&root, inventory.sha512())?;
        duplicate(
            self,
            &format!("{root}/v{version}/inventory.json"),
            &format!("{root}/inventory.json"),
        )
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
        let is_frame = |key: &str| {
            let own = key.strip_prefix(&root).unwrap_or(key);
            ["/0=ocfl_object_1.1", "/inventory.json.sha512"].contains(&own) && version == 1
        };
        let mut witness = None;
        self.medium.list(&above, &mut |key, _| {
            let is_torn = in_place && (key.starts_with(&content) || key == inventory);
            if !is_torn && !is_frame(key) {
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
