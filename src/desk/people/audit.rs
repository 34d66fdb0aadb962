//! The log of who did what, as far as the caller sees it.

use std::io::Write;

use serde::{Deserialize, Serialize};
use storage::registry::{AUDIT, AuditHow, AuditOutcome, AuditRow, BadQuery, Counting, Deed, Query};

use crate::desk::{Desk, DeskError, csv_row};

/// A page of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuditList {
    /// How many lines there are.
    pub count: u64,
    /// Whether that is all of them, or as far as they were counted.
    pub count_is_exact: bool,
    /// Where the next page begins.
    pub next_cursor: Option<String>,
    /// The lines.
    pub audit: Vec<AuditRow>,
}

const HEAD: &[&str] = &[
    "id",
    "at",
    "user_id",
    "who",
    "how",
    "token_id",
    "address",
    "deed",
    "about_kind",
    "about",
    "institution_id",
    "outcome",
    "detail",
];
/// Lines read at a time for a table.
const PER_PAGE: &str = "1000";

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

    /// Every line that the filter finds, for spreadsheets.
    pub fn audit_csv(
        &self,
        pairs: &[(String, String)],
        out: &mut dyn Write,
    ) -> Result<(), DeskError> {
        let paging = ["page", "per_page", "cursor"];
        let mut asked: Vec<_> =
            pairs.iter().filter(|(name, _)| !paging.contains(&name.as_str())).cloned().collect();
        asked.push(("per_page".into(), PER_PAGE.into()));
        csv_row(out, HEAD)?;
        let mut cursor: Option<String> = None;
        loop {
            let mut pairs = asked.clone();
            pairs.extend(cursor.take().map(|cursor| ("cursor".to_owned(), cursor)));
            let list = self.audit(&pairs, Counting::No)?;
            for row in &list.audit {
                line(out, row)?;
            }
            match list.next_cursor {
                Some(next) if !list.audit.is_empty() => cursor = Some(next),
                Some(_) | None => return Ok(()),
            }
        }
    }
}

fn line(out: &mut dyn Write, row: &AuditRow) -> Result<(), DeskError> {
    let number = |number: Option<i64>| number.map(|it| it.to_string()).unwrap_or_default();
    csv_row(
        out,
        &[
            &row.id.to_string(),
            &row.at.to_string(),
            &number(row.user_id),
            &row.who,
            row.how.word(),
            &number(row.token_id),
            &row.address,
            row.deed.word(),
            &row.about_kind,
            &row.about,
            &number(row.institution_id),
            row.outcome.word(),
            &row.detail,
        ],
    )?;
    Ok(())
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
