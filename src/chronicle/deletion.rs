//! The record of a deletion, as it lies beside the chronicles of its object.

use std::collections::{HashMap, HashSet};

use ocfl::{ObjectId, Replica, VaultError};
use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::{DeletionTelling, Registry, ToldDeletion, Uuid, moment};

use super::rebuild::RebuildError;

/// What was deleted, on whose word. Its names are on media for ever: a new one may come, none may
/// change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeletionRecord {
    pub(crate) format: u32,
    /// The request that two people agreed on.
    pub(crate) request: Uuid,
    pub(crate) object: String,
    /// The newest version when it was deleted: what later ones brought is not meant.
    pub(crate) version: u32,
    /// The file; none when the whole object was deleted.
    pub(crate) file: Option<DeletedFile>,
    pub(crate) reason: String,
    pub(crate) requested_by: Person,
    #[serde(with = "moment")]
    pub(crate) requested_at: Timestamp,
    pub(crate) approved_by: Person,
    #[serde(with = "moment")]
    pub(crate) approved_at: Timestamp,
    /// When it was begun.
    #[serde(with = "moment")]
    pub(crate) at: Timestamp,
    pub(crate) files_event: Uuid,
    pub(crate) object_event: Uuid,
    pub(crate) agent: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DeletedFile {
    pub(crate) path: String,
    pub(crate) uuid: Uuid,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Person {
    pub(crate) name: String,
    pub(crate) email: String,
}

impl DeletionRecord {
    /// How records are written at present.
    pub(crate) const FORMAT: u32 = 1;

    /// What the record is called in every replica.
    pub(crate) fn name(request: Uuid, file: Option<Uuid>) -> String {
        match file {
            None => request.to_string(),
            Some(file) => format!("{request}-{file}"),
        }
    }

    /// What lies in the replica.
    pub(crate) fn text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Reads a record; none if it is not understood.
    pub(crate) fn parse(text: &str) -> Option<DeletionRecord> {
        serde_json::from_str(text).ok().filter(|it: &DeletionRecord| it.format <= Self::FORMAT)
    }

    pub(crate) fn telling(&self) -> DeletionTelling {
        DeletionTelling {
            at: self.at,
            files_event: self.files_event,
            object_event: self.object_event,
            agent: self.agent.clone(),
        }
    }
}

/// The deletions that a replica tells of one object, by the version they came after.
pub(super) struct Deletions {
    by_version: HashMap<u32, Vec<DeletionRecord>>,
}

impl Deletions {
    /// Reads all records of an object. One that cannot be read is told to `damaged`.
    pub(super) fn of(
        source: &Replica,
        object: &ObjectId,
        damaged: &mut dyn FnMut(String),
    ) -> Result<Deletions, RebuildError> {
        let mut by_version: HashMap<u32, Vec<DeletionRecord>> = HashMap::new();
        for name in source.deletions(object)? {
            let text = match source.deletion(object, &name) {
                Err(VaultError::Damaged { .. }) => None,
                other => other?,
            };
            match text.as_deref().and_then(DeletionRecord::parse) {
                Some(record) => by_version.entry(record.version).or_default().push(record),
                None => damaged(format!(
                    "{object}: the record of the deletion {name} is damaged or of a newer program"
                )),
            }
        }
        for records in by_version.values_mut() {
            records.sort_by_key(|record| (record.at, record.files_event));
        }
        Ok(Deletions { by_version })
    }

    /// Tells the deletions that came after a version, which was told just before. Only those that
    /// were done in this replica: one that was begun and not done here goes on when the ledger's
    /// request is found again, and until then its bytes are still held.
    pub(super) fn tell(
        &self,
        source: &Replica,
        (object, version): (&ObjectId, u32),
        registry: &Registry,
    ) -> Result<(), RebuildError> {
        let Some(records) = self.by_version.get(&version) else { return Ok(()) };
        let (Some(inventory), Some(held)) =
            (source.inventory(object)?, registry.object_by_identifier(object.as_str())?)
        else {
            return Ok(());
        };
        let mut left = HashSet::new();
        inventory.state(version, &mut |path, _| {
            left.insert(path.to_owned());
            Ok(())
        })?;
        for record in records {
            let file = match &record.file {
                None if !left.is_empty() => continue,
                None => None,
                Some(file) if left.contains(&file.path) => continue,
                Some(file) => {
                    let found = registry.files_by_path(held.id, &[file.path.as_str()])?;
                    let Some(row) = found.first() else { continue };
                    Some(row.id)
                }
            };
            registry.tell_deletion(&ToldDeletion {
                object: held.id,
                file,
                requester: record.requested_by.email.clone(),
                approver: record.approved_by.email.clone(),
                telling: record.telling(),
            })?;
        }
        Ok(())
    }
}
