//! The page of feeds, and what people do on it.

use axum::extract::{Form, Path};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use storage::registry::{FeedRow, NewFeed, RecordingKind};
use web::{Badge, FeedForm, FeedLine, FeedsPage, Here, Tone, feeds_page};

use super::adding::to_mend;
use crate::http::Visit;
use crate::http::flash::see;
use crate::http::refusal::{Refusal, sentence};
use crate::http::research::feeds::number;
use crate::http::shell::{answer, shell};
use crate::rights::Right;

const PLACE: &str = "/research/feeds";

/// The form, as it is sent.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
pub(super) struct Given {
    url: String,
    kind: String,
    every_h: String,
}

pub(super) async fn list(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit.aside(move |visit| page(visit, &headers, (FeedForm::default(), None))).await
}

pub(super) async fn add(
    visit: Visit,
    headers: HeaderMap,
    Form(given): Form<Given>,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let problem = match given.feed() {
                Ok(feed) => match visit.desk().add_feed(&feed) {
                    Ok(_) => return Ok(see(PLACE, "The feed is read within moments.")),
                    Err(error) if to_mend(&error) => sentence(&error),
                    Err(error) => return Err(error.into()),
                },
                Err(problem) => problem,
            };
            let Given { url, kind, every_h } = given;
            let typed = FeedForm { url, kind, every_h };
            let shown = page(visit, &headers, (typed, Some(problem)))?;
            Ok((StatusCode::UNPROCESSABLE_ENTITY, shown).into_response())
        })
        .await
}

pub(super) async fn remove(visit: Visit, id: Path<String>) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            visit.desk().remove_feed(id)?;
            Ok(see(PLACE, "The feed is removed. What it has listed stays."))
        })
        .await
}

pub(super) async fn read(visit: Visit, id: Path<String>) -> Result<Response, Refusal> {
    let id = number(&id)?;
    visit
        .aside(move |visit| {
            visit.desk().read_feed(id)?;
            Ok(see(PLACE, "The feed is read within moments."))
        })
        .await
}

fn page(
    visit: &Visit,
    headers: &HeaderMap,
    (form, problem): (FeedForm, Option<String>),
) -> Result<Response, Refusal> {
    let shell = shell(visit, "Feeds", Here::Feeds, headers);
    let page = FeedsPage {
        rows: visit.desk().feeds()?.into_iter().map(line).collect(),
        form,
        problem,
        may_keep: visit.may(Right::KeepResearch),
        now: visit.shop.clock.now().to_string(),
    };
    Ok(answer(&shell, feeds_page(&shell, &page)))
}

fn line(feed: FeedRow) -> FeedLine {
    let state = match (feed.read_at, feed.is_well) {
        (None, _) => Badge::new("Not read yet", Tone::Calm),
        (Some(_), true) => Badge::new("Read", Tone::Good),
        (Some(_), false) => Badge::new("Incomplete", Tone::Warn),
    };
    FeedLine {
        id: feed.id.unsigned_abs(),
        kind: super::words::plural(feed.kind).into(),
        url: feed.url,
        every_h: feed.every_h.into(),
        state,
        outcome: feed.outcome,
        read: feed.read_at.map(|at| at.to_string()),
        next: feed.next_at.to_string(),
    }
}

impl Given {
    fn feed(&self) -> Result<NewFeed, String> {
        let kind = match self.kind.as_str() {
            "episode" => RecordingKind::Episode,
            "clip" => RecordingKind::Clip,
            _ => return Err("Say whether the feed lists episodes or clips.".into()),
        };
        let every_h = self.every_h.trim().parse();
        let every_h = every_h.map_err(|_| "The hours must be a whole number.")?;
        Ok(NewFeed { kind, url: self.url.trim().into(), every_h })
    }
}
