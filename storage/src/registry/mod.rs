//! The registry: what is held, in one SQLite file that anyone can open in fifty years.
//!
//! This room promises:
//!
//! - SQL stands in this folder only. Callers hand in typed values and filters; every value is bound
//!   and every name comes from a static table.
//! - A write is durable when its call returns (`WAL`, `synchronous=FULL`), or did not happen.
//! - Writing the same rows again changes nothing, and an older view of an item never replaces a
//!   newer one.
//! - Every list has a limit, a total order, and a price that does not grow with its depth when it
//!   is walked by cursor.
//! - A file from a later program, or from another program, is refused untouched.
//!
//! Read in this order: `open` (file, connections), `migrate`, `query` (filters to SQL), then one
//! file per resource.

mod account;
mod alert;
mod assessment;
mod audit;
mod care;
mod deletion;
mod error;
mod export;
mod holding;
mod institution;
mod item;
mod ledger;
mod memory;
mod migrate;
pub mod moment;
mod open;
mod pool;
mod query;
mod research;
mod saved_filter;
mod search;
mod snapshot;
mod statistics;
mod user;

pub use account::{
    Acquaintance, Counted, Credential, EmailChange, Factor, InstitutionChange, LetterRow, NewToken,
    Origin, SecretDigest, SessionRow, Sessions, SignInSource, SourceState, TOKENS, TokenRow,
};
pub use alert::{
    ALERTS, AlertFate, AlertRow, Audience, Channel, DeletionMoment, DeletionStep, LongWait,
    NewAlert, OutboxRow, Parcel, ParkedItem, ParkedTogether, Reader, StaleCheck, Stalled,
};
pub use assessment::{
    ASSESSMENTS, Assessed, AssessmentRow, AssessmentState, AttemptTold, DeliveryChannel,
    DeliveryRow, Kept, LevyRow, NewAssessment, NewDelivery, NewLevy,
};
pub use audit::{AUDIT, AuditHow, AuditOutcome, AuditRow, Deed, NewNote, without_note};
pub use care::Flaw;
pub use deletion::{
    DELETIONS, DeletionId, DeletionPart, DeletionPartId, DeletionRow, DeletionState,
    DeletionTarget, GoneCopy, NewDeletion, TARGETS_MAX,
};
pub use error::Error;
pub use export::EXPORTED_TABLES;
pub use holding::{
    About, Access, BATCH_MAX, CHECKSUMS, CheckAge, CheckedCopy, ChecksumRow, CopyCount, CopyRow,
    CopyState, DeletionTelling, DepositFacts, DepositId, DepositRow, DigestPart, Digests,
    DueObject, EVENTS, EachEvent, EachEventPage, EventRow, EventType, ExaminedCopies, FILES,
    FileId, FileRow, Folder, FolderEntry, FolderPage, FormatCount, FormatFacts, HeldContent,
    HeldState, HeldSums, LostFile, MissingCopies, NewCopy, NewDeposit, NewEvent, NewFileVersion,
    OBJECTS, ObjectFacts, ObjectId, ObjectRow, OptionSums, Outcome, Replica, ReplicaChecks,
    ReplicaClass, ReplicaId, ReplicaRow, ReplicaSums, Rows, STORAGE_RECORDS, Scope, Seal,
    StorageRecordRow, Tag, ToldDeletion, UnsoundCopy, UnsoundSums, Uuid, Version,
};
pub use institution::{INSTITUTIONS, Institution, InstitutionKind, NewInstitution, Standing};
pub use item::{
    AttemptRow, FindingRow, ITEMS, ItemRow, ParkedGroup, TERMINAL_STATES, UnfinishedItem,
};
pub use ledger::{Distrusted, Journal, JournalPhase, LedgerPage, Retold, Untold};
pub use migrate::SCHEMA_VERSION;
pub use open::{APPLICATION_ID, Registry};
pub use query::{BadQuery, Column, Count, Counting, Kind, Listing, Op, Page, Query, Sight};
pub use research::{
    Added, Browsed, ClipSet, Ending, FeedRead, FeedRow, Floors, FoundPair, LeaseEnd, LeaseRow,
    Location, MediaFacts, NOTES_MAX, NewFeed, NewRecording, NewResult, Noted, OCCURRENCES_MAX,
    Occurrence, PEAKS_MAX, Rank, Recorded, Recording, RecordingKind, RecordingOrder,
    RecordingQuestion, RecordingState, SearchOutcome, Searched, Trouble, TroubleAbout,
    TroubleCounts, Troubles,
};
pub use saved_filter::{SAVED_MAX, SAVED_NAME_MAX, SAVED_QUERY_MAX, SavedFilter};
pub use search::{Found, SEARCH_MAX};
pub use snapshot::verify_snapshot;
pub use statistics::{
    Declaration, Figures, FormatFigures, Gaps, HeldFigures, InstitutionName, Month, MonthFigures,
    NewDeclaration, RecordedMonth, RoleCount, Warned,
};
pub use user::{NewUser, Role, USERS, User, UserChange};
