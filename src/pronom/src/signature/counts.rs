//! Questions about a set: how much there is in it, and what it says about one format.

use serde::Serialize;

use super::changes::Named;
use super::set::{Format, SignatureSet};

/// How much a set holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub formats: usize,
    pub signatures: usize,
    pub container_signatures: usize,
    /// Formats without any signature: a file name alone tells them.
    pub extension_only: usize,
}

/// What a set says about one format.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Portrait<'s> {
    pub puid: &'s str,
    pub name: &'s str,
    pub version: Option<&'s str>,
    pub mime: &'s [String],
    pub extensions: &'s [String],
    pub signatures: usize,
    pub container_signatures: usize,
    /// Formats that it has priority over.
    pub over: Vec<Named>,
    /// Formats that have priority over it.
    pub under: Vec<Named>,
}

impl SignatureSet {
    pub fn counts(&self) -> Counts {
        let mut signed = vec![false; self.formats.len()];
        let places = self.signatures.iter().map(|it| it.format);
        for place in places.chain(self.containers.iter().map(|it| it.format)) {
            if let Some(signed) = signed.get_mut(usize::from(place)) {
                *signed = true;
            }
        }
        let unsigned = self.formats.iter().zip(signed).filter(|(_, signed)| !signed);
        Counts {
            formats: self.formats.len(),
            signatures: self.signatures.len(),
            container_signatures: self.containers.len(),
            extension_only: unsigned.filter(|(format, _)| !format.extensions.is_empty()).count(),
        }
    }

    /// What is known about a format, by its PUID in letters of any case.
    pub fn portrait(&self, puid: &str) -> Option<Portrait<'_>> {
        let same = |format: &Format| format.puid.eq_ignore_ascii_case(puid.trim());
        let at = self.formats.iter().position(same)?;
        let format = self.formats.get(at)?;
        let here = |place: u16| usize::from(place) == at;
        let over = format.over.iter().filter_map(|place| self.formats.get(usize::from(*place)));
        let above = |other: &&Format| other.over.iter().any(|place| here(*place));
        Some(Portrait {
            puid: &format.puid,
            name: &format.name,
            version: format.version.as_deref(),
            mime: &format.mimes,
            extensions: &format.extensions,
            signatures: self.signatures.iter().filter(|it| here(it.format)).count(),
            container_signatures: self.containers.iter().filter(|it| here(it.format)).count(),
            over: over.map(Named::of).collect(),
            under: self.formats.iter().filter(above).map(Named::of).collect(),
        })
    }
}
