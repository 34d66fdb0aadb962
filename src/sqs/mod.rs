//! Job messages from a queue of Amazon SQS, for those who come from the described service.
//!
//! `queue` speaks with SQS, `errors` says which of its refusals are final, `poller` is the thread that
//! asks for one message at a time, hands it to the desk and removes it when it is kept here. While it is
//! worked on, `held` keeps it from being handed out again.
//!
//! Promise: a message is removed from SQS only when it is durable here. Should we die between the two it
//! comes again, and finds the assessment that it asked for. What the desk rejects is not removed: SQS
//! hands it out again and moves it to its dead letters. Nothing else depends on this: without
//! `sqs.queue` there is no thread, and a thread that has ended stops nothing but itself.

mod errors;
mod held;
mod poller;
mod queue;

pub use errors::QueueError;
pub use held::while_held;
pub use poller::{Poller, start};
pub use queue::{Message, Queue, QueueSettings};
