//! What is wrong with a bag: always all of it, in sentences for a depositor.

use serde::Serialize;

use super::code::Code;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which rule.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// Which file, line or tag: `manifest-md5.txt:12`, `data/a.txt`, `bag-info.txt Title`.
    pub place: String,
    /// What is wrong and what to do about it.
    pub sentence: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The bag is not valid.
    Error,
    /// The bag is valid; someone should know.
    Warning,
}

impl Finding {
    /// A finding with the usual severity of its rule.
    pub fn new(code: Code, place: impl Into<String>, sentence: impl Into<String>) -> Finding {
        let severity = code.severity();
        Finding { code, severity, place: place.into(), sentence: sentence.into() }
    }

    /// The same finding with another severity: that of the version or profile in use.
    pub fn graded(self, severity: Severity) -> Finding {
        Finding { severity, ..self }
    }
}
