//! A signature set, ready for use.

use std::collections::{HashMap, HashSet};
use std::io;

use byteio::read_at::Extent;

use super::bounds::Bounds;
use super::identification::{ContainerKind, Identification};
use super::looking::identify::Hits;
use super::looking::index::Index;
use super::looking::look::{Halt, Look, Looking};
use super::looking::priority::Priorities;
use super::signature::{Broken, Format, SignatureSet};

const PLAIN_TEXT: &str = "x-fmt/111";

/// What formats there are and how to tell them. Used by many threads at once.
pub struct Formats {
    pub(crate) set: SignatureSet,
    pub(crate) index: Index,
    pub(crate) priorities: Priorities,
    /// Formats by extension.
    pub(crate) by_extension: HashMap<String, Vec<u16>>,
    /// Formats that have a signature of any kind.
    pub(crate) signed: HashSet<u16>,
    /// Formats that are told by what is inside a container.
    pub(crate) contained: HashSet<u16>,
    /// Plain text, for which PRONOM has no signature.
    pub(crate) plain_text: Option<u16>,
    /// Paths that signatures look for in containers.
    pub(crate) wanted: HashMap<ContainerKind, HashSet<String>>,
}

impl Formats {
    /// The set that comes with the program.
    pub fn built_in() -> Result<Formats, Broken> {
        SignatureSet::built_in().map(Formats::new)
    }

    pub fn new(set: SignatureSet) -> Formats {
        let mut by_extension: HashMap<String, Vec<u16>> = HashMap::new();
        for (at, format) in (0..).zip(&set.formats) {
            for extension in &format.extensions {
                by_extension.entry(extension.clone()).or_default().push(at);
            }
        }
        let mut wanted: HashMap<ContainerKind, HashSet<String>> = HashMap::new();
        for signature in &set.containers {
            let paths = signature.files.iter().map(|file| file.path.clone());
            wanted.entry(signature.kind).or_default().extend(paths);
        }
        let contained: HashSet<u16> = set.containers.iter().map(|it| it.format).collect();
        let signed = set.signatures.iter().map(|it| it.format).chain(contained.clone()).collect();
        let is_plain_text = |(_, format): &(u16, &Format)| format.puid == PLAIN_TEXT;
        let plain_text = (0..).zip(&set.formats).find(is_plain_text).map(|(at, _)| at);
        let index = Index::new(&set, Bounds::default().window_bytes);
        let priorities = Priorities::new(&set);
        Formats { index, priorities, by_extension, signed, contained, plain_text, wanted, set }
    }

    pub fn set(&self) -> &SignatureSet {
        &self.set
    }

    /// Says what a file is. The name counts for its extension only. An error is a failure to read;
    /// whatever the bytes are, they are no error.
    pub fn identify(
        &self,
        source: &dyn Extent,
        name: &str,
        looking: &Looking<'_>,
    ) -> io::Result<Identification<'_>> {
        let mut look = Look::new(source, looking);
        if look.size_bytes() == 0 {
            return Ok(unknown("the file is empty".to_owned()));
        }
        let hits = match Hits::find(self, &mut look) {
            Ok(hits) => hits,
            Err(Halt::Unreadable(error)) => return Err(error),
            Err(Halt::Limit(what)) => {
                return Ok(unknown(format!("it was not looked at to the end: {what}")));
            }
        };
        Ok(self.judge(hits, &look, name))
    }
}

fn unknown(reason: String) -> Identification<'static> {
    Identification { unknown: Some(reason), ..Identification::default() }
}
