//! What is known about one object, as a PREMIS 3.0 document that any archive can read.
//!
//! The object is the *intellectual entity*, every deposit of it a *representation*, every version
//! of every file a *file* that is included in its deposit. An event about all files of a deposit is
//! told once and linked to that deposit; where files differ it names the fact (`[its md5]`), which
//! stands with each file. So the document grows with files and not with files times events.
//!
//! It is streamed: of the files, a page is in memory; of the deposits, some counts each.

mod agent;
mod deposit;
mod entity;
mod event;
mod file;
mod place;
mod vocabulary;
mod xml;

use std::io::{self, Write};

use storage::registry::{self, FileRow, ObjectRow, Registry, Version};

pub use place::place;

use deposit::Deposits;
use event::Agents;
use xml::Xml;

/// Why a document could not be written.
#[derive(Debug, thiserror::Error)]
pub enum PremisError {
    /// The registry failed.
    #[error(transparent)]
    Registry(#[from] registry::Error),
    /// Where to write failed.
    #[error("cannot write the document")]
    Write(#[from] io::Error),
}

/// Writes the document of an object, as it was when the row was read.
///
/// # Errors
///
/// When the registry cannot be read or `out` not be written; what was written is not whole then.
pub fn write(
    registry: &Registry,
    object: &ObjectRow,
    out: &mut dyn Write,
) -> Result<(), PremisError> {
    let mut xml = Xml::begin(out)?;
    entity::write(&mut xml, object)?;
    let mut deposits = Deposits::write(&mut xml, registry, object)?;
    file::write(&mut xml, registry, object, &mut deposits)?;
    let mut agents = Agents::default();
    event::write(&mut xml, registry, object, &deposits, &mut agents)?;
    agent::write(&mut xml, object, &agents)?;
    xml.end()?;
    Ok(())
}

/// An identifier, with the domain in which it is one.
struct Identifier {
    domain: &'static str,
    value: String,
}

/// The object, by its identifier.
fn object_id(object: &ObjectRow) -> Identifier {
    Identifier { domain: "Strongroom object", value: object.identifier.clone() }
}

/// One deposit of the object, by the version it became.
fn deposit_id(object: &ObjectRow, version: Version) -> Identifier {
    Identifier { domain: "Strongroom deposit", value: format!("{}#v{version}", object.identifier) }
}

/// A file as it is now.
fn file_id(identifier: &str) -> Identifier {
    Identifier { domain: "Strongroom file", value: identifier.to_owned() }
}

/// A file as it was brought by one version of its object.
fn file_version_id(file: &FileRow) -> Identifier {
    let value = format!("{}#v{}", file.identifier, file.version);
    Identifier { domain: "Strongroom file version", value }
}

/// The institution that owns the object.
fn institution_id(object: &ObjectRow) -> Identifier {
    let value = object.institution_identifier.clone();
    Identifier { domain: "Strongroom institution", value }
}

/// A program or a person, by the words that events name it with.
fn agent_id(words: &str) -> Identifier {
    Identifier { domain: "Strongroom agent", value: words.to_owned() }
}
