//! The accept loop, over hyper: bounds on connections, on slow and silent clients, a graceful stop.
//!
//! A client is cut off when it takes too long over its headers or between two requests, when it does
//! not read its answers, and when its address has too many connections already. How long a body may
//! take is watched by `gate` and `deposits`, which know what it is for.

mod crowd;
mod patience;
mod tls;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use self::crowd::Crowd;
use self::patience::Patient;
pub use self::tls::Tls;
use crate::config::Network;

/// Largest head of a request, and of what is read ahead of a body.
const HEAD_BYTES: usize = 64 << 10;
/// Most headers of a request.
const HEADERS: usize = 64;
/// The first byte of every encrypted connection.
const HANDSHAKE: [u8; 1] = [0x16];

/// Said to who speaks in the clear where only encrypted connections are taken.
const PLAIN: &[u8] = b"HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n\
    content-length: 74\r\nconnection: close\r\n\r\n\
    This port takes encrypted connections only: use https:// in the address.\r\n";

/// What one listener allows.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at the same time; further ones wait to be accepted.
    pub connections: usize,
    /// Of these, from one address; further ones are closed. Not asked of this machine.
    pub per_address: usize,
    /// How long a client may take to send its headers, and to greet.
    pub header_timeout: Duration,
    /// How long it may take next to nothing of an answer.
    pub answer_idle: Duration,
    /// How long open requests may take to end once asked to stop.
    pub stop_grace: Duration,
}

/// One way in.
pub struct Listening {
    /// Where it is.
    pub listener: TcpListener,
    /// What is behind it.
    pub router: Router,
    /// What it allows.
    pub limits: Limits,
    /// What encrypts, if anything does.
    pub tls: Option<Arc<Tls>>,
    /// Who asks for others, and may have as many connections as there are.
    pub proxies: Vec<Network>,
}

/// What is known of the connection that a request came over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The other end.
    pub(super) peer: IpAddr,
    /// Whether nobody on the way can read along.
    pub(super) encrypted: bool,
    /// Whether both ends are on this machine.
    pub(super) own: bool,
}

/// Serves until `stop` turns true, then lets open requests end.
pub async fn serve(at: Listening, mut stop: watch::Receiver<bool>) -> io::Result<()> {
    let Listening { listener, router, limits, tls, proxies } = at;
    let places = Arc::new(Semaphore::new(limits.connections));
    let crowd = Arc::new(Crowd::default());
    let service = TowerToHyperService::new(router);
    let watching = tls.clone().map(|tls| tokio::spawn(tls.watch()));
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place.map_err(io::Error::other)?,
            () = asked(&mut stop) => break,
        };
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            () = asked(&mut stop) => break,
        };
        let (stream, peer) = match stream {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, mostly: a moment later some are free again.
                tracing::warn!(error = %error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let peer_ip = peer.ip().to_canonical();
        let many = peer_ip.is_loopback() || proxies.iter().any(|it| it.contains(peer_ip));
        let most = if many { limits.connections } else { limits.per_address };
        let Some(guest) = crowd.enter(peer_ip, most) else {
            tracing::debug!(peer = %peer_ip, "too many connections of one address");
            continue;
        };
        let visit = Connection { service: service.clone(), limits, stop: stop.clone() };
        let tls = tls.clone();
        tokio::spawn(async move {
            visit.begin(stream, peer, tls).await;
            drop((place, guest));
        });
    }
    // Who comes now is refused at once, not left waiting at a door that opens no more.
    drop(listener);
    if let Some(watching) = watching {
        watching.abort();
    }
    leave(&places, limits).await;
    Ok(())
}

/// Waits until all have left; those that do not end in time are dropped with the runtime.
async fn leave(places: &Arc<Semaphore>, limits: Limits) -> Option<OwnedSemaphorePermit> {
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let gone = Arc::clone(places).acquire_many_owned(all);
    tokio::time::timeout(limits.stop_grace, gone).await.ok()?.ok()
}

/// Returns when asked to stop; a sender that is gone asks too.
async fn asked(stop: &mut watch::Receiver<bool>) {
    stop.wait_for(|stop| *stop).await.map(drop).ok();
}

/// One connection, and what it needs to be served.
struct Connection {
    service: TowerToHyperService<Router>,
    limits: Limits,
    stop: watch::Receiver<bool>,
}

impl Connection {
    /// Serves in the clear, or encrypted where that is asked for. Commands on the machine itself
    /// speak in the clear: what they say leaves it nowhere.
    async fn begin(self, stream: TcpStream, peer: SocketAddr, tls: Option<Arc<Tls>>) {
        // Small answers should not wait for more; without it they are only a little later.
        stream.set_nodelay(true).ok();
        let patience = self.limits.header_timeout;
        let here = stream.local_addr().map(|own| own.ip().to_canonical());
        let peer = peer.ip().to_canonical();
        let own = peer.is_loopback() || here.is_ok_and(|here| here == peer);
        let Some(tls) = tls else {
            let stream = Patient::new(stream, self.limits.answer_idle);
            return self.serve(stream, Line { peer, encrypted: false, own }).await;
        };
        let mut first = [0];
        let greeted = tokio::time::timeout(patience, stream.peek(&mut first)).await;
        let stream = Patient::new(stream, self.limits.answer_idle);
        match greeted {
            Ok(Ok(1)) if first == HANDSHAKE => {
                match tokio::time::timeout(patience, tls.acceptor().accept(stream)).await {
                    Ok(Ok(stream)) => self.serve(stream, Line { peer, encrypted: true, own }).await,
                    Ok(Err(error)) => tracing::debug!(error = %error, "no handshake"),
                    Err(_) => tracing::debug!("a handshake took too long"),
                }
            }
            Ok(Ok(1)) if own => self.serve(stream, Line { peer, encrypted: false, own }).await,
            Ok(Ok(1)) => turn_away(stream, patience).await,
            Ok(Ok(_) | Err(_)) | Err(_) => tracing::debug!("a client did not greet"),
        }
    }

    async fn serve(mut self, stream: impl AsyncRead + AsyncWrite + Unpin, line: Line) {
        let service = self.service;
        let marked = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(line);
            service.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.header_timeout)
            .max_headers(HEADERS)
            .max_buf_size(HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), marked);
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = asked(&mut self.stop) => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(error = %error, "a connection ended early");
        }
    }
}

/// Says where to go instead. Some of what was sent is read first: a connection that is closed over
/// unread bytes may lose the answer.
async fn turn_away(mut stream: impl AsyncRead + AsyncWrite + Unpin, patience: Duration) {
    let told = async {
        let mut head = [0; 4096];
        let read = stream.read(&mut head).await?;
        tracing::debug!(read, "a client spoke in the clear");
        stream.write_all(PLAIN).await?;
        stream.shutdown().await
    };
    // Who does not wait for the answer does not need it.
    tokio::time::timeout(patience, told).await.ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_speaks_in_the_clear_hears_a_whole_answer() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let answer = runtime.block_on(async {
            let (ours, mut theirs) = tokio::io::duplex(4096);
            theirs.write_all(b"GET / HTTP/1.1\r\nhost: a.example\r\n\r\n").await.unwrap();
            turn_away(ours, Duration::from_secs(10)).await;
            let mut answer = String::new();
            theirs.read_to_string(&mut answer).await.unwrap();
            answer
        });
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{head}");
        assert!(body.contains("https://"), "{body}");
    }
}
