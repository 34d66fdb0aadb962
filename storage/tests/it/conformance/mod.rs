//! What the work room does, one behaviour a test.

/// People at the controls: pause, empty, requeue, cancel.
mod control;
/// Many threads at once.
mod crowd;
/// Interim state of items.
mod dossier;
/// Leases over sets of keys.
mod key_lease;
/// Who may write, and for how long.
mod lease;
/// Who is next.
mod order;
/// The end of a process and the beginning of the next.
mod restart;
/// Sweeps and how long things take.
mod schedule;
/// The ends of an attempt.
mod settle;
/// Who is tried alone.
mod suspect;
