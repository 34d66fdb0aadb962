//! What `objects`, `files` and `events` have in common: the way to filter, and the way to the desk.

use clap::Args;
use serde::de::DeserializeOwned;
use storage::registry::EventRow;

use super::Failure;
use super::client::escape;
use super::counter::{Counter, read, said};
use super::print::{clip, line, table};
use crate::desk::{
    COUNTED, Desk, DeskError, EventDetail, EventList, FileDetail, FileList, InstitutionList,
    ObjectDetail, ObjectList,
};

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

/// One thing that is held.
#[derive(Args)]
pub(super) struct One {
    /// Its identifier, UUID or number
    #[arg(value_name = "ID")]
    pub(super) which: String,
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

type Pairs<'a> = &'a [(String, String)];

impl Counter {
    /// Puts one question to the desk, whichever way leads there.
    fn ask<T: DeserializeOwned>(
        &self,
        path: &str,
        pairs: Pairs<'_>,
        here: impl FnOnce(Desk<'_>) -> Result<T, DeskError>,
    ) -> Result<T, Failure> {
        match self {
            Counter::Here(app) => said(here(app.desk())),
            Counter::There(client) => read(client.get(&format!("/api/v1/{path}"), pairs)?),
        }
    }

    pub(super) fn objects(&self, pairs: Pairs<'_>) -> Result<ObjectList, Failure> {
        self.ask("objects", pairs, |desk| desk.objects(pairs, COUNTED))
    }

    pub(super) fn object(&self, which: &str) -> Result<ObjectDetail, Failure> {
        self.ask(&format!("objects/{}", escape(which)), &[], |desk| desk.object(which))
    }

    pub(super) fn files(&self, pairs: Pairs<'_>) -> Result<FileList, Failure> {
        self.ask("files", pairs, |desk| desk.files(pairs, COUNTED))
    }

    pub(super) fn file(&self, which: &str) -> Result<FileDetail, Failure> {
        self.ask(&format!("files/{}", escape(which)), &[], |desk| desk.file(which))
    }

    pub(super) fn events(&self, pairs: Pairs<'_>) -> Result<EventList, Failure> {
        self.ask("events", pairs, |desk| desk.events(pairs, COUNTED))
    }

    pub(super) fn event(&self, which: &str) -> Result<EventDetail, Failure> {
        self.ask(&format!("events/{}", escape(which)), &[], |desk| desk.event(which))
    }

    pub(super) fn institutions(&self, pairs: Pairs<'_>) -> Result<InstitutionList, Failure> {
        self.ask("institutions", pairs, |desk| desk.institutions(pairs))
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

/// The last events of an object or a file.
pub(super) fn print_events(events: &[EventRow]) {
    if events.is_empty() {
        return;
    }
    let rows: Vec<_> = events
        .iter()
        .map(|event| {
            vec![
                event.date_time.to_string(),
                event.event_type.to_string(),
                event.outcome.to_string(),
                clip(&event.outcome_information, 60),
                event.identifier.to_string(),
            ]
        })
        .collect();
    line("");
    table(&["WHEN", "EVENT", "OUTCOME", "WHAT", "IDENTIFIER"], &rows);
}
