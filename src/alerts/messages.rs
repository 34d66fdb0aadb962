//! What is told of messages from SQS: that one was rejected, that no more are taken.

use storage::clock::Timestamp;
use storage::registry::NewAlert;

use super::kind::Kind;
use super::raise::{line, sentence};

/// A message does not hold what can be assessed. Told once for each message, however often it comes.
pub fn message_rejected(queue: &str, id: &str, why: &str) -> NewAlert {
    let (queue, id) = (line(queue), line(id));
    let content = format!(
        "Message {id} of queue {queue} was rejected: {}.\n\nIt is still in SQS, which hands it out \
         again and moves it to its dead letters if the queue has any. Nothing was kept of it here.\n\n\
         Have its sender correct it and send it again, and remove this one from the queue or from its \
         dead letters.",
        sentence(why).trim_end_matches('.'),
    );
    NewAlert {
        name: format!("message-rejected/{id}"),
        kind: Kind::MessageRejected.word().into(),
        subject: format!("Message from SQS rejected: {id}"),
        content,
        ..NewAlert::default()
    }
}

/// SQS refuses for a reason that no waiting repairs.
pub fn messages_stopped(queue: &str, why: &str, now: Timestamp) -> NewAlert {
    let queue = line(queue);
    let content = format!(
        "No more messages are taken from queue {queue} since {}. {}.\n\nWhat was taken before is kept \
         and goes on. What is in the queue stays there.\n\nCorrect the queue, its permissions or the \
         keys (section [sqs]), then restart the program.",
        now.to_minute(),
        sentence(why).trim_end_matches('.'),
    );
    NewAlert {
        name: format!("messages-stopped/{queue}/{now}"),
        kind: Kind::MessagesStopped.word().into(),
        subject: format!("No more messages from SQS: {queue}"),
        content,
        ..NewAlert::default()
    }
}
