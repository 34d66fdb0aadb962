//! Tests of what is promised in the README, through the public face of the crate.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::print_stdout,
    reason = "seeds, reasons for skipping, and acknowledgements of a child"
)]

/// Every kind of damage that the check knows: found, named, mended.
mod check;
/// What the queue, the dossier, leases and schedules do, one behaviour a test.
mod conformance;
/// A look at the disk at every durable point, and at files that end in the middle.
mod crash;
/// Directories that are damaged, newer, someone else's or in use.
mod damage;
/// Out as JSON lines and in again.
mod export;
/// A disk with no room left.
mod full_disk;
/// Bytes on disk of every record, for ever.
mod golden;
/// What is held: deposits, files, copies, events.
mod holdings;
/// A process that is really killed, over and over.
mod kill;
/// Random operations, restarts and clock jumps against a plain map.
mod model;
/// Who may come in, and the log of who did what.
mod people;
/// The registry room: filters against a model, migrations, snapshots.
mod registry;
mod research;
/// What the other modules open their work state with.
mod room;
