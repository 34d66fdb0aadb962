//! The sweep that looks at the state of things and tells what is new about it.
//!
//! It keeps no position of its own: what was told is told by its name in the registry, and what was
//! so for a while is ended by looking again. So a restart, a crash between two alerts, or a look that
//! comes twice misses nothing and repeats nothing.

mod changes;
mod parked;
mod standing;
mod waiting;

use std::time::Duration;

use storage::clock::Timestamp;
use storage::mirror::MirrorError;
use storage::registry::{Error, NewAlert};

use super::kind::Kind;
use super::raise::raise;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

/// The sweep.
pub struct AlertWatch;

/// A look at one thing: tells what is new, and how much that was.
type Look = fn(&App, Timestamp) -> Result<usize, Error>;

/// Alerts of one kind that may be open at a time; beyond, older ones end first.
const OPEN: u32 = 10_000;

impl Sweep<App> for AlertWatch {
    fn name(&self) -> &'static str {
        "alert_watch"
    }

    fn about(&self) -> &'static str {
        "Looks for what people should be told of, and writes the alerts."
    }

    fn every(&self, _app: &App) -> Duration {
        Duration::from_secs(60)
    }

    fn sweep(&self, app: &App, _limit: usize) -> Result<Swept, Fault> {
        let now = app.shop.clock.now();
        app.copy().map_err(|error| match error {
            MirrorError::Work(error) => Fault::from(error),
            MirrorError::Registry(error) => Fault::from(error),
        })?;
        let looks: [Look; 9] = [
            changes::deletions,
            changes::restorations,
            parked::parked,
            standing::stalled,
            waiting::waiting,
            standing::away,
            standing::nearly_full,
            standing::overdue,
            standing::missing,
        ];
        // One that fails must not keep the others from looking.
        let (mut raised, mut failed) = (0, None);
        for look in looks {
            match look(app, now) {
                Ok(more) => raised += more,
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(Swept { made: 0, note: format!("raised {raised}") }),
        }
    }
}

/// Raises an alert; one if it is new.
fn tell(app: &App, alert: &NewAlert) -> Result<usize, Error> {
    Ok(usize::from(raise(app, alert)?.is_some()))
}

/// Something that is so for a while: raised when it begins to be so, ended when it no longer is.
/// `about` tells one such thing of a kind from the others.
fn stands(
    app: &App,
    (kind, about): (Kind, &str),
    alert: Option<NewAlert>,
    now: Timestamp,
) -> Result<usize, Error> {
    let beginning = format!("{}/{about}/", kind.word());
    let open = app.registry.open_alerts(kind.word(), OPEN)?;
    let mut open = open.iter().filter(|alert| alert.name.starts_with(&beginning)).peekable();
    match alert {
        Some(_) if open.peek().is_some() => Ok(0),
        Some(alert) => tell(app, &alert),
        None => {
            for alert in open {
                app.registry.end_alert(&alert.name, now)?;
            }
            Ok(0)
        }
    }
}
