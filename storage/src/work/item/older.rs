//! Earlier shapes of the record of an item, as they stand on disks.

use serde::{Deserialize, Serialize};

use super::{CancelRequest, ItemId, State, Strikes, Subject, Verdict, WorkItem};
use crate::clock::Timestamp;
use crate::work::record::{Record, first_version};

/// Before it was kept what an item waits for.
#[derive(Serialize, Deserialize)]
pub struct WorkItemV1 {
    id: ItemId,
    flow: String,
    topic: String,
    state: State,
    subject: Subject,
    priority: i32,
    unique: Option<String>,
    expires: Option<Timestamp>,
    strikes: Strikes,
    turns: u32,
    verdict: Verdict,
    cancel: Option<CancelRequest>,
    note: String,
    outcome: String,
    revision: u64,
    created: Timestamp,
    updated: Timestamp,
    queued: Timestamp,
    started: Option<Timestamp>,
}
first_version!(WorkItemV1);

impl Record for WorkItem {
    const VERSION: u8 = 2;
    type Older = WorkItemV1;

    fn upgrade(older: WorkItemV1) -> WorkItem {
        WorkItem {
            id: older.id,
            flow: older.flow,
            topic: older.topic,
            state: older.state,
            subject: older.subject,
            priority: older.priority,
            unique: older.unique,
            expires: older.expires,
            strikes: older.strikes,
            turns: older.turns,
            verdict: older.verdict,
            cancel: older.cancel,
            note: older.note,
            outcome: older.outcome,
            revision: older.revision,
            created: older.created,
            updated: older.updated,
            queued: older.queued,
            started: older.started,
            waiting: None,
        }
    }
}
