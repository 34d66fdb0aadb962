//! The work engine: it walks every item of every flow through the same ten steps.
//!
//! 1. **claim** the next item of a topic, with a lease (`foreman.rs`, `storage::work::queue`)
//! 2. **look up** what it is about: the claim brings the record along
//! 3. **decide to skip**: the stage's `admit` says run, later or drop, and why (`attempt.rs`)
//! 4. **mark started**: the claim counted the attempt durably, the board shows it (`board.rs`)
//! 5. **heartbeat** at every checkpoint, which also asks whether to stop (`job.rs`)
//! 6. **load interim state**: the item's dossier (`job.rs`)
//! 7. **run** the stage, catching panics (`attempt.rs`)
//! 8. **classify** the result: outcome, fault or finding (`fault.rs`, `decide.rs`)
//! 9. **settle**: one durable transaction says what became of it (`storage::work::queue`)
//! 10. **pass on**: the settlement put it in the next topic's line and rang the bell
//!
//! The engine knows no stage, no HTTP and nothing of the application but its type `C`, which it
//! hands through. So it is tested with tiny stages of the tests' own.

mod attempt;
mod backoff;
mod beacon;
mod board;
mod chart;
mod control;
mod decide;
mod foreman;
mod job;
mod pools;
mod room;
mod stage;
mod stop;
mod sweep;
mod workshop;

pub use backoff::Backoff;
pub use beacon::Beacon;
pub use board::{Board, Running, SlotReading, StageReading, Status};
pub use chart::{Chart, FlowChart, StageChart};
pub use control::{Controls, Refused, Requeued};
pub use decide::{Tried, decide};
pub use foreman::{Crew, Foreman, Step};
pub use job::Job;
pub use pools::{Pool, Pools};
pub use room::Room;
pub use stage::{About, Admit, Aftermath, Done, Flow, OnStop, Policy, Stage};
pub use stop::Stop;
pub use sweep::{Sweep, Sweeper, Swept};
pub use workshop::Workshop;
