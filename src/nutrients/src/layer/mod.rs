//! Layers of polygons in files that never change: one file for each layer of a version, sorted
//! along a curve so that neighbours lie together, in blocks with a box and a checksum each.
//!
//! A block is read when a site needs it and forgotten afterwards: five million parcels cost a few
//! megabytes of boxes, and no memory is mapped. A torn or garbled file is refused: its index when it
//! is opened, its blocks when they are read, and all of it against its digest when asked.

mod blocks;
mod codec;
mod curve;
mod file;
mod runs;
mod tree;
mod writer;

pub(crate) use codec::{Opened, Packed, Record};
pub(crate) use file::{LayerFile, fuzz_block};
pub(crate) use tree::Tree;
pub(crate) use writer::{LayerWriter, Written};

#[cfg(test)]
mod tests;
