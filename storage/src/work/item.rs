//! A work item: the one record that says where a piece of work stands.
//!
//! Queue order, leases, pages and counts are all derived from it.

mod older;

use std::fmt;

use byteio::first_version;
use serde::{Deserialize, Serialize};

use super::key::Key;
use crate::clock::Timestamp;
use crate::error::Error;

/// The number of an item, for people and programs alike.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct ItemId(pub u64);

impl fmt::Display for ItemId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Key for ItemId {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }
    fn take(input: &mut &[u8]) -> Option<ItemId> {
        u64::take(input).map(ItemId)
    }
}

/// Everything known about one item in progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkItem {
    /// Its number.
    pub id: ItemId,
    /// The flow it walks through.
    pub flow: String,
    /// The topic (stage) it stands at.
    pub topic: String,
    /// Where it stands there.
    pub state: State,
    /// What it is about.
    pub subject: Subject,
    /// Higher goes first.
    pub priority: i32,
    /// At most one live item may bear this name.
    pub unique: Option<String>,
    /// Not worth doing any more after this.
    pub expires: Option<Timestamp>,
    /// What went wrong at this stage so far.
    pub strikes: Strikes,
    /// Attempts begun in its whole life; numbers the history.
    pub turns: u32,
    /// How it is to end once its flow has cleaned up.
    pub verdict: Verdict,
    /// A person asked to cancel it while it was leased.
    pub cancel: Option<CancelRequest>,
    /// The latest message for people.
    pub note: String,
    /// How it ended, in one sentence.
    pub outcome: String,
    /// Rises with every change; the registry keeps the highest.
    pub revision: u64,
    /// When it was pushed.
    pub created: Timestamp,
    /// When it last changed.
    pub updated: Timestamp,
    /// When it was last put in line.
    pub queued: Timestamp,
    /// When its latest attempt began.
    pub started: Option<Timestamp>,
    /// What it waits for, while it does.
    #[serde(default)]
    pub waiting: Option<Wait>,
}

/// What an item waits for. It is asked again and again until it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wait {
    /// Stable code of the cause, kebab-case.
    pub cause: String,
    /// Which of them, such as the name of a replica; empty where there is one only.
    pub what: String,
    /// Since when.
    pub since: Timestamp,
    /// Attempts that found it still waiting, one after the other.
    pub looks: u32,
}

/// Where an item stands, and who moves it on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum State {
    /// In line. To `Leased` by a claim; to `Expired`, `Cancelled`.
    Ready {
        /// Its place in line within its priority.
        seq: u64,
    },
    /// Waiting for a moment. To `Ready` when it is due; to `Expired`, `Cancelled`.
    Delayed {
        /// The moment.
        due: Timestamp,
    },
    /// Being worked on. Anywhere by settling; to `Ready` when the lease ends or the process dies.
    Leased(Hold),
    /// Waiting for a person. To `Ready` by a requeue; to `Cancelled`.
    Parked {
        /// Why.
        because: Reason,
    },
    /// Done. Leaves the work state once the registry has it.
    Finished,
    /// Refused for good. Leaves likewise.
    Failed {
        /// Why.
        because: Reason,
    },
    /// Called off. Leaves likewise.
    Cancelled,
    /// Outlived its time. Leaves likewise.
    Expired,
}

/// Who works on an item, and until when without another word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Number of the lease, never used twice.
    pub lease: u64,
    /// The run of the program that took it.
    pub epoch: u64,
    /// When it ends.
    pub expires: Timestamp,
    /// The place in line it was taken from and returns to when given back.
    pub seq: u64,
}

/// Why an item waits for a person, in three sentences and a code to group by.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Stable, kebab-case.
    pub code: String,
    /// What happened.
    pub happened: String,
    /// What was kept.
    pub kept: String,
    /// What to do next.
    pub advice: String,
}

/// What went wrong at one stage; forgotten when the item moves on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strikes {
    /// Attempts that count, the current one included.
    pub attempts: u16,
    /// Attempts that ended in a panic.
    pub panics: u16,
    /// Attempts during which the whole process died.
    pub crashes: u16,
    /// Of these, those of a suspect during which nothing else was under way.
    #[serde(default)]
    pub alone: u16,
}

/// How an item is to end after its flow's clean-up stage.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Verdict {
    /// As its stages decide.
    #[default]
    Open,
    /// Cancelled.
    Cancelled,
    /// Failed.
    Failed(Reason),
}

/// A wish to cancel an item that is being worked on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CancelRequest {
    /// Why, and by whom.
    pub why: String,
    /// The clean-up stage of its flow, if there is one.
    pub cleanup: Option<String>,
}

/// What an item is about, in the words of the described registry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Subject {
    /// `Ingest`, `Restore Object`, ...
    pub action: String,
    /// A name for people: the bag's file name.
    pub name: String,
    /// Digest or tag of the deposit as received.
    pub etag: Option<String>,
    /// The institution's row.
    pub institution: Option<i64>,
    /// The object's row.
    pub object: Option<i64>,
    /// The file's row.
    pub file: Option<i64>,
    /// The object's identifier.
    pub object_identifier: Option<String>,
    /// The file's identifier.
    pub file_identifier: Option<String>,
    /// Where the deposit was received.
    pub bucket: Option<String>,
    /// Who asked.
    pub user: String,
    /// When the deposit was last modified.
    pub bag_date: Option<Timestamp>,
    /// Size of the work, for estimates and reports.
    pub size_bytes: u64,
    /// Storage option.
    pub storage_option: Option<String>,
    /// Alternate identifier.
    pub alt_identifier: Option<String>,
    /// Bag group.
    pub bag_group_identifier: Option<String>,
    /// Profile.
    pub bagit_profile_identifier: Option<String>,
    /// Source organisation.
    pub source_organization: Option<String>,
    /// Sender's identifier.
    pub internal_sender_identifier: Option<String>,
    /// Administrator of the institution who approved.
    pub inst_approver: Option<String>,
    /// Operator who approved.
    pub aptrust_approver: Option<String>,
    /// The deletion request it carries out.
    pub deletion_request: Option<i64>,
}

/// Something wrong with a deposit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable, kebab-case.
    pub code: String,
    /// How bad.
    pub severity: Severity,
    /// Which file, line or tag.
    pub place: String,
    /// What is wrong and what to do, for a depositor.
    pub sentence: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Refused because of it.
    Error,
    /// Accepted in spite of it.
    Warning,
}

/// One attempt, as it will be told: kept until the registry has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The topic.
    pub topic: String,
    /// When it began.
    pub started: Timestamp,
    /// When it ended.
    pub finished: Timestamp,
    /// One word: `advanced`, `retried`, `parked`, ...
    pub outcome: String,
    /// What to tell people.
    pub note: String,
    /// What is wrong with the deposit.
    pub findings: Vec<Finding>,
}

first_version!(Attempt, ItemId);

impl Wait {
    /// The cause and which of them, as one text that items with the same cause share.
    pub fn label(&self) -> String {
        if self.what.is_empty() {
            return self.cause.clone();
        }
        format!("{} {}", self.cause, self.what)
    }
}

impl State {
    /// The word for people and programs.
    pub fn word(&self) -> &'static str {
        match self {
            State::Ready { .. } => "ready",
            State::Delayed { .. } => "delayed",
            State::Leased(_) => "leased",
            State::Parked { .. } => "parked",
            State::Finished => "finished",
            State::Failed { .. } => "failed",
            State::Cancelled => "cancelled",
            State::Expired => "expired",
        }
    }

    /// Whether nothing moves it any more.
    pub fn is_terminal(&self) -> bool {
        match self {
            State::Ready { .. }
            | State::Delayed { .. }
            | State::Leased(_)
            | State::Parked { .. } => false,
            State::Finished | State::Failed { .. } | State::Cancelled | State::Expired => true,
        }
    }
}

/// Longest note, reason sentence or outcome; longer ones are cut.
const TEXT_LIMIT: usize = 4096;
/// Most findings kept of one attempt; the last one then says how many more there were.
const FINDINGS_LIMIT: usize = 1000;
/// Longest name of an item, as in the described registry.
const NAME_LIMIT: usize = 1000;

/// Cuts text at a character boundary.
pub(crate) fn cut(mut text: String) -> String {
    if text.len() > TEXT_LIMIT {
        let end = (0..=TEXT_LIMIT - 3).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Keeps the first thousand findings and says how many more there were.
pub(crate) fn bound_findings(mut findings: Vec<Finding>) -> Vec<Finding> {
    let over = findings.len().saturating_sub(FINDINGS_LIMIT);
    if over > 0 {
        findings.truncate(FINDINGS_LIMIT);
        findings.push(Finding {
            code: "more-findings".into(),
            severity: Severity::Error,
            place: String::new(),
            sentence: format!("{over} more findings are not listed: mend these first"),
        });
    }
    findings
}

/// A topic, flow or schedule name: what may stand in a key, a URL and a metric.
pub(crate) fn check_name(what: &'static str, name: &str) -> Result<(), Error> {
    let plain =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    if name.is_empty() || name.len() > 64 || !name.bytes().all(plain) {
        let problem = format!("{name:?} must be 1 to 64 of a-z, 0-9, _ and -");
        return Err(Error::Malformed { what, problem });
    }
    Ok(())
}

impl Subject {
    /// Checks what a subject may hold.
    pub fn check(&self) -> Result<(), Error> {
        if self.name.is_empty() || self.name.len() > NAME_LIMIT {
            let problem = format!("must be 1 to {NAME_LIMIT} bytes, not {}", self.name.len());
            return Err(Error::Malformed { what: "the item's name", problem });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_between_characters() {
        let cut = cut("é".repeat(TEXT_LIMIT));
        assert!(cut.len() <= TEXT_LIMIT && cut.ends_with('…'));
    }

    #[test]
    fn findings_are_bounded_and_the_rest_counted() {
        let one = Finding {
            code: "x".into(),
            severity: Severity::Error,
            place: String::new(),
            sentence: String::new(),
        };
        let bounded = bound_findings(vec![one; 1500]);
        assert_eq!(bounded.len(), 1001);
        assert!(bounded[1000].sentence.starts_with("500 more"));
    }

    #[test]
    fn names_that_could_not_stand_in_a_key_are_refused() {
        for bad in ["", "a\0b", "Ingest", "a/b", &"x".repeat(65)] {
            assert!(check_name("topic", bad).is_err(), "{bad:?}");
        }
        assert!(check_name("topic", "ingest01_prefetch").is_ok());
    }
}
