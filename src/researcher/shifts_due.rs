//! Makes an item for each researcher of this house while there is work for it.

use std::time::Duration;

use storage::work::item::Subject;
use storage::work::queue::NewItem;

use super::RESEARCH;
use super::search::{MOST, Search};
use crate::app::App;
use crate::fault::Fault;
use crate::work::{Stage, Sweep, Swept};

/// Work is begun within seconds.
const EVERY: Duration = Duration::from_secs(2);

/// The sweep.
pub struct ShiftsDue;

impl Sweep<App> for ShiftsDue {
    fn name(&self) -> &'static str {
        "research_shifts"
    }

    fn about(&self) -> &'static str {
        "Sets the researchers of this house to work when there is something to search."
    }

    fn every(&self, _: &App) -> Duration {
        EVERY
    }

    /// As many begin as pieces are on offer; whoever had work before a restart goes on with it.
    fn sweep(&self, app: &App, _limit: usize) -> Result<Swept, Fault> {
        let most = app.config.researching.researchers.min(u32::from(MOST));
        if most == 0 {
            return Ok(Swept { made: 0, note: "this house has no researchers".into() });
        }
        let out = app.research.holdings()?;
        let offered = out.iter().filter(|it| it.holder.is_none()).count();
        let (mut made, mut left) = (0, offered);
        for number in 1..=most {
            let name = researcher(number);
            let has_work = out.iter().any(|it| it.holder.as_deref() == Some(name.as_str()));
            if !has_work && left == 0 {
                continue;
            }
            let pushed = app.shop.queue.push(item(name))?;
            made += usize::from(pushed.new);
            left = left.saturating_sub(usize::from(pushed.new && !has_work));
        }
        Ok(Swept { made, note: format!("{offered} pieces of work on offer, {made} shifts begun") })
    }
}

/// The name of a researcher of this house.
fn researcher(number: u32) -> String {
    format!("house-{number}")
}

/// Whether somebody of this name is of this house.
pub fn is_of_the_house(name: &str) -> bool {
    (1..=u32::from(MOST)).any(|number| researcher(number) == name)
}

fn item(name: String) -> NewItem {
    NewItem {
        flow: RESEARCH.name.into(),
        topic: Search.about().topic.into(),
        // One that is still in line, or parked, is not joined by a second.
        unique: Some(format!("research-{name}")),
        subject: Subject {
            action: RESEARCH.action.into(),
            name,
            user: "strongroom".into(),
            ..Subject::default()
        },
        note: "there is something to search".into(),
        ..NewItem::default()
    }
}
