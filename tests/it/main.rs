//! The integration tests, one binary so that linking happens once.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "seeds, counts, and what a child tells its parent")]

// A data directory, time by hand, tiny stages and flows; proves the work state after every step.
mod harness;

// What the work engine does with an item, outcome by outcome.
mod engine;
// The conformance exercise for any stage.
mod exercise;
// The exercise applied: to a sample stage, and to stages that must not pass.
mod stages;

// Seeded schedules of everything at once.
mod sim;
// A child process, really killed.
mod crash;
// The same, and who is to blame for it.
mod suspects;

// Docs that are derived from the program.
mod docs;
// Every stored record has golden bytes.
mod records;
// The rules of the house that a program can check.
mod tidy;

// Bags: read and judged, made, and held against profiles.
mod bag_dart;
mod bag_make;
mod bag_profiles;
mod bags;
// Bags that go to bagit from PyPI and come from there.
mod bag_peer;
mod peer;
// Formats that Siegfried tells as well.
mod format_peer;

// A real S3 server that fails when it is told to.
mod s3;
// Deposits on their way into the vaults.
mod ingest;
// The journal of the registry in the replicas.
mod journal;
// What two people agreed to delete, on its way out of the vaults.
mod deletion;
// What is held, read again and mended.
mod fixity;
// What is held, given back.
mod restore;
// Leased work over recordings, done in the house and elsewhere.
mod researcher;
// What comes in from feeds.
mod curator;
// What the analyst hears and finds, in sounds made here.
mod audio;
mod sound;
// What is known about an object, as PREMIS.
mod premis;
// How much is held, and how far the house has come.
mod reports;

// Assessments of real sites against real layers, and overlays against those of others.
mod assess;
// The same as items: asked for, worked on, told.
mod assessing;
// Their messages from a real server of SQS.
mod sqs;

// Who is let in, and until when.
mod accounts;

// What people are told, and how it reaches them.
mod alerts;

// A whole appliance in this process, and a client that sends exactly what it is told.
mod house;
mod wire;
// Many clients at once, as the bench has them.
#[path = "../bench/crowd.rs"]
mod crowd;
// Starting and stopping it.
mod appliance;
// Pages, API and the doors around them, over the wire.
mod http;
// The same for clients of the described registry.
mod v3;
// Health and metrics, and health in time while every core is busy.
mod health;
// A disk that fills up under it.
mod room;
// The real program, and a data directory to run it on.
mod command;
// What its commands say and how they end.
mod cli;
// Damage of every kind, planted and found.
mod doctor;
// The pages in a real browser.
mod browser;
/// A device that shows codes.
mod device;
