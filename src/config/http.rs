//! How the appliance is reached: `[http]`.

use std::net::SocketAddr;
use std::time::Duration;

use super::custody::DataPath;
use super::meant::Config;
use super::pick::{Key, Pick};
use super::raw::{RawHttp, Written};
use super::refusal::Refusal;
use super::rule::{
    Address, DataFile, Endpoint, ForwardingHeaders, HostNames, Network, Networks, Switch,
    megabytes, seconds, whole,
};

/// How the appliance is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpConfig {
    pub listen: SocketAddr,
    /// Names, besides the address itself, that a `Host` header may carry; lower case, no port.
    pub hosts: Vec<String>,
    /// Where people reach these pages, for links in messages.
    pub public_url: Option<String>,
    pub max_connections: usize,
    pub header_timeout: Duration,
    /// Largest request body that is not an upload.
    pub body_limit_bytes: u64,
    /// How long an upload may bring nothing; as a whole it may take as long as it takes.
    pub upload_idle: Duration,
    /// How long a client may take next to nothing of an answer that is ready.
    pub answer_idle: Duration,
    /// Connections of one address at once; this machine and trusted proxies may have more.
    pub max_connections_per_address: usize,
    pub streams: StreamConfig,
    pub rates: RateConfig,
    /// Without it nothing is encrypted here.
    pub tls: Option<TlsConfig>,
    /// Who is believed when it says for whom it asks.
    pub trusted_proxies: Vec<Network>,
    pub forwarding: Forwarding,
    pub open_to_network: bool,
}

impl HttpConfig {
    /// What a browser calls an appliance that listens there: "everywhere" is nowhere in particular.
    pub fn origin(&self, address: SocketAddr) -> String {
        let scheme = if self.tls.is_some() { "https" } else { "http" };
        if address.ip().is_unspecified() {
            return format!("{scheme}://localhost:{}", address.port());
        }
        format!("{scheme}://{address}")
    }
}

/// How much may be sent piece by piece at once: downloads, recordings, exports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamConfig {
    /// Of one user; zero is no limit.
    pub per_user: usize,
    /// To one address; zero is no limit.
    pub per_address: usize,
    /// Disk space for exports that their clients are still reading, all together.
    pub spool_bytes: u64,
}

/// How much one address or account may ask for; zero is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateConfig {
    pub requests_per_minute: u32,
    pub address_failures_per_hour: u32,
    pub account_failures_per_hour: u32,
}

/// The certificate to show, and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsConfig {
    pub certificate: DataPath,
    pub key: DataPath,
}

/// The headers by which a proxy says for whom it asks. One kind only: a proxy passes the other one
/// on as a stranger wrote it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forwarding {
    /// `X-Forwarded-For`, `-Proto` and `-Host`.
    XForwarded,
    /// `Forwarded`, as RFC 7239 has it.
    Forwarded,
}

pub(super) fn http(pick: &mut Pick<'_>, raw: RawHttp) -> HttpConfig {
    let listen = "Where the pages and the API are served.";
    let hosts = "Names, besides the address itself, that browsers may call this machine by.";
    let public = "Where people reach these pages, for links in messages to them.";
    let body = "The largest request that is not an upload.";
    let trusted = "Who is believed when it says for whom it asks. It must write the headers of \
        http.proxy_headers itself, whatever it was sent.";
    let forwarding = "How trusted proxies say it: X-Forwarded-For, -Proto and -Host, or Forwarded.";
    let open = "Allows listen to be an address other machines can reach although nothing is \
        encrypted here. For a network that others encrypt.";
    let listen = Key::new("http.listen", Address, "127.0.0.1:8600", listen);
    let listen = pick.one(raw.listen, &listen.env(&["STRONGROOM_LISTEN"]).flag("--listen"));
    let hosts = pick.one(raw.hosts, &Key::new("http.hosts", HostNames, "", hosts));
    let public = Key::unset("http.public_url", Endpoint, "https://archive.example.org", public);
    let public_url = pick.maybe(raw.public_url, &public);
    let [max_connections, max_connections_per_address] =
        connections(pick, [raw.max_connections, raw.max_connections_per_address]);
    let [header_timeout, upload_idle, answer_idle] =
        waits(pick, [raw.header_timeout_s, raw.upload_idle_s, raw.answer_idle_s]);
    HttpConfig {
        listen,
        hosts,
        public_url,
        max_connections,
        max_connections_per_address,
        header_timeout,
        upload_idle,
        answer_idle,
        body_limit_bytes: pick
            .one(raw.body_limit_mb, &Key::new("http.body_limit_mb", megabytes(1, 1024), "8", body)),
        streams: streams(
            pick,
            [raw.streams_per_user, raw.streams_per_address, raw.export_spool_mb],
        ),
        rates: rates(
            pick,
            [raw.requests_per_minute, raw.address_failures_per_hour, raw.account_failures_per_hour],
        ),
        tls: tls(pick, [raw.tls_certificate, raw.tls_key]),
        trusted_proxies: pick
            .one(raw.trusted_proxies, &Key::new("http.trusted_proxies", Networks, "", trusted)),
        forwarding: pick.one(
            raw.proxy_headers,
            &Key::new("http.proxy_headers", ForwardingHeaders, "x-forwarded", forwarding),
        ),
        open_to_network: pick
            .one(raw.open_to_network, &Key::new("http.open_to_network", Switch, "false", open)),
    }
}

fn connections(pick: &mut Pick<'_>, [all, address]: [Written; 2]) -> [usize; 2] {
    let all_about = "Connections open at once.";
    let address_about =
        "Connections of one address at once; this machine and trusted proxies may have all.";
    let key = |name, default, about| Key::new(name, whole(1, 65_536), default, about);
    [
        pick.one(all, &key("http.max_connections", "512", all_about)),
        pick.one(address, &key("http.max_connections_per_address", "128", address_about)),
    ]
}

fn waits(pick: &mut Pick<'_>, [header, upload, answer]: [Written; 3]) -> [Duration; 3] {
    let header_about = "How long a client may take to send its request's headers.";
    let upload_about = "How long an upload may bring nothing before it is given up.";
    let answer_about =
        "How long a client may take next to nothing of an answer before it is cut off.";
    [
        pick.one(header, &Key::new("http.header_timeout_s", seconds(1, 600), "10", header_about)),
        pick.one(upload, &Key::new("http.upload_idle_s", seconds(1, 3600), "60", upload_about)),
        pick.one(answer, &Key::new("http.answer_idle_s", seconds(1, 3600), "30", answer_about)),
    ]
}

fn streams(pick: &mut Pick<'_>, [user, address, spool]: [Written; 3]) -> StreamConfig {
    let user_about = "Downloads, recordings and exports that one user may have open at once; 0 is \
        no limit.";
    let address_about =
        "The same for one address; 0 is no limit. This machine may have any number.";
    let spool_about = "Disk space in the staging folder for exports that clients are still \
        reading, all exports together. An export that needs more is refused, \
        or cut off where it has begun: its client sees that the end is missing.";
    let count = |name, default, about| Key::new(name, whole(0, 65_536), default, about);
    StreamConfig {
        per_user: pick.one(user, &count("http.streams_per_user", "16", user_about)),
        per_address: pick.one(address, &count("http.streams_per_address", "64", address_about)),
        spool_bytes: pick.one(
            spool,
            &Key::new("http.export_spool_mb", megabytes(1, 100_000_000), "16384", spool_about),
        ),
    }
}

fn rates(pick: &mut Pick<'_>, [requests, address, account]: [Written; 3]) -> RateConfig {
    let requests_about = "Requests that one address may make, at most; 0 is no limit. This machine \
        may make any number. Addresses of IPv6 count by their first 64 bits.";
    let address_about =
        "Wrong passwords, tokens and links that one address may try; 0 is no limit.";
    let account_about = "Wrong passwords that may be tried for one account from browsers and \
        addresses that it has not signed in from before, besides the waits after each; one \
        address may try a third of them, and at most 10. 0 is no limit.";
    RateConfig {
        requests_per_minute: pick.one(
            requests,
            &Key::new("http.requests_per_minute", whole(0, 10_000_000), "1200", requests_about),
        ),
        address_failures_per_hour: pick.one(
            address,
            &Key::new("http.address_failures_per_hour", whole(0, 1_000_000), "60", address_about),
        ),
        account_failures_per_hour: pick.one(
            account,
            &Key::new("http.account_failures_per_hour", whole(0, 1_000_000), "30", account_about),
        ),
    }
}

fn tls(pick: &mut Pick<'_>, [certificate, key]: [Written; 2]) -> Option<TlsConfig> {
    let certificate_about = "The certificate to show, in PEM, followed by those between it and \
        its authority. A renewed one is taken up within a minute.";
    let key_about = "Its key, in PEM and without a password.";
    let certificate = pick.maybe(
        certificate,
        &Key::unset(
            "http.tls_certificate",
            DataFile,
            "/etc/ssl/archive/fullchain.pem",
            certificate_about,
        )
        .env(&["STRONGROOM_TLS_CERTIFICATE"]),
    );
    let key = pick.maybe(
        key,
        &Key::unset("http.tls_key", DataFile, "/etc/ssl/archive/privkey.pem", key_about)
            .env(&["STRONGROOM_TLS_KEY"]),
    );
    let half = match (&certificate, &key) {
        (Some(_), None) => Some(("http.tls_certificate", "http.tls_key")),
        (None, Some(_)) => Some(("http.tls_key", "http.tls_certificate")),
        (Some(_), Some(_)) | (None, None) => None,
    };
    if let Some((set, missing)) = half {
        let place = pick.place_of(set);
        pick.refusals.push(Refusal::HalfTls { place, set, missing });
    }
    Some(TlsConfig { certificate: certificate?, key: key? })
}

/// Refuses values that are fine alone but not together.
pub(super) fn agree(pick: &mut Pick<'_>, config: &Config) {
    let HttpConfig { listen, open_to_network, .. } = config.http;
    let private = listen.ip().to_canonical().is_loopback() || config.http.tls.is_some();
    if !private && !open_to_network {
        let place = pick.place_of("http.listen");
        pick.refusals.push(Refusal::OpenToNetwork { place, listen });
    }
    if let Some(port) = config.health.port.filter(|&port| port == listen.port()) {
        let place = pick.place_of("health.port");
        pick.refusals.push(Refusal::HealthPortTaken { place, port });
    }
}
