//! Copies in cold storage that a deposit relies on. They cannot be read, so every one of them is asked
//! for before the deposit is removed; one that is not there with the right size, and the right checksum
//! where the service tells one, is stored again from the deposit.

use std::collections::BTreeSet;

use storage::registry::{About, EventType, NewEvent, Outcome};

use super::records::{BagRecord, FileRecord};
use super::source::stream;
use super::verify::{Reading, is_cold, is_kept};
use crate::app::App;
use crate::chronicle::{AGENT, uuid_of};
use crate::fault::Fault;
use crate::replacement::folder_name;
use crate::vault::{Class, Replica, Sighting, Sought};
use crate::work::Job;

/// Events told to the registry at once.
const BATCH: usize = 500;

/// What is known of the copies in cold storage.
#[derive(Default)]
pub(super) struct Cold {
    /// Copies that were asked for, by this attempt or an earlier one.
    asked: u64,
    /// Copies that were not there as they should be.
    gone: u64,
}

impl Cold {
    /// Asks every cold replica for what these files rely on; says which files lack a copy.
    pub(super) fn look_for(
        &mut self,
        reading: &Reading<'_>,
        files: &[(String, FileRecord)],
    ) -> Result<BTreeSet<usize>, Fault> {
        let mut unseen = BTreeSet::new();
        for replica in reading.replicas {
            let is_relied_on = |file: &FileRecord| is_kept(file) && is_cold(replica, file);
            self.asked += files.iter().filter(|(_, file)| is_relied_on(file)).count() as u64;
            let found = look(reading, replica, files)?;
            for (at, _) in found.iter().filter(|(_, sighting)| *sighting != Sighting::There) {
                self.gone += 1;
                unseen.insert(*at);
            }
        }
        Ok(unseen)
    }

    /// Whether all of them were there.
    pub(super) fn is_whole(&self) -> bool {
        self.gone == 0
    }

    /// What was done about the copies of an ingest, for people.
    pub(super) fn sentence(&self, replicas: &[&Replica]) -> String {
        if self.asked == 0 {
            return "every copy was read back and is equal".to_owned();
        }
        let is_hot = |replica: &&Replica| replica.settings().class == Class::Hot;
        let read = match replicas.iter().any(is_hot) {
            true => "every copy in hot storage was read back and is equal; ",
            false => "",
        };
        let Cold { asked, gone } = self;
        let seen = asked.saturating_sub(*gone);
        let stored = match gone {
            0 => String::new(),
            _ => {
                format!(", {gone} were missing or different and were stored again from the deposit")
            }
        };
        format!(
            "{read}{asked} copies in cold storage were asked for and not read: {seen} are there with \
             the right size{stored}"
        )
    }
}

/// Stores again what of these files is not there, from the deposit.
pub(super) fn store_missing(
    job: &Job<'_, App>,
    record: &BagRecord,
    reading: &Reading<'_>,
    files: &[(String, FileRecord)],
) -> Result<(), Fault> {
    let mut events = Vec::new();
    for replica in reading.replicas {
        for (at, sighting) in look(reading, replica, files)? {
            if sighting != Sighting::There {
                let (path, file) = &files[at];
                store_one(job, record, reading, (replica, path, file))?;
                events.extend(told(job, record, (replica, path), sighting)?);
            }
        }
    }
    for some in events.chunks(BATCH) {
        job.app.registry.put_events(some)?;
    }
    Ok(())
}

fn store_one(
    job: &Job<'_, App>,
    record: &BagRecord,
    reading: &Reading<'_>,
    (replica, path, file): (&Replica, &str, &FileRecord),
) -> Result<(), Fault> {
    job.checkpoint()?;
    let Some(sought) = sought(reading, 0, file) else { return Ok(()) };
    let source = || stream(job.app, job.item.id, record, (path, file));
    replica.store_again(reading.object, &sought, &source, &folder_name(job.item.created))?;
    Ok(())
}

/// Asks one replica, if it is cold.
fn look(
    reading: &Reading<'_>,
    replica: &Replica,
    files: &[(String, FileRecord)],
) -> Result<Vec<(usize, Sighting)>, Fault> {
    let copies: Vec<Sought<usize>> = files
        .iter()
        .enumerate()
        .filter(|(_, (_, file))| is_cold(replica, file))
        .filter_map(|(at, (_, file))| sought(reading, at, file))
        .collect();
    if copies.is_empty() {
        return Ok(Vec::new());
    }
    Ok(replica.look_for(reading.object, copies)?)
}

fn sought(reading: &Reading<'_>, at: usize, file: &FileRecord) -> Option<Sought<usize>> {
    let md5 = file.digests.md5.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Sought { copy: reading.expected(at, file)?, md5 })
}

/// The event of a copy that was stored again.
fn told(
    job: &Job<'_, App>,
    record: &BagRecord,
    (replica, path): (&Replica, &str),
    sighting: Sighting,
) -> Result<Option<NewEvent>, Fault> {
    let registry = &job.app.registry;
    let Some(object) = registry.object_by_identifier(&record.object_identifier)? else {
        return Ok(None);
    };
    let Some(file) = registry.files_by_path(object.id, &[path])?.into_iter().next() else {
        return Ok(None);
    };
    let item = format!("{} {}", job.item.id, job.item.created.0);
    let found = match sighting {
        Sighting::Missing => "was missing",
        Sighting::Differs | Sighting::There => "was not what was preserved",
    };
    Ok(Some(NewEvent {
        identifier: uuid_of(&["stored again", &item, &file.identifier, replica.name()]),
        event_type: EventType::Repair,
        date_time: job.app.shop.clock.now(),
        detail: "a copy in cold storage was stored again from a deposit with the same digest"
            .into(),
        outcome: Outcome::Success,
        outcome_detail: path.to_owned(),
        outcome_information: format!(
            "the copy in replica {} {found}; it was stored again from {} and is there with the right \
             size",
            replica.name(),
            job.item.subject.name
        ),
        object: AGENT.to_owned(),
        agent: AGENT.to_owned(),
        about: About::File { file: file.id, deposit: None },
    }))
}
