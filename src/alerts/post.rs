//! The sweep that sends what is due.

use std::time::Duration;

use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

/// The sweep.
pub struct OutboxDue;

impl Sweep<App> for OutboxDue {
    fn name(&self) -> &'static str {
        "outbox_due"
    }

    fn about(&self) -> &'static str {
        "Sends e-mail and calls that wait, and tries again what could not be sent."
    }

    fn every(&self, _app: &App) -> Duration {
        Duration::from_secs(5)
    }

    fn sweep(&self, app: &App, _limit: usize) -> Result<Swept, Fault> {
        app.outbox.send_aside().map_err(FileFault::at("start a thread for", "the outbox"))?;
        Ok(Swept { made: 0, note: "looked at the outbox".into() })
    }
}
