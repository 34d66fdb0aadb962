//! The sweep that sends results, and tells somebody of those that could not be sent.

use std::time::Duration;

use storage::registry::DeliveryRow;

use crate::alerts::{raise, result_undelivered};
use crate::app::{App, FileFault};
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

/// Alerts raised in one go.
const ALERTS: u32 = 100;

/// The sweep.
pub struct DeliveriesDue;

impl Sweep<App> for DeliveriesDue {
    fn name(&self) -> &'static str {
        "deliveries_due"
    }

    fn about(&self) -> &'static str {
        "Sends results of assessments to those who wait for them, and tries again what was not taken."
    }

    fn every(&self, _: &App) -> Duration {
        Duration::from_secs(5)
    }

    fn sweep(&self, app: &App, _: usize) -> Result<Swept, Fault> {
        app.outbox.deliver_aside().map_err(FileFault::at("start a thread for", "results"))?;
        let given_up = app.registry.unsaid_deliveries(ALERTS)?;
        for row in &given_up {
            tell(app, row)?;
        }
        let note = format!("looked at the results to be sent; {} were given up", given_up.len());
        Ok(Swept { made: 0, note })
    }
}

fn tell(app: &App, row: &DeliveryRow) -> Result<(), Fault> {
    let Some(assessment) = app.registry.assessment(row.assessment_id)? else { return Ok(()) };
    raise(app, &result_undelivered(&assessment, row))?;
    Ok(())
}
