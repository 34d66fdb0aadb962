//! What the work engine does with an item, with tiny stages of the tests' own.

// How an attempt can end, and what becomes of the item.
mod outcomes;
// Attempts that end without a word: crashes, hangs, overtaken workers.
mod leases;
// What people do: cancel, requeue, pause, empty.
mod people;
// What stages tell, what is learned from them, what an operator can change.
mod telling;
// Real threads.
mod crew;
// Periodic looks.
mod sweeps;
