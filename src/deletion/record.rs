//! What is told of a deletion: drawn once, before anything is touched, and the same ever after.

use ocfl::{ObjectId, Replica};
use storage::clock::Timestamp;
use storage::registry::{DeletionPart, DeletionRow, FileRow, ObjectRow, Uuid};

use crate::app::App;
use crate::chronicle::{AGENT, DeletedFile, DeletionRecord, Person, uuid_of};
use crate::fault::{Failure, Fault, Kind};
use crate::work::Job;

/// A part with everything that is known about it.
pub(super) struct Agreed {
    pub(super) request: DeletionRow,
    pub(super) part: DeletionPart,
    pub(super) object: ObjectRow,
    pub(super) file: Option<FileRow>,
}

impl Agreed {
    /// The name of its record in every replica.
    pub(super) fn name(&self) -> String {
        DeletionRecord::name(self.request.uuid, self.file.as_ref().map(|file| file.uuid))
    }

    pub(super) fn vault_object(&self) -> ObjectId {
        ObjectId::new(self.object.identifier.clone())
    }

    /// The record: as an earlier attempt drew it, which is known from the dossier or, if that was
    /// lost, from a replica; or drawn now.
    pub(super) fn record(
        &self,
        job: &Job<'_, App>,
        replicas: &[&Replica],
    ) -> Result<DeletionRecord, Fault> {
        if let Some(at) = job.dossier().whole::<u64>()? {
            return Ok(self.draw(Timestamp(at)));
        }
        let mut at = None;
        for replica in replicas {
            let text = replica.deletion(&self.vault_object(), &self.name())?;
            let record = text.as_deref().and_then(DeletionRecord::parse);
            at = at.or(record.map(|record| record.at));
        }
        let at = at.unwrap_or_else(|| job.app.shop.clock.now());
        job.dossier().put_whole(&at.0)?;
        Ok(self.draw(at))
    }

    fn draw(&self, at: Timestamp) -> DeletionRecord {
        let request = &self.request;
        let person = |name: Option<&String>, email: Option<&String>| Person {
            name: name.cloned().unwrap_or_default(),
            email: email.cloned().unwrap_or_default(),
        };
        DeletionRecord {
            format: DeletionRecord::FORMAT,
            request: request.uuid,
            object: self.object.identifier.clone(),
            version: self.object.version.0,
            file: self
                .file
                .as_ref()
                .map(|file| DeletedFile { path: file.path.clone(), uuid: file.uuid }),
            reason: request.reason.clone(),
            requested_by: person(
                Some(&request.requested_by_name),
                Some(&request.requested_by_email),
            ),
            requested_at: request.requested_at,
            approved_by: person(
                request.confirmed_by_name.as_ref(),
                request.confirmed_by_email.as_ref(),
            ),
            approved_at: request.confirmed_at.unwrap_or(at),
            at,
            files_event: self.event("files"),
            object_event: self.event("object"),
            agent: AGENT.to_owned(),
        }
    }

    fn event(&self, about: &str) -> Uuid {
        uuid_of(&["deletion", &self.name(), about])
    }
}

/// The text of a record; only a defect of ours could keep it from being written.
pub(super) fn text(record: &DeletionRecord) -> Result<String, Fault> {
    record.text().map_err(|error| {
        Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "record-malformed",
            advice: "report this with the item's page".into(),
            source: error.into(),
        })
    })
}
