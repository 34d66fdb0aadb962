//! Who may come in, and with what wishes.
//!
//! What must be kept out before anybody is asked who they are is another site in the same browser:
//! requests under a foreign host name (a rebound name server) and forms sent from foreign pages. Who
//! somebody is, and what they may do, is asked behind it; see `entrance`.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::doors::PROOFS;
use super::refusal::Refusal;

/// Longest time a request that changes something may take, its body included; an upload watches its
/// own time.
const BODY: Duration = Duration::from_secs(60);

/// The header with which clients of the described registry bring their key.
pub(super) const PHAROS_KEY: &str = "x-pharos-api-key";

/// The names we answer to, and the key of our own command line.
pub struct Gate {
    hosts: Vec<String>,
    any_host: bool,
    key: String,
}

impl Gate {
    /// A gate that knows these names besides the addresses of this machine's loopback. Opened to
    /// the network, it answers to any name: it cannot know what others call it.
    pub fn new(hosts: Vec<String>, any_host: bool, key: String) -> Gate {
        Gate { hosts, any_host, key }
    }

    fn knows_host(&self, headers: &HeaderMap) -> bool {
        let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else {
            return false;
        };
        let name = host_name(host).to_ascii_lowercase();
        let address: Option<IpAddr> = name.parse().ok();
        self.any_host
            || name == "localhost"
            || address.is_some_and(|address| address.is_loopback())
            || self.hosts.contains(&name)
    }

    /// Whether the request bears the key that only readers of the data directory know.
    pub(super) fn knows_key(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        same(given.as_bytes(), self.key.as_bytes())
    }
}

/// Whether a request was addressed to this machine itself: what is said never leaves it.
pub(super) fn is_local(headers: &HeaderMap) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host_name(host);
    let address: Option<IpAddr> = name.parse().ok();
    name.eq_ignore_ascii_case("localhost") || address.is_some_and(|it| it.is_loopback())
}

/// Refuses passwords that came over a network in the clear, as far as the browser tells. What the
/// connection tells, the entrance asks of every request.
pub(super) fn keeps_secrets(headers: &HeaderMap) -> Result<(), Refusal> {
    let origin = headers.get(header::ORIGIN).and_then(|origin| origin.to_str().ok());
    if is_local(headers) || !origin.is_some_and(|origin| origin.starts_with("http://")) {
        return Ok(());
    }
    Err(not_private())
}

/// Why a password is not taken over a connection that others can read.
pub(super) fn not_private() -> Refusal {
    let sentence = "Passwords are taken over an encrypted connection (https), or on the machine \
        itself: what is sent over this one could be read on its way. Nothing was changed.";
    Refusal::new(StatusCode::FORBIDDEN, "not-private", sentence).next(
        "Use the https address, and choose another password if you have sent one. Who looks after \
         the appliance sets http.tls_certificate and http.tls_key, or names the proxy that encrypts \
         in http.trusted_proxies and has it send X-Forwarded-Proto.",
    )
}

/// Whether a request to this address, as it is routed, brings a password, or asks for a form to type one
/// into. Every form of a page counts, whatever else the request bears: some take a password, the others
/// a session, which is as good as one. Of the operations for programs, those of [`PROOFS`] count.
pub(super) fn takes_password(request: &Request, path: &str) -> bool {
    const FORMS: [&str; 3] = ["/sign-in", "/password", "/welcome"];
    let authorization = request.headers().get(header::AUTHORIZATION);
    let scheme = authorization.and_then(|it| it.to_str().ok()).unwrap_or_default();
    if scheme.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("basic ")) {
        return true;
    }
    if super::entrance::is_for_programs(request.uri()) {
        return PROOFS.contains(&(request.method().as_str(), path));
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    changes || FORMS.contains(&path)
}

/// Compares without telling by its duration how much was right.
pub(super) fn same(given: &[u8], known: &[u8]) -> bool {
    let differing = given.iter().zip(known).fold(0, |all, (a, b)| all | (a ^ b));
    !known.is_empty() && given.len() == known.len() && differing == 0
}

/// The name in a `Host` header, without its port; `[::1]:8600` has colons of its own.
fn host_name(host: &str) -> &str {
    if host.contains(['@', '/']) {
        return "";
    }
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    host.split(':').next().unwrap_or(host)
}

/// Refuses what does not come from our own pages or our own command line.
pub(super) async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let uri = request.uri().clone();
    let refuse = |refusal: Refusal| refusal.for_path(&uri).into_response();
    let headers = request.headers();
    // Monitors may not send a host, and health tells strangers nothing.
    let health = request.uri().path().starts_with("/health");
    if !health && !gate.knows_host(headers) {
        let sentence = "This appliance is not known by the host name in the request.";
        return refuse(
            Refusal::new(StatusCode::MISDIRECTED_REQUEST, "unknown-host", sentence)
                .next("Use the address it printed at its start, or add the name to http.hosts."),
        );
    }
    let changes = !matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let ours = gate.knows_key(headers) || from_our_page(headers) || from_program(headers);
    if changes && !ours {
        let sentence = "The request did not come from a page of this appliance.";
        return refuse(
            Refusal::new(StatusCode::FORBIDDEN, "foreign-origin", sentence)
                .next("Open the page again and repeat the action there."),
        );
    }
    if !changes {
        return next.run(request).await;
    }
    if super::deposits::is_upload(request.method(), request.uri().path()) {
        return next.run(request).await;
    }
    // A body that never comes would hold its connection for ever.
    match tokio::time::timeout(BODY, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let sentence = "The request took too long to arrive or to carry out.";
            let refusal = Refusal::new(StatusCode::REQUEST_TIMEOUT, "too-slow", sentence);
            refuse(refusal.next("Look whether it was carried out before you repeat it."))
        }
    }
}

/// A program that says who it is with the request itself. Browsers never do by themselves: we do not
/// ask them to.
fn from_program(headers: &HeaderMap) -> bool {
    let says = headers.contains_key(header::AUTHORIZATION) || headers.contains_key(PHAROS_KEY);
    says && !headers.contains_key(header::ORIGIN) && !headers.contains_key("sec-fetch-site")
}

/// Browsers say where a form comes from; a request that does not say is not from our page.
fn from_our_page(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = text(HeaderName::from_static("sec-fetch-site")) {
        return site == "same-origin" || site == "none";
    }
    let origin = text(header::ORIGIN).and_then(|origin| origin.split_once("://"));
    match (origin, text(header::HOST)) {
        (Some((_, origin)), Some(host)) => origin.eq_ignore_ascii_case(host),
        (_, _) => false,
    }
}

/// Headers that every answer bears: nothing from elsewhere, nowhere else.
pub(super) async fn harden(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (
            "content-security-policy",
            "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'",
        ),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("referrer-policy", "same-origin"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn only_names_of_this_machine_are_answered() {
        let gate = Gate::new(vec!["archive.example".into()], false, "key".into());
        for host in ["localhost:8600", "127.0.0.1", "[::1]:8600", "Archive.Example:80"] {
            assert!(gate.knows_host(&headers(&[("host", host)])), "{host}");
        }
        for host in ["evil.example", "10.0.0.7:8600", "127.0.0.1.evil.example", ""] {
            assert!(!gate.knows_host(&headers(&[("host", host)])), "{host}");
        }
        assert!(!gate.knows_host(&HeaderMap::new()));
    }

    #[test]
    fn forms_of_foreign_pages_are_seen() {
        let host = ("host", "localhost:8600");
        for (ours, pairs) in [
            (true, &[host, ("sec-fetch-site", "same-origin")][..]),
            (false, &[host, ("sec-fetch-site", "cross-site")]),
            (false, &[host, ("sec-fetch-site", "same-site")]),
            (true, &[host, ("origin", "http://localhost:8600")]),
            (false, &[host, ("origin", "http://localhost:9999")]),
            (false, &[host, ("origin", "null")]),
            (false, &[host]),
        ] {
            assert_eq!(from_our_page(&headers(pairs)), ours, "{pairs:?}");
        }
    }

    #[test]
    fn what_brings_a_password_is_known() {
        let request = |method: Method, path: &str, bears: Option<&str>| {
            let request = Request::builder().method(method).uri(path);
            let request = match bears {
                Some(bears) => request.header("authorization", bears),
                None => request,
            };
            let request = request.body(axum::body::Body::empty()).unwrap();
            takes_password(&request, request.uri().path())
        };
        for path in ["/sign-in", "/password?token=0", "/welcome"] {
            assert!(request(Method::GET, path, None), "{path}");
        }
        for path in ["/sign-in", "/sign-in/code", "/account/second-factor/end", "/deletions/1"] {
            for bears in [None, Some("Bearer x"), Some("Other x")] {
                assert!(request(Method::POST, path, bears), "{path} {bears:?}");
            }
        }
        let approve = "/api/v1/deletions/{id}/approve";
        for bears in [None, Some("Bearer strongroom_1")] {
            let ask = Request::builder().method(Method::POST).uri("/api/v1/deletions/1/approve");
            let ask = match bears {
                Some(bears) => ask.header("authorization", bears),
                None => ask,
            };
            assert!(takes_password(&ask.body(axum::body::Body::empty()).unwrap(), approve));
        }
        for bears in ["Basic YTpi", "basic YTpi", "BASIC "] {
            assert!(request(Method::GET, "/api/v1/items", Some(bears)), "{bears}");
        }
        for bears in [None, Some("Bearer strongroom_1"), Some("")] {
            assert!(!request(Method::POST, "/api/v1/items", bears), "{bears:?}");
            assert!(!request(Method::GET, "/version", bears), "{bears:?}");
        }
    }

    #[test]
    fn the_key_must_be_whole() {
        let gate = Gate::new(Vec::new(), false, "secret".into());
        let bears = |text: &str| gate.knows_key(&headers(&[("authorization", text)]));
        assert!(bears("Bearer secret"));
        assert!(!bears("Bearer secre") && !bears("Bearer ") && !bears("secret"));
        let keyless = Gate::new(Vec::new(), false, String::new());
        assert!(!keyless.knows_key(&headers(&[("authorization", "Bearer ")])));
    }
}
