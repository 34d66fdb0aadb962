//! What a resource lets people ask: its columns, and per column the comparisons.

use super::sight::Owner;

/// How the values of a column are written and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Compared byte by byte, except by `contains`, which does not mind the case of ASCII letters.
    Text,
    /// A signed 64-bit number.
    Integer,
    /// RFC 3339 with any offset.
    Time,
    /// `true` or `false`.
    Bool,
}

/// A comparison, written as the suffix `__name` of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Equal; also meant by no suffix.
    Eq,
    /// Not equal; an absent value is not equal to anything.
    Ne,
    /// Greater.
    Gt,
    /// Greater or equal.
    GtEq,
    /// Less.
    Lt,
    /// Less or equal.
    LtEq,
    /// Begins with the text, case and all.
    StartsWith,
    /// Has the text somewhere.
    Contains,
    /// Equal to one of the values of all parameters of this name.
    In,
    /// Absent; with the value `false`, present.
    IsNull,
    /// Present; with the value `false`, absent. `is_not_null` means the same.
    NotNull,
}

impl Op {
    /// All comparisons.
    pub const ALL: [Op; 11] = [
        Op::Eq,
        Op::Ne,
        Op::Gt,
        Op::GtEq,
        Op::Lt,
        Op::LtEq,
        Op::StartsWith,
        Op::Contains,
        Op::In,
        Op::IsNull,
        Op::NotNull,
    ];

    /// The suffix that asks for it.
    pub fn suffix(self) -> &'static str {
        match self {
            Op::Eq => "eq",
            Op::Ne => "ne",
            Op::Gt => "gt",
            Op::GtEq => "gteq",
            Op::Lt => "lt",
            Op::LtEq => "lteq",
            Op::StartsWith => "starts_with",
            Op::Contains => "contains",
            Op::In => "in",
            Op::IsNull => "is_null",
            Op::NotNull => "not_null",
        }
    }

    pub(super) fn from_suffix(suffix: &str) -> Option<Op> {
        if suffix == "is_not_null" {
            return Some(Op::NotNull);
        }
        Op::ALL.into_iter().find(|op| op.suffix() == suffix)
    }
}

/// One column of a listing. Only this room makes them, so a name is never a caller's text.
#[derive(Debug)]
pub struct Column {
    pub(super) name: &'static str,
    pub(super) kind: Kind,
    pub(super) ops: &'static [Op],
    pub(super) nullable: bool,
    pub(super) sortable: bool,
    pub(super) selectable: bool,
    /// SQL that holds for the rows wanted, with one `?` for the value, in place of a comparison.
    pub(super) condition: Option<&'static str>,
    /// Whether a time is stored as milliseconds and not as text.
    pub(super) millis: bool,
    /// For a key that is computed: the column that leads to its row.
    pub(super) lead: Option<&'static str>,
    /// The view in which an index leads to what is asked of it; the listing's own when absent.
    pub(super) road: Option<&'static str>,
    /// The order in which its index has the rows, its own values first if they are shown.
    pub(super) order: &'static [&'static str],
    /// What each of its words means, in which view; all others mean nothing.
    pub(super) words: &'static [Word],
    /// What not to be one of these words means; of all others it is compared.
    pub(super) unlike: &'static [Word],
    /// Columns that are at most and at least its values, and stand in an index.
    pub(super) bounds: Option<(&'static str, &'static str)>,
    /// Whether rows are found by other columns, when they are asked for too.
    pub(super) aside: bool,
    /// Whether roads do not have it, but only the listing's own view.
    pub(super) off_road: bool,
    /// Columns one of which is asked for too, wherever it is.
    pub(super) inside: &'static [&'static str],
}

/// One word that a column may be asked for.
#[derive(Clone, Copy, Debug)]
pub(in crate::registry) struct Word {
    pub(in crate::registry) word: &'static str,
    /// Holds for the rows that have it.
    pub(in crate::registry) condition: &'static str,
    /// The view in which an index leads to them, and in which order.
    pub(in crate::registry) road: Option<(&'static str, &'static [&'static str])>,
}

impl Column {
    /// A column that is shown and, with no `ops`, not asked about.
    pub(in crate::registry) const fn new(
        name: &'static str,
        kind: Kind,
        ops: &'static [Op],
    ) -> Column {
        Column {
            name,
            kind,
            ops,
            nullable: false,
            sortable: false,
            selectable: true,
            condition: None,
            millis: false,
            lead: None,
            road: None,
            order: &[],
            words: &[],
            unlike: &[],
            bounds: None,
            aside: false,
            off_road: false,
            inside: &[],
        }
    }

    /// A column that is asked about and never shown. `condition` is what its `eq` means.
    pub(in crate::registry) const fn asked(
        name: &'static str,
        ops: &'static [Op],
        condition: &'static str,
    ) -> Column {
        let mut column = Column::new(name, Kind::Text, ops).found_by(condition);
        column.selectable = false;
        column
    }

    /// Makes `eq` mean `condition`, which holds one `?` for the value.
    pub(in crate::registry) const fn found_by(mut self, condition: &'static str) -> Column {
        self.condition = Some(condition);
        self
    }

    /// Says that its times are stored as milliseconds since 1970.
    pub(in crate::registry) const fn in_millis(mut self) -> Column {
        self.millis = true;
        self
    }

    /// Says that its values are computed, and that an index leads to them by `lead`.
    pub(in crate::registry) const fn within(mut self, lead: &'static str) -> Column {
        self.lead = Some(lead);
        self
    }

    /// Says that what is asked of it is found in another view, in this order.
    pub(in crate::registry) const fn along(
        mut self,
        road: &'static str,
        order: &'static [&'static str],
    ) -> Column {
        self.road = Some(road);
        self.order = order;
        self
    }

    /// Says in which order its index has the rows: a range of it is shown so.
    pub(in crate::registry) const fn ordered(mut self, order: &'static [&'static str]) -> Column {
        self.order = order;
        self
    }

    /// Gives every word it can be asked for its own condition.
    pub(in crate::registry) const fn meaning(mut self, words: &'static [Word]) -> Column {
        self.words = words;
        self
    }

    /// Gives those that are not one of these words a condition that an index knows.
    pub(in crate::registry) const fn unlike(mut self, words: &'static [Word]) -> Column {
        self.unlike = words;
        self
    }

    /// Names the columns that are at most and at least its values.
    pub(in crate::registry) const fn between(
        mut self,
        lowest: &'static str,
        highest: &'static str,
    ) -> Column {
        self.bounds = Some((lowest, highest));
        self
    }

    /// Says that many rows share a value: next to another filter it is compared along that one's
    /// index, which has it, and several values of it along the index of the list's own order.
    pub(in crate::registry) const fn aside(mut self) -> Column {
        self.aside = true;
        self
    }

    /// Says that roads do not have it: what is asked of it beside them is left to the listing's view.
    pub(in crate::registry) const fn off_road(mut self) -> Column {
        self.off_road = true;
        self
    }

    /// Says that an index leads to it only from one of these, which have to be asked for beside it.
    pub(in crate::registry) const fn inside(mut self, these: &'static [&'static str]) -> Column {
        self.inside = these;
        self
    }

    pub(in crate::registry) const fn nullable(mut self) -> Column {
        self.nullable = true;
        self
    }

    pub(in crate::registry) const fn sortable(mut self) -> Column {
        self.sortable = true;
        self
    }

    /// The name in parameters, in JSON and in the table.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// How its values are written.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The comparisons it can be asked with; empty when it is only shown.
    pub fn ops(&self) -> &'static [Op] {
        self.ops
    }

    /// Columns one of which has to be asked for beside it; none for most.
    pub fn asked_inside(&self) -> &'static [&'static str] {
        self.inside
    }

    /// Whether a list can be ordered by it.
    pub fn is_sortable(&self) -> bool {
        self.sortable
    }
}

/// Everything that can be asked of one resource.
#[derive(Debug)]
pub struct Listing {
    /// Where filters, order and indexes are: a table, or a view of what may be seen of one.
    pub(in crate::registry) table: &'static str,
    /// Where the shown columns are: the table or a view on it with joined columns.
    pub(in crate::registry) view: &'static str,
    /// The integer primary key, which ends every order.
    pub(in crate::registry) key: &'static str,
    pub(in crate::registry) columns: &'static [Column],
    /// Whose the rows are.
    pub(in crate::registry) owner: Owner,
    /// Column and whether it descends.
    pub(in crate::registry) default_sort: (&'static str, bool),
}

impl Listing {
    /// Its columns, in the order they are shown.
    pub fn columns(&self) -> &'static [Column] {
        self.columns
    }

    pub(super) fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    pub(super) fn selected(&self) -> impl Iterator<Item = &'static Column> {
        self.columns.iter().filter(|column| column.selectable)
    }

    /// What one row is found by.
    pub(super) fn row(&self) -> String {
        match self.column(self.key).and_then(|key| key.lead) {
            Some(lead) => format!("{lead}, {}", self.key),
            None => self.key.to_owned(),
        }
    }

    /// The names of the shown columns, for a select or an insert.
    pub(in crate::registry) fn column_list(&self) -> String {
        self.selected().map(Column::name).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{
        ALERTS, ASSESSMENTS, AUDIT, CHECKSUMS, DELETIONS, EVENTS, FILES, INSTITUTIONS, ITEMS,
        OBJECTS, STORAGE_RECORDS, TOKENS, USERS,
    };

    const ALL: [&Listing; 13] = [
        &ITEMS,
        &INSTITUTIONS,
        &USERS,
        &OBJECTS,
        &FILES,
        &EVENTS,
        &ALERTS,
        &DELETIONS,
        &CHECKSUMS,
        &STORAGE_RECORDS,
        &AUDIT,
        &TOKENS,
        &ASSESSMENTS,
    ];

    #[test]
    fn every_listing_makes_sense() {
        for listing in ALL {
            let key = listing.column(listing.key).expect("the key is a column");
            assert!(key.sortable && key.selectable && key.kind == Kind::Integer);
            assert!(listing.column(listing.default_sort.0).expect("default sort").sortable);
            for (index, column) in listing.columns.iter().enumerate() {
                let name = column.name;
                assert!(!listing.columns[..index].iter().any(|other| other.name == name), "{name}");
                assert!(!name.contains("__") && !name.is_empty(), "{name}");
                assert!(column.selectable || !column.sortable, "a cursor reads it: {name}");
                let like = [Op::StartsWith, Op::Contains].iter().any(|op| column.ops.contains(op));
                assert!(!like || column.kind == Kind::Text, "{name}");
                let null = [Op::IsNull, Op::NotNull].iter().any(|op| column.ops.contains(op));
                assert!(!null || column.nullable, "{name}");
                let marks = column.condition.map(|sql| sql.matches('?').count());
                assert!(marks.is_none_or(|marks| marks == 1), "one value each: {name}");
                assert!(column.condition.is_none() || column.ops[0] == Op::Eq, "{name}");
                assert!(!column.millis || column.kind == Kind::Time, "{name}");
                let lead = column.lead.map(|lead| listing.column(lead).expect("a column leads"));
                assert!(lead.is_none_or(|lead| lead.kind == Kind::Integer), "{name}");
            }
        }
    }
}
