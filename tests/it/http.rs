//! Pages, API and the doors around them, over the wire.

// Coming in: the forms, the cookie, the key.
mod accounts;
// Everything people and programs can do, both ways.
mod actions;
// What people were told, and what they have read.
mod alerts;
// How much a request may bring.
mod bodies;
// The document of the API, tags, and lists in full.
mod contract;
// Many at once.
mod crowded;
// Bags that come in over the wire.
mod deposits;
// Two people, and everybody else who tries.
mod deletions;
// What one person with a token, a session or a mailbox cannot do.
mod one_person;
// Certificates, and what goes over the line.
mod encrypted;
// What is said of them.
mod fates;
// What people save for themselves.
mod filters;
// Checks of what is held.
mod fixity;
// Forms that are not ours.
mod forged;
// Who is let in, and what every answer bears.
mod gate;
// Objects, files and events of bags that were really taken in.
mod holdings;
// Input nobody meant well.
mod hostile;
// Strangers who try passwords.
mod lockout;
// What members of one institution are told of another.
mod members;
// Users, institutions, tokens, second factors and the log, over the wire.
mod people;
// What is not taken over a connection that others can read.
mod plain;
// For whom a request is made, and how often.
mod proxies;
// Settings, storage and schedules.
mod keeping;
// What each role sees first.
mod overview;
// Closed for maintenance, and open again.
mod maintenance;
// A lost file, sent by somebody who has it.
mod replacing;
// Researchers on other machines.
mod research;
// What is held, asked for and given back.
mod restorations;
// Every address for every role.
mod rights;
// The contract, tried by a stranger.
mod schema;
// One field for everything.
mod search;
// Clients that take their time.
mod slow;
// The same with whatever is sent piece by piece.
mod slow_downloads;
// Events and exports: answers that come piece by piece.
mod streams;
// One table over every route.
mod table;
// What waits for disks, and how many may.
mod threads;
