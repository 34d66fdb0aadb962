//! `strongroom bag create`: a bag from a folder, the same bytes every time.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bagit::finding::Finding;
use bagit::make::{Form, MakeError, Payload, Placing, Plan, Progress, Sheet, Times, Watch, create};
use bagit::profile::APTRUST;
use clap::Args;
use digests::{Algorithm, AlgorithmSet};
use storage::clock::{Clock, SystemClock};

use super::bag_profile::read_rules_for_making;
use super::meter::Meter;
use super::print::{line, plain};
use super::serve::Signals;
use super::{Failure, Outcome};

/// Make a bag from a folder.
#[derive(Args)]
#[command(after_help = "Without --profile a tar is what `strongroom ingest` takes by default: it \
    follows the APTrust profile, and aptrust-info.txt gets the folder's name as Title and Institution as \
    Access unless tags say otherwise. A folder gets the same tags and follows no profile. Files keep their \
    dates.\n\n\
    The same files with the same dates, tags and bagging date make the same bytes.\n\n\
    Examples:\n  strongroom bag create letters --output letters.tar\n  \
    strongroom bag create letters --output letters.tar \\\n    \
    --tag aptrust-info.txt/Title='Letters' --tag aptrust-info.txt/Access=Restricted\n  \
    strongroom bag create letters --output out/letters --profile bagit --algorithm sha512")]
pub(super) struct Create {
    /// The folder with the payload
    folder: PathBuf,
    /// The bag to make: a path ending in .tar, or a folder. Nothing is ever replaced
    #[arg(long, value_name = "PATH")]
    output: PathBuf,
    /// Follow these rules, and refuse to make a bag that breaks them: aptrust, btr, bagit or a file
    /// [default: what ingest takes, see below]
    #[arg(long, value_name = "NAME|FILE")]
    profile: Option<String>,
    /// A tag for bag-info.txt as Label=Value, or file.txt/Label=Value; may be repeated
    #[arg(long, value_name = "TAG")]
    tag: Vec<String>,
    /// An algorithm for manifests; may be repeated [default: md5, sha1, sha256, sha512]
    #[arg(long, value_name = "NAME")]
    algorithm: Vec<String>,
    /// The Bagging-Date, as YYYY-MM-DD [default: today, in UTC]
    #[arg(long, value_name = "DATE")]
    date: Option<String>,
    /// In a folder, link the payload instead of copying it; it must not be changed afterwards
    #[arg(long)]
    link: bool,
}

/// Shows how far it is, and gives up when asked to.
struct Onlooker {
    meter: Meter,
    stop: Arc<AtomicBool>,
}

impl Onlooker {
    /// Listens for the wish to stop: a process that just ends would leave its draft behind, which
    /// may be as large as the bag.
    fn of(name: &str) -> Result<Onlooker, Failure> {
        let stop = Arc::new(AtomicBool::new(false));
        let (signals, heard) = (Signals::listen()?, Arc::clone(&stop));
        std::thread::spawn(move || {
            if signals.wait().is_ok() {
                heard.store(true, Ordering::Relaxed);
            }
        });
        Ok(Onlooker { meter: Meter::of_bytes(name), stop })
    }
}

impl Watch for Onlooker {
    fn progress(&self, progress: Progress) {
        self.meter.show(progress.done_bytes, progress.total_bytes);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

impl Create {
    pub(super) fn run(self) -> Outcome {
        let tar = self.output.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("tar"));
        let stem = if tar { self.output.file_stem() } else { self.output.file_name() };
        let Some(name) = stem.and_then(|stem| stem.to_str()) else {
            return Err(Failure::Unable(format!(
                "{} has no name for a bag",
                self.output.display()
            )));
        };
        if tar && self.link {
            let why = "--link is for folders: a tar holds copies";
            return Err(Failure::Unable(why.into()));
        }
        // A folder can follow no profile that ingest takes without more tags than can be made up.
        let usual = tar.then_some(APTRUST);
        let rules = read_rules_for_making(self.profile.as_deref().or(usual))?;
        let date = self.date()?;
        let watch = Onlooker::of(name)?;
        let payload = Payload::Folder(self.folder.clone());
        let mut plan = Plan::new(name, payload, self.output.clone(), date);
        plan.form = match (tar, self.link) {
            (true, _) => Form::Tar,
            (false, true) => Form::Folder(Placing::HardLink),
            (false, false) => Form::Folder(Placing::Copy),
        };
        plan.sheets = self.sheets()?;
        if self.profile.is_none() {
            fill_in(&mut plan.sheets, &self.title(name));
        }
        plan.times = Times::Kept;
        plan.algorithms = self.algorithms()?;
        plan.profile = rules.one();
        plan.agent = format!("Strongroom {}", env!("CARGO_PKG_VERSION"));
        plan.watch = &watch;
        let made = match create(&plan) {
            Ok(made) => made,
            Err(MakeError::Refused(findings)) => {
                tell(&findings);
                let hint = match usual.filter(|_| self.profile.is_none()) {
                    Some(_) => "; with --profile bagit it follows no profile",
                    None => "",
                };
                let why = format!("the bag was not made, nothing was written{hint}");
                return Err(Failure::Refused(why));
            }
            Err(error @ MakeError::Exists(_)) => return Err(Failure::Refused(error.to_string())),
            Err(error) => return Err(error.into()),
        };
        drop(plan);
        drop(watch);
        tell(&made.findings);
        let (path, count, bytes) = (made.path.display(), made.payload_count, made.payload_bytes);
        line(&format!("{path}: {count} files, {bytes} bytes of payload"));
        if !tar && self.profile.is_none() {
            line(
                "Ingest takes a bag as a tar by default: make it with --output NAME.tar. A folder is \
                 taken with --profile btr and --tag Source-Organization=NAME.",
            );
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The title of a bag whose tags say none: what the folder is called.
    fn title(&self, bag: &str) -> String {
        let own = self.folder.file_name().map(ToOwned::to_owned);
        let own = own.or_else(|| self.folder.canonicalize().ok()?.file_name().map(Into::into));
        own.map_or_else(|| bag.to_owned(), |name| name.to_string_lossy().into_owned())
    }

    fn date(&self) -> Result<jiff::civil::Date, Failure> {
        let today = SystemClock::start().now().to_string();
        let text = self.date.as_deref().unwrap_or(&today[.."2026-11-16".len()]);
        text.parse().map_err(|_| Failure::Unable(format!("--date {text:?} is not YYYY-MM-DD")))
    }

    fn algorithms(&self) -> Result<AlgorithmSet, Failure> {
        if self.algorithm.is_empty() {
            return Ok(AlgorithmSet::FOUR);
        }
        let mut set = AlgorithmSet::default();
        for name in &self.algorithm {
            set = set.with(name.parse::<Algorithm>()?);
        }
        Ok(set)
    }

    /// Tags by the file they go to, in the order given.
    fn sheets(&self) -> Result<Vec<Sheet>, Failure> {
        let mut sheets: Vec<Sheet> = Vec::new();
        for tag in &self.tag {
            let Some((label, value)) = tag.split_once('=') else {
                return Err(Failure::Unable(format!(
                    "--tag {tag:?} is not of the form Label=Value"
                )));
            };
            let (file, label) = match label.split_once(".txt/") {
                Some((stem, label)) => (format!("{stem}.txt"), label),
                // Rather than a label that nobody looks for, or a file that no tool reads as tags.
                None if label.contains('/') => {
                    return Err(Failure::Unable(format!(
                        "--tag {tag:?} names a file that does not end in .txt"
                    )));
                }
                None => ("bag-info.txt".to_owned(), label),
            };
            let pair = (label.to_owned(), value.to_owned());
            match sheets.iter_mut().find(|sheet| sheet.file == file) {
                Some(sheet) => sheet.tags.push(pair),
                None => sheets.push(Sheet { file, tags: vec![pair] }),
            }
        }
        Ok(sheets)
    }
}

/// Adds what a bag must say to be taken, where no tag says it.
fn fill_in(sheets: &mut Vec<Sheet>, title: &str) {
    const FILE: &str = "aptrust-info.txt";
    let at = sheets.iter().position(|sheet| sheet.file == FILE).unwrap_or_else(|| {
        sheets.push(Sheet { file: FILE.to_owned(), tags: Vec::new() });
        sheets.len() - 1
    });
    let tags = &mut sheets[at].tags;
    for (name, value) in [("Title", title), ("Access", "Institution")] {
        if !tags.iter().any(|(known, _)| known.trim().eq_ignore_ascii_case(name)) {
            tags.push((name.to_owned(), value.to_owned()));
        }
    }
}

fn tell(findings: &[Finding]) {
    for finding in findings {
        let (code, place) = (finding.code.name(), plain(&finding.place));
        line(&format!("{code} {place}: {}", plain(&finding.sentence)));
    }
}
