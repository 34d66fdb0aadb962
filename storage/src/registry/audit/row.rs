//! A line of the log, and what can be asked of it.

use rusqlite::Row;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::deed::{AuditHow, AuditOutcome, Deed};
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, Moment};
use crate::registry::query::Kind::{Integer, Text, Time};
use crate::registry::query::Op::{Contains, Eq, Gt, GtEq, In, IsNull, Lt, LtEq, NotNull};
use crate::registry::query::{Column, Listing, Owner, Page, Query};
use crate::registry::{Error, Registry};

/// One line of the log, in the order of [`AUDIT`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditRow {
    /// Given by the registry.
    pub id: i64,
    /// When.
    #[serde(with = "Moment")]
    pub at: Timestamp,
    /// The user who did it; none for the command line and for those we do not know.
    pub user_id: Option<i64>,
    /// Their e-mail as it was then, or a word for who it was.
    pub who: String,
    /// How it is known.
    pub how: AuditHow,
    /// The token that was used.
    pub token_id: Option<i64>,
    /// The address it came from; empty for the command line.
    pub address: String,
    /// What was done.
    pub deed: Deed,
    /// What kind of thing it was done to; empty for nothing in particular.
    pub about_kind: String,
    /// Its name.
    pub about: String,
    /// The user whose account it was done to, by number; none when it was no account.
    #[serde(default)]
    pub about_user_id: Option<i64>,
    /// Whose affair it is; none for the house's own.
    pub institution_id: Option<i64>,
    /// What came of it.
    pub outcome: AuditOutcome,
    /// What else there is to say.
    pub detail: String,
}

/// The listing of the log, newest first.
pub static AUDIT: Listing = Listing {
    table: "audit",
    view: "audit",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq, In, Gt, GtEq, Lt, LtEq]).sortable(),
        Column::new("at", Time, &[Gt, GtEq, Lt, LtEq]).sortable(),
        Column::new("user_id", Integer, &[Eq, In, IsNull, NotNull]).nullable(),
        Column::new("who", Text, &[Eq, Contains]),
        Column::new("how", Text, &[Eq, In]),
        Column::new("token_id", Integer, &[Eq]).nullable(),
        Column::new("address", Text, &[Eq]),
        Column::new("deed", Text, &[Eq, In]),
        Column::new("about_kind", Text, &[Eq, In]),
        Column::new("about", Text, &[Eq, Contains]),
        Column::new("about_user_id", Integer, &[Eq]).nullable(),
        Column::new("institution_id", Integer, &[Eq, In, IsNull, NotNull]).nullable(),
        Column::new("outcome", Text, &[Eq, In]),
        Column::new("detail", Text, &[]),
    ],
    owner: Owner::INSTITUTION,
    default_sort: ("at", true),
};

impl Registry {
    /// One page of the log.
    pub fn list_audit(&self, query: &Query) -> Result<Page<AuditRow>, Error> {
        self.list(&AUDIT, query, AuditRow::read)
    }
}

impl AuditRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
        let mut of = Fields::of(row);
        Ok(AuditRow {
            id: of.take()?,
            at: of.take()?,
            user_id: of.take()?,
            who: of.take()?,
            how: of.take()?,
            token_id: of.take()?,
            address: of.take()?,
            deed: of.take()?,
            about_kind: of.take()?,
            about: of.take()?,
            about_user_id: of.take()?,
            institution_id: of.take()?,
            outcome: of.take()?,
            detail: of.take()?,
        })
    }
}
