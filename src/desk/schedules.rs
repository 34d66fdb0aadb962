//! The sweeps: when each looked last, how that went, and when it looks next.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::Deed;

use super::{Desk, DeskError};
use crate::accounts::Note;
use crate::flows::SWEEPS;

/// One sweep.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScheduleRow {
    /// Its name, as a program asks for it.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// Seconds between two looks.
    pub every_seconds: u64,
    /// When it looked last, as RFC 3339 in UTC.
    pub last_run: Option<String>,
    /// How that went.
    pub last_outcome: Option<String>,
    /// Whether that failed.
    pub failed: bool,
    /// When it looks next, as RFC 3339 in UTC; at once if it never did.
    pub next_run: Option<String>,
    /// How often it has looked.
    pub runs: u64,
}

impl Desk<'_> {
    /// Every sweep.
    pub fn schedules(&self) -> Result<Vec<ScheduleRow>, DeskError> {
        let store = self.app.shop.queue.store();
        let mut rows = Vec::new();
        for sweep in SWEEPS {
            let ran = store.schedule(sweep.name())?;
            let last = ran.as_ref().filter(|it| it.last_run.is_some());
            rows.push(ScheduleRow {
                name: sweep.name().into(),
                about: sweep.about().into(),
                every_seconds: sweep.every(self.app).as_secs(),
                last_run: last.and_then(|it| it.last_run).map(|at| at.to_string()),
                last_outcome: last.map(|it| it.last_outcome.clone()),
                failed: last.is_some_and(|it| it.last_outcome.starts_with("failed")),
                next_run: ran.as_ref().map(|it| it.next_run.to_string()),
                runs: ran.as_ref().map_or(0, |it| it.runs),
            });
        }
        Ok(rows)
    }

    /// Has a sweep look as soon as work is taken, instead of at its time.
    pub fn run_sweep(&self, name: &str) -> Result<ScheduleRow, DeskError> {
        let known = SWEEPS.iter().find(|sweep| sweep.name() == name);
        let unknown = || DeskError::NoSuchSweep(name.chars().take(80).collect());
        let sweep = known.ok_or_else(unknown)?;
        self.app.shop.queue.store().ask_run(sweep.name(), self.app.shop.clock.now())?;
        self.note(Note::of(Deed::RunSweep).to("sweep", sweep.name()));
        let mut rows = self.schedules()?;
        rows.retain(|row| row.name == name);
        rows.pop().ok_or_else(unknown)
    }
}
