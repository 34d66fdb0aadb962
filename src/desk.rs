//! The front desk: every operation that pages, API and commands offer, in one place, with plain
//! values in and out. A command uses it directly when no appliance runs, and through the API,
//! which calls it, when one does.

use std::io::Write;

use serde::{Deserialize, Serialize};
use storage::mirror::MirrorError;
use storage::registry::{
    AttemptRow, BadQuery, Counting, EXPORTED_TABLES, FindingRow, ITEMS, ItemRow, Query,
};
use storage::work::check;
use storage::work::export::{ExportError, export};
use storage::work::item::ItemId;

use crate::app::App;
use crate::fault::chain;
use crate::work::{Refused, Requeued};

/// The statuses of the described registry.
pub const STATUSES: [&str; 6] =
    ["Pending", "Started", "Suspended", "Success", "Failed", "Cancelled"];

/// Attempts and findings shown of one item.
const SHOWN: u32 = 1000;

/// The desk of an open data directory.
#[derive(Clone, Copy)]
pub struct Desk<'a> {
    app: &'a App,
}

/// Why the desk did not do what was asked. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    /// The question is not understood.
    #[error(transparent)]
    Query(#[from] BadQuery),
    /// The rules of the flows do not allow it.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// There is no such item, now or ever.
    #[error("there is no item {0}")]
    NoSuchItem(u64),
    /// Nothing waits for a person for this reason.
    #[error("nothing is parked for the reason {0:?}")]
    NothingParked(String),
    /// It has ended: nothing moves it any more.
    #[error("item {id} has ended ({status}) and is not put back")]
    Ended {
        /// The item.
        id: u64,
        /// How.
        status: String,
    },
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] storage::registry::Error),
    /// The copy of the items failed.
    #[error(transparent)]
    Mirror(#[from] MirrorError),
    /// The work state failed.
    #[error(transparent)]
    Work(#[from] storage::Error),
    /// The export failed.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// Where to write failed.
    #[error("cannot write the export")]
    Write(#[from] std::io::Error),
}

/// A page of items.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ItemList {
    /// How many there are.
    pub count: u64,
    /// False when there are more than were counted.
    pub count_is_exact: bool,
    /// Continues behind this page.
    pub next_cursor: Option<String>,
    /// The items.
    pub items: Vec<ItemRow>,
}

/// One item with its past.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ItemDetail {
    /// The item.
    pub item: ItemRow,
    /// Its attempts, oldest first.
    pub attempts: Vec<AttemptRow>,
    /// What is wrong with the deposit.
    pub findings: Vec<FindingRow>,
    /// The topics it may be put back to.
    pub requeue_to: Vec<StageName>,
    /// Whether it may be cancelled.
    pub cancellable: bool,
}

/// A stage by its names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageName {
    /// The topic.
    pub topic: String,
    /// The label.
    pub label: String,
}

/// One topic as it stands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct QueueRow {
    /// The flow.
    pub flow: String,
    /// The flow's action.
    pub action: String,
    /// The topic.
    pub topic: String,
    /// The stage's label.
    pub label: String,
    /// Whether work is given out.
    pub paused: bool,
    /// Items worked on at the same time.
    pub workers: u16,
    /// Most items held at the same time.
    pub buffer: u16,
    /// Attempts before giving up.
    pub max_attempts: u16,
    /// In line.
    pub ready: u64,
    /// Waiting for a moment.
    pub delayed: u64,
    /// Being worked on.
    pub in_flight: u64,
    /// Waiting for a person.
    pub parked: u64,
    /// How long the oldest in line has waited.
    pub oldest_seconds: Option<f64>,
    /// Ever put in line.
    pub pushed: u64,
    /// Ever claimed.
    pub claimed: u64,
    /// Ever done.
    pub done: u64,
    /// Ever tried again.
    pub retried: u64,
    /// Ever failed.
    pub failed: u64,
    /// Ever cancelled.
    pub cancelled: u64,
    /// Ever expired.
    pub expired: u64,
    /// Whether its workers are well.
    pub healthy: bool,
}

/// What the doctor found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Diagnosis {
    /// What is wrong; empty when all is well.
    pub findings: Vec<DoctorFinding>,
}

impl Diagnosis {
    /// The diagnosis of a data directory that cannot be opened.
    pub fn of_closed(sentence: String) -> Diagnosis {
        Diagnosis { findings: vec![finding("directory", "damaged", sentence, false)] }
    }
}

/// One thing that is wrong with the stores themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorFinding {
    /// `work`, `registry` or `between`.
    pub store: String,
    /// Stable, kebab-case.
    pub code: String,
    /// What was found.
    pub sentence: String,
    /// Whether it was mended just now.
    pub mended: bool,
}

/// How many items were taken out of line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Emptied {
    /// Cancelled.
    pub cancelled: u64,
}

fn finding(store: &str, code: &str, sentence: String, mended: bool) -> DoctorFinding {
    DoctorFinding { store: store.into(), code: code.into(), sentence, mended }
}

impl App {
    /// The desk.
    pub fn desk(&self) -> Desk<'_> {
        Desk { app: self }
    }
}

impl Desk<'_> {
    /// Items by filter, with the names and operators of the described registry.
    pub fn items(
        &self,
        pairs: &[(String, String)],
        counting: Counting,
    ) -> Result<ItemList, DeskError> {
        self.check_words(pairs)?;
        let query = Query::parse(&ITEMS, pairs)?.counting(counting);
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
        let item = self.app.registry.item(number)?.ok_or(DeskError::NoSuchItem(id))?;
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
            item,
        })
    }

    /// Puts an item back in line.
    pub fn requeue(&self, id: u64, to: Option<&str>, by: &str) -> Result<ItemDetail, DeskError> {
        self.living(id)?;
        self.app.shop.controls().requeue(ItemId(id), to, by)?;
        self.item(id)
    }

    /// Puts back everything parked for the same reason.
    pub fn requeue_all(
        &self,
        reason: &str,
        topic: Option<&str>,
        by: &str,
    ) -> Result<Requeued, DeskError> {
        let requeued = self.app.shop.controls().requeue_all(reason, topic, by)?;
        if requeued.requeued == 0 {
            return Err(DeskError::NothingParked(reason.to_owned()));
        }
        self.app.mirror.copy()?;
        Ok(requeued)
    }

    /// Cancels an item.
    pub fn cancel(&self, id: u64, by: &str) -> Result<ItemDetail, DeskError> {
        self.living(id)?;
        self.app.shop.controls().cancel(ItemId(id), by)?;
        self.item(id)
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
        self.queues()
    }

    /// Cancels everything in line at a topic, or at all.
    pub fn empty(&self, topic: Option<&str>, by: &str) -> Result<Emptied, DeskError> {
        let cancelled = self.app.shop.controls().empty(topic, by)?;
        self.app.mirror.copy()?;
        Ok(Emptied { cancelled })
    }

    /// Looks at the invariants of every store; with `mend`, puts right what is derived. A store too
    /// damaged to be looked through is a finding, not the end of the look.
    pub fn doctor(&self, mend: bool) -> Result<Diagnosis, DeskError> {
        let now = self.app.shop.clock.now();
        let mut findings = Vec::new();
        for found in check::check(&self.app.shop.queue, now, mend)? {
            findings.push(finding("work", &found.code, found.sentence, found.mended));
        }
        match self.app.registry.check() {
            Ok(flaws) => findings.extend(
                flaws.into_iter().map(|it| finding("registry", it.code, it.sentence, false)),
            ),
            Err(error) => findings.push(finding("registry", "unreadable", chain(&error), false)),
        }
        findings.extend(self.left_aside());
        match self.compare(mend) {
            Ok(differing) => findings.extend(differing),
            Err(error) => findings.push(finding("between", "not-compared", chain(&error), false)),
        }
        Ok(Diagnosis { findings })
    }

    /// Damaged work states that an earlier start put aside, until a person has looked at them.
    fn left_aside(&self) -> Vec<DoctorFinding> {
        let entries = std::fs::read_dir(self.app.home.dir()).into_iter().flatten().flatten();
        let aside =
            entries.filter(|it| it.file_name().to_string_lossy().starts_with("work.damaged-"));
        aside
            .map(|it| {
                let path = it.path();
                let sentence = format!(
                    "{} was set aside because it was damaged (see REASON in it); remove it when \
                     nothing in it is missed",
                    path.display()
                );
                finding("work", "set-aside", sentence, false)
            })
            .collect()
    }

    fn compare(&self, mend: bool) -> Result<Vec<DoctorFinding>, MirrorError> {
        let differing = self.app.mirror.compare()?;
        // The registry keeps the higher revision: a copy that is ahead stays as it is.
        let left = if mend && !differing.is_empty() {
            self.app.mirror.reconcile(self.app.shop.clock.now())?;
            self.app.mirror.compare()?
        } else {
            differing.clone()
        };
        let told = differing.into_iter().map(|sentence| {
            let mended = !left.contains(&sentence);
            finding("between", "copy-differs", sentence, mended)
        });
        Ok(told.collect())
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
