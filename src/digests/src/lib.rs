//! Digests of many streams of bytes at once, for bag validation, ingest and fixity checks.
//!
//! [`digest_many`] takes files, parts of files, memory and readers, and delivers the digests of
//! each as they are known; [`digest_reader`] spreads one stream over the cores; [`digest_buffers`]
//! takes many small buffers; [`Hasher`] takes one stream piece by piece.
//!
//! # What it promises
//!
//! - **Results:** the digests are those of the standards, whatever the processor and the number of
//!   threads. Every lane is tested against RustCrypto. Only the order of delivery differs.
//! - **Reading:** every byte is read once. A stream that cannot be read, or that has another length
//!   than expected, has an error of its own, and the others go on.
//! - **Memory:** the buffers take less than 16 MiB on up to 45 threads, whatever the number and the
//!   size of the streams. Beyond that, three more threads may take one MiB more.
//! - **Time:** the caller is asked every few megabytes whether to go on.
//! - **No panic:** no content of a stream makes it panic.
//! - **`unsafe`:** only `lanes` has any.
//!
//! # What it never does
//!
//! It writes nothing, uses no network and asks no clock. It starts no threads: work runs on the
//! rayon pool that it is called in. It opens the paths that the caller gives and no others. A path
//! that is a link is followed, and a pipe is waited for.
//!
//! # Reading order
//!
//! `algorithm`, `digests` and `source` are the types. `state` is what all algorithms share, `lanes`
//! hashes streams side by side. `many` sorts streams by size: small ones go whole into a `batch`,
//! each thread for itself; large ones go chunk by chunk (`feed`) over a `belt` that all threads
//! work at, by the rules of its `board`. `pass` is what they share.
//!
//! # Example
//!
//! ```
//! use std::convert::Infallible;
//!
//! use digests::{Algorithm, AlgorithmSet, Job, Source, digest_buffers, digest_many};
//!
//! // Small buffers in memory, by two algorithms.
//! let wanted = AlgorithmSet::EMPTY.with(Algorithm::Md5).with(Algorithm::Sha256);
//! let [abc, empty] = &digest_buffers(wanted, &[&b"abc"[..], &b""[..]])[..] else { panic!() };
//! let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
//! assert_eq!(abc.agrees(Algorithm::Sha256, sha256), Some(true));
//! assert_eq!(empty.hex(Algorithm::Md5).unwrap(), "d41d8cd98f00b204e9800998ecf8427e");
//! assert_eq!(empty.get(Algorithm::Sha1), None);
//!
//! // Any number of streams, each with a key. One of them is shorter than expected.
//! let job = |key, size_bytes| Job { key, source: Source::Bytes(b"abc".into()), size_bytes };
//! let jobs = [job("good", Some(3)), job("short", Some(4))].into_iter();
//! let go_on = |_bytes_read| Ok::<(), Infallible>(());
//! let mut good = Vec::new();
//! digest_many(jobs, wanted, go_on, |key, outcome| match outcome {
//!     Ok(read) => good.push((key, read.digests)),
//!     Err(error) => assert_eq!(error.to_string(), "ended after 3 of 4 bytes"),
//! })?;
//! assert_eq!(good, [("good", abc.clone())]);
//! # Ok::<(), Infallible>(())
//! ```

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
