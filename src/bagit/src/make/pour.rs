//! All bytes into the bag, and their digests out of it.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use digests::{AlgorithmSet, Digests, Job, Outcome, ReadError, Source, digest_many};

use super::gather::{Item, Remarks};
use super::place::Place;
use super::plan::{Doubt, MakeError, Plan, Progress};
use super::tee::Trouble;
use crate::code::Code;

/// Files whose digests are kept until all of them are known, because manifests are in order and
/// digests are not: about 1.5 MiB.
const AT_ONCE: usize = 8_192;

/// How far all pouring together is.
pub(super) struct Gauge {
    done_bytes: AtomicU64,
    total: Progress,
}

impl Gauge {
    pub(super) fn new(total_files: usize, total_bytes: u64) -> Gauge {
        let total = Progress { done_bytes: 0, total_bytes, total_files: total_files as u64 };
        Gauge { done_bytes: AtomicU64::new(0), total }
    }
}

/// Reads every item once, writes it to its place, and tells its digests in the order of the items.
pub(super) fn pour<'p>(
    plan: &Plan<'_>,
    place: &Place,
    items: &[Item<'p>],
    gauge: &Gauge,
    mut tell: impl FnMut(&Item<'p>, &Digests) -> Result<(), MakeError>,
) -> Result<(), MakeError> {
    for some in items.chunks(AT_ONCE) {
        if plan.watch.stopped() {
            return Err(MakeError::Stopped);
        }
        let outcomes = pour_until_sure(plan, place, some, gauge)?;
        let mut remarks = Remarks::default();
        for (item, outcome) in some.iter().zip(outcomes) {
            match outcome {
                Some(Ok(digested)) => {
                    compare(item, &digested.digests, &mut remarks);
                    plan.watch.file(&item.path, digested.size_bytes, &digested.digests);
                    tell(item, &digested.digests)?;
                }
                Some(Err(error)) => remark(item, error, &mut remarks)?,
                // Not reached, because another one failed.
                None => {}
            }
        }
        if remarks.refusal() {
            return Err(MakeError::Refused(remarks.0));
        }
    }
    Ok(())
}

/// Pours items, and those that are doubted again for as long as there are other bytes to be had.
fn pour_until_sure(
    plan: &Plan<'_>,
    place: &Place,
    items: &[Item<'_>],
    gauge: &Gauge,
) -> Result<Vec<Option<Outcome>>, MakeError> {
    let mut outcomes: Vec<Option<Outcome>> = items.iter().map(|_| None).collect();
    loop {
        pour_some(plan, place, items, gauge, &mut outcomes)?;
        let mut is_sure = true;
        for (item, outcome) in items.iter().zip(&mut outcomes) {
            let doubted = outcome.as_ref().and_then(|outcome| doubt(item, outcome));
            if doubted.is_some_and(|doubt| plan.watch.again(&item.path, &doubt)) {
                place.clear(item)?;
                *outcome = None;
                is_sure = false;
            }
        }
        if is_sure {
            return Ok(outcomes);
        }
    }
}

/// What is wrong with the bytes of an item; not being able to write them says nothing about them.
fn doubt<'o>(item: &Item<'_>, outcome: &'o Outcome) -> Option<Doubt<'o>> {
    match outcome {
        Ok(digested) => (!is_expected(item, &digested.digests)).then_some(Doubt::Differs),
        Err(ReadError::Shorter { .. } | ReadError::Longer { .. }) => Some(Doubt::Differs),
        Err(ReadError::Open(error) | ReadError::Read { source: error, .. }) => {
            let ours = error.get_ref().is_some_and(|inner| inner.is::<Trouble>());
            (!ours).then_some(Doubt::Unreadable(error))
        }
    }
}

/// Pours those items that have no outcome yet.
fn pour_some(
    plan: &Plan<'_>,
    place: &Place,
    items: &[Item<'_>],
    gauge: &Gauge,
    outcomes: &mut [Option<Outcome>],
) -> Result<(), MakeError> {
    let failed = AtomicBool::new(false);
    let left: Vec<usize> = (0..items.len()).filter(|at| outcomes[*at].is_none()).collect();
    let jobs = left.into_iter().map(|key| {
        let item = &items[key];
        let open = move || Ok(Box::new(place.open(plan, item)?) as _);
        Job { key, source: Source::Reader(Box::new(open)), size_bytes: Some(item.size_bytes) }
    });
    let checkpoint = |bytes| {
        let done_bytes = gauge.done_bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        plan.watch.progress(Progress { done_bytes, ..gauge.total });
        // After a failure there will be no bag: no need to read on.
        if failed.load(Ordering::Relaxed) || plan.watch.stopped() { Err(()) } else { Ok(()) }
    };
    let deliver = |key: usize, outcome: Outcome| {
        failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
        outcomes[key] = Some(outcome);
    };
    match digest_many(jobs, algorithms(plan, items), checkpoint, deliver) {
        Err(()) if !failed.load(Ordering::Relaxed) => Err(MakeError::Stopped),
        Ok(()) | Err(()) => Ok(()),
    }
}

/// Those of the manifests, and those by which something is expected.
fn algorithms(plan: &Plan<'_>, items: &[Item<'_>]) -> AlgorithmSet {
    let expected = items.iter().filter_map(|item| item.expected.map(|(algorithm, _)| *algorithm));
    plan.algorithms.iter().chain(expected).collect()
}

fn is_expected(item: &Item<'_>, digests: &Digests) -> bool {
    let agrees = |(algorithm, expected): &(_, String)| digests.agrees(*algorithm, expected);
    item.expected.is_none_or(|expected| agrees(expected).unwrap_or(false))
}

fn compare(item: &Item<'_>, digests: &Digests, remarks: &mut Remarks) {
    let Some((algorithm, expected)) = item.expected else { return };
    if !is_expected(item, digests) {
        let found = digests.hex(*algorithm).unwrap_or_default();
        let sentence = format!("Its {algorithm} is {found}, and {expected} was expected.");
        remarks.add(Code::DigestMismatch, &item.path, sentence);
    }
}

fn remark(item: &Item<'_>, error: ReadError, remarks: &mut Remarks) -> Result<(), MakeError> {
    const CHANGED: &str = "The file changed while it was read. Make the bag when it is at rest.";
    let error = match error {
        ReadError::Open(error) | ReadError::Read { source: error, .. } => error,
        ReadError::Shorter { .. } | ReadError::Longer { .. } => {
            remarks.add(Code::FileChanged, &item.path, CHANGED);
            return Ok(());
        }
    };
    match error.downcast::<Trouble>() {
        Ok(Trouble::Write { path, source }) => return Err(MakeError::Write { path, source }),
        Ok(Trouble::Changed) => remarks.add(Code::FileChanged, &item.path, CHANGED),
        Err(error) => remarks.add(Code::FileUnreadable, &item.path, unreadable(&error)),
    }
    Ok(())
}

fn unreadable(error: &io::Error) -> String {
    format!("The file cannot be read: {error}. Allow reading it, or leave it out.")
}
