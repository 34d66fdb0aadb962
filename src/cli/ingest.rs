//! `strongroom ingest`: bags into the receiving area, and what becomes of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use storage::registry::Standing;

use super::counter::Counter;
use super::ingest_put::{Bag, Put};
use super::ingest_wait::Follow;
use super::print::{error, json, line, plain};
use super::{Failure, Outcome, Place};
use crate::config::Config;
use crate::desk::ItemDetail;
use crate::ingest::{Area, area, bag_name, bytes_below, over_quota};

/// Put bags into the receiving area of an institution.
#[derive(Args)]
#[command(after_help = "The bags themselves are left as they are; do not change them before they \
    are preserved.\n\n\
    Exit: 0 put, or with --wait preserved; 1 one was turned away or needs a person; 2 could not \
    run.\n\n\
    Examples:\n  strongroom ingest letters.tar --wait\n  \
    strongroom ingest out/* --institution archive.local --json")]
pub(super) struct Ingest {
    /// Bags: folders, .tar, .tar.gz, .tgz or .zip files
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Whose they are [default: the institution in the configuration]
    #[arg(long, value_name = "ID")]
    institution: Option<String>,
    /// Follow every bag until it is preserved, turned away, or needs a person
    #[arg(long)]
    wait: bool,
    /// Print JSON: one object for one bag, an array for several
    #[arg(long)]
    json: bool,
}

/// A bag as told.
#[derive(Serialize)]
struct Told {
    path: String,
    deposit: String,
    institution: String,
    object_identifier: String,
    linked: bool,
    /// What became of it, when it was followed to its end.
    #[serde(flatten)]
    end: Option<ItemDetail>,
    /// Why it could not be followed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip)]
    put: Put,
    #[serde(skip)]
    code: u8,
}

impl Ingest {
    pub(super) fn run(self, place: &Place) -> Outcome {
        let config = place.load(None)?;
        let bags = self.paths.iter().map(|path| Bag::at(path)).collect::<Result<Vec<_>, _>>()?;
        let counter = Counter::open(place)?;
        let served = matches!(counter, Counter::There(_));
        if self.wait && !served {
            return Err(Failure::Unable(
                "--wait needs a running appliance: start one with `strongroom serve`, or leave \
                 --wait away; nothing was put"
                    .into(),
            ));
        }
        let institution = self.institution(&counter, &config)?;
        let area = match area(&config, &institution) {
            Area::Folder(folder) => folder,
            Area::Bucket(url) => {
                return Err(Failure::Unable(format!(
                    "deposits of this appliance are received in {url}: put the bag there, it is \
                     found by itself; nothing was put"
                )));
            }
        };
        for bag in &bags {
            bag.check_free(&area)?;
        }
        let most = config.ingest.max_files;
        let bytes = |bag: &Bag| bytes_below(&bag.source, most);
        let bytes = bags.iter().map(bytes).fold(0_u64, u64::saturating_add);
        if let Some(why) = over_quota(&config, &area, bytes) {
            return Err(Failure::Unable(format!("{why}; nothing was put")));
        }
        let (mut told, stopped) = self.put_all(&counter, (&bags, &area, &institution));
        if self.wait && stopped.is_none() {
            let patience = (config.ingest.sweep + config.ingest.still) * 10;
            for (bag, one) in bags.iter().zip(&mut told) {
                let follow = Follow {
                    counter: &counter,
                    institution: &institution,
                    name: &bag.name,
                    object: &one.object_identifier,
                    patience: patience.max(Duration::from_secs(120)),
                };
                let end = follow.to_the_end(&one.put);
                one.ended(end);
                if !self.json {
                    one.print_end();
                }
            }
        } else if !served && !self.json && !told.is_empty() {
            line("No appliance runs: what was put waits for its next start.");
        }
        if self.json {
            match told.as_slice() {
                [one] => json(one)?,
                several => json(&several)?,
            }
        }
        let code = told.iter().map(|one| one.code).max().unwrap_or(0);
        stopped.map_or(Ok(ExitCode::from(code)), Err)
    }

    /// Puts one bag after the other, until one fails: what was put before stays and is told.
    fn put_all(
        &self,
        counter: &Counter,
        (bags, area, institution): (&[Bag], &Path, &str),
    ) -> (Vec<Told>, Option<Failure>) {
        let mut told = Vec::new();
        for bag in bags {
            let put = is_known(counter, bag, institution).and_then(|anew| bag.put(area, anew));
            let one = match put {
                Ok(put) => Told::of(bag, put, institution),
                Err(failure) => return (told, Some(failure)),
            };
            if !self.json {
                line(&format!("{} is put at {}", plain(&one.path), plain(&one.deposit)));
            }
            told.push(one);
        }
        (told, None)
    }

    /// The institution, which must be one whose area is looked at: a deposit anywhere else would
    /// never be seen.
    fn institution(&self, counter: &Counter, config: &Config) -> Result<String, Failure> {
        let asked = self.institution.as_ref().unwrap_or(&config.ingest.institution);
        let asked = asked.to_lowercase();
        let all = counter.institutions(&[("per_page".to_owned(), "1000".to_owned())])?;
        let known = if all.count <= 1000 {
            all.institutions
        } else {
            counter.institutions(&[("identifier".to_owned(), asked.clone())])?.institutions
        };
        // Where there is none yet, the first sweep makes the configured one.
        if all.count == 0 && asked == config.ingest.institution {
            return Ok(asked);
        }
        match known.iter().find(|institution| institution.identifier == asked) {
            Some(institution) if institution.state == Standing::Active => Ok(asked),
            Some(_) => Err(Failure::Unable(format!("the institution {asked} takes no deposits"))),
            None => {
                let names: Vec<_> =
                    known.iter().take(20).map(|it| it.identifier.as_str()).collect();
                let names =
                    if names.is_empty() { &config.ingest.institution } else { &names.join(", ") };
                Err(Failure::Unable(format!("there is no institution {asked:?}; there is {names}")))
            }
        }
    }
}

/// Whether an item was made of this very archive before: linked, it would not be taken again.
fn is_known(counter: &Counter, bag: &Bag, institution: &str) -> Result<bool, Failure> {
    let Some(etag) = bag.linked_etag()? else { return Ok(false) };
    let found = counter.items(&[
        ("name".to_owned(), bag.name.clone()),
        ("etag".to_owned(), etag),
        ("bucket".to_owned(), institution.to_owned()),
        ("per_page".to_owned(), "1".to_owned()),
    ])?;
    Ok(!found.items.is_empty())
}

impl Told {
    fn of(bag: &Bag, put: Put, institution: &str) -> Told {
        Told {
            path: bag.asked.display().to_string(),
            deposit: put.path.display().to_string(),
            institution: institution.to_owned(),
            object_identifier: format!("{institution}/{}", bag_name(&bag.name)),
            linked: put.linked,
            end: None,
            error: None,
            put,
            code: 0,
        }
    }

    fn ended(&mut self, end: Result<ItemDetail, Failure>) {
        match end {
            Ok(detail) => {
                self.code = u8::from(detail.item.status != "Success");
                self.end = Some(detail);
            }
            Err(Failure::Refused(sentence)) => {
                self.code = 1;
                self.error = Some(sentence);
            }
            Err(Failure::Damaged(sentence) | Failure::Unable(sentence)) => {
                self.code = 2;
                self.error = Some(sentence);
            }
        }
    }

    fn print_end(&self) {
        if let Some(sentence) = &self.error {
            error(&plain(sentence));
        }
        let Some(detail) = &self.end else { return };
        let (path, item) = (plain(&self.path), &detail.item);
        match item.status.as_str() {
            "Success" => {
                let object = plain(&self.object_identifier);
                line(&format!("{path}: preserved as {object} (item {})", item.id));
            }
            "Suspended" => {
                let stage = &item.stage;
                line(&format!("{path}: needs a person at {stage} (item {})", item.id));
            }
            other => line(&format!("{path}: {} (item {})", other.to_lowercase(), item.id)),
        }
        if item.status != "Success" {
            for text in [&item.happened, &item.kept, &item.advice].into_iter().flatten() {
                line(&format!("  {}", plain(text)));
            }
        }
        for finding in &detail.findings {
            let (severity, code, place) = (&finding.severity, &finding.code, plain(&finding.place));
            line(&format!("  {severity} {code} {place}: {}", plain(&finding.sentence)));
        }
    }
}
