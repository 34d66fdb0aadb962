//! Writes down what is held when a month has begun.
//!
//! It makes no item: the figures of a month are one small transaction, and repeating it changes
//! nothing. Looked for every hour, so that figures of a month are close to its beginning; a month that
//! began while the appliance was off is worked out, and marked.

use std::time::Duration;

use crate::app::App;
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

const EVERY: Duration = Duration::from_secs(3600);
/// Later than this after its beginning, a month counts as worked out afterwards.
const IN_TIME: Duration = Duration::from_secs(24 * 3600);
/// Months written down by one look; the others wait for the next, so that work gets its turn.
const AT_ONCE: usize = 24;

/// The sweep.
pub struct StatisticsDue;

impl Sweep<App> for StatisticsDue {
    fn name(&self) -> &'static str {
        "statistics_due"
    }

    fn about(&self) -> &'static str {
        "Writes down at the beginning of each month what is held, for the reports."
    }

    fn every(&self, _app: &App) -> Duration {
        EVERY
    }

    fn sweep(&self, app: &App, _limit: usize) -> Result<Swept, Fault> {
        let now = app.shop.clock.now();
        let missing = app.registry.missing_months(now)?;
        let Some(last) = missing.iter().take(AT_ONCE).next_back().copied() else {
            return Ok(Swept { made: 0, note: "no month has begun".into() });
        };
        let mut written = 0;
        for month in missing.into_iter().take(AT_ONCE) {
            let is_derived = now.since(month.begins()) > IN_TIME;
            written += usize::from(app.registry.record_month(month, is_derived, now)?);
        }
        let note = match written {
            1 => format!("wrote down what was held when {last} began"),
            many => format!("wrote down what was held when {many} months began, up to {last}"),
        };
        Ok(Swept { made: 0, note })
    }
}
