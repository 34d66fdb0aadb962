//! Encrypted connections, with a certificate that may be renewed while the appliance runs.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use byteio::causes::chain;
use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use storage::clock::Clock;
use tokio_rustls::TlsAcceptor;

use crate::certificate::{Certificate, CertificateError, paths};
use crate::config::TlsConfig;

/// How often the files are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// How often people are told of a certificate that needs them.
const REMIND: Duration = Duration::from_secs(24 * 3600);

/// What opens encrypted connections.
pub struct Tls {
    shown: Arc<Shown>,
    acceptor: TlsAcceptor,
    config: TlsConfig,
    data: PathBuf,
    clock: Arc<dyn Clock>,
    seen: Mutex<Stamps>,
}

/// What tells that a file is another than it was; none for one that is not there.
type Stamp = Option<(SystemTime, u64)>;
type Stamps = [Stamp; 2];

/// The certificate in use.
#[derive(Debug)]
struct Shown(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Shown {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl Tls {
    /// Reads certificate and key.
    ///
    /// # Errors
    ///
    /// When one is missing or they do not belong together; a certificate that is out of date is
    /// shown all the same, and told of.
    pub fn open(
        config: &TlsConfig,
        data: &Path,
        clock: Arc<dyn Clock>,
    ) -> Result<Tls, CertificateError> {
        let seen = stamps(config, data);
        let certificate = Certificate::load(config, data)?;
        warn(&certificate, clock.as_ref());
        let shown = Arc::new(Shown(RwLock::new(Arc::new(certificate.pair))));
        let resolver: Arc<dyn ResolvesServerCert> = Arc::<Shown>::clone(&shown);
        // The provider is one that comes with these versions: their names cannot disagree.
        let mut server = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12])
            .expect("ring speaks TLS 1.2 and 1.3")
            .with_no_client_auth()
            .with_cert_resolver(resolver);
        server.alpn_protocols = vec![b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(server));
        let (config, data) = (config.clone(), data.to_owned());
        Ok(Tls { shown, acceptor, config, data, clock, seen: Mutex::new(seen) })
    }

    pub(super) fn acceptor(&self) -> &TlsAcceptor {
        &self.acceptor
    }

    /// Looks after the files for as long as it is asked to.
    pub(super) async fn watch(self: Arc<Tls>) {
        let mut told = self.clock.steady();
        loop {
            tokio::time::sleep(LOOK).await;
            let remind = self.clock.steady().saturating_sub(told) >= REMIND;
            if remind {
                told = self.clock.steady();
            }
            let tls = Arc::clone(&self);
            // A look that failed by a panic is said in the log; the next one is another.
            tokio::task::spawn_blocking(move || tls.look(remind)).await.ok();
        }
    }

    /// Takes up a renewed pair. One that is not whole yet is left until it changes again: meanwhile
    /// the old one is shown.
    fn look(&self, remind: bool) {
        let now = stamps(&self.config, &self.data);
        {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if *seen == now && !remind {
                return;
            }
            *seen = now;
        }
        match Certificate::load(&self.config, &self.data) {
            Ok(certificate) => {
                warn(&certificate, self.clock.as_ref());
                let mut shown = self.shown.0.write().unwrap_or_else(PoisonError::into_inner);
                *shown = Arc::new(certificate.pair);
                tracing::info!("the certificate was read again");
            }
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(error, "the certificate changed, but the old one stays in use");
            }
        }
    }
}

fn warn(certificate: &Certificate, clock: &dyn Clock) {
    if let Some(warning) = certificate.warning(clock.now()) {
        tracing::warn!("{warning}");
    }
}

fn stamps(config: &TlsConfig, data: &Path) -> Stamps {
    let (certificate, key) = paths(config, data);
    [certificate, key].map(|path| {
        let about = std::fs::metadata(path).ok()?;
        Some((about.modified().ok()?, about.len()))
    })
}
