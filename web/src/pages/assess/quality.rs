//! Whether reference data can be used: every rule and what it found.

use serde::Serialize;

use crate::parts::Badge;

/// What was looked at before a version was put to use, or refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QualityReport {
    /// The version.
    pub version: String,
    /// Whether it may be used.
    pub passed: bool,
    /// When it was looked at, as RFC 3339 in UTC.
    pub at: String,
    /// Every rule that was applied, the worst first.
    pub rows: Vec<QualityRow>,
    /// What was put right while loading, in sentences.
    pub cleaned: Vec<String>,
}

/// What one rule found in one layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct QualityRow {
    /// The layer.
    pub layer: String,
    /// The rule, in a few words.
    pub rule: String,
    /// Whether it holds.
    pub verdict: Badge,
    /// What was found, in a sentence.
    pub sentence: String,
    /// How many rows offend.
    pub count: u64,
    /// A few of them.
    pub examples: Vec<String>,
}
