//! What can be asked of work items.
//!
//! Every filter of the described API, under its names, and a few of ours. A column is offered as a
//! filter only when an index answers it; `tests.rs` asks SQLite whether one does.

use crate::registry::holding::named;
use crate::registry::query::Kind::{Bool, Integer, Text, Time};
use crate::registry::query::Op::{
    Contains, Eq, Gt, GtEq, In, IsNull, Lt, LtEq, Ne, NotNull, StartsWith,
};
use crate::registry::query::{Column, Listing, Op, Owner};

const SHOWN: &[Op] = &[];
const SAME: &[Op] = &[Eq];
const WORD: &[Op] = &[Eq, Ne, In];
const WORDS: &[Op] = &[Eq, Ne, In, StartsWith, Contains];
const LINK: &[Op] = &[Eq, In, IsNull, NotNull];
const SPAN: &[Op] = &[Eq, Gt, GtEq, Lt, LtEq];
const PRESENT: &[Op] = &[IsNull, NotNull];
const PREFIX: &[Op] = &[Eq, In, StartsWith];

/// The first so many columns are the table's own; the rest come from the view.
pub(super) const STORED: usize = 48;

/// The listing of work items, newest first.
pub static ITEMS: Listing = Listing {
    table: "work_items",
    view: "work_items_view",
    key: "id",
    columns: &[
        Column::new("id", Integer, &[Eq, In, Gt, GtEq, Lt, LtEq]).sortable().ordered(&["id"]),
        Column::new("flow", Text, WORD).aside(),
        Column::new("topic", Text, WORD).aside(),
        Column::new("state", Text, WORD).aside(),
        Column::new("name", Text, WORDS).sortable().ordered(&["name", "date_processed"]),
        Column::new("etag", Text, SAME),
        Column::new("institution_id", Integer, LINK).nullable().aside(),
        Column::new("intellectual_object_id", Integer, LINK).nullable(),
        Column::new("generic_file_id", Integer, LINK).nullable(),
        Column::new("bucket", Text, SAME),
        Column::new("user", Text, SAME),
        Column::new("note", Text, SHOWN),
        Column::new("action", Text, WORD).sortable().aside().ordered(&["action", "date_processed"]),
        Column::new("stage", Text, WORD).sortable().aside().ordered(&["stage", "date_processed"]),
        Column::new("status", Text, WORD).sortable().aside().ordered(&["status", "date_processed"]),
        Column::new("outcome", Text, SHOWN),
        Column::new("bag_date", Time, &[Eq, Gt, GtEq, Lt, LtEq, IsNull])
            .nullable()
            .sortable()
            .ordered(&["bag_date", "date_processed"]),
        Column::new("date_processed", Time, SPAN).sortable(),
        Column::new("retry", Bool, SAME),
        Column::new("node", Text, PRESENT).nullable(),
        Column::new("pid", Integer, SHOWN),
        Column::new("needs_admin_review", Bool, SAME),
        Column::new("queued_at", Time, PRESENT).nullable(),
        Column::new("size", Integer, SPAN).sortable().ordered(&["size", "date_processed"]),
        Column::new("stage_started_at", Time, SHOWN).nullable(),
        Column::new("aptrust_approver", Text, SHOWN).nullable(),
        Column::new("inst_approver", Text, SHOWN).nullable(),
        Column::new("deletion_request_id", Integer, &[Eq, In, NotNull]).nullable(),
        Column::new("object_identifier", Text, PREFIX)
            .nullable()
            .sortable()
            .ordered(&["object_identifier", "date_processed"]),
        Column::new("generic_file_identifier", Text, PREFIX)
            .nullable()
            .sortable()
            .ordered(&["generic_file_identifier", "date_processed"]),
        Column::new("alt_identifier", Text, PREFIX)
            .nullable()
            .sortable()
            .ordered(&["alt_identifier", "date_processed"]),
        Column::new("bag_group_identifier", Text, PREFIX)
            .nullable()
            .sortable()
            .ordered(&["bag_group_identifier", "date_processed"]),
        Column::new("storage_option", Text, WORD).nullable().aside(),
        Column::new("bagit_profile_identifier", Text, SAME).nullable(),
        Column::new("source_organization", Text, SHOWN).nullable(),
        Column::new("internal_sender_identifier", Text, SHOWN).nullable(),
        Column::new("priority", Integer, SHOWN),
        Column::new("attempts", Integer, SHOWN),
        Column::new("revision", Integer, SHOWN),
        Column::new("reason", Text, &[Eq, In, NotNull]).nullable(),
        Column::new("happened", Text, SHOWN).nullable(),
        Column::new("kept", Text, SHOWN).nullable(),
        Column::new("advice", Text, SHOWN).nullable(),
        Column::new("created_at", Time, SHOWN),
        Column::new("updated_at", Time, SHOWN),
        Column::new("waiting_since", Time, SHOWN).nullable(),
        Column::new("waiting_for", Text, &[Eq, NotNull]).nullable(),
        Column::new("unique_name", Text, SHOWN).nullable(),
        Column::new("institution_name", Text, SHOWN).nullable(),
        Column::new("institution_identifier", Text, SHOWN).nullable(),
        Column::asked("named", SAME, named!("item_words")),
    ],
    owner: Owner {
        unrestricted: Some(
            "NOT EXISTS (SELECT 1 FROM objects AS kept WHERE kept.identifier = object_identifier
                AND kept.access = 'restricted')
             AND NOT EXISTS (SELECT 1 FROM restricted_deposits AS sent
                WHERE sent.identifier = object_identifier)",
        ),
        ..Owner::INSTITUTION
    },
    default_sort: ("date_processed", true),
};
