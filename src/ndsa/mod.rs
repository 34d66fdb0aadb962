//! The NDSA Levels of Digital Preservation (version of 2019) as a scorecard of this house.
//!
//! `facts.rs` gathers what is so now, `place.rs` says which replicas share a place, one file per
//! functional area lists what its levels ask for and how that is seen, and `scorecard.rs` puts both
//! together with what people have declared. Strict on purpose: a level is reached when everything it
//! asks for is, and so are the levels below; a declaration counts for as long as it is fresh.

mod content;
mod control;
mod facts;
mod integrity;
mod metadata;
mod place;
mod requirement;
mod scorecard;
mod storing;
mod text;

pub use facts::{Facts, gather};
pub use requirement::{Area, Evidence, LEVELS, Requirement, RestsOn, requirement};
pub use scorecard::{AreaScore, Cell, Score, Scorecard, Standing, assess};
