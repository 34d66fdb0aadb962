//! The integration tests, one binary so that linking happens once.

// A data directory, time by hand, tiny stages and flows; proves the work state after every step.
mod harness;

// What the work engine does with an item, outcome by outcome.
mod engine;
// The conformance exercise for any stage.
//mod exercise;
// The exercise applied: to a sample stage, and to stages that must not pass.
//mod stages;

// Seeded schedules of everything at once.
//mod sim;
// A child process, really killed.
//mod crash;

// The rules of the house that a program can check.
//mod tidy;
