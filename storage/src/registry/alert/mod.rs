//! Messages to people: what they say, who has read them, and what is still to be sent.
//!
//! - The same thing is told once: an alert has a name, and a name is raised once, for ever. What is
//!   so for a while (a replica is away) is *open* until it ends.
//! - What is to be sent is written in the transaction that raises the alert, so that nothing is
//!   announced that is not to be read here, and nothing is forgotten on the way out.
//! - Who reads is a row per reader and alert. Nobody has unread alerts from before they came.

mod audience;
mod outbox;
mod raise;
mod reading;
mod row;
mod unsaid;

pub use audience::Audience;
pub use outbox::{Channel, OutboxRow, Parcel};
pub use reading::{AlertFate, Reader};
pub use row::{ALERTS, AlertRow, NewAlert};
pub use unsaid::{
    DeletionMoment, DeletionStep, LongWait, ParkedItem, ParkedTogether, StaleCheck, Stalled,
};

#[cfg(test)]
mod tests;
