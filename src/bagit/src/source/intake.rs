//! What a walk finds, as it comes: names are cleaned and judged, files go into the ledger.

use std::collections::BTreeMap;

use crate::code::Code;
use crate::error::BagError;
use crate::findings::Findings;
use crate::ledger::{Held, Ledger, PathId};
use crate::limits::Limits;
use crate::names::rules;

/// Top folders told apart in an archive; further ones are one too many anyway.
const TOPS_MAX: usize = 100;

/// Where a walk puts what it finds.
pub(crate) struct Intake<'a> {
    pub(crate) ledger: &'a mut Ledger,
    pub(crate) findings: &'a mut Findings,
    pub(crate) limits: &'a Limits,
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    pub(crate) tops: Tops,
    /// Whether the walk goes on: not after a limit was reached.
    pub(crate) open: bool,
}

/// What lies at the top of the source.
#[derive(Debug, Default)]
pub(crate) struct Tops {
    /// Top folders, in order of appearance, by name.
    folders: BTreeMap<Vec<u8>, Top>,
    /// Whether files that belong into a bag lie at the top itself.
    loose_declaration: bool,
    loose_data: bool,
}

#[derive(Debug, Default)]
struct Top {
    order: usize,
    declaration: bool,
    data: bool,
}

/// Where the bag is in its source.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Base {
    /// Empty, or the top folder with a slash.
    pub(crate) prefix: Vec<u8>,
    pub(crate) has_data: bool,
}

impl<'a> Intake<'a> {
    pub(crate) fn new(
        ledger: &'a mut Ledger,
        findings: &'a mut Findings,
        limits: &'a Limits,
        stop: &'a (dyn Fn() -> bool + Sync),
    ) -> Intake<'a> {
        Intake { ledger, findings, limits, stop, tops: Tops::default(), open: true }
    }

    /// Asks whether to go on.
    pub(crate) fn pause(&self) -> Result<(), BagError> {
        if (self.stop)() { Err(BagError::Stopped) } else { Ok(()) }
    }

    /// Takes a file. None if its name is too bad to keep, or the ledger is full.
    pub(crate) fn file(&mut self, name: &[u8], held: Held) -> Option<PathId> {
        let name = self.clean(name)?.to_vec();
        self.tops.see_file(&name);
        match self.ledger.take(&name, held, self.limits) {
            Ok(id) => Some(id),
            Err(_) => {
                self.limit("it has more files, or longer names, than are taken in at once");
                None
            }
        }
    }

    /// Takes a folder: only where it lies is of interest.
    pub(crate) fn folder(&mut self, name: &[u8]) {
        if let Some(name) = self.clean(name).map(<[u8]>::to_vec) {
            self.tops.see_folder(name.strip_suffix(b"/").unwrap_or(&name));
        }
    }

    /// Tells of something that is no file.
    pub(crate) fn odd(&mut self, code: Code, name: &[u8]) {
        let name = String::from_utf8_lossy(name).into_owned();
        let place = rules::shown(&name);
        let what = if code == Code::LinkInBag {
            "is a link; what it points to is not in the bag. Put the file itself in its place."
        } else if code == Code::DeviceInBag {
            "is a device, pipe or socket; these cannot be kept. Leave it out."
        } else if code == Code::SparseEntry {
            "is stored as a sparse file. Make the archive again without sparse files (tar without \
             -S)."
        } else {
            "cannot be read here. Make the archive again as plain tar, or as zip with deflate and \
             without a password."
        };
        self.findings.add(code, place.clone(), || format!("`{place}` {what}"));
    }

    /// Tells that the archive itself is wrong, and ends the walk.
    pub(crate) fn broken(&mut self, code: Code, sentence: String) {
        self.open = false;
        self.findings.add(code, "the archive", || sentence);
    }

    /// Tells that there is too much of something, and ends the walk.
    pub(crate) fn limit(&mut self, what: &str) {
        self.open = false;
        self.findings.add(Code::LimitReached, "the bag", || {
            format!("The bag was not read to its end: {what}. Split it into several bags.")
        });
    }

    /// Takes leading `./` off a name and tells of names that lead elsewhere; None if what is left
    /// is no name, or cannot be trusted.
    fn clean<'n>(&mut self, name: &'n [u8]) -> Option<&'n [u8]> {
        let mut name = name;
        while let Some(rest) = name.strip_prefix(b"./") {
            name = rest;
        }
        if name.is_empty() || name == b"." {
            return None;
        }
        let text = String::from_utf8_lossy(name);
        let escapes = rules::escapes(&text);
        for code in &escapes {
            self.findings.add(*code, rules::shown(&text), || rules::sentence(*code, &text));
        }
        if name.len() > self.limits.path_bytes {
            let code = Code::NameTooLong;
            self.findings.add(code, rules::shown(&text), || rules::sentence(code, &text));
            return None;
        }
        escapes.is_empty().then_some(name)
    }
}

impl Tops {
    fn see_file(&mut self, name: &[u8]) {
        match split(name) {
            (_, None) => self.loose_declaration |= name == b"bagit.txt",
            (first, Some(rest)) => {
                self.loose_data |= first == b"data";
                if let Some(top) = self.top(first) {
                    top.declaration |= rest == b"bagit.txt";
                    top.data |= rest.starts_with(b"data/");
                }
            }
        }
    }

    fn see_folder(&mut self, name: &[u8]) {
        let (first, rest) = split(name);
        self.loose_data |= first == b"data";
        if let Some(top) = self.top(first) {
            top.data |= rest.is_some_and(|rest| split(rest).0 == b"data");
        }
    }

    fn top(&mut self, name: &[u8]) -> Option<&mut Top> {
        let order = self.folders.len();
        if !self.folders.contains_key(name) {
            if order == TOPS_MAX {
                return None;
            }
            self.folders.insert(name.to_vec(), Top { order, ..Top::default() });
        }
        self.folders.get_mut(name)
    }

    /// The base of a bag that is a folder.
    pub(crate) fn folder_base(&self) -> Base {
        Base { prefix: Vec::new(), has_data: self.loose_data }
    }

    /// The base of a bag in an archive: where its `bagit.txt` is, or else its first folder.
    pub(crate) fn archive_base(&self) -> Base {
        let best = self.folders.iter().min_by_key(|(_, top)| (!top.declaration, top.order));
        match best {
            Some((name, top)) if top.declaration || !self.loose_declaration => {
                Base { prefix: [name, &b"/"[..]].concat(), has_data: top.data }
            }
            _ => self.folder_base(),
        }
    }

    /// Every top folder but that of the bag.
    pub(crate) fn others<'t>(&'t self, base: &'t Base) -> impl Iterator<Item = &'t [u8]> + 't {
        let own = base.prefix.strip_suffix(b"/").unwrap_or(&base.prefix);
        self.folders.keys().map(Vec::as_slice).filter(move |name| *name != own)
    }
}

/// A name before its first slash, and what comes after it.
pub(crate) fn split(name: &[u8]) -> (&[u8], Option<&[u8]>) {
    match name.iter().position(|byte| *byte == b'/') {
        Some(at) => (&name[..at], Some(&name[at + 1..])),
        None => (name, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(names: &[&str]) -> (String, bool) {
        let mut tops = Tops::default();
        for name in names {
            match name.strip_suffix('/') {
                Some(folder) => tops.see_folder(folder.as_bytes()),
                None => tops.see_file(name.as_bytes()),
            }
        }
        let base = tops.archive_base();
        (String::from_utf8(base.prefix).unwrap(), base.has_data)
    }

    #[test]
    fn the_bag_is_where_its_declaration_is() {
        assert_eq!(base(&["bag/", "bag/data/", "bag/bagit.txt"]), ("bag/".into(), true));
        assert_eq!(base(&["junk/x", "bag/bagit.txt"]), ("bag/".into(), false));
        assert_eq!(base(&["bagit.txt", "data/x"]), ("".into(), true));
        assert_eq!(base(&["bag/manifest-md5.txt", "x"]), ("bag/".into(), false));
        assert_eq!(base(&["data/bagit.txt", "data/data/x"]), ("data/".into(), true));
        assert_eq!(base(&[]), ("".into(), false));
    }
}
