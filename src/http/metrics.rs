//! `/metrics` in Prometheus text. The numbers live in the board, the queue and the room; this
//! only writes them down, so no recorder and no second set of counters is needed.

use std::fmt::Write;

use axum::http::header;
use axum::response::{IntoResponse, Response};
use storage::registry::{MissingCopies, Sight};

use super::Visit;
use super::refusal::Refusal;
use crate::desk::QueueRow;
use crate::research::{Load, Pairs};
use crate::work::Pool;

/// Every number worth a graph.
pub(super) async fn text(visit: Visit) -> Result<Response, Refusal> {
    let text = visit.aside(|visit| Ok(write_all(visit, &visit.desk().queues()?))).await?;
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

type Column = (&'static str, &'static str, &'static str, fn(&QueueRow) -> u64);

const TOPICS: &[Column] = &[
    ("strongroom_items_ready", "gauge", "Items in line.", |row| row.ready),
    ("strongroom_items_delayed", "gauge", "Items waiting for a moment.", |row| row.delayed),
    ("strongroom_items_in_flight", "gauge", "Items being worked on.", |row| row.in_flight),
    ("strongroom_items_parked", "gauge", "Items waiting for a person.", |row| row.parked),
    ("strongroom_topic_paused", "gauge", "1 when no work is given out.", |row| row.paused.into()),
    ("strongroom_stage_healthy", "gauge", "1 when its workers are well.", |row| row.healthy.into()),
    ("strongroom_items_pushed_total", "counter", "Items ever put in line.", |row| row.pushed),
    ("strongroom_items_claimed_total", "counter", "Claims ever given.", |row| row.claimed),
    ("strongroom_items_done_total", "counter", "Items ever passed on or finished.", |row| row.done),
    ("strongroom_items_retried_total", "counter", "Attempts ever repeated.", |row| row.retried),
    ("strongroom_items_failed_total", "counter", "Items ever failed.", |row| row.failed),
    ("strongroom_items_cancelled_total", "counter", "Items ever cancelled.", |row| row.cancelled),
    ("strongroom_items_expired_total", "counter", "Items ever expired.", |row| row.expired),
];

type Missing = (&'static str, &'static str, fn(&MissingCopies) -> u64);

const MISSING: &[Missing] = &[
    ("strongroom_missing_objects", "Objects that a replica lacks copies of.", |it| it.object_count),
    ("strongroom_missing_copies", "Copies that a replica lacks.", |it| it.copy_count),
];

type Number<T> = (&'static str, &'static str, fn(&T) -> u64);

const PAIRS: &[Number<Pairs>] = &[
    ("strongroom_research_pairs_left", "Pairs to be searched.", |it| it.left),
    ("strongroom_research_pairs_searched", "Pairs searched.", |it| it.searched),
    ("strongroom_research_pairs_failed", "Pairs that a person has to retry.", |it| it.failed),
];

const LOAD: &[Number<Load>] = &[
    ("strongroom_research_offers", "Pieces of work that nobody has taken.", |it| it.offers),
    ("strongroom_research_leases", "Pieces of work that researchers have.", |it| it.leases),
    ("strongroom_research_researchers", "Researchers present.", |it| it.researchers),
    ("strongroom_research_oldest_offer_seconds", "Age of the oldest offer.", |it| {
        it.oldest_offer_s
    }),
    ("strongroom_research_oldest_lease_seconds", "Age of the oldest lease.", |it| {
        it.oldest_lease_s
    }),
];

fn write_all(visit: &Visit, queues: &[QueueRow]) -> String {
    let mut out = String::with_capacity(8 << 10);
    for (name, kind, help, value) in TOPICS {
        head(&mut out, name, kind, help);
        for row in queues {
            sample(
                &mut out,
                name,
                &format!("flow=\"{}\",topic=\"{}\"", row.flow, row.topic),
                value(row) as f64,
            );
        }
    }
    let name = "strongroom_oldest_ready_seconds";
    head(&mut out, name, "gauge", "How long the oldest item in line has waited.");
    for row in queues {
        let labels = format!("flow=\"{}\",topic=\"{}\"", row.flow, row.topic);
        sample(&mut out, name, &labels, row.oldest_seconds.unwrap_or(0.0));
    }
    missing_copies(&mut out, visit);
    if let Ok(load) = visit.research.load() {
        numbers(&mut out, LOAD, &load);
    }
    if visit.registry.can_read_at_once()
        && let Ok(pairs) = visit.research.pairs()
    {
        numbers(&mut out, PAIRS, &pairs);
    }
    let name = "strongroom_pool_saturation";
    head(&mut out, name, "gauge", "Attempts under way per thread of a pool.");
    for pool in Pool::ALL {
        let labels = format!("pool=\"{}\"", pool.name());
        sample(&mut out, name, &labels, visit.shop.pools.saturation(pool));
    }
    let room = visit.shop.room.reading();
    let health = visit.health();
    let work_bytes = visit.shop.queue.store().size_on_disk().unwrap_or(0);
    for (name, help, value) in [
        ("strongroom_healthy", "1 when every stage is well.", f64::from(u8::from(health.ok()))),
        (
            "strongroom_disk_free_bytes",
            "Free on the data directory's disk.",
            room.free_bytes as f64,
        ),
        ("strongroom_disk_floor_bytes", "Below this no work is taken.", room.floor_bytes as f64),
        ("strongroom_work_state_bytes", "Work state on disk.", work_bytes as f64),
        (
            "strongroom_registry_bytes",
            "Registry on disk.",
            visit.registry.size_bytes().unwrap_or(0) as f64,
        ),
        (
            "strongroom_uncopied_items",
            "Items not yet copied to the registry.",
            visit.shop.queue.changed_count() as f64,
        ),
    ] {
        head(&mut out, name, "gauge", help);
        sample(&mut out, name, "", value);
    }
    let [begun, open] = visit.site.places.counts();
    let name = "strongroom_http_streams";
    head(&mut out, name, "gauge", "Downloads, recordings and exports being sent.");
    sample(&mut out, name, "", open as f64);
    let name = "strongroom_http_streams_total";
    head(&mut out, name, "counter", "Downloads, recordings and exports ever begun.");
    sample(&mut out, name, "", begun as f64);
    out
}

/// What every replica lacks. Where that cannot be read, nothing is said: zero would say that all is there.
/// Metrics are answered while every connection to the registry is taken.
fn missing_copies(out: &mut String, visit: &Visit) {
    if !visit.registry.can_read_at_once() {
        return;
    }
    let Ok(missing) = visit.registry.missing_copies(Sight::All) else { return };
    for (name, help, count) in MISSING {
        head(out, name, "gauge", help);
        for replica in visit.vaults.all() {
            let row = missing.iter().find(|row| row.replica == replica.name());
            let labels = format!("replica=\"{}\"", replica.name());
            sample(out, name, &labels, row.map_or(0, count) as f64);
        }
    }
}

fn numbers<T>(out: &mut String, all: &[Number<T>], of: &T) {
    for (name, help, value) in all {
        head(out, name, "gauge", help);
        sample(out, name, "", value(of) as f64);
    }
}

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    // Writing to a String cannot fail.
    writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}").ok();
}

fn sample(out: &mut String, name: &str, labels: &str, value: f64) {
    let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
    writeln!(out, "{name}{labels} {value}").ok();
}
