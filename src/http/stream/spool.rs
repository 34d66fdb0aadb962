//! Exports that one call writes from start to end: they go to a nameless file in the staging folder
//! as fast as they can be made, and from there to the client as fast as it reads.
//!
//! So a slow client holds neither a thread nor a connection to the registry, and what it gets is of
//! one state. Only a few exports are made at once: pages read the registry by the same connections.
//! The disk space of all such files together is bounded, and a full disk ends an export.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use byteio::read_at::ReadAt;
use futures_util::stream;
use tokio::sync::{Semaphore, watch};
use web::parts::human_size;

use super::{CHUNK, Outgoing};
use crate::desk::{Desk, DeskError};
use crate::http::Visit;
use crate::http::refusal::Refusal;

/// Exports that are made at once. The registry has four connections to read by.
const MADE_AT_ONCE: usize = 2;
/// Bytes gathered before they are written.
const GATHERED: usize = 64 << 10;

/// What all exports share.
pub(in crate::http) struct Spools {
    /// Turns to be made.
    turns: Arc<Semaphore>,
    /// Bytes on disk now, and at most.
    used: Arc<AtomicU64>,
    most: u64,
}

impl Spools {
    pub(in crate::http) fn new(most: u64) -> Spools {
        let turns = Arc::new(Semaphore::new(MADE_AT_ONCE));
        Spools { turns, used: Arc::default(), most }
    }
}

/// The file of one export. Its space is free again when the last who has it is gone.
struct Spooled {
    file: File,
    used: Arc<AtomicU64>,
    bytes: AtomicU64,
}

impl Drop for Spooled {
    fn drop(&mut self) {
        self.used.fetch_sub(self.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// How far an export is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Made {
    /// So many bytes are in the file, and more come.
    UpTo(u64),
    /// So many are all.
    All(u64),
    /// It could not be made to its end.
    Failed,
}

impl Outgoing {
    /// Sends what `write` writes. What fails before the first bytes are ready is refused; what fails
    /// later ends the connection, and is named `what` in the log.
    pub(in crate::http) async fn spooled(
        self,
        what: String,
        write: impl FnOnce(Desk<'_>, &mut dyn Write) -> Result<(), DeskError> + Send + 'static,
    ) -> Result<Body, Refusal> {
        let spools = Arc::clone(&self.visit.site.spools);
        let turn = Arc::clone(&spools.turns).acquire_owned().await;
        let turn = turn.map_err(|_| Refusal::mistake())?;
        let (tell, mut made) = watch::channel(Made::UpTo(0));
        let visit = self.visit.clone();
        let file = visit.aside(|visit| Ok(nameless(visit).map_err(DeskError::Write)?)).await?;
        let used = Arc::clone(&spools.used);
        let spooled = Arc::new(Spooled { file, used, bytes: AtomicU64::new(0) });
        let kept = Arc::clone(&spooled);
        let making = tokio::task::spawn_blocking(move || {
            let gathered = Vec::with_capacity(GATHERED);
            let asking = visit.clone();
            let mut writer = Writer { spooled: kept, tell, gathered, visit, full: None };
            let written = write(asking.desk(), &mut writer);
            let written = written.and_then(|()| Ok(writer.flush()?));
            drop(turn);
            writer.end(&what, written)
        });
        let first = made.wait_for(|made| *made != Made::UpTo(0)).await.map(|made| *made);
        match first {
            Ok(Made::UpTo(_) | Made::All(_)) => Ok(follow(self, spooled, made)),
            // Without a word about its end it ended by a panic.
            Ok(Made::Failed) | Err(_) => Err(match making.await {
                Ok(Err(refusal)) => refusal,
                Ok(Ok(())) | Err(_) => Refusal::mistake(),
            }),
        }
    }
}

/// Sends what is in the file, waiting for more until all is there.
fn follow(outgoing: Outgoing, spooled: Arc<Spooled>, made: watch::Receiver<Made>) -> Body {
    let start = Some((outgoing, spooled, made, 0_u64));
    Body::from_stream(stream::unfold(start, |state| async move {
        let (outgoing, spooled, mut made, at) = state?;
        let there = made.wait_for(|made| match made {
            Made::UpTo(count) => *count > at,
            Made::All(_) | Made::Failed => true,
        });
        let there = there.await.map(|made| *made).unwrap_or(Made::Failed);
        let end = match there {
            Made::UpTo(count) | Made::All(count) => count,
            Made::Failed => return Some((Err(io::ErrorKind::BrokenPipe.into()), None)),
        };
        let wanted = usize::try_from(end - at).unwrap_or(CHUNK).min(CHUNK);
        if wanted == 0 {
            return None;
        }
        let file = Arc::clone(&spooled);
        let reading = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; wanted];
            let count = file.file.fill_at(&mut piece, at)?;
            piece.truncate(count);
            Ok::<_, io::Error>(piece)
        });
        let piece = match reading.await {
            Ok(Ok(piece)) if piece.is_empty() => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(piece) => piece,
            Err(error) => Err(io::Error::other(error)),
        };
        match piece {
            Ok(piece) => {
                let at = at + piece.len() as u64;
                Some((Ok(Bytes::from(piece)), Some((outgoing, spooled, made, at))))
            }
            Err(error) => Some((Err(error), None)),
        }
    }))
}

/// A file without a name in the staging folder: gone with whoever has it open.
fn nameless(visit: &Visit) -> io::Result<File> {
    let folder = visit.config.staging();
    byteio::durable::create_folder(&folder)?;
    tempfile::tempfile_in(folder)
}

/// Why there is no room for more of an export.
#[derive(Clone, Copy, Debug)]
enum Full {
    /// All exports together have what they may have.
    Exports(u64),
    /// The disk is nearly full.
    Disk,
}

/// Writes into the file, and tells how far it is.
struct Writer {
    spooled: Arc<Spooled>,
    tell: watch::Sender<Made>,
    gathered: Vec<u8>,
    visit: Visit,
    full: Option<Full>,
}

impl Writer {
    fn written(&self) -> u64 {
        self.spooled.bytes.load(Ordering::Relaxed)
    }

    /// Tells the end, good or bad.
    fn end(self, what: &str, written: Result<(), DeskError>) -> Result<(), Refusal> {
        let Err(error) = written else {
            self.tell.send_replace(Made::All(self.written()));
            return Ok(());
        };
        // Nobody needs to know of what nobody reads any more.
        if !self.tell.is_closed() {
            tracing::warn!(what, error = %error, "an export did not reach its end");
        }
        self.tell.send_replace(Made::Failed);
        // Whoever wrote may call the failure of the file something else.
        Err(self.full.map_or_else(|| error.into(), no_room))
    }

    /// Takes disk space for so many more bytes.
    fn reserve(&mut self, count: u64) -> io::Result<()> {
        let most = self.visit.site.spools.most;
        let used = self.spooled.used.fetch_add(count, Ordering::Relaxed) + count;
        self.spooled.bytes.fetch_add(count, Ordering::Relaxed);
        if used > most {
            self.full = Some(Full::Exports(most));
        } else if !self.visit.shop.room.is_open() {
            self.full = Some(Full::Disk);
        }
        if self.full.is_some() { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.gathered.extend_from_slice(bytes);
        if self.gathered.len() >= GATHERED {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gathered.is_empty() {
            return Ok(());
        }
        // The client has gone: what is still to be made is for nobody.
        if self.tell.is_closed() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let gathered = std::mem::take(&mut self.gathered);
        self.reserve(gathered.len() as u64)?;
        (&self.spooled.file).write_all(&gathered)?;
        self.tell.send_replace(Made::UpTo(self.written()));
        Ok(())
    }
}

fn no_room(full: Full) -> Refusal {
    let sentence = match full {
        Full::Exports(most) => format!(
            "The exports that are being read take {} of disk space already, or this one alone \
             would: that is all they may have (http.export_spool_mb). Nothing was exported.",
            human_size(most)
        ),
        Full::Disk => "The disk of the data directory is nearly full, and an export needs \
            space on it while it is read. Nothing was exported."
            .to_owned(),
    };
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "no-room-for-export", sentence).next(
        "Ask again when other exports have ended; an operator can make more space, or export with \
         the command while the appliance is stopped.",
    )
}
