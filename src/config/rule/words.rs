//! Rules for paths, addresses, names and choices.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use tracing::level_filters::LevelFilter;

use super::{Given, Rule};
use crate::config::meant::{LogFilter, LogFormat};

pub(in crate::config) struct Folder;

impl Rule for Folder {
    type Meant = PathBuf;
    fn read(&self, given: Given<'_>) -> Option<PathBuf> {
        let path = match given {
            Given::Toml(value) => PathBuf::from(value.as_str()?),
            // Not through `text`: a folder may have any name its system allows.
            Given::Text(text) => PathBuf::from(text),
        };
        (!path.as_os_str().is_empty() && !is_address(&path)).then_some(path)
    }
    fn allowed(&self) -> String {
        "the path of a folder on this machine".to_owned()
    }
    fn write(&self, meant: &PathBuf) -> String {
        quoted(&meant.display().to_string())
    }
}

/// Whether a path is the address of something else, such as `s3://bucket` or `file:///srv`. Taken for
/// a path, it would make a folder of that name.
pub(in crate::config) fn is_address(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    rest.starts_with('/')
        && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(plain)
}

/// An IP address and a port; `localhost` stands for 127.0.0.1.
pub(in crate::config) struct Address;

impl Rule for Address {
    type Meant = SocketAddr;
    fn read(&self, given: Given<'_>) -> Option<SocketAddr> {
        let text = given.text()?;
        match text.strip_prefix("localhost:") {
            Some(port) => Some((IpAddr::from(Ipv4Addr::LOCALHOST), port.parse().ok()?).into()),
            None => text.parse().ok(),
        }
    }
    fn allowed(&self) -> String {
        "an IP address and a port, such as 127.0.0.1:8600 or [::1]:8600".to_owned()
    }
    fn write(&self, meant: &SocketAddr) -> String {
        quoted(&meant.to_string())
    }
}

/// A list of names a browser may call this machine by.
pub(in crate::config) struct HostNames;

impl Rule for HostNames {
    type Meant = Vec<String>;
    fn read(&self, given: Given<'_>) -> Option<Vec<String>> {
        match given {
            Given::Toml(value) => value.as_array()?.iter().map(|v| host(v.as_str()?)).collect(),
            Given::Text(text) => {
                text.to_str()?.split(',').filter(|part| !part.trim().is_empty()).map(host).collect()
            }
        }
    }
    fn allowed(&self) -> String {
        "a list of host names without scheme or port, such as [\"archive.example.org\"]".to_owned()
    }
    fn write(&self, meant: &Vec<String>) -> String {
        listed(meant)
    }
}

fn host(name: &str) -> Option<String> {
    let name = name.trim().trim_end_matches('.').to_ascii_lowercase();
    let label = |label: &str| {
        !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
    };
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().is_ok();
    (address || name.split('.').all(label)).then_some(name)
}

pub(in crate::config) struct Format;

impl Rule for Format {
    type Meant = LogFormat;
    fn read(&self, given: Given<'_>) -> Option<LogFormat> {
        match given.text()? {
            "human" => Some(LogFormat::Human),
            "json" => Some(LogFormat::Json),
            _ => None,
        }
    }
    fn allowed(&self) -> String {
        "\"human\" or \"json\"".to_owned()
    }
    fn write(&self, meant: &LogFormat) -> String {
        match meant {
            LogFormat::Human => quoted("human"),
            LogFormat::Json => quoted("json"),
        }
    }
}

/// A level, optionally followed by parts with their own: `info,strongroom::http=debug`.
pub(in crate::config) struct Levels;

impl Rule for Levels {
    type Meant = LogFilter;
    fn read(&self, given: Given<'_>) -> Option<LogFilter> {
        let mut filter = LogFilter { everything: LevelFilter::INFO, parts: Vec::new() };
        for directive in given.text()?.split(',').map(str::trim) {
            match directive.split_once('=') {
                None => filter.everything = level(directive)?,
                Some((part, _)) if part.trim().is_empty() => return None,
                Some((part, word)) => filter.parts.push((part.trim().to_owned(), level(word)?)),
            }
        }
        Some(filter)
    }
    fn allowed(&self) -> String {
        "off, error, warn, info, debug or trace; a part may differ: \"info,strongroom::http=debug\""
            .to_owned()
    }
    fn write(&self, meant: &LogFilter) -> String {
        let parts = meant.parts.iter().map(|(part, level)| format!(",{part}={level}"));
        quoted(&format!("{}{}", meant.everything, parts.collect::<String>()))
    }
}

/// The levels of tracing, and those of the described system where they have other names.
fn level(word: &str) -> Option<LevelFilter> {
    match word.trim().to_ascii_lowercase().as_str() {
        "off" => Some(LevelFilter::OFF),
        "critical" | "error" => Some(LevelFilter::ERROR),
        "warning" | "warn" => Some(LevelFilter::WARN),
        "notice" | "info" => Some(LevelFilter::INFO),
        "debug" => Some(LevelFilter::DEBUG),
        "trace" => Some(LevelFilter::TRACE),
        _ => None,
    }
}

/// A TOML list of strings.
pub(super) fn listed(names: &[String]) -> String {
    format!("[{}]", names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", "))
}

/// A TOML string.
pub(in crate::config) fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{:04X}", u32::from(c)),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}
