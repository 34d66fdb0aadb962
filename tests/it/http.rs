//! Pages, API and the doors around them, over the wire.

// Everything people and programs can do, both ways.
mod actions;
// Bags that come in over the wire.
mod deposits;
// What is said of them.
mod fates;
// Checks of what is held.
mod fixity;
// Who is let in, and what every answer bears.
mod gate;
// Objects, files and events of bags that were really taken in.
mod holdings;
// Input nobody meant well.
mod hostile;
// Events and exports: answers that come piece by piece.
mod streams;
// One table over every route.
mod table;
