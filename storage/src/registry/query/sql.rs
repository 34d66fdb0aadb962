//! Writing the SQL of a checked query.
//!
//! The page is found in two steps: an inner select walks the filters and the order and yields keys,
//! the outer one fetches the wide rows of those keys. So a deep offset or a filter over many rows
//! reads narrow indexes and never the rows it skips.

use rusqlite::types::Value;

use super::listing::Column;
use super::parse::{Filter, Query, Sort, Test};
use super::value;

/// SQL text and what is bound to it.
#[derive(Debug)]
pub(in crate::registry) struct Sql {
    pub(in crate::registry) text: String,
    pub(in crate::registry) values: Vec<Value>,
}

impl Sql {
    fn starting(text: String) -> Sql {
        Sql { text, values: Vec::new() }
    }

    fn bind(&mut self, value: Value) {
        self.text.push('?');
        self.values.push(value);
    }
}

impl Query {
    /// The rows of the page and, to know whether there are more, the one after it.
    pub(in crate::registry) fn select(&self) -> Sql {
        let listing = self.listing;
        let order = order_by(&self.sort);
        let mut sql = Sql::starting(format!(
            "SELECT {columns} FROM {view} WHERE ({row}) IN (SELECT {row} FROM {table}",
            columns = listing.column_list(),
            view = listing.view,
            row = listing.row(),
            table = self.road(),
        ));
        self.push_conditions(&mut sql, true);
        sql.text.push_str(&order);
        sql.text.push_str(" LIMIT ");
        sql.bind(Value::Integer(i64::from(self.per_page) + 1));
        let offset = i64::from(self.page - 1) * i64::from(self.per_page);
        if offset > 0 {
            sql.text.push_str(" OFFSET ");
            sql.bind(Value::Integer(offset));
        }
        sql.text.push(')');
        sql.text.push_str(&order);
        sql
    }

    /// These columns of the rows of all pages, in order; whoever walks them ends the walk.
    pub(in crate::registry) fn all_rows(&self, columns: &str) -> Sql {
        let mut sql = Sql::starting(format!("SELECT {columns} FROM {}", self.road()));
        self.push_conditions(&mut sql, false);
        sql.text.push_str(&order_by(&self.sort));
        sql
    }

    /// How many rows all pages have together, looked at no further than `most`.
    pub(super) fn count(&self, most: Option<u64>) -> Sql {
        let table = self.road();
        let Some(most) = most else {
            let mut sql = Sql::starting(format!("SELECT count(*) FROM {table}"));
            self.push_conditions(&mut sql, false);
            return sql;
        };
        let mut sql = Sql::starting(format!("SELECT count(*) FROM (SELECT 1 FROM {table}"));
        self.push_conditions(&mut sql, false);
        sql.text.push_str(" LIMIT ");
        sql.bind(Value::Integer(i64::try_from(most).unwrap_or(i64::MAX)));
        sql.text.push(')');
        sql
    }

    /// Whether no row that is asked for lacks a value to sort by.
    fn is_always_there(&self, sort: &Sort) -> bool {
        let compared = |it: &Filter| {
            it.column.name == sort.column.name
                && matches!(it.test, Test::Compare("=" | "<" | "<=" | ">" | ">=", _))
        };
        !sort.column.nullable || self.filters.iter().any(compared)
    }

    /// Where the rows are found: in the view of the filters, if they have one and the same, or of
    /// the order. What is asked for along two roads at once is left to SQLite's own choice.
    fn road(&self) -> &'static str {
        let ordered = self.sort.first().and_then(|sort| sort.column.road);
        let mut roads = self.filters.iter().filter_map(|filter| filter.road).chain(ordered);
        // A road has what leads along it, and little else.
        let strays = self.filters.iter().any(|it| it.road.is_none() && it.column.off_road);
        match roads.next() {
            None => self.listing.table,
            Some(first) if !strays && roads.all(|road| road == first) => first,
            Some(_) => self.listing.view,
        }
    }

    fn push_conditions(&self, sql: &mut Sql, from_cursor: bool) {
        let mut joint = " WHERE ";
        // The index of owners goes on in the list's own order: a range of that is found there too.
        // Beside a range of keys it is the better one.
        let own = [self.listing.default_sort.0, self.listing.key];
        let led = self.filters.iter().any(|it| it.leads() && !own.contains(&it.column.name));
        let pinned = self.filters.iter().any(|it| it.pins(self.listing.view));
        for filter in &self.filters {
            sql.text.push_str(joint);
            // The plus keeps SQLite from choosing its index.
            let aside = filter.column.aside && led || pinned && is_owner(filter);
            if filter.is_spread() || (aside && !filter.leads()) {
                sql.text.push('+');
            }
            push_filter(sql, filter);
            joint = " AND ";
        }
        if let Some(last) = self.after.as_ref().filter(|_| from_cursor) {
            sql.text.push_str(joint);
            push_after(sql, &self.sort, last, |sort| self.is_always_there(sort));
        }
    }
}

impl Filter {
    /// Whether an index can lead to its rows and nothing else has to be asked for.
    fn leads(&self) -> bool {
        let searched = matches!(self.test, Test::Contains(_) | Test::Absent(false) | Test::Any(_));
        let many = matches!(self.test, Test::Compare("IS NOT", _)) || self.is_spread();
        !searched && !many && !is_owner(self)
    }

    /// Whether it names its rows, which are then looked up one by one.
    fn pins(&self, view: &str) -> bool {
        let named = matches!(self.test, Test::Found(..) | Test::Compare("=", _) | Test::In(_));
        self.road == Some(view) && named
    }

    /// Whether it names several values of which each has many rows.
    fn is_spread(&self) -> bool {
        let shared = self.column.aside || is_owner(self);
        shared && matches!(&self.test, Test::In(choices) if choices.len() > 1)
    }
}

/// Whether it is about whose the rows are, by who asks or by what is asked.
fn is_owner(filter: &Filter) -> bool {
    filter.column.name == "institution_id"
}

fn order_by(sorts: &[Sort]) -> String {
    let direction = |sort: &Sort| if sort.descending { "DESC" } else { "ASC" };
    let terms: Vec<String> =
        sorts.iter().map(|sort| format!("{} {}", sort.column.name, direction(sort))).collect();
    format!(" ORDER BY {}", terms.join(", "))
}

fn push_filter(sql: &mut Sql, filter: &Filter) {
    let name = filter.column.name;
    match &filter.test {
        Test::Found(condition, value) => {
            sql.text.push_str(condition);
            sql.values.push(value.clone());
        }
        Test::Compare(op, value) => {
            sql.text.push_str(&format!("{name} {op} "));
            sql.bind(value.clone());
            push_bounds(sql, filter.column, op, value);
        }
        // A range and not LIKE, because a range is what an index can find.
        Test::StartsWith(prefix) => {
            sql.text.push_str(&format!("{name} >= "));
            sql.bind(Value::Text(prefix.clone()));
            if let Some(end) = value::after_prefix(prefix) {
                sql.text.push_str(&format!(" AND {name} < "));
                sql.bind(Value::Text(end));
            }
        }
        Test::Contains(part) => {
            sql.text.push_str(&format!("{name} LIKE "));
            sql.bind(Value::Text(value::holding(part)));
            sql.text.push_str(" ESCAPE '\\'");
        }
        Test::In(choices) => {
            sql.text.push_str(&format!("{name} IN ("));
            for (index, choice) in choices.iter().enumerate() {
                if index > 0 {
                    sql.text.push(',');
                }
                sql.bind(choice.clone());
            }
            sql.text.push(')');
        }
        Test::Holds(condition) => sql.text.push_str(condition),
        Test::Any(choices) => push_any(sql, choices),
        Test::Absent(absent) => {
            let not = if *absent { "" } else { "NOT " };
            sql.text.push_str(&format!("{name} IS {not}NULL"));
        }
    }
}

/// What holds for all rows that the comparison holds for, and stands in an index.
fn push_bounds(sql: &mut Sql, column: &Column, op: &str, value: &Value) {
    let Some((lowest, highest)) = column.bounds else { return };
    if op != ">" && op != ">=" {
        sql.text.push_str(&format!(" AND {lowest} <= "));
        sql.bind(value.clone());
    }
    if op != "<" && op != "<=" {
        sql.text.push_str(&format!(" AND {highest} >= "));
        sql.bind(value.clone());
    }
}

/// One of these, each of them whole; none of none.
fn push_any(sql: &mut Sql, choices: &[Vec<Filter>]) {
    sql.text.push_str("(0");
    for filters in choices {
        sql.text.push_str(" OR (1");
        for filter in filters {
            sql.text.push_str(" AND ");
            push_filter(sql, filter);
        }
        sql.text.push(')');
    }
    sql.text.push(')');
}

/// The rows that come after `last` in the order.
fn push_after(sql: &mut Sql, sorts: &[Sort], last: &[Value], is_there: impl Fn(&Sort) -> bool) {
    let first = sorts[0];
    let plain = |sort: &Sort| sort.descending == first.descending && is_there(sort);
    if sorts.iter().all(plain) {
        let names: Vec<&str> = sorts.iter().map(|sort| sort.column.name).collect();
        let than = if first.descending { '<' } else { '>' };
        sql.text.push_str(&format!("({}) {than} (", names.join(", ")));
        for (index, value) in last.iter().enumerate() {
            if index > 0 {
                sql.text.push(',');
            }
            sql.bind(value.clone());
        }
        sql.text.push(')');
        return;
    }
    // Row comparison knows neither mixed directions nor absent values: equal so far, then beyond.
    sql.text.push('(');
    for (index, (sort, value)) in sorts.iter().zip(last).enumerate() {
        sql.text.push_str(if index > 0 { " OR (" } else { "(" });
        for (equal, value) in sorts.iter().zip(last).take(index) {
            sql.text.push_str(&format!("{} IS ", equal.column.name));
            sql.bind(value.clone());
            sql.text.push_str(" AND ");
        }
        push_beyond(sql, *sort, value);
        sql.text.push(')');
    }
    sql.text.push(')');
}

/// SQLite sorts an absent value before all others.
fn push_beyond(sql: &mut Sql, sort: Sort, value: &Value) {
    let name = sort.column.name;
    match (value, sort.descending) {
        (Value::Null, true) => sql.text.push_str("FALSE"),
        (Value::Null, false) => sql.text.push_str(&format!("{name} IS NOT NULL")),
        (_, false) => {
            sql.text.push_str(&format!("{name} > "));
            sql.bind(value.clone());
        }
        (_, true) => {
            sql.text.push_str(&format!("({name} < "));
            sql.bind(value.clone());
            sql.text.push_str(&format!(" OR {name} IS NULL)"));
        }
    }
}
