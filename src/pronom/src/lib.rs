//! Formats: what a file is, by the signatures of PRONOM.
//!
//! [`signature`] reads what The National Archives publish and keeps it in a compact form.
//! [`Formats`] holds a set ready for use and looks at one file at a time: `looking` finds the
//! signatures that may match by a few bytes of each, proves them, and weighs what was found;
//! `container` looks inside. Everything a file can cost is in [`Bounds`], and all of that is pure
//! over bytes and names.
//!
//! [`files`] goes through folders.

pub mod bounds;
pub mod files;
pub mod fuzz;
pub mod identification;
pub mod signature;

mod container;
mod formats;
mod looking;

pub use bounds::Bounds;
pub use formats::Formats;
pub use identification::{Basis, ContainerKind, Encoding, Identification, Match, Place};
pub use looking::look::Looking;
pub use signature::{Changes, SignatureSet};

#[cfg(test)]
mod tests;
