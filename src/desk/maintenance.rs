//! The house closed for maintenance, and opened again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use storage::registry::Deed;

use super::{Desk, DeskError};
use crate::accounts::Note;
use crate::maintenance::Closed;

/// Whether the house is closed, and what people are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MaintenanceTold {
    /// Whether it is.
    pub on: bool,
    /// What people are told; nothing while it is open.
    pub sentence: Option<String>,
    /// Since when, as RFC 3339 in UTC.
    pub since: Option<String>,
    /// Who closed it.
    pub by: Option<String>,
}

impl MaintenanceTold {
    fn of(closed: Option<&Closed>) -> MaintenanceTold {
        MaintenanceTold {
            on: closed.is_some(),
            sentence: closed.map(|it| it.sentence.clone()),
            since: closed.map(|it| it.since.to_string()),
            by: closed.map(|it| it.by.clone()),
        }
    }
}

impl Desk<'_> {
    /// Whether the house is closed for maintenance.
    pub fn maintenance(&self) -> MaintenanceTold {
        MaintenanceTold::of(self.app.maintenance.closed().as_deref())
    }

    /// Closes the house to all but those who look after it. Work that is under way ends its stage.
    pub fn close(&self, sentence: &str) -> Result<MaintenanceTold, DeskError> {
        let (by, now) = (self.caller.name(), self.app.shop.clock.now());
        let closed = self.app.maintenance.close(sentence, by, now)?;
        self.app.shop.hold(true);
        self.note(Note::of(Deed::CloseHouse).saying(&closed.sentence));
        tracing::warn!(by, sentence = closed.sentence, "the house is closed for maintenance");
        Ok(MaintenanceTold::of(Some(&closed)))
    }

    /// Opens the house to everybody, and lets work go on.
    pub fn reopen(&self) -> Result<MaintenanceTold, DeskError> {
        self.app.maintenance.reopen()?;
        self.app.shop.hold(false);
        self.note(Note::of(Deed::OpenHouse));
        tracing::warn!(by = self.caller.name(), "the house is open again");
        Ok(MaintenanceTold::of(None))
    }
}
