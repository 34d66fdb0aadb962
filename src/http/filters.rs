//! Filters that people save for themselves: a list's address, under a name.

use axum::Router;
use axum::extract::{Form, Path};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::post;
use serde::Deserialize;
use storage::registry::{SAVED_NAME_MAX, SAVED_QUERY_MAX, SavedFilter};
use web::parts::query;
use web::{Link, SavedFilters, SavedLine, Shell};

use super::flash::see;
use super::refusal::Refusal;
use super::{Site, Visit};

/// Lists whose filters can be saved.
const LISTS: [&str; 6] = ["/objects", "/files", "/items", "/events", "/deletions", "/alerts"];
/// What only says which part of a list is shown.
const PLACES: [&str; 3] = ["page", "per_page", "cursor"];

/// The pages' forms.
pub(super) fn pages() -> Router<Site> {
    Router::new().route("/filters", post(save)).route("/filters/{id}/remove", post(remove))
}

/// Adds what a person has saved of a list to its frame. For a key there is nothing to add.
pub(super) fn with_saved(
    visit: &Visit,
    shell: Shell,
    page: &str,
    pairs: &[(String, String)],
) -> Shell {
    let Some(user) = visit.user() else { return shell };
    // The page says already when the registry ails.
    let rows = visit.registry.saved_filters(user.id, page).unwrap_or_default();
    let saved = SavedFilters {
        page: page.to_owned(),
        query: asked(pairs),
        rows: rows.into_iter().map(line).collect(),
        longest: SAVED_NAME_MAX as u64,
    };
    Shell { saved: Some(saved), ..shell }
}

/// What a list is asked, without the place in it that is shown; nothing when it is too long.
fn asked(pairs: &[(String, String)]) -> String {
    let kept = pairs.iter().filter(|(name, _)| !PLACES.contains(&name.as_str()));
    let kept: Vec<_> = kept.map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let text = query(&kept);
    let text = text.strip_prefix('?').unwrap_or_default();
    if text.len() > SAVED_QUERY_MAX { String::new() } else { text.to_owned() }
}

fn line(saved: SavedFilter) -> SavedLine {
    let href = format!("{}?{}", saved.page, saved.query);
    SavedLine { id: saved.id.unsigned_abs(), link: Link::new(href, saved.name) }
}

#[derive(Deserialize)]
struct Wish {
    page: String,
    query: String,
    name: String,
}

async fn save(visit: Visit, Form(wish): Form<Wish>) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            if !LISTS.contains(&wish.page.as_str()) {
                let sentence = "Filters of this page cannot be saved.";
                return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-field", sentence));
            }
            // Only what an address may hold: it is sent back as one.
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~%=&".contains(&byte);
            if !wish.query.bytes().all(is_plain) {
                let sentence = "The filter is not the end of an address.";
                return Err(Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-field", sentence));
            }
            let (user, now) = (visit.person()?, visit.shop.clock.now());
            let what = (wish.page.as_str(), wish.name.as_str(), wish.query.as_str());
            visit.registry.save_filter(user.id, what, now)?;
            let back = format!("{}?{}", wish.page, wish.query);
            Ok(see(&back, &format!("Saved as {}.", wish.name.trim())))
        })
        .await
}

async fn remove(visit: Visit, Path(id): Path<String>) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let user = visit.person()?;
            let number = id.parse().unwrap_or(0);
            match visit.registry.remove_filter(user.id, number)? {
                Some(page) => Ok(see(&page, "The filter is removed.")),
                None => {
                    let sentence = "You have no such filter.";
                    Err(Refusal::new(StatusCode::NOT_FOUND, "no-such-filter", sentence))
                }
            }
        })
        .await
}
