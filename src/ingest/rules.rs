//! Which rules deposits are judged by, as configured.

use std::path::Path;

use bagit::profile::{LoadError, Rules};
use byteio::causes::chain;

use crate::app::App;
use crate::config::ProfileChoice;
use crate::fault::{Failure, Fault, Kind};

pub(super) fn rules(app: &App) -> Result<Rules, Fault> {
    let builtin = |name: &str| Rules::builtin(name).unwrap_or(Rules::AsNamed);
    Ok(match &app.config.ingest.profile {
        ProfileChoice::Named => Rules::AsNamed,
        ProfileChoice::Aptrust => builtin("aptrust"),
        ProfileChoice::Btr => builtin("btr"),
        ProfileChoice::BagIt => Rules::BagIt,
        ProfileChoice::File(path) => {
            let path = path.within(&app.config.data);
            Rules::load(&path).map_err(|error| unusable(&path, &error))?
        }
    })
}

fn unusable(path: &Path, error: &LoadError) -> Fault {
    Fault::Failed(Failure {
        kind: match error {
            LoadError::Read(_) => Kind::Transient { retry_after: None },
            LoadError::Profile(_) => Kind::Fatal,
        },
        code: "profile-unusable",
        advice: "mend the profile that ingest.profile names, then requeue the item".into(),
        source: format!("{}, which ingest.profile names: {}", path.display(), chain(error)).into(),
    })
}

/// Why deposits cannot be judged as configured, if they cannot.
pub(crate) fn unusable_rules(app: &App) -> Option<String> {
    match rules(app) {
        Err(Fault::Failed(failure)) => Some(failure.sentence()),
        Ok(_) | Err(_) => None,
    }
}
