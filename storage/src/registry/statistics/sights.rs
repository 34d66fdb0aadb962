//! Whose figures somebody sees.

use rusqlite::types::Value;

use crate::registry::Sight;

/// Whether the accounts of a member count with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kin {
    /// What an institution holds itself.
    Alone,
    /// And its accounts: deposits are reported together.
    WithAccounts,
}

/// A condition on `institution_id`, and on what is restricted.
pub(super) struct Seen {
    pub(super) sql: String,
    pub(super) values: Vec<Value>,
}

/// What somebody sees of rows that name their institution; `open` holds for those that are not
/// restricted. What others share is in lists, not in figures.
pub(super) fn seen(sight: Sight, kin: Kin, open: &str) -> Seen {
    match sight {
        Sight::All => Seen { sql: "1".to_owned(), values: Vec::new() },
        Sight::Shared { .. } => Seen { sql: "0".to_owned(), values: Vec::new() },
        Sight::Own { institution, restricted } => {
            let own = match kin {
                Kin::Alone => "institution_id = ?1",
                Kin::WithAccounts => {
                    "institution_id IN (SELECT i.id FROM institutions AS i
                     WHERE i.id = ?1 OR i.member_institution_id = ?1)"
                }
            };
            let rest = if restricted { String::new() } else { format!(" AND {open}") };
            Seen { sql: format!("{own}{rest}"), values: vec![Value::Integer(institution)] }
        }
    }
}
