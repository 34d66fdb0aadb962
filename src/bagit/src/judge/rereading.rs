//! The passes over a `.tar.gz`: one for everything, and a second only if the first computed too
//! little, or something is wrong and is to be named exactly.

use std::collections::HashSet;

use digests::AlgorithmSet;

use super::Options;
use super::case::Case;
use super::reading::Differing;
use crate::error::BagError;
use crate::findings::Findings;
use crate::ledger::{Ledger, PathId};
use crate::marks::Marks;
use crate::report::{Class, FileReport, Survey};
use crate::source::intake::{Intake, split};
use crate::source::packing::Packing;
use crate::source::tar_gz::{Passed, Reading};

/// The walk, which for a `.tar.gz` is also the reading.
pub(crate) struct FirstPass<'p> {
    marks: &'p mut Marks,
    survey: &'p mut (dyn Survey + Send),
    /// The folder of the first file: the bag's, as long as there is only one.
    top: Option<Vec<u8>>,
    files: u64,
    bytes: u64,
}

impl<'p> FirstPass<'p> {
    pub(crate) fn new(marks: &'p mut Marks, survey: &'p mut (dyn Survey + Send)) -> FirstPass<'p> {
        FirstPass { marks, survey, top: None, files: 0, bytes: 0 }
    }

    pub(crate) fn walk(
        &mut self,
        packing: &mut Packing,
        intake: &mut Intake<'_>,
        options: &Options<'_>,
    ) -> Result<(), BagError> {
        let total = match packing {
            Packing::TarGz(gz) => gz.size_bytes,
            Packing::Folder(_) | Packing::Tar(_) | Packing::Zip(_) | Packing::Unread { .. } => 0,
        };
        let progress = options.progress;
        let four = AlgorithmSet::FOUR;
        let mut reading = Reading {
            algorithms: four.iter().chain(options.algorithms.iter()).collect(),
            wanted: &|_| true,
            deliver: &mut |passed| self.deliver(&passed),
            progress: &|done| {
                if let Some(progress) = progress {
                    progress(done, total);
                }
            },
        };
        packing.walk(intake, &mut reading)
    }

    pub(crate) fn totals(&self) -> (u64, u64) {
        (self.files, self.bytes)
    }

    fn deliver(&mut self, passed: &Passed<'_>) {
        let Passed { id: Some(id), name, held, digests } = passed else { return };
        self.files += 1;
        self.bytes += held.size_bytes;
        self.marks.compute(*id, digests);
        let (top, Some(path)) = split(plain(name)) else { return };
        if self.top.get_or_insert_with(|| top.to_vec()) != top {
            return;
        }
        if let Ok(path) = str::from_utf8(path) {
            self.survey.file(&FileReport {
                path,
                size_bytes: held.size_bytes,
                digests,
                class: Class::of(path.as_bytes()),
                tar_position: None,
                modified: held.modified_seconds(),
            });
        }
    }
}

/// Reads again what the first pass could not settle.
pub(crate) fn judge(case: &mut Case<'_>) -> Result<Vec<Differing>, BagError> {
    let unsettled: HashSet<PathId> = case
        .ledger
        .present()
        .filter(|id| !case.marks.lacking(*id).is_empty() || case.marks.differs(*id))
        .take(case.limits.finding_count.max(1_000_000))
        .collect();
    if unsettled.is_empty() {
        return Ok(Vec::new());
    }
    let algorithms = case.listed_algorithms();
    let Case { ledger, marks, packing, base, limits, options, .. } = case;
    let Packing::TarGz(gz) = packing else { return Ok(Vec::new()) };
    let known = |name: &[u8]| {
        let path = plain(name).strip_prefix(base.prefix.as_slice())?;
        ledger.find(path).filter(|id| unsettled.contains(id))
    };
    let mut differing: Vec<Differing> = Vec::new();
    // What is odd was told in the first pass.
    let (mut scrap, mut heard) = (Ledger::default(), Findings::new(0));
    let asked = options.stop;
    let stop = || asked.is_some_and(|stop| stop());
    let mut intake = Intake::new(&mut scrap, &mut heard, limits, &stop);
    let mut reading = Reading {
        algorithms,
        wanted: &|name| known(name).is_some(),
        deliver: &mut |passed| {
            let Some(id) = known(passed.name) else { return };
            let differs = !marks.compute(id, &passed.digests).is_empty();
            if differs && differing.len() < limits.finding_count {
                differing.push((id, passed.digests));
            }
        },
        progress: &|_| {},
    };
    gz.walk(&mut intake, &mut reading, false)?;
    differing.sort_unstable_by_key(|(id, _)| *id);
    differing.dedup_by_key(|(id, _)| *id);
    Ok(differing)
}

/// A name in the archive without leading `./`.
fn plain(name: &[u8]) -> &[u8] {
    let mut name = name;
    while let Some(rest) = name.strip_prefix(b"./") {
        name = rest;
    }
    name
}
