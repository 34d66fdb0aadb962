//! A restored bag is judged as a deposit would be, before anybody is told that it is there.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use bagit::profile::Rules;
use bagit::{Limits, Options, judge};
use byteio::causes::chain;

use super::bagging::Recipe;
use crate::app::App;
use crate::config::ProfileChoice;
use crate::fault::{Failure, Fault, Kind};
use crate::work::Job;

/// Judges the bag by BagIt and by the profile that it was taken in by.
pub(super) fn prove(job: &Job<'_, App>, bag: &Path, recipe: &Recipe) -> Result<(), Fault> {
    let rules = rules(job.app, &recipe.profile);
    let limits = Limits {
        entry_count: job.app.config.ingest.max_files.max(recipe.file_count + 1000),
        path_bytes: job.app.config.ingest.max_path_bytes.max(Limits::default().path_bytes),
        ..Limits::default()
    };
    let stopped: Mutex<Option<Fault>> = Mutex::new(None);
    let stop = || match job.checkpoint() {
        Ok(()) => false,
        Err(fault) => {
            stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
            true
        }
    };
    let options = Options {
        limits: Some(&limits),
        profile: Some(&rules),
        stop: Some(&stop),
        ..Options::default()
    };
    let verdict = judge(bag, &options, &mut ());
    if let Some(fault) = stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        return Err(fault);
    }
    let verdict = verdict.map_err(|error| {
        Fault::Failed(Failure {
            kind: Kind::Transient { retry_after: None },
            code: "restored-bag-unreadable",
            advice: "look at the disk of the restoration area, then requeue the item".into(),
            source: chain(&error).into(),
        })
    })?;
    if verdict.valid {
        return Ok(());
    }
    let first = verdict.findings.first().map(|it| format!("{}: {}", it.place, it.sentence));
    Err(Fault::Failed(Failure {
        kind: Kind::Fatal,
        code: "restored-bag-invalid",
        advice: "Every file is held and was compared with its digest; the bag that they make is not \
                 valid by its profile, and was removed. Restore its files one by one, or report this."
            .into(),
        source: format!("the restored bag is not valid: {}", first.unwrap_or_default()).into(),
    }))
}

/// The rules of a profile by its identifier; of one that is not known here, those of BagIt.
fn rules(app: &App, identifier: &str) -> Rules {
    let builtin = ["aptrust", "btr"].into_iter().filter_map(Rules::builtin);
    let own = match &app.config.ingest.profile {
        ProfileChoice::File(path) => Rules::load(&path.within(&app.config.data)).ok(),
        ProfileChoice::Named
        | ProfileChoice::Aptrust
        | ProfileChoice::Btr
        | ProfileChoice::BagIt => None,
    };
    let is = |rules: &Rules| rules.one().is_some_and(|it| it.identity.name() == identifier);
    // Ours first: what it was taken in by may be a profile of the same address with fewer rules.
    own.into_iter().chain(builtin).find(is).unwrap_or(Rules::BagIt)
}
