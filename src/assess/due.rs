//! Gives every assessment that waits its item, and notes those whose item was cancelled.

use std::time::Duration;

use storage::registry::AssessmentRow;
use storage::work::item::{ItemId, State};

use super::ask::{AskError, put_in_line, uuid_of};
use crate::app::App;
use crate::fault::{Classify, Failure, Fault, Kind};
use crate::work::{Sweep, Swept};

/// Rows looked at in one go.
const PAGE: u32 = 500;

/// The sweep.
pub struct AssessmentsDue;

impl Sweep<App> for AssessmentsDue {
    fn name(&self) -> &'static str {
        "assessments_due"
    }

    fn about(&self) -> &'static str {
        "Puts assessments in line that have lost their item."
    }

    fn every(&self, _: &App) -> Duration {
        Duration::from_secs(60)
    }

    fn sweep(&self, app: &App, limit: usize) -> Result<Swept, Fault> {
        let (mut after, mut made, mut ended) = (0, 0, 0);
        while made < limit {
            let rows = app.registry.waiting_assessments(after, PAGE)?;
            let Some(last) = rows.last() else { break };
            after = last.id;
            for row in rows {
                match standing(app, &row)? {
                    Standing::InLine => {}
                    Standing::Lost => {
                        put_in_line(app, &row).map_err(into_fault)?;
                        made += 1;
                    }
                    Standing::Ended => {
                        app.registry.cancel_assessment(row.id, app.shop.clock.now())?;
                        ended += 1;
                    }
                }
            }
        }
        let note = format!("made {made} items, and noted {ended} assessments as cancelled");
        Ok(Swept { made, note })
    }
}

/// How the item of an assessment stands.
enum Standing {
    InLine,
    /// There is none, or it is another's: the work state was lost.
    Lost,
    /// A person ended it.
    Ended,
}

fn standing(app: &App, row: &AssessmentRow) -> Result<Standing, Fault> {
    let Some(id) = row.item_id.and_then(|id| u64::try_from(id).ok()) else {
        return Ok(Standing::Lost);
    };
    if let Some(item) = app.shop.queue.item(ItemId(id))?
        && uuid_of(item.unique.as_deref()) == Some(row.uuid)
    {
        return Ok(match item.state {
            State::Cancelled | State::Failed { .. } | State::Expired => Standing::Ended,
            // It may have ended between our two looks: the row knows by the next one.
            State::Finished
            | State::Ready { .. }
            | State::Delayed { .. }
            | State::Leased(_)
            | State::Parked { .. } => Standing::InLine,
        });
    }
    // An item that has ended leaves the work state when the registry has it.
    let known = app.registry.item(row.item_id.unwrap_or_default())?;
    let ours = known.filter(|item| item.flow == super::ASSESS.name && item.name == row.reference);
    Ok(match ours.as_ref().map(|item| item.status.as_str()) {
        Some("Cancelled" | "Failed") => Standing::Ended,
        Some("Success") => Standing::InLine,
        Some(_) | None => Standing::Lost,
    })
}

fn into_fault(error: AskError) -> Fault {
    match error {
        AskError::Registry(error) => error.into(),
        AskError::Work(error) => error.into(),
        AskError::Reference(error) => error.into_fault(),
        AskError::NoSuchMethod(_) | AskError::Account(_) | AskError::Unwritable(_) => {
            Fault::Failed(Failure {
                kind: Kind::Fatal,
                code: "assessment",
                advice: "report this with the log".into(),
                source: Box::new(error),
            })
        }
    }
}
