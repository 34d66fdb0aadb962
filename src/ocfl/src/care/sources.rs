//! Where good bytes come from when something is mended: another replica, the true inventory, what
//! can be made again, or what somebody supplied.

use std::io::{self, Read};

use super::super::address::Sha512;
use super::super::error::VaultError;
use super::super::replica::Replica;
use super::super::store::open;
use super::flaw::{Flaw, Part, sidecar_text};
use super::judging::{DECLARATION, digest};
use super::mend::Mending;
use super::replace::Supplied;
use super::truth::Truth;

/// Where good bytes come from.
pub(super) enum Good<'g> {
    Made(Vec<u8>),
    Inventory(&'g Truth<'g>),
    Copy(&'g Replica),
    Supplied(Supplied<'g>),
}

impl<'m> Mending<'m> {
    /// Who may have the bytes. What can be made again is not copied: a sidecar from what it stands
    /// beside, which was mended before it.
    pub(super) fn sources_of(
        &self,
        target: &Replica,
        flaw: &Flaw,
        expected: &Sha512,
    ) -> Result<Vec<Good<'m>>, VaultError> {
        let truth = self.truth;
        let made = match flaw.part {
            Part::RootInventory => return Ok(vec![Good::Inventory(truth)]),
            Part::Inventory(version) if version == truth.sealed() => {
                return Ok(vec![Good::Inventory(truth)]);
            }
            Part::Declaration => Some(DECLARATION.to_vec()),
            Part::RootSidecar => {
                Some(sidecar_text(&flaw.path, truth.inventory.sha512()).into_bytes())
            }
            Part::Sidecar(_) | Part::ChronicleSidecar(_) | Part::DeletionSidecar => {
                let path = flaw.path.strip_suffix(".sha512").unwrap_or(&flaw.path);
                let key = format!("{}/{path}", truth.object().root());
                let seen = target.see(&key, &mut |_| Ok(()))?;
                seen.sha512().map(|sha512| sidecar_text(&flaw.path, sha512).into_bytes())
            }
            Part::Stray
            | Part::EmptyFolder
            | Part::Content
            | Part::Inventory(_)
            | Part::Chronicle(_)
            | Part::Deletion => None,
        };
        let others = self.sources.iter().filter(|source| source.name() != target.name());
        let made = made.filter(|bytes| digest(bytes) == *expected).map(Good::Made);
        Ok(made.into_iter().chain(others.map(|source| Good::Copy(source))).collect())
    }
}

impl<'g> Good<'g> {
    pub(super) fn name(&self) -> Option<String> {
        match self {
            Good::Made(_) => None,
            Good::Inventory(truth) => Some(truth.from.clone()),
            Good::Copy(replica) => Some(replica.name().to_owned()),
            Good::Supplied(_) => None,
        }
    }

    /// Opens the bytes at the same key, with their number.
    #[expect(clippy::type_complexity, reason = "a reader with its size, used once")]
    pub(super) fn open(
        &self,
        key: &str,
    ) -> Result<Option<(Box<dyn Read + Send + '_>, u64)>, VaultError> {
        match self {
            Good::Made(bytes) => Ok(Some((Box::new(&bytes[..]), bytes.len() as u64))),
            Good::Inventory(truth) => {
                let (reader, size_bytes) = truth.inventory.reader();
                Ok(Some((Box::new(reader), size_bytes)))
            }
            Good::Copy(replica) => {
                replica.present()?;
                let Some(size_bytes) = replica.medium.size_of(key)? else { return Ok(None) };
                Ok(replica.medium.open(key)?.map(|reader| (reader, size_bytes)))
            }
            Good::Supplied(supplied) => {
                let opened = open((supplied.open)());
                let failed = |source| VaultError::Source { what: key.to_owned(), source };
                Ok(Some((opened.map_err(failed)?, supplied.size_bytes)))
            }
        }
    }

    pub(super) fn blame(&self, key: &str, error: io::Error) -> VaultError {
        match self {
            Good::Copy(replica) => replica.unreadable(key, error),
            Good::Made(_) | Good::Inventory(_) => {
                VaultError::Scratch { what: "reading an inventory".into(), source: error }
            }
            Good::Supplied(_) => VaultError::Source { what: key.to_owned(), source: error },
        }
    }
}
