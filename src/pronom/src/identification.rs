//! What identifying a file tells.

use std::fmt;

use serde::Serialize;

use super::signature::Format;

/// What a file is, as far as its bytes and its name tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identification<'s> {
    /// None if unknown; several if the signatures leave it open.
    pub matches: Vec<Match<'s>>,
    /// Sentences for the archivist.
    pub warnings: Vec<String>,
    /// Why there is no match.
    pub unknown: Option<String>,
}

/// A format that a file may have, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Match<'s> {
    pub format: &'s Format,
    pub basis: Basis,
}

/// What a match rests on, the strongest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Basis {
    /// Files inside a container, by name and content.
    Container { kind: ContainerKind, signature: u32, entries: Vec<String> },
    /// Bytes at places of the file.
    Signature { signature: u32, places: Vec<Place> },
    /// The extension of the name alone.
    Extension { extension: String },
    /// It reads as text.
    Text { encoding: Encoding },
}

/// Where a byte sequence of a signature was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub offset: u64,
    pub length: u64,
}

#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ContainerKind {
    Zip,
    Ole2,
}

/// How text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Encoding {
    #[serde(rename = "ASCII")]
    Ascii,
    #[serde(rename = "UTF-8")]
    Utf8,
    #[serde(rename = "UTF-16LE")]
    Utf16Le,
    #[serde(rename = "UTF-16BE")]
    Utf16Be,
    #[serde(rename = "ISO-8859")]
    Latin,
    /// Of Windows, DOS or another system; which one the bytes do not tell.
    #[serde(rename = "code page")]
    CodePage,
}

impl Basis {
    /// One word for tables.
    pub fn word(&self) -> &'static str {
        match self {
            Basis::Container { .. } => "container",
            Basis::Signature { .. } => "signature",
            Basis::Extension { .. } => "extension",
            Basis::Text { .. } => "text",
        }
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Basis::Container { kind, signature, entries } => {
                write!(f, "{kind} signature {signature}: {}", entries.join(", "))
            }
            Basis::Signature { signature, places } => {
                write!(f, "signature {signature}")?;
                for (at, Place { offset, length }) in places.iter().enumerate() {
                    let before = if at == 0 { ": " } else { ", " };
                    write!(f, "{before}{length} bytes at {offset}")?;
                }
                Ok(())
            }
            Basis::Extension { extension } => write!(f, "extension {extension}"),
            Basis::Text { encoding } => write!(f, "text in {encoding}"),
        }
    }
}

impl fmt::Display for ContainerKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ContainerKind::Zip => "ZIP",
            ContainerKind::Ole2 => "OLE2",
        })
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Encoding::Ascii => "ASCII",
            Encoding::Utf8 => "UTF-8",
            Encoding::Utf16Le => "UTF-16LE",
            Encoding::Utf16Be => "UTF-16BE",
            Encoding::Latin => "ISO-8859",
            Encoding::CodePage => "a code page",
        })
    }
}
