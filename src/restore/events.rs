//! What is told to posterity about restorations. Identifiers are computed from the item, so that a
//! repeated attempt tells nothing twice.

use storage::registry::{About, CopyState, EventType, NewEvent, Outcome, Uuid};

use super::copies::{Shelf, Wanted};
use crate::app::App;
use crate::chronicle::{AGENT, uuid_of};
use crate::work::Job;

/// Something was restored, or was to be.
pub(super) struct Telling {
    pub(super) about: About,
    pub(super) outcome: Outcome,
    pub(super) detail: &'static str,
    pub(super) outcome_detail: String,
    pub(super) information: String,
}

impl Telling {
    pub(super) fn event(self, job: &Job<'_, App>) -> NewEvent {
        NewEvent {
            identifier: named(job, &["restoration", self.outcome.name()]),
            event_type: EventType::Restoration,
            date_time: job.app.shop.clock.now(),
            detail: self.detail.to_owned(),
            outcome: self.outcome,
            outcome_detail: self.outcome_detail,
            outcome_information: self.information,
            object: AGENT.to_owned(),
            agent: AGENT.to_owned(),
            about: self.about,
        }
    }
}

/// A copy was read and was not what it should be.
pub(super) fn unsound(
    job: &Job<'_, App>,
    file: &Wanted,
    shelf: &Shelf<'_>,
    state: CopyState,
) -> NewEvent {
    let replica = shelf.replica.name();
    let (detail, information) = match state {
        CopyState::Missing => ("missing", format!("there is no copy in replica {replica}")),
        CopyState::Damaged | CopyState::Sound => {
            ("did not match", format!("the copy in replica {replica} is not what was preserved"))
        }
    };
    let words = ["unsound", &file.id.to_string(), &file.version.to_string(), replica];
    NewEvent {
        identifier: named(job, &words),
        event_type: EventType::FixityCheck,
        date_time: job.app.shop.clock.now(),
        detail: "fixity check against registered hash, while restoring".to_owned(),
        outcome: Outcome::Failure,
        outcome_detail: detail.to_owned(),
        outcome_information: information,
        object: AGENT.to_owned(),
        agent: AGENT.to_owned(),
        about: About::File { file: file.id, deposit: None },
    }
}

/// The item and its moment: numbers of items begin anew when everything but a vault was lost.
fn named(job: &Job<'_, App>, words: &[&str]) -> Uuid {
    let (item, moment) = (job.item.id.to_string(), job.item.created.0.to_string());
    let mut all = vec!["restore", &item, &moment];
    all.extend(words);
    uuid_of(&all)
}
