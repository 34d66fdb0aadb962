//! Keeps a message from being handed out again while somebody works on it.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use super::queue::{Message, Queue};

/// Does the work on a thread of its own, and meanwhile sets the visibility time of the message anew
/// every so often. `beat` is called as often, as a sign of life. A panic of the work is an error, and
/// its words are in the log already. A renewal that fails is told in the log: the work goes on, and the
/// worst that follows is that the message comes again.
pub fn while_held<T: Send>(
    queue: &Queue,
    message: &Message,
    every: Duration,
    beat: impl Fn(),
    work: impl FnOnce() -> T + Send,
) -> std::thread::Result<T> {
    std::thread::scope(|scope| {
        let (ended, ending) = mpsc::channel::<()>();
        let working = scope.spawn(move || {
            // Dropped at its end, also by a panic: that ends the wait below.
            let _ended = ended;
            work()
        });
        while ending.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
            beat();
            if let Err(error) = queue.keep_for(message, queue.visibility()) {
                let id = message.id.as_str();
                tracing::error!(error = %error, id, "a message from SQS could not be kept longer");
            }
        }
        working.join()
    })
}
