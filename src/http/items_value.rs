//! The list of items as a page shows it: form fields into a query, rows into words.

use storage::registry::ItemRow as Row;
use web::{Choice, ItemChoices, ItemFilter, ItemRow, ItemsPage, Pager, Sort};

use super::Visit;
use super::asked::{Leaf, Pairs, export_href, find};
use super::overview::status_badge;
use super::refusal::Refusal;
use crate::desk::STATUSES;

/// Rows of a page unless asked otherwise.
const PER_PAGE: u64 = 50;
/// Most that are counted; a page then says "10,000+".
const COUNTED: u64 = 10_001;
/// Longest note shown in a row, in characters.
const NOTE: usize = 120;

pub(super) fn value(visit: &Visit, mut pairs: Pairs) -> Result<ItemsPage, Refusal> {
    let (filter, sort) = (filter(&pairs), sort(&pairs));
    let leaf = Leaf::of(&mut pairs, PER_PAGE, COUNTED)?;
    let list = visit.desk().items(&pairs, leaf.counting())?;
    Ok(ItemsPage {
        filter,
        choices: choices(visit)?,
        sort,
        pager: Pager {
            export: export_href("items", &pairs),
            ..leaf.pager(list.items.len(), (list.count, list.count_is_exact))
        },
        rows: list.items.into_iter().map(row).collect(),
    })
}

fn filter(pairs: &[(String, String)]) -> ItemFilter {
    let text = |name: &str| find(pairs, name).unwrap_or_default().to_owned();
    ItemFilter {
        name_contains: text("name__contains"),
        status: text("status"),
        flow: text("flow"),
        topic: text("topic"),
        institution_id: text("institution_id"),
        reason: text("reason"),
        processed_from: text("date_processed__gteq"),
        processed_to: text("date_processed__lteq"),
        needs_admin_review: find(pairs, "needs_admin_review") == Some("true"),
    }
}

fn sort(pairs: &[(String, String)]) -> Sort {
    let asked = find(pairs, "sort").and_then(|sort| sort.rsplit_once("__"));
    let (column, order) = asked.unwrap_or(("date_processed", "desc"));
    Sort { column: column.into(), descending: order == "desc" }
}

fn choices(visit: &Visit) -> Result<ItemChoices, Refusal> {
    let same = |word: &str| Choice::new(word, word);
    let status = |word: &&str| Choice::new(*word, status_badge(word).label);
    let chart = &visit.shop.chart;
    let topics = chart
        .stages()
        .map(|(flow, stage)| Choice::new(stage.topic, format!("{}: {}", flow.action, stage.label)));
    let reasons = visit.registry.parked_reasons(visit.desk().sight())?;
    Ok(ItemChoices {
        statuses: STATUSES.iter().map(status).collect(),
        flows: chart.flows.iter().map(|flow| Choice::new(flow.name, flow.action)).collect(),
        topics: topics.collect(),
        institutions: Vec::new(),
        reasons: reasons.iter().map(|reason| same(reason)).collect(),
    })
}

fn row(row: Row) -> ItemRow {
    let mut note: String = row.note.chars().take(NOTE).collect();
    if note.len() < row.note.len() {
        note.push('…');
    }
    ItemRow {
        id: row.id.unsigned_abs(),
        name: row.name,
        institution: row.institution_name.unwrap_or_default(),
        flow: row.action,
        label: row.stage,
        status: status_badge(&row.status),
        attempts: row.attempts.unsigned_abs(),
        note,
        updated: row.date_processed.to_string(),
    }
}
