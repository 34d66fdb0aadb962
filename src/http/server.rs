//! The accept loop, over hyper: a bound on connections, a bound on slow headers, a graceful stop.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

/// What one listener allows.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at the same time; further ones wait to be accepted.
    pub connections: usize,
    /// How long a client may take to send its headers.
    pub header_timeout: Duration,
    /// How long open requests may take to end once asked to stop.
    pub stop_grace: Duration,
}

/// Serves until `stop` turns true, then lets open requests end.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections));
    let service = TowerToHyperService::new(router);
    loop {
        let place = tokio::select! {
            place = Arc::clone(&places).acquire_owned() => place.map_err(io::Error::other)?,
            () = asked(&mut stop) => break,
        };
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            () = asked(&mut stop) => break,
        };
        match stream {
            Ok((stream, _)) => {
                let (service, stop) = (service.clone(), stop.clone());
                tokio::spawn(async move {
                    connection(stream, service, limits, stop).await;
                    drop(place);
                });
            }
            Err(error) => {
                // Out of file descriptors, mostly: a moment later some are free again.
                tracing::warn!(error = %error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    // Who comes now is refused at once, not left waiting at a door that opens no more.
    drop(listener);
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    // Those that do not end in time are dropped with the runtime.
    tokio::time::timeout(limits.stop_grace, places.acquire_many(all)).await.ok();
    Ok(())
}

/// Returns when asked to stop; a sender that is gone asks too.
async fn asked(stop: &mut watch::Receiver<bool>) {
    stop.wait_for(|stop| *stop).await.map(drop).ok();
}

async fn connection(
    stream: TcpStream,
    service: TowerToHyperService<Router>,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) {
    // Small answers should not wait for more; without it they are only a little later.
    stream.set_nodelay(true).ok();
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_headers(64)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = asked(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = %error, "a connection ended early");
    }
}
