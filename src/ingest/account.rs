//! What is told of one ingest: its chronicle, put together from what the stages have learned.

use std::path::Path;

use ocfl::{ObjectId, Replica};
use storage::clock::Timestamp;
use storage::registry::{
    DepositFacts, Error, Institution, NewDeposit, NewFileVersion, ObjectFacts,
    ObjectId as ObjectNumber, Version,
};

use super::absent::{AbsentWalk, absent};
use super::events::Telling;
use super::named_profile::named_profile;
use super::records::{BagRecord, FileRecord, Walk};
use super::reliance::{Places, shared};
use crate::app::{App, FileFault};
use crate::chronicle::{self, Heading, Written, uuid_of};
use crate::fault::Fault;
use crate::work::Job;

/// One ingest whose version is sealed.
pub(super) struct Account<'a, 'j> {
    pub(super) job: &'a Job<'j, App>,
    pub(super) record: &'a BagRecord,
    pub(super) version: Version,
    pub(super) replicas: &'a [&'a Replica],
}

impl Account<'_, '_> {
    /// Writes the chronicle to a file on this machine.
    pub(super) fn write(&self, path: &Path) -> Result<Written, Fault> {
        // Asked of the first replica: all of them hold the same.
        let object = ObjectId::new(self.record.object_identifier.clone());
        let places = shared(self.job, || match self.replicas.first() {
            Some(replica) => replica.inventory(&object),
            None => Ok(None),
        })?;
        let names = self.replicas.iter().map(|replica| replica.name()).collect();
        let before = self.before()?;
        let absent = match before {
            Some((object, version)) => absent(self.job, object, version)?.sentence(),
            None => None,
        };
        let format = if absent.is_some() { chronicle::FORMAT } else { chronicle::PLAIN_FORMAT };
        let heading = self.heading(format)?;
        let telling =
            Telling { bag: self.record, version: self.version.0, replicas: names, absent };
        let mut walk = Walk::new(self.job.dossier());
        let saved = walk.by_ref().filter(|(_, file)| file.is_saved());
        let files = saved.map(|(path, file)| self.file(&places, path, &file));
        let mut kept = AbsentWalk::new(self.job, before);
        let events = telling.events().into_iter();
        let written = chronicle::write(path, heading, files, kept.by_ref(), events);
        walk.finish()?;
        kept.finish()?;
        written.map_err(FileFault::at("write", path))
    }

    fn heading(&self, format: u32) -> Result<Heading, Fault> {
        let record = self.record;
        Ok(Heading {
            format,
            institutions: self.institutions()?,
            replicas: self.job.app.vaults.rows(self.replicas)?,
            deposit: NewDeposit {
                object_identifier: record.object_identifier.clone(),
                version: self.version,
                facts: self.facts(),
            },
            object: ObjectFacts {
                bagit_profile_identifier: named_profile(record),
                ..record.facts.clone()
            },
            saved_file_count: record.saved_file_count,
            sealed_at: Timestamp(record.moments.recorded),
        })
    }

    /// The version before. What it has and this deposit has not is always the same, because a sealed
    /// version does not change: a repeated recording says it again.
    fn before(&self) -> Result<Option<(ObjectNumber, Version)>, Fault> {
        let before = Version(self.version.0.saturating_sub(1));
        let object = self.job.app.registry.object_by_identifier(&self.record.object_identifier)?;
        Ok(object.filter(|_| before.0 > 0).map(|object| (object.id, before)))
    }

    /// The owner, after the member that it is an account of.
    fn institutions(&self) -> Result<Vec<Institution>, Error> {
        let registry = &self.job.app.registry;
        let name = self.record.object_identifier.split('/').next().unwrap_or_default();
        let missing = || Error::NotFound { what: format!("institution {name}") };
        let owner = registry.institution_by_identifier(name)?.ok_or_else(missing)?;
        let parent = owner.member_institution_id.map(|id| registry.institution(id)).transpose()?;
        Ok(parent.flatten().into_iter().chain([owner]).collect())
    }

    fn facts(&self) -> DepositFacts {
        let (item, record) = (self.job.item, self.record);
        let moment = |ms: u64| Some(Timestamp(ms)).filter(|_| ms > 0);
        let moments = record.moments;
        DepositFacts {
            item_id: i64::try_from(item.id.0).unwrap_or(i64::MAX),
            file_name: item.subject.name.clone(),
            etag: item.subject.etag.clone().unwrap_or_default(),
            size: item.subject.size_bytes,
            received_at: Some(item.created),
            validated_at: moment(moments.validated),
            identified_at: moment(moments.identified),
            stored_at: moment(moments.stored),
            verified_at: moment(moments.verified),
            recorded_at: Timestamp(moments.recorded),
            profile_identifier: record.facts.bagit_profile_identifier.clone(),
            manifest_algorithms: record.manifests.clone(),
            tags: record.tags.clone(),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
            signature_version: record.signatures.clone(),
        }
    }

    fn file(&self, places: &Places, path: String, file: &FileRecord) -> NewFileVersion {
        let usual = format!("v{}/content/{path}", self.version.0);
        let place = match &file.content_path {
            Some(place) => Some(place.clone()),
            None => places.get(&file.digests.sha512()).cloned(),
        };
        let format = file.format.clone().unwrap_or_default();
        let seconds = file.modified_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        NewFileVersion {
            uuid: uuid_of(&["file", &self.record.object_identifier, &path]),
            path,
            size: file.size_bytes,
            modified_at: seconds.map(|seconds| Timestamp(seconds.saturating_mul(1000))),
            digests: file.digests.for_registry(),
            format: format.for_registry(),
            format_warnings: Some(format.warnings.join("; ")).filter(|text| !text.is_empty()),
            content_path: place.filter(|place| *place != usual),
            copies: Vec::new(),
        }
    }
}
