//! Keeps work on offer, and ends leases whose time is over.
//!
//! It makes no item: an offer is one transaction of the work state, and looking again changes nothing
//! where there is nothing to do.

use std::time::Duration;

use crate::app::App;
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

/// Researchers who wait are answered within seconds; the described one took two to five.
const EVERY: Duration = Duration::from_secs(5);

/// The sweep.
pub struct ResearchDue;

impl Sweep<App> for ResearchDue {
    fn name(&self) -> &'static str {
        "research_due"
    }

    fn about(&self) -> &'static str {
        "Keeps research on offer for the researchers who are there, and takes back what nobody is \
         heard of."
    }

    fn every(&self, _app: &App) -> Duration {
        EVERY
    }

    fn sweep(&self, app: &App, _limit: usize) -> Result<Swept, Fault> {
        let kept = app.research.keep()?;
        let note = match (kept.offered, kept.lapsed) {
            (0, 0) => "nothing to do".into(),
            (offered, lapsed) => format!("put {offered} on offer, and took {lapsed} back"),
        };
        Ok(Swept { made: 0, note })
    }
}
