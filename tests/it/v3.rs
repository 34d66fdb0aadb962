//! The described registry's API: a client written from its description, who may what, and what is
//! done for those who ask.

// A program in Python that knows nothing but the description.
mod client;
// A house with three institutions, their people, and something of every kind.
mod furnished;
// Every role, its own and others' things, every address.
mod roles;
// Restorations, deletions, items put back, and what is refused.
mod wishes;
