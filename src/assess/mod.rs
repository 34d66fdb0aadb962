//! Assessments: what a development adds to the nutrients that reach protected waters.
//!
//! `ask` keeps what somebody asks for, whole, before anybody is told that it was taken; the item
//! follows from the row (`due` makes it again where it was lost). `run` assesses one site and writes the
//! result together with all that is to be sent about it (`telling`, `price`), once. `post` sees that it
//! is sent, and that somebody is told of what could not be. `load` brings reference data into use, as an
//! item of a flow of its own (`wanted` says which).
//!
//! Hazards: nothing here may assess with other data than the result says, and no price is ever guessed.

mod ask;
mod due;
mod load;
mod post;
mod price;
mod run;
mod telling;
mod wanted;
mod wish;

pub use ask::{AskError, Asked, Asker, ask};
pub use due::AssessmentsDue;
pub use load::{LoadAsked, ask_load, is_parked};
pub use post::DeliveriesDue;
pub use price::PriceError;
pub use wanted::{LastLoad, Wanted, last_load, load_of, wanted_folder};
pub use wish::Wish;
pub(crate) use wish::nameless;

use crate::app::App;
use crate::work::Flow;

/// The flow of one site.
pub const ASSESS: Flow<App> =
    Flow { name: "assess", action: "Assess", stages: &[&run::Assess], cleanup: None };

/// The flow that brings reference data into use.
pub const REFERENCE: Flow<App> = Flow {
    name: "reference",
    action: "Load Reference Data",
    stages: &[&load::Load],
    cleanup: None,
};

/// Pieces of land that a result keeps with their shapes, for its map.
const PIECES_MAX: usize = 2000;
