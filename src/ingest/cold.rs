//! Copies in cold storage that a deposit relies on. They cannot be read, so every one of them is asked
//! for before the deposit is removed; one that is not there with the right size, and the right checksum
//! where the service tells one, is stored again from the deposit.

use std::collections::BTreeSet;

use ocfl::{Class, Replica, Sighting, Sought};
use storage::registry::{About, EventType, NewEvent, Outcome};

use super::records::{BagRecord, FileRecord, PAGE};
use super::source::stream;
use super::verify::{Reading, is_cold, is_kept};
use crate::app::App;
use crate::chronicle::{AGENT, uuid_of};
use crate::fault::Fault;
use crate::replacement::folder_name;
use crate::work::Job;

/// Between the parts of a note.
const SEPARATOR: &[u8] = &[0];
/// How a copy was found, in a note.
const MISSING: &[u8] = b"missing";
const DIFFERENT: &[u8] = b"different";

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

/// Stores again what of these files is not there, from the deposit. What is going to be stored is noted
/// first, and the event of a copy is written as soon as the copy is there: an attempt that ends in
/// between leaves a note, by which the next one writes the event (see [`record_earlier`]).
pub(super) fn store_missing(
    job: &Job<'_, App>,
    record: &BagRecord,
    reading: &Reading<'_>,
    files: &[(String, FileRecord)],
) -> Result<(), Fault> {
    for replica in reading.replicas {
        let mut missing = look(reading, replica, files)?;
        missing.retain(|(_, sighting)| *sighting != Sighting::There);
        if missing.is_empty() {
            continue;
        }
        let note = |(at, sighting): &(usize, Sighting)| note(replica, *sighting, &files[*at].0);
        let notes: Vec<Vec<u8>> = missing.iter().map(note).collect();
        job.dossier().put_done(notes.iter().map(Vec::as_slice))?;
        job.app.shop.queue.store().barrier()?;
        for (at, sighting) in missing {
            let (path, file) = &files[at];
            store_one(job, record, reading, (replica, path, file))?;
            put_event(job, record, (replica, path), sighting)?;
        }
        job.dossier().clear_done()?;
    }
    Ok(())
}

/// Writes the events of copies that an earlier attempt stored again, and did not come to record.
pub(super) fn record_earlier(
    job: &Job<'_, App>,
    record: &BagRecord,
    reading: &Reading<'_>,
) -> Result<(), Fault> {
    // There are notes about one page in one replica, and none of another stage.
    let notes = job.dossier().done(PAGE)?;
    if notes.is_empty() {
        return Ok(());
    }
    for replica in reading.replicas {
        let mut stored = Vec::new();
        for (name, was, path) in notes.iter().filter_map(|note| parse(note)) {
            if name == replica.name()
                && let Some(file) = job.dossier().file::<FileRecord>(path.as_bytes())?
            {
                stored.extend(sought(reading, (was, path), &file));
            }
        }
        if stored.is_empty() {
            continue;
        }
        for ((was, path), now) in replica.look_for(reading.object, stored)? {
            if now == Sighting::There {
                put_event(job, record, (replica, path), was)?;
            }
        }
    }
    Ok(job.dossier().clear_done()?)
}

/// The name of a note about a copy that is going to be stored again.
fn note(replica: &Replica, was: Sighting, path: &str) -> Vec<u8> {
    let was: &[u8] = if was == Sighting::Missing { MISSING } else { DIFFERENT };
    [replica.name().as_bytes(), SEPARATOR, was, SEPARATOR, path.as_bytes()].concat()
}

fn parse(note: &[u8]) -> Option<(&str, Sighting, &str)> {
    let mut parts = note.splitn(3, |byte| SEPARATOR.contains(byte));
    let (replica, was, path) = (parts.next()?, parts.next()?, parts.next()?);
    let was = match was {
        MISSING => Sighting::Missing,
        DIFFERENT => Sighting::Differs,
        _ => return None,
    };
    Some((std::str::from_utf8(replica).ok()?, was, std::str::from_utf8(path).ok()?))
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

fn sought<K>(reading: &Reading<'_>, key: K, file: &FileRecord) -> Option<Sought<K>> {
    let md5 = file.digests.md5.iter().map(|byte| format!("{byte:02x}")).collect();
    Some(Sought { copy: reading.expected(key, file)?, md5 })
}

/// Writes the event of a copy that was stored again; once, however often it is written.
fn put_event(
    job: &Job<'_, App>,
    record: &BagRecord,
    (replica, path): (&Replica, &str),
    was: Sighting,
) -> Result<(), Fault> {
    let registry = &job.app.registry;
    let Some(object) = registry.object_by_identifier(&record.object_identifier)? else {
        return Ok(());
    };
    let Some(file) = registry.files_by_path(object.id, &[path])?.into_iter().next() else {
        return Ok(());
    };
    let item = format!("{} {}", job.item.id, job.item.created.0);
    let found = match was {
        Sighting::Missing => "was missing",
        Sighting::Differs | Sighting::There => "was not what was preserved",
    };
    registry.put_events(&[NewEvent {
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
    }])?;
    Ok(())
}
