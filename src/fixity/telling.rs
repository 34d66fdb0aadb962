//! Says what was found and done: to the registry, as events of PREMIS, and to people.
//!
//! Events are named by the item and what they are about, so that an attempt which is repeated tells
//! the same once.

use ocfl::{Flaw, Found, Part};
use storage::clock::Timestamp;
use storage::registry::{
    About, CheckedCopy, CopyState, EventType, ExaminedCopies, FileId, HeldContent, NewAlert,
    NewEvent, ObjectRow, Outcome, Version,
};

use super::holders::Present;
use super::loss;
use crate::alerts::{self, CheckedCopies};
use crate::app::App;
use crate::chronicle::{AGENT, uuid_of};
use crate::fault::Fault;
use crate::work::Job;

/// Rows told to the registry at once.
const BATCH: usize = 500;
/// Flaws of one replica that are events of their own; of more, the object has one that counts them.
const EVENTS_MAX: usize = 1000;

/// Words for one object in one replica.
pub(super) struct Telling<'t, 'j> {
    pub(super) job: &'t Job<'j, App>,
    pub(super) object: &'t ObjectRow,
    pub(super) present: Present<'t>,
    pub(super) at: Timestamp,
}

impl Telling<'_, '_> {
    /// Every copy is sound.
    pub(super) fn all_sound(&self) -> Result<(), Fault> {
        let name = self.present.replica.name();
        self.put(vec![self.event(
            (EventType::FixityCheck, Outcome::Success, About::Held(self.object.id)),
            "whole",
            "fixity check against registered hash",
            "sha512:{sha512}".to_owned(),
            format!("every copy in replica {name} was read and matches"),
        )])?;
        self.intact()?;
        self.looked_at()
    }

    /// A replica in cold storage was found to have every copy: what it has was asked for and not read.
    pub(super) fn held_in_cold(&self) -> Result<(), Fault> {
        let name = self.present.replica.name();
        self.put(vec![self.event(
            (EventType::Replication, Outcome::Success, self.about_object()),
            "found",
            "copies that the registry did not know of were asked for and not read",
            format!("version {}", self.object.version),
            format!("in replica {name} with the right size"),
        )])?;
        self.record_copies(&[])?;
        self.looked_at()
    }

    /// The replica holds a copy of everything, but for content at these places: says so of what it was not
    /// known to hold.
    pub(super) fn all_held(&self, lost: &[String]) -> Result<(), Fault> {
        let (registry, name) = (&self.job.app.registry, self.present.replica.name());
        if registry.missing_in(self.object.id, name)? == 0 {
            return Ok(());
        }
        self.put(vec![self.event(
            (EventType::Replication, Outcome::Success, self.about_object()),
            "filled",
            "copies that the replica did not hold were made from another replica and read back",
            format!("version {}", self.object.version),
            format!("copied to replica {name}"),
        )])?;
        self.record_copies(lost)
    }

    /// Notes a copy of everything in the replica, but for content at these places.
    fn record_copies(&self, lost: &[String]) -> Result<(), Fault> {
        let registry = &self.job.app.registry;
        let mut missing = Vec::new();
        for path in lost {
            let contents = registry.contents_at(self.object.id, path)?;
            missing.extend(contents.into_iter().map(|content| (content.file_id, content.version)));
        }
        let (object, version, replica) = (self.object.id, self.object.version, self.present.id);
        let missing = &missing;
        registry.record_copies(&ExaminedCopies {
            object,
            version,
            replica,
            missing,
            at: self.at,
        })?;
        Ok(())
    }

    /// Copies that were not sound and are, by nobody's doing or by an attempt that did not come to
    /// tell it.
    pub(super) fn sound_again(&self, flaws: &[Flaw]) -> Result<(), Fault> {
        let registry = &self.job.app.registry;
        let mut was = registry.unsound_in(self.object.id, self.present.id)?;
        for content in self.contents(flaws)? {
            was.retain(|it| *it != (content.1.file_id, content.1.version));
        }
        for some in was.chunks(BATCH) {
            let now = self.job.app.shop.clock.now();
            let sound: Vec<_> =
                some.iter().map(|it| self.checked(*it, CopyState::Sound, now)).collect();
            registry.record_checks(&sound)?;
            let event = |(file, version): &(FileId, Version)| {
                let (file, what) = (*file, format!("again {} {}", file.0, version.0));
                self.event(
                    (EventType::Repair, Outcome::Success, About::File { file, deposit: None }),
                    &what,
                    "a copy that was not sound was read again and matches",
                    format!("version {}", version.0),
                    format!("sound again in replica {}", self.present.replica.name()),
                )
            };
            self.put(some.iter().map(event).collect())?;
        }
        Ok(())
    }

    /// What is wrong, before anything is done about it.
    pub(super) fn unsound(&self, flaws: &[Flaw]) -> Result<(), Fault> {
        let now = self.job.app.shop.clock.now();
        let mut checked = Vec::new();
        let mut events = Vec::new();
        for (flaw, content) in self.contents(flaws)? {
            let state = match flaw.found {
                Found::Missing => CopyState::Missing,
                Found::Differs { .. }
                | Found::Malformed { .. }
                | Found::Foreign { .. }
                | Found::Behind { .. }
                | Found::NotAFile
                | Found::Unreadable { .. }
                | Found::Unwanted { .. } => CopyState::Damaged,
            };
            checked.push(self.checked((content.file_id, content.version), state, now));
            if events.len() < EVENTS_MAX {
                events.push(self.failure(flaw, &content));
            }
        }
        for flaw in flaws.iter().filter(|flaw| flaw.part != Part::Content).take(EVENTS_MAX) {
            events.push(self.event(
                (EventType::FixityCheck, Outcome::Failure, self.about_object()),
                &format!("frame {}", flaw.path),
                "check of what describes the object in the vault",
                flaw.sentence(),
                format!("not in order in replica {}", self.present.replica.name()),
            ));
        }
        if flaws.len() > events.len() {
            events.push(self.event(
                (EventType::FixityCheck, Outcome::Failure, self.about_object()),
                "count",
                "fixity check against registered hash",
                format!("things that are not in order: {}", flaws.len()),
                format!("not in order in replica {}", self.present.replica.name()),
            ));
        }
        for some in checked.chunks(BATCH) {
            self.job.app.registry.record_checks(some)?;
        }
        self.put(events)?;
        let first = flaws.first().map(Flaw::sentence).unwrap_or_default();
        let example = flaws.first().map_or("", |flaw| flaw.path.as_str());
        self.raise(&alerts::copies_failed(&self.copies(flaws.len(), example), &first))
    }

    /// One thing was replaced and read back.
    pub(super) fn repaired(&self, flaw: &Flaw, from: Option<&str>) -> Result<(), Fault> {
        let source = from.map_or("what it describes".to_owned(), |from| format!("replica {from}"));
        let told = format!("replaced in replica {} from {source}", self.present.replica.name());
        let contents = self.contents(std::slice::from_ref(flaw))?;
        let detail = "what was damaged was set aside and replaced from a sound copy";
        if contents.is_empty() {
            return self.put(vec![self.event(
                (EventType::Repair, Outcome::Success, self.about_object()),
                &format!("repaired {}", flaw.path),
                detail,
                flaw.path.clone(),
                told,
            )]);
        }
        let now = self.job.app.shop.clock.now();
        let sound = contents.iter().map(|(_, content)| {
            self.checked((content.file_id, content.version), CopyState::Sound, now)
        });
        self.job.app.registry.record_checks(&sound.collect::<Vec<_>>())?;
        let event = |(flaw, content): &(&Flaw, HeldContent)| {
            let about = About::File { file: content.file_id, deposit: None };
            self.event(
                (EventType::Repair, Outcome::Success, about),
                &format!("repaired {} {} {}", content.file_id.0, content.version.0, flaw.path),
                detail,
                flaw.path.clone(),
                told.clone(),
            )
        };
        self.put(contents.iter().map(event).collect())
    }

    /// What could be repaired is. Unless everything is settled, the replica does not count as looked at,
    /// and what is known of it stays.
    pub(super) fn ended(
        &self,
        repaired: &[String],
        lost: &[String],
        is_settled: bool,
    ) -> Result<(), Fault> {
        let now = self.job.app.shop.clock.now();
        if let Some(example) = repaired.first() {
            let told = alerts::copies_repaired(&self.copies(repaired.len(), example));
            self.raise(&told)?;
            // It is news, and nothing that lasts.
            self.job.app.registry.end_alert(&told.name, now)?;
        }
        match lost.first() {
            None if is_settled => self.intact()?,
            None => {}
            Some(example) => {
                let copies = self.copies(lost.len(), example);
                let paths: Vec<&str> = lost.iter().map(String::as_str).collect();
                let advice = loss::advice(self.job.app, self.object, &paths)?;
                self.raise(&alerts::files_lost(&copies, &advice))?;
            }
        }
        if is_settled { self.looked_at() } else { Ok(()) }
    }

    /// Nothing is wrong with any copy here: what earlier checks said is over.
    fn intact(&self) -> Result<(), Fault> {
        let (object, replica) = (self.object.id.0, self.present.replica.name());
        Ok(alerts::copies_intact(self.job.app, object, replica)?)
    }

    fn raise(&self, alert: &NewAlert) -> Result<(), Fault> {
        Ok(alerts::supersede(self.job.app, &self.copies(0, ""), alert)?)
    }

    fn copies<'c>(&'c self, count: usize, example: &'c str) -> CheckedCopies<'c> {
        CheckedCopies {
            institution_id: self.object.institution_id,
            object: &self.object.identifier,
            object_id: self.object.id.0,
            replica: self.present.replica.name(),
            count: count as u64,
            example,
            item_id: i64::try_from(self.job.item.id.0).unwrap_or(i64::MAX),
        }
    }

    fn looked_at(&self) -> Result<(), Fault> {
        let registry = &self.job.app.registry;
        Ok(registry.record_object_check(self.object.id, self.present.id, self.at)?)
    }

    /// The versions of files that damaged content is of.
    fn contents<'f>(&self, flaws: &'f [Flaw]) -> Result<Vec<(&'f Flaw, HeldContent)>, Fault> {
        let mut found = Vec::new();
        for flaw in flaws.iter().filter(|flaw| flaw.part == Part::Content) {
            let at = self.job.app.registry.contents_at(self.object.id, &flaw.path)?;
            found.extend(at.into_iter().map(|content| (flaw, content)));
        }
        Ok(found)
    }

    fn failure(&self, flaw: &Flaw, content: &HeldContent) -> NewEvent {
        let about = About::File { file: content.file_id, deposit: None };
        self.event(
            (EventType::FixityCheck, Outcome::Failure, about),
            &format!("unsound {} {} {}", content.file_id.0, content.version.0, flaw.path),
            "fixity check against registered hash",
            flaw.sentence(),
            format!("did not match in replica {}", self.present.replica.name()),
        )
    }

    fn about_object(&self) -> About {
        About::Object { object: self.object.id, deposit: None }
    }

    fn checked(&self, key: (FileId, Version), state: CopyState, at: Timestamp) -> CheckedCopy {
        let ((file_id, version), replica) = (key, self.present.id);
        CheckedCopy { file_id, version, replica, state, at }
    }

    fn event(
        &self,
        (event_type, outcome, about): (EventType, Outcome, About),
        what: &str,
        detail: &str,
        outcome_detail: String,
        outcome_information: String,
    ) -> NewEvent {
        // With its moment: numbers of items may begin anew when everything but a vault was lost.
        let item = format!("{} {}", self.job.item.id, self.job.item.created.0);
        let replica = self.present.replica.name();
        NewEvent {
            identifier: uuid_of(&["fixity", &item, &self.object.identifier, replica, what]),
            event_type,
            date_time: self.job.app.shop.clock.now(),
            detail: detail.to_owned(),
            outcome,
            outcome_detail,
            outcome_information,
            object: AGENT.to_owned(),
            agent: AGENT.to_owned(),
            about,
        }
    }

    fn put(&self, events: Vec<NewEvent>) -> Result<(), Fault> {
        for some in events.chunks(BATCH) {
            self.job.app.registry.put_events(some)?;
        }
        Ok(())
    }
}
