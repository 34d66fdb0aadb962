//! What is held, as the desk tells it: objects, files and events, by filter and one by one.

use std::io::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{
    Access, BadQuery, CopyCount, CopyRow, Counting, DeletionPart, DepositRow, EVENTS, EventRow,
    EventType, FILES, FileId, FileRow, FormatCount, HeldState, HeldSums, INSTITUTIONS, Institution,
    Listing, OBJECTS, ObjectId, ObjectRow, Outcome, Page, Query, Scope, Uuid, Version,
};

use super::{Desk, DeskError};
use crate::rights::Sight;

/// How far what is held is counted for a list: there may be very many files and events, and nobody
/// waits for the last of them.
pub const COUNTED: Counting = Counting::UpTo(10_001);
/// Versions, formats and replicas shown of one object.
const SHOWN: u32 = 1000;
/// Events shown with an object or a file; the list of events has the others.
const LAST_EVENTS: &str = "20";

/// Lists under their own keys, each paged and counted as the items are.
macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident { $rows:ident: $row:ty })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
        pub struct $name {
            /// How many there are.
            pub count: u64,
            /// False when there are more than were counted.
            pub count_is_exact: bool,
            /// Continues behind this page.
            pub next_cursor: Option<String>,
            /// The rows.
            pub $rows: Vec<$row>,
        }

        impl From<Page<$row>> for $name {
            fn from(page: Page<$row>) -> $name {
                let shown = page.rows.len() as u64;
                let (count, count_is_exact) =
                    page.count.map_or((shown, false), |it| (it.value, it.exact));
                $name { count, count_is_exact, next_cursor: page.next_cursor, $rows: page.rows }
            }
        }
    )*};
}

lists! {
    /// A page of objects.
    ObjectList { objects: ObjectRow }
    /// A page of files.
    FileList { files: FileRow }
    /// A page of events.
    EventList { events: EventRow }
    /// A page of institutions.
    InstitutionList { institutions: Institution }
}

/// One object with what is known about it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ObjectDetail {
    /// The object.
    pub object: ObjectRow,
    /// The deposits that became its versions, as the registry orders them.
    pub versions: Vec<DepositRow>,
    /// The formats of its files, the most frequent first.
    pub formats: Vec<FormatCount>,
    /// What every replica has of it.
    pub replicas: Vec<CopyCount>,
    /// The approved request by which it, or some of it, is being deleted.
    pub deletion_request: Option<i64>,
    /// Its own last events, the newest first; those about its files are with the files.
    pub events: Vec<EventRow>,
}

/// One file with what is known about it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FileDetail {
    /// The file in its current version.
    pub file: FileRow,
    /// All its versions, the newest first.
    pub versions: Vec<FileRow>,
    /// The copies of its current version.
    pub copies: Vec<CopyRow>,
    /// The approved request by which it is being deleted.
    pub deletion_request: Option<i64>,
    /// The last version whose bag had it, when the bag of the object's current version had not.
    pub kept_from: Option<Version>,
    /// Its last events, the newest first, each told about this file.
    pub events: Vec<EventRow>,
}

/// One event.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct EventDetail {
    /// The event, as it was written.
    pub event: EventRow,
}

/// Kinds of things that are asked for by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// An object.
    Object,
    /// A file.
    File,
    /// An event.
    Event,
    /// A digest.
    Checksum,
    /// A copy.
    StorageRecord,
}

impl Held {
    /// The word in sentences.
    pub fn name(self) -> &'static str {
        match self {
            Held::Object => "object",
            Held::File => "file",
            Held::Event => "event",
            Held::Checksum => "checksum",
            Held::StorageRecord => "storage record",
        }
    }
}

impl Desk<'_> {
    /// Objects by filter.
    pub fn objects(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<ObjectList, DeskError> {
        let (shared, pairs) = take_shared(pairs)?;
        let sight = match (shared, self.sight().institution()) {
            (true, Some(institution)) => Sight::Shared { institution },
            (true, None) | (false, _) => self.sight(),
        };
        let query = parse(&OBJECTS, &pairs, counting)?.seen_by(sight);
        Ok(self.app.registry.list_objects(&query)?.into())
    }

    /// Files by filter, each in its current version.
    pub fn files(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<FileList, DeskError> {
        let query = parse(&FILES, pairs, counting)?.seen_by(self.sight_of(pairs)?);
        Ok(self.app.registry.list_files(&query)?.into())
    }

    /// Events by filter.
    pub fn events(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<EventList, DeskError> {
        let query = parse(&EVENTS, pairs, counting)?.seen_by(self.sight_of(pairs)?);
        Ok(self.app.registry.list_events(&query)?.into())
    }

    /// Institutions by filter.
    pub fn institutions(&self, pairs: &[(String, String)]) -> Result<InstitutionList, DeskError> {
        let query = Query::parse(&INSTITUTIONS, pairs)?.counting(Counting::Exact);
        let query = query.seen_by(self.sight());
        Ok(self.app.registry.list_institutions(&query)?.into())
    }

    /// The object with this number or identifier.
    pub fn held_object(&self, which: &str) -> Result<ObjectRow, DeskError> {
        let found = match which.parse() {
            Ok(number) => self.app.registry.object(ObjectId(number))?,
            Err(_) => self.app.registry.object_by_identifier(which)?,
        };
        let seen = found.filter(|it| self.sees(it.institution_id, it.access));
        seen.ok_or_else(|| not_held(Held::Object, which))
    }

    /// Whether this caller may see something of this owner and access: their own, and what others
    /// share.
    pub(super) fn sees(&self, owner: i64, access: Access) -> bool {
        let sight = self.sight();
        let shared = sight.institution().map(|institution| Sight::Shared { institution });
        sight.sees(owner, access.name()) || shared.is_some_and(|it| it.sees(owner, access.name()))
    }

    /// How much is seen of a list that asks for one object: all of it, when the object is seen.
    pub(super) fn sight_of(&self, pairs: &[(String, String)]) -> Result<Sight, DeskError> {
        let names =
            ["intellectual_object_id", "object_identifier", "intellectual_object_identifier"];
        let Some((_, which)) = pairs.iter().find(|(name, _)| names.contains(&name.as_str())) else {
            return Ok(self.sight());
        };
        match self.held_object(which) {
            Ok(_) => Ok(Sight::All),
            Err(DeskError::NotHeld { .. }) => Ok(self.sight()),
            Err(error) => Err(error),
        }
    }

    /// How much this caller holds.
    pub fn held_sums(&self) -> Result<HeldSums, DeskError> {
        Ok(self.app.registry.held_sums_of(self.sight())?)
    }

    /// Whether a file is within this caller's sight.
    pub fn sees_file(&self, file: &FileRow) -> bool {
        self.sees(file.institution_id, file.access)
    }

    /// Writes what is known about an object as a PREMIS document.
    pub fn premis(&self, object: &ObjectRow, out: &mut dyn Write) -> Result<(), DeskError> {
        Ok(crate::premis::write(&self.app.registry, object, out)?)
    }

    /// One object, by its number or identifier.
    pub fn object(&self, which: &str) -> Result<ObjectDetail, DeskError> {
        let registry = &self.app.registry;
        let object = self.held_object(which)?;
        // Those about its files are told with the files: only there all of their words are known.
        let last = last_events(&[
            ("intellectual_object_id", &object.id.to_string()),
            ("scope", Scope::Object.name()),
        ])?;
        Ok(ObjectDetail {
            versions: registry.deposits(object.id, SHOWN)?,
            formats: registry.format_counts(object.id, SHOWN)?,
            replicas: registry.copy_counts(object.id, SHOWN)?,
            deletion_request: self.being_deleted(registry.approved_deletion_of(object.id)?),
            events: registry.list_events(&last)?.rows,
            object,
        })
    }

    /// The file with this number, UUID or identifier.
    pub fn held_file(&self, which: &str) -> Result<FileRow, DeskError> {
        let registry = &self.app.registry;
        let found = match (which.parse(), Uuid::parse(which)) {
            (Ok(number), _) => registry.file(FileId(number))?,
            (Err(_), Some(uuid)) => registry.file_by_uuid(uuid)?,
            (Err(_), None) => registry.file_by_identifier(which)?,
        };
        let seen = found.filter(|it| self.sees(it.institution_id, it.access));
        seen.ok_or_else(|| not_held(Held::File, which))
    }

    /// One file, by its number, UUID or identifier.
    pub fn file(&self, which: &str) -> Result<FileDetail, DeskError> {
        let registry = &self.app.registry;
        let file = self.held_file(which)?;
        let going = registry.approved_deletion_of_file(file.intellectual_object_id, file.id)?;
        let object = registry.object(file.intellectual_object_id)?;
        let kept_from = match object {
            Some(object) => registry.kept_from(file.id, object.version)?,
            None => None,
        };
        Ok(FileDetail {
            kept_from,
            deletion_request: self.being_deleted(going),
            versions: registry.file_versions(file.id, SHOWN)?,
            copies: registry.copies(file.id, file.version)?,
            events: registry.list_file_events(file.id, last_events(&[])?)?.rows,
            file,
        })
    }

    /// The request that deletes it now; none while it can still be cancelled.
    fn being_deleted(&self, part: Option<DeletionPart>) -> Option<i64> {
        let now = self.app.shop.clock.now();
        part.filter(|part| part.is_due(now)).map(|part| part.request_id.0)
    }

    /// One event, by its UUID or number.
    pub fn event(&self, which: &str) -> Result<EventDetail, DeskError> {
        let registry = &self.app.registry;
        let found = match (which.parse::<i64>(), Uuid::parse(which)) {
            (Ok(number), _) => {
                let query = Query::parse(&EVENTS, &[("id".to_owned(), number.to_string())])?;
                registry.list_events(&query.counting(Counting::No))?.rows.pop()
            }
            (Err(_), Some(uuid)) => registry.event_by_identifier(uuid)?,
            (Err(_), None) => None,
        };
        let event = found.ok_or_else(|| not_held(Held::Event, which))?;
        // What happened to an object is for those who see the object.
        match self.held_object(&event.intellectual_object_id.to_string()) {
            Ok(_) => Ok(EventDetail { event }),
            Err(DeskError::NotHeld { .. }) => Err(not_held(Held::Event, which)),
            Err(error) => Err(error),
        }
    }
}

pub(super) fn not_held(kind: Held, asked: &str) -> DeskError {
    // What is asked for can be as long as an address; a sentence cannot.
    DeskError::NotHeld { kind, asked: asked.chars().take(200).collect() }
}

/// The question for the newest events, of something or of whatever is said later.
fn last_events(of: &[(&str, &str)]) -> Result<Query, DeskError> {
    let mut pairs = vec![
        ("per_page".to_owned(), LAST_EVENTS.to_owned()),
        ("sort".to_owned(), "date_time__desc".to_owned()),
    ];
    pairs.extend(of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Ok(Query::parse(&EVENTS, &pairs)?.counting(Counting::No))
}

/// Takes out of a question whether it is about what others share.
fn take_shared(pairs: &[(String, String)]) -> Result<(bool, Vec<(String, String)>), DeskError> {
    let (shared, rest): (Vec<_>, Vec<_>) =
        pairs.iter().cloned().partition(|(name, _)| name == "shared");
    match shared.as_slice() {
        [] => Ok((false, rest)),
        [(_, value)] if value == "true" => Ok((true, rest)),
        [(name, _), ..] => {
            let problem = "can only be true, and only once".to_owned();
            Err(BadQuery { parameter: name.clone(), problem }.into())
        }
    }
}

pub(super) fn parse(
    listing: &'static Listing,
    pairs: &[(String, String)],
    counting: Counting,
) -> Result<Query, DeskError> {
    let query = Query::parse(listing, pairs)?;
    check_words(pairs)?;
    Ok(query.counting(counting))
}

/// The words of a column that has no others.
pub(crate) fn closed_words(column: &str) -> Option<Vec<&'static str>> {
    Some(match column {
        "access" => Access::ALL.iter().map(|it| it.name()).collect(),
        "state" => HeldState::ALL.iter().map(|it| it.name()).collect(),
        "event_type" => EventType::ALL.iter().map(|it| it.name()).collect(),
        "outcome" => Outcome::ALL.iter().map(|it| it.name()).collect(),
        "scope" => Scope::ALL.iter().map(|it| it.name()).collect(),
        _ => return None,
    })
}

/// A mistyped word of a closed set would look like an answer: nothing found.
fn check_words(pairs: &[(String, String)]) -> Result<(), DeskError> {
    for (name, value) in pairs {
        let column = name.split("__").next().unwrap_or_default();
        let Some(words) = closed_words(column) else { continue };
        if !words.contains(&value.as_str()) {
            let problem = format!("is {value:?}; it is one of {}", words.join(", "));
            return Err(BadQuery { parameter: name.clone(), problem }.into());
        }
    }
    Ok(())
}
