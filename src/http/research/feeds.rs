//! Feeds over the API.

use axum::extract::Path;
use axum::http::StatusCode;
use storage::registry::{FeedRow, NewFeed};

use crate::http::Visit;
use crate::http::api::{Answer, ask, read_body};
use crate::http::refusal::Refusal;

pub(super) async fn list(visit: Visit) -> Answer<Vec<FeedRow>> {
    ask(&visit, |desk| Ok(desk.feeds()?)).await
}

pub(super) async fn add(visit: Visit, body: String) -> Answer<FeedRow> {
    let wish: NewFeed = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.add_feed(&wish)?)).await
}

pub(super) async fn remove(visit: Visit, id: Path<String>) -> Answer<FeedRow> {
    let id = number(&id).map_err(Refusal::as_json)?;
    ask(&visit, move |desk| Ok(desk.remove_feed(id)?)).await
}

pub(super) async fn read(visit: Visit, id: Path<String>) -> Answer<FeedRow> {
    let id = number(&id).map_err(Refusal::as_json)?;
    ask(&visit, move |desk| Ok(desk.read_feed(id)?)).await
}

/// The number of a feed.
pub(super) fn number(Path(text): &Path<String>) -> Result<i64, Refusal> {
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        let sentence = format!("{shown:?} is not the number of a feed.");
        Refusal::new(StatusCode::BAD_REQUEST, "not-a-number", sentence)
    })
}
