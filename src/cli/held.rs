//! What `objects`, `files` and `events` have in common: one of them, and the way to the desk.

use clap::Args;
use serde::de::DeserializeOwned;
use storage::registry::{EventRow, Found};

use super::Failure;
use super::client::escape;
use super::counter::{Counter, read, said};
use super::print::{clip, line, table};
use crate::desk::{
    COUNTED, Desk, DeskError, EventDetail, EventList, FileDetail, FileList, InstitutionList,
    ObjectDetail, ObjectList,
};

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

    pub(super) fn search(&self, text: &str, limit: u32) -> Result<Found, Failure> {
        let pairs = [("q".to_owned(), text.to_owned()), ("limit".to_owned(), limit.to_string())];
        self.ask("search", &pairs, |desk| desk.search(text, limit))
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
