//! One page of a list, and how it is fetched.

use rusqlite::types::Value;
use rusqlite::{Connection, Row, params_from_iter};
use serde::Serialize;

use super::cursor;
use super::listing::{Column, Listing};
use super::parse::{Counting, Query};
use super::sql::Sql;
use crate::registry::memory::Mark;
use crate::registry::{Error, Registry};

/// How many rows a query has over all its pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Count {
    /// The number counted.
    pub value: u64,
    /// False when counting stopped at its bound and there may be more.
    pub exact: bool,
}

impl Count {
    /// All rows, when a page ends with the last of them.
    fn up_to_here(query: &Query, shown: usize) -> Count {
        let before = u64::from(query.page - 1) * u64::from(query.per_page);
        let value = before + shown as u64;
        match query.counting {
            Counting::UpTo(most) if value >= most => Count { value: most, exact: false },
            Counting::UpTo(_) | Counting::Exact | Counting::No => Count { value, exact: true },
        }
    }
}

/// One page of rows, with the way to its neighbours.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Page<T> {
    /// The rows, in the order asked for.
    pub rows: Vec<T>,
    /// The rows over all pages; none when not asked to count.
    pub count: Option<Count>,
    /// The number of the next page; none at the end and when walking by cursor.
    pub next_page: Option<u32>,
    /// The number of the page before; none at the start and when walking by cursor.
    pub previous_page: Option<u32>,
    /// The `cursor` that continues after this page; none at the end.
    pub next_cursor: Option<String>,
}

impl Registry {
    /// Fetches and counts one page on one state of the registry.
    pub(in crate::registry) fn list<T>(
        &self,
        listing: &'static Listing,
        query: &Query,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Page<T>, Error> {
        if query.listing.table != listing.table {
            let (asked, of) = (query.listing.table, listing.table);
            return Err(Error::Refused { why: format!("a query about {asked} was put to {of}") });
        }
        let begun = self.memory.mark();
        self.read(|conn| {
            let (rows, last) = rows(conn, query, read)?;
            let by_number = query.after.is_none();
            let more = last.is_some();
            let is_last = by_number && !more && (query.page == 1 || !rows.is_empty());
            let count = match is_last && query.counting != Counting::No {
                // Whoever sees the end has counted.
                true => Some(Count::up_to_here(query, rows.len())),
                false => self.count((conn, begun), query)?,
            };
            Ok(Page {
                rows,
                count,
                next_page: (by_number && more).then(|| query.page.saturating_add(1)),
                previous_page: (by_number && query.page > 1).then(|| query.page - 1),
                next_cursor: last.map(|last| cursor::encode(listing, &query.sort, &last)),
            })
        })
    }
}

impl Registry {
    /// How many rows all pages have: who leafs through them is told the same on every page.
    fn count(
        &self,
        (conn, begun): (&Connection, Mark),
        query: &Query,
    ) -> Result<Option<Count>, Error> {
        let most = match query.counting {
            Counting::No => return Ok(None),
            Counting::UpTo(most) => Some(most),
            Counting::Exact => None,
        };
        let Sql { text, values } = query.count(most);
        let name = format!("{text} {values:?}");
        let counted: i64 = self.memory.figure((begun, &name), || {
            conn.prepare_cached(&text)?.query_row(params_from_iter(values), |row| row.get(0))
        })?;
        let value = u64::try_from(counted).unwrap_or(0);
        Ok(Some(Count { value, exact: most.is_none_or(|most| value < most) }))
    }
}

/// The page's rows and, when more follow, the sort values of its last one.
fn rows<T>(
    conn: &Connection,
    query: &Query,
    read: fn(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<(Vec<T>, Option<Vec<Value>>), Error> {
    let per_page = query.per_page as usize;
    let places = sort_places(query);
    let Sql { text, values } = query.select();
    let mut statement = conn.prepare_cached(&text)?;
    let mut found = statement.query(params_from_iter(values))?;
    let (mut rows, mut last, mut more) = (Vec::new(), None, false);
    while let Some(row) = found.next()? {
        if rows.len() == per_page {
            more = true;
            break;
        }
        rows.push(read(row)?);
        if rows.len() == per_page {
            last = Some(places.iter().map(|at| row.get(*at)).collect::<Result<_, _>>()?);
        }
    }
    Ok((rows, last.filter(|_| more)))
}

/// Where in a selected row the values of the order stand.
fn sort_places(query: &Query) -> Vec<usize> {
    let names: Vec<&str> = query.listing.selected().map(Column::name).collect();
    let place = |name| names.iter().position(|other| *other == name);
    query
        .sort
        .iter()
        .map(|sort| place(sort.column.name).expect("what is sortable is selectable"))
        .collect()
}
