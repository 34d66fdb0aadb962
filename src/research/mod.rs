//! Leased research: which pairs of an episode and a clip are looked at next, by whom, and what came
//! of it.
//!
//! Promises:
//!
//! - A pair is in one pair of hands at a time; what its holder is not heard of in time is offered
//!   again. What was recorded is never lost and never asked for again, unless somebody asks.
//! - Every result is recorded, also one that comes late, twice, or under somebody else's lease; only
//!   the holder of a live lease extends or ends it.
//! - What is given out next depends on nothing but the catalogue, the results and the leases: the
//!   highest priority, then what was first known of last, then the lowest number.
//!
//! Results and the catalogue are in the registry, leases in the work state. A result is recorded
//! first and its lease extended after: a crash between the two costs a repetition.
//!
//! Read in this order: [`Bureau`], `capacity`, `board` (what comes next), `assign`, `results`.

mod assign;
mod board;
mod browsing;
mod bureau;
mod capacity;
pub mod catalogue;

mod census;
mod demand;
mod error;
pub mod pack;
mod results;
mod told;
mod upkeep;

#[cfg(test)]
mod tests;

pub use assign::{Researcher, Work};
pub use browsing::Listed;
pub use bureau::{Bureau, Rules, Scope};
pub use capacity::has_room;
pub use census::Present;
pub use demand::{Demand, Load, Pairs};
pub use error::ResearchError;
pub use results::{Beat, LeaseNow, Receipt, Report};
pub use told::{ClipResults, EpisodeResults, Holding, Progress};
pub use upkeep::Kept;
