//! The judging of a bag, from its first byte to a verdict with all findings.

mod base;
mod case;
mod declare;
mod fetching;
mod info;
mod listing;
mod manifests;
mod matching;
mod reading;
mod rereading;
mod resolve;
mod tagging;
mod wording;

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::error::BagError;
use super::facts::{BagFacts, ProfileRules};
use super::finding::{Finding, Severity};
use super::findings::Counts;
use super::limits::Limits;
use super::report::Survey;
use case::{Case, Source};
use digests::AlgorithmSet;

/// How a bag is judged.
#[derive(Clone, Copy, Default)]
pub struct Options<'a> {
    /// Bounds on everything; the default ones if none.
    pub limits: Option<&'a Limits>,
    /// Digests that are wanted of every file besides those that manifests need.
    pub algorithms: AlgorithmSet,
    /// Rules beyond those of BagIt.
    pub profile: Option<&'a dyn ProfileRules>,
    /// Where a `.tar.gz` may set things aside; the system's folder for that if none.
    pub scratch: Option<&'a Path>,
    /// A clock that never runs backwards.
    pub steady: Option<&'a dyn Fn() -> Duration>,
    /// Is told bytes done and bytes in all: of the packed ones for a `.tar.gz`.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    /// Is asked, often, whether to stop.
    pub stop: Option<&'a (dyn Fn() -> bool + Sync)>,
}

/// What came of judging a bag.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// What the bag says of itself.
    pub facts: BagFacts,
    /// What is wrong with it, worst first; at most as many as the limits allow.
    pub findings: Vec<Finding>,
    /// How much is wrong with it, all counted.
    pub counts: Counts,
    /// Files that were read to their end.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Whether all that is required or listed is there and in form.
    pub complete: bool,
    /// Whether it is complete, every digest is right, and the profile, if any, is content.
    pub valid: bool,
    /// Whether it could not be read at all: then the one finding is why, and nothing else is known.
    #[serde(skip)]
    pub unread: bool,
    /// How long it took, by the clock that was given.
    #[serde(rename = "took_seconds", serialize_with = "as_seconds")]
    pub took: Duration,
}

fn as_seconds<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(span.as_secs_f64())
}

impl Verdict {
    /// Adds what someone else found wrong with the same bag, if it could be read at all.
    pub fn also(&mut self, findings: Vec<Finding>) {
        if self.unread {
            return;
        }
        for finding in findings {
            match finding.severity {
                Severity::Error => {
                    self.counts.errors += 1;
                    self.valid = false;
                }
                Severity::Warning => self.counts.warnings += 1,
            }
            *self.counts.by_code.entry(finding.code).or_default() += 1;
            self.findings.push(finding);
        }
        self.findings.sort_by_key(|finding| finding.severity);
    }
}

/// Judges the bag at `path`: a folder, or an archive by its first bytes. Every file is told to `survey`
/// as soon as its digests are known; those of an archive that holds more than a bag may be told
/// before that is found out.
pub fn judge(
    path: &Path,
    options: &Options<'_>,
    survey: &mut (dyn Survey + Send),
) -> Result<Verdict, BagError> {
    judge_source(Source::Path(path), options, survey)
}

/// Judges the archive in an open file that has no name, as one that came as a stream: it is called
/// by its top folder.
pub fn judge_stream(
    file: File,
    options: &Options<'_>,
    survey: &mut (dyn Survey + Send),
) -> Result<Verdict, BagError> {
    judge_source(Source::Stream(file), options, survey)
}

fn judge_source(
    source: Source<'_>,
    options: &Options<'_>,
    survey: &mut (dyn Survey + Send),
) -> Result<Verdict, BagError> {
    let now = || options.steady.map(|steady| steady()).unwrap_or_default();
    let started = now();
    let limits = options.limits.cloned().unwrap_or_default();
    let mut case = Case::open(source, options, &limits)?;
    case.walk(survey)?;
    if case.unread {
        return Ok(case.close(now().saturating_sub(started)));
    }
    case.pause()?;
    declare::judge(&mut case);
    tagging::judge(&mut case);
    info::judge(&mut case);
    listing::judge(&mut case)?;
    fetching::judge(&mut case);
    case.pause()?;
    let differing = match case.is_stream() {
        true => rereading::judge(&mut case)?,
        false => reading::judge(&mut case, survey)?,
    };
    matching::judge(&mut case);
    wording::judge(&mut case, differing);
    Ok(case.close(now().saturating_sub(started)))
}

/// What a manifest means by a path, for fuzzing.
pub(crate) fn meant(
    written: &str,
    version: super::text::version::Version,
    ledger: &super::ledger::Ledger,
) -> String {
    resolve::resolve(written, version, ledger).path.into_owned()
}
