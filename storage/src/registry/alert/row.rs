//! The row of an alert, and what can be asked of alerts.

use rusqlite::Row;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::query::Kind::{Bool, Integer, Text, Time};
use crate::registry::query::Op::{Eq, Gt, GtEq, In, IsNull, Lt, LtEq, NotNull};
use crate::registry::query::{Column, Listing, Owner};

/// An alert, in the order of [`ALERTS`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AlertRow {
    /// Given by the registry.
    pub id: i64,
    /// What it is about, once for ever.
    pub name: String,
    /// Stable, kebab-case.
    pub kind: String,
    /// Whom it concerns; none for the house.
    pub institution_id: Option<i64>,
    /// One line.
    pub subject: String,
    /// What happened, what was kept, what to do next.
    pub content: String,
    /// The page of ours to go to.
    pub page: Option<String>,
    /// The deletion request it is about.
    pub deletion_request_id: Option<i64>,
    /// The item it is about.
    pub item_id: Option<i64>,
    /// When it was raised.
    #[serde(with = "Moment")]
    pub created_at: Timestamp,
    /// When it was no longer so.
    #[serde(with = "MaybeMoment")]
    pub ended_at: Option<Timestamp>,
    /// Whether everyone of the institution is told; otherwise its administrators are.
    pub everyone: bool,
}

/// What it takes to raise an alert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewAlert {
    /// What it is about: a name that was raised before is not raised again.
    pub name: String,
    /// Stable, kebab-case.
    pub kind: String,
    /// Whom it concerns; none for the house.
    pub institution_id: Option<i64>,
    /// One line.
    pub subject: String,
    /// What happened, what was kept, what to do next.
    pub content: String,
    /// The page of ours to go to.
    pub page: Option<String>,
    /// The deletion request it is about.
    pub deletion_request_id: Option<i64>,
    /// The item it is about.
    pub item_id: Option<i64>,
    /// Whether everyone of the institution is told; otherwise its administrators are.
    pub everyone: bool,
}

/// The listing of alerts, newest first.
pub static ALERTS: Listing = Listing {
    table: "alerts",
    view: "alerts",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq, In, Gt, GtEq, Lt, LtEq]).sortable(),
        Column::new("name", Text, &[Eq]),
        Column::new("kind", Text, &[Eq, In]),
        Column::new("institution_id", Integer, &[Eq, In, IsNull, NotNull]).nullable(),
        Column::new("subject", Text, &[]),
        Column::new("content", Text, &[]),
        Column::new("page", Text, &[]).nullable(),
        Column::new("deletion_request_id", Integer, &[Eq]).nullable(),
        Column::new("item_id", Integer, &[Eq]).nullable(),
        Column::new("created_at", Time, &[Gt, GtEq, Lt, LtEq]).sortable(),
        Column::new("ended_at", Time, &[IsNull, NotNull]).nullable(),
        Column::new("everyone", Bool, &[]),
        // The described API's word for the kind, and whom it may be read by.
        Column::asked("type", &[Eq], "kind = ?"),
        Column::asked(
            "user_id",
            &[Eq],
            "EXISTS (SELECT 1 FROM users AS u WHERE u.id = ? AND u.role <> 'none'
             AND (u.role = 'admin' OR u.institution_id = alerts.institution_id
                 AND (u.role = 'institutional_admin' OR alerts.everyone)))",
        ),
        Column::asked("unread_by", &[Eq], super::reading::UNREAD),
    ],
    owner: Owner { unrestricted: Some("everyone"), ..Owner::INSTITUTION },
    default_sort: ("created_at", true),
};

impl AlertRow {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<AlertRow> {
        let mut of = Fields::of(row);
        Ok(AlertRow {
            id: of.take()?,
            name: of.take()?,
            kind: of.take()?,
            institution_id: of.take()?,
            subject: of.take()?,
            content: of.take()?,
            page: of.take()?,
            deletion_request_id: of.take()?,
            item_id: of.take()?,
            created_at: of.take()?,
            ended_at: of.take()?,
            everyone: of.take()?,
        })
    }
}
