//! Where a value came from, and the sentences that refuse one.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The layer a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(PathBuf),
    Env(String),
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Env(name) => write!(f, "environment variable {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// Where exactly to look: the layer and, in a file, the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub origin: Origin,
    pub line: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{} line {line}", self.origin),
            None => write!(f, "{}", self.origin),
        }
    }
}

/// One thing that is wrong with the configuration. `Display` is one sentence that says where it
/// stands, what stands there, and what may stand there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{place} column {column}: this is not TOML: {reason}")]
    Syntax { place: Place, column: usize, reason: String },
    #[error("{place}: {reason}")]
    Shape { place: Place, reason: String },
    #[error("{place}: there is no key `{key}` here; {hint}")]
    UnknownKey { place: Place, key: String, hint: Hint },
    #[error("{place}: there is no stage `{topic}`; {hint}")]
    UnknownStage { place: Place, topic: String, hint: Hint },
    #[error("{place}: {key} is {value}, but it must be {allowed}")]
    Value { place: Place, key: String, value: String, allowed: String },
    #[error(
        "{place}: http.listen is {listen}, which other machines can reach, but nothing encrypts \
         what goes there and back, so passwords could be read on their way; set tls_certificate and \
         tls_key in section [http], listen on 127.0.0.1, or, where something else encrypts, set \
         open_to_network = true in section [http] of the configuration file"
    )]
    OpenToNetwork { place: Place, listen: SocketAddr },
    #[error("{place}: {set} is set, but {missing} is not; it takes both, or neither")]
    HalfTls { place: Place, set: &'static str, missing: &'static str },
    #[error(
        "{place}: health.port is {port}, the port of http.listen, which answers /health already; \
         it must be another port, or be left out"
    )]
    HealthPortTaken { place: Place, port: u16 },
    #[error(
        "{place}: research.offer_s is {offer_s} and research.lease_s is {lease_s}, but work must be \
         on offer for less time than its lease stands, or it could be given out twice"
    )]
    OfferOutlivesLease { place: Place, offer_s: u64, lease_s: u64 },
    #[error(
        "{place}: data is {data:?}, but this file was found in the data directory {found:?} and \
         cannot name another; use --data, STRONGROOM_DATA, or a file named with --config"
    )]
    MovedData { place: Place, data: PathBuf, found: PathBuf },
    #[error(
        "{place}: section [{kind}.{name:?}] has a name it cannot have; it must be 1 to 40 letters, \
         digits, - or _"
    )]
    Name { place: Place, kind: &'static str, name: String },
    #[error("{place}: section [{section}] has no {key}; it must be {allowed}")]
    Missing { place: Place, section: String, key: &'static str, allowed: String },
    #[error("{place}: {key} names `{replica}`, but there is no such replica; {hint}")]
    UnknownReplica { place: Place, key: String, replica: String, hint: Hint },
    #[error("{place}: there is no option `{option}`; {hint}")]
    UnknownOption { place: Place, option: String, hint: Hint },
    #[error("{place}: ingest.default_option is {option:?}, but there is no such option; {hint}")]
    DefaultOption { place: Place, option: String, hint: Hint },
    #[error(
        "{place}: {key} is set, but {url} is a folder; write {url} as s3://bucket/prefix, or leave \
         this key out"
    )]
    OnlyForBuckets { place: Place, key: String, url: String },
    #[error(
        "{place}: {section}.endpoint is {endpoint:?}, where everyone on the way can read along; it \
         must begin with https://, or, where nobody is on the way, set allow_http = true in section \
         [{section}]"
    )]
    PlainHttp { place: Place, section: String, endpoint: String },
    #[error(
        "{place}: mail.smtp and mail.spool are both set, but a message goes one way; leave one of \
         them out"
    )]
    TwoMailWays { place: Place },
    #[error(
        "{place}: webhook.url is {url:?}, where everyone on the way can read along; it must begin \
         with https://, or, where nobody is on the way, set allow_http = true in section [webhook]"
    )]
    OpenWebhook { place: Place, url: String },
    #[error(
        "{place}: assess.callback_url is {url:?}, where everyone on the way can read along; it must \
         begin with https://, or, where nobody is on the way, set callback_allow_http = true in \
         section [assess]"
    )]
    OpenCallback { place: Place, url: String },
    #[error("{place}: {key} is {value}, {lies} {other}; each must have a place of its own")]
    Overlap { place: Place, key: String, value: String, lies: Lies, other: String },
}

/// How a place lies to another that it shares something with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lies {
    At,
    Inside,
    Around,
}

impl fmt::Display for Lies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::At => "the same as",
            Self::Inside => "inside",
            Self::Around => "around",
        })
    }
}

/// What was probably meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    Near(String),
    OneOf(Vec<String>),
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Near(name) => write!(f, "did you mean `{name}`?"),
            Self::OneOf(names) => write!(f, "it must be one of {}", names.join(", ")),
        }
    }
}

/// Why there is no configuration to start with.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("cannot read the configuration file {}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Everything that is wrong; never empty.
    #[error("{}", sentences(.0))]
    Refused(Vec<Refusal>),
}

fn sentences(refusals: &[Refusal]) -> String {
    refusals.iter().map(Refusal::to_string).collect::<Vec<_>>().join("\n")
}
