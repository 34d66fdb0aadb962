//! What commands that list have in common: filters, order, pages, and rows under their headings.

use clap::Args;

use super::Failure;
use super::print::{line, table};

/// Filters, order and page of a list.
#[derive(Args)]
pub(super) struct Wanted {
    /// Any filter of the API, as column=value or column__op=value; may be repeated
    #[arg(long, value_name = "FILTER")]
    filter: Vec<String>,
    /// Order, as column__asc or column__desc; may be repeated
    #[arg(long)]
    sort: Vec<String>,
    /// Which page
    #[arg(long, default_value_t = 1)]
    page: u32,
    /// Rows on a page, up to 1,000
    #[arg(long, default_value_t = 20)]
    per_page: u32,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

impl Wanted {
    /// The question as the API has it, with the filters that have options of their own.
    pub(super) fn pairs(
        &self,
        named: &[(&str, &Option<String>)],
    ) -> Result<Vec<(String, String)>, Failure> {
        let mut pairs = Vec::new();
        for (name, value) in named {
            pairs.extend(value.iter().map(|value| ((*name).to_owned(), value.clone())));
        }
        for filter in &self.filter {
            let Some((name, value)) = filter.split_once('=') else {
                let sentence = format!("--filter {filter:?} is not of the form column=value");
                return Err(Failure::Unable(sentence));
            };
            pairs.push((name.to_owned(), value.to_owned()));
        }
        pairs.extend(self.sort.iter().map(|sort| ("sort".to_owned(), sort.clone())));
        pairs.push(("page".into(), self.page.to_string()));
        pairs.push(("per_page".into(), self.per_page.to_string()));
        Ok(pairs)
    }
}

/// Rows under their headings and how many of how many they are, or that there are none.
pub(super) fn print_list(
    what: &str,
    (count, exact): (u64, bool),
    head: &[&str],
    rows: &[Vec<String>],
) {
    if rows.is_empty() {
        let none = if count == 0 { "." } else { " on this page." };
        line(&format!("No {what}{none}"));
        return;
    }
    table(head, rows);
    let at_least = if exact { "" } else { "at least " };
    line(&format!("{} of {at_least}{count} {what}", rows.len()));
}
