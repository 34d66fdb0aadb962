//! Which rules deposits are judged by, as configured.

use crate::app::App;
use crate::bag::profile::{LoadError, Rules};
use crate::config::ProfileChoice;
use crate::fault::{Classify, Fault, Kind};

pub(super) fn rules(app: &App) -> Result<Rules, Fault> {
    let builtin = |name: &str| Rules::builtin(name).unwrap_or(Rules::AsNamed);
    Ok(match &app.config.ingest.profile {
        ProfileChoice::Named => Rules::AsNamed,
        ProfileChoice::Aptrust => builtin("aptrust"),
        ProfileChoice::Btr => builtin("btr"),
        ProfileChoice::BagIt => Rules::BagIt,
        ProfileChoice::File(path) => Rules::load(&path.within(&app.config.data))?,
    })
}

impl Classify for LoadError {
    fn kind(&self) -> Kind {
        match self {
            LoadError::Read(_) => Kind::Transient { retry_after: None },
            LoadError::Profile(_) => Kind::Fatal,
        }
    }

    fn code(&self) -> &'static str {
        "profile-unusable"
    }

    fn advice(&self) -> String {
        "mend the profile that ingest.profile names, then requeue the item".into()
    }
}
