//! Copies that are not read, because that takes days and money: whether they are there, by what their
//! medium says of them; and those that are not, stored again.
//!
//! A bucket tells the size of a file, and often its md5 as a tag. Whether its tags are digests is seen at
//! the marker of the replica, whose bytes are known; where they are not, the size has to do.

use byteio::read_at::fill;
use digests::{Algorithm, AlgorithmSet, Hasher, Source};
use rayon::prelude::*;

use super::address::{CORNER, MARKER, ObjectId, sha512_of};
use super::error::VaultError;
use super::media::{Told, Upload};
use super::replica::Replica;
use super::store::open;
use super::verify::Expected;

/// One copy that must be there.
pub struct Sought<K> {
    pub copy: Expected<K>,
    /// Of its bytes, in hex.
    pub md5: String,
}

/// What a medium says of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sighting {
    /// It is there with the right number of bytes, and with the right checksum if one is told.
    There,
    /// It is there with another number of bytes, or another checksum.
    Differs,
    Missing,
}

impl Replica {
    /// Asks for sealed copies without reading them, many at once. Not to know is an error.
    pub fn look_for<K: Send>(
        &self,
        object: &ObjectId,
        copies: Vec<Sought<K>>,
    ) -> Result<Vec<(K, Sighting)>, VaultError> {
        self.present()?;
        let (root, tells_md5) = (object.root(), self.tells_md5()?);
        let look = |sought: Sought<K>| -> Result<(K, Sighting), VaultError> {
            let found = self.medium.look(&format!("{root}/{}", sought.copy.content_path))?;
            let sighting = sight(&sought, found.as_ref(), tells_md5);
            Ok((sought.copy.key, sighting))
        };
        self.reading(|| copies.into_par_iter().map(look).collect())
    }

    /// Stores a sealed copy again whose bytes are not there, or are not the right ones; says whether it
    /// had to. `source` gives the bytes, which are compared with their digest before any of them is
    /// sent. `moment` names the folder of what is set aside: letters, digits and `-` only. One writer
    /// per object at a time is the caller's part.
    pub fn store_again<K>(
        &self,
        object: &ObjectId,
        sought: &Sought<K>,
        source: &dyn Fn() -> Source<'static>,
        moment: &str,
    ) -> Result<bool, VaultError> {
        self.present()?;
        let copy = &sought.copy;
        let (what, key) = (&copy.content_path, format!("{}/{}", object.root(), copy.content_path));
        let found = self.medium.look(&key)?;
        if sight(sought, found.as_ref(), self.tells_md5()?) == Sighting::There {
            return Ok(false);
        }
        let failed = |source| VaultError::Source { what: what.clone(), source };
        let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Sha512));
        let mut reader = open(source()).map_err(failed)?;
        let mut buffer = vec![0; 256 << 10];
        loop {
            let count = fill(&mut reader, &mut buffer).map_err(failed)?;
            if count == 0 {
                break;
            }
            hasher.update(&buffer[..count]);
        }
        let size_bytes = hasher.stream_len();
        if sha512_of(&hasher.finish()) != Some(copy.sha512) {
            return Err(VaultError::Changed { what: what.clone() });
        }
        let aside = format!("{CORNER}/set-aside/{}/{moment}/{what}", object.hash());
        match self.medium.set_aside(&key, &aside, true) {
            // Cold storage does not give it to be copied: it is known to be of no use, and the right
            // bytes are here.
            Ok(_) | Err(VaultError::Denied { .. } | VaultError::Refused { .. }) => {}
            Err(error) => return Err(error),
        }
        let mut reader = open(source()).map_err(failed)?;
        self.medium.put(&key, Upload { source: &mut reader, size_bytes })?;
        match self.medium.size_of(&key)? {
            Some(found) if found == size_bytes => Ok(true),
            _ => Err(VaultError::Away {
                replica: self.name().to_owned(),
                what: format!("{key} is not there after it was stored"),
                source: None,
            }),
        }
    }

    /// Whether what the medium tells as md5 is one.
    fn tells_md5(&self) -> Result<bool, VaultError> {
        let Some(told) = self.medium.look(MARKER)?.and_then(|told| told.md5) else {
            return Ok(false);
        };
        let bytes = self.read_small(MARKER)?.unwrap_or_default();
        let mut hasher = Hasher::new(AlgorithmSet::EMPTY.with(Algorithm::Md5));
        hasher.update(&bytes);
        Ok(hasher.finish().hex(Algorithm::Md5) == Some(told))
    }
}

fn sight<K>(sought: &Sought<K>, found: Option<&Told>, tells_md5: bool) -> Sighting {
    let Some(found) = found else { return Sighting::Missing };
    let is_size = sought.copy.size_bytes.is_none_or(|expected| expected == found.size_bytes);
    let is_md5 = !tells_md5 || found.md5.as_ref().is_none_or(|told| *told == sought.md5);
    if is_size && is_md5 { Sighting::There } else { Sighting::Differs }
}
