//! How the checks stand, for spreadsheets. Two tables, each of them a file: the replicas, and the
//! copies that are not sound.

use std::io::Write;

use storage::registry::CopyState;

use super::csv::csv_row;
use super::{Desk, DeskError};

/// Most copies in the table of those that are not sound.
const UNSOUND_MAX: u32 = 100_000;

const REPLICAS: &[&str] = &[
    "replica",
    "place",
    "objects",
    "copies",
    "unsound",
    "oldest_check",
    "every_days",
    "due_now",
    "next_due",
    "overdue",
    "missing",
];

const UNSOUND: &[&str] = &["file", "uuid", "version", "replica", "state", "last_check", "lost"];

impl Desk<'_> {
    /// One row for each hot replica.
    pub fn fixity_csv(&self, out: &mut dyn Write) -> Result<(), DeskError> {
        csv_row(out, REPLICAS)?;
        let standing = self.fixity()?;
        for row in &standing.replicas {
            let checks = &row.checks;
            let missing = standing.missing.iter().find(|it| it.replica == checks.replica);
            let at = |at: Option<storage::clock::Timestamp>| {
                at.map(|at| at.to_string()).unwrap_or_default()
            };
            csv_row(
                out,
                &[
                    &checks.replica,
                    &checks.place,
                    &checks.object_count.to_string(),
                    &checks.copy_count.to_string(),
                    &checks.unsound_count.to_string(),
                    &at(checks.oldest_checked_at),
                    &row.every_days.to_string(),
                    &row.due_copy_count.to_string(),
                    &at(row.next_due_at),
                    yes_or_no(row.is_overdue),
                    &missing.map_or(0, |it| it.copy_count).to_string(),
                ],
            )?;
        }
        Ok(())
    }

    /// One row for each copy that was not sound when last looked at, the first hundred thousand.
    pub fn unsound_csv(&self, out: &mut dyn Write) -> Result<(), DeskError> {
        csv_row(out, UNSOUND)?;
        for copy in self.app.registry.unsound_copies(None, UNSOUND_MAX)? {
            csv_row(
                out,
                &[
                    &copy.file,
                    &copy.uuid.to_string(),
                    &copy.version.to_string(),
                    &copy.replica,
                    state(copy.state),
                    &copy.last_checked_at.to_string(),
                    yes_or_no(copy.is_lost),
                ],
            )?;
        }
        Ok(())
    }
}

fn yes_or_no(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

fn state(state: CopyState) -> &'static str {
    match state {
        CopyState::Sound => "sound",
        CopyState::Damaged => "damaged",
        CopyState::Missing => "missing",
    }
}
