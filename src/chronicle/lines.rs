//! The lines of a chronicle. Their names are on media for ever: a new one may come, none may change.

use serde::{Deserialize, Serialize};
use storage::clock::Timestamp;
use storage::registry::{
    EventType, Institution, NewDeposit, NewFileVersion, ObjectFacts, Outcome, Replica, Scope, Uuid,
    moment,
};

/// How chronicles are written that name files of an earlier version.
pub(crate) const FORMAT: u32 = 2;
/// How all others are written: programs that do not know such lines can read them.
pub(crate) const PLAIN_FORMAT: u32 = 1;

/// One line.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    Heading(Box<Heading>),
    File(Box<NewFileVersion>),
    /// The path of a file of the version before that the deposit does not have, and that stays.
    Kept(String),
    Event(Box<Told>),
    End(End),
}

/// What is known about the version as a whole.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Heading {
    pub(crate) format: u32,
    /// The owner, after the member that it is an account of.
    pub(crate) institutions: Vec<Institution>,
    /// Where every file has a copy, written and read back when the deposit says.
    pub(crate) replicas: Vec<Replica>,
    pub(crate) deposit: NewDeposit,
    pub(crate) object: ObjectFacts,
    pub(crate) saved_file_count: u64,
    #[serde(with = "moment")]
    pub(crate) sealed_at: Timestamp,
}

/// An event, by what it is about: the object or some of the files of this deposit. Numbers that one
/// registry drew are of no use to another.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) identifier: Uuid,
    pub(crate) event_type: EventType,
    #[serde(with = "moment")]
    pub(crate) date_time: Timestamp,
    pub(crate) detail: String,
    pub(crate) outcome: Outcome,
    pub(crate) outcome_detail: String,
    pub(crate) outcome_information: String,
    pub(crate) object: String,
    pub(crate) agent: String,
    pub(crate) scope: Scope,
}

/// The last line: a chronicle without it was cut off.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct End {
    pub(super) files: u64,
    #[serde(default, skip_serializing_if = "is_none")]
    pub(super) kept: u64,
    pub(super) events: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_none(count: &u64) -> bool {
    *count == 0
}
