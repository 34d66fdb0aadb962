//! Assessments of sites: what was asked for, what came of it, and how it is told.
//!
//! - What is asked is kept whole before anybody is told that it was taken; the item that works on it
//!   follows from the row, and is made again if it was lost.
//! - A result is written once: with it, in the same transaction, everything that is to be sent about
//!   it. Whoever comes later with another result writes nothing.
//! - The same question about the same data by the same method is the same row.

mod ask;
mod delivery;
mod finish;
mod levy;
mod row;

pub use ask::{Kept, NewAssessment};
pub use delivery::{AttemptTold, DeliveryChannel, DeliveryRow, NewDelivery};
pub use finish::Assessed;
pub use levy::{LevyRow, NewLevy};
pub use row::{ASSESSMENTS, AssessmentRow, AssessmentState};

#[cfg(test)]
mod tests;
