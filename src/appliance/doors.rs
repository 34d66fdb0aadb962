//! The ways in: addresses that are listened on, encrypted or not.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::StartError;
use crate::app::App;
use crate::config::HttpConfig;
use crate::http::{Gate, Limits, Listening, Router, Site, Tls, health_only, routes, serve};

/// How long open requests may take to end at a stop.
const GRACE: Duration = Duration::from_secs(5);

/// A server that runs until it is asked to stop.
pub(super) type Server = tokio::task::JoinHandle<io::Result<()>>;

/// The addresses, taken but not served yet.
pub(super) struct Doors {
    front: TcpListener,
    health: Option<TcpListener>,
}

impl Doors {
    /// Takes the addresses: when one is taken already, nothing has been opened or made.
    pub(super) fn take(http: &HttpConfig, health: Option<u16>) -> Result<Doors, StartError> {
        let front = listen(http.listen, "--listen or http.listen")?;
        // On the same interface: what is closed to the network stays so.
        let at = |port| SocketAddr::new(http.listen.ip(), port);
        let health = health.map(|port| listen(at(port), "health.port")).transpose()?;
        Ok(Doors { front, health })
    }

    pub(super) fn address(&self) -> io::Result<SocketAddr> {
        self.front.local_addr()
    }

    pub(super) fn health_address(&self) -> io::Result<Option<SocketAddr>> {
        self.health.as_ref().map(TcpListener::local_addr).transpose()
    }

    /// Lets people in. Health alone is served in the clear: it tells nothing.
    pub(super) fn open(
        self,
        runtime: &Runtime,
        (app, tls): (&Arc<App>, Option<Tls>),
        key: &str,
        stopping: &watch::Receiver<bool>,
    ) -> io::Result<Vec<Server>> {
        let http = &app.config.http;
        // Who shows a certificate for a name is not fooled by a name server.
        let any_host = http.open_to_network || tls.is_some();
        let gate = Gate::new(names(http), any_host, key.to_owned());
        let site = Site::new(Arc::clone(app), gate);
        let opening = Opening { runtime, http, stopping };
        let front = opening.open(self.front, routes(site.clone()), tls.map(Arc::new))?;
        let mut servers = vec![front];
        if let Some(health) = self.health {
            servers.push(opening.open(health, health_only(site), None)?);
        }
        Ok(servers)
    }
}

/// The names people call this appliance by.
fn names(http: &HttpConfig) -> Vec<String> {
    let public = http.public_url.as_deref().and_then(|url| url.split_once("://"));
    let public = public.map(|(_, host)| match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or(address),
        None => host.split(':').next().unwrap_or(host),
    });
    let public = public.map(str::to_ascii_lowercase);
    http.hosts.iter().cloned().chain(public).collect()
}

/// What every door is opened with.
struct Opening<'a> {
    runtime: &'a Runtime,
    http: &'a HttpConfig,
    stopping: &'a watch::Receiver<bool>,
}

impl Opening<'_> {
    fn open(
        &self,
        listener: TcpListener,
        router: Router,
        tls: Option<Arc<Tls>>,
    ) -> io::Result<Server> {
        let http = self.http;
        let limits = Limits {
            connections: http.max_connections,
            per_address: http.max_connections_per_address,
            header_timeout: http.header_timeout,
            answer_idle: http.answer_idle,
            stop_grace: GRACE,
        };
        let _inside = self.runtime.enter();
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let proxies = http.trusted_proxies.clone();
        let at = Listening { listener, router, limits, tls, proxies };
        Ok(self.runtime.spawn(serve(at, self.stopping.clone())))
    }
}

fn listen(address: SocketAddr, setting: &'static str) -> Result<TcpListener, StartError> {
    let bound = TcpListener::bind(address).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    bound.map_err(|source| StartError::Listen { address, setting, source })
}
