//! One item as its page shows it.

use std::collections::BTreeMap;

use storage::clock::Timestamp;
use storage::registry::{AttemptRow as Attempt, FindingRow as Found, ItemRow};
use storage::work::item::{ItemId, State};
use web::parts::path;
use web::{
    AttemptRow, Badge, Choice, Fact, FactValue, FindingGroup, FindingRow, ItemPage, Link, Tone,
    Trouble, Waits,
};

use super::Visit;
use super::item_steps::steps;
use super::overview::status_badge;
use super::refusal::Refusal;
use crate::desk::{ItemDetail, StageName};
use crate::rights::Right;

/// Findings listed of one attempt; the rest are counted.
const FINDINGS: usize = 200;

pub(super) fn value(visit: &Visit, id: u64) -> Result<ItemPage, Refusal> {
    let detail = visit.desk().item(id)?;
    let ItemDetail { item, attempts, findings, requeue_to, cancellable, removable, .. } = detail;
    let (kept_until, takeable) = (detail.kept_until, detail.takeable);
    let running = visit.shop.board.running(visit.shop.clock.steady());
    let running = running.into_iter().find(|attempt| attempt.item == id);
    let labels = visit.shop.chart.labels();
    let label = |topic: &str| labels.get(topic).cloned().unwrap_or_else(|| topic.to_owned());
    let may = visit.may(Right::KeepWork);
    let choice = |stage: &StageName| Choice::new(&*stage.topic, &*stage.label);
    let mut stages: Vec<Choice> = requeue_to.iter().map(choice).filter(|_| may).collect();
    // A rejected bag is read again first: to judge what was read would find the same.
    if !removable {
        stages.reverse();
    }
    Ok(ItemPage {
        id,
        flow: item.action.clone(),
        label: item.stage.clone(),
        status: status_badge(&item.status),
        steps: steps(visit, &item, &attempts, running.as_ref()),
        waits: waits(visit, &item)?,
        trouble: trouble(&item, removable, kept_until.as_deref()),
        requeue: stages,
        cancellable: cancellable && may,
        removable: removable && visit.may(Right::Deposit),
        takeable: takeable && visit.may(Right::Deposit),
        facts: facts(visit, &item)?,
        attempts: attempts.iter().map(|it| attempt_row(it, label(&it.topic))).collect(),
        report: (!findings.is_empty()).then(|| {
            let href = path(&["items", &id.to_string(), "report.txt"]);
            Link::new(href, "Report for the depositor (plain text)")
        }),
        findings: groups(findings, &attempts, label),
        raw: raw(&item),
        name: item.name,
    })
}

fn trouble(item: &ItemRow, rejected: bool, until: Option<&str>) -> Option<Trouble> {
    let mut kept = item.kept.clone().unwrap_or_default();
    if rejected {
        let until = until.and_then(Timestamp::parse).map(|end| end.to_minute());
        kept = match until {
            Some(end) => format!("{kept} It is kept until {end} and then removed."),
            None => format!("{kept} It is kept until somebody removes it."),
        };
    }
    Some(Trouble {
        happened: item.happened.clone()?,
        kept,
        next: item.advice.clone().unwrap_or_default(),
    })
}

/// What an item waits for that is not simply in line: its last word says it.
fn waits(visit: &Visit, item: &ItemRow) -> Result<Option<Waits>, Refusal> {
    let Some(live) = visit.shop.queue.item(ItemId(item.id.unsigned_abs()))? else {
        return Ok(None);
    };
    let State::Delayed { due } = live.state else { return Ok(None) };
    let since = live.waiting.map(|wait| wait.since.to_string());
    Ok(Some(Waits { why: live.note, since, until: Some(due.to_string()) }))
}

/// The object, with the way to it once it is recorded.
fn object(visit: &Visit, item: &ItemRow) -> Result<Option<Fact>, Refusal> {
    let Some(identifier) = item.object_identifier.as_deref().filter(|it| !it.is_empty()) else {
        return Ok(None);
    };
    if visit.registry.object_by_identifier(identifier)?.is_none() {
        return Ok(Some(Fact::text("Object", identifier)));
    }
    let mut segments = vec!["objects"];
    segments.extend(identifier.split('/'));
    let link = Link::new(path(&segments), identifier);
    Ok(Some(Fact::new("Object", FactValue::Link(link))))
}

fn facts(visit: &Visit, item: &ItemRow) -> Result<Vec<Fact>, Refusal> {
    let mut facts = Vec::new();
    facts.extend(object(visit, item)?);
    let mut text = |name: &str, value: &Option<String>| {
        if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
            facts.push(Fact::text(name, value.clone()));
        }
    };
    text("Note", &Some(item.note.clone()));
    text("Institution", &item.institution_name);
    text("File", &item.generic_file_identifier);
    text("Storage option", &item.storage_option);
    text("Asked for by", &Some(item.user.clone()));
    text("Received in", &Some(item.bucket.clone()));
    if item.size > 0 {
        facts.push(Fact::new("Size", FactValue::Bytes(item.size.unsigned_abs())));
    }
    facts.push(Fact::new("Attempts at this stage", FactValue::Count(item.attempts.unsigned_abs())));
    facts.push(Fact::new("Made", FactValue::Time(item.created_at.to_string())));
    facts.push(Fact::new("Last change", FactValue::Time(item.updated_at.to_string())));
    Ok(facts)
}

fn raw(item: &ItemRow) -> Vec<Fact> {
    let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(item) else {
        return Vec::new();
    };
    let plain =
        |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let told = fields.iter().filter(|(_, value)| !value.is_null());
    told.map(|(name, value)| Fact::new(&**name, FactValue::Code(plain(value)))).collect()
}

fn attempt_row(attempt: &Attempt, stage: String) -> AttemptRow {
    let took = attempt.finished_at.map(|end| end.since(attempt.started_at).as_secs_f64());
    AttemptRow {
        number: attempt.number.unsigned_abs(),
        stage,
        started: attempt.started_at.to_string(),
        took_seconds: took,
        outcome: outcome_badge(attempt.outcome.as_deref().unwrap_or("running")),
        note: attempt.note.clone(),
    }
}

fn outcome_badge(outcome: &str) -> Badge {
    let tone = match outcome {
        "advanced" | "finished" => Tone::Good,
        "running" => Tone::Busy,
        "parked" | "hung" => Tone::Warn,
        "failed" => Tone::Bad,
        _ => Tone::Calm,
    };
    Badge::new(capital(outcome), tone)
}

fn groups(
    findings: Vec<Found>,
    attempts: &[Attempt],
    label: impl Fn(&str) -> String,
) -> Vec<FindingGroup> {
    let mut groups: BTreeMap<u64, Vec<Found>> = BTreeMap::new();
    for finding in findings {
        groups.entry(finding.attempt.unsigned_abs()).or_default().push(finding);
    }
    let group = |(attempt, findings): (u64, Vec<Found>)| {
        let of = attempts.iter().find(|it| it.number.unsigned_abs() == attempt);
        FindingGroup {
            attempt,
            stage: of.map(|it| label(&it.topic)).unwrap_or_default(),
            unshown_count: findings.len().saturating_sub(FINDINGS) as u64,
            findings: findings.into_iter().take(FINDINGS).map(finding_row).collect(),
        }
    };
    groups.into_iter().rev().map(group).collect()
}

fn finding_row(finding: Found) -> FindingRow {
    let tone = if finding.severity == "error" { Tone::Bad } else { Tone::Warn };
    FindingRow {
        severity: Badge::new(capital(&finding.severity), tone),
        code: finding.code,
        place: finding.place,
        sentence: finding.sentence,
    }
}

/// A stored word as it stands on a badge.
pub(super) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
