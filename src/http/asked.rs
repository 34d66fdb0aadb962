//! What is asked of a page that lists something, by the fields of its form.

use storage::registry::{BadQuery, Counting};
use web::Pager;

use super::refusal::Refusal;

/// Fields of a form with their values.
pub(super) type Pairs = Vec<(String, String)>;

/// The first value of a name; a form sends every field, asked for or not.
pub(super) fn find<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let mut named = pairs.iter().filter(|(known, value)| known == name && !value.is_empty());
    named.next().map(|(_, value)| value.as_str())
}

/// The number of a page, from one.
pub(super) fn page_number(pairs: &[(String, String)], name: &str) -> Result<u32, Refusal> {
    let Some(text) = find(pairs, name) else { return Ok(1) };
    let number = text.parse().ok().filter(|number| *number >= 1);
    number.ok_or_else(|| bad(name, "must be a whole number from 1"))
}

/// A parameter that is not understood.
pub(super) fn bad(parameter: &str, problem: impl Into<String>) -> Refusal {
    let parameter = parameter.chars().take(80).collect();
    BadQuery { parameter, problem: problem.into() }.into()
}

/// Which rows of a list a page shows.
pub(super) struct Leaf {
    page: u64,
    per_page: u64,
    counted: u64,
}

impl Leaf {
    /// Reads it from the fields, and makes them a query: without what is empty, with the usual
    /// number of rows, and days as the whole day in UTC at either end.
    pub(super) fn of(pairs: &mut Pairs, usual: u64, counted: u64) -> Result<Leaf, Refusal> {
        pairs.retain(|(_, value)| !value.is_empty());
        let page = u64::from(page_number(pairs, "page")?);
        if find(pairs, "per_page").is_none() {
            pairs.push(("per_page".into(), usual.to_string()));
        }
        let per_page = find(pairs, "per_page").and_then(|text| text.parse().ok()).unwrap_or(usual);
        for (name, value) in pairs.iter_mut().filter(|(_, value)| is_day(value)) {
            match name.rsplit_once("__") {
                Some((_, "gteq")) => value.push_str("T00:00:00.000Z"),
                Some((_, "lteq")) => value.push_str("T23:59:59.999Z"),
                _ => {}
            }
        }
        Ok(Leaf { page, per_page, counted })
    }

    /// How far rows are counted.
    pub(super) fn counting(&self) -> Counting {
        Counting::UpTo(self.counted)
    }

    /// The way to the rows before and after.
    pub(super) fn pager(&self, shown: usize, (count, is_exact): (u64, bool)) -> Pager {
        Pager {
            page: self.page,
            per_page: self.per_page,
            shown: shown as u64,
            total: if is_exact { count } else { self.counted - 1 },
            at_least: !is_exact,
            export: String::new(),
        }
    }
}

/// Where all rows of a list are to be had as a table, for what a page asks of it. The fields are those
/// that a [`Leaf`] was read from.
pub(super) fn export_href(list: &str, pairs: &[(String, String)]) -> String {
    let paging = ["page", "per_page", "cursor", "format"];
    let kept = pairs.iter().filter(|(name, _)| !paging.contains(&name.as_str()));
    let kept = kept.map(|(name, value)| (name.as_str(), value.as_str()));
    let pairs: Vec<(&str, &str)> = [("format", "csv")].into_iter().chain(kept).collect();
    format!("/api/v1/{list}{}", web::parts::query(&pairs))
}

/// Whether a field holds a day as browsers send it, `2026-11-16`.
fn is_day(value: &str) -> bool {
    let shape = |at: usize, byte: u8| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    value.len() == 10 && value.bytes().enumerate().all(|(at, byte)| shape(at, byte))
}
