//! A container of either kind, as far as the signatures want to know it.
//!
//! It costs memory for the wanted entries only, and unpacks no more than the bounds allow,
//! however often it is asked. A container that is damaged in part is read as far as it goes:
//! signatures speak only of what is there, so what was found stays true.

use byteio::read_at::Extent;

use super::damage::Damage;
use super::ole2::CompoundFile;
use super::zip::Zip;
use crate::bounds::Bounds;

/// A container that was opened and listed.
pub(crate) struct Contents<'s> {
    container: Container<'s>,
    entry_bytes: usize,
    unpacked_bytes: usize,
    unpacked_left: usize,
}

enum Container<'s> {
    Zip(Zip<'s>),
    CompoundFile(Box<CompoundFile<'s>>),
}

/// The start of an entry.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    /// Whether the bytes are all of the entry.
    pub(crate) whole: bool,
    /// What stopped the reading after these bytes, though more were asked for.
    pub(crate) damage: Option<Damage>,
}

impl<'s> Contents<'s> {
    /// Opens and lists a zip. Entries with paths that are not wanted are passed over.
    pub(crate) fn open_zip(
        source: &'s dyn Extent,
        wanted: &dyn Fn(&str) -> bool,
        bounds: &Bounds,
    ) -> Result<Contents<'s>, Damage> {
        let zip = Zip::open(source, wanted, bounds)?;
        Ok(Contents::new(Container::Zip(zip), bounds))
    }

    /// Opens and lists a compound file (OLE2). Entries that are not wanted are passed over.
    pub(crate) fn open_ole2(
        source: &'s dyn Extent,
        wanted: &dyn Fn(&str) -> bool,
        bounds: &Bounds,
    ) -> Result<Contents<'s>, Damage> {
        let file = CompoundFile::open(source, wanted, bounds)?;
        Ok(Contents::new(Container::CompoundFile(Box::new(file)), bounds))
    }

    fn new(container: Container<'s>, bounds: &Bounds) -> Contents<'s> {
        Contents {
            container,
            entry_bytes: bounds.entry_bytes,
            unpacked_bytes: bounds.unpacked_bytes,
            unpacked_left: bounds.unpacked_bytes,
        }
    }

    /// Whether there is a file or a folder with this wanted path.
    pub(crate) fn has(&self, path: &str) -> bool {
        match &self.container {
            Container::Zip(zip) => zip.has(path),
            Container::CompoundFile(file) => file.has(path),
        }
    }

    /// What was wrong with the list of entries, if only a part of it could be read.
    pub(crate) fn damage(&self) -> Option<&Damage> {
        match &self.container {
            Container::Zip(zip) => zip.damage.as_ref(),
            Container::CompoundFile(file) => file.damage.as_ref(),
        }
    }

    /// The first bytes of an entry, `most` of them or as many as one entry may have. Each call
    /// counts against the bytes that may be unpacked.
    pub(crate) fn content(&mut self, path: &str, most: usize) -> Result<Content, Damage> {
        let most = most.min(self.entry_bytes);
        let allowed = most.min(self.unpacked_left);
        let mut bytes = Vec::new();
        let whole = match &mut self.container {
            Container::Zip(zip) => zip.read(path, allowed, &mut bytes),
            Container::CompoundFile(file) => file.read(path, allowed, &mut bytes),
        };
        self.unpacked_left = self.unpacked_left.saturating_sub(bytes.len());
        match whole {
            Ok(false) if allowed < most => Err(Damage::UnpackedLimit(self.unpacked_bytes)),
            Ok(whole) => Ok(Content { bytes, whole, damage: None }),
            Err(damage) if damage.is_of_the_file() && !bytes.is_empty() => {
                Ok(Content { bytes, whole: false, damage: Some(damage) })
            }
            Err(damage) => Err(damage),
        }
    }
}
