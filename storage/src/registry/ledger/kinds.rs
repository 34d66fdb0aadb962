//! The kinds of rows that the journal has lines about.

use rusqlite::Connection;

use crate::registry::Error;

/// One kind of row: a row of its table, and what belongs to it.
pub(super) struct Kind {
    /// The table, which is also the name in `untold`.
    pub(super) name: &'static str,
    /// The exported tables that its lines are from, each with what chooses them; parents before
    /// children.
    pub(super) tables: &'static [(&'static str, &'static str)],
    /// The columns of the table that the key consists of.
    pub(super) keys: &'static [&'static str],
    /// Which rows the journal has lines about, as the triggers say that note changes; empty for all.
    pub(super) condition: &'static str,
}

const ID: &[&str] = &["id"];

/// Every kind, parents before children.
pub(super) const KINDS: &[Kind] = &[
    Kind { name: "institutions", tables: &[("institutions", "id = ?1")], keys: ID, condition: "" },
    Kind { name: "users", tables: &[("users", "id = ?1")], keys: ID, condition: "" },
    Kind {
        name: "work_items",
        tables: &[
            ("work_items", "id = ?1"),
            ("work_attempts", "item_id = ?1"),
            ("work_findings", "item_id = ?1"),
        ],
        keys: ID,
        condition: "state IN ('finished', 'failed', 'cancelled', 'expired')",
    },
    Kind {
        name: "events",
        tables: &[("events", "e.id = ?1")],
        keys: ID,
        condition: "deposit_id IS NULL",
    },
    Kind {
        name: "checks",
        tables: &[("checks", "k.object_id = ?1 AND k.replica_id = ?2")],
        keys: &["object_id", "replica_id"],
        condition: "",
    },
    Kind {
        name: "copies",
        tables: &[("copies", "c.file_id = ?1 AND c.version = ?2 AND c.replica_id = ?3")],
        keys: &["file_id", "version", "replica_id"],
        condition: "last_checked_at <> verified_at OR state <> 0",
    },
    Kind {
        name: "deletion_requests",
        tables: &[("deletion_requests", "id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind {
        name: "deletion_parts",
        tables: &[("deletion_parts", "p.id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind {
        name: "deletion_copies",
        tables: &[("deletion_copies", "g.part_id = ?1 AND g.replica_id = ?2")],
        keys: &["part_id", "replica_id"],
        condition: "",
    },
    Kind { name: "alerts", tables: &[("alerts", "id = ?1")], keys: ID, condition: "" },
    Kind {
        name: "statistics_months",
        tables: &[("statistics_months", "id = ?1"), ("statistics", "month_id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind { name: "declarations", tables: &[("declarations", "id = ?1")], keys: ID, condition: "" },
    Kind { name: "audit", tables: &[("audit", "id = ?1")], keys: ID, condition: "" },
    Kind {
        name: "research_episodes",
        tables: &[("research_episodes", "id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind {
        name: "research_clips",
        tables: &[("research_clips", "id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind {
        name: "research_researchers",
        tables: &[("research_researchers", "id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind {
        name: "research_searched",
        tables: &[("research_searched", "episode_id = ?1")],
        keys: &["episode_id"],
        condition: "",
    },
    Kind {
        name: "research_findings",
        tables: &[("research_findings", "id = ?1"), ("research_occurrences", "finding_id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind {
        name: "research_troubles",
        tables: &[("research_troubles", "episode_id = ?1 AND clip_id = ?2")],
        keys: &["episode_id", "clip_id"],
        condition: "",
    },
    Kind {
        name: "research_floors",
        tables: &[("research_floors", "episode_id = ?1 AND clip_id = ?2")],
        keys: &["episode_id", "clip_id"],
        condition: "",
    },
    Kind {
        name: "research_leases",
        tables: &[("research_leases", "id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind {
        name: "research_feeds",
        tables: &[("research_feeds", "id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind { name: "assessments", tables: &[("assessments", "id = ?1")], keys: ID, condition: "" },
    Kind {
        name: "deliveries",
        tables: &[("deliveries", "id = ?1"), ("delivery_attempts", "delivery_id = ?1")],
        keys: ID,
        condition: "",
    },
    Kind { name: "levies", tables: &[("levies", "id = ?1")], keys: ID, condition: "" },
];

/// The kind of this name.
pub(super) fn kind_of(name: &str) -> Result<&'static Kind, Error> {
    KINDS.iter().find(|known| known.name == name).ok_or_else(|| Error::Corrupt {
        what: format!("a row of {name:?} is to be written to the journal, which is no kind"),
        source: None,
    })
}

/// The key of a row; what a kind does not need is zero.
pub(super) type RowKey = [i64; 3];

/// Before every key.
pub(super) const FIRST: RowKey = [i64::MIN; 3];

impl Kind {
    /// The keys after this one, in order.
    pub(super) fn keys_after(
        &self,
        conn: &Connection,
        after: RowKey,
        limit: u32,
    ) -> Result<Vec<RowKey>, Error> {
        let columns = self.keys.join(", ");
        let marks = ["?2", "?3", "?4"][..self.keys.len()].join(", ");
        let condition = if self.condition.is_empty() { "TRUE" } else { self.condition };
        let sql = format!(
            "SELECT DISTINCT {columns} FROM {} WHERE ({condition}) AND ({columns}) > ({marks})
             ORDER BY {columns} LIMIT ?1",
            self.name
        );
        let mut statement = conn.prepare_cached(&sql)?;
        statement.raw_bind_parameter(1, limit)?;
        for (index, value) in after.iter().take(self.keys.len()).enumerate() {
            statement.raw_bind_parameter(index + 2, value)?;
        }
        let mut rows = statement.raw_query();
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            let mut key = [0; 3];
            for (index, value) in key.iter_mut().take(self.keys.len()).enumerate() {
                *value = row.get(index)?;
            }
            found.push(key);
        }
        Ok(found)
    }
}
