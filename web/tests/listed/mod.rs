//! The pages of the rooms that have many.

pub(crate) mod assess;
pub(crate) mod research;
