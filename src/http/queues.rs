//! The queues: what waits where, and the levers.

use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::{Html, Response};
use web::{
    Badge, ConfirmPage, FlowTable, Here, Link, QueuesPage, Tone, TopicRow, confirm_page, counted,
    queues_fragment, queues_page,
};

use super::flash::see;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use super::{Site, aside};
use crate::app::App;
use crate::desk::QueueRow;
use crate::work::Refused;

const BY: &str = "someone at the web page";

pub(super) async fn page(
    State(site): State<Site>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    aside(&site, move |app| {
        let shell = shell(app, "Queues", Here::Queues, &headers);
        Ok(answer(&shell, queues_page(&shell, &value(app)?)))
    })
    .await
}

pub(super) async fn fragment(State(site): State<Site>) -> Result<Html<String>, Refusal> {
    aside(&site, |app| Ok(Html(queues_fragment(&value(app)?).into_string()))).await
}

pub(super) async fn pause_all(State(site): State<Site>) -> Result<Response, Refusal> {
    set_paused(&site, None, true).await
}

pub(super) async fn resume_all(State(site): State<Site>) -> Result<Response, Refusal> {
    set_paused(&site, None, false).await
}

pub(super) async fn pause(
    State(site): State<Site>,
    Path(topic): Path<String>,
) -> Result<Response, Refusal> {
    set_paused(&site, Some(topic), true).await
}

pub(super) async fn resume(
    State(site): State<Site>,
    Path(topic): Path<String>,
) -> Result<Response, Refusal> {
    set_paused(&site, Some(topic), false).await
}

async fn set_paused(site: &Site, topic: Option<String>, paused: bool) -> Result<Response, Refusal> {
    aside(site, move |app| {
        app.desk().pause(topic.as_deref(), paused)?;
        let which = topic.unwrap_or_else(|| "every topic".into());
        let sentence = if paused {
            format!("Paused {which}: what is being worked on ends, nothing new is begun.")
        } else {
            format!("Resumed {which}.")
        };
        Ok(see("/queues", &sentence))
    })
    .await
}

pub(super) async fn ask_empty(
    State(site): State<Site>,
    Path(topic): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    aside(&site, move |app| {
        let row = find(app, &topic)?;
        let waiting = counted(row.ready + row.delayed, "item");
        let shell = shell(app, format!("Empty {topic}"), Here::Queues, &headers);
        let page = ConfirmPage {
            title: format!("Empty {}?", row.label),
            sentence: format!(
                "In line in {topic}: {waiting}. Emptying cancels everything in line."
            ),
            consequences: vec![
                "What is being worked on, or waits for a person, stays.".into(),
                "What was received stays where it is.".into(),
                "A cancelled item cannot be brought back.".into(),
            ],
            action: format!("/queues/{topic}/empty"),
            hidden: Vec::new(),
            button: format!("Cancel {waiting}"),
            back: Link::new("/queues", "Keep them"),
        };
        Ok(answer(&shell, confirm_page(&shell, &page)))
    })
    .await
}

pub(super) async fn empty(
    State(site): State<Site>,
    Path(topic): Path<String>,
) -> Result<Response, Refusal> {
    aside(&site, move |app| {
        let emptied = app.desk().empty(Some(&topic), BY)?;
        Ok(see("/queues", &format!("Cancelled {} of {topic}.", counted(emptied.cancelled, "item"))))
    })
    .await
}

fn find(app: &App, topic: &str) -> Result<QueueRow, Refusal> {
    let rows = app.desk().queues()?;
    let known: Vec<_> = rows.iter().map(|row| row.topic.clone()).collect();
    rows.into_iter().find(|row| row.topic == topic).ok_or_else(|| {
        Refused::UnknownTopic { topic: topic.into(), known: known.join(", ") }.into()
    })
}

fn value(app: &App) -> Result<QueuesPage, Refusal> {
    let mut flows: Vec<FlowTable> = Vec::new();
    for row in app.desk().queues()? {
        if flows.last().is_none_or(|table| table.flow != row.flow) {
            let (flow, label) = (row.flow.clone(), row.action.clone());
            flows.push(FlowTable { flow, label, rows: Vec::new() });
        }
        if let Some(table) = flows.last_mut() {
            table.rows.push(topic_row(row));
        }
    }
    Ok(QueuesPage { flows })
}

fn topic_row(row: QueueRow) -> TopicRow {
    let (word, tone) = if row.healthy { ("Well", Tone::Good) } else { ("Not well", Tone::Bad) };
    TopicRow {
        topic: row.topic,
        label: row.label,
        workers: row.workers.into(),
        buffer: row.buffer.into(),
        max_attempts: row.max_attempts.into(),
        ready: row.ready,
        delayed: row.delayed,
        in_flight: row.in_flight,
        parked: row.parked,
        oldest_seconds: row.oldest_seconds,
        done: row.done,
        health: Badge::new(word, tone),
        paused: row.paused,
    }
}
