//! Reading the parameters of a list.
//!
//! Strict on purpose: a filter that is misspelt and ignored shows rows nobody asked for, and next
//! to a delete button that is how things get lost.

use rusqlite::types::Value;

use super::cursor;
use super::listing::{Column, Listing, Op};
use super::value;
use crate::clock::Timestamp;

const FILTERS_MAX: usize = 50;
const IN_MAX: usize = 1000;
const SORTS_MAX: usize = 8;
const PER_PAGE: u32 = 20;
const PER_PAGE_MAX: i64 = 1000;
/// One more than ten thousand, so that "more than 10,000" can be told from "10,000".
const COUNT_MAX: u64 = 10_001;

/// A list parameter that is not understood: which one, and what would be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("parameter {parameter:?} {problem}")]
pub struct BadQuery {
    /// The parameter as it was given, cut to 80 characters.
    pub parameter: String,
    /// What is wrong and what is allowed, as the end of a sentence.
    pub problem: String,
}

impl BadQuery {
    pub(super) fn new(parameter: &str, problem: impl Into<String>) -> BadQuery {
        BadQuery { parameter: parameter.chars().take(80).collect(), problem: problem.into() }
    }
}

/// How thoroughly the rows of a list are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Not at all.
    No,
    /// No further than this many, which bounds the price.
    UpTo(u64),
    /// All of them, at a price that grows with their number.
    Exact,
}

/// A checked question about one listing.
#[derive(Clone, Debug)]
pub struct Query {
    pub(super) listing: &'static Listing,
    pub(super) filters: Vec<Filter>,
    pub(super) sort: Vec<Sort>,
    pub(super) page: u32,
    pub(super) per_page: u32,
    pub(super) after: Option<Vec<Value>>,
    pub(super) counting: Counting,
}

#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) column: &'static Column,
    pub(super) test: Test,
    /// The view it is found in, and the order of the rows there.
    pub(super) road: Option<&'static str>,
    pub(super) order: &'static [&'static str],
}

impl Filter {
    /// A test that leaves the way to its rows to others.
    pub(super) fn plain(column: &'static Column, test: Test) -> Filter {
        Filter { column, test, road: None, order: &[] }
    }

    /// A filter with the way that the column has for it. A range is shown in the column's order.
    fn of(column: &'static Column, op: Op, test: Test) -> Filter {
        let range = matches!(op, Op::Gt | Op::GtEq | Op::Lt | Op::LtEq | Op::StartsWith);
        // An index has what is there, not what is absent.
        let road = column.road.filter(|_| !matches!(test, Test::Absent(true)));
        let order = if road.is_some() || range { column.order } else { &[] };
        Filter { column, test, road, order }
    }
}

#[derive(Clone, Debug)]
pub(super) enum Test {
    /// The column's own condition, with the value in it.
    Found(&'static str, Value),
    Compare(&'static str, Value),
    StartsWith(String),
    Contains(String),
    In(Vec<Value>),
    Absent(bool),
    /// A condition without a value.
    Holds(&'static str),
    /// All of one of these.
    Any(Vec<Vec<Filter>>),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sort {
    pub(super) column: &'static Column,
    pub(super) descending: bool,
}

impl Query {
    /// Everything in the listing, in its own order, from the first page.
    pub fn all(listing: &'static Listing) -> Query {
        Query {
            listing,
            filters: Vec::new(),
            sort: own_order(listing, &[]),
            page: 1,
            per_page: PER_PAGE,
            after: None,
            counting: Counting::UpTo(COUNT_MAX),
        }
    }

    /// Reads the decoded name and value pairs of an address: `page`, `per_page`, `sort` and
    /// `cursor`, and filters as `column` or `column__op`. All filters must hold at once.
    ///
    /// # Errors
    ///
    /// Anything not understood; the sentence names the parameter and what is allowed.
    pub fn parse(listing: &'static Listing, pairs: &[(String, String)]) -> Result<Query, BadQuery> {
        let mut query = Query::all(listing);
        let (mut sorts, mut token) = (Vec::new(), None);
        for (index, (name, text)) in pairs.iter().enumerate() {
            let once = matches!(name.as_str(), "page" | "per_page" | "cursor");
            if once && pairs[..index].iter().any(|(earlier, _)| earlier == name) {
                return Err(BadQuery::new(name, "is given more than once"));
            }
            match name.as_str() {
                "page" => query.page = read_page(text)?,
                "per_page" => query.per_page = read_per_page(text)?,
                "cursor" => token = Some(text),
                "sort" => sorts.push(read_sort(listing, text, &sorts)?),
                _ => query.add_filter(name, text)?,
            }
        }
        query.check_company()?;
        query.sort = match sorts.is_empty() {
            true => own_order(listing, &query.filters),
            false => total_order(listing, sorts),
        };
        if let Some(token) = token {
            if query.page != 1 {
                return Err(BadQuery::new("cursor", "cannot be combined with page"));
            }
            query.after = Some(cursor::decode(listing, &query.sort, token)?);
        }
        Ok(query)
    }

    /// Narrows the query to one value of a column, whatever else it asks: the institution of the
    /// person asking, say.
    pub fn only(mut self, column: &str, value: &str) -> Result<Query, BadQuery> {
        self.add_filter(column, value)?;
        Ok(self)
    }

    /// Narrows the query to rows for which all filters of one of these hold, whatever else it asks.
    ///
    /// # Errors
    ///
    /// As for [`Query::parse`].
    pub fn any_of(mut self, choices: &[Vec<(String, String)>]) -> Result<Query, BadQuery> {
        let mut any = Vec::with_capacity(choices.len());
        for pairs in choices {
            any.push(Query::parse(self.listing, pairs)?.filters);
        }
        let key = self.listing.column(self.listing.key);
        let column = key.expect("a listing's own names are its columns");
        self.filters.push(Filter::plain(column, Test::Any(any)));
        Ok(self)
    }

    /// Puts the moment before what the column is asked for, where the answer depends on the time.
    pub(in crate::registry) fn asked_at(mut self, column: &str, now: Timestamp) -> Query {
        for filter in self.filters.iter_mut().filter(|filter| filter.column.name == column) {
            if let Test::Found(_, Value::Text(word)) = &mut filter.test {
                word.insert_str(0, &now.to_string());
            }
        }
        self
    }

    /// Changes how thoroughly the list counts; up to 10,001 unless told.
    pub fn counting(mut self, counting: Counting) -> Query {
        self.counting = counting;
        self
    }

    /// How thoroughly it counts.
    pub(in crate::registry) fn counted(&self) -> Counting {
        self.counting
    }

    /// Whether the last of its orders goes down, which is that of the key.
    pub(in crate::registry) fn is_descending(&self) -> bool {
        self.sort.last().is_some_and(|sort| sort.descending)
    }

    /// The page asked for, from one.
    pub fn page(&self) -> u32 {
        self.page
    }

    /// Rows per page, 1 to 1,000.
    pub fn per_page(&self) -> u32 {
        self.per_page
    }

    /// Whether every filter has beside it what leads to its rows.
    fn check_company(&self) -> Result<(), BadQuery> {
        let asks = |name: &&str| self.filters.iter().any(|filter| filter.column.name == *name);
        let mut columns = self.filters.iter().map(|filter| filter.column);
        let alone = columns.find(|it| !it.inside.is_empty() && !it.inside.iter().any(asks));
        alone.map_or(Ok(()), |column| {
            let beside = column.inside.join(" or ");
            Err(BadQuery::new(column.name, format!("is asked for only beside {beside}")))
        })
    }

    fn add_filter(&mut self, name: &str, text: &str) -> Result<(), BadQuery> {
        let (column, op) = read_name(self.listing, name)?;
        let bad = |problem: String| BadQuery::new(name, problem);
        let test = match op {
            Op::Eq if !column.words.is_empty() => {
                value::check_text(text).map_err(bad)?;
                return self.push(name, of_word(column, text));
            }
            Op::Eq => match column.condition {
                Some(condition) => Test::Found(condition, value::read(column, text).map_err(bad)?),
                None => Test::Compare("=", value::read(column, text).map_err(bad)?),
            },
            Op::Ne => match column.unlike.iter().find(|it| it.word == text) {
                Some(word) => Test::Holds(word.condition),
                None => Test::Compare("IS NOT", value::read(column, text).map_err(bad)?),
            },
            Op::Gt => Test::Compare(">", value::read(column, text).map_err(bad)?),
            Op::GtEq => Test::Compare(">=", value::read(column, text).map_err(bad)?),
            Op::Lt => Test::Compare("<", value::read(column, text).map_err(bad)?),
            Op::LtEq => Test::Compare("<=", value::read(column, text).map_err(bad)?),
            Op::StartsWith => {
                value::check_text(text).map_err(bad)?;
                Test::StartsWith(text.to_owned())
            }
            Op::Contains => {
                value::check_text(text).map_err(bad)?;
                Test::Contains(text.to_owned())
            }
            Op::In => {
                let value = value::read(column, text).map_err(bad)?;
                return self.add_choice(name, column, value);
            }
            Op::IsNull => Test::Absent(value::read_bool(text).map_err(bad)?),
            Op::NotNull => Test::Absent(!value::read_bool(text).map_err(bad)?),
        };
        self.push(name, Filter::of(column, op, test))
    }

    /// Adds a value to the choices of an `in` filter, making it when it is the first.
    fn add_choice(
        &mut self,
        name: &str,
        column: &'static Column,
        value: Value,
    ) -> Result<(), BadQuery> {
        for filter in &mut self.filters {
            if let Test::In(choices) = &mut filter.test
                && filter.column.name == column.name
            {
                if choices.len() == IN_MAX {
                    return Err(BadQuery::new(name, format!("has more than {IN_MAX} values")));
                }
                choices.push(value);
                return Ok(());
            }
        }
        self.push(name, Filter::of(column, Op::In, Test::In(vec![value])))
    }

    fn push(&mut self, name: &str, filter: Filter) -> Result<(), BadQuery> {
        if self.filters.len() == FILTERS_MAX {
            return Err(BadQuery::new(name, format!("is one filter more than {FILTERS_MAX}")));
        }
        self.filters.push(filter);
        Ok(())
    }
}

/// The condition of a word; one that is not known has no rows.
fn of_word(column: &'static Column, text: &str) -> Filter {
    match column.words.iter().find(|it| it.word == text) {
        Some(word) => {
            let (road, order) = word.road.unzip();
            let test = Test::Holds(word.condition);
            Filter { column, test, road, order: order.unwrap_or(&[]) }
        }
        None => Filter::plain(column, Test::Holds("0")),
    }
}

fn read_name(listing: &'static Listing, name: &str) -> Result<(&'static Column, Op), BadQuery> {
    let (stem, suffix) = match name.rsplit_once("__") {
        Some((stem, suffix)) => (stem, Some(suffix)),
        None => (name, None),
    };
    let Some(column) = listing.column(stem).filter(|column| !column.ops.is_empty()) else {
        let asked = listing.columns.iter().filter(|column| !column.ops.is_empty());
        let known: Vec<&str> = asked.map(Column::name).collect();
        let known = known.join(", ");
        let problem =
            format!("is not a filter here; filters are {known}, and page, per_page, sort, cursor");
        return Err(BadQuery::new(name, problem));
    };
    let op = suffix.map_or(Some(Op::Eq), Op::from_suffix);
    match op.filter(|op| column.ops.contains(op)) {
        Some(op) => Ok((column, op)),
        None => {
            let allowed: Vec<&str> = column.ops.iter().map(|op| op.suffix()).collect();
            let problem = format!("has no such comparison; {stem} allows {}", allowed.join(", "));
            Err(BadQuery::new(name, problem))
        }
    }
}

fn read_page(text: &str) -> Result<u32, BadQuery> {
    text.parse()
        .ok()
        .filter(|page| *page >= 1)
        .ok_or_else(|| BadQuery::new("page", "must be a whole number from 1"))
}

/// Clamped here, before anything is computed from it.
fn read_per_page(text: &str) -> Result<u32, BadQuery> {
    let asked = text.parse().ok().filter(|asked: &i64| *asked >= 1);
    let asked = asked.ok_or_else(|| BadQuery::new("per_page", "must be a whole number from 1"))?;
    Ok(u32::try_from(asked.min(PER_PAGE_MAX)).unwrap_or(PER_PAGE))
}

fn read_sort(listing: &'static Listing, text: &str, earlier: &[Sort]) -> Result<Sort, BadQuery> {
    let bad = |problem: String| Err(BadQuery::new("sort", problem));
    let sortable = || {
        let columns = listing.columns.iter().filter(|column| column.sortable);
        columns.map(Column::name).collect::<Vec<_>>().join(", ")
    };
    let (name, direction) = text.rsplit_once("__").unwrap_or((text, ""));
    let descending = match direction {
        "asc" => false,
        "desc" => true,
        _ => return bad("must end in __asc or __desc".to_owned()),
    };
    let Some(column) = listing.column(name).filter(|column| column.sortable) else {
        return bad(format!("must name one of {}", sortable()));
    };
    if earlier.iter().any(|sort| sort.column.name == column.name) {
        return bad(format!("names {name} twice"));
    }
    if earlier.len() == SORTS_MAX {
        return bad(format!("is given more than {SORTS_MAX} times"));
    }
    Ok(Sort { column, descending })
}

/// The order that nobody asked for: that of the first filter whose index has one, so that a list
/// is read along one index and no further than its page; otherwise the listing's own.
fn own_order(listing: &'static Listing, filters: &[Filter]) -> Vec<Sort> {
    let column = |name| listing.column(name).expect("a listing's own names are its columns");
    let (name, descending) = listing.default_sort;
    let found = filters.iter().find(|filter| !filter.order.is_empty());
    match found.map(|filter| filter.order) {
        Some(order) => {
            let sort = |name: &&'static str| Sort { column: column(name), descending };
            total_order(listing, order.iter().map(sort).collect())
        }
        None => total_order(listing, vec![Sort { column: column(name), descending }]),
    }
}

/// Goes on in the order of the last column's index and ends in the key, in the same direction: then
/// one index serves all and a cursor is one row comparison. What follows the key can change nothing
/// and is dropped.
fn total_order(listing: &'static Listing, mut sorts: Vec<Sort>) -> Vec<Sort> {
    let column = |name| listing.column(name).expect("a listing's own names are its columns");
    if let Some(last) = sorts.last().copied()
        && last.column.order.first() == Some(&last.column.name)
    {
        for name in &last.column.order[1..] {
            if !sorts.iter().any(|sort| sort.column.name == *name) {
                sorts.push(Sort { column: column(name), descending: last.descending });
            }
        }
    }
    match sorts.iter().position(|sort| sort.column.name == listing.key) {
        Some(key) => sorts.truncate(key + 1),
        None => {
            let descending = sorts.last().is_some_and(|sort| sort.descending);
            sorts.push(Sort { column: column(listing.key), descending });
        }
    }
    sorts
}
