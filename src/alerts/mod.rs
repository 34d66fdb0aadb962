//! What people are told of: the closed list of kinds, and their wording.
//!
//! Stages and sweeps raise alerts; both may be repeated, and a name is raised once. A function per
//! kind takes plain values and gives a whole alert: what happened, what was kept, what to do next.
//! [`raise`] adds who is told, by kind. The sweep `watch` looks at what the registry, the queues and
//! the replicas say, so that every route to a change is told; `post` sends what is due.

mod advice;
mod copies;
mod deletions;
mod failed_checks;
mod items;
mod kind;
mod messages;
mod post;
mod raise;
mod replicas;
mod results;
mod watch;

pub use advice::{cold_advice, lost_advice, lost_frame_advice};
pub use copies::{
    CheckedCopies, copies_failed, copies_intact, copies_repaired, files_lost, supersede,
};
pub use deletions::deletion;
pub use failed_checks::{checks_failed, checks_told};
pub use items::{item_parked, items_parked, items_stalled, items_waiting, restoration_ready};
pub use kind::Kind;
pub use messages::{message_rejected, messages_stopped};
pub use post::OutboxDue;
pub use raise::raise;
pub use replicas::{
    copies_missing, fixity_overdue, journal_altered, replica_away, replica_nearly_full,
};
pub use results::result_undelivered;
pub use watch::AlertWatch;

#[cfg(test)]
mod tests;
