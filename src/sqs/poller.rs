//! The thread that asks SQS for messages.
//!
//! It holds the application only while it has something to do with it: a stop does not wait for the end
//! of a long poll, and finds the data directory let go of all the same.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use storage::clock::Clock;

use super::errors::QueueError;
use super::held::while_held;
use super::queue::{Message, Queue, QueueSettings};
use crate::alerts::{message_rejected, messages_stopped, raise};
use crate::app::App;
use crate::desk::{DeskError, SiteForm};
use crate::work::Status;

/// How long a message is expected to take at most until it is durable here.
const EXPECTED: Duration = Duration::from_secs(300);

/// How often a stop looks whether the thread holds anything.
const LOOK: Duration = Duration::from_millis(10);

/// The thread, to be stopped.
pub struct Poller {
    thread: JoinHandle<()>,
    gate: Arc<Gate>,
}

/// What the thread and whoever stops it know of one another.
#[derive(Default)]
struct Gate {
    /// The thread waits for SQS and holds nothing of ours.
    is_polling: AtomicBool,
    /// The thread must not take hold of the application again.
    is_closed: AtomicBool,
}

impl Poller {
    /// Lets a message that is being kept be kept, and returns when the thread holds nothing of ours any
    /// more. A poll that is under way is left to end by itself. False where that took longer than this.
    pub fn stop(self, clock: &dyn Clock, patience: Duration) -> bool {
        let deadline = clock.steady() + patience;
        self.gate.is_closed.store(true, Ordering::SeqCst);
        loop {
            let is_polling = self.gate.is_polling.load(Ordering::SeqCst);
            if is_polling || self.thread.is_finished() {
                return true;
            }
            if clock.steady() >= deadline {
                return false;
            }
            std::thread::park_timeout(LOOK);
        }
    }
}

/// Shows that the thread has ended by a mistake in the program.
struct Watch(Weak<App>);

impl Drop for Watch {
    fn drop(&mut self) {
        if std::thread::panicking()
            && let Some(app) = self.0.upgrade()
        {
            app.messages.set(Status::Error);
        }
    }
}

/// What comes after a step.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// The next message.
    On,
    /// The same after a pause.
    Later,
    /// Nothing: the program is stopped, or a person has to change something.
    End,
}

/// Starts the thread where a queue is configured.
pub fn start(app: &Arc<App>) -> io::Result<Option<Poller>> {
    let Some(settings) = QueueSettings::of(&app.config) else { return Ok(None) };
    app.messages.light(app.shop.clock.steady());
    let (weak, gate) = (Arc::downgrade(app), Arc::new(Gate::default()));
    let ours = Arc::clone(&gate);
    let thread = std::thread::Builder::new().name("sqs".into()).spawn(move || {
        let _watch = Watch(Weak::clone(&weak));
        let queue = open(&weak, settings);
        while let Some(queue) = &queue {
            match step(&weak, &ours, queue) {
                Next::On => {}
                Next::Later => {
                    if !rest(&weak) {
                        return;
                    }
                }
                Next::End => return,
            }
        }
    })?;
    Ok(Some(Poller { thread, gate }))
}

/// Opens the queue; again after a pause where that fails, because a file of keys may come later.
fn open(weak: &Weak<App>, settings: QueueSettings) -> Option<Queue> {
    loop {
        match Queue::open(settings.clone()) {
            Ok(queue) => return Some(queue),
            Err(error) => {
                let error = byteio::causes::chain(&error);
                tracing::warn!(error, "the queue of SQS cannot be used yet");
            }
        }
        if !rest(weak) {
            return None;
        }
    }
}

/// Waits before another try; false when the program is stopped.
fn rest(weak: &Weak<App>) -> bool {
    let Some(app) = weak.upgrade() else { return false };
    app.messages.beat(app.shop.clock.steady());
    if app.shop.stop.rest(app.config.sqs.pause) {
        app.messages.set(Status::Stopped);
        return false;
    }
    true
}

/// Asks for one message and sees to it.
fn step(weak: &Weak<App>, gate: &Gate, queue: &Queue) -> Next {
    {
        let Some(app) = weak.upgrade() else { return Next::End };
        app.messages.beat(app.shop.clock.steady());
        // What could not be kept here is better kept there. A stop is seen in the pause.
        if !app.shop.takes_work() {
            return Next::Later;
        }
    }
    gate.is_polling.store(true, Ordering::SeqCst);
    let received = queue.receive();
    gate.is_polling.store(false, Ordering::SeqCst);
    // Asked after the line above: whoever closes the gate either sees that we poll no more, and waits, or
    // we see that it is closed.
    let app = match gate.is_closed.load(Ordering::SeqCst) {
        true => None,
        false => weak.upgrade(),
    };
    let Some(app) = app.filter(|app| !app.shop.stop.asked()) else {
        give_back(queue, received);
        return Next::End;
    };
    app.messages.beat(app.shop.clock.steady());
    match received {
        Ok(message) => {
            app.messages.set_ready();
            message.map_or(Next::On, |message| see_to(&app, queue, &message))
        }
        Err(error) => after(&app, queue, &error),
    }
}

/// Gives back a message that came while the program was stopped, so that nobody waits for it.
fn give_back(queue: &Queue, received: Result<Option<Message>, QueueError>) {
    if let Ok(Some(message)) = received
        && let Err(error) = queue.keep_for(&message, Duration::ZERO)
    {
        tracing::warn!(error = %error, id = message.id, "a message could not be given back to SQS");
    }
}

/// Keeps a message here, and removes it there.
fn see_to(app: &App, queue: &Queue, message: &Message) -> Next {
    // Its body is nobody's business: it holds boundaries and addresses.
    let id = message.id.as_str();
    tracing::info!(id, "a message from SQS");
    let clock = &app.shop.clock;
    app.messages.begin(EXPECTED, clock.steady());
    let every = renewal(queue.visibility());
    let beat = || app.messages.beat(clock.steady());
    let kept = while_held(queue, message, every, beat, || {
        app.desk().assess_message(message.body.as_bytes(), &SiteForm::default())
    });
    let next = match kept {
        Ok(Ok(asked)) => {
            tracing::info!(id, assessment = %asked.id, joined = asked.joined, "it is kept");
            match queue.remove(message) {
                Ok(()) => Next::On,
                Err(QueueError::StaleReceipt(said)) => {
                    tracing::warn!(id, said, "it was handed out again or removed by another");
                    Next::On
                }
                Err(error) => after(app, queue, &error),
            }
        }
        Ok(Err(error)) => not_kept(app, queue, message, &error),
        Err(_) => {
            tracing::error!(id, "a mistake in the program: the message stays in SQS");
            Next::Later
        }
    };
    app.messages.end(clock.steady());
    next
}

/// When a message is renewed: early enough that one renewal that fails can be repeated before another
/// asker is given the message.
fn renewal(visibility: Duration) -> Duration {
    visibility / 3
}

/// A message that is not kept stays in SQS, which hands it out again.
fn not_kept(app: &App, queue: &Queue, message: &Message, error: &DeskError) -> Next {
    let (id, why) = (message.id.as_str(), byteio::causes::chain(error));
    if !matches!(error, DeskError::BadSite(_)) {
        tracing::warn!(id, why, "a message could not be kept; it stays in SQS");
        return Next::Later;
    }
    tracing::warn!(id, why, "a message was rejected; it stays in SQS");
    if let Err(error) = raise(app, &message_rejected(queue.name(), id, &why)) {
        tracing::error!(error = %error, "an alert about a message could not be raised");
    }
    Next::On
}

/// What follows from a refusal of SQS.
fn after(app: &App, queue: &Queue, error: &QueueError) -> Next {
    let QueueError::Fatal { .. } = error else {
        tracing::warn!(error = %error, queue = queue.name(), "SQS is asked again in a moment");
        return Next::Later;
    };
    app.messages.set(Status::Error);
    let why = error.to_string();
    tracing::error!(why, queue = queue.name(), "no more messages are taken from SQS");
    let alert = messages_stopped(queue.name(), &why, app.shop.clock.now());
    if let Err(error) = raise(app, &alert) {
        tracing::error!(error = %error, "an alert about SQS could not be raised");
    }
    Next::End
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_renewed_well_before_it_is_given_to_another() {
        // The least that can be configured, the default, and the most.
        for seconds in [30, 300, 43_200] {
            let visibility = Duration::from_secs(seconds);
            assert!(renewal(visibility) * 2 < visibility, "{seconds} s");
        }
    }
}
