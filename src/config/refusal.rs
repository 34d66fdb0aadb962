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
        "{place}: http.listen is {listen}, which other machines can reach, but sign-in does not \
         exist yet in this version, so anyone who reaches it could read and change everything; \
         listen on 127.0.0.1, or, where something else keeps strangers out, set \
         open_to_network = true in section [http] of the configuration file"
    )]
    OpenToNetwork { place: Place, listen: SocketAddr },
    #[error(
        "{place}: health.port is {port}, the port of http.listen, which answers /health already; \
         it must be another port, or be left out"
    )]
    HealthPortTaken { place: Place, port: u16 },
    #[error(
        "{place}: data is {data:?}, but this file was found in the data directory {found:?} and \
         cannot name another; use --data, STRONGROOM_DATA, or a file named with --config"
    )]
    MovedData { place: Place, data: PathBuf, found: PathBuf },
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
