//! From the parameters of a list address to parameterised SQL.
//!
//! Promise: every name in the SQL comes from a static [`Listing`], every value is bound, and a
//! parameter that is not understood is refused with a sentence, never ignored. A list has a total
//! order, so that no row is shown twice or skipped between two pages of an unchanged table.

mod cursor;
mod listing;
mod page;
mod parse;
mod sight;
mod sql;
mod value;

#[cfg(test)]
mod plans;

pub(in crate::registry) use listing::Word;
pub use listing::{Column, Kind, Listing, Op};
pub use page::{Count, Page};
pub use parse::{BadQuery, Counting, Query};
pub(in crate::registry) use sight::Owner;
pub use sight::Sight;
