//! What could not be searched, and why.

use serde::Serialize;

use crate::parts::Link;

/// Something that could not be searched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ResearchTrouble {
    /// What it is about: the recording itself, or the other one of a pair.
    pub about: Link,
    /// Its stable name, such as `not_audio`.
    pub code: String,
    /// What happened, in a sentence.
    pub why: String,
    /// How often it was tried.
    pub tries: u64,
    /// When it was tried last, as RFC 3339 in UTC.
    pub at: String,
    /// When it is tried again, as RFC 3339 in UTC; none when a person has to ask.
    pub retry: Option<String>,
    /// Where another try is asked for by POST; none when nothing can be asked.
    pub retry_action: Option<String>,
}
