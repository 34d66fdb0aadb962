//! For whom a request is made, and over what: the address of the client, and whether it speaks
//! encrypted.
//!
//! A proxy says so in headers, and so can anybody. They are believed when the other end of the
//! connection is one of `http.trusted_proxies`, and taken out of every request in any case, so that
//! nothing behind this place can believe a stranger. Of a chain of addresses the last one that is
//! not a trusted proxy's counts: everything before it was written by who knows whom.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::gate;
use super::refusal::Refusal;
use super::server::Line;
use crate::accounts::address_prefix;
use crate::config::{Forwarding, Network};

/// How long browsers are to use encrypted connections only: a year.
const STRICT: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Addresses looked at in a chain; nobody has so many proxies.
const CHAIN: usize = 32;

const FORWARDED: HeaderName = header::FORWARDED;
const FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Whose request it is: an extension of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClientAddress(pub(super) IpAddr);

/// Whether it came encrypted: an extension of every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Secure(pub(super) bool);

/// Whether it was made on this machine and handed on by nobody: an extension of every request. A proxy
/// on this machine that says for whom it asks hands on what others have sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FromHere(pub(super) bool);

/// Whether what a request says can be read by nobody on its way: it came encrypted, or it never left
/// this machine.
pub(super) fn is_private(extensions: &Extensions) -> bool {
    let secure = extensions.get::<Secure>().is_some_and(|it| it.0);
    secure || extensions.get::<FromHere>().is_some_and(|it| it.0)
}

/// What is known of how a request came, from its connection, its headers and what a trusted proxy said.
fn transport(line: Line, forwarded: bool, told: Option<bool>) -> (Secure, FromHere) {
    (Secure(line.encrypted || told == Some(true)), FromHere(line.own && !forwarded))
}

/// Who is believed, and by which headers.
pub(super) struct Proxies {
    pub(super) trusted: Vec<Network>,
    pub(super) forwarding: Forwarding,
}

/// What a trusted proxy says of a request.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    client: Option<IpAddr>,
    secure: Option<bool>,
    host: Option<String>,
}

impl Proxies {
    fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(address))
    }

    fn told(&self, headers: &HeaderMap) -> Told {
        match self.forwarding {
            Forwarding::XForwarded => Told {
                client: self.client(&lists(headers, &FOR)),
                secure: lists(headers, &PROTO).last().map(|word| is_https(word)),
                host: lists(headers, &HOST).last().map(|&host| host.to_owned()),
            },
            Forwarding::Forwarded => {
                let steps = lists(headers, &FORWARDED);
                let all: Vec<_> = steps.iter().filter_map(|step| field(step, "for")).collect();
                let last = |name| steps.last().and_then(|step| field(step, name));
                Told {
                    client: self.client(&all),
                    secure: last("proto").map(is_https),
                    host: last("host").map(str::to_owned),
                }
            }
        }
    }

    /// The last address that is not a trusted proxy's. What is no address hides what is before it.
    fn client(&self, chain: &[&str]) -> Option<IpAddr> {
        let mut found = None;
        for step in chain.iter().rev().take(CHAIN) {
            let Some(address) = address(step) else { return found };
            found = Some(address);
            if !self.trusts(address) {
                return found;
            }
        }
        found
    }
}

/// Finds out, tells everybody behind, and answers an encrypted request as such.
pub(super) async fn know(
    State(proxies): State<Arc<Proxies>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(line) = request.extensions().get::<Line>().copied() else {
        tracing::error!("a request came over no connection");
        return Refusal::mistake().into_response();
    };
    let told =
        if proxies.trusts(line.peer) { proxies.told(request.headers()) } else { Told::default() };
    let headers = request.headers_mut();
    let mut forwarded = false;
    for name in [FORWARDED, FOR, PROTO, HOST] {
        forwarded |= headers.remove(name).is_some();
    }
    if let Some(host) = told.host.and_then(|host| HeaderValue::from_str(&host).ok()) {
        headers.insert(header::HOST, host);
    }
    let local = gate::is_local(headers);
    let (secure, from_here) = transport(line, forwarded, told.secure);
    let extensions = request.extensions_mut();
    extensions.insert(ClientAddress(told.client.unwrap_or(line.peer)));
    extensions.insert(secure);
    extensions.insert(from_here);
    let mut response = next.run(request).await;
    if secure.0 {
        keep_encrypted(response.headers_mut(), local);
    }
    response
}

/// What was given over an encrypted connection is not to travel over another. A name that means
/// whatever machine one sits at is left alone: other programs answer to it too.
fn keep_encrypted(headers: &mut HeaderMap, local: bool) {
    if !local {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, STRICT);
    }
    let cookies: Vec<_> = headers.get_all(header::SET_COOKIE).iter().cloned().collect();
    headers.remove(header::SET_COOKIE);
    for cookie in cookies {
        let text = cookie.to_str().unwrap_or_default();
        let done = text.split(';').any(|part| part.trim().eq_ignore_ascii_case("secure"));
        let marked = HeaderValue::from_str(&format!("{text}; Secure"));
        let kept = if done || text.is_empty() { cookie } else { marked.unwrap_or(cookie) };
        headers.append(header::SET_COOKIE, kept);
    }
}

/// Who shares a purse.
pub(super) fn household(address: IpAddr) -> IpAddr {
    address_prefix(address)
}

/// All values of a header that holds lists, in their order.
fn lists<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Vec<&'a str> {
    let lines = headers.get_all(name).iter().map(|line| line.to_str().unwrap_or_default());
    lines.flat_map(|line| line.split(',')).map(str::trim).collect()
}

/// One pair of a step: `for="[2001:db8::1]:8080";proto=https`.
fn field<'a>(step: &'a str, name: &str) -> Option<&'a str> {
    let mut pairs = step.split(';').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.find(|(known, _)| known.trim().eq_ignore_ascii_case(name))?;
    Some(value.trim().trim_matches('"'))
}

/// An address, with a port or without.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let with_port = || text.parse::<SocketAddr>().ok().map(|it| it.ip());
    Some(bare.parse::<IpAddr>().ok().or_else(with_port)?.to_canonical())
}

fn is_https(word: &str) -> bool {
    word.eq_ignore_ascii_case("https")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(forwarding: Forwarding, lines: &[(&'static str, &str)]) -> Told {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|it| it.parse().unwrap()).to_vec();
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        Proxies { trusted, forwarding }.told(&headers)
    }

    #[test]
    fn the_last_address_that_is_no_proxy_of_ours_counts() {
        for (lines, client) in [
            (&["203.0.113.5"][..], Some("203.0.113.5")),
            (&["1.2.3.4, 203.0.113.5"], Some("203.0.113.5")),
            (&["1.2.3.4, 203.0.113.5, 10.0.0.2"], Some("203.0.113.5")),
            (&["1.2.3.4", "203.0.113.5"], Some("203.0.113.5")),
            (&["203.0.113.5:8080"], Some("203.0.113.5")),
            (&["[2001:db8::1]:8080"], Some("2001:db8::1")),
            (&["::ffff:203.0.113.5"], Some("203.0.113.5")),
            (&["10.0.0.3, 10.0.0.2"], Some("10.0.0.3")),
            (&["1.2.3.4, unknown, 10.0.0.2"], Some("10.0.0.2")),
            (&["1.2.3.4, "], None),
            (&["nobody"], None),
            (&[""], None),
            (&[], None),
        ] {
            let lines: Vec<_> = lines.iter().map(|line| ("x-forwarded-for", *line)).collect();
            let client = client.map(|it| it.parse().unwrap());
            assert_eq!(told(Forwarding::XForwarded, &lines).client, client, "{lines:?}");
        }
    }

    #[test]
    fn the_nearest_proxy_says_how_and_under_what_name() {
        let lines =
            [("x-forwarded-proto", "http, HTTPS"), ("x-forwarded-host", "evil.example, a.example")];
        let found = told(Forwarding::XForwarded, &lines);
        assert_eq!((found.secure, found.host.as_deref()), (Some(true), Some("a.example")));
        let line = "for=1.2.3.4;proto=https, For=\"[2001:db8::1]:99\";Proto=http;host=a.example";
        let found = told(Forwarding::Forwarded, &[("forwarded", line)]);
        let client = Some("2001:db8::1".parse().unwrap());
        let host = Some("a.example".to_owned());
        assert_eq!(found, Told { client, secure: Some(false), host });
    }

    #[test]
    fn what_others_can_read_is_told_from_what_they_cannot() {
        let far: IpAddr = "203.0.113.5".parse().unwrap();
        let near: IpAddr = "127.0.0.1".parse().unwrap();
        let line = |peer, encrypted, own| Line { peer, encrypted, own };
        for (line, forwarded, told, private, from_here) in [
            (line(near, false, true), false, None, true, true),
            // An address of this machine that others know is this machine all the same.
            (line(far, false, true), false, None, true, true),
            (line(far, false, false), false, None, false, false),
            (line(far, true, false), false, None, true, false),
            // A proxy on this machine: what it hands on was readable, unless it says https.
            (line(near, false, true), true, None, false, false),
            (line(near, false, true), true, Some(false), false, false),
            (line(near, false, true), true, Some(true), true, false),
            (line(far, false, false), true, Some(true), true, false),
        ] {
            let (secure, here) = transport(line, forwarded, told);
            let mut extensions = Extensions::new();
            extensions.insert(secure);
            extensions.insert(here);
            let found = (is_private(&extensions), here.0);
            assert_eq!(found, (private, from_here), "{line:?} {forwarded} {told:?}");
        }
        assert!(!is_private(&Extensions::new()), "what is not known is not private");
    }

    #[test]
    fn only_the_headers_that_were_agreed_on_are_read() {
        let forged = [("forwarded", "for=1.2.3.4;proto=https;host=evil.example")];
        assert_eq!(told(Forwarding::XForwarded, &forged), Told::default());
        let forged = [("x-forwarded-for", "1.2.3.4"), ("x-forwarded-proto", "https")];
        assert_eq!(told(Forwarding::Forwarded, &forged), Told::default());
    }

    #[test]
    fn cookies_that_leave_encrypted_stay_so() {
        let mut headers = HeaderMap::new();
        for cookie in ["a=b; Path=/", "c=d; Secure; Path=/"] {
            headers.append(header::SET_COOKIE, HeaderValue::from_static(cookie));
        }
        keep_encrypted(&mut headers, true);
        let all: Vec<_> = headers.get_all(header::SET_COOKIE).iter().collect();
        assert_eq!(all, ["a=b; Path=/; Secure", "c=d; Secure; Path=/"]);
        assert!(!headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
        keep_encrypted(&mut headers, false);
        assert!(headers.contains_key(header::STRICT_TRANSPORT_SECURITY));
    }
}
