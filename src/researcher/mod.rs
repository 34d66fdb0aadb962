//! Researchers: whoever does the work that [`crate::research`] gives out.
//!
//! `office` is where work comes from and results go; `house` is the bureau of this house, the command
//! line has one over the network, and `pack` one in a folder. `work` does a piece of it with an
//! analyst, over `media` that is opened wherever it is, at a `bench`; `post` carries the results.
//! `search` and `shifts_due` are the researchers of this house, and `due` keeps work on offer.
//!
//! The house's own are a flow of one stage, a shift an item: queue, pause, health, pages and metrics
//! are those of any stage, and a shift that died with the process is begun again with its work.

mod bench;
mod due;
mod house;
pub mod media;
mod office;
mod pack;
mod post;
mod search;
mod shifts_due;
mod told;
mod work;

pub use bench::Bench;
pub use due::ResearchDue;
pub use house::InHouse;
pub use office::{Answers, Gather, Office, OfficeError, Unopened, Watch, Wish, one_by_one};
pub use pack::PackOffice;
pub use post::Delivered;
pub use shifts_due::{ShiftsDue, is_of_the_house};
pub use work::{Done, research};

use crate::app::App;
use crate::work::Flow;

/// The flow.
pub const RESEARCH: Flow<App> =
    Flow { name: "research", action: "Research", stages: &[&search::Search], cleanup: None };
