//! The queues: what waits where, and the levers.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::{Html, Response};
use web::{
    Badge, ConfirmPage, FlowTable, Here, Link, QueuesPage, Tone, TopicRow, confirm_page, counted,
    queues_fragment, queues_page,
};

use super::Visit;
use super::flash::see;
use super::refusal::Refusal;
use super::shell::{answer, shell};
use crate::desk::QueueRow;
use crate::work::Refused;

pub(super) async fn page(visit: Visit, headers: HeaderMap) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let shell = shell(visit, "Queues", Here::Queues, &headers);
            Ok(answer(&shell, queues_page(&shell, &value(visit)?)))
        })
        .await
}

pub(super) async fn fragment(visit: Visit) -> Result<Html<String>, Refusal> {
    visit.aside(|visit| Ok(Html(queues_fragment(&value(visit)?).into_string()))).await
}

pub(super) async fn pause_all(visit: Visit) -> Result<Response, Refusal> {
    set_paused(&visit, None, true).await
}

pub(super) async fn resume_all(visit: Visit) -> Result<Response, Refusal> {
    set_paused(&visit, None, false).await
}

pub(super) async fn pause(visit: Visit, Path(topic): Path<String>) -> Result<Response, Refusal> {
    set_paused(&visit, Some(topic), true).await
}

pub(super) async fn resume(visit: Visit, Path(topic): Path<String>) -> Result<Response, Refusal> {
    set_paused(&visit, Some(topic), false).await
}

async fn set_paused(
    visit: &Visit,
    topic: Option<String>,
    paused: bool,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            visit.desk().pause(topic.as_deref(), paused)?;
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
    visit: Visit,
    Path(topic): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let row = find(visit, &topic)?;
            let waiting = counted(row.ready + row.delayed, "item");
            let shell = shell(visit, format!("Empty {topic}"), Here::Queues, &headers);
            let page = ConfirmPage {
                title: format!("Empty {}?", row.label),
                sentence: format!(
                    "In line in {topic}: {waiting}. Emptying cancels everything in line."
                ),
                consequences: vec![
                    "What is being worked on, or waits for a person, stays.".into(),
                    "What was received stays where it is.".into(),
                    "A cancelled item cannot be brought back; a new one can take its bag again."
                        .into(),
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

pub(super) async fn empty(visit: Visit, Path(topic): Path<String>) -> Result<Response, Refusal> {
    visit
        .aside(move |visit| {
            let emptied = visit.desk().empty(Some(&topic))?;
            Ok(see(
                "/queues",
                &format!("Cancelled {} of {topic}.", counted(emptied.cancelled, "item")),
            ))
        })
        .await
}

fn find(visit: &Visit, topic: &str) -> Result<QueueRow, Refusal> {
    let rows = visit.desk().queues()?;
    let known: Vec<_> = rows.iter().map(|row| row.topic.clone()).collect();
    rows.into_iter().find(|row| row.topic == topic).ok_or_else(|| {
        Refused::UnknownTopic { topic: topic.into(), known: known.join(", ") }.into()
    })
}

fn value(visit: &Visit) -> Result<QueuesPage, Refusal> {
    let mut flows: Vec<FlowTable> = Vec::new();
    for row in visit.desk().queues()? {
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
