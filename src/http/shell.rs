//! The frame of every page: what everyone should know, and what came of the last action.

use axum::http::HeaderMap;
use axum::response::{Html, IntoResponse, Response};
use maud::Markup;
use web::parts::human_size;
use web::{Here, Notice, Shell, Tone, Visitor};

use super::Visit;
use super::flash;
use crate::rights::{Caller, Right};

/// The frame for a page of this application.
pub(super) fn shell(
    visit: &Visit,
    title: impl Into<String>,
    here: Here,
    headers: &HeaderMap,
) -> Shell {
    let user = visit.user();
    let is_known = !matches!(*visit.caller, Caller::Stranger);
    let visitor = user.map_or(Visitor::Stranger, |user| Visitor::Person(user.name.clone()));
    Shell {
        title: title.into(),
        here,
        version: env!("CARGO_PKG_VERSION").into(),
        // What ails the house is not for strangers.
        notices: if is_known { notices(visit) } else { Vec::new() },
        entries: entries(visit),
        flash: flash::read(headers),
        visitor,
        unread: user.map_or(0, |user| super::alerts::unread(visit, user.id)),
        sought: String::new(),
        saved: None,
        now: visit.shop.clock.now().to_string(),
    }
}

/// The entries of the navigation that open to the caller.
fn entries(visit: &Visit) -> Vec<Here> {
    let asked = [
        (Here::Overview, Right::Read),
        (Here::Deposits, Right::Deposit),
        (Here::Objects, Right::Read),
        (Here::Files, Right::Read),
        (Here::Fixity, Right::Read),
        (Here::Restorations, Right::Restore),
        (Here::Events, Right::Read),
        (Here::Deletions, Right::SeeDeletions),
        (Here::Reports, Right::Read),
        (Here::Research, Right::Research),
        (Here::Episodes, Right::Research),
        (Here::Clips, Right::Research),
        (Here::Feeds, Right::Research),
        (Here::Leases, Right::Research),
        (Here::Researchers, Right::Research),
        (Here::Assessments, Right::Assess),
        (Here::ReferenceData, Right::Assess),
        (Here::Items, Right::Read),
        (Here::Queues, Right::KeepWork),
        (Here::Alerts, Right::ReadAlerts),
        (Here::Users, Right::KeepUsers),
        (Here::Institutions, Right::KeepInstitution),
        (Here::Audit, Right::SeeAudit),
        (Here::Storage, Right::Read),
        (Here::Schedules, Right::KeepWork),
        (Here::Settings, Right::KeepHouse),
        (Here::Help, Right::Read),
    ];
    asked.into_iter().filter(|(_, right)| visit.may(*right)).map(|(here, _)| here).collect()
}

fn notices(visit: &Visit) -> Vec<Notice> {
    let mut notices = Vec::from_iter(super::keeping::notice(visit));
    let room = visit.shop.room.reading();
    if !room.open {
        let (free, floor) = (human_size(room.free_bytes), human_size(room.floor_bytes));
        notices.push(Notice::new(
            Tone::Bad,
            format!(
                "The disk of the data directory has {free} free, less than the {floor} that are \
                 asked for (work.room_floor_mb): no new work is taken. Nothing is lost; make room \
                 and work goes on by itself."
            ),
        ));
    }
    let paused = paused(visit);
    if !paused.is_empty() {
        let sentence = format!("Paused: {}. Nothing new is begun there.", paused.join(", "));
        notices.push(Notice::new(Tone::Warn, sentence));
    }
    notices.extend(super::replicas::notices(visit));
    if !visit.registry_well.load(std::sync::atomic::Ordering::Relaxed) {
        notices.push(Notice::new(
            Tone::Bad,
            "The registry cannot be read or written: lists may be old. Run `strongroom doctor`; \
             copies of the registry are in the folder snapshots.",
        ));
    }
    if visit.shop.queue.store().is_ailing() {
        notices.push(Notice::new(
            Tone::Bad,
            "The work state cannot be written at the moment: no work is taken. Everything \
             confirmed so far is kept; it is tried again every few seconds.",
        ));
    }
    if let Some((folder, _)) = &visit.set_aside {
        notices.push(Notice::new(
            Tone::Warn,
            format!(
                "The work state was damaged and is kept aside in {}. A new one was begun; the \
                 sweeps find the work again.",
                folder.display()
            ),
        ));
    }
    notices
}

/// The labels of paused stages.
fn paused(visit: &Visit) -> Vec<&'static str> {
    let is_paused = |topic: &str| visit.shop.queue.topic(topic).is_ok_and(|it| it.counts.paused);
    let stages = visit.shop.chart.stages().map(|(_, stage)| stage);
    stages.filter(|stage| is_paused(stage.topic)).map(|stage| stage.label).collect()
}

/// A rendered page as an answer; a flash that was shown is taken back.
pub(super) fn answer(shell: &Shell, page: Markup) -> Response {
    let response = Html(page.into_string()).into_response();
    if shell.flash.is_some() { flash::clear(response) } else { response }
}
