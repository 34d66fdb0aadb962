//! Makes an upkeep item when the last one is old enough.

use std::time::Duration;

use storage::work::item::Subject;
use storage::work::queue::NewItem;

use super::UPKEEP;
use crate::app::App;
use crate::fault::Fault;
use crate::work::{Sweep, Swept};

/// The sweep.
pub struct UpkeepDue;

impl Sweep<App> for UpkeepDue {
    fn name(&self) -> &'static str {
        "upkeep_due"
    }

    fn about(&self) -> &'static str {
        "Takes a snapshot of the registry and proves that it can be read."
    }

    fn every(&self, app: &App) -> Duration {
        app.config.upkeep.every
    }

    fn sweep(&self, app: &App, _limit: usize) -> Result<Swept, Fault> {
        let size_bytes = app.registry.size_bytes()?;
        let pushed = app.shop.queue.push(NewItem {
            flow: UPKEEP.name.into(),
            topic: UPKEEP.stages[0].about().topic.into(),
            subject: Subject {
                action: UPKEEP.action.into(),
                name: "registry snapshot".into(),
                user: "strongroom".into(),
                size_bytes,
                ..Subject::default()
            },
            // One that is still in line, or parked, is not joined by a second.
            unique: Some("upkeep".into()),
            note: "a copy of the registry is due".into(),
            ..NewItem::default()
        })?;
        Ok(if pushed.new {
            Swept { made: 1, note: format!("made item {}", pushed.id) }
        } else {
            Swept { made: 0, note: format!("item {} is still in progress", pushed.id) }
        })
    }
}
