//! Bags: read, judged and made. Pure over paths and readers.

pub mod code;
pub mod error;
pub mod facts;
pub mod finding;
pub(crate) mod findings;
pub mod fuzz;
pub mod judge;
pub(crate) mod ledger;
pub mod limits;
pub mod make;
pub(crate) mod marks;
pub(crate) mod names;
pub mod profile;
pub mod report;
pub mod restored;
pub(crate) mod source;
pub(crate) mod text;

pub use error::BagError;
pub use findings::Counts;
pub use judge::{Options, Verdict, judge, judge_stream};
pub use limits::Limits;
pub use report::{Class, FileReport, Survey};
