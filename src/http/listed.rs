//! Lists over the API: a page of rows as JSON, or all rows as a table or as JSON lines.
//!
//! What is asked for in full is read a page at a time behind a cursor, and sent as it is read: memory
//! stays flat however many rows there are. The filters and the caller's sight are those of the page.

use std::io;

use axum::Json;
use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use storage::registry::{
    ALERTS, ASSESSMENTS, AUDIT, AssessmentRow, AuditRow, Counting, DELETIONS, DeletionRow, EVENTS,
    EventRow, FILES, FileRow, INSTITUTIONS, ITEMS, Institution, ItemRow, Listing, OBJECTS,
    ObjectRow, TOKENS, TokenRow, USERS, User,
};

use super::asked::{Pairs, bad, find};
use super::refusal::Refusal;
use super::stream::Outgoing;
use super::{Site, Visit};
use crate::desk::{
    AlertList, AlertTold, AssessmentList, AuditList, DeletionList, Desk, DeskError, EventList,
    FileList, InstitutionList, ItemList, ObjectList, TokenList, UserList, csv_row, harmless,
};

/// Rows read at a time.
const ROWS: &str = "500";

/// The parameter that asks for all rows, and what it may be.
pub(super) const FORMAT: &str = "format";
pub(super) const FORMATS: [&str; 3] = ["json", "csv", "jsonl"];

/// The media types of all rows.
pub(super) const CSV: &str = "text/csv; charset=utf-8";
pub(super) const LINES: &str = "application/x-ndjson";

/// A page of a list.
pub(super) trait Listed: Serialize + JsonSchema + Send + 'static {
    /// What it has in each row.
    type Row: Serialize + JsonSchema + Send;
    /// What it is called, in addresses and files.
    const NAME: &'static str;
    /// What can be asked of it.
    fn listing() -> &'static Listing;
    /// Its rows, and the cursor behind them.
    fn into_rows(self) -> (Vec<Self::Row>, Option<String>);
}

macro_rules! listed {
    ($($list:ident, $rows:ident: $row:ty, $listing:ident;)*) => {$(
        impl Listed for $list {
            type Row = $row;
            const NAME: &'static str = stringify!($rows);

            fn listing() -> &'static Listing {
                &$listing
            }

            fn into_rows(self) -> (Vec<$row>, Option<String>) {
                (self.$rows, self.next_cursor)
            }
        }
    )*};
}

listed! {
    ItemList, items: ItemRow, ITEMS;
    ObjectList, objects: ObjectRow, OBJECTS;
    FileList, files: FileRow, FILES;
    EventList, events: EventRow, EVENTS;
    DeletionList, deletions: DeletionRow, DELETIONS;
    AlertList, alerts: AlertTold, ALERTS;
    UserList, users: User, USERS;
    InstitutionList, institutions: Institution, INSTITUTIONS;
    TokenList, tokens: TokenRow, TOKENS;
    AuditList, audit: AuditRow, AUDIT;
    AssessmentList, assessments: AssessmentRow, ASSESSMENTS;
}

/// In which form a list is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Page,
    Table,
    Lines,
}

/// A list that is asked for: by whom, which rows, and in which form.
pub(super) struct Question {
    pub(super) visit: Visit,
    pub(super) pairs: Pairs,
    headers: HeaderMap,
}

impl FromRequestParts<Site> for Question {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, site: &Site) -> Result<Question, Response> {
        let pairs = Query::from_request_parts(parts, site).await;
        let Query(pairs) = pairs.map_err(IntoResponse::into_response)?;
        let visit = Visit::from_request_parts(parts, site).await;
        let visit = visit.map_err(IntoResponse::into_response)?;
        Ok(Question { visit, pairs, headers: parts.headers.clone() })
    }
}

impl Question {
    /// Answers with a page, or with all rows, as the address or the header `Accept` asks. `ask`
    /// reads a page of the list, and counts as told.
    pub(super) async fn list<L: Listed>(
        self,
        counting: Counting,
        ask: impl Fn(Desk<'_>, &Pairs, Counting) -> Result<L, DeskError> + Clone + Send + 'static,
    ) -> Result<Response, Refusal> {
        let Question { visit, mut pairs, headers } = self;
        let form = form(&headers, &mut pairs).map_err(Refusal::as_json)?;
        if form == Form::Page {
            let page = visit.aside(move |visit| Ok(ask(visit.desk(), &pairs, counting)?)).await;
            return page.map(|page| Json(page).into_response()).map_err(Refusal::as_json);
        }
        if let Some((name, _)) = pairs.iter().find(|(name, _)| PAGING.contains(&name.as_str())) {
            return Err(bad(name, "is for pages; all rows are asked for").as_json());
        }
        pairs.push(("per_page".into(), ROWS.into()));
        let outgoing = Outgoing::begin(&visit).map_err(Refusal::as_json)?;
        let (first, asked) = (ask.clone(), pairs.clone());
        // The first rows are read before anything is sent, so that a bad question is refused as such.
        let first = visit.aside(move |visit| Ok(first(visit.desk(), &asked, Counting::No)?)).await;
        let first = first.map_err(Refusal::as_json)?;
        let name = format!("{}.{}", L::NAME, if form == Form::Table { "csv" } else { "jsonl" });
        let writer = Writer::of::<L>(form);
        let mut head = writer.head().map_err(|error| Refusal::from(DeskError::from(error)))?;
        let mut next = Next::Page(first);
        // Each piece is a page of rows, read when the client has taken the one before.
        let body = outgoing.pieces(name.clone(), move |desk, piece| {
            piece.append(&mut head);
            loop {
                let page = match std::mem::replace(&mut next, Next::End) {
                    Next::End => return Ok(()),
                    Next::Page(page) => page,
                    Next::After(cursor) => {
                        pairs.retain(|(name, _)| name != "cursor");
                        pairs.push(("cursor".into(), cursor));
                        ask(desk, &pairs, Counting::No)?
                    }
                };
                let (rows, cursor) = page.into_rows();
                rows.iter().try_for_each(|row| writer.write(row, piece))?;
                next = cursor.map_or(Next::End, Next::After);
                if !piece.is_empty() {
                    return Ok(());
                }
            }
        });
        let kind = if form == Form::Table { CSV } else { LINES };
        let saved = format!("attachment; filename=\"{name}\"");
        let headers =
            [(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, saved)];
        Ok((headers, body).into_response())
    }
}

const PAGING: [&str; 3] = ["page", "per_page", "cursor"];

/// Takes the form out of the question. The address has the first word, then the header.
fn form(headers: &HeaderMap, pairs: &mut Pairs) -> Result<Form, Refusal> {
    let named = find(pairs, FORMAT).map(str::to_owned);
    let many = pairs.iter().filter(|(name, _)| name == FORMAT).count() > 1;
    let blank = pairs.iter().any(|(name, value)| name == FORMAT && value.is_empty());
    pairs.retain(|(name, _)| name != FORMAT);
    let [page, table, lines] = FORMATS;
    match named.as_deref() {
        _ if many || blank => Err(bad(FORMAT, "is one of json, csv, jsonl, given once")),
        None => Ok(accepted(headers)),
        Some(word) if word == page => Ok(Form::Page),
        Some(word) if word == table => Ok(Form::Table),
        Some(word) if word == lines => Ok(Form::Lines),
        Some(_) => Err(bad(FORMAT, "is one of json, csv, jsonl")),
    }
}

/// The first form that a client says it takes. Browsers name neither of ours and get a page.
fn accepted(headers: &HeaderMap) -> Form {
    let text = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    let kinds = text.unwrap_or_default().split(',').take(20);
    let known = kinds.filter_map(|kind| match kind.split(';').next().unwrap_or_default().trim() {
        "text/csv" => Some(Form::Table),
        "application/x-ndjson" | "application/jsonl" => Some(Form::Lines),
        "application/json" | "application/*" | "*/*" => Some(Form::Page),
        _ => None,
    });
    known.take(1).next().unwrap_or(Form::Page)
}

/// The rows that are sent next.
enum Next<L> {
    /// These.
    Page(L),
    /// Those behind a cursor.
    After(String),
    /// None.
    End,
}

/// Writes rows as they are sent.
struct Writer {
    /// The keys of a row, for a table.
    columns: Option<Vec<String>>,
}

impl Writer {
    fn of<L: Listed>(form: Form) -> Writer {
        Writer { columns: (form == Form::Table).then(columns::<L>) }
    }

    /// What is sent before the first row.
    fn head(&self) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        if let Some(columns) = &self.columns {
            let cells: Vec<&str> = columns.iter().map(String::as_str).collect();
            csv_row(&mut head, &cells)?;
        }
        Ok(head)
    }

    fn write(&self, row: &impl Serialize, out: &mut Vec<u8>) -> io::Result<()> {
        let Some(columns) = &self.columns else {
            serde_json::to_writer(&mut *out, row)?;
            out.push(b'\n');
            return Ok(());
        };
        let row = serde_json::to_value(row)?;
        let cells: Vec<String> = columns.iter().map(|name| cell(&row[name.as_str()])).collect();
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        csv_row(out, &cells)
    }
}

/// The keys of a row: those that the listing knows in its order, then the others.
fn columns<L: Listed>() -> Vec<String> {
    let schema = schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<L::Row>();
    let known = schema.get("properties").and_then(Value::as_object);
    let mut keys: Vec<String> = known.into_iter().flat_map(|it| it.keys().cloned()).collect();
    let place = |key: &String| {
        let mut columns = L::listing().columns().iter();
        columns.position(|column| column.name() == key).unwrap_or(usize::MAX)
    };
    keys.sort_by_key(place);
    keys
}

/// A value as a cell. Numbers and words of ours are what they are; text is a stranger's.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => harmless(text).into_owned(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn every_key_of_a_row_is_a_column_and_the_listing_orders_them() {
        let columns = columns::<FileList>();
        assert_eq!(columns[0], "id");
        let at = |name: &str| columns.iter().position(|it| it == name).unwrap();
        assert!(at("path") < at("size") && at("size") < at("sha512"), "{columns:?}");
        assert!(at("mtime") > at("identifier"), "{columns:?}");
        assert!(super::columns::<AlertList>().contains(&"unread".to_owned()));
    }

    #[test]
    fn the_address_has_the_first_word_and_the_header_the_second() {
        let asked = |accept: &str, format: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, HeaderValue::from_str(accept).unwrap());
            let pairs = |text: &str| vec![(FORMAT.to_owned(), text.to_owned())];
            form(&headers, &mut if format == "-" { Vec::new() } else { pairs(format) }).ok()
        };
        for (accept, format, form) in [
            ("*/*", "-", Some(Form::Page)),
            ("text/csv", "-", Some(Form::Table)),
            ("text/csv;q=0.9, */*", "-", Some(Form::Table)),
            ("application/x-ndjson", "-", Some(Form::Lines)),
            ("text/html,application/xhtml+xml,*/*;q=0.8", "-", Some(Form::Page)),
            ("text/csv", "json", Some(Form::Page)),
            ("application/json", "jsonl", Some(Form::Lines)),
            ("*/*", "xlsx", None),
            ("*/*", "", None),
        ] {
            assert_eq!(asked(accept, format), form, "{accept} {format}");
        }
    }
}
