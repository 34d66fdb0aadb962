//! Formats: what a file is, by the signatures of PRONOM.
//!
//! [`signature`] reads what The National Archives publish and keeps it in a compact form.
//! [`Formats`] holds a set ready for use and looks at one file at a time: the signatures that may
//! match are found by a few bytes each (`index`), proven against the bytes (`matching`), files
//! inside containers are looked at (`container`), and what is left is decided by priorities,
//! the extension, and whether it reads as text (`identify`). Everything a file can cost is in
//! [`Bounds`], and all of that is pure over bytes and names.
//!
//! [`shelf`] keeps signature sets on disk, [`walk`] and [`inspect`] go through folders.

pub mod bounds;
pub mod fuzz;
pub mod identification;
pub mod inspect;
pub mod shelf;
pub mod signature;
pub mod walk;

mod container;
mod formats;
mod identify;
mod index;
mod judge;
mod look;
mod matching;
mod priority;
pub(crate) mod regular;
mod text;

pub use bounds::Bounds;
pub use formats::Formats;
pub use identification::{Basis, ContainerKind, Encoding, Identification, Match, Place};
pub use look::Looking;
pub use shelf::Shelf;
pub use signature::{Changes, SignatureSet};

#[cfg(test)]
mod tests;
