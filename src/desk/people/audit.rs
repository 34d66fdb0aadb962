//! The log of who did what, as far as the caller sees it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::{AUDIT, AuditHow, AuditOutcome, AuditRow, BadQuery, Counting, Deed, Query};

use crate::desk::{Desk, DeskError};

/// A page of the log.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditList {
    /// How many lines there are.
    pub count: u64,
    /// False when there are more than were counted.
    pub count_is_exact: bool,
    /// Continues behind this page.
    pub next_cursor: Option<String>,
    /// The lines.
    pub audit: Vec<AuditRow>,
}

impl Desk<'_> {
    /// Lines of the log by filter, newest first.
    pub fn audit(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<AuditList, DeskError> {
        check_words(pairs)?;
        let query = Query::parse(&AUDIT, pairs)?.counting(counting).seen_by(self.sight());
        let page = self.app.registry.list_audit(&query)?;
        let shown = page.rows.len() as u64;
        let (count, count_is_exact) = page.count.map_or((shown, false), |it| (it.value, it.exact));
        Ok(AuditList { count, count_is_exact, next_cursor: page.next_cursor, audit: page.rows })
    }
}

/// A mistyped word would look like good news: nothing found.
fn check_words(pairs: &[(String, String)]) -> Result<(), DeskError> {
    let deeds: Vec<_> = Deed::ALL.iter().map(|it| it.word()).collect();
    let hows: Vec<_> = AuditHow::ALL.iter().map(|it| it.word()).collect();
    let outcomes: Vec<_> = AuditOutcome::ALL.iter().map(|it| it.word()).collect();
    for (name, value) in pairs {
        let words = match name.trim_end_matches("__in") {
            "deed" => &deeds,
            "how" => &hows,
            "outcome" => &outcomes,
            _ => continue,
        };
        if !words.contains(&value.as_str()) {
            let value: String = value.chars().take(80).collect();
            let problem = format!("is {value:?}; it is one of {}", words.join(", "));
            return Err(BadQuery { parameter: name.clone(), problem }.into());
        }
    }
    Ok(())
}
