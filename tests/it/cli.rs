//! The command line, on a directory that nobody serves and on one that is served.

// What people were told, and what they have read.
mod alerts;
// Bags: judged, and made.
mod bags;
mod bags_made;
// What each command says and how it ends.
mod commands;
mod demo;
// Deposits, and what is held.
mod holdings;
// Checks of what is held.
mod fixity;
// Catalogues of episodes and clips.
mod research;
// What is held, given back.
mod restoring;
// Formats: signatures put in use, and files identified.
mod formats;
mod identify;
// Closed for maintenance, and open again.
mod maintenance;
// People: added, shut out, and two of them deleting.
mod people;
// What cannot run: one sentence, exit 2, nothing changed.
mod private;
mod refusals;
// The wish to stop.
mod signals;
