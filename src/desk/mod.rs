//! The front desk: every operation that pages, API and commands offer, in one place, with plain
//! values in and out. A command uses it directly when no appliance runs, and through the API,
//! which calls it, when one does.

mod alerts;
mod assessments;
mod csv;
mod deletions;
mod deposits;
mod doctor;
mod each_event;
mod error;
mod failed_checks;
mod feeds;
mod fixity;
mod fixity_csv;
mod held;
mod interim;
mod lying;
mod maintenance;
mod occurrences;
mod own;
mod people;
mod places;
mod reference;
mod rehearsals;
mod replacements;
mod report;
mod reports;
mod research;
mod research_objects;
mod restorations;
mod schedules;
mod search;
mod settings;
mod site_form;
mod stored_input;
mod sums;
mod told;

use std::io::Write;

use storage::registry::{BadQuery, Counting, Deed, EXPORTED_TABLES, ITEMS, Query};
use storage::work::export::export;
use storage::work::item::ItemId;

use self::deposits::is_rejected;

pub use alerts::{AlertDetail, AlertList, AlertTold, Marked, Marking};
pub use assessments::{
    AssessmentAsked, AssessmentDetail, AssessmentList, BoundaryAsked, WorksNearby,
};
pub(crate) use csv::{csv_row, harmless};
pub use deletions::{DeletionDetail, DeletionList, DeletionProgress, DeletionWish};
pub use deposits::{Area, Deposit, DepositList, DepositState};
pub use doctor::{Diagnosis, DoctorFinding};
pub use error::DeskError;
pub use fixity::{ChecksAsked, DUE_MAX, NextObject, ReplicaDue};
pub(crate) use held::closed_words;
pub use held::{
    COUNTED, EventDetail, EventList, FileDetail, FileList, Held, InstitutionList, ObjectDetail,
    ObjectList,
};
pub use maintenance::MaintenanceTold;
pub use occurrences::{OccurrenceList, OccurrenceTold};
pub use people::{
    AuditList, InstitutionDetail, InstitutionEdit, InstitutionWish, Invitation, MadeToken,
    NewTokenWish, OwnSession, PendingEmail, SessionList, TokenList, UserDetail, UserEdit, UserList,
    UserWish,
};
pub use places::{OptionTold, ReplicaDetail, ReplicaTold, StorageTold};
pub use reference::{LoadRun, LoadWish, ReferenceTold, ReferenceVersion, RolledBackTold};
pub use rehearsals::Rehearsals;
pub use replacements::{ReplaceError, Replaced, Replacing};
pub use reports::{DeclarationWish, ReportKind};
pub use research::{
    ADDED_MAX, AgainWish, BeatWish, CatalogueTold, CatalogueWish, ExtendWish, FinishTold,
    FinishWish, HOURS_MAX, LeaseList, RESULTS_MAX, ROWS_MAX, RecordingList, ResultBatch,
    ResultBatchResponse, ResultResponse, ResultWish, WorkTold, WorkWish,
};
pub use research_objects::ObjectWish;
pub use restorations::{AskedRestoration, Restoration, RestorationList};
pub use schedules::ScheduleRow;
pub use settings::{Setting, Settings};
pub use site_form::SiteForm;
pub use sums::{ChecksumList, StorageRecordList};
pub use told::{Emptied, ItemDetail, ItemList, QueueRow, StageName, unbraced};

use crate::accounts::Note;
use crate::app::App;
use crate::rights::Caller;
use crate::work::Requeued;

/// The statuses of the described registry.
pub const STATUSES: [&str; 6] =
    ["Pending", "Started", "Suspended", "Success", "Failed", "Cancelled"];

/// Attempts and findings shown of one item.
const SHOWN: u32 = 1000;

/// The desk of an open data directory, for one caller. It finds nothing beyond that caller's sight
/// and changes nothing that is not theirs.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    app: &'a App,
    caller: &'a Caller,
}

impl App {
    /// The desk, for the owner of the data directory.
    pub fn desk(&self) -> Desk<'_> {
        self.desk_for(&Caller::House)
    }

    /// The desk, for whoever asks.
    pub fn desk_for<'a>(&'a self, caller: &'a Caller) -> Desk<'a> {
        Desk { app: self, caller }
    }
}

impl Desk<'_> {
    /// Items by filter, with the names and operators of the described registry.
    pub fn items(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<ItemList, DeskError> {
        self.items_among(pairs, &[], counting)
    }

    /// The same, and all filters of one of the choices hold; with no choice, as without.
    pub fn items_among(
        &self,
        pairs: &[(String, String)],
        choices: &[Vec<(String, String)>],
        counting: Counting,
    ) -> Result<ItemList, DeskError> {
        self.check_words(pairs)?;
        let mut query = Query::parse(&ITEMS, pairs)?.counting(counting);
        if !choices.is_empty() {
            query = query.any_of(choices)?;
        }
        let query = query.seen_by(self.sight());
        let page = self.app.registry.list_items(&query)?;
        let shown = page.rows.len() as u64;
        let (count, count_is_exact) = page.count.map_or((shown, false), |it| (it.value, it.exact));
        Ok(ItemList { count, count_is_exact, next_cursor: page.next_cursor, items: page.rows })
    }

    /// A mistyped status or topic would look like good news: nothing found.
    fn check_words(&self, pairs: &[(String, String)]) -> Result<(), DeskError> {
        for (name, value) in pairs {
            match name.as_str() {
                "status" | "status__in" if !STATUSES.contains(&value.as_str()) => {
                    let problem = format!("is {value:?}; it is one of {}", STATUSES.join(", "));
                    return Err(BadQuery { parameter: name.clone(), problem }.into());
                }
                "topic" | "topic__in" => self.app.shop.controls().know(value)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// One item with its past, as it is now.
    pub fn item(&self, id: u64) -> Result<ItemDetail, DeskError> {
        self.app.mirror.copy()?;
        let number = i64::try_from(id).unwrap_or(i64::MAX);
        let item = self.app.registry.item(number)?.filter(|item| self.owns(item.institution_id));
        let item = item.ok_or(DeskError::NoSuchItem(id))?;
        self.require_seen(&item)?;
        let live = self.app.shop.queue.item(ItemId(id))?.filter(|item| !item.state.is_terminal());
        let controls = self.app.shop.controls();
        let stages = live.as_ref().map(|item| controls.stages_for(item)).unwrap_or_default();
        let name = |(topic, label): (&str, &str)| StageName {
            topic: topic.to_owned(),
            label: label.to_owned(),
        };
        let leased = item.state == "leased";
        Ok(ItemDetail {
            attempts: self.app.registry.attempts(number, SHOWN)?,
            findings: self.app.registry.findings(number, SHOWN)?,
            requeue_to: if leased { Vec::new() } else { stages.into_iter().map(name).collect() },
            cancellable: live.is_some(),
            removable: live.is_some() && is_rejected(&item),
            takeable: live.is_none() && self.is_takeable(&item),
            kept_until: self.kept_until(&item),
            item,
        })
    }

    /// Puts an item back in line.
    pub fn requeue(&self, id: u64, to: Option<&str>) -> Result<ItemDetail, DeskError> {
        self.living(id)?;
        // What was found of a rejected bag is not found otherwise by judging it again.
        let rejected = self.item(id)?;
        let first = rejected.requeue_to.first().filter(|_| is_rejected(&rejected.item));
        let to = to.or(first.map(|stage| stage.topic.as_str()));
        self.app.shop.controls().requeue(ItemId(id), to, self.caller.name())?;
        let detail = self.item(id)?;
        self.note_item(Deed::Requeue, &detail, to.unwrap_or_default());
        Ok(detail)
    }

    /// Puts back everything parked for the same reason.
    pub fn requeue_all(&self, reason: &str, topic: Option<&str>) -> Result<Requeued, DeskError> {
        let requeued = self.app.shop.controls().requeue_all(reason, topic, self.caller.name())?;
        if requeued.requeued == 0 {
            return Err(DeskError::NothingParked(reason.to_owned()));
        }
        self.app.mirror.copy()?;
        let note = Note::of(Deed::Requeue).to("reason", reason);
        self.note(note.saying(web::counted(requeued.requeued, "item")));
        Ok(requeued)
    }

    /// Cancels an item.
    pub fn cancel(&self, id: u64) -> Result<ItemDetail, DeskError> {
        self.living(id)?;
        self.app.shop.controls().cancel(ItemId(id), self.caller.name())?;
        let detail = self.item(id)?;
        self.note_item(Deed::CancelItem, &detail, "");
        Ok(detail)
    }

    pub(in crate::desk) fn note_item(&self, deed: Deed, detail: &ItemDetail, saying: &str) {
        let item = &detail.item;
        let note = Note::of(deed).to("item", &item.id.to_string()).within(item.institution_id);
        self.note(note.saying(if saying.is_empty() { &item.name } else { saying }));
    }

    /// An item that has ended is refused with how it ended, not as if it had never been.
    fn living(&self, id: u64) -> Result<(), DeskError> {
        let live = self.app.shop.queue.item(ItemId(id))?;
        if live.is_some_and(|item| !item.state.is_terminal()) {
            return Ok(());
        }
        self.app.mirror.copy()?;
        let number = i64::try_from(id).unwrap_or(i64::MAX);
        match self.app.registry.item(number)? {
            Some(row) => Err(DeskError::Ended { id, status: row.status }),
            None => Err(DeskError::NoSuchItem(id)),
        }
    }

    /// Every topic of every flow.
    pub fn queues(&self) -> Result<Vec<QueueRow>, DeskError> {
        let health = self.app.health();
        let mut rows = Vec::new();
        for (flow, stage) in self.app.shop.chart.stages() {
            let view = self.app.shop.queue.topic(stage.topic)?;
            let healthy = health.stages.iter().find(|it| it.topic == stage.topic);
            let counts = view.counts;
            rows.push(QueueRow {
                flow: flow.name.into(),
                action: flow.action.into(),
                topic: stage.topic.into(),
                label: stage.label.into(),
                paused: counts.paused,
                workers: stage.policy.workers,
                buffer: stage.policy.buffer,
                max_attempts: stage.policy.max_attempts,
                ready: counts.ready,
                delayed: counts.delayed,
                in_flight: counts.leased,
                parked: counts.parked,
                oldest_seconds: view.oldest_ms.map(|ms| ms as f64 / 1000.0),
                pushed: counts.pushed,
                claimed: counts.claimed,
                done: counts.done,
                retried: counts.retried,
                failed: counts.failed,
                cancelled: counts.cancelled,
                expired: counts.expired,
                healthy: healthy.is_none_or(crate::health::StageHealth::healthy),
            });
        }
        Ok(rows)
    }

    /// Stops or resumes giving out work of a topic, or of all.
    pub fn pause(&self, topic: Option<&str>, paused: bool) -> Result<Vec<QueueRow>, DeskError> {
        self.app.shop.controls().pause(topic, paused)?;
        let deed = if paused { Deed::PauseQueue } else { Deed::ResumeQueue };
        self.note(Note::of(deed).to("queue", topic.unwrap_or("all")));
        self.queues()
    }

    /// Cancels everything in line at a topic, or at all.
    pub fn empty(&self, topic: Option<&str>) -> Result<Emptied, DeskError> {
        let cancelled = self.app.shop.controls().empty(topic, self.caller.name())?;
        self.app.mirror.copy()?;
        let note = Note::of(Deed::EmptyQueue).to("queue", topic.unwrap_or("all"));
        self.note(note.saying(web::counted(cancelled, "item")));
        Ok(Emptied { cancelled })
    }

    /// The work state as JSON lines.
    pub fn export_work(&self, out: &mut dyn Write) -> Result<u64, DeskError> {
        Ok(export(self.app.shop.queue.store(), out)?)
    }

    /// One table of the registry as JSON lines.
    pub fn export_table(&self, table: &str, out: &mut dyn Write) -> Result<u64, DeskError> {
        let mut lines = 0;
        self.app.registry.export_rows::<DeskError>(table, &mut |row| {
            serde_json::to_writer(&mut *out, &row).map_err(std::io::Error::from)?;
            out.write_all(b"\n")?;
            lines += 1;
            Ok(())
        })?;
        Ok(lines)
    }

    /// The tables that can be exported.
    pub fn tables() -> &'static [&'static str] {
        EXPORTED_TABLES
    }
}
