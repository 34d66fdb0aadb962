//! The work state as JSON lines, out and in again: readable without sled.
//!
//! Only the truth is written; what is derived is made again on the way in.

use std::io::{BufRead, Write};
use std::ops::Bound;

use byteio::record::decode;
use serde::{Deserialize, Serialize};

use super::assignment::{Assignment, AssignmentTree};
use super::engine::TreeId;
use super::item::{Attempt, ItemId, State, WorkItem};
use super::key::{Key, Tail};
use super::lease::{KeyLease, LeaseKeyTree, LeaseTree};
use super::place::{Expiries, Places, Uniques, expiry, place, unique};
use super::queue::{Histories, Items, META, Meta, Metas, Topic, Topics};
use super::schedule::{Pace, Paces, Schedule, Schedules};
use super::store::Store;
use super::tx::{Schema, Tx};
use crate::error::Error;

const BATCH: usize = 500;
/// Longest line read: a dossier record in hexadecimal, and some.
const LINE_LIMIT: u64 = 64 << 20;

/// One line.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Line {
    Work { format: u32, epoch: u64, next_item: u64 },
    Topic { name: String, topic: Topic },
    Item { item: Box<WorkItem> },
    Attempt { item: ItemId, turn: u32, attempt: Attempt },
    Dossier { key: String, value: String },
    Lease { lease: KeyLease },
    Assignment { assignment: Assignment },
    Schedule { name: String, schedule: Schedule },
    Pace { topic: String, pace: Pace },
}

const FORMAT: u32 = 1;

/// Why an export or import stopped.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The work state failed.
    #[error("the work state could not be read or written")]
    Store(#[from] Error),
    /// The file failed.
    #[error("the file could not be read or written")]
    File(#[from] std::io::Error),
    /// A line is not one of ours.
    #[error("line {line} is not part of a work export: {why}")]
    Line {
        /// Its number.
        line: u64,
        /// Why.
        why: String,
    },
    /// Something is there already.
    #[error("the work state is not empty: import into a new data directory, nothing was changed")]
    NotEmpty,
}

/// Writes the whole work state, a line each, with flat memory.
pub fn export(store: &Store, out: &mut dyn Write) -> Result<u64, ExportError> {
    let meta = store.get::<Metas>(&META)?.unwrap_or(Meta { epoch: 0, next_item: 1 });
    let mut lines = 0;
    let mut put = |line: Line| -> Result<(), ExportError> {
        serde_json::to_writer(&mut *out, &line).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        lines += 1;
        Ok(())
    };
    put(Line::Work { format: FORMAT, epoch: meta.epoch, next_item: meta.next_item })?;
    each::<Topics>(store, |name, topic| put(Line::Topic { name, topic }))?;
    each::<Items>(store, |_, item| put(Line::Item { item: Box::new(item) }))?;
    each::<Histories>(store, |(item, turn), attempt| put(Line::Attempt { item, turn, attempt }))?;
    each_raw(store, TreeId::Dossier, |key, value| {
        put(Line::Dossier { key: hex(key), value: hex(value) })
    })?;
    each::<LeaseTree>(store, |_, lease| put(Line::Lease { lease }))?;
    each::<AssignmentTree>(store, |_, assignment| put(Line::Assignment { assignment }))?;
    each::<Schedules>(store, |name, schedule| put(Line::Schedule { name, schedule }))?;
    each::<Paces>(store, |topic, pace| put(Line::Pace { topic, pace }))?;
    Ok(lines)
}

/// Reads an export into an empty work state, before a queue is opened on it. Checked line by
/// line; a bad line leaves what was read before it, so import into a new directory and start again.
pub fn import(store: &Store, input: &mut dyn BufRead) -> Result<u64, ExportError> {
    if !store.scan::<Items>(super::tx::Range::all(), 1)?.is_empty() {
        return Err(ExportError::NotEmpty);
    }
    let mut number = 0;
    let mut batch = Vec::new();
    loop {
        let mut text = String::new();
        let read = std::io::Read::take(&mut *input, LINE_LIMIT).read_line(&mut text)?;
        if read == 0 {
            break;
        }
        number += 1;
        let bad = |why: String| ExportError::Line { line: number, why };
        let line: Line = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
        match (number, &line) {
            (1, Line::Work { format, .. }) if *format <= FORMAT => {}
            (1, Line::Work { format, .. }) => {
                return Err(bad(format!("format {format} is newer than {FORMAT}")));
            }
            (1, _) => return Err(bad("the first line must say what this is".into())),
            (_, Line::Work { .. }) => return Err(bad("a second beginning".into())),
            (_, _) => {}
        }
        if let Line::Dossier { key, value } = &line {
            let (Some(key), Some(value)) = (unhex(key), unhex(value)) else {
                return Err(bad("not hexadecimal".into()));
            };
            if <(ItemId, u8, Tail)>::parse(&key).is_none() {
                return Err(bad("not a dossier's key".into()));
            }
            store.mark(TreeId::Dossier, std::iter::once((key, Some(value))))?;
            continue;
        }
        batch.push(line);
        if batch.len() == BATCH {
            write(store, batch.drain(..))?;
        }
    }
    write(store, batch.drain(..))?;
    Ok(number)
}

fn write(store: &Store, lines: impl Iterator<Item = Line>) -> Result<(), ExportError> {
    Ok(store.commit(|tx| {
        for line in lines {
            write_line(tx, line)?;
        }
        Ok::<_, Error>(())
    })?)
}

fn write_line(tx: &mut Tx<'_>, line: Line) -> Result<(), Error> {
    match line {
        Line::Work { epoch, next_item, .. } => {
            // Tickets begin with the run of the program: new ones must follow the imported ones.
            let there = tx.get::<Metas>(&META)?.unwrap_or_default();
            let (epoch, next_item) = (epoch.max(there.epoch), next_item.max(there.next_item));
            tx.put::<Metas>(&META, &Meta { epoch, next_item })
        }
        Line::Topic { name, topic } => {
            // The gauges are counted anew as the items come in.
            let gone = Topic { ready: 0, delayed: 0, leased: 0, parked: 0, ..topic };
            tx.put::<Topics>(&name, &gone)
        }
        Line::Item { item } => write_item(tx, *item),
        Line::Attempt { item, turn, attempt } => tx.put::<Histories>(&(item, turn), &attempt),
        Line::Dossier { .. } => Ok(()),
        Line::Lease { lease } => {
            for key in &lease.keys {
                tx.put::<LeaseKeyTree>(&(lease.space.clone(), Tail(key.clone())), &lease.id)?;
            }
            tx.put::<LeaseTree>(&(lease.space.clone(), lease.id.clone()), &lease)
        }
        Line::Assignment { assignment } => tx.put::<AssignmentTree>(&assignment.id, &assignment),
        Line::Schedule { name, schedule } => tx.put::<Schedules>(&name, &schedule),
        Line::Pace { topic, pace } => tx.put::<Paces>(&topic, &pace),
    }
}

fn write_item(tx: &mut Tx<'_>, mut item: WorkItem) -> Result<(), Error> {
    if let State::Leased(hold) = item.state {
        // Whoever held it did so in another data directory.
        item.state = State::Ready { seq: hold.seq };
    }
    if let Some(place) = place(&item) {
        let mut topic = tx.get::<Topics>(&place.topic)?.unwrap_or_default();
        *topic.gauge(&place.spot) += 1;
        tx.put::<Topics>(&place.topic, &topic)?;
        tx.put::<Places>(&place, &item.id)?;
    }
    if let Some(key) = expiry(&item) {
        tx.put::<Expiries>(&key, &())?;
    }
    if let Some(key) = unique(&item) {
        tx.put::<Uniques>(&key, &item.id)?;
    }
    tx.put::<Items>(&item.id, &item)
}

fn each<S: Schema>(
    store: &Store,
    mut visit: impl FnMut(S::Key, S::Value) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    each_raw(store, S::TREE, |key, value| {
        let unreadable = |source| Error::Unreadable { tree: S::TREE.name(), source };
        let damaged = || byteio::record::Undecodable::Damaged("its key".into());
        let key = S::Key::parse(key).ok_or_else(|| unreadable(damaged()))?;
        visit(key, decode(value).map_err(unreadable)?)
    })
}

fn each_raw(
    store: &Store,
    tree: TreeId,
    mut visit: impl FnMut(&[u8], &[u8]) -> Result<(), ExportError>,
) -> Result<(), ExportError> {
    let mut start = Bound::Unbounded;
    loop {
        let batch = store.scan_raw(tree, (start, Bound::Unbounded), BATCH)?;
        let Some((last, _)) = batch.last() else { return Ok(()) };
        start = Bound::Excluded(last.to_vec());
        for (key, value) in &batch {
            visit(key, value)?;
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    digits.chunks(2).map(pair).collect()
}
