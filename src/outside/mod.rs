//! What lies elsewhere on the network, fetched from an address that somebody else has named: feeds,
//! and recordings that feeds and catalogues name.
//!
//! Promises: only public addresses are asked, and those of networks that the operator allows,
//! whatever a name resolves to and wherever the other side sends us; a name is resolved once, and who
//! was found is who is asked, so that it cannot mean somebody else between the look and the call. No
//! call outlives the patience given, a trickle of bytes included. Proxies are not used: they would
//! resolve names behind our back. Hazards: the address may hold a key of its own, and is in no error.

mod reach;

use std::io::{self, Read};
use std::net::SocketAddr;
use std::time::Duration;

use byteio::causes::chain;
use reqwest::Url;
use reqwest::blocking::{Client, Response};
use reqwest::header::{ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use reqwest::header::{LAST_MODIFIED, LOCATION, RETRY_AFTER};
use reqwest::redirect::Policy;
use storage::clock::Timestamp;

use crate::config::Network;

/// How often the other side may send us elsewhere.
const ELSEWHERE: usize = 5;
/// Longest mark of an answer that is kept.
const MARK_BYTES: usize = 1024;

/// The way out.
#[derive(Clone, Debug)]
pub struct Outside {
    /// Networks that are reached though they are not public.
    pub own_networks: Vec<Network>,
    /// How long a call may take from its beginning to the last byte.
    pub patience: Duration,
}

/// What an answer was marked with, to ask later whether there is another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Its tag.
    pub etag: Option<String>,
    /// When it was last changed, in the words of the other side.
    pub modified: Option<String>,
}

/// An answer to a call.
#[derive(Debug)]
pub enum Answer {
    /// What is there is what was there.
    Unchanged,
    /// Something.
    Given(Box<Given>),
}

/// What was given. Its bytes come as they are read.
#[derive(Debug)]
pub struct Given {
    /// From where it came, after all redirections.
    pub address: String,
    /// What it is marked with.
    pub mark: Mark,
    /// How many bytes it has, where the other side says so.
    pub length: Option<u64>,
    response: Response,
}

impl Read for Given {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.response.read(buffer)
    }
}

/// Why nothing was given.
#[derive(Debug, thiserror::Error)]
pub enum OutsideError {
    /// No address of the web.
    #[error("the address is not one that begins with http:// or https://")]
    NotWeb,
    /// It leads to where nobody outside could have meant us to go.
    #[error(
        "{host} is an address of this machine, of its own networks or of nobody, and was not asked; \
         add its network to research.own_networks if that is meant"
    )]
    Inside {
        /// The name or address.
        host: String,
    },
    /// Nobody knows the name.
    #[error("the name {host} is not known: {why}")]
    Unknown {
        /// The name.
        host: String,
        /// What the system says.
        why: String,
    },
    /// It was sent from one place to the next.
    #[error("the other side sent us elsewhere more than {} times", ELSEWHERE)]
    Circles,
    /// The way there, or the other side in the middle of it.
    #[error("{0}")]
    Away(String),
    /// It says no.
    #[error("the other side answered {0}")]
    Status(u16),
    /// It says not now, and when.
    #[error("the other side answered {status} and asks to be called again later")]
    Later {
        /// Its status.
        status: u16,
        /// When.
        again: Again,
    },
}

/// When the other side wants to be asked again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Again {
    /// After this time.
    In(Duration),
    /// At this moment.
    At(Timestamp),
}

impl Again {
    /// How long that is from now.
    pub fn wait(self, now: Timestamp) -> Duration {
        match self {
            Again::In(span) => span,
            Again::At(moment) => moment.since(now),
        }
    }
}

impl Outside {
    /// Asks for what is at an address, unless it is what is known.
    pub fn get(&self, address: &str, known: &Mark) -> Result<Answer, OutsideError> {
        let mut url = web(address)?;
        for _ in 0..=ELSEWHERE {
            let response = self.ask(&url, known)?;
            let status = response.status();
            match status.as_u16() {
                304 => return Ok(Answer::Unchanged),
                301 | 302 | 303 | 307 | 308 => {
                    let place = text(response.headers(), &LOCATION)
                        .ok_or(OutsideError::Status(status.as_u16()))?;
                    url = web(url.join(&place).map_err(|_| OutsideError::NotWeb)?.as_str())?;
                }
                200..=299 => return Ok(Answer::Given(Box::new(given(response)))),
                status => return Err(refusal(status, response.headers())),
            }
        }
        Err(OutsideError::Circles)
    }

    fn ask(&self, url: &Url, known: &Mark) -> Result<Response, OutsideError> {
        // The first one to ask for encryption chooses; whoever comes later finds it chosen.
        drop(rustls::crypto::ring::default_provider().install_default());
        let away = |error: reqwest::Error| OutsideError::Away(chain(&error.without_url()));
        let host = url.host_str().unwrap_or_default();
        let client = Client::builder()
            .redirect(Policy::none())
            .no_proxy()
            .resolve_to_addrs(host, &self.found(url, host)?)
            .user_agent(concat!("strongroom/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(away)?;
        // Of the call and not of the client: there it would begin anew with every piece read.
        let mut call = client.get(url.clone()).timeout(self.patience);
        for (name, value) in [(IF_NONE_MATCH, &known.etag), (IF_MODIFIED_SINCE, &known.modified)] {
            if let Some(value) = value {
                call = call.header(name, value);
            }
        }
        call.send().map_err(away)
    }

    /// Who may be asked of those that a name stands for.
    fn found(&self, url: &Url, host: &str) -> Result<Vec<SocketAddr>, OutsideError> {
        let mut found = url.socket_addrs(|| None).map_err(|error| OutsideError::Unknown {
            host: host.to_owned(),
            why: error.to_string(),
        })?;
        found.retain(|it| self.may_reach(*it));
        match found.is_empty() {
            true => Err(OutsideError::Inside { host: host.to_owned() }),
            false => Ok(found),
        }
    }

    fn may_reach(&self, address: SocketAddr) -> bool {
        let own = self.own_networks.iter().any(|network| network.contains(address.ip()));
        own || reach::is_public(address.ip())
    }
}

/// An address as seen from another: whole, and of the web.
pub fn join(from: &str, address: &str) -> Option<String> {
    let joined = web(from).ok()?.join(address.trim()).ok()?;
    web(joined.as_str()).ok().map(String::from)
}

fn web(address: &str) -> Result<Url, OutsideError> {
    let url = Url::parse(address.trim()).map_err(|_| OutsideError::NotWeb)?;
    match matches!(url.scheme(), "http" | "https") && url.has_host() {
        true => Ok(url),
        false => Err(OutsideError::NotWeb),
    }
}

/// What a status means that brings nothing. Those that pass may say when (RFC 9110, 10.2.3).
fn refusal(status: u16, head: &HeaderMap) -> OutsideError {
    let again = || {
        let said = text(head, &RETRY_AFTER)?;
        let said = said.trim();
        match said.parse() {
            Ok(seconds) => Some(Again::In(Duration::from_secs(seconds))),
            Err(_) => {
                let moment = jiff::fmt::rfc2822::parse(said).ok()?.timestamp().as_millisecond();
                u64::try_from(moment).ok().map(|moment| Again::At(Timestamp(moment)))
            }
        }
    };
    match status {
        429 | 503 => again()
            .map_or(OutsideError::Status(status), |again| OutsideError::Later { status, again }),
        _ => OutsideError::Status(status),
    }
}

/// The site of an address, and the path on it with its query; none where it is no address of the web.
pub fn site_and_path(address: &str) -> Option<(String, String)> {
    let url = web(address).ok()?;
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    Some((url.origin().ascii_serialization(), format!("{}{query}", url.path())))
}

fn given(response: Response) -> Given {
    let head = response.headers();
    let mark = Mark { etag: text(head, &ETAG), modified: text(head, &LAST_MODIFIED) };
    let (address, length) = (response.url().to_string(), response.content_length());
    Given { address, mark, length, response }
}

fn text(head: &HeaderMap, name: &HeaderName) -> Option<String> {
    let value = head.get(name)?.to_str().ok()?;
    (value.len() <= MARK_BYTES).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(address: &str) -> String {
        let outside = Outside { own_networks: Vec::new(), patience: Duration::from_secs(5) };
        outside.get(address, &Mark::default()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_inside_is_not_asked_however_it_is_written() {
        for address in [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://[::1]:8080/x",
            "http://[::ffff:127.0.0.1]/",
            "http://169.254.169.254/latest/meta-data",
            "https://localhost/feed",
            "http://user:secret@10.0.0.1/",
        ] {
            let sentence = refused(address);
            assert!(sentence.contains("research.own_networks"), "{address}: {sentence}");
            assert!(!sentence.contains("secret"), "{sentence}");
        }
        for address in ["ftp://a.org/", "file:///etc/passwd", "nonsense", "http://", "mailto:a@b"] {
            assert!(refused(address).contains("http://"), "{address}");
        }
    }

    #[test]
    fn when_to_ask_again_is_read_in_seconds_and_as_a_date() {
        let said = |status: u16, text: &str| {
            let mut head = HeaderMap::new();
            head.insert(RETRY_AFTER, text.parse().unwrap());
            refusal(status, &head)
        };
        let now = Timestamp::parse("2021-02-28T08:00:00Z").unwrap();
        for (text, seconds) in [
            ("120", 120),
            ("Sun, 28 Feb 2021 08:05:00 GMT", 300),
            ("Sun, 28 Feb 2021 07:00:00 GMT", 0),
        ] {
            let OutsideError::Later { status: 429, again } = said(429, text) else {
                panic!("{text} says when")
            };
            assert_eq!(again.wait(now), Duration::from_secs(seconds), "{text}");
        }
        for (status, text) in [(503, "soon"), (503, "-5"), (500, "120"), (404, "120")] {
            assert!(
                matches!(said(status, text), OutsideError::Status(it) if it == status),
                "{text}"
            );
        }
    }

    #[test]
    fn an_address_is_parted_into_its_site_and_the_path_on_it() {
        let parted = site_and_path("https://user:key@A.org:443/feed/?p=2#x").unwrap();
        assert_eq!(parted, ("https://a.org".to_owned(), "/feed/?p=2".to_owned()));
        assert_eq!(site_and_path("http://a.org:81").unwrap().1, "/");
        assert_eq!(site_and_path("ftp://a.org/"), None);
    }

    #[test]
    fn addresses_are_made_whole() {
        let from = "https://a.org/show/feed?paged=2";
        for (given, whole) in [
            ("one.mp3", Some("https://a.org/show/one.mp3")),
            ("/one.mp3", Some("https://a.org/one.mp3")),
            ("?paged=3", Some("https://a.org/show/feed?paged=3")),
            ("//b.org/1.mp3", Some("https://b.org/1.mp3")),
            (" http://c.org/x y ", Some("http://c.org/x%20y")),
            ("ftp://c.org/x", None),
            ("javascript:alert(1)", None),
        ] {
            assert_eq!(join(from, given).as_deref(), whole, "{given}");
        }
    }
}
