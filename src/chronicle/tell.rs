//! Tells a chronicle to a registry: in bounded batches, as often as it takes, and seen by readers
//! only when the last line was told.

use std::io::{self, BufRead, Read};

use storage::registry::{
    self, About, DepositId, NewCopy, NewEvent, NewFileVersion, ObjectId, ObjectRow, Registry,
    ReplicaId, Scope, Seal,
};

use super::lines::{End, FORMAT, Heading, Line, Told};
use crate::fault::{Classify, Fault, Kind};

/// Rows told to the registry at once.
const BATCH: usize = 500;

/// Longest line: a heading with all tags of a bag.
const LINE_LEN_MAX: u64 = 256 << 20;

/// Why a chronicle could not be told. What was told so far is not seen by anyone.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChronicleError {
    #[error("the record could not be read")]
    Read(#[source] io::Error),
    #[error("line {number} of the record {what}")]
    Malformed { number: u64, what: String },
    #[error("the record was written by a newer version of this program (format {0})")]
    Newer(u32),
    #[error(transparent)]
    Registry(#[from] registry::Error),
}

/// Tells everything from the heading to the end, then seals the deposit. Telling it again changes
/// nothing. `checkpoint` is asked between batches.
pub(crate) fn tell(
    chronicle: impl BufRead,
    registry: &Registry,
    checkpoint: impl Fn() -> Result<(), Fault>,
) -> Result<ObjectRow, Fault> {
    let mut lines = Lines { reader: chronicle, number: 0 };
    let Some(Line::Heading(heading)) = lines.next()? else {
        return Err(lines.malformed("is no heading").into());
    };
    if heading.format > FORMAT {
        return Err(ChronicleError::Newer(heading.format).into());
    }
    let mut telling = Telling::begin(registry, &heading)?;
    loop {
        match lines.next()? {
            Some(Line::File(file)) => {
                telling.files.push(*file);
                if telling.files.len() >= BATCH {
                    checkpoint()?;
                    telling.put_files()?;
                }
            }
            Some(Line::Kept(path)) => {
                telling.kept.push(path);
                if telling.kept.len() >= BATCH {
                    checkpoint()?;
                    telling.put_kept()?;
                }
            }
            Some(Line::Event(event)) => {
                let event = telling.event(*event).ok_or_else(|| lines.malformed("has no scope"))?;
                telling.events.push(event);
                if telling.events.len() >= BATCH {
                    checkpoint()?;
                    telling.put_events()?;
                }
            }
            Some(Line::End(end)) => {
                checkpoint()?;
                telling.put_files()?;
                telling.put_kept()?;
                telling.put_events()?;
                if end != telling.told {
                    return Err(lines.malformed("counts otherwise than what was read").into());
                }
                break;
            }
            Some(Line::Heading(_)) => return Err(lines.malformed("is a second heading").into()),
            None => return Err(lines.malformed("is missing: it was cut off").into()),
        }
    }
    let seal = Seal {
        facts: heading.object.clone(),
        saved_file_count: heading.saved_file_count,
        at: heading.sealed_at,
    };
    Ok(registry.seal(telling.deposit, &seal)?)
}

/// A deposit while it is told.
struct Telling<'r> {
    registry: &'r Registry,
    object: ObjectId,
    deposit: DepositId,
    copies: Vec<NewCopy>,
    files: Vec<NewFileVersion>,
    kept: Vec<String>,
    events: Vec<NewEvent>,
    told: End,
}

impl<'r> Telling<'r> {
    fn begin(registry: &'r Registry, heading: &Heading) -> Result<Telling<'r>, ChronicleError> {
        for institution in &heading.institutions {
            registry.adopt_institution(institution)?;
        }
        let facts = &heading.deposit.facts;
        let copy = |replica: ReplicaId| NewCopy {
            replica,
            stored_at: facts.stored_at.unwrap_or(facts.recorded_at),
            verified_at: facts.verified_at.unwrap_or(facts.recorded_at),
        };
        let replicas = heading.replicas.iter().map(|replica| registry.put_replica(replica));
        let copies = replicas.map(|id| id.map(copy)).collect::<Result<_, _>>()?;
        // One object has one ingest at a time: what another item began, it will not end.
        let begun = registry.unsealed_deposit(&heading.deposit.object_identifier)?;
        if let Some(left) = begun.filter(|begun| begun.facts.item_id != facts.item_id) {
            registry.abandon(left.id)?;
        }
        let deposit = registry.begin_deposit(&heading.deposit)?;
        let row = registry.deposit(deposit)?;
        let gone = || registry::Error::NotFound { what: format!("deposit {deposit}") };
        let object = row.ok_or_else(gone)?.object_id;
        let told = End { files: 0, kept: 0, events: 0 };
        let (files, kept, events) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Telling { registry, object, deposit, copies, files, kept, events, told })
    }

    fn put_kept(&mut self) -> Result<(), ChronicleError> {
        self.registry.put_kept_files(self.deposit, &self.kept)?;
        self.told.kept += self.kept.len() as u64;
        self.kept.clear();
        Ok(())
    }

    fn put_files(&mut self) -> Result<(), ChronicleError> {
        for file in &mut self.files {
            file.copies.clone_from(&self.copies);
        }
        self.registry.put_files(self.deposit, &self.files)?;
        self.told.files += self.files.len() as u64;
        self.files.clear();
        Ok(())
    }

    fn put_events(&mut self) -> Result<(), ChronicleError> {
        self.registry.put_events(&self.events)?;
        self.told.events += self.events.len() as u64;
        self.events.clear();
        Ok(())
    }

    /// The event in terms of this registry; none for one about a file or about what was held at a
    /// moment, which no deposit has.
    fn event(&self, told: Told) -> Option<NewEvent> {
        let about = match told.scope {
            Scope::Object => About::Object { object: self.object, deposit: Some(self.deposit) },
            Scope::Files => About::Files(self.deposit),
            Scope::Payload => About::Payload(self.deposit),
            Scope::New => About::New(self.deposit),
            Scope::Held | Scope::File => return None,
        };
        Some(NewEvent {
            identifier: told.identifier,
            event_type: told.event_type,
            date_time: told.date_time,
            detail: told.detail,
            outcome: told.outcome,
            outcome_detail: told.outcome_detail,
            outcome_information: told.outcome_information,
            object: told.object,
            agent: told.agent,
            about,
        })
    }
}

/// The lines of a chronicle, one at a time.
struct Lines<R> {
    reader: R,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    fn next(&mut self) -> Result<Option<Line>, ChronicleError> {
        let mut bytes = Vec::new();
        let mut some = self.reader.by_ref().take(LINE_LEN_MAX);
        let count = some.read_until(b'\n', &mut bytes).map_err(ChronicleError::Read)?;
        self.number += 1;
        if count == 0 {
            return Ok(None);
        }
        let line = serde_json::from_slice(&bytes);
        line.map(Some).map_err(|error| self.malformed(&format!("is not understood: {error}")))
    }

    fn malformed(&self, what: &str) -> ChronicleError {
        ChronicleError::Malformed { number: self.number, what: what.to_owned() }
    }
}

impl Classify for ChronicleError {
    fn kind(&self) -> Kind {
        match self {
            ChronicleError::Read(_) => Kind::Transient { retry_after: None },
            ChronicleError::Malformed { .. } | ChronicleError::Newer(_) => Kind::Fatal,
            ChronicleError::Registry(error) => error.kind(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            ChronicleError::Read(_) => "record-unreadable",
            ChronicleError::Malformed { .. } => "record-malformed",
            ChronicleError::Newer(_) => "record-newer",
            ChronicleError::Registry(error) => error.code(),
        }
    }

    fn advice(&self) -> String {
        match self {
            ChronicleError::Read(_) => "check the disk of the staging area".into(),
            ChronicleError::Malformed { .. } => {
                "requeue the item to ingest08_record; of a rebuild, take another replica".into()
            }
            ChronicleError::Newer(_) => "use the newer version of this program".into(),
            ChronicleError::Registry(error) => error.advice(),
        }
    }
}
