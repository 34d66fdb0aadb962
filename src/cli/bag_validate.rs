//! `strongroom bag validate`: the verdict on one bag or many, with everything that is wrong.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use bagit::finding::Severity;
use bagit::profile::{PayloadWatch, Profile, Rules};
use bagit::{BagError, FileReport, Options, Survey, Verdict, judge, judge_stream};
use byteio::causes::chain;
use clap::Args;
use digests::AlgorithmSet;
use serde::Serialize;
use storage::clock::{Clock, SystemClock};

use super::bag_profile::read_rules;
use super::meter::Meter;
use super::print::{error, json, line, plain};
use super::{Outcome, standard_input};

/// Bags judged at the same time: each uses every core for its digests already.
const AT_ONCE: usize = 2;

/// Say whether bags are valid, and everything that is wrong with them.
#[derive(Args)]
#[command(after_help = "Exit: 0 all are valid, 1 one is not, 2 one cannot be read.\n\
    What an archive is, its first bytes say, whatever its name is.\n\n\
    Examples:\n  strongroom bag validate letters.tar\n  \
    strongroom bag validate deposits/* --profile named --json\n  \
    ssh archive cat letters.tar | strongroom bag validate -")]
pub(super) struct Validate {
    /// Bags: folders, tar, tar.gz or zip files; - is an archive on standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Rules beyond BagIt: aptrust, btr, a file (BagIt Profile, or a profile of DART), or `named` for the
    /// one each bag names
    #[arg(long, value_name = "NAME|FILE")]
    profile: Option<String>,
    /// With --json: list every file with md5, sha1, sha256 and sha512
    #[arg(long, requires = "json")]
    digests: bool,
    /// Print JSON: an array with an object for each bag
    #[arg(long)]
    json: bool,
}

/// A verdict as printed.
#[derive(Serialize)]
struct Told {
    path: String,
    profile: Option<String>,
    #[serde(flatten)]
    verdict: Option<Verdict>,
    /// Why there is no verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    contents: Option<Vec<Content>>,
}

/// One file of a bag with its digests.
#[derive(Serialize)]
struct Content {
    path: String,
    size_bytes: u64,
    digests: std::collections::BTreeMap<String, String>,
}

/// Looks at every file: keeps it when asked to, and shows it to the profile's payload rules.
struct Look<'a> {
    contents: Option<Vec<Content>>,
    payload: Option<PayloadWatch<'a>>,
}

impl Survey for Look<'_> {
    fn file(&mut self, file: &FileReport<'_>) {
        if let Some(payload) = &mut self.payload {
            payload.file(file);
        }
        if let Some(contents) = &mut self.contents {
            let hex = |(algorithm, _): (digests::Algorithm, &[u8])| {
                (algorithm.to_string(), file.digests.hex(algorithm).unwrap_or_default())
            };
            contents.push(Content {
                path: file.path.to_owned(),
                size_bytes: file.size_bytes,
                digests: file.digests.iter().map(hex).collect(),
            });
        }
    }
}

impl Validate {
    pub(super) fn run(self) -> Outcome {
        let rules = read_rules(self.profile.as_deref())?;
        let stream = standard_input::take(&self.paths)?;
        let told = self.judge_all(&rules, stream.as_ref());
        let code = told.iter().map(exit_code).max().unwrap_or(0);
        if self.json {
            json(&told)?;
        } else {
            told.iter().for_each(Told::print);
        }
        Ok(ExitCode::from(code))
    }

    /// Judges every path, a few at a time, and returns them in the order asked for.
    fn judge_all(&self, rules: &Rules, stream: Option<&File>) -> Vec<Told> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::new());
        std::thread::scope(|scope| {
            for _ in 0..AT_ONCE.min(self.paths.len()) {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Ordering::Relaxed);
                        let Some(path) = self.paths.get(at) else { break };
                        let told = self.judge_one(path, rules, stream);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((at, told));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_by_key(|(at, _)| *at);
        done.into_iter().map(|(_, told)| told).collect()
    }

    fn judge_one(&self, path: &Path, rules: &Rules, stream: Option<&File>) -> Told {
        let clock = SystemClock::start();
        let shown = path.display().to_string();
        let meter = Meter::of_bytes(&shown);
        let progress = |done, total| meter.show(done, total);
        let steady = || clock.steady();
        let wanted = if self.digests { AlgorithmSet::FOUR } else { AlgorithmSet::default() };
        let options = Options {
            algorithms: wanted,
            profile: Some(rules),
            steady: Some(&steady),
            progress: Some(&progress),
            ..Options::default()
        };
        let mut look = Look {
            contents: self.digests.then(Vec::new),
            payload: rules.one().and_then(Profile::payload_watch),
        };
        let verdict = match stream.filter(|_| standard_input::is_named(path)) {
            Some(stream) => stream
                .try_clone()
                .map_err(|source| BagError::Open { path: path.to_owned(), source })
                .and_then(|stream| judge_stream(stream, &options, &mut look)),
            None => judge(path, &options, &mut look),
        };
        match verdict {
            Ok(mut verdict) => {
                let more = look.payload.map(PayloadWatch::findings).unwrap_or_default();
                verdict.also(more);
                let profile = Some(rules.name(&verdict.facts));
                let contents = look.contents;
                Told { path: shown, profile, verdict: Some(verdict), error: None, contents }
            }
            Err(error) => {
                let error = Some(chain(&error));
                Told { path: shown, profile: None, verdict: None, error, contents: None }
            }
        }
    }
}

fn exit_code(told: &Told) -> u8 {
    match &told.verdict {
        Some(verdict) if verdict.valid => 0,
        Some(_) => 1,
        None => 2,
    }
}

impl Told {
    fn print(&self) {
        let path = plain(&self.path);
        let Some(verdict) = &self.verdict else {
            let why = plain(self.error.as_deref().unwrap_or_default());
            // Most errors name the path themselves.
            error(&if why.contains(&path) { why } else { format!("{path}: {why}") });
            return;
        };
        let word = match (verdict.valid, verdict.complete) {
            (true, _) => "valid",
            (false, true) => "complete, but not valid",
            (false, false) => "not valid",
        };
        let (files, bytes) = (verdict.files, verdict.bytes);
        line(&format!("{path}: {word} ({files} files, {bytes} bytes)"));
        for finding in &verdict.findings {
            let severity = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            let (code, place) = (finding.code.name(), plain(&finding.place));
            line(&format!("  {severity} {code} {place}: {}", plain(&finding.sentence)));
        }
        let told = verdict.findings.len() as u64;
        let all = verdict.counts.errors + verdict.counts.warnings;
        if all > told {
            line(&format!("  and {} more findings", all - told));
        }
    }
}
