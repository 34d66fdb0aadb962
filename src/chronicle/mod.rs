//! The chronicle of a version: what is known about it, beside its bytes in every replica, so that a
//! registry can be made again from any one of them.
//!
//! A chronicle is a file of JSON lines that anyone can read: a heading, a line for every file that
//! the deposit saved, a line for every event, and an end that counts them. The registry itself is
//! only ever filled from a chronicle (`tell`), by an ingest as by a rebuild. So both give the same
//! rows, and there is no second way that could forget something.

mod deletion;
mod lines;
mod names;
mod rebuild;
mod tell;
#[cfg(test)]
mod tests;
mod write;

pub(crate) use deletion::{DeletedFile, DeletionRecord, Person};
pub(crate) use lines::{FORMAT, Heading, PLAIN_FORMAT, Told};
pub(crate) use names::{AGENT, uuid_of};
pub use rebuild::{RebuildError, Rebuilt, rebuild};
pub(crate) use tell::tell;
pub(crate) use write::{Written, write};
