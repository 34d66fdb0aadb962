//! Earlier shapes of the record of an item, as they stand on disks.
//!
//! Version 2 did not count deaths of the process while nothing else was under way, and version 1 did not
//! say what is waited for.

use byteio::{first_version, record::Record};
use serde::{Deserialize, Serialize};

use super::{CancelRequest, ItemId, State, Strikes, Subject, Verdict, Wait, WorkItem};
use crate::clock::Timestamp;

/// Strikes of versions 1 and 2.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct StrikesV2 {
    attempts: u16,
    panics: u16,
    crashes: u16,
}

impl StrikesV2 {
    fn upgrade(self) -> Strikes {
        let StrikesV2 { attempts, panics, crashes } = self;
        // A suspect was tried alone as a rule; what it had against it stays.
        let alone = crashes.saturating_sub(Strikes::SUSPECT);
        Strikes { attempts, panics, crashes, alone }
    }
}

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
    strikes: StrikesV2,
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

/// Before deaths while nothing else was under way were counted.
#[derive(Serialize, Deserialize)]
pub struct WorkItemV2 {
    id: ItemId,
    flow: String,
    topic: String,
    state: State,
    subject: Subject,
    priority: i32,
    unique: Option<String>,
    expires: Option<Timestamp>,
    strikes: StrikesV2,
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
    waiting: Option<Wait>,
}

impl Record for WorkItemV2 {
    const VERSION: u8 = 2;
    type Older = WorkItemV1;

    fn upgrade(older: WorkItemV1) -> WorkItemV2 {
        WorkItemV2 {
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

impl Record for WorkItem {
    const VERSION: u8 = 3;
    type Older = WorkItemV2;

    fn upgrade(older: WorkItemV2) -> WorkItem {
        WorkItem {
            id: older.id,
            flow: older.flow,
            topic: older.topic,
            state: older.state,
            subject: older.subject,
            priority: older.priority,
            unique: older.unique,
            expires: older.expires,
            strikes: older.strikes.upgrade(),
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
            waiting: older.waiting,
        }
    }
}
