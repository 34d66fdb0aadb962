//! An appliance elsewhere: its address, and the way there, encrypted or not.

use std::io;
use std::sync::Arc;

use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::ServerName;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use super::Failure;

/// Where it is.
#[derive(Clone)]
pub(super) struct Server {
    origin: String,
    authority: String,
    host: String,
    port: u16,
    tls: Option<TlsConnector>,
}

impl Server {
    /// Reads `http://HOST[:PORT]` or `https://HOST[:PORT]`.
    pub(super) fn parse(text: &str) -> Result<Server, Failure> {
        let bad = || {
            Failure::Unable(format!(
                "{:?} is not the address of an appliance: it is like https://archive.example.org, \
                 with a port if it has one",
                super::print::clip(text, 100)
            ))
        };
        let text = text.trim().trim_end_matches('/');
        let (scheme, authority) = text.split_once("://").ok_or_else(bad)?;
        let (is_secured, usual) = match scheme {
            "https" => (true, 443),
            "http" => (false, 80),
            _ => return Err(bad()),
        };
        let odd = |it: char| it.is_whitespace() || it.is_control() || "/@?#".contains(it);
        if authority.is_empty() || authority.contains(odd) {
            return Err(bad());
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().map_err(|_| bad())?),
            Some(_) | None => (authority, usual),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let tls = if is_secured { Some(connector()?) } else { None };
        Ok(Server { origin: text.to_owned(), authority: authority.to_owned(), host, port, tls })
    }

    /// What was given.
    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    /// What it is called by in requests.
    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    /// Whether others can read what is sent there.
    pub(super) fn is_overheard(&self) -> bool {
        let address: Option<std::net::IpAddr> = self.host.parse().ok();
        let is_here = self.host == "localhost" || address.is_some_and(|it| it.is_loopback());
        self.tls.is_none() && !is_here
    }

    pub(super) fn place(&self) -> (&str, u16) {
        (&self.host, self.port)
    }

    /// The connection, encrypted where the address says so, or as it is.
    pub(super) async fn secured(
        &self,
        stream: TcpStream,
    ) -> io::Result<Result<TlsStream<TcpStream>, TcpStream>> {
        let Some(tls) = &self.tls else { return Ok(Err(stream)) };
        let name = ServerName::try_from(self.host.clone()).map_err(io::Error::other)?;
        tls.connect(name, stream).await.map(Ok)
    }
}

/// Trusts whom the system trusts.
fn connector() -> Result<TlsConnector, Failure> {
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_scheme_a_host_and_maybe_a_port() {
        let place = |text: &str| {
            let server = Server::parse(text).ok().expect("an address");
            (server.host.clone(), server.port, server.tls.is_some())
        };
        assert_eq!(place("http://127.0.0.1:8600/"), ("127.0.0.1".into(), 8600, false));
        assert_eq!(place("https://archive.example.org"), ("archive.example.org".into(), 443, true));
        assert_eq!(place("http://[::1]"), ("::1".into(), 80, false));
        assert_eq!(place("http://[::1]:9"), ("::1".into(), 9, false));
        for bad in ["", "archive", "ftp://a", "http://", "http://a/b", "http://u@a", "http://a:b"] {
            assert!(Server::parse(bad).is_err(), "{bad}");
        }
    }
}
