//! Formats: what a file is, by the signatures of PRONOM. Pure over bytes and names.
//!
//! [`signature`] reads what The National Archives publish and keeps it in a compact form.
//! [`Formats`] holds a set ready for use and looks at one file at a time: the signatures that may
//! match are found by a few bytes each (`index`), proven against the bytes (`matching`), files
//! inside containers are looked at (`container`), and what is left is decided by priorities,
//! the extension, and whether it reads as text (`identify`). Everything a file can cost is in
//! [`Bounds`].

pub mod bounds;
pub mod fuzz;
pub mod identification;
pub mod signature;

mod container;
mod formats;
mod identify;
mod index;
mod judge;
mod look;
mod matching;
mod priority;
mod text;

pub use bounds::Bounds;
pub use formats::Formats;
pub use identification::{Basis, ContainerKind, Encoding, Identification, Match, Place};
pub use look::Looking;
pub use signature::{Changes, SignatureSet};

#[cfg(test)]
mod tests;
