//! What processes that died left on a medium and what no version will ever name: drafts and uploads
//! of objects that nobody works on, and files that were not finished.

use std::collections::BTreeSet;

use super::address::ObjectId;
use super::error::VaultError;
use super::replica::Replica;

/// Stands for an object in the names of its drafts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DraftName(String);

impl DraftName {
    pub fn of(object: &ObjectId) -> DraftName {
        DraftName(object.hash())
    }
}

impl Replica {
    /// The objects that a draft was begun for and that is still there, whether somebody works on it
    /// or not.
    pub fn drafts(&self) -> Result<BTreeSet<DraftName>, VaultError> {
        self.present()?;
        Ok(self.medium.unfinished()?.into_iter().map(DraftName).collect())
    }

    /// Removes the draft of an object that nobody works on.
    pub fn remove_draft(&self, name: &DraftName) -> Result<(), VaultError> {
        self.medium.give_up(&name.0)
    }

    /// Removes files that earlier processes did not finish to write; the number of them.
    pub fn remove_unfinished_files(&self) -> Result<u64, VaultError> {
        self.present()?;
        self.medium.remove_parts()
    }
}
