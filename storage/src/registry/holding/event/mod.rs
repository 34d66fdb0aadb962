//! Events, in the words of PREMIS.
//!
//! A deposit of a million files would have ten million events that differ in nothing but the file.
//! So an event may be about all files that a deposit saved, with words in braces where files
//! differ, and [`EventRow::about`] tells it about one of them.

mod each;
mod record;
mod row;
mod vocabulary;

pub(super) use each::joined;
pub use each::{EachEvent, EachEventPage, Rows};
pub(super) use record::put_event;
pub use record::{About, NewEvent};
pub use row::EventRow;
pub use vocabulary::{EventType, Outcome, Scope};
