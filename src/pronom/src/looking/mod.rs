//! Looking at one file: which signatures may match (`index`), which do (`identify`, `matching`),
//! and what follows from that (`judge`). `look` holds what was read and the budget for it.

pub(crate) mod identify;
pub(crate) mod index;
mod judge;
pub(crate) mod look;
pub(crate) mod matching;
pub(crate) mod priority;
mod text;
