//! An export as it is made: a thread that may wait writes, the client reads, memory stays flat.

use std::io::{self, Write};

use axum::body::{Body, Bytes};
use futures_util::stream;
use tokio::sync::mpsc;

use super::Visit;
use crate::desk::{Desk, DeskError};

/// Bytes gathered before they are sent.
const CHUNK: usize = 64 << 10;

/// What `write` writes; `what` names it in the log. An export that fails midway ends the connection
/// without its end, so that a client sees that it is not whole.
pub(super) fn body(
    visit: &Visit,
    what: String,
    write: impl FnOnce(Desk<'_>, &mut dyn Write) -> Result<(), DeskError> + Send + 'static,
) -> Body {
    let (send, receive) = mpsc::channel::<io::Result<Bytes>>(4);
    let visit = visit.clone();
    tokio::task::spawn_blocking(move || {
        let mut pipe = Pipe { send, gathered: Vec::with_capacity(CHUNK) };
        let written = write(visit.desk(), &mut pipe);
        let ended = written.map_err(io::Error::other).and_then(|()| pipe.flush());
        if let Err(error) = ended {
            tracing::warn!(what, error = %error, "an export did not reach its end");
            // The client is gone already when even this cannot be sent.
            pipe.send.blocking_send(Err(error)).ok();
        }
    });
    Body::from_stream(stream::unfold(receive, |mut receive| async move {
        receive.recv().await.map(|chunk| (chunk, receive))
    }))
}

struct Pipe {
    send: mpsc::Sender<io::Result<Bytes>>,
    gathered: Vec<u8>,
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= CHUNK {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        let chunk = std::mem::replace(&mut self.gathered, Vec::with_capacity(CHUNK));
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.send.blocking_send(Ok(chunk.into())).map_err(gone)
    }
}
