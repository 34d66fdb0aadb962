//! Repairs copies of a file from bytes that somebody supplied: a deposit that brings the file again,
//! or a person who sends it.
//!
//! Every copy is read before it is touched, so that repeating is harmless: one that is intact stays,
//! and is noted as intact where the registry says otherwise. The bytes are compared with the digest on
//! their way, and what was written is read back. Whoever calls holds the object in its custody.

use ocfl::{Expected, Flaw, Found, ObjectId, Replica, Supplied};
use storage::clock::Timestamp;
use storage::registry::{
    About, CheckedCopy, CopyState, EventType, NewEvent, ObjectRow, Outcome, ReplicaId,
};

use crate::alerts;
use crate::app::{App, file_date};
use crate::chronicle::{AGENT, uuid_of};
use crate::fault::Fault;

/// Rows told to the registry at once.
const BATCH: usize = 500;

/// Repairs in one object with what one deposit or person supplied.
pub(crate) struct Replacement<'r> {
    pub app: &'r App,
    pub object: &'r ObjectRow,
    /// Where the bytes are from, for people.
    pub from: &'r str,
    /// What names its events: the same when an attempt is repeated.
    pub name: &'r str,
    /// When it was begun.
    pub at: Timestamp,
}

impl Replacement<'_> {
    /// Reads the copy in one replica, and replaces it unless it is intact; says whether it was
    /// replaced.
    pub(crate) fn repair<K>(
        &self,
        replica: &Replica,
        copy: &Expected<K>,
        supplied: Supplied<'_>,
        checkpoint: impl Fn(u64) -> Result<(), Fault> + Sync,
    ) -> Result<bool, Fault> {
        let object = ObjectId::new(self.object.identifier.clone());
        let moment = folder_name(self.at);
        let flaw = replica.replace(&object, copy, supplied, &moment, checkpoint)?;
        if let Some(id) = self.replica_id(replica)? {
            self.tell((replica, id), &copy.content_path, flaw.as_ref())?;
        }
        Ok(flaw.is_some())
    }

    /// Ends the alerts about the replicas in which nothing is wrong any more.
    pub(crate) fn ended(&self, replicas: &[&Replica]) -> Result<(), Fault> {
        for replica in replicas {
            let Some(id) = self.replica_id(replica)? else { continue };
            if self.app.registry.unsound_in(self.object.id, id)?.is_empty() {
                alerts::copies_intact(self.app, self.object.id.0, replica.name())?;
            }
        }
        Ok(())
    }

    /// Tells the registry of one copy. Its state is written after the event: an attempt that is
    /// interrupted between the two tells it again.
    fn tell(
        &self,
        (replica, id): (&Replica, ReplicaId),
        content_path: &str,
        flaw: Option<&Flaw>,
    ) -> Result<(), Fault> {
        let registry = &self.app.registry;
        let (mut events, mut checks) = (Vec::new(), Vec::new());
        for content in registry.contents_at(self.object.id, content_path)? {
            let (file_id, version) = (content.file_id, content.version);
            let copies = registry.copies(file_id, version)?;
            let known = copies.iter().find(|copy| copy.replica_id == id).map(|copy| copy.state);
            if flaw.is_none() && matches!(known, None | Some(CopyState::Sound)) {
                continue;
            }
            let (state, at) = (CopyState::Sound, self.app.shop.clock.now());
            checks.push(CheckedCopy { file_id, version, replica: id, state, at });
            let (detail, information) = self.words(replica, flaw);
            let number = format!("{} {}", file_id.0, version.0);
            events.push(NewEvent {
                identifier: uuid_of(&[
                    "replaced",
                    self.name,
                    &self.object.identifier,
                    &number,
                    replica.name(),
                    detail,
                ]),
                event_type: EventType::Repair,
                date_time: at,
                detail: detail.to_owned(),
                outcome: Outcome::Success,
                outcome_detail: content_path.to_owned(),
                outcome_information: information,
                object: AGENT.to_owned(),
                agent: AGENT.to_owned(),
                about: About::File { file: file_id, deposit: None },
            });
        }
        for some in events.chunks(BATCH) {
            registry.put_events(some)?;
        }
        for some in checks.chunks(BATCH) {
            registry.record_checks(some)?;
        }
        Ok(())
    }

    fn words(&self, replica: &Replica, flaw: Option<&Flaw>) -> (&'static str, String) {
        let name = replica.name();
        let was = |flaw: &Flaw| match flaw.found {
            Found::Missing => "was missing",
            Found::Differs { .. }
            | Found::Malformed { .. }
            | Found::Foreign { .. }
            | Found::Behind { .. }
            | Found::NotAFile
            | Found::Unreadable { .. }
            | Found::Unwanted { .. } => "was not what was preserved",
        };
        match flaw {
            Some(flaw) => (
                "what was damaged or missing was replaced by bytes with the same digest",
                format!(
                    "the copy in replica {name} {}; it was replaced from {} and read back",
                    was(flaw),
                    self.from
                ),
            ),
            None => (
                "a copy that was not sound was read again and matches",
                format!("sound again in replica {name}"),
            ),
        }
    }

    fn replica_id(&self, replica: &Replica) -> Result<Option<ReplicaId>, Fault> {
        let known = self.app.registry.replicas(1000)?;
        Ok(known.iter().find(|row| row.replica.name == replica.name()).map(|row| row.id))
    }
}

/// A moment as the name of a folder of what is set aside.
pub(crate) fn folder_name(at: Timestamp) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || *letter == '-';
    file_date(at).chars().filter(is_plain).collect()
}
