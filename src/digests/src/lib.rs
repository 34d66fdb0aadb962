//! Digests of many streams at once: the room behind bag validation, ingest and fixity.
//!
//! [`digest_many`] takes files, parts of files, memory and readers, and delivers the digests of
//! each as they are known; [`digest_reader`] spreads one stream over the cores; [`digest_buffers`]
//! takes many small buffers; [`Hasher`] takes one stream piece by piece.
//!
//! In reading order: `algorithm`, `digests` and `source` are the words. `state` is what all
//! algorithms share, `lanes` hashes streams side by side. `many` sorts streams by size: small ones
//! go whole into a `batch`, each thread for itself; large ones go chunk by chunk (`feed`) over a
//! `belt` that all threads work at, by the rules of its `board`. `pass` is what they share.

mod algorithm;
mod batch;
mod belt;
mod board;
mod digests;
mod feed;
mod hasher;
mod lanes;
mod many;
mod pass;
mod source;
mod state;
#[cfg(test)]
mod tests;

pub use algorithm::{Algorithm, AlgorithmSet, UnknownAlgorithm};
pub use batch::digest_buffers;
pub use digests::Digests;
pub use hasher::Hasher;
pub use many::{digest_many, digest_reader, digest_source};
pub use source::{Digested, Job, Opener, Outcome, ReadError, Source};
