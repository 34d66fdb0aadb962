//! Answers that are sent piece by piece: downloads, recordings, lists in full, exports.
//!
//! No thread waits for a client. A piece is read on a thread of the pool when the client has taken
//! the one before, and the thread is free again as soon as it is read. What cannot be read in pieces
//! is written to a nameless file first (`spool`) and read from there. How many answers one user and
//! one address may have under way is bounded (`places`).

mod places;
mod spool;

use std::io::{self, Read};

use axum::body::{Body, Bytes};
use futures_util::stream;

use self::places::Place;
pub(super) use self::places::Places;
pub(super) use self::spool::Spools;
use super::Visit;
use super::refusal::Refusal;
use crate::desk::{Desk, DeskError};

/// Bytes of a file that are read at a time.
const CHUNK: usize = 256 << 10;

/// An answer that is about to be sent piece by piece. It counts for its user and address until it is
/// sent or given up.
pub(super) struct Outgoing {
    visit: Visit,
    _place: Place,
}

impl Outgoing {
    /// Begins an answer, unless the user or the address has too many under way.
    pub(super) fn begin(visit: &Visit) -> Result<Outgoing, Refusal> {
        let user = visit.user().map(|user| user.id);
        let address = visit.origin.address.parse().ok();
        let place = visit.site.places.take(user, address)?;
        Ok(Outgoing { visit: visit.clone(), _place: place })
    }

    /// Sends what `read` appends, call by call, until it appends nothing. Each call runs on a thread
    /// that may wait for disks, and reads no more than memory has room for. `what` names it in the
    /// log. An answer that fails midway ends its connection without its end, so that the client sees
    /// that it is not whole.
    pub(super) fn pieces(
        self,
        what: String,
        read: impl FnMut(Desk<'_>, &mut Vec<u8>) -> Result<(), DeskError> + Send + 'static,
    ) -> Body {
        let start = Some((self, what, read));
        Body::from_stream(stream::unfold(start, |state| async move {
            let (outgoing, what, mut read) = state?;
            let reading = tokio::task::spawn_blocking(move || {
                let mut piece = Vec::new();
                let done = read(outgoing.visit.desk(), &mut piece);
                (outgoing, what, read, done.map(|()| piece))
            });
            match reading.await {
                Ok((.., Ok(piece))) if piece.is_empty() => None,
                Ok((outgoing, what, read, Ok(piece))) => {
                    Some((Ok(Bytes::from(piece)), Some((outgoing, what, read))))
                }
                Ok((_, what, _, Err(error))) => {
                    tracing::warn!(what, error = %error, "an answer did not reach its end");
                    Some((Err(io::Error::other(error)), None))
                }
                Err(error) => {
                    tracing::error!(error = %error, "an answer ended by a mistake in the program");
                    Some((Err(io::Error::other(error)), None))
                }
            }
        }))
    }

    /// Sends so many bytes of a file. One that has become shorter ends the connection.
    pub(super) fn bytes(
        self,
        what: String,
        mut reader: impl Read + Send + 'static,
        length: u64,
    ) -> Body {
        let mut left = length;
        self.pieces(what, move |_, piece| {
            let wanted = left.min(CHUNK as u64);
            let count = reader.by_ref().take(wanted).read_to_end(piece)? as u64;
            if count < wanted {
                return Err(DeskError::Write(io::ErrorKind::UnexpectedEof.into()));
            }
            left -= count;
            Ok(())
        })
    }
}
