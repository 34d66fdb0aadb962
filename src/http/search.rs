//! The search: a page for people, and the same as JSON.

use axum::Router;
use axum::extract::Query;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use storage::registry::{Found, ItemRow, ObjectRow, SEARCH_MAX};
use web::{FoundItem, FoundObject, Here, SearchPage, object_path, search_page};

use super::api::{Answer, ask};
use super::asked::{Pairs, bad, find};
use super::holdings::{Fate, found_file};
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, Visit};

/// Shown of each kind, and given by the API unless it is asked for more.
const SHOWN: u32 = 25;
/// The part of a text that a page repeats.
const REPEATED: usize = 400;

pub(super) fn pages() -> Router<Site> {
    Router::new().route("/search", get(page))
}

pub(super) fn api() -> Router<Site> {
    Router::new().route("/search", get(json))
}

async fn page(
    visit: Visit,
    Query(pairs): Query<Pairs>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let text = find(&pairs, "q").unwrap_or_default();
            let shell = shell(visit, "Search", Here::Search, &headers);
            let found = visit.desk().search(text, SHOWN)?;
            Ok(answer(&shell, search_page(&shell, &value(visit, text, found)?)))
        })
        .await
}

async fn json(visit: Visit, Query(pairs): Query<Pairs>) -> Answer<Found> {
    ask(&visit, move |desk| {
        let (text, limit) = asked(&pairs)?;
        Ok(desk.search(&text, limit)?)
    })
    .await
}

/// What is looked for, and how much of it is wanted. A parameter that is not known is refused, as
/// in lists.
fn asked(pairs: &Pairs) -> Result<(String, u32), Refusal> {
    let mut text = None;
    let mut limit = SHOWN;
    for (name, value) in pairs {
        match name.as_str() {
            "q" if text.is_none() => text = Some(value.clone()),
            "q" => return Err(bad("q", "is given more than once")),
            "limit" => {
                let number = value.parse().ok().filter(|it| (1..=SEARCH_MAX).contains(it));
                let rule =
                    || bad("limit", format!("must be a whole number from 1 to {SEARCH_MAX}"));
                limit = number.ok_or_else(rule)?;
            }
            _ => return Err(bad(name, "is not known here; known are limit, q")),
        }
    }
    let text = text.ok_or_else(|| bad("q", "is missing: it is what to look for"))?;
    Ok((text, limit))
}

fn value(visit: &Visit, text: &str, found: Found) -> Result<SearchPage, Refusal> {
    let files = found.files.into_iter().map(|file| found_file(&visit.registry, file));
    Ok(SearchPage {
        text: text.chars().take(REPEATED).collect(),
        words: found.words,
        objects: found.objects.into_iter().map(found_object).collect(),
        files: files.collect::<Result<_, _>>()?,
        items: found.items.into_iter().map(found_item).collect(),
        more: found.more,
    })
}

fn found_object(row: ObjectRow) -> FoundObject {
    FoundObject {
        href: object_path(&row.identifier, row.id.0),
        state: Fate::of(row.state, None).badge(),
        title: if row.title.is_empty() { row.bag_name } else { row.title },
        identifier: row.identifier,
        institution: row.institution_name,
        file_count: row.file_count,
        size: row.size,
    }
}

fn found_item(row: ItemRow) -> FoundItem {
    FoundItem {
        href: format!("/items/{}", row.id),
        name: row.name,
        action: row.action,
        status: row.status,
        date: row.date_processed.to_string(),
    }
}
