//! Inventories: written and read as streams, because one of 300,000 files is some 150 MB of JSON.
//!
//! In reading order: `entries` is what a bag brings, `build` merges it with the inventory of the
//! version before, `remainder` makes one again without some files, `reading` reads one back, `json`
//! is the tokens below.

mod build;
mod entries;
mod json;
mod reading;
mod remainder;

pub use build::Note;
pub(super) use build::{Built, Making, build};
pub use entries::{Entries, Entry};
pub use reading::Inventory;
pub use remainder::Expunging;
pub(super) use remainder::Remainder;
