//! The catalogue, what is out, and what was found.

use axum::extract::{Path, Query};
use storage::registry::{Added, Recording, RecordingKind};

use super::number;
use crate::desk::{
    AgainWish, CatalogueTold, CatalogueWish, ExtendWish, LeaseList, ObjectWish, ROWS_MAX,
    RecordingList,
};
use crate::http::Visit;
use crate::http::api::{Answer, ask, read_any, read_body};
use crate::http::asked::{Pairs, bad, find};
use crate::http::refusal::Refusal;
use crate::research::{ClipResults, EpisodeResults, Holding, Present, Progress, Scope};

const ROWS: u32 = 100;

pub(super) async fn progress(visit: Visit) -> Answer<Progress> {
    ask(&visit, |desk| Ok(desk.research()?)).await
}

pub(super) async fn add(visit: Visit, kind: RecordingKind, body: String) -> Answer<CatalogueTold> {
    let wish: CatalogueWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.add_recordings(kind, &wish)?)).await
}

pub(super) async fn from_object(visit: Visit, kind: RecordingKind, body: String) -> Answer<Added> {
    let wish: ObjectWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.add_from_object(kind, &wish)?)).await
}

pub(super) async fn list(
    visit: Visit,
    kind: RecordingKind,
    Query(pairs): Query<Pairs>,
) -> Answer<RecordingList> {
    let limit = page(&pairs, "after").map_err(Refusal::as_json)?;
    let after = whole(&pairs, "after").map_err(Refusal::as_json)?.unwrap_or(0);
    ask(&visit, move |desk| Ok(desk.recordings(kind, after, limit)?)).await
}

pub(super) async fn episode(visit: Visit, id: Path<String>) -> Answer<EpisodeResults> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.episode(id)?)).await
}

pub(super) async fn clip(visit: Visit, id: Path<String>) -> Answer<ClipResults> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.clip(id)?)).await
}

pub(super) async fn again(visit: Visit, scope: Scope, body: String) -> Answer<Progress> {
    let wish: AgainWish = read_any(&body)?;
    ask(&visit, move |desk| Ok(desk.research_again(scope, &wish)?)).await
}

pub(super) async fn episode_again(
    visit: Visit,
    id: Path<String>,
    body: String,
) -> Answer<Progress> {
    again(visit, Scope::Episode(number(&id)?), body).await
}

pub(super) async fn clip_again(visit: Visit, id: Path<String>, body: String) -> Answer<Progress> {
    again(visit, Scope::Clip(number(&id)?), body).await
}

pub(super) async fn retry(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
) -> Answer<Recording> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.retry_recording(kind, id)?)).await
}

pub(super) async fn remove(
    visit: Visit,
    kind: RecordingKind,
    id: Path<String>,
) -> Answer<Recording> {
    let id = number(&id)?;
    ask(&visit, move |desk| Ok(desk.remove_recording(kind, id)?)).await
}

pub(super) async fn leases(visit: Visit) -> Answer<Vec<Holding>> {
    ask(&visit, |desk| Ok(desk.research_leases()?)).await
}

pub(super) async fn history(visit: Visit, Query(pairs): Query<Pairs>) -> Answer<LeaseList> {
    let limit = page(&pairs, "before").map_err(Refusal::as_json)?;
    let before: Option<u64> = whole(&pairs, "before").map_err(Refusal::as_json)?;
    let before = before.map(|number| i64::try_from(number).unwrap_or(i64::MAX));
    ask(&visit, move |desk| Ok(desk.lease_history(before, limit)?)).await
}

pub(super) async fn researchers(visit: Visit) -> Answer<Vec<Present>> {
    ask(&visit, |desk| Ok(desk.researchers())).await
}

pub(super) async fn revoke(visit: Visit, Path(lease): Path<String>) -> Answer<Holding> {
    ask(&visit, move |desk| Ok(desk.revoke_lease(&lease)?)).await
}

pub(super) async fn extend(
    visit: Visit,
    Path(lease): Path<String>,
    body: String,
) -> Answer<Holding> {
    let wish: ExtendWish = read_body(&body)?;
    ask(&visit, move |desk| Ok(desk.extend_lease(&lease, &wish)?)).await
}

/// How many rows are asked for, of a list that is walked by one number.
fn page(pairs: &[(String, String)], from: &str) -> Result<u32, Refusal> {
    if let Some((name, _)) = pairs.iter().find(|(name, _)| name != "limit" && name != from) {
        return Err(bad(name, format!("is not known here; limit and {from} are")));
    }
    let Some(text) = find(pairs, "limit") else { return Ok(ROWS) };
    let number = text.parse().ok().filter(|number| (1..=ROWS_MAX).contains(number));
    number.ok_or_else(|| bad("limit", format!("must be a whole number from 1 to {ROWS_MAX}")))
}

fn whole<T: std::str::FromStr>(
    pairs: &[(String, String)],
    name: &str,
) -> Result<Option<T>, Refusal> {
    let Some(text) = find(pairs, name) else { return Ok(None) };
    text.parse().map(Some).map_err(|_| bad(name, "must be what an earlier page gave as next"))
}
